package tidy

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// imports holds a file to the row of its room. Tests may import what they like.
func imports(s *source) []string {
	row, known := rooms[s.room()]
	if !known {
		return []string{fmt.Sprintf("%s: room %s is not in the import table: add it with its reason", s.path, s.room())}
	}
	if s.isTest() {
		return nil
	}
	var found []string
	for _, spec := range s.tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !row.allows(imported) {
			found = append(found, fmt.Sprintf("%s: %s may not import %s: %s",
				s.line(spec.Pos()), s.room(), imported, row.why))
		}
	}
	return found
}

func (r room) allows(imported string) bool {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		return slices.ContainsFunc(r.may, func(pattern string) bool { return matches(pattern, ours) })
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return !r.pure || !impure(imported)
	}
	return slices.ContainsFunc(r.others, func(prefix string) bool { return strings.HasPrefix(imported, prefix) })
}

// matches tells whether pattern is the room, or a/... and the room below a.
func matches(pattern, room string) bool {
	parent, below := strings.CutSuffix(pattern, "...")
	return pattern == room || below && strings.HasPrefix(room, parent)
}

// impure tells the packages of the standard library that reach out of a function: clock, environment,
// files, network, goroutines, log, randomness of the machine. math/rand has a global state and no v2.
func impure(imported string) bool {
	for _, bad := range []string{
		"context", "crypto/rand", "log", "math/rand", "net", "os", "runtime", "sync", "syscall", "time",
		"unique", "unsafe", "weak",
	} {
		if imported == bad || strings.HasPrefix(imported, bad+"/") && imported != "math/rand/v2" {
			return true
		}
	}
	return false
}

func TestImports(t *testing.T) {
	t.Parallel()
	check(t, imports)
}

func TestImportsCatches(t *testing.T) {
	t.Parallel()
	file := func(path string) string { return "package x\nimport _ " + strconv.Quote(path) }
	for _, c := range []struct{ at, bad, why, good string }{
		{"consensus/x.go", module + "/wire", "the core is a function", module + "/vec"},
		{"consensus/x.go", "time", "the core is a function", "math"},
		{"consensus/x.go", "math/rand", "the core is a function", "math/rand/v2"},
		{"consensus/x.go", "golang.org/x/exp/maps", "the core is a function", "maps"},
		{"vec/x.go", module + "/topology", "vectors are at the bottom", gonum + "blas/blas32"},
		{"wire/x.go", "github.com/libp2p/go-libp2p", "so that they can be fuzzed", "encoding/binary"},
		{"testnet/sim/x.go", module + "/node", "a simulation must run without sockets", module + "/consensus"},
		{"testnet/x.go", module + "/gossip", "a simulation must run without sockets", module + "/train/data/mnist"},
		{"node/x.go", module + "/testnet", "knows neither", module + "/train/task"},
		{"observe/x.go", module + "/node", "must not be able to change", "net/http"},
	} {
		trial{c.at, file(c.bad), c.why, file(c.good)}.run(t, imports)
	}
	if got := offences(t, imports, "attic/x.go", "package x"); !strings.Contains(got, "attic is not in the import table") {
		t.Errorf("an unknown room: %q", got)
	}
}

// TestTheTableHasNoCycle: the arrows of the plan point one way.
func TestTheTableHasNoCycle(t *testing.T) {
	t.Parallel()
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(name string, trail []string)
	visit = func(name string, trail []string) {
		if state[name] == open {
			t.Errorf("cycle: %s", strings.Join(append(trail, name), " -> "))
		}
		if state[name] != 0 {
			return
		}
		state[name] = open
		for _, next := range sortedRooms() {
			if slices.ContainsFunc(rooms[name].may, func(p string) bool { return matches(p, next) }) && next != name {
				visit(next, append(trail, name))
			}
		}
		state[name] = done
	}
	for _, name := range sortedRooms() {
		visit(name, nil)
	}
}

// TestTheTableNamesRealRooms: a row of a room that is gone would let its name be taken for anything.
func TestTheTableNamesRealRooms(t *testing.T) {
	t.Parallel()
	exists := map[string]bool{}
	for _, s := range load(t) {
		for dir := s.room(); dir != "."; dir = path.Dir(dir) {
			exists[dir] = true
		}
	}
	for _, name := range sortedRooms() {
		if !exists[name] {
			t.Errorf("room %s of the import table does not exist", name)
		}
		if rooms[name].why == "" {
			t.Errorf("room %s has no reason", name)
		}
	}
}

func sortedRooms() []string {
	var names []string
	for name := range rooms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
