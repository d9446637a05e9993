package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var usual = written{recipes: []string{"dpsgd", "pulse"}, seeds: 3}

// files makes the report on some folders.
func files(t *testing.T, paths ...string) map[string]string {
	t.Helper()
	r, err := Read(paths...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range list {
		if _, twice := all[f.Name]; twice {
			t.Errorf("%s is made twice", f.Name)
		}
		all[f.Name] = string(f.Content)
	}
	return all
}

// elements counts the elements of a page by name, and fails on what reaches out of it.
func elements(t *testing.T, page string) map[string]int {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		for _, a := range n.Attr {
			reaches := a.Key == "src" || a.Key == "href" || strings.HasPrefix(a.Key, "on")
			if reaches && !strings.HasPrefix(a.Val, "plots/") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	return count
}

func TestPageHasEveryPlotAndTable(t *testing.T) {
	t.Parallel()
	all := files(t, usual.write(t))
	page := all["report.html"]
	got := elements(t, page)
	// Loss, accuracy, staleness, topology; influence and waits of each recipe.
	if got["svg"] != 4+2*2 || got["figure"] != got["svg"] || got["script"] != 0 || got["link"] != 0 {
		t.Errorf("elements %v", got)
	}
	if got["table"] != 5 { // what ran, targets, results, recall, runs
		t.Errorf("%d tables", got["table"])
	}
	for _, want := range []string{
		"1.2.3", "0123456789abcdef", "virtual clock", "2 of 3", "Slow: 1 (40 ms a step)", "cat: 70.0", "1.5 MB",
		"FAILED</span>: loss of x is 3", "at least 0.5", "not reached",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for name, content := range all {
		switch filepath.Ext(name) {
		case ".svg":
			if !strings.Contains(content, "virtual clock") {
				t.Errorf("%s does not say which clock", name)
			}
			wellFormed(t, name, content)
		case ".png":
			if _, err := png.Decode(strings.NewReader(content)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func wellFormed(t *testing.T, name, content string) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(content))
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// TestCurvesAreThoseOfTheRecipes counts strokes in the colours of the recipes, and bands.
func TestCurvesAreThoseOfTheRecipes(t *testing.T) {
	t.Parallel()
	for seeds, bands := range map[int]int{1: 0, 3: 2} {
		w := usual
		w.seeds = seeds
		loss := files(t, w.write(t))["plots/01-net-loss.svg"]
		for i, recipe := range usual.recipes {
			c := colours[i]
			stroke := fmt.Sprintf("stroke:#%02X%02X%02X", c.R, c.G, c.B)
			if n := strings.Count(loss, stroke); n != 2 { // the curve, and its sample in the legend
				t.Errorf("%d seeds: %d strokes of %s", seeds, n, recipe)
			}
			if !strings.Contains(loss, ">"+recipe+"</text>") {
				t.Errorf("the legend does not name %s", recipe)
			}
		}
		if n := strings.Count(loss, "fill-opacity:0.18"); n != bands {
			t.Errorf("%d seeds: %d bands, want %d", seeds, n, bands)
		}
		if !strings.Contains(loss, ">kill 2</text>") {
			t.Error("the disturbance is not in the plot")
		}
	}
}

func TestReportIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	dir := usual.write(t)
	first, second := files(t, dir), files(t, dir)
	if len(first) != len(second) || len(first) < 10 {
		t.Fatalf("%d files, then %d", len(first), len(second))
	}
	for name, content := range first {
		if second[name] != content {
			t.Errorf("%s differs", name)
		}
	}
}

func TestPeersSeenByTheirNames(t *testing.T) {
	t.Parallel()
	r, err := Read(usual.write(t))
	if err != nil {
		t.Fatal(err)
	}
	s := r.builds[0].groups[0].series[0]
	influence, waits := s.influence(), s.waits()
	for row := range 3 {
		next := (row + 1) % 3
		if influence.cells[row][row] != 0.75 || influence.cells[row][next] != 0.25 {
			t.Errorf("influence on %d: %v", row, influence.cells[row])
		}
		if waits.cells[row][next] != 1 || waits.cells[row][row] != 0 { // two windows of half a second
			t.Errorf("waits of %d: %v", row, waits.cells[row])
		}
	}
	// Three runs, three peers, two windows: 0, 2 and 4 by peer.
	want := slices.Concat(slices.Repeat([]float64{0}, 6), slices.Repeat([]float64{2}, 6), slices.Repeat([]float64{4}, 6))
	if got := s.staleness(false); !slices.Equal(got, want) {
		t.Errorf("staleness %v", got)
	}
}

// TestStalenessOfSingleEstimates: where mixes are logged they count, and windows do not.
func TestStalenessOfSingleEstimates(t *testing.T) {
	t.Parallel()
	w := usual
	w.recipes, w.seeds = []string{"pulse"}, 1
	dir := w.write(t)
	for i := range 3 {
		log := filepath.Join(dir, "pulse-1", "peers", fmt.Sprint(i), "events.jsonl")
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		putText(t, log, string(text)+
			event(fmt.Sprint(i), 3, "mix", `"round":5,"used":[{"p":"a","stale":-2},{"p":"b","stale":7}]`)+
			event(fmt.Sprint(i), 4, "window", `"span_s":1,"mixes":0,"stale_p50":0,"stale_p95":99`))
	}
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	g := r.builds[0].groups[0]
	if got := g.series[0].staleness(g.exact()); !g.exact() || !slices.Equal(got, []float64{-2, -2, -2, 7, 7, 7}) {
		t.Errorf("staleness %v", got)
	}
	if got := g.series[0].staleness(false); slices.Max(got) != 4 {
		t.Errorf("a window without a mix counts: %v", got)
	}
	if svg := files(t, dir)["plots/01-net-staleness.svg"]; !strings.Contains(svg, ">share of estimates</text>") {
		t.Error("the plot does not say what it is of")
	}
}

func TestMatrixBeginsAtTheTop(t *testing.T) {
	t.Parallel()
	m := newMatrix([]string{"a", "b", "c"})
	m.cells[0][2] = 5 // what a has of c
	ticks := m.ticks(true)
	if m.Z(2, 2) != 5 || ticks[0].Label != "a" || ticks[0].Value != m.Y(2) || m.ticks(false)[2].Value != m.X(2) {
		t.Errorf("%v, ticks %v", m.Z(2, 2), ticks)
	}
}

func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	evil := `<img src=x onerror="alert(1)">&'`
	w := written{
		name: evil, version: evil, recipes: []string{evil}, seeds: 1, peers: []string{evil, "b", "</svg><script>"},
		sweep: map[string]string{"train.lr": evil},
	}
	dir := w.write(t)
	// The name of a recipe is part of a path here, and no path is made of it in the report.
	all := files(t, dir)
	got := elements(t, all["report.html"])
	if got["img"] != 0 || got["script"] != 0 {
		t.Errorf("elements %v", got)
	}
	for name, content := range all {
		if filepath.Ext(name) == ".svg" {
			wellFormed(t, name, content)
		}
		if strings.ContainsAny(name, `<>"&' `) || strings.Contains(name, "..") {
			t.Errorf("file %q", name)
		}
	}
}

func TestTableOfRuns(t *testing.T) {
	t.Parallel()
	w := usual
	w.sweep = map[string]string{"peers.defaults.link": "slow, far", "case": "a"}
	rows, err := csv.NewReader(bytes.NewReader([]byte(files(t, w.write(t))["report.csv"]))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+2*3 {
		t.Fatalf("%d rows", len(rows))
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	if got := rows[1][column("time_to_target_s")]; got != "1" {
		t.Errorf("time to target of the first run: %q", got)
	}
	if got := rows[3][column("time_to_target_s")]; got != "" {
		t.Errorf("time to a target that was not reached: %q", got)
	}
	if got := rows[1][column("sweep")]; got != "case=a;peers.defaults.link=slow, far" {
		t.Errorf("sweep %q", got)
	}
	if got := rows[4][column("gradients_lost")]; got != "18" {
		t.Errorf("gradients lost %q", got)
	}
	if got := rows[6][column("recall")]; got != "cat=0.7;dog=0.95" {
		t.Errorf("recall %q", got)
	}
}

func TestVersionsStayApart(t *testing.T) {
	t.Parallel()
	newer := usual
	newer.version = "2.0.0"
	old, same := usual.write(t), usual.write(t)
	r, err := Read(old, newer.write(t), same)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.builds) != 2 || len(r.builds[0].groups) != 1 || len(r.builds[1].groups) != 1 {
		t.Fatalf("%d builds", len(r.builds))
	}
	if n := len(r.builds[0].groups[0].series[0].runs); n != 3 {
		t.Errorf("%d runs: equal runs in virtual time count once", n)
	}
	versions := r.versions()
	if versions == nil || len(versions.Rows) != 2 || len(versions.Rows[0]) != 4 {
		t.Errorf("versions side by side: %+v", versions)
	}
	if notes := strings.Join(r.Notes(), "\n"); !strings.Contains(notes, "is there already and counts once") {
		t.Errorf("notes %q", notes)
	}
}

func TestOtherSettingsStayApart(t *testing.T) {
	t.Parallel()
	other := usual.write(t)
	change(t, filepath.Join(other, "meta.json"), `"feed"`, `"beef"`)
	r, err := Read(usual.write(t), other)
	if err != nil {
		t.Fatal(err)
	}
	groups := r.builds[0].groups
	if len(groups) != 2 || groups[0].title != "net (settings feed)" || groups[1].title != "net (settings beef)" {
		t.Errorf("%d groups, the first is %q", len(groups), groups[0].title)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	w := usual
	w.bare = true
	all := files(t, w.write(t))
	if len(all) != 2 {
		t.Errorf("%d files of runs without logs", len(all))
	}
	for _, want := range []string{
		"No run has an event log", "Loss against time is not shown", "Staleness is not shown", "topology is not drawn",
		"influence between peers is not shown",
	} {
		if !strings.Contains(all["report.html"], want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestFoldersOfFolders(t *testing.T) {
	t.Parallel()
	job := usual.write(t)
	r, err := Read(filepath.Dir(job), job)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.jobs) != 1 || r.Runs() != 6 {
		t.Errorf("%d jobs, %d runs", len(r.jobs), r.Runs())
	}
}

// TestDamage: what cannot be read is named with its path and what to do; the rest is reported.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		harm func(t *testing.T, path string)
		want string
		runs int // that are left of 6
	}{
		"later meta": {
			"meta.json", func(t *testing.T, p string) { change(t, p, `"v":1`, `"v":2`) },
			"meta.json is of version 2, and this program reads 1: use the starling that wrote it", 0,
		},
		"torn summary": {
			"summary.json", func(t *testing.T, p string) { putText(t, p, `{"v":1,"runs":[{"rec`) },
			"summary.json is damaged", 0,
		},
		"no summary": {
			"summary.json", func(t *testing.T, p string) { remove(t, p) },
			"has no summary.json: its runs were cut short", 0,
		},
		"empty summary": {
			"summary.json", func(t *testing.T, p string) { putText(t, p, `{"v":1}`) }, "tells of no run", 0,
		},
		"torn network": {
			"pulse-2/network.json", func(t *testing.T, p string) { putText(t, p, `{"v":1`) }, "network.json", 5,
		},
		"later network": {
			"pulse-2/network.json", func(t *testing.T, p string) { change(t, p, `"v":1`, `"v":9`) }, "of version 9", 5,
		},
		"corrupt log": {
			"pulse-2/peers/1/events.jsonl", func(t *testing.T, p string) { putText(t, p, "\x00\x01\x02\n\x00") },
			"pulse-2/peers/1/events.jsonl: not an event log: line 1 is no event: run it again, or leave it out", 5,
		},
		"later log": {
			"pulse-2/events.jsonl", func(t *testing.T, p string) { change(t, p, `"v":1`, `"v":2`) },
			"pulse-2/events.jsonl: its events are of a later version than 1", 5,
		},
		"strange event": {
			"pulse-2/peers/1/events.jsonl", func(t *testing.T, p string) { change(t, p, `"mixes":3`, `"mixes":"three"`) },
			"pulse-2/peers/1/events.jsonl: event 1, window, is damaged", 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := usual.write(t)
			path := filepath.Join(bad, filepath.FromSlash(c.file))
			c.harm(t, path)
			r, err := Read(bad)
			if c.runs == 0 {
				if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), bad) {
					t.Fatalf("got %v, want %q", err, c.want)
				}
			} else if err != nil || r.Runs() != c.runs {
				t.Fatalf("%v", err)
			}
			good := usual
			good.name = "good"
			page := files(t, bad, good.write(t))["report.html"]
			got := html.UnescapeString(page)
			if !strings.Contains(got, "Unreadable, and left out") || !strings.Contains(got, c.want) {
				t.Errorf("the page does not say %q", c.want)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestTornLogIsReadAndTold(t *testing.T) {
	t.Parallel()
	dir := usual.write(t)
	journal := filepath.Join(dir, "dpsgd-1", "events.jsonl")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	putText(t, journal, string(text[:len(text)-30])) // within its last line
	r, err := Read(dir)
	if err != nil || r.Runs() != 6 || len(r.Problems()) != 0 {
		t.Fatalf("%v", err)
	}
	notes := strings.Join(r.Notes(), "\n")
	for _, want := range []string{journal + ":8: 1 lines left out", journal + " has no last line"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes do not say %q:\n%s", want, notes)
		}
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for path, want := range map[string]string{
		empty:                           "not the folder of a run: no meta.json is in it",
		filepath.Join(empty, "nowhere"): "no such folder",
	} {
		_, err := Read(path)
		if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v", err)
		}
	}
	if r, err := Read(filepath.Join(empty, "nowhere"), usual.write(t)); err != nil || len(r.Problems()) != 1 {
		t.Errorf("one bad path among good ones: %v", err)
	}
}

func TestMatrixOfManyPeers(t *testing.T) {
	t.Parallel()
	for n, ok := range map[int]bool{mostShapes + 1: true, mostPeers: true, mostPeers + 1: false} {
		m := newMatrix(make([]string, n))
		if !m.empty() {
			t.Error("a new matrix is not empty")
		}
		m.cells[0][n-1] = 2
		p, err := m.draw("t", "x", "y")
		if (err == nil) != ok {
			t.Errorf("%d peers: %v", n, err)
		}
		if err != nil {
			continue
		}
		svg, err := square.svg(p)
		if err != nil || !bytes.Contains(svg, []byte("data:image/")) || len(svg) > 100_000 {
			t.Errorf("%d peers: %d bytes, %v", n, len(svg), err)
		}
	}
}
