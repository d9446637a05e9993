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
	rest := payloadOf(p)
	if len(w.buffer)+rest.size()+checksumSize <= chunkSize { // one write for a small packet
		w.buffer = rest.appendTo(w.buffer)
		w.buffer = binary.LittleEndian.AppendUint32(w.buffer, crc32.Checksum(w.buffer, castagnoli))
		return w.out.Write(w.buffer)
	}
	return w.writeChunks(rest)
}

// writeChunks writes the head in the buffer, the payload and the checksum.
func (w *Writer) writeChunks(rest payload) (int, error) {
	sum, written := uint32(0), 0
	for chunk := w.buffer; len(chunk) > 0; {
		sum = crc32.Update(sum, castagnoli, chunk)
		n, err := w.out.Write(chunk)
		written += n
		if err != nil {
			return written, err
		}
		chunk = rest.next(w.buffer)
	}
	n, err := w.out.Write(binary.LittleEndian.AppendUint32(w.buffer[:0], sum))
	return written + n, err
}
