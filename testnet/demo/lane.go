package demo

import (
	"fmt"
	"strings"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
)

// Lane is one way: a recipe and, where the recipe leaves a choice, whom it mixes with.
type Lane struct{ Recipe, Mix string }

// ParseLane reads RECIPE or RECIPE:MIX, as in pulse and quorum:fresh.
func ParseLane(word string) (Lane, error) {
	recipe, mix, _ := strings.Cut(word, ":")
	lane := Lane{Recipe: recipe, Mix: mix}
	if _, ok := consensus.LookupRecipe(recipe); !ok {
		choices := settings.Recipe("").Choices()
		err := fmt.Errorf("%q is not one of %s", recipe, strings.Join(choices, ", "))
		if hint := settings.Suggest(recipe, choices); hint != "" {
			err = fmt.Errorf("%w; %s", err, hint)
		}
		return lane, err
	}
	return lane, nil
}

// String is the lane as ParseLane reads it.
func (l Lane) String() string {
	if l.Mix == "" {
		return l.Recipe
	}
	return l.Recipe + ":" + l.Mix
}

// Title is what the lane does, for people, with its name.
func (l Lane) Title() string {
	if short, ok := shortTitles[l.String()]; ok {
		return fmt.Sprintf("%s (%s)", short, l)
	}
	return l.String()
}

// shortTitles are for the lanes that the story is about.
var shortTitles = map[string]string{
	"dpsgd": "wait for all", "quorum:fresh": "drop the slow one", "auto": "the default",
}

func (l Lane) set() []string {
	pairs := []string{"train.recipe=" + l.Recipe}
	if l.Mix != "" {
		pairs = append(pairs, "train.mix="+l.Mix)
	}
	return pairs
}

// folder names the lane in file systems.
func (l Lane) folder() string { return strings.ReplaceAll(l.String(), ":", "-") }
