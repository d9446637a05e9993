package gossip

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

func TestFramesArriveInOrderAndAreAcknowledged(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	const n = 20
	for i := range n {
		a.mesh.Send(b.id(), consensus.Intent{Round: uint64(i)}, false)
		a.mesh.Send(b.id(), estimate(uint64(i+1)), false)
		await(t, a, func(e Delivered) bool {
			if e.To != b.id() || e.Bytes != a.mesh.format.EstimateSize() || e.Took <= 0 {
				t.Errorf("delivered %+v", e)
			}
			return e.Seq == uint64(i+1)
		})
	}
	for i := range n {
		got := next[Inbound](t, b)
		if got.Message != consensus.Message(consensus.Intent{Round: uint64(i)}) || got.From != a.id() {
			t.Fatalf("message %d is %+v", i, got)
		}
		got = next[Inbound](t, b)
		if seq := got.Message.(consensus.Estimate).Seq; seq != uint64(i+1) {
			t.Fatalf("estimate %d has number %d", i+1, seq)
		}
	}
	stats := a.mesh.Stats()
	if stats.SentFrame != n*int64(a.mesh.format.EstimateSize()) || stats.SentControl == 0 {
		t.Errorf("sent %d bytes of frames, %d of control", stats.SentFrame, stats.SentControl)
	}
	if len(stats.Neighbours) != 1 || stats.Neighbours[0].Path != Direct || stats.Neighbours[0].Name != "b" {
		t.Errorf("neighbours %+v", stats.Neighbours)
	}
}

func TestHeartbeatMeasuresRoundTrips(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	eventually(t, "a round trip time", func() bool {
		neighbours := a.mesh.Stats().Neighbours
		return len(neighbours) == 1 && neighbours[0].RTT > 0 && neighbours[0].Received > 0
	})
}

