package settings

import (
	"encoding"
	"fmt"
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

// paths lists the paths of all keys of a struct.
func paths(t reflect.Type, above string) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	var all []string
	for _, f := range fieldsOf(t) {
		path := join(above, f.name)
		all = append(all, path)
		all = append(all, paths(t.FieldByIndex(f.index).Type, path)...)
	}
	return all
}

// elsewhere tells where a key belongs that is unknown where it stands, or "".
func elsewhere(t reflect.Type, key string) string {
	for _, path := range paths(t, "") {
		if strings.HasSuffix(path, "."+key) {
			return fmt.Sprintf("did you mean %q?", path)
		}
	}
	return ""
}

// underscored tells which variable was meant by one with single underscores where two are needed, or "".
func underscored(t reflect.Type, key string, at position) string {
	if !strings.HasPrefix(at.source.name, prefix) {
		return ""
	}
	for _, path := range paths(t, "") {
		if strings.ReplaceAll(path, ".", "_") == key {
			return "did you mean " + prefix + strings.ToUpper(strings.ReplaceAll(path, ".", "__")) + "?"
		}
	}
	return ""
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
