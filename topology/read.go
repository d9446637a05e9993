package topology

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// ReadOptions say how a topology file is understood.
type ReadOptions struct {
	// Undirected takes a directed edge for both directions; without it a directed file must hold the
	// reverse of every edge.
	Undirected bool
}

// formats are the topology files that can be read and written, by extension. A limit on the bytes keeps
// what a parser builds of a hostile file within about a gigabyte.
var formats = []struct {
	name  string
	limit int64
	read  func([]byte) (*draft, error)
	write func(*Graph, io.Writer) error
}{
	{"edges", 256 << 20, readEdges, writeEdges},
	{"dot", 4 << 20, readDOT, writeDOT},
	{"json", 16 << 20, readNodeLink, writeNodeLink},
}

// Formats returns the formats that Read and Write know, which are the extensions of their files: an
// edge list, Graphviz DOT, and the node-link JSON of networkx.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Read reads a topology file; the extension of name tells its format. Peers that are not called 0 to
// N-1 are numbered in the order in which they appear. Errors begin with the name and, where there is
// one, the line.
func Read(name string, r io.Reader, o ReadOptions) (*Graph, error) {
	extension := strings.TrimPrefix(filepath.Ext(name), ".")
	for _, f := range formats {
		if f.name != extension {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(r, f.limit+1))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if int64(len(text)) > f.limit {
			return nil, fmt.Errorf("%s: larger than %d MiB: use the format edges", name, f.limit>>20)
		}
		d, err := f.read(bytes.TrimPrefix(text, []byte("\ufeff"))) // some editors begin files with it
		if err != nil {
			return nil, located(name, err)
		}
		g, err := d.graph(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return g, nil
	}
	return nil, fmt.Errorf("%s: extension %q is not one of %s", name, extension, strings.Join(Formats(), ", "))
}

// located puts the name before an error, and before the line with which a parser's error may begin.
func located(name string, err error) error {
	if c := err.Error()[0]; '0' <= c && c <= '9' {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Write writes g in one of Formats().
func Write(g *Graph, format string, w io.Writer) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(g, w)
		}
	}
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
}

// draft is what a reader collects before it is known to be a graph.
type draft struct {
	n        int
	edges    []Edge // U to V if directed
	directed bool
	names    []string // names[v] as the file calls v; nil if it numbers its peers
	index    map[string]int
}

// peer returns the number of the peer that the file calls name.
func (d *draft) peer(name string) (int, error) {
	if v, ok := d.index[name]; ok {
		return v, nil
	}
	if d.n == MaxPeers {
		return 0, fmt.Errorf("peer %q is one too many: at most %d are allowed", name, MaxPeers)
	}
	if d.index == nil {
		d.index = map[string]int{}
	}
	d.index[name] = d.n
	d.names = append(d.names, name)
	d.n++
	return d.index[name], nil
}

var errEdges = fmt.Errorf("more than %d edges", MaxEdges)

func (d *draft) add(e Edge) error {
	if len(d.edges) == MaxEdges {
		return errEdges
	}
	d.edges = append(d.edges, e)
	return nil
}

// graph checks the draft and numbers its peers.
func (d *draft) graph(o ReadOptions) (*Graph, error) {
	d.takeNumbers()
	if d.directed && !o.Undirected {
		if err := d.checkReverse(); err != nil {
			return nil, err
		}
	}
	return fromEdges(d.n, d.edges)
}

// takeNumbers gives peers the numbers they are called by if these are 0 to n-1.
func (d *draft) takeNumbers() {
	if d.names == nil {
		return
	}
	number := make([]int, len(d.names))
	for v := range number {
		number[v] = -1
	}
	for want := range number {
		v, ok := d.index[fmt.Sprint(want)]
		if !ok {
			return
		}
		number[v] = want
	}
	for i, e := range d.edges {
		d.edges[i].U, d.edges[i].V = number[e.U], number[e.V]
	}
	d.names = nil
}

// checkReverse finds the first edge without its reverse.
func (d *draft) checkReverse() error {
	arcs := make(map[[2]int]struct{}, len(d.edges))
	for _, e := range d.edges {
		arcs[[2]int{e.U, e.V}] = struct{}{}
	}
	missing := slices.IndexFunc(d.edges, func(e Edge) bool {
		_, ok := arcs[[2]int{e.V, e.U}]
		return !ok
	})
	if missing < 0 {
		return nil
	}
	u, v := d.name(d.edges[missing].U), d.name(d.edges[missing].V)
	return fmt.Errorf("edge %s->%s has no %s->%s; recipes need an undirected graph (symmetrise: --undirected)", u, v, v, u)
}

func (d *draft) name(v int) string {
	if d.names == nil {
		return fmt.Sprint(v)
	}
	return d.names[v]
}
