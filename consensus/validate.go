package consensus

import "fmt"

// validate refuses a config that no machine can run.
func (c Config) validate() error {
	if c.Graph == nil || c.Graph.N() != len(c.Members) {
		return fmt.Errorf("peer %q: graph and member list differ in length (%d members): give one vertex a member",
			c.Self, len(c.Members))
	}
	if len(c.Params) == 0 {
		return fmt.Errorf("peer %q: no initial parameters: give the model's initial vector", c.Self)
	}
	if twice := c.Roster.twice; len(twice) > 0 {
		return fmt.Errorf("member %q is listed twice: give every peer its own name", twice[0])
	}
	return nil
}

// maxAhead returns the number of rounds that messages of one neighbour are kept for.
func (c Config) maxAhead() int {
	if c.MaxAhead > 0 {
		return max(2, c.MaxAhead)
	}
	return 64
}
