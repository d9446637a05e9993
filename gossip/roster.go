package gossip

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// roster is the list of live members, as far as this peer knows.
type roster struct {
	self  consensus.Peer
	limit int // members it remembers; more are ignored

	mu    sync.Mutex
	known map[consensus.Peer]*record
	left  map[consensus.Peer]time.Time // said goodbye; hearsay does not bring them back
}

type record struct {
	member Member
	heard  time.Time
}

func newRoster(self Member, limit int, now time.Time) *roster {
	return &roster{
		self:  self.Peer,
		limit: limit,
		known: map[consensus.Peer]*record{self.Peer: {member: self, heard: now}},
		left:  map[consensus.Peer]time.Time{},
	}
}

// hear notes a member that was heard itself, and tells whether the list changed.
func (r *roster) hear(m Member, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, m.Peer)
	return r.note(m, now)
}

// hearsay notes a member of which another one told: it never overrides what is known.
func (r *roster) hearsay(m Member, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, left := r.left[m.Peer]
	if _, known := r.known[m.Peer]; known || left {
		return false
	}
	return r.note(m, now)
}

func (r *roster) note(m Member, now time.Time) bool {
	old, known := r.known[m.Peer]
	if !known {
		if len(r.known) >= r.limit {
			return false
		}
		r.known[m.Peer] = &record{member: m, heard: now}
		return true
	}
	if m.Peer != r.self && now.After(old.heard) {
		old.heard = now
	}
	if len(m.Addrs) == 0 { // a hello tells the name alone
		m.Addrs = old.member.Addrs
	}
	changed := m.Name != old.member.Name || !slices.Equal(m.Addrs, old.member.Addrs)
	old.member = m
	return changed
}

// leave removes a member that said goodbye.
func (r *roster) leave(p consensus.Peer, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p == r.self {
		return false
	}
	if len(r.left) < r.limit {
		r.left[p] = now
	}
	_, known := r.known[p]
	delete(r.known, p)
	return known
}

// expire removes members that were not heard for a time and whose link is not up.
func (r *roster) expire(now time.Time, after time.Duration, up map[consensus.Peer]bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for p, known := range r.known {
		if p != r.self && !up[p] && now.Sub(known.heard) > after {
			delete(r.known, p)
			changed = true
		}
	}
	for p, at := range r.left {
		if now.Sub(at) > after {
			delete(r.left, p)
		}
	}
	return changed
}

// members returns the list sorted by peer.
func (r *roster) members() []Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	members := make([]Member, 0, len(r.known))
	for _, known := range r.known {
		members = append(members, known.member)
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Peer, b.Peer) })
	return members
}

// list is the event that tells of the members and of those that said goodbye.
func (r *roster) list() MembersChanged {
	changed := MembersChanged{Members: r.members()}
	r.mu.Lock()
	defer r.mu.Unlock()
	changed.Left = slices.Sorted(maps.Keys(r.left))
	return changed
}

func (r *roster) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known)
}
