package gossip

import (
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/wire"
)

// Config is what a mesh is opened with. There are no setters.
type Config struct {
	Key Key
	// Hello is what this peer tells others it is; Version and Epoch are filled in.
	Hello wire.Hello
	// Listen are multiaddrs to listen on; without any, this peer only dials.
	Listen []string
	// Announce replaces the addresses told to others, for a peer behind a forwarded port.
	Announce []string
	// Peers are multiaddrs ending in /p2p/<id> of peers to contact, for ever, at start and whenever
	// the contact is lost.
	Peers []string
	// MDNS finds peers of the run in the local network.
	MDNS bool
	// Degree and Members are the largest number of neighbours and members expected; they size the
	// limits on connections and streams. Too small refuses honest peers; too big lets a flood use
	// more memory. 0: 16 and 256.
	Degree, Members int
	// Fixed says that the caller knows all members and their addresses: there is no control topic,
	// nobody announces anything, and Members are those met directly. Many hosts in one process need
	// it: announcements cost every host 0.4 ms of processor time for every other host and period.
	Fixed bool
	// Minimal leaves out connection and resource management, and QUIC unless it is listened on, for
	// many hosts in one process.
	Minimal bool
	// Timing holds the clocks of the links; zero fields mean the defaults.
	Timing Timing
	// Log gets one line for every link that goes up or down and every refusal; nil: nothing.
	Log *zap.Logger

	extra []libp2p.Option // a simulated network, in tests
}

// Timing are the clocks of the links.
type Timing struct {
	// Heartbeat is the longest silence of a sender. 1 s.
	Heartbeat time.Duration
	// DeadAfter without a byte takes a link down. Below 3 heartbeats, busy machines lose links; a
	// long one lets a dead neighbour hold up recipes that wait. 5 s.
	DeadAfter time.Duration
	// Stall is how long one write of at most 64 KiB may take: it bounds the slowest usable link. 60 s.
	Stall time.Duration
	// Handshake bounds a dial and a hello exchange, each. 10 s.
	Handshake time.Duration
	// DialDelay is how long the peer with the higher id leaves it to the other to dial. 2 s.
	DialDelay time.Duration
	// RetryMin and RetryMax bound the back-off between attempts to reach a peer. 200 ms and 30 s.
	RetryMin, RetryMax time.Duration
	// AnnounceEvery is the period of announcements in a small mesh; from 30 members on it grows with
	// their number. A member that was not heard for 5 periods is gone. 3 s.
	AnnounceEvery time.Duration
	// Ban is how long a peer that sent too many bad packets is kept out. 1 min.
	Ban time.Duration
}

// DefaultTiming returns the clocks used for zero fields.
func DefaultTiming() Timing {
	return Timing{
		Heartbeat:     time.Second,
		DeadAfter:     5 * time.Second,
		Stall:         time.Minute,
		Handshake:     10 * time.Second,
		DialDelay:     2 * time.Second,
		RetryMin:      200 * time.Millisecond,
		RetryMax:      30 * time.Second,
		AnnounceEvery: 3 * time.Second,
		Ban:           time.Minute,
	}
}

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	c.Timing = c.Timing.withDefaults()
	if c.Degree == 0 {
		c.Degree = 16
	}
	if c.Members == 0 {
		c.Members = 256
	}
	if c.Log == nil {
		c.Log = zap.NewNop()
	}
	return c
}

// Validate checks the inequalities between the clocks and the form of all addresses, and reports
// everything that is wrong.
func (c Config) Validate() error {
	t := c.Timing.withDefaults()
	var errs []error
	if !c.Key.valid() {
		errs = append(errs, errors.New("no identity key: use LoadOrCreateKey"))
	}
	if c.Hello.RunName == "" {
		errs = append(errs, errors.New("the run has no name"))
	}
	if c.Hello.Signature.Params() < 1 {
		errs = append(errs, errors.New("the model signature has no parameters"))
	}
	if t.DeadAfter < 2*t.Heartbeat {
		errs = append(errs, fmt.Errorf("dead after %v is less than 2 heartbeats of %v", t.DeadAfter, t.Heartbeat))
	}
	if t.RetryMax < t.RetryMin {
		errs = append(errs, fmt.Errorf("retry at most every %v is less than at least every %v", t.RetryMax, t.RetryMin))
	}
	if c.Degree < 0 || c.Members < 0 {
		errs = append(errs, fmt.Errorf("degree %d and members %d must not be negative", c.Degree, c.Members))
	}
	if _, err := (wire.Format{}).Append(nil, c.Hello); err != nil {
		errs = append(errs, fmt.Errorf("hello cannot be sent: %w", err))
	}
	return errors.Join(append(errs, c.CheckAddresses())...)
}

// CheckAddresses checks the form of all addresses, for a configuration that is not complete yet.
func (c Config) CheckAddresses() error {
	var errs []error
	for _, addr := range c.Listen {
		if _, err := ma.NewMultiaddr(addr); err != nil {
			errs = append(errs, fmt.Errorf("listen address %q: %w; write /ip4/0.0.0.0/tcp/4001", addr, err))
		}
	}
	for _, addr := range c.Announce {
		if err := checkAnnounced(addr); err != nil {
			errs = append(errs, fmt.Errorf("announced address %q: %w", addr, err))
		}
	}
	for _, addr := range c.Peers {
		if _, err := peer.AddrInfoFromString(addr); err != nil {
			errs = append(errs, fmt.Errorf("peer address %q: %w; write /ip4/1.2.3.4/tcp/4001/p2p/12D3Koo…", addr, err))
		}
	}
	return errors.Join(errs...)
}

// checkAnnounced refuses addresses that nobody could dial.
func checkAnnounced(addr string) error {
	a, err := ma.NewMultiaddr(addr)
	if err != nil {
		return err
	}
	for _, protocol := range []int{ma.P_TCP, ma.P_UDP} {
		if port, err := a.ValueForProtocol(protocol); err == nil && port == "0" {
			return errors.New("port 0 cannot be dialled: give the real port")
		}
	}
	return nil
}

func (t Timing) withDefaults() Timing {
	d := DefaultTiming()
	for _, field := range []struct{ value, standard *time.Duration }{
		{&t.Heartbeat, &d.Heartbeat},
		{&t.DeadAfter, &d.DeadAfter},
		{&t.Stall, &d.Stall},
		{&t.Handshake, &d.Handshake},
		{&t.DialDelay, &d.DialDelay},
		{&t.RetryMin, &d.RetryMin},
		{&t.RetryMax, &d.RetryMax},
		{&t.AnnounceEvery, &d.AnnounceEvery},
		{&t.Ban, &d.Ban},
	} {
		if *field.value <= 0 {
			*field.value = *field.standard
		}
	}
	return t
}
