package topology_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/starling-ml/starling/topology"
)

func TestDrawTextOfASmallGraph(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := topology.DrawText(generate(t, topology.Spec{Graph: "ring", N: 4}), &out); err != nil {
		t.Fatal(err)
	}
	want := `
0  \ # . #   1 3
1  # \ # .   0 2
2  . # \ #   1 3
3  # . # \   0 2
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("drawing%s\nwant%s", got, want)
	}
}

func TestDrawTextOfALargeGraphLeavesTheMatrixOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := topology.DrawText(generate(t, topology.Spec{Graph: "ring", N: 1000}), &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); lines[7] != "  7  6 8" || len(lines) != 1001 {
		t.Errorf("line 7 of %d is %q", len(lines), lines[7])
	}
}

// drawing is what is read back of an SVG.
type drawing struct {
	Lines   []struct{ x1, y1, x2, y2 float64 }
	Circles []struct{ cx, cy float64 }
	Texts   int
}

func parseSVG(t *testing.T, svg string) drawing {
	t.Helper()
	var d drawing
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		number := map[string]float64{}
		for _, a := range start.Attr {
			if v, err := strconv.ParseFloat(a.Value, 64); err == nil {
				number[a.Name.Local] = v
			}
		}
		switch start.Name.Local {
		case "line":
			d.Lines = append(d.Lines, struct{ x1, y1, x2, y2 float64 }{number["x1"], number["y1"], number["x2"], number["y2"]})
		case "circle":
			d.Circles = append(d.Circles, struct{ cx, cy float64 }{number["cx"], number["cy"]})
		case "text":
			d.Texts++
		}
	}
}

// TestDrawSVGDrawsEveryPeerAndEdge of every kind, inside the canvas, each edge from peer to peer.
func TestDrawSVGDrawsEveryPeerAndEdge(t *testing.T) {
	t.Parallel()
	for _, kind := range topology.Kinds() {
		for _, n := range []int{1, 2, 12} {
			g := generate(t, topology.Spec{Graph: kind, N: n})
			var out strings.Builder
			if err := topology.DrawSVG(g, &out); err != nil {
				t.Fatal(err)
			}
			d := parseSVG(t, out.String())
			if len(d.Circles) != n || len(d.Lines) != len(g.Edges()) || d.Texts != n {
				t.Errorf("%s of %d: %d circles, %d lines, %d texts", kind, n, len(d.Circles), len(d.Lines), d.Texts)
			}
			for i, c := range d.Circles {
				if !(c.cx > 0 && c.cx < 640 && c.cy > 0 && c.cy < 640) {
					t.Errorf("%s of %d: peer %d is drawn at %v", kind, n, i, c)
				}
			}
			for i, e := range g.Edges() {
				u, v, l := d.Circles[e.U], d.Circles[e.V], d.Lines[i]
				if u.cx != l.x1 || u.cy != l.y1 || v.cx != l.x2 || v.cy != l.y2 {
					t.Errorf("%s of %d: edge %v is drawn at %v", kind, n, e, l)
				}
			}
		}
	}
}

// TestDrawSVGPutsARingOnACircle, and peers apart from one another whatever the layout.
func TestDrawSVGPutsARingOnACircle(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ring", "star", "torus"} {
		var out strings.Builder
		if err := topology.DrawSVG(generate(t, topology.Spec{Graph: kind, N: 16}), &out); err != nil {
			t.Fatal(err)
		}
		circles := parseSVG(t, out.String()).Circles
		for i, a := range circles {
			if from := math.Hypot(a.cx-320, a.cy-320); kind == "ring" && math.Abs(from-290) > 0.2 {
				t.Errorf("peer %d of the ring is %v from the middle", i, from)
			}
			for j, b := range circles[:i] {
				if math.Hypot(a.cx-b.cx, a.cy-b.cy) < 24 {
					t.Errorf("%s: peers %d and %d overlap", kind, i, j)
				}
			}
		}
	}
}

func TestDrawSVGIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	var first, second strings.Builder
	g := generate(t, topology.Spec{Graph: "torus", N: 36})
	if err := errors.Join(topology.DrawSVG(g, &first), topology.DrawSVG(g, &second)); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("two drawings of one graph differ")
	}
}

func TestDrawSVGOfALargeGraphLeavesTheNumbersOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := topology.DrawSVG(generate(t, topology.Spec{Graph: "ring", N: 500}), &out); err != nil {
		t.Fatal(err)
	}
	if d := parseSVG(t, out.String()); d.Texts != 0 || len(d.Circles) != 500 {
		t.Errorf("%d texts, %d circles", d.Texts, len(d.Circles))
	}
	err := topology.DrawSVG(generate(t, topology.Spec{Graph: "ring", N: 30_000}), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "draw 30000 peers and 30000 edges: at most 20000") {
		t.Errorf("error %v", err)
	}
}
