package settings

import "bytes"

// maxDepth bounds the nesting of a file: the parser is recursive, and a stack that overflows ends the
// process.
const maxDepth = 200

// tooDeep tells whether a text may nest too deeply, and in which line. It looks at brackets and at the
// markers that open a level within one line, quoted or not, and at the steps of the indentation.
func tooDeep(text []byte) (line int, deep bool) {
	brackets, levels := 0, []int{}
	for i, l := range bytes.Split(text, []byte("\n")) {
		content := bytes.TrimLeft(l, " ")
		if len(content) == 0 {
			continue
		}
		indent := len(l) - len(content)
		for len(levels) > 0 && levels[len(levels)-1] >= indent {
			levels = levels[:len(levels)-1]
		}
		levels = append(levels, indent)
		inLine := 0
		for _, c := range content {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets = max(0, brackets-1)
			case '-', '?', ':', '&', '!':
				inLine++
			}
		}
		if brackets > maxDepth || len(levels) > maxDepth || inLine > 10*maxDepth {
			return i + 1, true
		}
	}
	return 0, false
}
