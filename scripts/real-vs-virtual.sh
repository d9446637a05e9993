#!/bin/sh
# Runs one manifest in virtual time and with one process a peer, and prints the time of a round and the
# time to the target of both (medians over the seeds), and by how much they differ. Exits with 4 if any
# differs by more than 25 %.
#
#   scripts/real-vs-virtual.sh [MANIFEST] [more arguments of `starling testnet run`]
#
# LIMIT=0.4 allows 40 %; RUNTIME=inproc compares with hosts in one process.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
manifest=${1:-$root/testnet/networks/real-vs-virtual.yaml}
[ $# -ge 1 ] && shift
runtime=${RUNTIME:-process}

program=${STARLING:-}
if [ -z "$program" ]; then
	program=$root/bin/starling
	(cd "$root" && go build -o "$program" ./cmd/starling)
fi

busy=$(uptime | sed 's/.*load average[s]*: *\([0-9.]*\).*/\1/')
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for each in virtual "$runtime"; do
	"$program" testnet run "$manifest" --set "runtime=$each" --set output.keep=all --output "$work/$each" "$@" \
		>"$work/table" || [ $? -eq 4 ] || exit 1 # expectations are not the question here
done

awk -F, -v limit="${LIMIT:-0.25}" -v real="$runtime" -v busy="$busy" -v cores="$cores" '
function median(list, n, values, i, j, swap) {
	n = split(list, values, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; j--) {
			swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
		}
	if (n % 2) return values[(n + 1) / 2]
	return (values[n / 2] + values[n / 2 + 1]) / 2
}
function differs(a, b) { return (a > b ? a / b : b / a) - 1 }
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	if (!($at["recipe"] in seen)) { seen[$at["recipe"]] = 1; recipes[++count] = $at["recipe"] }
	key = $at["recipe"] " " $at["runtime"]
	rounds[key] = rounds[key] " " $at["round_s"]
	time = $at["time_to_target_s"]
	times[key] = times[key] " " (time == "" ? 1e9 : time)
	if ($at["overloaded"] == "true") { overloaded[$at["recipe"]]++; any = 1 }
}
END {
	printf "%-8s %21s %8s   %21s %8s\n", "", "time of a round", "", "time to target", ""
	printf "%-8s %10s %10s %8s   %10s %10s %8s\n", "recipe", "virtual", real, "ratio", "virtual", real, "ratio"
	for (i = 1; i <= count; i++) {
		r = recipes[i]
		rv = median(rounds[r " virtual"]); rr = median(rounds[r " " real])
		tv = median(times[r " virtual"]); tr = median(times[r " " real])
		line = sprintf("%-8s %7.1f ms %7.1f ms %8.2f   ", r, 1000 * rv, 1000 * rr, rr / rv)
		bad = differs(rv, rr) > limit
		if (tv >= 1e9 && tr >= 1e9) line = line sprintf("%10s %10s %8s", "-", "-", "")
		else if (tv >= 1e9 || tr >= 1e9) {
			line = line sprintf("%10s %10s %8s", tv >= 1e9 ? "-" : sprintf("%.1f s", tv), tr >= 1e9 ? "-" : sprintf("%.1f s", tr), "")
			bad = 1
		} else {
			line = line sprintf("%8.2f s %8.2f s %8.2f", tv, tr, tr / tv)
			bad = bad || differs(tv, tr) > limit
		}
		print line (bad ? "   differs by more than " 100 * limit " %" : "") (overloaded[r] ? "   overloaded in " overloaded[r] " runs" : "")
		if (bad) failed = 1
	}
	if (any) print "this machine was overloaded: steps took more than 1.3 times as long as asked, do not trust the real times"
	if (busy + 0 > cores) printf "%.1f programs wanted the %d cores before the first run: other work makes real times longer\n", busy, cores
	exit failed ? 4 : 0
}' "$work"/virtual/*/summary.csv "$work/$runtime"/*/summary.csv
