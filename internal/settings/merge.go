package settings

// merge lays over on top of base: maps merge, everything else replaces. Neither is written.
func merge(base, over *node) *node {
	if base == nil || base.kind != mapping || over.kind != mapping {
		return over
	}
	both := newMapping(over.at)
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
		i := base.index(path[0])
		if i < 0 {
			return nil, false
		}
		item, ok := set(base.items[i], path[1:], value)
		list := *base
		list.items = append(append(append([]*node{}, base.items[:i]...), item), base.items[i+1:]...)
		return &list, ok
	}
	var below *node
	if base != nil && base.kind == mapping {
		below = base.field[path[0]].value
	}
	inner, ok := set(below, path[1:], value)
	if !ok {
		return nil, false
	}
	layer := newMapping(value.at)
	layer.put(path[0], entry{key: value.at, value: inner})
	if base == nil || base.kind != mapping {
		return layer, true
	}
	layer.at = base.at
	return merge(base, layer), true
}
