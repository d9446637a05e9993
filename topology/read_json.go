package topology

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// nodeLink is the JSON of networkx.node_link_data: edges are called "links" before version 3.4 and
// "edges" since.
type nodeLink struct {
	Directed   bool           `json:"directed"`
	Multigraph bool           `json:"multigraph"`
	Graph      map[string]any `json:"graph"`
	Nodes      []nodeLinkNode `json:"nodes"`
	Edges      []nodeLinkEdge `json:"edges"`
	Links      []nodeLinkEdge `json:"links,omitempty"`
}

type nodeLinkNode struct {
	ID peerName `json:"id"`
}

type nodeLinkEdge struct {
	Source peerName `json:"source"`
	Target peerName `json:"target"`
	Weight *float64 `json:"weight,omitempty"`
}

// peerName is a node of networkx: a string or a whole number.
type peerName string

// UnmarshalJSON refuses the tuples and floats that networkx could write.
func (n *peerName) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		*n = peerName(s)
		return nil
	}
	if _, err := strconv.ParseInt(string(text), 10, 64); err != nil {
		return fmt.Errorf("node %.40s is neither a string nor a whole number", text)
	}
	*n = peerName(text)
	return nil
}

// MarshalJSON writes a number for what looks like one.
func (n peerName) MarshalJSON() ([]byte, error) {
	if v, err := strconv.Atoi(string(n)); err == nil && strconv.Itoa(v) == string(n) {
		return []byte(n), nil
	}
	return json.Marshal(string(n))
}

// readNodeLink reads the node-link JSON of networkx.
func readNodeLink(text []byte) (*draft, error) {
	var file nodeLink
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s%w", position(text, err), err)
	}
	if file.Edges != nil && file.Links != nil {
		return nil, fmt.Errorf(`has both "links" and "edges": keep one`)
	}
	d := &draft{directed: file.Directed}
	for _, node := range file.Nodes {
		if node.ID == "" {
			return nil, fmt.Errorf(`a node has no "id"`)
		}
		known := d.n
		if _, err := d.peer(string(node.ID)); err != nil {
			return nil, err
		}
		if d.n == known {
			return nil, fmt.Errorf("node %q is given twice", node.ID)
		}
	}
	for i, e := range append(file.Edges, file.Links...) {
		if err := d.link(e); err != nil {
			return nil, fmt.Errorf("edge %d: %w", i, err)
		}
	}
	return d, nil
}

// link adds one edge between nodes that were listed.
func (d *draft) link(e nodeLinkEdge) error {
	u, uKnown := d.index[string(e.Source)]
	v, vKnown := d.index[string(e.Target)]
	if !uKnown || !vKnown {
		return fmt.Errorf(`%s-%s names a peer that is not in "nodes"`, e.Source, e.Target)
	}
	if u == v {
		return fmt.Errorf("%s-%s: a peer is not its own neighbour", e.Source, e.Target)
	}
	weight := 1.0
	if e.Weight != nil {
		weight = *e.Weight
	}
	if err := checkWeight(weight); err != nil {
		return err
	}
	return d.add(Edge{U: u, V: v, Weight: weight})
}

// position returns "line: " if the error of a JSON text has an offset.
func position(text []byte, err error) string {
	var offset int64
	switch e := err.(type) { //nolint:errorlint // json returns these two bare
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
	default:
		return ""
	}
	return fmt.Sprintf("%d: ", 1+strings.Count(string(text[:min(offset, int64(len(text)))]), "\n"))
}

// writeNodeLink writes what networkx.node_link_graph reads with edges="edges".
func writeNodeLink(g *Graph, w io.Writer) error {
	file := nodeLink{Graph: map[string]any{}, Nodes: make([]nodeLinkNode, g.N()), Edges: []nodeLinkEdge{}}
	for v := range file.Nodes {
		file.Nodes[v].ID = peerName(strconv.Itoa(v))
	}
	for _, e := range g.Edges() {
		l := nodeLinkEdge{Source: file.Nodes[e.U].ID, Target: file.Nodes[e.V].ID}
		if e.Weight != 1 {
			l.Weight = &e.Weight
		}
		file.Edges = append(file.Edges, l)
	}
	return json.NewEncoder(w).Encode(file)
}
