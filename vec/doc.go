// Package vec holds the kernels over flat float32 vectors: clone, axpy, distance, checks and mixing, and
// an exponential and a logarithm whose bits are the same everywhere. It is pure: no goroutine, no clock.
//
// # One rule on reproducibility
//
// One seed gives the same bits on every amd64 machine, GOAMD64=v1 and v3 alike; on another
// architecture it gives the same bits from run to run. Everything that reaches a simulated result
// therefore obeys the following.
//
//   - Elements are computed one by one and sums run in the order of the inputs, so splitting a vector
//     in ranges changes nothing.
//   - A product that feeds a sum is converted explicitly, as in float32(x*y) + z. The conversion
//     forbids the compiler to fuse the two into one rounding, which it does on v3 and arm64 alone.
//     (internal/tidy looks for fused instructions in what the compiler makes of the pure rooms.)
//   - math.Exp, Log, Pow and Tanh choose their instructions at run time and are never called: Exp and
//     Log of this package replace them. math.Sqrt, Floor and Abs are exact and welcome.
package vec
