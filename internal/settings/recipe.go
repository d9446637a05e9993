package settings

import (
	"strings"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
)

// Recipe is the name of a recipe.
type Recipe string

// Choices lists the recipes, the default first.
func (Recipe) Choices() []string {
	var names []string
	for _, r := range consensus.Recipes() {
		names = append(names, r.Name)
	}
	return names
}

// optionKeys says where the section train keeps the options of the core.
var optionKeys = map[string]string{
	"local_steps": "local_steps", "quorum": "wait.quorum", "fraction": "wait.fraction",
	"grace": "wait.grace", "grace_fraction": "wait.grace",
	"timeout": "wait.timeout", "timeout_factor": "wait.timeout",
	"late": "late", "mix": "mix", "weights": "weights", "static_degrees": "static_degrees",
	"participation": "participation", "momentum": "quasi_global_momentum", "pulse": "pulse",
	"budget": "budget", "normalise": "normalise", "gamma": "gamma", "rate_cap": "rate_cap", "overlap": "overlap",
	"gap_min": "gap.min", "gap_max": "gap.max", "max_skip": "gap.skip", "full_w": "full_w",
	"running_sums": "running_sums", "outer_rate": "outer.rate", "outer_momentum": "outer.momentum",
	"robust": "robust", "attackers": "attackers", "codec": "codec.kind", "share": "share",
	"schedule": "schedule.kind",
}

// OptionKey returns the key of the section train that sets an option of a recipe.
func OptionKey(option string) string { return "train." + optionKeys[option] }

// checkOptions asks Compose, and tells which key it complains about.
func checkOptions(d *Document, path string, o consensus.Options, g *topology.Graph) {
	c, err := consensus.Compose(o, g)
	for _, e := range flatten(err) {
		d.Check(join(path, optionIn(e.Error(), "recipe")), e)
	}
	for _, w := range c.Warnings {
		d.Warn(join(path, optionIn(w.Text, "recipe")), w.ID, w.Text, "")
	}
}

// optionIn returns the key of the option that a message begins or ends with.
func optionIn(message, otherwise string) string {
	words := strings.Fields(message)
	if len(words) == 0 {
		return otherwise
	}
	for _, word := range []string{words[0], words[len(words)-1]} {
		if key, ok := optionKeys[word]; ok {
			return key
		}
	}
	return otherwise
}

// flatten returns the errors that were joined into one.
func flatten(err error) []error {
	for err != nil {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			return joined.Unwrap()
		}
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return []error{err}
		}
		err = inner.Unwrap()
	}
	return nil
}
