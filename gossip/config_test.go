package gossip

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/gologshim"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/starling-ml/starling/wire"
)

// TestConfigReportsEverything checks that all mistakes are reported at once, with their values.
func TestConfigReportsEverything(t *testing.T) {
	c := Config{
		Hello:    wire.Hello{Name: "tab\there", Signature: wire.Signature{{Name: "w", Shape: []int{0}}}},
		Listen:   []string{"0.0.0.0:4001"},
		Announce: []string{"/ip4/1.2.3.4/tcp/0"},
		Peers:    []string{"/ip4/1.2.3.4/tcp/4001"},
		Degree:   -1,
		Timing:   Timing{Heartbeat: 4 * time.Second, RetryMin: time.Minute},
	}
	_, err := Open(c)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"no identity key", "run has no name", "no parameters", "less than 2 heartbeats of 4s",
		"less than at least every 1m0s", "degree -1", "cannot be printed",
		`listen address "0.0.0.0:4001"`, "port 0 cannot be dialled", `peer address "/ip4/1.2.3.4/tcp/4001"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

func TestContactsGatherAddresses(t *testing.T) {
	one, two := string(testConfig(t, "one").Key.Peer()), string(testConfig(t, "two").Key.Peer())
	c := testConfig(t, "self")
	c.Peers = []string{
		"/ip4/1.1.1.1/tcp/1/p2p/" + one, "/ip4/2.2.2.2/tcp/1/p2p/" + two, "/ip4/1.1.1.1/udp/1/quic-v1/p2p/" + one,
		"/ip4/3.3.3.3/tcp/1/p2p/" + string(c.Key.Peer()), // its own address: a list shared by all peers
	}
	got := c.contacts()
	if len(got) != 2 || len(got[0].Addrs) != 2 || len(got[1].Addrs) != 1 || got[0].ID.String() != one {
		t.Errorf("contacts %v", got)
	}
}

func TestAnnouncedAddressesReplaceOthers(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a", func(c *Config) { c.Announce = []string{"/dns4/lab.example.org/tcp/4001"} })
	want := "/dns4/lab.example.org/tcp/4001/p2p/" + string(a.id())
	if got := a.mesh.Addrs(); len(got) != 1 || got[0] != want {
		t.Errorf("addresses %v", got)
	}
}

func TestRankDials(t *testing.T) {
	const relayed = "/ip4/9.9.9.9/tcp/1/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN/p2p-circuit"
	for _, test := range []struct {
		addrs []string
		want  []time.Duration // in the order of the ranking
		first string
	}{
		{[]string{"/ip4/1.1.1.1/udp/1/quic-v1", "/ip4/1.1.1.1/tcp/1"}, []time.Duration{0, quicDelay}, "tcp"},
		{[]string{"/ip4/127.0.0.1/udp/1/quic-v1", "/ip4/127.0.0.1/tcp/1"}, []time.Duration{0, quicDelay / 10}, "tcp"},
		{[]string{"/ip4/1.1.1.1/udp/1/quic-v1"}, []time.Duration{0}, "udp"},
		{[]string{relayed, "/ip4/1.1.1.1/udp/1/quic-v1"}, []time.Duration{0, relayDelay - quicDelay}, "udp"},
		{nil, nil, ""},
	} {
		addrs, err := parseAddrs(test.addrs)
		if err != nil {
			t.Fatal(err)
		}
		got := rankDials(addrs)
		if len(got) != len(test.want) {
			t.Fatalf("%v: %v", test.addrs, got)
		}
		for i := range got {
			if got[i].Delay != test.want[i] || i == 0 && !strings.Contains(got[i].Addr.String(), test.first) {
				t.Errorf("%v: place %d is %v", test.addrs, i, got[i])
			}
		}
	}
}

// TestLimitsLetALabIn opens connections of a whole lab behind one address, which the defaults of libp2p
// refuse after 8, and checks that there still is a limit.
func TestLimitsLetALabIn(t *testing.T) {
	const members = 40
	limits, err := newLimits(4, members)
	if err != nil {
		t.Fatal(err)
	}
	defer limits.Close()
	for _, addr := range []string{"/ip4/203.0.113.7/tcp/4001", "/ip6/2001:db8::7/tcp/4001"} {
		open := 0
		for range 10 * members {
			scope, err := limits.OpenConnection(network.DirInbound, true, ma.StringCast(addr))
			if err != nil {
				break
			}
			defer scope.Done()
			open++
		}
		if strings.Contains(addr, "ip4") && (open < members || open == 10*members) {
			t.Errorf("%d connections from %s", open, addr)
		}
	}
}

// TestQuiet checks that libp2p's loggers got a handler that drops everything.
func TestQuiet(t *testing.T) {
	quiet()
	if gologshim.Logger("test").Enabled(t.Context(), slog.LevelError) {
		t.Error("libp2p logs errors")
	}
}

func TestExplainListen(t *testing.T) {
	c := testConfig(t, "a")
	for addr, want := range map[string]string{
		"/ip4/203.0.113.7/tcp/0":         "this machine has no such address",
		"/ip4/203.0.113.7/udp/0/quic-v1": "this machine has no such address",
		"/ip4/127.0.0.1/sctp/4001":       "cannot listen on /ip4/127.0.0.1/sctp/4001",
	} {
		c.Listen = []string{addr}
		m, err := Open(c)
		if err == nil {
			m.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", addr, err)
		}
	}
}

func TestOccupiedUDPPort(t *testing.T) {
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	_, port, _ := net.SplitHostPort(socket.LocalAddr().String())
	c := testConfig(t, "a")
	c.Listen = []string{"/ip4/127.0.0.1/udp/" + port + "/quic-v1"}
	m, err := Open(c)
	if err == nil {
		m.Close()
	}
	if err == nil || !strings.Contains(err.Error(), c.Listen[0]+": in use") {
		t.Errorf("error %v", err)
	}
}
