#!/bin/sh
# Runs a test network on this machine.
#
#   scripts/testnet.sh [MANIFEST or TOPOLOGY-FILE] [PEERS] [more arguments of `starling testnet run`]
#
# A manifest (.yaml) is run as it is, with PEERS peers if given. A topology file (.edges, .dot, .json) says
# who is whose neighbour in a run of testnet/networks/ring-8.yaml, with as many peers as the file has
# unless PEERS says otherwise. RUNTIME=inproc or RUNTIME=process runs it for real.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
what=${1:-$root/testnet/networks/ring-8.yaml}
peers=${2:-}
[ $# -ge 1 ] && shift
[ $# -ge 1 ] && shift

program=${STARLING:-}
if [ -z "$program" ]; then
	program=$root/bin/starling
	(cd "$root" && go build -o "$program" ./cmd/starling)
fi

case $what in
*.yaml | *.yml) manifest=$what ;;
*)
	file=$(cd "$(dirname "$what")" && pwd)/$(basename "$what")
	manifest=$root/testnet/networks/ring-8.yaml
	[ -n "$peers" ] || peers=$("$program" topology check --json "$file" | sed -n 's/.*"peers":\([0-9]*\).*/\1/p')
	set -- --set "topology={graph: file, file: $file}" "$@"
	;;
esac
[ -z "$peers" ] || set -- --set "peers.count=$peers" "$@"
[ -z "${RUNTIME:-}" ] || set -- --set "runtime=$RUNTIME" "$@"

exec "$program" testnet run "$manifest" "$@"
