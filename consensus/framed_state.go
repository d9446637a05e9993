package consensus

import "fmt"

// TrackState is what is known about the frames of one link. The vectors are "base/NAME/SEQ",
// "flying/NAME/SEQ" and "heard/NAME/SEQ", and with "/meant" what a frame was to say.
type TrackState struct {
	Base, Flying, Heard []VersionState
	Held                bool
	SentAt, Unread      uint64
	Turn                int
}

// VersionState is an estimate as both ends of a link have it.
type VersionState struct {
	Seq  uint64
	Core []uint32
	Age  int
}

// track adds what is known about the frames of a link; nil: nothing is.
func (s *State) track(n *neighbour) *TrackState {
	t := &n.track
	if t.base == nil && len(t.flying) == 0 && len(t.heard) == 0 && t.unread == 0 {
		return nil
	}
	saved := &TrackState{Held: t.held, SentAt: t.sentAt, Unread: t.unread, Turn: t.turn}
	if t.base != nil {
		saved.Base = s.versions("base", n.name, []*version{t.base})
	}
	saved.Flying = s.versions("flying", n.name, t.flying)
	saved.Heard = s.versions("heard", n.name, t.heard)
	return saved
}

func (s *State) versions(what string, of Peer, all []*version) []VersionState {
	var saved []VersionState
	for _, v := range all {
		name := versionName(what, of, v.seq)
		s.Vectors[name] = v.said
		if v.meant != nil {
			s.Vectors[name+"/meant"] = v.meant
		}
		saved = append(saved, VersionState{Seq: v.seq, Core: v.core, Age: v.age})
	}
	return saved
}

// load takes up the frames of a link that is still up. What was not saved counts as not arrived.
func (t *track) load(s State, of Peer, saved *TrackState) {
	if saved == nil {
		return
	}
	t.held, t.sentAt, t.unread, t.turn = saved.Held, saved.SentAt, saved.Unread, saved.Turn
	if base := s.loadVersions("base", of, saved.Base); len(base) > 0 {
		t.base = base[0]
	}
	t.flying = s.loadVersions("flying", of, saved.Flying)
	t.heard = s.loadVersions("heard", of, saved.Heard)
}

func (s *State) loadVersions(what string, of Peer, saved []VersionState) []*version {
	var all []*version
	for _, v := range saved {
		name := versionName(what, of, v.Seq)
		if said := s.Vectors[name]; said != nil {
			all = append(all, &version{
				seq: v.Seq, meant: s.Vectors[name+"/meant"], said: said, core: v.Core, age: v.Age,
			})
		}
	}
	return all
}

func versionName(what string, of Peer, seq uint64) string {
	return fmt.Sprintf("%s/%s/%d", what, of, seq)
}
