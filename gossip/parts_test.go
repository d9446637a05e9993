package gossip

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/wire"
)

func TestOutboxKeepsOrder(t *testing.T) {
	o := newOutbox()
	put := func(m consensus.Message, replace bool) (*letter, UndeliveredReason) {
		dropped, reason, full := o.put(newLetter(m, replace))
		if full {
			t.Error("full")
		}
		return dropped, reason
	}
	put(estimate(1), true)
	put(consensus.Intent{Round: 1}, true) // replace means nothing here
	if dropped, reason := put(estimate(2), true); dropped == nil || dropped.seq != 1 || reason != Replaced {
		t.Errorf("dropped %+v, %s", dropped, reason)
	}
	put(consensus.Intent{Round: 2}, false)
	put(estimate(3), false)
	if dropped, _ := put(estimate(4), true); dropped == nil || dropped.seq != 2 {
		t.Errorf("dropped %+v", dropped)
	}
	put(consensus.Intent{Round: 3}, false)
	var got []string
	for {
		l, ok := o.take()
		if !ok {
			break
		}
		got = append(got, fmt.Sprintf("%T", l.message)+fmt.Sprint(l.seq))
	}
	want := "[consensus.Intent0 consensus.Intent0 consensus.Estimate3 consensus.Estimate4 consensus.Intent0]"
	if fmt.Sprint(got) != want {
		t.Errorf("taken %v, want %s", got, want)
	}
}

func TestOutboxWindow(t *testing.T) {
	o := newOutbox()
	for seq := uint64(1); seq <= outboxEstimates; seq++ {
		o.put(newLetter(estimate(seq), false))
	}
	dropped, reason, _ := o.put(newLetter(estimate(99), false))
	if dropped == nil || dropped.seq != 99 || reason != Overflow {
		t.Errorf("dropped %+v, %s", dropped, reason)
	}
	for seq := uint64(1); seq <= inFlight; seq++ {
		if l, ok := o.take(); !ok || l.seq != seq {
			t.Errorf("took %+v, want %d", l, seq)
		}
	}
	if l, ok := o.take(); ok {
		t.Errorf("took %+v beyond the window", l)
	}
	if _, ok := o.landed(99); ok {
		t.Error("an estimate landed that never flew")
	}
	if l, ok := o.landed(1); !ok || l.seq != 1 {
		t.Errorf("landed %+v", l)
	}
	if l, ok := o.take(); !ok || l.seq != inFlight+1 {
		t.Errorf("took %+v", l)
	}
	o.put(newLetter(consensus.Intent{}, false))
	left := o.close()
	if len(left) != outboxEstimates-1 || left[0].seq != 2 || left[len(left)-1].seq != outboxEstimates {
		t.Errorf("left %+v", left)
	}
	if dropped, reason, _ := o.put(newLetter(estimate(100), true)); dropped == nil || reason != LinkDown {
		t.Errorf("a closed outbox took an estimate: %+v, %s", dropped, reason)
	}
}

