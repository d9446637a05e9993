package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// concurrency refuses goroutines and channels in the pure rooms: one call, one answer.
func concurrency(s *source) []string {
	if s.isTest() || !rooms[s.room()].pure {
		return nil
	}
	var found []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
			found = append(found, fmt.Sprintf("%s: a goroutine or a channel in a pure room", s.line(n.Pos())))
		}
		return true
	})
	return found
}

// replayed are the rooms whose numbers reach a simulated result: the pure ones and these.
var replayed = []string{"train/data", "train/pace", "train/task", "testnet/sim"}

// instructions refuses the functions of the standard library that choose their instructions at run
// time, or call one that does: their bits differ from machine to machine.
func instructions(s *source) []string {
	if s.isTest() || !rooms[s.room()].pure && !slices.Contains(replayed, s.room()) {
		return nil
	}
	bad := map[string]string{
		"Exp": "vec.Exp", "Log": "vec.Log", "Exp2": "vec.Exp", "Log2": "vec.Log or math/bits", "Log10": "vec.Log",
		"Log1p": "vec.Log", "Expm1": "vec.Exp", "Pow": "vec.Exp", "Tanh": "vec.Exp", "Sinh": "vec.Exp", "Cosh": "vec.Exp",
		"FMA": "float64(x*y) + z", "NormFloat64": "train/draw", "ExpFloat64": "train/draw",
	}
	var found []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok || bad[call.Sel.Name] == "" {
			return true
		}
		float := strings.HasSuffix(call.Sel.Name, "Float64")
		if from, ok := call.X.(*ast.Ident); float || ok && from.Name == "math" {
			found = append(found, fmt.Sprintf("%s: %s differs between machines: use %s",
				s.line(n.Pos()), call.Sel.Name, bad[call.Sel.Name]))
		}
		return true
	})
	return found
}

// globalRandomness refuses the functions of math/rand that draw from a state nobody can replay.
func globalRandomness(s *source) []string {
	name := randName(s)
	if name == "" {
		return nil
	}
	constructors := []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}
	var found []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || slices.Contains(constructors, selector.Sel.Name) {
			return true
		}
		if from, ok := selector.X.(*ast.Ident); ok && from.Name == name {
			found = append(found, fmt.Sprintf("%s: rand.%s draws from global state: use a stream of internal/seed",
				s.line(n.Pos()), selector.Sel.Name))
		}
		return true
	})
	return found
}

// randName returns by what name a file knows math/rand, "" if it does not. Importing the first version
// is found by the import table.
func randName(s *source) string {
	for _, spec := range s.tree.Imports {
		if spec.Path.Value != `"math/rand/v2"` && spec.Path.Value != `"math/rand"` {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "rand"
	}
	return ""
}

func TestConcurrency(t *testing.T)      { t.Parallel(); check(t, concurrency) }
func TestInstructions(t *testing.T)     { t.Parallel(); check(t, instructions) }
func TestGlobalRandomness(t *testing.T) { t.Parallel(); check(t, globalRandomness) }

func TestPurityCatches(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"func f() { go f() }", "var c chan int", "func f() { select {} }"} {
		trial{"vec/x.go", "package x\n" + bad, "a goroutine or a channel", "package x\nvar _ []int"}.run(t, concurrency)
	}
	if got := offences(t, concurrency, "gossip/x.go", "package x\nvar c chan int"); got != "" {
		t.Errorf("a channel outside the pure rooms: %s", got)
	}
	const imports = "package x\nimport (\"math\"; \"math/rand/v2\")\n"
	trial{
		"vec/x.go", imports + "var _ = math.Exp(1)", "use vec.Exp",
		imports + "var _ = math.Sqrt(1)",
	}.run(t, instructions)
	trial{
		"testnet/sim/x.go", imports + "func f(r *rand.Rand) { r.NormFloat64() }", "use train/draw",
		imports + "func f(r *rand.Rand) { r.Float64() }",
	}.run(t, instructions)
	trial{
		"x.go", imports + "var _ = rand.IntN(3)", "global state",
		imports + "var _ = rand.New(rand.NewPCG(1, 2)).IntN(3)",
	}.run(t, globalRandomness)
	const renamed = "package x\nimport dice \"math/rand/v2\"\n"
	trial{
		"x.go", renamed + "var _ = dice.Float64()", "global state",
		renamed + "var _ dice.Source",
	}.run(t, globalRandomness)
}

// drawings are files of the pure rooms whose numbers are looked at and never exchanged.
var drawings = []string{"topology/place.go"}

// TestNothingIsFused compiles the rooms whose bits count for a processor that can fuse x*y+z, and looks
// at the instructions: a fused product rounds once instead of twice, so the same seed would give other
// bits than on a processor that cannot.
func TestNothingIsFused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles the pure rooms once more")
	}
	args := []string{"build", "-gcflags=-S"}
	for _, name := range sortedRooms() {
		if rooms[name].pure || slices.Contains(replayed, name) {
			args = append(args, "./"+name)
		}
	}
	compile := exec.CommandContext(t.Context(), "go", args...)
	compile.Dir = root()
	compile.Env = append(os.Environ(), "GOARCH=amd64", "GOAMD64=v3")
	listing, err := compile.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(listing))
	}
	if !bytes.Contains(listing, []byte("vec/mix.go:")) {
		t.Fatal("the listing does not show vec")
	}
	for _, place := range fused(listing) {
		if !slices.ContainsFunc(drawings, func(file string) bool { return strings.HasPrefix(place, file) }) {
			t.Errorf("%s: the compiler fuses a product and a sum: convert the product, as in float64(x*y) + z", place)
		}
	}
}

// fused returns the lines of our sources that became a fused instruction.
func fused(listing []byte) []string {
	instruction := regexp.MustCompile(`\(([^()\s]+\.go:\d+)\)\tVFN?M(?:ADD|SUB)\d+`)
	var places []string
	for _, m := range instruction.FindAllSubmatch(listing, -1) {
		place := string(m[1])
		for _, name := range sortedRooms() {
			if at := strings.Index(place, "/"+name+"/"); at >= 0 && !strings.Contains(place, "@") {
				places = append(places, place[at+1:])
				break
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

func tail(output []byte) []byte { return output[max(0, len(output)-2000):] }

func TestFusedCatches(t *testing.T) {
	t.Parallel()
	const listing = "\t0x0046 00070 (/src/vec/dot.go:40)\tVFMADD231SD\tX2, X3, X0\n" +
		"\t0x0046 00070 (/mod/gonum@v1/vec/x.go:7)\tVFNMADD231SD\tX2, X3, X0\n" +
		"\t0x0046 00070 (/src/vec/dot.go:41)\tADDSD\tX2, X3\n"
	if got := fused([]byte(listing)); !slices.Equal(got, []string{"vec/dot.go:40"}) {
		t.Errorf("found %v", got)
	}
}
