package gossip

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// TestMismatchIsExplained lets two peers contact each other that cannot train together: both must be
// able to read why.
func TestMismatchIsExplained(t *testing.T) {
	t.Parallel()
	wide := wire.Signature{{Name: "w", Shape: []int{4}}, {Name: "b", Shape: []int{1}}}
	for name, test := range map[string]struct {
		change func(*Config)
		reason wire.Reason
		here   string // at a
		there  string // at b
	}{
		"run": {
			func(c *Config) { c.Hello.RunName = "other" }, wire.Token,
			"b trains run other", "and I train other",
		},
		"model": {
			func(c *Config) { c.Hello.Signature = wide }, wire.Schema,
			`"w" is [3] here and [4] there`, `[4] here and [3] there`,
		},
		"initial": {
			func(c *Config) { c.Hello.Initial = wire.Hash{2} }, wire.Schema,
			"initial parameters 0100…0000 differ from 0200…0000 of b", "differ from 0100…0000 of a",
		},
		"recipe": {
			func(c *Config) { c.Hello.Recipe = "dpsgd" }, wire.Schema,
			`recipe "pulse" differs from "dpsgd" of b`, `recipe "dpsgd" differs from "pulse" of a`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := func(c *Config) { c.Hello.Initial, c.Hello.Recipe = wire.Hash{1}, "pulse" }
			b := newPeer(t, "b", base, test.change)
			a := newPeer(t, "a", base, func(c *Config) { c.Peers = b.mesh.Addrs() })
			for p, text := range map[*testPeer]string{a: test.here, b: test.there} {
				rejected := next[Rejected](t, p)
				if rejected.Reason != test.reason || !strings.Contains(rejected.Detail, text) {
					t.Errorf("%s: %+v, want %s and %q", p.mesh.config.Hello.Name, rejected, test.reason, text)
				}
			}
			contact := awaitContact(t, a, 0)
			if contact.State != ContactRejected || !strings.Contains(contact.Detail, test.here) {
				t.Errorf("%+v", contact)
			}
			if n := len(a.mesh.Members()) + len(b.mesh.Members()); n != 2 {
				t.Errorf("%d members in all", n)
			}
		})
	}
}

// awaitContact waits until the contact at this place is not being tried for the first time any more.
func awaitContact(t *testing.T, p *testPeer, place int) Contact {
	t.Helper()
	eventually(t, "an answer of the contact", func() bool {
		return p.mesh.Contacts()[place].State != ContactTrying
	})
	return p.mesh.Contacts()[place]
}

func TestOtherVersion(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	s := newStranger(t, a)
	p := s.open(framesProtocol)
	hello := s.hello()
	hello.Version, hello.Software, hello.Name = 3, "0.3", "lab-pc"
	s.say(p, hello)
	rejected := next[Rejected](t, a)
	want := "lab-pc speaks protocol 3, I speak 2: upgrade this agent (test -> 0.3)"
	if rejected.Reason != wire.Schema || rejected.Detail != want {
		t.Errorf("%+v, want %q", rejected, want)
	}
	if packet, _, err := p.read(); err != nil || packet.(wire.Hello).Version != wire.Version {
		t.Errorf("answer %+v, error %v", packet, err)
	}
	s.expect(p, wire.Refuse{Code: wire.CodeProtocol, Text: want})
}

// TestStrangersWait refuses a peer that is no neighbour yet, without counting it against it.
func TestStrangersWait(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	s := newStranger(t, a)
	p := s.open(framesProtocol)
	s.say(p, s.hello())
	s.expect(p, wire.Refuse{Code: wire.CodeStranger, Text: "not a neighbour by my list of members yet"})
	s.befriend()
	if got := a.mesh.Stats().Rejected; got[wire.Token] != 0 {
		t.Errorf("rejected %v", got)
	}
}

func TestGarbageIsBanned(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	s := newStranger(t, a)
	for range 3 {
		p := s.open(framesProtocol)
		p.stream.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		if got := next[Rejected](t, a); got.Reason != wire.Schema || got.Peer != s.id() {
			t.Errorf("%+v", got)
		}
	}
	eventually(t, "the ban", func() bool { return s.host.Network().Connectedness(a.key.id) != network.Connected })
	err := s.host.Connect(s.ctx(), a.mesh.host.Peerstore().PeerInfo(a.key.id))
	if err == nil { // TLS over TCP lets the dialler through and closes then
		_, err = s.host.NewStream(s.ctx(), a.key.id, framesProtocol)
	}
	if err == nil {
		t.Error("a banned peer is let in")
	}
	a.mesh.Send(b.id(), estimate(1), false)
	await(t, a, func(e Delivered) bool { return e.Seq == 1 })
}

