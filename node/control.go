package node

import (
	"encoding/binary"
	"net/http"
	"strconv"
)

// Headers of an estimate that a testnet reads.
const (
	HeaderSteps = "Starling-Steps"
	HeaderRound = "Starling-Round"
)

// handleControl serves what testnets of processes need: POST /api/v1/testnet/compute?factor=10 slows
// the peer, GET /api/v1/testnet/estimate returns its parameters as little-endian float32.
func (n *Node) handleControl() {
	n.server.Handle("POST /api/v1/testnet/compute", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		factor, err := strconv.ParseFloat(r.URL.Query().Get("factor"), 64)
		if err == nil {
			err = n.Slow(factor)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	n.server.Handle("GET /api/v1/testnet/estimate", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e := n.Estimate()
		w.Header().Set(HeaderSteps, strconv.FormatUint(e.Steps, 10))
		w.Header().Set(HeaderRound, strconv.FormatUint(e.Round, 10))
		w.Header().Set("Content-Type", "application/octet-stream")
		binary.Write(w, binary.LittleEndian, e.Params) //nolint:errcheck // the client is gone
	}))
}
