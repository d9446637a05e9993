package gossip

import (
	"log/slog"
	"os"
	"sync"

	"github.com/libp2p/go-libp2p/gologshim"
)

// quiet silences the logs of libp2p, which would mix with what an agent prints, unless the usual
// variable GOLOG_LOG_LEVEL asks for them. What matters in them reaches the log of this package.
var quiet = sync.OnceFunc(func() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
	if os.Getenv(quicBufferWarning) == "" {
		os.Setenv(quicBufferWarning, "true") //nolint:errcheck // a constant, valid name
	}
})

// quicBufferWarning switches off a line about UDP buffers that quic-go prints by itself.
const quicBufferWarning = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"
