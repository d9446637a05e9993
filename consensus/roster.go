package consensus

// Roster tells where the members of a list are in its graph. Machines of one process can share it: a
// network of many peers does not hold the list again at each of them. Nobody writes it.
type Roster struct {
	vertex map[Peer]int // read, never ranged over
	slow   []bool       // by vertex
	twice  []Peer       // members that are listed again
}

// NewRoster makes the roster of a member list and of those of its members that are known to be slow.
func NewRoster(members, slow []Peer) *Roster {
	r := &Roster{vertex: make(map[Peer]int, len(members)), slow: make([]bool, len(members))}
	for i, name := range members {
		if _, known := r.vertex[name]; known {
			r.twice = append(r.twice, name)
		}
		r.vertex[name] = i
	}
	for _, name := range slow {
		if i, ok := r.vertex[name]; ok {
			r.slow[i] = true
		}
	}
	return r
}
