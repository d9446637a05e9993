package local

import (
	"context"

	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// lonely is a network of some peers that never find each other.
type lonely struct{ peers int }

func (l lonely) standings(context.Context) []*node.Standing {
	all := make([]*node.Standing, l.peers)
	for i := range all {
		all[i] = &node.Standing{}
	}
	return all
}

func (lonely) act(context.Context, testnet.Action) error { return nil }
func (lonely) failed() <-chan error                      { return nil }
func (lonely) stop() error                               { return nil }
