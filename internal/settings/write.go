package settings

import (
	"cmp"
	"encoding"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Write writes a configuration as YAML that Load reads back over the same defaults, which are a pointer to
// such a struct as Load's target is. What is zero by default and in the configuration is left out.
func Write(w io.Writer, config, defaults any) error {
	tree, _ := plain(reflect.Indirect(reflect.ValueOf(config)), reflect.Indirect(reflect.ValueOf(defaults)))
	text, err := yaml.MarshalWithOptions(tree, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// plain returns v as maps, lists and scalars, and whether it says something: that it is not zero, or that
// it is zero where base is not.
func plain(v, base reflect.Value) (any, bool) {
	says := !v.IsZero() || !reflect.DeepEqual(v.Interface(), base.Interface())
	if t, ok := v.Interface().(Tree); ok {
		if t.node == nil {
			return nil, false
		}
		return t.node.raw(), true
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer {
		text, err := m.MarshalText()
		return escape(string(text)), says && err == nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		under := reflect.Zero(v.Type().Elem())
		if !base.IsNil() {
			under = base.Elem()
		}
		value, _ := plain(v.Elem(), under)
		return value, true
	case reflect.Struct:
		return plainStruct(v, base)
	case reflect.Map:
		return plainMap(v), v.Len() > 0
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i], _ = plain(v.Index(i), reflect.Zero(v.Type().Elem()))
		}
		return list, v.Len() > 0 || base.Len() > 0
	case reflect.String:
		return escape(v.String()), says
	default:
		return v.Interface(), says
	}
}

// escape doubles dollars that Load would take for variables.
func escape(text string) string {
	if reference.MatchString(text) {
		return strings.ReplaceAll(text, "$", "$$")
	}
	return text
}

func plainMap(v reflect.Value) any {
	entries := yaml.MapSlice{}
	for _, key := range v.MapKeys() {
		value, _ := plain(v.MapIndex(key), reflect.Zero(v.Type().Elem()))
		entries = append(entries, yaml.MapItem{Key: key.String(), Value: value})
	}
	slices.SortFunc(entries, func(a, b yaml.MapItem) int { return cmp.Compare(a.Key.(string), b.Key.(string)) })
	return entries
}

func plainStruct(v, base reflect.Value) (any, bool) {
	fields := yaml.MapSlice{}
	for _, f := range fieldsOf(v.Type()) {
		if value, says := plain(v.FieldByIndex(f.index), base.FieldByIndex(f.index)); says {
			fields = append(fields, yaml.MapItem{Key: f.name, Value: value})
		}
	}
	return fields, len(fields) > 0
}
