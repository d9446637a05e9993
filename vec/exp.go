package vec

import "math"

// ln2Hi + ln2Lo is ln 2 with 33 more bits than a float64 holds: k*ln2Hi is exact for every exponent k.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Exp returns e**x with an error below one unit in the last place and the same bits on every amd64
// machine. It takes the argument to |r| <= ln2/2 by Cody and Waite's reduction, e**x = 2**k * e**r, and
// e**r from a polynomial in r*r (Tang 1989; the coefficients are those of FreeBSD's e_exp.c).
func Exp(x float64) float64 {
	const (
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
	)
	switch {
	case x > overflow: // +Inf too
		return math.Inf(1)
	case x < underflow:
		return 0
	case x != x:
		return x
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	return math.Ldexp(expReduced(hi, lo), int(k))
}

// expReduced returns e**(hi-lo) for |hi-lo| <= ln2/2.
func expReduced(hi, lo float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	r := hi - lo
	t := float64(r * r)
	poly := float64(t * (p1 + float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	c := r - poly
	return 1 - ((lo - float64(r*c)/(2-c)) - hi)
}

// Log returns the natural logarithm of x with an error below one unit in the last place and the same
// bits on every amd64 machine: x = 2**k * (1+f) with 1+f in [sqrt(1/2), sqrt(2)), and log(1+f) from a
// polynomial in s = f/(2+f) (the coefficients are those of FreeBSD's e_log.c). Log(0) is -Inf and the
// logarithm of a negative number is NaN.
func Log(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	f1, exponent := math.Frexp(x)
	if f1 < math.Sqrt2/2 {
		f1 *= 2
		exponent--
	}
	return logReduced(f1-1, float64(exponent))
}

// logReduced returns k ln 2 + log(1+f).
func logReduced(f, k float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	even := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+(odd+even))) + float64(k*ln2Lo))) - f)
}
