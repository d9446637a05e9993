package settings

import (
	"encoding"
	"fmt"
	"io"
	"reflect"

	"github.com/goccy/go-yaml"
)

// Write writes a configuration as YAML that Load reads back over the same defaults, which are a pointer to
// such a struct as Load's target is. What is zero by default and in the configuration is left out.
func Write(w io.Writer, config, defaults any) error {
	tree, _ := plain(reflect.Indirect(reflect.ValueOf(config)), reflect.Indirect(reflect.ValueOf(defaults)))
	text, err := yaml.MarshalWithOptions(tree, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// plain returns v as maps, lists and scalars, and whether it says something: that it is not zero, or that
// it is zero where base is not.
func plain(v, base reflect.Value) (any, bool) {
	says := !v.IsZero() || !reflect.DeepEqual(v.Interface(), base.Interface())
	if _, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer {
		return v.Interface(), says
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		under := reflect.Zero(v.Type().Elem())
		if !base.IsNil() {
			under = base.Elem()
		}
		value, _ := plain(v.Elem(), under)
		return value, true
	case reflect.Struct:
		return plainStruct(v, base)
	case reflect.Map:
		return v.Interface(), v.Len() > 0
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i], _ = plain(v.Index(i), reflect.Zero(v.Type().Elem()))
		}
		return list, v.Len() > 0 || base.Len() > 0
	default:
		return v.Interface(), says
	}
}

func plainStruct(v, base reflect.Value) (any, bool) {
	fields := yaml.MapSlice{}
	for _, f := range fieldsOf(v.Type()) {
		if value, says := plain(v.FieldByIndex(f.index), base.FieldByIndex(f.index)); says {
			fields = append(fields, yaml.MapItem{Key: f.name, Value: value})
		}
	}
	return fields, len(fields) > 0
}
