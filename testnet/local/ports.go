package local

import (
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// Ports below those that systems give to outgoing connections: a peer that is started again finds its
// port free.
const (
	lowPort  = 10_000
	portSpan = 22_000
)

// cursor moves over the ports, so that networks of one process stay out of each other's way; it begins
// somewhere, for those of other processes.
var cursor atomic.Int64

func init() { cursor.Store(time.Now().UnixNano() / int64(time.Microsecond) % portSpan) }

// freePorts finds some TCP ports on loopback that nobody listens on.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range portSpan {
		if len(ports) == count {
			return ports, nil
		}
		port := lowPort + int(cursor.Add(1)%portSpan)
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			return nil, fmt.Errorf("try port %d: %w", port, err)
		}
		ports = append(ports, port)
	}
	return nil, fmt.Errorf("only %d of %d ports from %d to %d on 127.0.0.1 are free",
		len(ports), count, lowPort, lowPort+portSpan-1)
}
