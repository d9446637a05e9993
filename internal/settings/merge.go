package settings

import (
	"slices"
	"strings"
)

// merge lays over on top of base: maps merge, everything else replaces. Neither is written.
func merge(base, over *node) *node {
	if base == nil || base.kind != mapping || over.kind != mapping {
		return over
	}
	both := newMapping(base.at)
	for _, name := range base.keys {
		both.put(name, base.field[name])
	}
	for _, name := range over.keys {
		e := over.field[name]
		if below, ok := base.field[name]; ok {
			e.value = merge(below.value, e.value)
		}
		both.put(name, e)
	}
	return both
}

// set returns a copy of base in which the value at a path is replaced. Items of lists are found by name
// or number; maps are made where there are none. It fails where a path enters a list that has no such
// item.
func set(base *node, path []string, value *node) (*node, bool) {
	if len(path) == 0 {
		return merge(base, value), true
	}
	if base != nil && base.kind == sequence {
		return setItem(base, path, value)
	}
	var below entry
	key, rest := path[0], path[1:]
	if base != nil {
		if e, after, ok := base.child(path); ok {
			below, key, rest = e, strings.Join(path[:len(path)-len(after)], "."), after
		}
	}
	inner, ok := set(below.value, rest, value)
	if !ok {
		return nil, false
	}
	layer := newMapping(value.at)
	layer.put(key, entry{key: value.at, value: inner})
	return merge(base, layer), true
}

func setItem(list *node, path []string, value *node) (*node, bool) {
	i := list.index(path[0])
	if i < 0 {
		return nil, false
	}
	item, ok := set(list.items[i], path[1:], value)
	replaced := *list
	replaced.items = slices.Clone(list.items)
	replaced.items[i] = item
	return &replaced, ok
}