// TestSlowReaderGetsTheLatest leaves the events of one peer unread: estimates that may be replaced are
// all acknowledged and only the last is kept, and nothing holds up the others.
func TestSlowReaderGetsTheLatest(t *testing.T) {
	t.Parallel()
	slow, err := Open(testConfig(t, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	for _, p := range []*testPeer{a, b} {
		p.mesh.noteAddrs(slow.host.ID(), slow.announcement(false).Addrs)
	}
	slow.SetNeighbours(1, []consensus.Peer{a.id(), b.id()})
	b.mesh.noteAddrs(a.key.id, a.mesh.announcement(false).Addrs)
	a.mesh.SetNeighbours(1, []consensus.Peer{slow.ID(), b.id()})
	b.mesh.SetNeighbours(1, []consensus.Peer{slow.ID(), a.id()})
	for _, p := range []*testPeer{a, b} {
		next[Up](t, p)
		next[Up](t, p)
	}
	const n = 50
	for seq := uint64(1); seq <= n; seq++ {
		for _, to := range []consensus.Peer{slow.ID(), b.id()} {
			a.mesh.Send(to, estimate(seq), true)
			await(t, a, func(e Delivered) bool { return e.To == to && e.Seq == seq })
		}
	}
	if stale := slow.Stats().StaleReceived; stale < n-2 {
		t.Errorf("%d estimates were replaced", stale)
	}
	var got []uint64
	for event := range slow.Events() {
		in, ok := event.(Inbound)
		if !ok {
			continue
		}
		got = append(got, in.Message.(consensus.Estimate).Seq)
		if got[len(got)-1] == n {
			break
		}
	}
	if len(got) > 2 {
		t.Errorf("the reader saw %v", got)
	}
}

// TestUnreplaceableEstimatesAreBounded leaves events unread: a bounded number waits, the rest fail at the
// sender, and every one has exactly one fate.
func TestUnreplaceableEstimatesAreBounded(t *testing.T) {
	t.Parallel()
	slow, err := Open(testConfig(t, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	a := newPeer(t, "a")
	a.mesh.noteAddrs(slow.host.ID(), slow.announcement(false).Addrs)
	slow.SetNeighbours(1, []consensus.Peer{a.id()})
	a.mesh.SetNeighbours(1, []consensus.Peer{slow.ID()})
	next[Up](t, a)
	const n = 60
	for seq := uint64(1); seq <= n; seq++ {
		a.mesh.Send(slow.ID(), estimate(seq), false)
	}
	var got []uint64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range slow.Events() {
			if in, ok := event.(Inbound); ok {
				got = append(got, in.Message.(consensus.Estimate).Seq)
			}
		}
	}()
	eventually(t, "an answer to every estimate", func() bool { return fates(a) == n })
	slow.Close()
	<-ended
	if !slices.IsSorted(got) {
		t.Errorf("came in the order %v", got)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fate := map[uint64]int{}
	overflow := 0
	for _, event := range a.log {
		switch event := event.(type) {
		case Delivered:
			fate[event.Seq]++
		case Undelivered:
			fate[event.Seq]++
			if event.Reason == Overflow {
				overflow++
			}
		}
	}
	for seq := uint64(1); seq <= n; seq++ {
		if fate[seq] != 1 {
			t.Errorf("estimate %d has %d fates", seq, fate[seq])
		}
	}
	if most := n - outboxEstimates; overflow < most-inFlight-waitingEstimates-2 || overflow > most {
		t.Errorf("%d of %d estimates overflowed", overflow, n)
	}
}

// fates counts the answers to estimates.
func fates(p *testPeer) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	answered := 0
	for _, event := range p.log {
		switch event.(type) {
		case Delivered, Undelivered:
			answered++
		}
	}
	return answered
}

func TestSendToNobody(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	for i, to := range []consensus.Peer{"no peer id", a.id(), testConfig(t, "b").Key.Peer()} {
		a.mesh.Send(to, consensus.Intent{}, false)
		a.mesh.Send(to, estimate(uint64(i+1)), true)
		if got := next[Undelivered](t, a); got != (Undelivered{To: to, Seq: uint64(i + 1), Reason: LinkDown}) {
			t.Errorf("%+v", got)
		}
	}
	if err := a.mesh.SetNeighbours(1, []consensus.Peer{"no peer id"}); err == nil {
		t.Error("a neighbour that is no peer id is accepted")
	}
	if err := a.mesh.SetNeighbours(1, []consensus.Peer{a.id()}); err == nil {
		t.Error("a peer is its own neighbour")
	}
}

// TestOversizedEstimateIsTheSendersFault sends a vector of another length than the run's.
func TestOversizedEstimateIsTheSendersFault(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	a.mesh.Send(b.id(), consensus.Estimate{Seq: 1, Params: []float32{1}}, true)
	if got := next[Undelivered](t, a); got != (Undelivered{To: b.id(), Seq: 1, Reason: Refused}) {
		t.Errorf("%+v", got)
	}
	a.mesh.Send(b.id(), estimate(2), true)
	await(t, a, func(e Delivered) bool { return e.Seq == 2 })
}

func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	c := testConfig(t, "b")
	b := openPeer(t, c)
	connect(t, a, b)
	for life := range 3 {
		a.mesh.Send(b.id(), estimate(uint64(life+1)), false)
		await(t, a, func(e Delivered) bool { return e.Seq == uint64(life+1) })
		b.mesh.host.Close() // no goodbye
		if down := next[Down](t, a); down.Peer != b.id() || down.Reason != DownLost {
			t.Errorf("%+v", down)
		}
		a.mesh.Send(b.id(), estimate(100), false)
		if got := next[Undelivered](t, a); got.Reason != LinkDown || got.Seq != 100 {
			t.Errorf("%+v", got)
		}
		b.mesh.Close()
		b = openPeer(t, c) // the same key, another port
		b.mesh.noteAddrs(a.key.id, a.mesh.announcement(false).Addrs)
		b.mesh.SetNeighbours(1, []consensus.Peer{a.id()})
		next[Up](t, a)
		next[Up](t, b)
	}
}

func TestGoodbye(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	eventually(t, "two members", func() bool { return len(a.mesh.Members()) == 2 })
	if err := b.mesh.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := b.mesh.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if down := next[Down](t, a); down.Reason != DownLeft {
		t.Errorf("%+v", down)
	}
	eventually(t, "one member", func() bool { return len(a.mesh.Members()) == 1 })
}

func TestRewire(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	for range 3 {
		a.mesh.SetNeighbours(2, nil)
		if down := next[Down](t, a); down.Reason != DownRewired {
			t.Errorf("%+v", down)
		}
		next[Down](t, b)
		a.mesh.SetNeighbours(3, []consensus.Peer{b.id()})
		next[Up](t, a)
		next[Up](t, b)
	}
}

// TestRandomStartOrder starts eight peers that want a ring with chords, in any order and at once, and
// each before it knows whether the others are there.
func TestRandomStartOrder(t *testing.T) {
	t.Parallel()
	const n = 8
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	peers := make([]*testPeer, n)
	for i := range peers {
		peers[i] = newPeer(t, fmt.Sprint("peer", i))
	}
	var wg sync.WaitGroup
	for _, i := range random.Perm(n) {
		delay := time.Duration(random.IntN(200)) * time.Millisecond
		wg.Go(func() {
			time.Sleep(delay)
			var neighbours []consensus.Peer
			for _, step := range []int{1, 2, 4, n - 1, n - 2} {
				other := peers[(i+step)%n]
				peers[i].mesh.noteAddrs(other.key.id, other.mesh.announcement(false).Addrs)
				neighbours = append(neighbours, other.id())
			}
			if err := peers[i].mesh.SetNeighbours(1, neighbours); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, p := range peers {
		eventually(t, fmt.Sprintf("all edges of peer %d, seed %d", i, seed), func() bool {
			return len(p.mesh.Stats().Neighbours) == 5
		})
	}
}

func TestMembersFindEachOther(t *testing.T) {
	t.Parallel()
	const n = 5
	first := newPeer(t, "peer0")
	peers := []*testPeer{first}
	for i := 1; i < n; i++ {
		peers = append(peers, newPeer(t, fmt.Sprint("peer", i), func(c *Config) {
			c.Hello.RunName = first.mesh.config.Hello.RunName
			c.Peers = first.mesh.Addrs()
		}))
	}
	for _, p := range peers {
		members := await(t, p, func(e MembersChanged) bool { return len(e.Members) == n }).Members
		for i, m := range members {
			if i > 0 && members[i-1].Peer >= m.Peer || !strings.HasPrefix(m.Name, "peer") {
				t.Errorf("members %+v", members)
			}
		}
	}
	// Members that know each other only by hearsay can become neighbours.
	last := peers[n-1]
	last.mesh.SetNeighbours(1, []consensus.Peer{peers[1].id()})
	peers[1].mesh.SetNeighbours(1, []consensus.Peer{last.id()})
	next[Up](t, last)
	last.mesh.Announce(wire.Summary{Steps: 77})
	for _, p := range peers[:n-1] {
		heard := await(t, p, func(h Heard) bool { return h.From == last.id() })
		if heard.Summary.Steps != 77 || heard.Summary.Name != last.mesh.config.Hello.Name {
			t.Errorf("%+v", heard)
		}
	}
	last.mesh.host.Close() // no goodbye: it falls silent
	for _, p := range peers[:n-1] {
		eventually(t, "the silent member to be dropped", func() bool { return len(p.mesh.Members()) == n-1 })
	}
}

func TestOccupiedPort(t *testing.T) {
	t.Parallel()
	a := newPeer(t, "a")
	c := testConfig(t, "b")
	c.Listen = []string{strings.Split(a.mesh.Addrs()[0], "/p2p/")[0]}
	_, err := Open(c)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "cannot listen on "+c.Listen[0]+": in use") {
		t.Errorf("error is %v", err)
	}
}

func TestQUIC(t *testing.T) {
	t.Parallel()
	quic := func(c *Config) { c.Listen = []string{"/ip4/127.0.0.1/udp/0/quic-v1"} }
	both := func(c *Config) { c.Listen = []string{"/ip4/127.0.0.1/udp/0/quic-v1", "/ip4/127.0.0.1/tcp/0"} }
	for name, listen := range map[string]func(*Config){"udp": quic, "tcp": both} {
		a, b := newPeer(t, "a", listen), newPeer(t, "b", listen)
		connect(t, a, b)
		for _, c := range a.mesh.host.Network().ConnsToPeer(b.key.id) {
			if !strings.Contains(c.RemoteMultiaddr().String(), name) {
				t.Errorf("connected through %s, want %s", c.RemoteMultiaddr(), name)
			}
		}
		a.mesh.Send(b.id(), estimate(1), false)
		await(t, a, func(e Delivered) bool { return e.Seq == 1 })
		a.mesh.Close()
		b.mesh.Close()
	}
}

// eventually waits for a condition that is not an event.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
