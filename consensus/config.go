package consensus

import "github.com/starling-ml/starling/topology"

// Config is what a machine is made from. There are no setters.
type Config struct {
	Self    Peer
	Epoch   uint64
	Members []Peer          // Members[i] is the peer at vertex i of Graph
	Graph   *topology.Graph // nobody writes it
	Params  []float32       // initial estimate, the same on every peer of a run; nobody writes it
	Options Options
	// Seed is that of the run, the same at every peer: random partners are drawn from it.
	Seed uint64
	// Connected lists neighbours that are live from the start (simulations); others need Joined.
	Connected []Peer
	// Slow lists members known to be slow when the member list was made, the same at every member:
	// dybw makes them leaves of its spanning tree. Nil is always right, only slower.
	Slow []Peer
	// Roster is that of Members and Slow if the driver has one to share; nil: the machine makes its own.
	Roster *Roster
	// Join says that the run is under way: the peer starts from the average of its neighbours' first
	// estimates instead of Params, and publishes nothing before it has one.
	Join bool
	// SaveEvery is the least time between two Save effects; 0: never.
	SaveEvery Duration
	// MaxAhead bounds the rounds that messages of one neighbour may be buffered ahead of ours.
	MaxAhead int // 0: 64
	// Split runs the ranges of one mix, on several cores if the driver likes; nil: in line. The result
	// is the same to the bit.
	Split func(n int, run func(lo, hi int))
}
