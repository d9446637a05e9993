package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Document is a configuration that was read: where its values are from, and what is wrong with it.
type Document struct {
	target   any
	root     *node
	problems Problems
	warnings Problems
	deny     bool
	unread   bool // the text is not even YAML, or is of another version: more complaints would mislead
}

// Problem reports a mistake in the value at a path. A path gets no second one, and none when a value
// above or below it has one: the new complaint may only follow from that.
func (d *Document) Problem(path, what, hint string) {
	at := d.locate(path)
	if !d.unread && !d.blamed(path) {
		d.report(path, at, what, hint)
	}
}

// Check reports err, if there is one, as a problem at a path. What follows "; " in it is the hint.
func (d *Document) Check(path string, err error) {
	if err != nil {
		what, hint, _ := strings.Cut(err.Error(), "; ")
		d.Problem(path, what, hint)
	}
}

// OneOf reports a word that is not among the choices.
func (d *Document) OneOf(path, word string, choices []string) {
	if what, hint := oneOf(word, choices); what != "" {
		d.Problem(path, what, hint)
	}
}

// Warn reports something that works and is likely to disappoint. The id is stable, such as W012.
func (d *Document) Warn(path, id, what, hint string) {
	if d.unread {
		return
	}
	p := Problem{Path: path, ID: id, What: what, Hint: hint, at: d.locate(path)}
	d.warnings = append(d.warnings, p)
}

// Err returns all problems as Problems, or nil if there are none.
func (d *Document) Err() error {
	all := d.problems
	if d.deny {
		all = append(all[:len(all):len(all)], d.warnings...)
	}
	if len(all) == 0 {
		return nil
	}
	return all.sorted()
}

// Warnings returns what Warn reported, in the order of the lines.
func (d *Document) Warnings() Problems { return d.warnings.sorted() }

// Has tells whether a layer above the defaults sets the value.
func (d *Document) Has(path string) bool {
	_, ok := d.root.find(path)
	return ok
}

// Origin tells where the value at a path is from: "agent.yaml:31", "--set", the name of a variable or a
// flag, or "default".
func (d *Document) Origin(path string) string {
	e, ok := d.root.find(path)
	if !ok {
		return "default"
	}
	return e.value.at.String()
}

// Line returns the line of the value in its file, 0 if it is not from a file.
func (d *Document) Line(path string) int {
	e, ok := d.root.find(path)
	if !ok {
		return 0
	}
	return e.value.at.line
}

// Overlay fills target with what the layers say at a path, over what target holds: it makes the value
// that a group has by laying its section over the defaults. Mistakes were reported by Load.
func (d *Document) Overlay(path string, target any) {
	e, ok := d.root.find(path)
	if !ok {
		return
	}
	v := reflect.ValueOf(target).Elem()
	silent := decoder{root: v.Type(), report: func(string, position, string, string) {}}
	silent.value(path, e.value, v, rules{})
}

// locate returns the place of the value at a path, or of the key of the nearest one above it.
func (d *Document) locate(path string) position {
	e, ok := d.root.find(path)
	if !ok || e.value.kind != scalar {
		return e.key
	}
	return e.value.at
}

func (d *Document) report(path string, at position, what, hint string) {
	if path == "version" && d.blamed(path) {
		return // its own check has told more than the types can
	}
	d.problems = append(d.problems, Problem{Path: path, What: what, Hint: hint, at: at})
}

func (d *Document) blamed(path string) bool {
	for _, p := range d.problems {
		if p.Path != "" && (within(path, p.Path) || within(p.Path, path)) {
			return true
		}
	}
	return false
}

// within tells whether a path is the other one, or below it.
func within(path, above string) bool {
	return path == above || above == "" || strings.HasPrefix(path, above+".")
}

// checkVersion refuses files of another version. The key is the first thing a future format can rely on.
func (d *Document) checkVersion(version int) {
	if version == 0 {
		return
	}
	e, ok := d.root.find("version")
	if !ok {
		d.report("version", d.root.at, "missing", fmt.Sprintf("begin the file with version: %d", version))
		return
	}
	given, err := strconv.Atoi(e.value.text)
	if err != nil || given == version {
		return // what is no number is reported with the other types
	}
	what := fmt.Sprintf("this file is version %d; this binary reads version %d", given, version)
	hint := "upgrade starling"
	if given < version {
		hint = fmt.Sprintf("set version: %d", version)
	}
	d.problems = Problems{{What: what, Hint: hint, at: e.value.at}}
	d.unread = true
}

// Hash is a fingerprint of the effective configuration.
func (d *Document) Hash() string {
	var text strings.Builder
	for _, v := range d.Values() {
		fmt.Fprintf(&text, "%q=%q\n", v.Path, v.Value)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:8])
}
