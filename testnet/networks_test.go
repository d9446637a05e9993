package testnet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// open loads a manifest of the folder networks.
func open(t *testing.T, path string, set ...string) *testnet.Loaded {
	t.Helper()
	files, err := settings.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := testnet.Load(settings.Sources{Files: files, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var virtual = map[testnet.RuntimeName]testnet.Runtime{testnet.VirtualTime: testnet.Virtual{}}

// Every network that is shipped keeps its promises, and is valid for every runtime.
func TestNetworks(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("takes minutes with -race; run it without")
	}
	paths, err := filepath.Glob("networks/*.yaml")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte("mixing:")) { // costs of mixing and links are simulated only
				open(t, path, "runtime=inproc")
				open(t, path, "runtime=process")
			}
			l := open(t, path, "output.keep=none")
			if l.Quick != nil { // all of it takes too long
				if err := l.Quickly(); err != nil {
					t.Fatal(err)
				}
			}
			if w := l.Document.Warnings(); len(w) > 0 {
				t.Logf("warnings: %v", w)
			}
			s, _, err := testnet.Job{Manifest: l, Runtimes: virtual}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range s.Expectations {
				t.Log(v.OK, v.Text)
				if !v.OK {
					t.Error(v.Text)
				}
			}
			if testing.Verbose() {
				_ = s.WriteTable(os.Stderr, testnet.Style{Repeat: l.Repeat})
			}
		})
	}
}