func TestQueueReplacesAndSeals(t *testing.T) {
	q := newQueue()
	put := func(seq uint64) bool {
		return q.replace(latestEstimate("p"), func(Event) Event { return Delivered{Seq: seq} })
	}
	if put(1) || !put(2) {
		t.Error("the first replaced something, or the second nothing")
	}
	q.seal(latestEstimate("p"))
	q.put(Down{Peer: "p"})
	if put(3) || !put(4) {
		t.Error("an event was replaced across a seal")
	}
	for _, want := range []Event{Delivered{Seq: 2}, Down{Peer: "p"}, Delivered{Seq: 4}} {
		if got, ok := q.next(); !ok || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if put(5) {
		t.Error("an event that was taken is replaced")
	}
	q.close()
	if _, ok := q.next(); ok {
		t.Error("a closed queue gives events")
	}
}

func TestQueueHoldsUpOneNeighbour(t *testing.T) {
	q := newQueue()
	full := place{peer: "p", estimate: true}
	for range waitingEstimates {
		q.reserve(full)
		q.putReserved(Delivered{}, full)
	}
	if !q.reserve(place{peer: "p"}) || !q.reserve(place{peer: "q", estimate: true}) {
		t.Error("closed")
	}
	passed := make(chan bool)
	go func() { passed <- q.reserve(full) }()
	select {
	case <-passed:
		t.Fatal("a full share lets one more in")
	case <-time.After(20 * time.Millisecond):
	}
	q.next()
	if !<-passed {
		t.Error("closed")
	}
	go func() { passed <- q.reserve(full) }()
	q.close()
	if <-passed {
		t.Error("a closed queue gives a place")
	}
}

func TestQueueCrowd(t *testing.T) {
	q := newQueue()
	for range crowd {
		q.put(Down{})
	}
	passed := make(chan bool)
	go func() { passed <- q.awaitRoom() }()
	q.next()
	if !<-passed {
		t.Error("no room after an event was taken")
	}
	q.close()
	if q.put(Down{}); q.awaitRoom() {
		t.Error("a closed queue has room")
	}
}

func TestRoster(t *testing.T) {
	now := time.Unix(1000, 0)
	r := newRoster(Member{Peer: "self", Name: "me"}, 4, now)
	check := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: changed is %v", what, got)
		}
	}
	b := Member{Peer: "b", Name: "lab", Addrs: []string{"/ip4/1.1.1.1/tcp/1"}}
	check("new", r.hear(b, now), true)
	check("same", r.hear(b, now.Add(time.Second)), false)
	check("no addresses", r.hear(Member{Peer: "b", Name: "lab"}, now.Add(time.Second)), false)
	check("other name", r.hear(Member{Peer: "b", Name: "lab2"}, now.Add(time.Second)), true)
	if got := r.members(); len(got) != 2 || got[0].Peer != "b" || got[0].Addrs[0] != b.Addrs[0] || got[1].Peer != "self" {
		t.Errorf("members %+v", got)
	}
	check("hearsay of a known one", r.hearsay(Member{Peer: "b", Name: "liar"}, now), false)
	check("hearsay", r.hearsay(Member{Peer: "c"}, now), true)
	check("leave", r.leave("c", now), true)
	check("leave again", r.leave("c", now), false)
	check("hearsay of one that left", r.hearsay(Member{Peer: "c"}, now), false)
	check("it comes back itself", r.hear(Member{Peer: "c"}, now), true)
	check("self leaves", r.leave("self", now), false)
	check("expire, up", r.expire(now.Add(time.Hour), time.Minute, map[consensus.Peer]bool{"b": true}), true)
	if got := r.members(); len(got) != 2 || got[0].Peer != "b" {
		t.Errorf("after expiry %+v", got)
	}
	check("fits", r.hear(Member{Peer: "d"}, now), true)
	check("fits", r.hear(Member{Peer: "e"}, now), true)
	check("one too many", r.hear(Member{Peer: "f"}, now), false)
	if n := r.size(); n != 4 {
		t.Errorf("%d members", n)
	}
}

func TestOffencesDecay(t *testing.T) {
	o := newOffences(time.Minute)
	now := time.Unix(1000, 0)
	for i := range 100 { // one bad packet a minute is tolerated for ever
		if o.add("slow", smallOffence, now.Add(time.Duration(i)*time.Minute)) {
			t.Fatalf("banned after %d", i)
		}
	}
	n := 0
	for !o.add("fast", smallOffence, now) {
		n++
	}
	if n+1 != int(tolerance) {
		t.Errorf("banned after %d bad packets", n+1)
	}
	if !o.banned("fast", now.Add(59*time.Second)) || o.banned("fast", now.Add(61*time.Second)) || o.banned("slow", now) {
		t.Error("the ban is not a minute of the one peer")
	}
	for i := range 3 * offenders {
		o.add(peer.ID(fmt.Sprint(i)), smallOffence, now)
	}
	if len(o.scores) > offenders {
		t.Errorf("%d scores are kept", len(o.scores))
	}
}

func TestBackoff(t *testing.T) {
	b := &backoff{
		least: 100 * time.Millisecond, most: 10 * time.Second, next: 100 * time.Millisecond, random: seed.Stream(1),
	}
	within := func(what string, err error, most time.Duration) {
		t.Helper()
		if d := b.delay(err); d < most/2 || d > most {
			t.Errorf("%s: %v, want up to %v", what, d, most)
		}
	}
	down := errors.New("down")
	within("first", down, 100*time.Millisecond)
	within("second", down, 200*time.Millisecond)
	within("permanent refusal", &refusal{Refuse: wire.Refuse{Code: wire.CodeRun}}, 10*time.Second)
	within("third", fmt.Errorf("dial: %w", down), 400*time.Millisecond)
	for range 10 {
		b.delay(down)
	}
	within("bounded", down, 10*time.Second)
	within("temporary refusal", &refusal{Refuse: wire.Refuse{Code: wire.CodeStranger}}, hasty)
	within("lost", nil, 100*time.Millisecond)
	b.reset()
	within("after success", down, 100*time.Millisecond)
}

func TestBackoffIsKicked(t *testing.T) {
	b := &backoff{least: time.Millisecond, most: time.Hour, next: time.Hour, random: seed.Stream(1)}
	kick := make(chan struct{}, 1)
	kick <- struct{}{}
	b.wait(t.Context(), kick, errors.New("down")) // returns
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.wait(ctx, nil, errors.New("down")) // returns
}
