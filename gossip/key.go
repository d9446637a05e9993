package gossip

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/starling-ml/starling/consensus"
)

// Key is the identity of a peer: an Ed25519 key. Peers prove it to each other when they connect.
type Key struct {
	private crypto.PrivKey
	id      peer.ID
}

// NewKey makes a key from 32 bytes of a source of randomness.
func NewKey(random io.Reader) (Key, error) {
	private, _, err := crypto.GenerateEd25519Key(random)
	if err != nil {
		return Key{}, fmt.Errorf("make identity: %w", err)
	}
	return keyOf(private)
}

func keyOf(private crypto.PrivKey) (Key, error) {
	id, err := peer.IDFromPrivateKey(private)
	if err != nil {
		return Key{}, fmt.Errorf("derive peer id: %w", err)
	}
	return Key{private: private, id: id}, nil
}

// Peer returns the name under which others know the holder of the key.
func (k Key) Peer() consensus.Peer { return consensus.Peer(k.id.String()) }

func (k Key) valid() bool { return k.private != nil }

// LoadOrCreateKey reads the identity in a file, or makes one and writes it there, readable by its
// owner alone. A file that others can read, or that is damaged, is an error: it is never replaced.
func LoadOrCreateKey(path string) (Key, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createKey(path)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read identity: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, fmt.Errorf("read identity: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return Key{}, fmt.Errorf("identity %s can be read by others (mode %04o): chmod 600 %s", path, mode, path)
	}
	private, err := crypto.UnmarshalPrivateKey(content)
	if err != nil {
		return Key{}, fmt.Errorf("identity %s is damaged: restore it from a backup, or move it away to get a new one: %w",
			path, err)
	}
	if private.Type() != crypto.Ed25519 {
		return Key{}, fmt.Errorf("identity %s is a %s key: only Ed25519 is used", path, private.Type())
	}
	return keyOf(private)
}

func createKey(path string) (Key, error) {
	key, err := NewKey(rand.Reader)
	if err != nil {
		return Key{}, err
	}
	content, err := crypto.MarshalPrivateKey(key.private)
	if err != nil {
		return Key{}, fmt.Errorf("encode identity: %w", err)
	}
	return key, writeNew(path, content)
}

// writeNew writes a file that must not exist yet, so that two agents that start at once cannot take
// each other's key.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create identity: %w", err)
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("write identity %s: %w", path, err), os.Remove(path))
	}
	return nil
}