// TestBadEstimatesAreAnswered sends estimates that must not be mixed: each is refused with its reason,
// the link stays, and a sender that goes on is banned.
func TestBadEstimatesAreAnswered(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	s := newStranger(t, a)
	mine, _ := s.befriend()
	s.say(mine, wire.Frame{Message: estimate(5)})
	s.expect(mine, wire.Ack{Seq: 5})
	s.say(mine, wire.Frame{Message: estimate(5)})
	s.expect(mine, wire.Ack{Seq: 5, Reason: wire.Replay})
	writeRaw(t, mine, withNaN(t, a.mesh.format, 6))
	s.expect(mine, wire.Ack{Seq: 6, Reason: wire.NaN})
	s.say(mine, wire.Frame{Message: estimate(7)})
	s.expect(mine, wire.Ack{Seq: 7})
	var got []uint64
	for range 2 {
		got = append(got, next[Inbound](t, a).Message.(consensus.Estimate).Seq)
	}
	if got[0] != 5 || got[1] != 7 {
		t.Errorf("estimates %v were let through", got)
	}
	for seq := uint64(8); seq < 20; seq++ {
		bytes := withNaN(t, a.mesh.format, seq)
		if _, err := mine.stream.Write(bytes); err != nil {
			break // banned
		}
	}
	if down := next[Down](t, a); down.Reason != DownBanned {
		t.Errorf("%+v", down)
	}
	if n := a.mesh.Stats().Rejected[wire.NaN]; n < 9 {
		t.Errorf("%d estimates with NaN were counted", n)
	}
}

// withNaN encodes an estimate whose first parameter is not a number.
func withNaN(t *testing.T, f wire.Format, seq uint64) []byte {
	t.Helper()
	encoded, err := f.Append(nil, wire.Frame{Message: estimate(seq)})
	if err != nil {
		t.Fatal(err)
	}
	content := encoded[:len(encoded)-4]
	binary.LittleEndian.PutUint32(content[len(content)-16:], math.Float32bits(float32(math.NaN())))
	return binary.LittleEndian.AppendUint32(content, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
}

func writeRaw(t *testing.T, p *pipe, bytes []byte) {
	t.Helper()
	if _, err := p.stream.Write(bytes); err != nil {
		t.Fatal(err)
	}
}

// TestSilence takes a link down whose neighbour is connected and says nothing.
func TestSilence(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a", func(c *Config) {
		c.Timing.Heartbeat, c.Timing.DeadAfter = 50*time.Millisecond, 300*time.Millisecond
	})
	s := newStranger(t, a)
	s.befriend()
	if down := next[Down](t, a); down.Reason != DownSilent || !strings.Contains(down.Detail, "no byte for") {
		t.Errorf("%+v", down)
	}
}

// TestFloodOfStreams opens more streams than any honest peer: the flood is reset, others keep working.
func TestFloodOfStreams(t *testing.T) {
	t.Parallel()
	limited := func(c *Config) { c.Minimal, c.Degree, c.Members = false, 4, 8 }
	a, b := newPeer(t, "a", limited), newPeer(t, "b", limited)
	connect(t, a, b)
	s := newStranger(t, a)
	refused := 0
	for range 4 * perPeer {
		stream, err := s.host.NewStream(s.ctx(), a.key.id, framesProtocol)
		if err == nil {
			defer stream.Reset()
			stream.SetDeadline(time.Now().Add(patience))
			_, err = stream.Write([]byte("S"))
		}
		if err != nil {
			refused++
		}
	}
	eventually(t, "the flood to be limited", func() bool {
		n := 0
		for _, c := range a.mesh.host.Network().ConnsToPeer(s.host.ID()) {
			n += len(c.GetStreams())
		}
		return n <= 2*perPeer
	})
	a.mesh.Send(b.id(), estimate(1), false)
	await(t, a, func(e Delivered) bool { return e.Seq == 1 })
	t.Logf("%d of %d streams were refused at once", refused, 4*perPeer)
}

