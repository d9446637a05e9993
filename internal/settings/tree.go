package settings

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Tree is a value of any kind as it was written, such as one of a sweep. It remembers its place, so that
// what is found wrong when it is laid over a configuration (Override.Tree) is told there.
type Tree struct{ node *node }

// String is the value in one line, maps and lists in braces and brackets.
func (t Tree) String() string {
	var b strings.Builder
	if t.node != nil {
		t.node.inline(&b)
	}
	return b.String()
}

func (n *node) inline(b *strings.Builder) {
	switch n.kind {
	case mapping:
		b.WriteByte('{')
		for i, name := range n.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name + ": ")
			n.field[name].value.inline(b)
		}
		b.WriteByte('}')
	case sequence:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.inline(b)
		}
		b.WriteByte(']')
	case scalar:
		b.WriteString(n.text)
	case null, unusable:
	}
}

// MarshalText is String: a list of settings shows the value in one line.
func (t Tree) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// IsMap tells whether the value has keys.
func (t Tree) IsMap() bool { return t.node != nil && t.node.kind == mapping }

// IsScalar tells whether the value is one word or number.
func (t Tree) IsScalar() bool { return t.node != nil && t.node.kind == scalar }

// Get returns what a key of a map holds; the zero Tree if it is not there.
func (t Tree) Get(key string) Tree {
	if !t.IsMap() {
		return Tree{}
	}
	return Tree{t.node.field[key].value}
}

// Without returns a map without one of its keys.
func (t Tree) Without(key string) Tree {
	if t.Get(key).node == nil {
		return t
	}
	rest := newMapping(t.node.at)
	for _, name := range t.node.keys {
		if name != key {
			rest.put(name, t.node.field[name])
		}
	}
	return Tree{rest}
}

// raw is the tree as maps, lists and scalars, so that Write writes what was read.
func (n *node) raw() any {
	switch n.kind {
	case mapping:
		fields := yaml.MapSlice{}
		for _, name := range n.keys {
			fields = append(fields, yaml.MapItem{Key: name, Value: n.field[name].value.raw()})
		}
		return fields
	case sequence:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.raw()
		}
		return list
	case scalar:
		return n.rawScalar()
	default:
		return nil
	}
}

// rawScalar is a number or a truth where the text may be one, or else text.
func (n *node) rawScalar() any {
	if n.plain == text {
		return escape(n.text)
	}
	for _, t := range []reflect.Type{reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[float64]()} {
		if _, what := parseNumber(n, t); what == "" {
			v := reflect.New(t).Elem()
			setNumber(v, n.text)
			return v.Interface()
		}
	}
	if truth := n.text == "true"; truth || n.text == "false" {
		return truth
	}
	return escape(n.text)
}

// Difference returns the first value in which two documents of one kind differ, by its path; "" if there
// is none. Values at and below the paths of skip do not count.
func (d *Document) Difference(other *Document, skip ...string) (path, mine, others string) {
	here, there := d.byPath(skip), other.byPath(skip)
	for _, v := range append(d.Values(), other.Values()...) {
		if here[v.Path] != there[v.Path] {
			return v.Path, here[v.Path], there[v.Path]
		}
	}
	return "", "", ""
}

func (d *Document) byPath(skip []string) map[string]string {
	values := map[string]string{}
	for _, v := range d.Values() {
		if !slices.ContainsFunc(skip, func(above string) bool { return within(v.Path, above) }) {
			values[v.Path] = strconv.Quote(v.Value)
		}
	}
	return values
}
