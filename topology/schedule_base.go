package topology

// base is the base-(k+1) graph (Takezawa and others 2023): for any number of peers, after a few rounds in
// which nobody has more than k neighbours all estimates are equal. The peers are copies of a ladder: first
// each copy becomes equal inside, then the peers of one place across copies.
type base struct {
	one    ladder // a copy
	size   int    // of it
	across cube   // the copies
	period int
}

func newBase(s ScheduleSpec, g *Graph, _ []bool) (plan, error) {
	most := max(1, s.Size) + 1
	n := max(1, g.N())
	straight := base{one: newLadder(n, most), size: n}
	straight.period = straight.one.rounds()
	smooth, rest := split(n, most)
	across, _ := newCube(smooth, most)
	folded := base{one: newLadder(rest, most), size: rest, across: across}
	folded.period = folded.one.rounds() + len(across)
	if folded.period < straight.period {
		return folded, nil
	}
	return straight, nil
}

func (b base) appendMates(to []Mate, v int, round uint64) []Mate {
	if b.period == 0 {
		return to
	}
	r := int(round % uint64(b.period))
	place, copied := v%b.size, v/b.size
	if r < b.one.rounds() {
		return b.one.appendMates(to, place, r, v-place)
	}
	return b.across.appendMates(to, copied, r-b.one.rounds(), place, b.size)
}

func (b base) links(g *Graph) (*Graph, error) { return unite(g.N(), b.period, b) }

// ladder is the simple base-(k+1) graph. Its parts are the digits of the number of peers, the highest
// first. Each part averages inside. Then part after part gives to all that follow: everybody in those
// averages with one peer in each block of the giver, with weights that give it the right share of the
// giver's mean, and each block of the giver the mean of all. Last each block averages inside.
type ladder struct {
	parts []part
	inner int // rounds until every part has averaged inside
}

// part is peers first to first+size-1 in equal blocks.
type part struct {
	first, size, block int
	total              int  // size of this and all later parts
	whole, inside      cube // of the part, of a block
}

func newLadder(n, most int) ladder {
	if c, ok := newCube(n, most); ok {
		return ladder{parts: []part{{size: n, block: n, total: n, whole: c}}, inner: len(c)}
	}
	block := 1
	for block*most <= n {
		block *= most
	}
	var l ladder
	for first := 0; first < n; block /= most {
		digit := (n - first) / block
		if digit == 0 {
			continue
		}
		p := part{first: first, size: digit * block, block: block, total: n - first}
		p.whole, _ = newCube(p.size, most)
		p.inside, _ = newCube(block, most)
		l.parts = append(l.parts, p)
		l.inner = max(l.inner, len(p.whole))
		first += p.size
	}
	return l
}

// rounds returns the number of rounds after which all are equal.
func (l ladder) rounds() int {
	rounds := l.inner
	for i, p := range l.parts[:len(l.parts)-1] {
		rounds = max(rounds, l.inner+i+1+len(p.inside))
	}
	return rounds
}

// appendMates appends the mates of x; peer y is called first + y.
func (l ladder) appendMates(to []Mate, x, round, first int) []Mate {
	i := 0
	for x >= l.parts[i].first+l.parts[i].size {
		i++
	}
	own := l.parts[i]
	if round < l.inner {
		return own.whole.appendMates(to, x-own.first, round, first+own.first, 1)
	}
	giver := round - l.inner
	last := i == len(l.parts)-1
	switch {
	case giver < i:
		return l.parts[giver].appendGivers(to, x, first)
	case giver == i && !last:
		return own.appendTaker(to, x, first)
	case giver > i && !last:
		start := own.first + (x-own.first)/own.block*own.block
		return own.inside.appendMates(to, x-start, giver-i-1, first+start, 1)
	default:
		return to
	}
}

// share is the weight between a peer of a later part and one of a block.
func (p part) share() float64 { return float64(p.block) / float64(p.total) }

// appendGivers appends those peers of p that x of a later part averages with, one of each block.
func (p part) appendGivers(to []Mate, x, first int) []Mate {
	place := x - (p.first + p.size)
	for start := p.first; start < p.first+p.size; start += p.block {
		to = append(to, Mate{first + start + place, p.share()})
	}
	return to
}

// appendTaker appends the peer of a later part that x of p averages with, if there is one for its place.
func (p part) appendTaker(to []Mate, x, first int) []Mate {
	place := (x - p.first) % p.block
	if place >= p.total-p.size {
		return to
	}
	return append(to, Mate{first + p.first + p.size + place, p.share()})
}
