package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits on data files, far above what a peer can use, so that a wrong or hostile file ends in an error
// and not in a machine without memory.
const (
	maxBytes    = 4 << 30 // of a file, after decompression
	maxRows     = 50_000_000
	maxFeatures = 1 << 20
	maxCells    = 1 << 29 // inputs of all rows
)

// inflate returns r, decompressed if it starts like a gzip file, whatever its name.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	magic, _ := b.Peek(2) // a file too short to tell is not compressed; reading it tells what is wrong
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return &limited{r: b, left: maxBytes}, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return &limited{r: z, left: maxBytes}, nil
}

// limited fails, instead of ending, after a number of bytes.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("longer than %d bytes after decompression", int64(maxBytes))
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// quoteSome returns the first names, quoted, for an error message.
func quoteSome(names []string) string {
	const most = 12
	quoted := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(names) > most {
		quoted = append(quoted, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(quoted, ", ")
}