// TestFloodOfMessages sends more messages than the reader of events takes: they wait at the sender.
func TestFloodOfMessages(t *testing.T) {
	t.Parallel()
	a, err := Open(testConfig(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c := testConfig(t, "b")
	c.Timing.DeadAfter = time.Minute
	b := openPeer(t, c)
	b.mesh.noteAddrs(a.host.ID(), a.announcement(false).Addrs)
	a.SetNeighbours(1, []consensus.Peer{b.id()})
	b.mesh.SetNeighbours(1, []consensus.Peer{a.ID()})
	next[Up](t, b)
	const n = 20 * waitingMessages
	go func() {
		for i := range uint64(n) {
			for i%64 == 0 && queued(b, a.ID()) > outboxMessages/2 {
				time.Sleep(time.Millisecond)
			}
			b.mesh.Send(a.ID(), consensus.Intent{Round: i}, false)
		}
	}()
	next := uint64(0)
	for event := range a.Events() {
		in, ok := event.(Inbound)
		if !ok {
			continue
		}
		if round := in.Message.(consensus.Intent).Round; round != next {
			t.Fatalf("message %d came in the place of %d", round, next)
		}
		a.queue.mu.Lock()
		waiting := len(a.queue.items)
		a.queue.mu.Unlock()
		if waiting > waitingMessages+16 {
			t.Fatalf("%d events wait", waiting)
		}
		if next++; next == n {
			break
		}
	}
}

func queued(p *testPeer, to consensus.Peer) int {
	id, err := peer.Decode(string(to))
	if err != nil {
		panic(err)
	}
	box := p.mesh.link(id).session.box
	box.mu.Lock()
	defer box.mu.Unlock()
	return len(box.letters)
}

// TestFloodThatNobodyTakes ends the link of a neighbour that takes nothing: its messages would not be
// in order any more, and the memory for them is bounded.
func TestFloodThatNobodyTakes(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a", func(c *Config) { c.Timing.DeadAfter = patience })
	s := newStranger(t, a)
	s.befriend() // and never reads again
	wide := consensus.Peer(strings.Repeat("p", wire.MaxName))
	for i := uint64(0); i%64 != 0 || !saw[Down](a); i++ {
		a.mesh.Send(s.id(), consensus.Established{Round: i, U: wide, V: wide}, false)
	}
	if down := next[Down](t, a); down.Reason != DownFull {
		t.Errorf("%+v", down)
	}
}

func saw[E Event](p *testPeer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.log, func(event Event) bool { _, ok := event.(E); return ok })
}

func TestUnreachablePeersDoNotDelay(t *testing.T) {
	t.Parallel()
	other := newPeer(t, "other")
	tcp := strings.Split(other.mesh.Addrs()[0], "/p2p/")[0]
	ghost, nobody := string(testConfig(t, "ghost").Key.Peer()), string(testConfig(t, "nobody").Key.Peer())
	a := newPeer(t, "a", func(c *Config) {
		c.Timing.Handshake = time.Second
		c.Peers = []string{
			"/ip4/127.0.0.1/tcp/1/p2p/" + nobody, // nothing listens there
			tcp + "/p2p/" + ghost,                // somebody else listens there
		}
	})
	if n := len(a.mesh.Members()); n != 1 {
		t.Errorf("%d members at the start", n)
	}
	for i, want := range []ContactState{ContactRefused, ContactWrongPeer} {
		if got := awaitContact(t, a, i); got.State != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}

func TestBadSummariesAreNotPassedOn(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	b := newPeer(t, "b", func(c *Config) { c.Peers = a.mesh.Addrs() })
	await(t, b, func(e MembersChanged) bool { return len(e.Members) == 2 })
	for _, bad := range [][]byte{[]byte("garbage"), nil, encoded(t, b, wire.Ping{}), encoded(t, b, wire.Summary{})} {
		if err := b.mesh.bulletin.topic.Publish(t.Context(), bad); err == nil {
			t.Errorf("%q could be published", bad)
		}
	}
}

func encoded(t *testing.T, p *testPeer, packet wire.Packet) []byte {
	t.Helper()
	b, err := p.mesh.format.Append(nil, packet)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
