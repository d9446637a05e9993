// Package settings reads configuration: YAML files, the environment and the command line, in layers,
// into a struct. Every value remembers where it came from, and all mistakes are reported at once, each
// with file, line and column, the offending line, and what to do about it.
//
// It also holds what an agent's configuration and a testnet's manifest share: quantities with units,
// and the sections that describe the task, the recipe, the data and the pace.
package settings
