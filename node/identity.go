package node

import (
	"errors"
	"fmt"
	"os"

	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/node/checkpoint"
)

// openIdentity reads the key, or makes it at the first start, and keeps other agents of this machine from
// using it: two peers with one identity take each other's links away for ever.
func (n *Node) openIdentity() (err error) {
	path := string(n.config.Identity.KeyFile)
	if n.key, err = gossip.LoadOrCreateKey(path); err != nil {
		return err
	}
	if n.identity, err = os.Open(path); err != nil {
		return fmt.Errorf("lock identity: %w", err)
	}
	if err := checkpoint.Lock(n.identity); errors.Is(err, checkpoint.ErrLocked) {
		return fmt.Errorf("identity %s: %w: give this one its own identity.key_file", path, err)
	}
	return nil // file systems without locks are taken as they are
}

// closeIdentity gives the key back.
func (n *Node) closeIdentity() {
	if n.identity != nil {
		_ = checkpoint.Unlock(n.identity) // nothing was written
	}
}
