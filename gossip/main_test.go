package gossip

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when anything that a mesh started is still running after all tests.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// A ticker of a package used by libp2p that starts with the program.
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"),
	)
}
