#!/bin/sh
# Draws the plots of docs/recipes.md: every recipe beside dpsgd and auto in the network of
# testnet/networks/stragglers.yaml, three seeds. A minute; the same bytes every time.
#
#   scripts/recipe-plots.sh [FOLDER]
#
# FOLDER (docs/plots) gets NAME.svg for every recipe. STARLING names the program.
set -eu

cd "$(dirname "$0")/.."
folder=${1:-docs/plots}
program=${STARLING:-}
if [ -z "$program" ]; then
	program=bin/starling
	go build -o "$program" ./cmd/starling
fi
mkdir -p "$folder"
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

for recipe in $("$program" recipes | sed -n 's/^\([a-z0-9][a-z0-9]*\)  .*/\1/p'); do
	case $recipe in
	dpsgd | auto) shown="dpsgd, auto" ;;
	*) shown="dpsgd, auto, $recipe" ;;
	esac
	"$program" testnet run testnet/networks/stragglers.yaml --output "$runs/$recipe" --set "name=$recipe" --set seeds=3 \
		--set "sweep={train.recipe: [$shown]}" --set expect=[] >/dev/null 2>&1
	"$program" report "$runs/$recipe" >/dev/null
	cp "$runs/$recipe/plots/01-$recipe-loss.svg" "$folder/$recipe.svg"
	echo "$folder/$recipe.svg"
done
