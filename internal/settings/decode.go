package settings

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
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

func (d *decoder) scalar(path string, n *node, v reflect.Value, r rules) {
	if n.kind == null {
		d.report(path, n.at, "has no value", `give one, or remove the key`)
		return
	}
	if !d.expect(path, n, scalar) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.word(path, n, v, r)
	case reflect.Bool:
		d.boolean(path, n, v)
	default:
		d.number(path, n, v, r)
	}
}

func (d *decoder) word(path string, n *node, v reflect.Value, r rules) {
	if n.plain == number || n.plain == boolean {
		d.report(path, n.at, "expected text, got "+n.text, fmt.Sprintf("put it in quotes: %q", n.text))
		return
	}
	choices := r.enum
	if c, ok := v.Interface().(Choices); ok {
		choices = c.Choices()
	}
	if what, hint := oneOf(n.text, choices); what != "" {
		d.report(path, n.at, what, hint)
		return
	}
	v.SetString(n.text)
	if p, ok := v.Addr().Interface().(*Path); ok {
		*p = p.resolve(n.at)
	}
}

// oneOf says what is wrong with a word that is not among the choices; without choices all are right.
func oneOf(word string, choices []string) (what, hint string) {
	for _, c := range choices {
		if word == c {
			return "", ""
		}
	}
	if len(choices) == 0 {
		return "", ""
	}
	return fmt.Sprintf("%q is not one of %s", word, strings.Join(choices, ", ")), Suggest(word, choices)
}

func (d *decoder) boolean(path string, n *node, v reflect.Value) {
	switch {
	case n.plain != text && n.text == "true":
		v.SetBool(true)
	case n.plain != text && n.text == "false":
		v.SetBool(false)
	default:
		d.report(path, n.at, "expected true or false, got "+quoted(n), "")
	}
}

func (d *decoder) number(path string, n *node, v reflect.Value, r rules) {
	x, what := parseNumber(n, v.Type())
	if what == "" {
		for _, l := range r.limits {
			if broken := l.broken(x); broken != "" {
				what = n.text + " " + broken
			}
		}
	}
	if what != "" {
		d.report(path, n.at, what, "")
		return
	}
	setNumber(v, n.text)
}

// parseNumber says what is wrong with the text as a number of type t, or "".
func parseNumber(n *node, t reflect.Type) (x float64, what string) {
	digits := strings.TrimLeft(n.text, "+-")
	octal := len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9'
	whole := "a whole number"
	var err error
	switch t.Kind() {
	case reflect.Float64, reflect.Float32:
		whole = "a number"
		if x, err = strconv.ParseFloat(n.text, t.Bits()); err == nil && (math.IsInf(x, 0) || math.IsNaN(x)) {
			return 0, n.text + " is no finite number"
		}
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		var u uint64
		u, err = strconv.ParseUint(n.text, 10, t.Bits())
		whole, x = "a whole number of at least 0", float64(u)
	default:
		var i int64
		i, err = strconv.ParseInt(n.text, 10, t.Bits())
		x = float64(i)
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, n.text + " is out of range"
	}
	if err != nil || n.plain == text {
		return 0, fmt.Sprintf("expected %s, got %s", whole, quoted(n))
	}
	if octal {
		return 0, n.text + " begins with a 0, which YAML reads as octal: leave the 0 out"
	}
	return x, ""
}

// setNumber sets v from a text that parseNumber accepted.
func setNumber(v reflect.Value, text string) {
	if v.CanFloat() {
		x, _ := strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(x)
		return
	}
	if v.CanUint() {
		u, _ := strconv.ParseUint(text, 10, 64)
		v.SetUint(u)
		return
	}
	i, _ := strconv.ParseInt(text, 10, 64)
	v.SetInt(i)
}
