package settings

import (
	"strconv"
	"strings"
)

// kind is what a node holds.
type kind int

const (
	scalar kind = iota
	mapping
	sequence
	null
	unusable // it has been reported; nothing more is said about it
)

// String names the kind as messages do.
func (k kind) String() string {
	return [...]string{"a value", "a map", "a list", "nothing", "nothing"}[k]
}

// node is one value of the tree that all layers are merged into, before it meets a struct.
type node struct {
	kind  kind
	at    position
	text  string // of a scalar, as it was written
	plain scalarType
	keys  []string // of a mapping, in the order in which they were first seen
	field map[string]entry
	items []*node // of a sequence
}

// entry is one key of a mapping and its value.
type entry struct {
	key   position
	value *node
}

// scalarType is what YAML takes an unquoted scalar for. Values of the environment and the command line,
// and those with a variable in them, may stand for anything.
type scalarType int

const (
	anything scalarType = iota
	text
	number
	boolean
)

func newMapping(at position) *node {
	return &node{kind: mapping, at: at, field: map[string]entry{}}
}

// put adds or replaces a key.
func (n *node) put(name string, e entry) {
	if _, ok := n.field[name]; !ok {
		n.keys = append(n.keys, name)
	}
	n.field[name] = e
}

// label is how an item of a list is called in paths: by its name if it has one, or by its number.
func (n *node) label(i int) string {
	if name := n.items[i].name(); name != "" {
		return name
	}
	return strconv.Itoa(i)
}

// name is the value of the key "name", if a path can hold it.
func (n *node) name() string {
	if n.kind != mapping {
		return ""
	}
	e, ok := n.field["name"]
	if !ok || e.value.kind != scalar || strings.Contains(e.value.text, ".") {
		return ""
	}
	if _, err := strconv.Atoi(e.value.text); err == nil {
		return ""
	}
	return e.value.text
}

// index finds an item by its name or its number; -1 if there is none.
func (n *node) index(label string) int {
	for i := range n.items {
		if n.items[i].name() == label {
			return i
		}
	}
	if i, err := strconv.Atoi(label); err == nil && i >= 0 && i < len(n.items) {
		return i
	}
	return -1
}

// child returns the value below n that a path leads to first, and the rest of the path. Keys may hold
// dots, as those of a sweep do: the longest that fits counts.
func (n *node) child(path []string) (below entry, rest []string, ok bool) {
	if n.kind == sequence {
		if i := n.index(path[0]); i >= 0 {
			return entry{key: n.items[i].at, value: n.items[i]}, path[1:], true
		}
	}
	for length := len(path); length > 0; length-- {
		if e, found := n.field[strings.Join(path[:length], ".")]; found {
			return e, path[length:], true
		}
	}
	return entry{}, nil, false
}

// find returns the value at a path; if it is missing, what is known of the nearest value above it, and
// false.
func (n *node) find(path string) (entry, bool) {
	here := entry{key: n.at, value: n}
	for rest := split(path); len(rest) > 0; {
		below, after, ok := here.value.child(rest)
		if !ok {
			return here, false
		}
		here, rest = below, after
	}
	return here, true
}

func split(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

func join(path, step string) string {
	if path == "" {
		return step
	}
	return path + "." + step
}
