package settings

import (
	"reflect"
	"strconv"
	"strings"
)

// field is one key that a struct knows.
type field struct {
	name  string
	index []int
	rules rules
}

// rules are what the jsonschema tag of a field demands; the published schema is made from the same tag.
type rules struct {
	required bool
	enum     []string
	limits   []limit
}

// limit is one inequality: minimum, maximum, exclusiveMinimum or exclusiveMaximum.
type limit struct {
	name  string
	value float64
}

// fieldsOf lists the keys of a struct in the order of its fields, with those of embedded structs.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if options == "inline" {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		fields = append(fields, field{name: name, index: []int{i}, rules: parseRules(f.Tag.Get("jsonschema"))})
	}
	return fields
}

func parseRules(tag string) rules {
	var r rules
	for part := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "required":
			r.required = true
		case "enum":
			r.enum = append(r.enum, value)
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			if x, err := strconv.ParseFloat(value, 64); err == nil {
				r.limits = append(r.limits, limit{name, x})
			}
		}
	}
	return r
}

// broken says what is wrong with x, or "".
func (l limit) broken(x float64) string {
	words, ok := "", true
	switch l.name {
	case "minimum":
		words, ok = "at least", x >= l.value
	case "maximum":
		words, ok = "at most", x <= l.value
	case "exclusiveMinimum":
		words, ok = "more than", x > l.value
	case "exclusiveMaximum":
		words, ok = "less than", x < l.value
	}
	if ok {
		return ""
	}
	return "must be " + words + " " + strconv.FormatFloat(l.value, 'g', -1, 64)
}
