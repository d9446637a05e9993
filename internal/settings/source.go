package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sources are the layers of a configuration, the later ones over the earlier ones: the defaults that
// the target already holds, Files in their order, Environ, Set, Overrides.
type Sources struct {
	Files []File
	// Environ is what os.Environ returns, or nil: STARLING_A__B_C sets a.b_c if it is not empty, and
	// ${NAME} in files is replaced.
	Environ []string
	// Reserved are variables that begin with STARLING_ and are no settings.
	Reserved []string
	// Set holds key=value pairs, as in --set train.lr=0.1.
	Set []string
	// Overrides are values of dedicated flags and of sweeps.
	Overrides []Override
	// Version is the version of the format that this program reads; 0: the format has none.
	Version int
	// DenyWarnings makes problems of warnings.
	DenyWarnings bool
}

// File is a file that has been read.
type File struct {
	Name string
	Text []byte
}

// Override is one value from elsewhere. Origin is how people know it, such as "--listen".
type Override struct {
	Origin, Path, Value string
	// Tree is the value instead of Value, if it is not zero: it keeps the place where it was written.
	Tree Tree
}

// maxFile bounds a configuration file, so that a wrong file is an error instead of a long wait: the time
// that the parser needs can grow with the square of the length.
const maxFile = 256 << 10

// Open reads files; "-" is standard input.
func Open(names ...string) ([]File, error) {
	var files []File
	for _, name := range names {
		text, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		files = append(files, File{Name: name, Text: text})
	}
	return files, nil
}

func read(name string) ([]byte, error) {
	in := os.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, errors.Unwrap(err) // the caller tells the name
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err // as above
	}
	return bytes.TrimPrefix(text, byteOrderMark), err
}

// byteOrderMark begins text files of some editors.
var byteOrderMark = []byte("\ufeff")

// source is where a value came from: a line of a file, or something that has no lines.
type source struct {
	name  string   // of the file, or what Origin tells
	lines []string // of a file
	order int      // of the layer
}

// position is a place in a source; line and column count from 1 and are 0 outside files.
type position struct {
	source       *source
	line, column int
}

// String is the place as "file:line", or the name of what has no lines.
func (p position) String() string {
	if p.line == 0 {
		return p.source.name
	}
	return fmt.Sprintf("%s:%d", p.source.name, p.line)
}

// folder returns the folder of the file, or "" for values from elsewhere.
func (p position) folder() string {
	if p.line == 0 || p.source.name == "-" {
		return ""
	}
	return filepath.Dir(p.source.name)
}

func newFile(f File, order int) *source {
	lines := strings.Split(string(f.Text), "\n")
	return &source{name: f.Name, lines: lines, order: order}
}
