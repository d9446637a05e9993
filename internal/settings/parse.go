package settings

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parsing turns the text of one source into a tree.
type parsing struct {
	source   *source
	lookup   func(name string) (string, bool) // of the environment; nil: ${} stays as it is
	problems Problems
}

// document returns the tree, or nil if the text is empty or is not YAML.
func (p *parsing) document(text []byte) *node {
	start := position{p.source, 1, 1}
	if len(text) > maxFile {
		p.report(start, fmt.Sprintf("larger than %d KiB", maxFile>>10), "is this the right file? edges fit a topology file")
		return nil
	}
	if line, ok := tooDeep(text); ok {
		p.report(position{p.source, line, 1}, fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return nil
	}
	file, err := parse(text)
	if err != nil {
		p.syntax(err)
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	if len(bodies) > 1 {
		p.report(p.at(bodies[1]), "a second document in one file", "give every document its own file")
	}
	return p.value(bodies[0])
}

// parse calls the parser, which is known to panic on some texts that are not YAML.
func parse(text []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("this is not YAML")
		}
	}()
	return parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
}

// syntax reports an error of the parser.
func (p *parsing) syntax(err error) {
	at, what := position{p.source, 1, 1}, err.Error()
	var located yaml.Error
	if errors.As(err, &located) {
		what = located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			at.line, at.column = t.Position.Line, t.Position.Column
		}
	}
	p.report(at, what, "")
}

func (p *parsing) report(at position, what, hint string) {
	p.problems = append(p.problems, Problem{at: at, What: what, Hint: hint})
}

const noAnchors = "anchors and aliases are not read"

// at returns where a node begins: a block of keys begins with its first key.
func (p *parsing) at(n ast.Node) position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return p.at(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return p.at(m.Key)
	}
	return p.place(n.GetToken())
}

func (p *parsing) place(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{p.source, 1, 1}
	}
	return position{p.source, max(1, t.Position.Line), max(1, t.Position.Column)}
}

// value converts a node of the parser and reports what configuration files must not hold.
func (p *parsing) value(n ast.Node) *node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return p.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return p.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := &node{kind: sequence, at: p.place(n.Start)}
		for _, item := range n.Values {
			list.items = append(list.items, p.value(item))
		}
		return list
	case *ast.AnchorNode, *ast.AliasNode:
		p.report(p.at(n), noAnchors, "write the value out")
	case *ast.TagNode:
		p.report(p.at(n), "tags are not read", "leave the ! out, or quote the value")
	default:
		return p.scalar(n)
	}
	return &node{kind: unusable, at: p.at(n)}
}

func (p *parsing) mapping(first ast.Node, values []*ast.MappingValueNode) *node {
	m := newMapping(p.at(first))
	for _, v := range values {
		key := p.at(v.Key)
		name, ok := keyText(v.Key)
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			p.report(key, noAnchors, "write the keys out")
			continue
		}
		if !ok {
			p.report(key, "a key must be a word", "")
			continue
		}
		if before, twice := m.field[name]; twice {
			p.report(key, fmt.Sprintf("key %q is there twice, first in line %d", name, before.key.line), "remove one")
			continue
		}
		m.put(name, entry{key: key, value: p.value(v.Value)})
	}
	return m
}

func keyText(key ast.MapKeyNode) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, true
	default:
		return "", false
	}
}

func (p *parsing) scalar(n ast.Node) *node {
	s := &node{at: p.at(n)}
	switch n := n.(type) {
	case *ast.StringNode:
		s.plain, s.text = text, n.Value
	case *ast.LiteralNode:
		s.plain, s.text = text, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		s.plain, s.text = number, n.GetToken().Value
	case *ast.BoolNode:
		s.plain, s.text = boolean, n.GetToken().Value
	default: // null, or nothing but a comment
		return &node{kind: null, at: s.at}
	}
	p.expand(s)
	return s
}
