package topology

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readEdges reads an edge list: the number of peers on the first line, then "u v" or "u v weight" a
// line. Every line is an undirected edge, and may be repeated the other way round as decentralizepy
// does. A # starts a comment.
func readEdges(text []byte) (*draft, error) {
	d := &draft{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	number := 1
	for ; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if err := d.edgeLine(fields); err != nil {
			return nil, fmt.Errorf("%d: %w", number, err)
		}
	}
	if lines.Err() != nil { // the text is in memory: nothing else can go wrong
		return nil, fmt.Errorf("%d: longer than %d bytes", number, bufio.MaxScanTokenSize)
	}
	if d.n == 0 {
		return nil, fmt.Errorf("1: the file is empty: its first line gives the number of peers")
	}
	return d, nil
}

// edgeLine takes the first line that says something for the number of peers, the others for edges.
func (d *draft) edgeLine(fields []string) error {
	if d.n == 0 {
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) != 1 || n < 1 || n > MaxPeers {
			return fmt.Errorf("%q is not a number of peers: give 1 to %d alone on the first line",
				strings.Join(fields, " "), MaxPeers)
		}
		d.n = n
		return nil
	}
	if len(fields) != 2 && len(fields) != 3 {
		return fmt.Errorf("%q is not an edge: give two peers and perhaps a weight", strings.Join(fields, " "))
	}
	var ends [2]int
	for i := range ends {
		v, err := strconv.Atoi(fields[i])
		if err != nil || v < 0 || v >= d.n {
			return fmt.Errorf("%q is not a peer: peers are 0 to %d", fields[i], d.n-1)
		}
		ends[i] = v
	}
	weight := "1"
	if len(fields) == 3 {
		weight = fields[2]
	}
	e, err := checkedEdge(ends[0], ends[1], weight)
	if err != nil {
		return err
	}
	return d.add(e)
}

// checkedEdge refuses at its line what a graph would refuse later.
func checkedEdge(u, v int, weight string) (Edge, error) {
	if u == v {
		return Edge{}, fmt.Errorf("edge %d-%d: a peer is not its own neighbour", u, v)
	}
	w, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		return Edge{}, fmt.Errorf("weight %q is not a number", weight)
	}
	return Edge{U: u, V: v, Weight: w}, checkWeight(w)
}

// writeEdges writes what readEdges reads.
func writeEdges(g *Graph, w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d\n", g.N())
	for _, e := range g.Edges() {
		if e.Weight == 1 {
			fmt.Fprintf(out, "%d %d\n", e.U, e.V)
		} else {
			fmt.Fprintf(out, "%d %d %v\n", e.U, e.V, e.Weight)
		}
	}
	return out.Flush()
}
