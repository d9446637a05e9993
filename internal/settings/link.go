package settings

// Link is how a peer is attached to the network.
type Link struct {
	// Latency is the time from the end of a transmission to the arrival.
	Latency Duration `yaml:"latency,omitempty"`
	// Jitter is how much the latency varies up and down.
	Jitter Duration `yaml:"jitter,omitempty"`
	// Up is the rate of the uplink, which carries one message after the other; 0: no limit.
	Up Rate `yaml:"up,omitempty"`
	// Loss is the share of the peer's estimates that do not arrive; it sends what matters again.
	Loss Percent `yaml:"loss,omitempty"`
}

// IsZero tells whether nothing was given.
func (l Link) IsZero() bool { return l == Link{} }
