package topology

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	encode "gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
)

// maxSubgraphs bounds the nesting, which the parser follows on the call stack.
const maxSubgraphs = 1000

// readDOT reads one Graphviz graph. An edge may carry a weight; other attributes are for drawing.
func readDOT(text []byte) (*draft, error) {
	if bytes.Count(text, []byte("{")) > maxSubgraphs {
		return nil, fmt.Errorf("more than %d subgraphs", maxSubgraphs)
	}
	file, err := dot.ParseBytes(text)
	if err != nil {
		return nil, err // "line:column: error: ..."
	}
	if len(file.Graphs) != 1 {
		return nil, fmt.Errorf("holds %d graphs: keep one", len(file.Graphs))
	}
	r := dotReader{draft: draft{directed: file.Graphs[0].Directed}}
	if _, err := r.statements(file.Graphs[0].Stmts); err != nil {
		return nil, err
	}
	return &r.draft, nil
}

// dotReader walks the syntax tree of the parser. gonum's own walk recurses along every chain a -- b -- c
// and multiplies subgraphs without a limit.
type dotReader struct{ draft }

// statements returns the peers that they name, which are the ends of an edge at a subgraph.
func (r *dotReader) statements(list []ast.Stmt) ([]int, error) {
	var named []int
	for _, statement := range list {
		var more []int
		var err error
		switch s := statement.(type) {
		case *ast.NodeStmt:
			more, err = r.vertex(s.Node)
		case *ast.EdgeStmt:
			more, err = r.chain(s)
		case *ast.Subgraph:
			more, err = r.statements(s.Stmts)
		}
		if err != nil {
			return nil, err
		}
		named = append(named, more...)
	}
	return named, nil
}

// chain joins the vertices of a -- b -- c one after the other.
func (r *dotReader) chain(s *ast.EdgeStmt) ([]int, error) {
	weight, err := dotWeight(s.Attrs)
	if err != nil {
		return nil, err
	}
	from, err := r.vertex(s.From)
	if err != nil {
		return nil, err
	}
	named := from
	for to := s.To; to != nil; to = to.To {
		ends, err := r.vertex(to.Vertex)
		if err != nil {
			return nil, err
		}
		if err := r.product(from, ends, weight); err != nil {
			return nil, err
		}
		named = append(named, ends...)
		from = ends
	}
	return named, nil
}

// product joins every peer of from with every peer of ends. A few kilobytes may ask for billions.
func (r *dotReader) product(from, ends []int, weight float64) error {
	if len(r.edges)+len(from)*len(ends) > MaxEdges {
		return errEdges
	}
	for _, u := range from {
		for _, v := range ends {
			if u == v {
				return fmt.Errorf("edge %s-%s: a peer is not its own neighbour", r.names[u], r.names[v])
			}
			if err := r.add(Edge{U: u, V: v, Weight: weight}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *dotReader) vertex(v ast.Vertex) ([]int, error) {
	switch v := v.(type) {
	case *ast.Node:
		peer, err := r.peer(unquote(v.ID))
		return []int{peer}, err
	case *ast.Subgraph:
		return r.statements(v.Stmts)
	default:
		return nil, fmt.Errorf("vertex %v is neither a node nor a subgraph", v)
	}
}

func dotWeight(attributes []*ast.Attr) (float64, error) {
	weight := 1.0
	for _, a := range attributes {
		if unquote(a.Key) != "weight" {
			continue
		}
		w, err := strconv.ParseFloat(unquote(a.Val), 64)
		if err != nil {
			return 0, fmt.Errorf("weight %s is not a number", a.Val)
		}
		weight = w
	}
	return weight, checkWeight(weight)
}

// unquote returns the text of a DOT identifier.
func unquote(id string) string {
	if len(id) < 2 || id[0] != '"' {
		return id
	}
	return strings.ReplaceAll(id[1:len(id)-1], `\"`, `"`)
}

// writeDOT writes what readDOT reads, peers without neighbours included.
func writeDOT(g *Graph, w io.Writer) error {
	text, err := encode.Marshal(view{g}, "", "", "  ")
	if err != nil {
		return fmt.Errorf("write graph as dot: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
