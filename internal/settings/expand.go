package settings

import (
	"fmt"
	"regexp"
	"strings"
)

// reference is a variable in a value: ${NAME}, ${NAME:-default}, ${NAME:?message}; $$ is a dollar.
var reference = regexp.MustCompile(`\$\$|\$\{([^}]*)\}`)

var variable = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?::([-?])(.*))?$`)

// expand replaces the variables in a scalar, which then may stand for anything.
func (p *parsing) expand(s *node) {
	if p.lookup == nil || !strings.Contains(s.text, "$") {
		return
	}
	before := len(p.problems)
	s.text = reference.ReplaceAllStringFunc(s.text, func(found string) string {
		if found == "$$" {
			return "$"
		}
		s.plain = anything
		return p.replace(s.at, found)
	})
	if len(p.problems) > before {
		s.kind = unusable
	}
}

// replace returns the value of one reference.
func (p *parsing) replace(at position, found string) string {
	parts := variable.FindStringSubmatch(found[2 : len(found)-1])
	if parts == nil {
		p.report(at, fmt.Sprintf("%s is no variable", found), "write ${NAME}, ${NAME:-default}, ${NAME:?message} or $${")
		return ""
	}
	name, operator, word := parts[1], parts[2], parts[3]
	value, ok := p.lookup(name)
	switch {
	case strings.ContainsAny(value, "\r\n"):
		p.report(at, fmt.Sprintf("the value of %s has more than one line", name), "put it in a file and name the file")
		return ""
	case ok && (value != "" || operator == ""):
		return value
	case operator == "-":
		return word
	case operator == "?":
		p.report(at, fmt.Sprintf("%s is not set: %s", name, word), "")
	default:
		p.report(at, fmt.Sprintf("%s is not set", name), fmt.Sprintf("set it, or write ${%s:-default}", name))
	}
	return ""
}
