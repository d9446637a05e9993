package wire

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Writer writes packets to a stream, estimates in chunks, so that a deadline can be set anew for
// every write and nothing is copied whole.
type Writer struct {
	out    io.Writer
	format Format
	buffer []byte
}

// NewWriter returns a writer of packets of one format.
func NewWriter(out io.Writer, f Format) *Writer {
	return &Writer{out: out, format: f}
}

// Write writes one packet and returns its length in bytes. An *Error means that nothing was written.
func (w *Writer) Write(p Packet) (int, error) {
	buffer, err := w.format.appendHead(w.buffer[:0], p)
	w.buffer = buffer
	if err != nil {
		return 0, err
	}
	params, _ := payload(p)
	written, sum := 0, uint32(0)
	for len(params) > 0 {
		n := min(len(params), (chunkSize-len(w.buffer))/4)
		w.buffer = appendFloats(w.buffer, params[:n])
		params = params[n:]
		if len(params) == 0 && len(w.buffer)+checksumSize <= chunkSize {
			break
		}
		sum = crc32.Update(sum, castagnoli, w.buffer)
		if _, err := w.out.Write(w.buffer); err != nil {
			return written, err
		}
		written += len(w.buffer)
		w.buffer = w.buffer[:0]
	}
	sum = crc32.Update(sum, castagnoli, w.buffer)
	w.buffer = binary.LittleEndian.AppendUint32(w.buffer, sum)
	n, err := w.out.Write(w.buffer)
	return written + n, err
}
