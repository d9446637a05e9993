package gossip

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
)

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "identity.key")
	made, err := LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	loaded, err := LoadOrCreateKey(path)
	if err != nil || loaded.Peer() != made.Peer() || !strings.HasPrefix(string(made.Peer()), "12D3KooW") {
		t.Errorf("made %s, loaded %s, error %v", made.Peer(), loaded.Peer(), err)
	}
}

// TestBadKeyFiles must neither be used nor be replaced.
func TestBadKeyFiles(t *testing.T) {
	secret, _, err := crypto.GenerateSecp256k1Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := crypto.MarshalPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		content []byte
		mode    os.FileMode
		want    string
	}{
		"empty":          {nil, 0o600, "is damaged"},
		"text":           {[]byte("not a key"), 0o600, "is damaged"},
		"group-readable": {other, 0o640, "chmod 600"},
		"world-readable": {other, 0o604, "chmod 600"},
		"other kind":     {other, 0o600, "only Ed25519"},
	} {
		path := filepath.Join(t.TempDir(), "identity.key")
		if err := os.WriteFile(path, test.content, test.mode); err != nil {
			t.Fatal(err)
		}
		_, err := LoadOrCreateKey(path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(test.content) {
			t.Errorf("%s: the file was changed to %q, error %v", name, after, err)
		}
	}
}

func TestKeyFileInNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "identity.key")
	if _, err := LoadOrCreateKey(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
