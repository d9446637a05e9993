package settings

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Choices is a word that must be one of a list.
type Choices interface{ Choices() []string }

// decoder fills structs from the tree and reports what does not fit.
type decoder struct {
	root   reflect.Type // of the whole configuration, to tell where a key belongs
	report func(path string, at position, what, hint string)
}

// value fills v from n.
func (d *decoder) value(path string, n *node, v reflect.Value, r rules) {
	if n.kind == unusable {
		return
	}
	if t, ok := v.Addr().Interface().(*Tree); ok {
		t.node = n
		return
	}
	if v.Kind() == reflect.Pointer {
		if n.kind == null {
			return
		}
		fresh := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem())
		}
		d.value(path, n, fresh.Elem(), r)
		v.Set(fresh)
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.text(path, n, u)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(path, n, v)
	case reflect.Map:
		d.dictionary(path, n, v)
	case reflect.Slice:
		d.list(path, n, v, r)
	default:
		d.scalar(path, n, v, r)
	}
}

// expect reports a node of another kind; an empty value stands for no map and no list.
func (d *decoder) expect(path string, n *node, k kind) bool {
	if n.kind == k {
		return true
	}
	if n.kind == null && k != scalar {
		return false
	}
	got := n.kind.String()
	if n.kind == scalar {
		got = quoted(n)
	}
	d.report(path, n.at, fmt.Sprintf("expected %s, got %s", k, got), "")
	return false
}

func quoted(n *node) string {
	if n.plain == number || n.plain == boolean {
		return n.text
	}
	return strconv.Quote(n.text)
}

// text gives a scalar, as it was written, to a type with a form of its own.
func (d *decoder) text(path string, n *node, u encoding.TextUnmarshaler) {
	if !d.expect(path, n, scalar) {
		return
	}
	if err := u.UnmarshalText([]byte(n.text)); err != nil {
		what, hint, _ := strings.Cut(err.Error(), "; ")
		d.report(path, n.at, what, hint)
	}
}

func (d *decoder) structure(path string, n *node, v reflect.Value) {
	fields := fieldsOf(v.Type())
	if !d.expect(path, n, mapping) {
		if n.kind == null {
			d.missing(path, n, fields)
		}
		return
	}
	for _, name := range n.keys {
		e := n.field[name]
		f, ok := lookup(fields, name)
		if !ok {
			d.unknown(path, name, e.key, fields)
			continue
		}
		d.value(join(path, name), e.value, v.FieldByIndex(f.index), f.rules)
	}
	d.missing(path, n, fields)
}

func lookup(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (d *decoder) missing(path string, n *node, fields []field) {
	for _, f := range fields {
		if _, ok := n.field[f.name]; f.rules.required && !ok {
			d.report(join(path, f.name), n.at, "missing", "add it")
		}
	}
}

// unknown reports a key that the struct has not. Secrets are read from files, never inline.
func (d *decoder) unknown(path, name string, at position, fields []field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	hint := ""
	if _, ok := lookup(fields, name+"_file"); ok {
		hint = fmt.Sprintf("secrets are read from files: use %q", name+"_file")
	}
	hint = cmp.Or(hint, underscored(d.root, name, at), Suggest(name, names), elsewhere(d.root, name),
		"known here: "+strings.Join(names, ", "))
	what := fmt.Sprintf("unknown key %q", name)
	if at.line == 0 {
		what = fmt.Sprintf("unknown key %q", join(path, name))
	}
	d.report("", at, what, hint)
}

func (d *decoder) dictionary(path string, n *node, v reflect.Value) {
	if !d.expect(path, n, mapping) {
		return
	}
	all := reflect.MakeMap(v.Type())
	for _, key := range v.MapKeys() {
		all.SetMapIndex(key, v.MapIndex(key))
	}
	for _, name := range n.keys {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(join(path, name), n.field[name].value, item, rules{})
		all.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), item)
	}
	v.Set(all)
}

// list fills a slice; a text from outside files may hold its items with commas between them.
func (d *decoder) list(path string, n *node, v reflect.Value, r rules) {
	if n.kind == scalar && n.plain == anything {
		n = separate(n)
	}
	if !d.expect(path, n, sequence) {
		if n.kind == null {
			v.SetZero()
		}
		return
	}
	all := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.value(join(path, n.label(i)), item, all.Index(i), r)
	}
	v.Set(all)
}

func separate(n *node) *node {
	list := &node{kind: sequence, at: n.at}
	if n.text == "" {
		return list
	}
	for part := range strings.SplitSeq(n.text, ",") {
		list.items = append(list.items, &node{at: n.at, text: strings.TrimSpace(part), plain: anything})
	}
	return list
}
