package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validate "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

var update = flag.Bool("update", false, "rewrite the schemas and the expected output")

// formed is a type whose text has a form of its own.
type formed interface {
	Form() (pattern, example string)
}

// mapped returns the schema of types that are written as text.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch v := reflect.New(t).Elem().Interface().(type) {
	case settings.Tree:
		return jsonschema.TrueSchema // anything: it is checked where it is laid over the rest
	case settings.Word, testnet.Selector:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}}}
	case settings.Choices:
		s := &jsonschema.Schema{Type: "string"}
		for _, c := range v.Choices() {
			s.Enum = append(s.Enum, c)
		}
		return s
	case formed:
		pattern, example := v.Form()
		text := jsonschema.Schema{Type: "string", Pattern: pattern, Examples: []any{example}}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{&text, {Const: 0}}} // 0 needs no unit
	}
	return nil
}

// schemaOf makes the schema of a struct; descriptions are the comments of its fields.
func schemaOf(t *testing.T, title string, of any) []byte {
	t.Helper()
	r := jsonschema.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true, Anonymous: true, Mapper: mapped,
	}
	for _, dir := range []string{"internal/settings", "node", "testnet", "train"} {
		err := r.AddGoComments("github.com/starling-ml/starling", dir, jsonschema.WithFullComment())
		if err != nil {
			t.Fatal(err)
		}
	}
	r.LookupComment = func(of reflect.Type, field string) string { return described(r.CommentMap, of, field) }
	s := r.Reflect(of)
	s.Title = title
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// described returns the comment of a field, or that of its type.
func described(comments map[string]string, of reflect.Type, field string) string {
	name := of.PkgPath() + "." + of.Name()
	if field != "" {
		name += "." + field
	}
	text := comments[name]
	if text != "" || field == "" {
		return strings.ReplaceAll(text, "\n", " ")
	}
	if f, ok := of.FieldByName(field); ok {
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		text = comments[kind.PkgPath()+"."+kind.Name()]
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// TestSchemas: the schemas in the binary are those of the structs.
func TestSchemas(t *testing.T) {
	t.Chdir("../..") // comments are found by the path of their package
	for kind, of := range map[string]any{kindAgent: &node.Config{}, kindTestnet: &testnet.Manifest{}} {
		got := schemaOf(t, "starling "+kind+", version 1", of)
		name := "cmd/starling/schema/" + kind + "-v1.json"
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale: go test ./cmd/starling -run TestSchemas -update\n%s", name, diff)
		}
	}
}

// TestShippedFilesFitTheSchema: what an editor says about the shipped files is what Load says.
func TestShippedFilesFitTheSchema(t *testing.T) {
	names, err := filepath.Glob("../../testnet/networks/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no networks: %v", err)
	}
	schema := compile(t, "schema/testnet-v1.json")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"version: 1\nname: x\npeers: {count: 0}\n", "version: 1\nname: x\npeers: {cuont: 8}\n"} {
		if err := fits(schema, []byte(bad)); err == nil {
			t.Errorf("the schema takes %q", bad)
		}
	}
}

func compile(t *testing.T, name string) *validate.Schema {
	t.Helper()
	s, err := validate.NewCompiler().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits validates YAML.
func fits(s *validate.Schema, text []byte) error {
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	instance, err := validate.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return s.Validate(instance)
}

// obvious are keys whose name says it all, or that are described with the key before them.
var obvious = []string{
	"version", "name", "description", "count", "schedule", "expect", "metric", "at", "do", "every",
	"at_least", "at_most", "less_than", "factor", "floor",
}

// TestEveryKeyIsDescribed: what is not in the schema's words is a riddle in an editor.
func TestEveryKeyIsDescribed(t *testing.T) {
	for _, kind := range kinds {
		text, err := schemas.ReadFile("schema/" + kind + "-v1.json")
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		for _, path := range undescribed("", tree) {
			if last := path[strings.LastIndex(path, ".")+1:]; !slices.Contains(obvious, last) {
				t.Errorf("%s: %s has no description: comment its field", kind, path)
			}
		}
	}
}

func undescribed(path string, schema map[string]any) []string {
	var missing []string
	if schema["description"] == nil && path != "" && !strings.HasSuffix(path, "[]") {
		missing = append(missing, path)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if s, ok := property.(map[string]any); ok {
			missing = append(missing, undescribed(path+"."+name, s)...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		missing = append(missing, undescribed(path+"[]", items)...)
	}
	return missing
}
