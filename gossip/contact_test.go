package gossip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

func knows(p *testPeer, name string) bool {
	return slices.ContainsFunc(p.mesh.Members(), func(m Member) bool { return m.Name == name })
}

// TestContactIntroducesMembers asks as a newcomer does, before anybody announces anything to it.
func TestContactIntroducesMembers(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	friend := Member{Peer: testConfig(t, "friend").Key.Peer(), Name: "friend", Addrs: []string{"/ip4/1.1.1.1/tcp/1"}}
	a.mesh.roster.hear(friend, time.Now())
	s := newStranger(t, a)
	p := s.open(helloProtocol)
	s.say(p, s.hello())
	s.expect(p, wire.Welcome{})
	packet, _, err := p.read()
	if got := packet.(wire.Introduce); err != nil || got.Name != "friend" || got.Addrs[0] != friend.Addrs[0] {
		t.Errorf("introduced %+v, error %v", got, err)
	}
	if packet, _, err := p.read(); err == nil {
		t.Errorf("and %+v", packet)
	}
}

// TestIntroductionsAreTaken lets a contact tell of members, true ones and impossible ones.
func TestIntroductionsAreTaken(t *testing.T) {
	t.Parallel()
	helper := newPeer(t, "helper") // lends the stranger its way of speaking
	s := newStranger(t, helper)
	friend := testConfig(t, "friend").Key.Peer()
	var self consensus.Peer
	s.host.SetStreamHandler(helloProtocol, func(stream network.Stream) {
		p := s.with.mesh.newPipe(stream)
		for _, packet := range []wire.Packet{
			s.hello(),
			wire.Welcome{},
			wire.Introduce{Peer: "no peer id", Name: "nobody"},
			wire.Introduce{Peer: self, Name: "impostor"},
			wire.Introduce{Peer: friend, Name: "friend", Addrs: []string{"/ip4/127.0.0.1/tcp/1", "not an address"}},
		} {
			if err := p.write(packet); err != nil {
				t.Error(err)
			}
		}
		stream.Close()
	})
	c := testConfig(t, "a")
	self = c.Key.Peer()
	addr := listenAddr(t, s)
	c.Peers = []string{addr + "/p2p/" + s.host.ID().String()}
	a := openPeer(t, c)
	eventually(t, "the introduced member", func() bool { return knows(a, "friend") })
	if contact := awaitContact(t, a, 0); contact.State != ContactOK || knows(a, "nobody") || knows(a, "impostor") {
		t.Errorf("contact %+v, members %+v", contact, a.mesh.Members())
	}
	if !knows(a, "stranger") {
		t.Error("the contact itself is no member")
	}
	id, _ := peer.Decode(string(friend))
	if addrs := a.mesh.host.Peerstore().Addrs(id); len(addrs) != 1 {
		t.Errorf("addresses for dialling: %v", addrs)
	}
}

func listenAddr(t *testing.T, s *stranger) string {
	t.Helper()
	if err := listen(s.host, []string{"/ip4/127.0.0.1/tcp/0"}); err != nil {
		t.Fatal(err)
	}
	return s.host.Addrs()[0].String()
}

// TestContactThatTalksNonsense must not spoil anything but its own state.
func TestContactThatTalksNonsense(t *testing.T) {
	t.Parallel()
	helper := newPeer(t, "helper")
	s := newStranger(t, helper)
	addr := listenAddr(t, s)
	for name, answer := range map[string][]wire.Packet{
		"no hello":         {wire.Ping{}},
		"no verdict":       {s.hello(), wire.Ping{}},
		"no introductions": {s.hello(), wire.Welcome{}, wire.Ping{}},
	} {
		s.host.SetStreamHandler(helloProtocol, func(stream network.Stream) {
			p := s.with.mesh.newPipe(stream)
			for _, packet := range answer {
				p.write(packet)
			}
			stream.Close()
		})
		a := newPeer(t, name, func(c *Config) { c.Peers = []string{addr + "/p2p/" + s.host.ID().String()} })
		c := awaitContact(t, a, 0)
		if c.State != ContactRejected || !strings.Contains(c.Detail, "wire.Ping at the wrong place") {
			t.Errorf("%s: %+v", name, c)
		}
		a.mesh.Close()
	}
}

func TestContactIsKept(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "b")
	b := openPeer(t, c)
	c.Listen = []string{strings.Split(b.mesh.Addrs()[0], "/p2p/")[0]} // the same port in its next life
	a := newPeer(t, "a", func(c *Config) { c.Peers = b.mesh.Addrs() })
	eventually(t, "the contact", func() bool { return knows(a, "b") })
	b.mesh.Close()
	eventually(t, "the loss", func() bool { return !knows(a, "b") && a.mesh.Contacts()[0].State == ContactRefused })
	b = openPeer(t, c)
	eventually(t, "the contact again", func() bool { return knows(a, "b") && a.mesh.Contacts()[0].State == ContactOK })
}

// TestFoundInTheLocalNetwork takes what mDNS reports; multicast itself is not there on every machine.
func TestFoundInTheLocalNetwork(t *testing.T) {
	t.Parallel()
	b := newPeer(t, "b")
	a := newPeer(t, "a", func(c *Config) { c.MDNS = true })
	found := (*finder)(a.mesh)
	found.HandlePeerFound(peer.AddrInfo{ID: a.key.id})
	for range 2 {
		found.HandlePeerFound(peer.AddrInfo{ID: b.key.id, Addrs: b.mesh.host.Addrs()})
	}
	eventually(t, "the peer that was found", func() bool { return knows(a, "b") })
	if n := len(a.mesh.Contacts()); n != 1 {
		t.Errorf("%d contacts", n)
	}
}

func TestClassify(t *testing.T) {
	addr := ma.StringCast("/ip4/1.1.1.1/tcp/1")
	for _, test := range []struct {
		err    error
		state  ContactState
		detail string
	}{
		{nil, ContactOK, ""},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), ContactTimeout, ""},
		{&refusal{Refuse: wire.Refuse{Text: "banned"}, by: "lab-pc"}, ContactRejected, "peer lab-pc refused: banned"},
		{errors.New("no route\nto host"), ContactFailed, "no route to host"},
	} {
		if state, detail := classify(test.err, addr); state != test.state || detail != test.detail {
			t.Errorf("%v: %s, %q", test.err, state, detail)
		}
	}
}

// TestFixedMembers needs no topic: neighbours know each other from their contacts and links.
func TestFixedMembers(t *testing.T) {
	t.Parallel()
	fixed := func(c *Config) { c.Fixed = true }
	b := newPeer(t, "b", fixed)
	a := newPeer(t, "a", fixed, func(c *Config) { c.Peers = b.mesh.Addrs() })
	a.mesh.SetNeighbours(1, []consensus.Peer{b.id()})
	b.mesh.SetNeighbours(1, []consensus.Peer{a.id()})
	next[Up](t, a)
	next[Up](t, b)
	if !knows(a, "b") || !knows(b, "a") {
		t.Errorf("members %+v and %+v", a.mesh.Members(), b.mesh.Members())
	}
	a.mesh.Announce(wire.Summary{}) // goes nowhere, and does not block
	a.mesh.Announce(wire.Summary{})
	a.mesh.Close()
	if down := next[Down](t, b); down.Reason != DownLeft {
		t.Errorf("%+v", down)
	}
}
