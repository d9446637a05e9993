package settings

import (
	"encoding"
	"reflect"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Suggest returns `did you mean "x"?` for the choice nearest to a word, or "" if none is near.
func Suggest(word string, choices []string) string {
	best, distance := "", 2+len(word)/4
	for _, choice := range choices {
		d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(choice))
		if len(word) > 2 && strings.HasPrefix(choice, word) {
			d = 1
		}
		if d < distance {
			best, distance = choice, d
		}
	}
	if best == "" {
		return ""
	}
	return `did you mean "` + best + `"?`
}

// elsewhere returns the first path of a struct, that ends in a key.
func elsewhere(t reflect.Type, path, key string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshaler) {
		return ""
	}
	for _, f := range fieldsOf(t) {
		below := join(path, f.name)
		if f.name == key {
			return below
		}
		if found := elsewhere(t.FieldByIndex(f.index).Type, below, key); found != "" {
			return found
		}
	}
	return ""
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
