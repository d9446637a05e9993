package local

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports below those that systems give to outgoing connections: a peer that is started again finds its
// port free.
const (
	lowPort  = 10_000
	highPort = 32_000
)

// freePorts finds some TCP ports on loopback that nobody listens on.
func freePorts(count int) ([]int, error) {
	var ports []int
	next := lowPort + rand.IntN(highPort-lowPort) //nolint:gosec // only to stay out of each other's way
	for range highPort - lowPort {
		if len(ports) == count {
			return ports, nil
		}
		if next++; next >= highPort {
			next = lowPort
		}
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next)))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			return nil, fmt.Errorf("try port %d: %w", next, err)
		}
		ports = append(ports, next)
	}
	return nil, fmt.Errorf("only %d of %d ports between %d and %d on 127.0.0.1 are free", len(ports), count, lowPort, highPort)
}
