package settings_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/starling-ml/starling/internal/settings"
)

// FuzzLoad: no text makes Load panic, and what loads without a problem can be written and read again.
func FuzzLoad(f *testing.F) {
	names, err := filepath.Glob("testdata/gallery/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "train.lr=1")
	}
	f.Add([]byte(good), "peers.slow.link={latency: 4ms}")
	f.Fuzz(func(t *testing.T, text []byte, set string) {
		c := defaults()
		s := settings.Sources{
			Files: []settings.File{{Name: "fuzz.yaml", Text: text}}, Set: []string{set},
			Environ: []string{"A=b"}, Version: 1,
		}
		d := settings.Load(c, s)
		d.Values()
		if err := d.Err(); err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		var out bytes.Buffer
		if err := settings.Write(&out, c, defaults()); err != nil {
			t.Fatal(err)
		}
		again := defaults()
		files := []settings.File{{Name: "again.yaml", Text: out.Bytes()}}
		if err := settings.Load(again, settings.Sources{Files: files, Version: 1}).Err(); err != nil {
			t.Fatalf("what was written does not load: %v", err)
		}
		if diff := cmp.Diff(c, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("what was written is read as something else:\n%s\n%s", diff, &out)
		}
	})
}

// TestDeepNestingIsRefused: the parser is recursive, and a stack that overflows cannot be caught.
func TestDeepNestingIsRefused(t *testing.T) {
	t.Parallel()
	var steps strings.Builder
	for i := range 500 {
		steps.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 1000), "braces": strings.Repeat("{a: ", 1000),
		"dashes": strings.Repeat("- ", 1e4), "questions": strings.Repeat("? ", 1e4), "indentation": steps.String(),
		"anchors": strings.Repeat("&a ", 1e4), "tags": strings.Repeat("!a ", 1e4),
	} {
		_, d := load(settings.Sources{Files: file("a.yaml", text)})
		if err := d.Err(); err == nil || !strings.Contains(err.Error(), "nested deeper than 200 levels") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLargeFilesAreRefused(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{Files: file("a.yaml", strings.Repeat("# a comment\n", 1e5))})
	if err := d.Err(); err == nil || !strings.Contains(err.Error(), "larger than 256 KiB; is this the right file?") {
		t.Error(err)
	}
}
