# make help lists the targets. Tools are built once into bin/, at the versions that CI uses.

GO        ?= go
FUZZTIME  ?= 30s
BENCHTIME ?= 1s

GOLANGCI_LINT := bin/golangci-lint-v2.15.0
GOFUMPT       := bin/gofumpt-v0.12.0

.DEFAULT_GOAL := build

.PHONY: help
help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

.PHONY: build
build: ## the program, as bin/starling
	$(GO) build -o bin/starling ./cmd/starling

.PHONY: test
test: ## all tests
	$(GO) test ./...

.PHONY: race
race: ## all tests in random order under the race detector
	$(GO) test -race -shuffle=on ./...

.PHONY: lint
lint: $(GOLANGCI_LINT) ## vet, golangci-lint and the rules of internal/tidy
	$(GO) vet ./...
	$(GOLANGCI_LINT) run
	$(GO) test ./internal/tidy

.PHONY: fmt
fmt: $(GOFUMPT) ## format all code
	$(GOFUMPT) -w .

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME each (30s)
	@grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . >/dev/null || { echo 'no fuzz target'; exit 1; }
	@set -e; grep -rlE --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do \
	  sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$$file" | while read -r target; do \
	    echo "== $$(dirname "$$file") $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$(dirname "$$file")" </dev/null; \
	  done; \
	done

.PHONY: bench
bench: ## every benchmark for BENCHTIME each (1s)
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...

.PHONY: sim
sim: ## the short simulations that CI runs
	.ci/run simulations

.PHONY: compare
compare: ## docs/RECIPES-COMPARED.md from all its runs: an hour and a half, goes on where it stopped
	scripts/compare.sh

.PHONY: plots
plots: ## the plots of docs/recipes.md
	scripts/recipe-plots.sh

.PHONY: ci
ci: ## all that CI does
	.ci/run

.PHONY: clean
clean: ## remove what was built and what was run
	rm -rf bin runs

$(GOLANGCI_LINT):
	.ci/run tools

$(GOFUMPT):
	.ci/run tools
