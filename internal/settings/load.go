package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// prefix begins the names of variables that are settings.
const prefix = "STARLING_"

// Load reads all layers into target, a pointer to a struct that holds the defaults. It always returns a
// document: the caller adds what it finds wrong with Problem and Warn, and then asks for Err.
//
// Fields are named by their yaml tags; an embedded struct with the tag ",inline" lends its fields. The
// jsonschema tag may hold required, enum=, minimum=, maximum=, exclusiveMinimum= and exclusiveMaximum=.
func Load(target any, s Sources) *Document {
	d := &Document{target: target, deny: s.DenyWarnings}
	d.readFiles(s)
	d.readEnviron(s)
	for _, pair := range s.Set {
		path, value, ok := strings.Cut(pair, "=")
		if !ok {
			at := position{source: d.layer("--set " + pair)}
			d.report("", at, "has no value", "write --set key=value")
			continue
		}
		d.override("--set", path, value)
	}
	for _, o := range s.Overrides {
		if o.Tree != (Tree{}) {
			d.put(o.Path, o.Tree.node)
			continue
		}
		d.override(o.Origin, o.Path, o.Value)
	}
	if d.unread {
		return d
	}
	if d.checkVersion(s.Version); d.unread {
		return d
	}
	d.fill()
	return d
}

// fill decodes the tree into the target.
func (d *Document) fill() {
	v := reflect.ValueOf(d.target).Elem()
	dec := &decoder{root: v.Type(), report: d.report}
	dec.value("", d.root, v, rules{})
}

// readFiles merges the files. The root is never nil: without files it is nowhere.
func (d *Document) readFiles(s Sources) {
	defer func() {
		if d.root == nil {
			d.root = newMapping(position{source: d.layer("configuration")})
		}
	}()
	for i, f := range s.Files {
		p := parsing{source: newFile(f, i), lookup: environment(s.Environ)}
		tree := p.document(f.Text)
		d.problems = append(d.problems, p.problems...)
		if tree == nil {
			d.unread = d.unread || len(p.problems) > 0
			tree = newMapping(position{p.source, 1, 1})
		}
		if tree.kind != mapping {
			d.report("", tree.at, fmt.Sprintf("expected a map of settings, got %s", tree.kind), "")
			d.unread = true
			continue
		}
		d.root = merge(d.root, tree)
	}
}

// environment looks variables up.
func environment(environ []string) func(string) (string, bool) {
	values := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// readEnviron applies STARLING_A__B=value, in the order of the environment. An empty variable is none.
func (d *Document) readEnviron(s Sources) {
	for _, pair := range s.Environ {
		name, value, _ := strings.Cut(pair, "=")
		key, ours := strings.CutPrefix(name, prefix)
		if !ours || value == "" || slices.Contains(s.Reserved, name) {
			continue
		}
		d.override(name, strings.ToLower(strings.ReplaceAll(key, "__", ".")), value)
	}
}

// layer makes a source without lines; layers are ordered as they are made.
func (d *Document) layer(name string) *source {
	const afterFiles = 1 << 20
	return &source{name: name, order: afterFiles}
}

// override puts one value from outside files into the tree. Lists and maps are written as in files,
// in brackets and braces; everything else is taken as it is.
func (d *Document) override(origin, path, value string) {
	from := d.layer(origin)
	at := position{source: from}
	if path == "" {
		d.report("", at, "names no setting", "name one, as in train.lr")
		return
	}
	n := &node{at: at, text: value, plain: anything}
	if trimmed := strings.TrimSpace(value); strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		p := parsing{source: from}
		n = p.document([]byte(value))
		for _, problem := range p.problems {
			d.report(path, at, problem.What, problem.Hint)
		}
		if n == nil {
			return
		}
		n.unplace(at)
	}
	d.put(path, n)
}

// put lays a value over the tree.
func (d *Document) put(path string, n *node) {
	root, ok := set(d.root, split(path), n)
	if !ok {
		d.report(path, n.at, "there is no such item in the list", "use its name, or its number from 0")
		return
	}
	d.root = root
}

// unplace forgets lines: a value of the command line has none.
func (n *node) unplace(at position) {
	n.at = at
	for name, e := range n.field {
		e.key = at
		n.field[name] = e
		e.value.unplace(at)
	}
	for _, item := range n.items {
		item.unplace(at)
	}
}
