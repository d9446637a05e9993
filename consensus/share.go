package consensus

// Share is the part of the pooled work that a peer does: the samples at [From, From+Size) of the pool,
// as shares of 1, and a batch of Size times the number of members times the usual one.
type Share struct{ From, Size float64 }
