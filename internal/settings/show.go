package settings

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Value is one effective setting.
type Value struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Values lists the effective settings in the order of the struct. What is empty and was not set by
// anybody is left out.
func (d *Document) Values() []Value {
	var all []Value
	d.walk("", reflect.ValueOf(d.target).Elem(), func(path, text string, empty bool) {
		if !empty || d.Has(path) {
			all = append(all, Value{Path: path, Value: text, Origin: d.Origin(path)})
		}
	})
	return all
}

// walk visits the leaves of v.
func (d *Document) walk(path string, v reflect.Value, leaf func(path, text string, empty bool)) {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer {
		text, err := m.MarshalText()
		if err != nil {
			text = []byte(err.Error())
		}
		leaf(path, string(text), v.IsZero())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.walk(path, v.Elem(), leaf)
		}
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			d.walk(join(path, f.name), v.FieldByIndex(f.index), leaf)
		}
	case reflect.Map:
		keys := v.MapKeys()
		names := map[string]reflect.Value{}
		for _, key := range keys {
			names[key.String()] = key
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			d.walk(join(path, name), v.MapIndex(names[name]), leaf)
		}
	case reflect.Slice:
		d.walkList(path, v, leaf)
	default:
		leaf(path, fmt.Sprint(v.Interface()), v.IsZero())
	}
}

// walkList shows lists of plain values in one line, and others item by item.
func (d *Document) walkList(path string, v reflect.Value, leaf func(path, text string, empty bool)) {
	if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Pointer {
		leaf(path, fmt.Sprint(v.Interface()), v.Len() == 0)
		return
	}
	e, _ := d.root.find(path)
	for i := range v.Len() {
		label := fmt.Sprint(i)
		if e.value.kind == sequence && i < len(e.value.items) {
			label = e.value.label(i)
		}
		d.walk(join(path, label), v.Index(i), leaf)
	}
}
