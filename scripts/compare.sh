#!/bin/sh
# Makes docs/RECIPES-COMPARED.md: runs the grid, its main rows on seeds that were not used for choosing, on
# MNIST, and with one process a peer. Hours on two cores; whatever was cut short goes on where it stopped.
#
#   scripts/compare.sh [FOLDER]
#
# FOLDER (runs/compare) keeps the results. STARLING names the program.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
folder=${1:-runs/compare}
program=${STARLING:-}
if [ -z "$program" ]; then
	program=bin/starling
	go build -o "$program" ./cmd/starling
fi
mkdir -p "$folder"

# run NAME MANIFEST [ARGUMENTS] keeps the summary as NAME.json.
run() {
	name=$1
	manifest=$2
	shift 2
	[ -s "$folder/$name.json" ] && return
	[ -d "$folder/$name" ] && set -- "$@" --resume latest
	"$program" testnet run "testnet/networks/$manifest.yaml" --output "$folder/$name" --json "$@" >"$folder/$name.part"
	mv "$folder/$name.part" "$folder/$name.json"
}

run grid grid
run held-out grid --set seed=901 --set seeds=15 \
	--only 'dpsgd,cutoff,quorum,pulse,auto,case=iid,case=iid-fast,case=iid-10x,case=dirichlet,case=exclusive,case=exclusive-even'
run mnist grid-mnist
run real grid-real --set runtime=process
go run ./scripts/compare "$folder" >"$folder/page.md"
mv "$folder/page.md" docs/RECIPES-COMPARED.md
