package observe

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schema/event-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, line string) map[string]any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return value.(map[string]any)
}

func sampleLines() []string {
	var out bytes.Buffer
	stream := NewStream(&out, virtual(), Steps)
	for i, body := range samples() {
		stream.Emit(at(40*i), body)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestEveryKindOfEventFollowsTheSchema(t *testing.T) {
	t.Parallel()
	s := schema(t)
	lines := sampleLines()
	if len(lines) != len(samples()) {
		t.Fatalf("%d lines of %d samples", len(lines), len(samples()))
	}
	for _, line := range lines {
		if err := s.Validate(parse(t, line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNotAnEvent(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, line := range sampleLines() {
		for _, field := range []string{"v", "ts", "t", "clock", "run", "peer", "name", "seq", "ev"} {
			event := parse(t, line)
			delete(event, field)
			if s.Validate(event) == nil {
				t.Errorf("without %s the schema takes %s", field, line)
			}
		}
		event := parse(t, line)
		event["surprise"] = "1"
		if s.Validate(event) == nil {
			t.Errorf("with an unknown field the schema takes %s", line)
		}
		event = parse(t, line)
		event["seq"] = "4"
		if s.Validate(event) == nil {
			t.Errorf("with a text for a number the schema takes %s", line)
		}
	}
}

func TestTheSchemaHasNoKindWithoutASample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("schema/event-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OneOf []struct{ Title string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	sampled := map[string]bool{}
	for _, body := range samples() {
		sampled[body.kind()] = true
	}
	for _, branch := range doc.OneOf {
		if !sampled[branch.Title] {
			t.Errorf("%s is in the schema and no sample", branch.Title)
		}
		delete(sampled, branch.Title)
	}
	if len(sampled) > 0 {
		t.Errorf("%v are not in the schema", sampled)
	}
}
