package wire

import "fmt"

// Reason says why a packet was refused. The set is closed, so that it can label a metric.
type Reason string

// Reasons. Token is a peer that may not be here (another run, a stranger, a banned one); Schema is
// what cannot be understood or is of another model; NaN is a value that is not finite; Checksum is
// damage on the way; Replay is an estimate that is not newer than the last one; Size is a length
// outside the limits.
const (
	Token    Reason = "token"
	Schema   Reason = "schema"
	NaN      Reason = "nan"
	Checksum Reason = "checksum"
	Replay   Reason = "replay"
	Size     Reason = "size"
)

// Reasons lists the closed set in its order on the wire, where 0 is "no reason".
func Reasons() []Reason { return []Reason{Token, Schema, NaN, Checksum, Replay, Size} }

// Error is a refused packet.
type Error struct {
	Reason Reason
	Detail string
	// Lost says that the reader cannot tell where the next packet starts: the stream is to be closed.
	// Otherwise the packet was read to its end and reading can go on.
	Lost bool
	// Seq is the number of a refused estimate whose checksum was right, so that it can be answered.
	Seq uint64
}

// Error gives the reason and the detail.
func (e *Error) Error() string { return string(e.Reason) + ": " + e.Detail }

func refused(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

func lost(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...), Lost: true}
}
