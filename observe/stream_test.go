package observe

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestALineIsItsEnvelopeAndItsFields(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	stream := NewStream(&out, virtual(), Steps)
	stream.Emit(at(12_500), mixed())
	want := `{"v":1,"ts":"2000-01-01T00:00:12.5Z","t":12.5,"clock":"virtual","run":"lab","peer":"a","name":"first",` +
		`"seq":1,"ev":"mix","round":3,"used":[{"p":"b","round":1,"pub":2,"age_s":0.5,"stale":2,"w":0.25,"fresh":true}],` +
		`"missing":["c"],"waited_s":0.25,"waited_for":"b","mix_s":0.001,"dist":0.125,` +
		`"influence":{"a":0.6,"b":0.3,"c":0.1}}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

func TestTextIsQuoted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	source := virtual()
	source.Name = "a\"b\n<img src=x>"
	NewStream(&out, source, Steps).Emit(0, RunEnd{})
	if lines := strings.Count(out.String(), "\n"); lines != 1 {
		t.Errorf("one event is %d lines: %s", lines, out.String())
	}
	if got := parse(t, out.String())["name"]; got != source.Name {
		t.Errorf("name is %q, want %q", got, source.Name)
	}
}

func TestLevelsKeepWhatIsBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level string
		want  string
	}{
		{"always", "warn"}, {"window", "window warn"}, {"step", "step window warn"}, {"", "window warn"},
	} {
		level, err := ParseLevel(c.level)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		stream := NewStream(&out, virtual(), level)
		for _, body := range []Body{Step{}, Window{}, Warn{}} {
			stream.Emit(0, body)
		}
		var kinds []string
		for i, line := range strings.SplitAfter(out.String(), "\n") {
			if line == "" {
				continue
			}
			event := parse(t, line)
			kinds = append(kinds, event["ev"].(string))
			if seq, _ := event["seq"].(interface{ Int64() (int64, error) }).Int64(); seq != int64(i+1) {
				t.Errorf("line %d of level %q has seq %d: what is not kept must leave no gap", i+1, c.level, seq)
			}
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("level %q keeps %s, want %s", c.level, got, c.want)
		}
	}
	if _, err := ParseLevel("steps"); err == nil || !strings.Contains(err.Error(), "always, window, step") {
		t.Errorf("level steps: %v", err)
	}
}

type failing struct{ after int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAStreamKeepsItsFirstError(t *testing.T) {
	t.Parallel()
	out := &failing{after: 1}
	stream := NewStream(out, virtual(), Steps)
	for range 3 {
		stream.Emit(0, Warn{})
	}
	if !errors.Is(stream.Err(), errFull) || out.after != -1 {
		t.Errorf("error %v after %d writes", stream.Err(), 1-out.after)
	}
}
