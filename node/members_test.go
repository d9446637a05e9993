package node

import (
	"slices"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/topology"
)

const forget = time.Minute

func alive(peers ...consensus.Peer) gossip.MembersChanged {
	var heard gossip.MembersChanged
	for _, p := range peers {
		heard.Members = append(heard.Members, gossip.Member{Peer: p, Name: "name of " + string(p)})
	}
	return heard
}

func expectList(t *testing.T, m members, want ...consensus.Peer) {
	t.Helper()
	if !slices.Equal(m.list, want) {
		t.Errorf("members are %v, want %v", m.list, want)
	}
}

func TestMembersThatLiveStayHoweverLongNothingChanges(t *testing.T) {
	m := newMembers("b", nil)
	now := time.Now()
	if !m.hear(alive("a", "b", "c"), now, forget) {
		t.Error("two new members are no change")
	}
	if m.refresh(now.Add(24*time.Hour), forget) {
		t.Error("a day without news is a change")
	}
	expectList(t, m, "a", "b", "c")
}

func TestMembersThatFallSilentKeepTheirPlaceForAWhile(t *testing.T) {
	m := newMembers("b", nil)
	now := time.Now()
	m.hear(alive("a", "b", "c"), now, forget)
	if m.hear(alive("a", "b"), now, forget) {
		t.Error("a silent member lost its place at once")
	}
	if m.refresh(now.Add(forget-1), forget) {
		t.Error("a silent member lost its place too early")
	}
	if !m.refresh(now.Add(forget), forget) {
		t.Error("a silent member kept its place")
	}
	expectList(t, m, "a", "b")
	want := []observe.Member{{Change: "evict", Peer: "c", Reason: "silent"}}
	if got := m.changes([]consensus.Peer{"a", "b", "c"}); !slices.Equal(got, want) {
		t.Errorf("changes are %v, want %v", got, want)
	}
}

func TestMembersThatComeBackAreNotForgotten(t *testing.T) {
	m := newMembers("b", nil)
	now := time.Now()
	m.hear(alive("a", "b"), now, forget)
	m.hear(alive("b"), now, forget)
	m.hear(alive("a", "b"), now.Add(forget/2), forget)
	m.refresh(now.Add(2*forget), forget)
	expectList(t, m, "a", "b")
}

func TestMembersThatSayGoodbyeGoAtOnce(t *testing.T) {
	now := time.Now()
	byNews := newMembers("b", nil)
	byNews.hear(alive("a", "b", "c"), now, forget)
	news := alive("a", "b")
	news.Left = []consensus.Peer{"c"}
	if !byNews.hear(news, now, forget) {
		t.Error("a goodbye that others told is no change")
	}
	byLink := newMembers("b", nil)
	byLink.hear(alive("a", "b", "c"), now, forget)
	if !byLink.leave("c", now, forget) {
		t.Error("the goodbye of a neighbour is no change")
	}
	for _, m := range []members{byNews, byLink} {
		expectList(t, m, "a", "b")
		want := []observe.Member{{Change: "leave", Peer: "c"}}
		if got := m.changes([]consensus.Peer{"a", "b", "c"}); !slices.Equal(got, want) {
			t.Errorf("changes are %v, want %v", got, want)
		}
	}
	byLink.hear(alive("a", "b", "c"), now, forget)
	expectList(t, byLink, "a", "b", "c") // and may come back
}

func TestFixedMembersDoNotChange(t *testing.T) {
	m := newMembers("b", []string{"c", "b", "a"})
	if m.hear(alive("b", "d"), time.Now(), forget) {
		t.Error("a stranger changed a fixed list")
	}
	expectList(t, m, "c", "b", "a")
	line := topology.New(3)
	for _, edge := range [][2]int{{0, 1}, {1, 2}} {
		if err := line.Add(edge[0], edge[1], 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.neighbours(line); !slices.Equal(got, []consensus.Peer{"c", "a"}) {
		t.Errorf("neighbours of the middle are %v", got)
	}
}

func TestEpochsAreEqualForEqualListsOnly(t *testing.T) {
	now := time.Now()
	a, b, c := newMembers("a", nil), newMembers("b", nil), newMembers("ab", nil)
	a.hear(alive("a", "b"), now, forget)
	b.hear(alive("b", "a"), now, forget)
	if a.epoch() != b.epoch() {
		t.Error("equal lists have different epochs")
	}
	if a.epoch() == c.epoch() {
		t.Error("a,b and ab have one epoch")
	}
}

func TestNamesOfThoseWhoAreGoneAreForgotten(t *testing.T) {
	m := newMembers("b", nil)
	now := time.Now()
	for i := range 100 {
		m.hear(alive("b", consensus.Peer(rune('c'+i))), now.Add(time.Duration(i)*2*forget), forget)
	}
	if len(m.names) > 3 {
		t.Errorf("%d names are kept of 3 members", len(m.names))
	}
	if got := m.name("b"); got != "name of b" {
		t.Errorf("b is called %q", got)
	}
}
