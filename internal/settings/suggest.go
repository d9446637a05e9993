package settings

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggest returns `did you mean "x"?` for the choice nearest to a word, or "" if none is near.
func suggest(word string, choices []string) string {
	best, distance := "", 2+len(word)/4
	for _, choice := range choices {
		d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(choice))
		if d < distance {
			best, distance = choice, d
		}
	}
	if best == "" {
		return ""
	}
	return `did you mean "` + best + `"?`
}
