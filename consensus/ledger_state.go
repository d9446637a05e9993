package consensus

import "fmt"

// LedgerState is what a link has given and taken; its amounts are the vectors "given/NAME/I", "taken/NAME/I"
// and "due/NAME".
type LedgerState struct {
	Base, Sent, From, Seen, Heard uint64
	Given, Taken                  []GiftState
	Due                           float64
}

// GiftState is one gift without its amount.
type GiftState struct {
	Seq           uint64
	Weight, Scale float64
}

// ledger saves the ledger of a link; nil: nothing is in it.
func (s *State) ledger(n *neighbour) *LedgerState {
	l := &n.ledger
	if len(l.given) == 0 && l.base == 0 && l.seen == 0 && l.due.weight == 0 && l.heard == 0 {
		return nil
	}
	s.vector("due/"+string(n.name), l.due.amount)
	return &LedgerState{
		Base: l.base, Sent: l.sent, From: l.from, Seen: l.seen, Heard: l.heard, Due: l.due.weight,
		Given: s.gifts("given/"+string(n.name), l.given), Taken: s.gifts("taken/"+string(n.name), l.taken),
	}
}

func (s *State) gifts(name string, all []gift) []GiftState {
	var saved []GiftState
	for i, g := range all {
		s.vector(fmt.Sprintf("%s/%d", name, i), g.amount)
		saved = append(saved, GiftState{g.seq, g.weight, g.scale})
	}
	return saved
}

// vector keeps a vector if there is one.
func (s *State) vector(name string, x []float32) {
	if x != nil {
		s.Vectors[name] = x
	}
}

// load takes the ledger of a link back.
func (l *ledger) load(s State, name Peer, saved *LedgerState) {
	if saved == nil {
		return
	}
	*l = ledger{
		base: saved.Base, sent: saved.Sent, from: saved.From, seen: saved.Seen, heard: saved.Heard,
		given: s.dressGifts("given/"+string(name), saved.Given), taken: s.dressGifts("taken/"+string(name), saved.Taken),
		due: gift{weight: saved.Due, amount: s.Vectors["due/"+string(name)]},
	}
	if l.due.amount == nil {
		l.due = gift{}
	}
}

func (s *State) dressGifts(name string, saved []GiftState) []gift {
	var all []gift
	for i, g := range saved {
		all = append(all, gift{g.Seq, s.Vectors[fmt.Sprintf("%s/%d", name, i)], g.Weight, g.Scale})
	}
	return all
}
