package topology

// cube is a mixed-radix hypercube: peers are numbers whose digits have the given bases, and in round l
// those average that differ in digit l alone. After the last round all are equal.
type cube []int

// newCube writes n as a product of as few factors as possible, none above most. There is no such
// product if n has a larger prime factor.
func newCube(n, most int) (cube, bool) {
	smooth, _ := split(n, most)
	if smooth != n {
		return nil, false
	}
	for length := 0; ; length++ {
		if factors, ok := factorise(n, length, most); ok {
			return factors, true
		}
	}
}

// factorise writes n as a product of length factors that do not increase, the first at most most.
func factorise(n, length, most int) (cube, bool) {
	if length == 0 {
		return nil, n == 1
	}
	for f := min(most, n); f >= 2; f-- {
		if n%f != 0 {
			continue
		}
		if rest, ok := factorise(n/f, length-1, f); ok {
			return append(cube{f}, rest...), true
		}
	}
	return nil, false
}

// split returns the part of n whose prime factors are at most most, and the rest.
func split(n, most int) (smooth, rest int) {
	smooth, rest = 1, n
	for f := 2; f <= min(most, rest); f++ {
		for rest%f == 0 {
			smooth, rest = smooth*f, rest/f
		}
	}
	return smooth, rest
}

// appendMates appends the mates of peer x among those of the cube. Peer y is called first + y*step.
func (c cube) appendMates(to []Mate, x, round, first, step int) []Mate {
	if round >= len(c) {
		return to
	}
	stride := 1
	for _, f := range c[:round] {
		stride *= f
	}
	own := x / stride % c[round]
	for digit := range c[round] {
		if digit != own {
			to = append(to, Mate{first + (x+(digit-own)*stride)*step, 1 / float64(c[round])})
		}
	}
	return to
}
