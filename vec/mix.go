package vec

// Range is the half-open range of elements from Lo to Hi.
type Range struct{ Lo, Hi int }

// blockLen is the number of elements mixed before the next input is touched: three blocks of 8 KiB
// stay in the first-level cache while the inputs stream past.
const blockLen = 2048

// Mix returns x + sum_j weights[j] * (inputs[j] - x), the step of gossip averaging. The sum runs in the
// order of the inputs; inputs equal to x leave it as it is, to the bit. The result is written to dst,
// or to a new vector if dst is nil; it must overlap neither x nor an input. All lengths must be equal.
func Mix(dst, x, weights []float32, inputs [][]float32) []float32 {
	if dst == nil {
		dst = make([]float32, len(x))
	}
	MixRange(dst, x, weights, inputs, Range{Hi: len(x)})
	return dst
}

// MixRange does the elements of r of Mix, with the same bits as one call over all of them, so that
// several cores can share a mix by ranges.
func MixRange(dst, x, weights []float32, inputs [][]float32, r Range) {
	mustMatch(len(weights), len(inputs))
	mustMatch(len(x), len(dst))
	for _, in := range inputs {
		mustMatch(len(x), len(in))
	}
	for lo := r.Lo; lo < r.Hi; lo += blockLen {
		mixBlock(dst, x, weights, inputs, Range{lo, min(lo+blockLen, r.Hi)})
	}
}

// mixBlock takes the inputs four and two at a time, so that the block is read and written a few times
// instead of once an input.
func mixBlock(dst, x, weights []float32, inputs [][]float32, r Range) {
	x, dst = x[r.Lo:r.Hi], dst[r.Lo:r.Hi]
	cut := func(j int) []float32 { return inputs[j][r.Lo:r.Hi] }
	from, j := x, 0 // the first pass starts from x, the later ones continue in dst
	for ; j+4 <= len(inputs); j += 4 {
		mix4(dst, from, x, [4]float32(weights[j:j+4]), [4][]float32{cut(j), cut(j + 1), cut(j + 2), cut(j + 3)})
		from = dst
	}
	if j+2 <= len(inputs) {
		mix2(dst, from, x, [2]float32(weights[j:j+2]), [2][]float32{cut(j), cut(j + 1)})
		from, j = dst, j+2
	}
	if j < len(inputs) {
		mix1(dst, from, x, weights[j], cut(j))
	} else if j == 0 {
		copy(dst, x)
	}
}

func mix1(dst, from, x []float32, w float32, a []float32) {
	from, x, a = from[:len(dst)], x[:len(dst)], a[:len(dst)] // one bounds check for all of them
	for i := range dst {
		dst[i] = from[i] + float32(w*(a[i]-x[i]))
	}
}

func mix2(dst, from, x []float32, w [2]float32, in [2][]float32) {
	a, b := in[0][:len(dst)], in[1][:len(dst)]
	from, x = from[:len(dst)], x[:len(dst)]
	wa, wb := w[0], w[1]
	for i := range dst {
		xi := x[i]
		dst[i] = from[i] + float32(wa*(a[i]-xi)) + float32(wb*(b[i]-xi))
	}
}

func mix4(dst, from, x []float32, w [4]float32, in [4][]float32) {
	a, b, c, d := in[0][:len(dst)], in[1][:len(dst)], in[2][:len(dst)], in[3][:len(dst)]
	from, x = from[:len(dst)], x[:len(dst)]
	wa, wb, wc, wd := w[0], w[1], w[2], w[3]
	for i := range dst {
		xi := x[i]
		dst[i] = from[i] + float32(wa*(a[i]-xi)) + float32(wb*(b[i]-xi)) +
			float32(wc*(c[i]-xi)) + float32(wd*(d[i]-xi))
	}
}
