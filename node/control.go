package node

import (
	"net/http"
	"strconv"
)

// Paths of the control of a peer in a testnet of processes.
const (
	// ComputePath takes POST ?factor=10, which makes local steps ten times longer.
	ComputePath = "/api/v1/testnet/compute"
	// StandingPath answers GET with what Standing.Write writes.
	StandingPath = "/api/v1/testnet/standing"
)

// handleControl serves what testnets of processes need.
func (n *Node) handleControl() {
	n.server.Handle("POST "+ComputePath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	n.server.Handle("GET "+StandingPath, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		n.Standing().Write(w) //nolint:errcheck // the client is gone
	}))
}
