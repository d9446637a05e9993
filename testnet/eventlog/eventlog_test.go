package eventlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// event is one line of a log, a second after the other.
func event(at int, peer, kind, fields string) string {
	return fmt.Sprintf(`{"v":1,"ts":"2000-01-01T00:00:%02dZ","t":%d,"clock":"virtual","run":"r","peer":"12D3Koo-%s",`+
		`"name":%q,"seq":%d,"ev":%q%s}`+"\n", at, at, peer, peer, at, kind, fields)
}

func scan(text string) (kinds []string, torn Torn, err error) {
	torn, err = Scan(strings.NewReader(text), func(l Line) error {
		kinds = append(kinds, l.Kind)
		return nil
	})
	return kinds, torn, err
}

func TestScan(t *testing.T) {
	t.Parallel()
	good := event(1, "a", "mix", `,"round":3`)
	for name, c := range map[string]struct {
		text   string
		events int
		torn   Torn
		bad    bool
	}{
		"empty":                {"", 0, Torn{}, false},
		"whole":                {good + good, 2, Torn{}, false},
		"blank lines":          {"\n" + good + "\n\n", 1, Torn{}, false},
		"no newline at end":    {strings.TrimSuffix(good, "\n"), 1, Torn{}, false},
		"cut within last line": {good + good[:len(good)/2], 1, Torn{1, 2}, false},
		"corrupt in between":   {good + "\x00\x00\x00\n" + "{}\n" + good, 2, Torn{2, 2}, false},
		"no event at all":      {"hello\n", 0, Torn{1, 1}, true},
		"another kind of JSON": {`{"a":1}` + "\n", 0, Torn{1, 1}, true},
		"binary":               {"\x89PNG\r\n\x1a\n", 0, Torn{2, 1}, true},
	} {
		kinds, torn, err := scan(c.text)
		if len(kinds) != c.events || torn != c.torn || errors.Is(err, ErrNoLog) != c.bad || (err != nil) != c.bad {
			t.Errorf("%s: %d events, torn %+v, %v", name, len(kinds), torn, err)
		}
	}
}

func TestScanRefusesEndlessLines(t *testing.T) {
	t.Parallel()
	text := event(1, "a", "mix", "") + strings.Repeat("x", longest+1)
	_, err := Scan(strings.NewReader(text), func(Line) error { return nil })
	if !errors.Is(err, ErrNoLog) {
		t.Errorf("got %v", err)
	}
}

func TestScanStopsAtTheReadersError(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	calls := 0
	_, err := Scan(strings.NewReader(strings.Repeat(event(1, "a", "mix", ""), 3)), func(Line) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || errors.Is(err, ErrNoLog) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestLineIsRead(t *testing.T) {
	t.Parallel()
	text := event(7, "a", "perturb.begin", `,"targets":["b"],"round":9`)
	_, err := Scan(strings.NewReader(text), func(l Line) error {
		if l.V != Version || l.At != 7 || l.Peer != "12D3Koo-a" || l.Name != "a" || l.Seq != 7 || *l.Round != 9 ||
			!slices.Equal(l.Targets, []string{"b"}) || string(l.Raw)+"\n" != text {
			t.Errorf("got %+v", l)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestParseSpan(t *testing.T) {
	t.Parallel()
	most := ^uint64(0)
	for text, want := range map[string]Span{
		"7": {7, 7}, "3-9": {3, 9}, "3-": {3, most}, "-9": {0, 9}, "0": {0, 0}, "5-5": {5, 5},
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "9-3", "a", "3-b", "1-2-3", "-1-2", "3.5", "99999999999999999999"} {
		if got, err := ParseSpan(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	log := event(1, "a", "mix", `,"round":3`) + event(2, "b", "mix", `,"round":4`) + event(3, "a", "member.join", "") +
		event(4, "ab", "lost", `,"round":5`)
	from, to := 2*time.Second, 3*time.Second
	for name, c := range map[string]struct {
		filter Filter
		want   string
	}{
		"all":             {Filter{}, "1 2 3 4"},
		"by name":         {Filter{Peers: []string{"a"}}, "1 3"},
		"by two names":    {Filter{Peers: []string{"a", "ab"}}, "1 3 4"},
		"by identity":     {Filter{Peers: []string{"12D3Koo-b"}}, "2"},
		"by begin of it":  {Filter{Peers: []string{"12D3Koo-"}}, "1 2 3 4"},
		"begin too short": {Filter{Peers: []string{"12D3Koo"}}, ""},
		"by kind":         {Filter{Kinds: []string{"mix"}}, "1 2"},
		"by family":       {Filter{Kinds: []string{"member"}}, "3"},
		"begin of a kind": {Filter{Kinds: []string{"mem", "los"}}, ""},
		"from":            {Filter{From: &from}, "2 3 4"},
		"to":              {Filter{To: &to}, "1 2 3"},
		"between":         {Filter{From: &from, To: &to}, "2 3"},
		"rounds":          {Filter{Rounds: &Span{4, 5}}, "2 4"},
		"everything":      {Filter{Peers: []string{"b"}, Kinds: []string{"mix"}, From: &from, Rounds: &Span{0, 4}}, "2"},
	} {
		var got []string
		_, err := Scan(strings.NewReader(log), func(l Line) error {
			if c.filter.Wants(&l) {
				got = append(got, fmt.Sprint(l.At))
			}
			return nil
		})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q, %v", name, got, c.want, err)
		}
	}
}

func TestKindsHasFamilies(t *testing.T) {
	t.Parallel()
	all := Kinds()
	for _, want := range []string{"mix", "member", "member.join", "run", "perturb.end"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among %q", want, all)
		}
	}
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("not sorted, or twice: %q", all)
	}
}

func TestHuman(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fields, want string }{
		{`,"round":3`, "     1.000 s  a    mix              round 3"},
		{
			`,"waited_s":0.123456789,"sent_bytes":12,"codec":null`,
			"     1.000 s  a    mix              waited_s 0.1235 s  sent_bytes 12 B  codec -",
		},
		{`,"missing":[],"up":true`, "     1.000 s  a    mix              missing none  up true"},
		{`,"used":[{"p":"b","w":0.5},{"p":"c"}]`, "     1.000 s  a    mix              used b,c"},
		{`,"influence":{"z":0.25,"b":1}`, "     1.000 s  a    mix              influence b=1,z=0.25"},
		{`,"reason":"\u001b[2Jgone\n"`, "     1.000 s  a    mix              reason \ufffd[2Jgone\ufffd"},
		{`,"big":12345678901234567890`, "     1.000 s  a    mix              big 12345678901234567890"},
	} {
		_, err := Scan(strings.NewReader(event(1, "a", "mix", c.fields)), func(l Line) error {
			if got := Human(&l, 3); got != c.want {
				t.Errorf("%s:\n got %q\nwant %q", c.fields, got, c.want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestHumanNamesThePeerByItsIdentity(t *testing.T) {
	t.Parallel()
	if got := Human(&Line{Peer: "12D3", Kind: "mix", Raw: []byte("{")}, 0); got != "     0.000 s  12D3  mix" {
		t.Errorf("got %q", got)
	}
}

// put writes files below a folder.
func put(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCollectMergesTheLogsOfARun(t *testing.T) {
	t.Parallel()
	dir := put(t, map[string]string{
		"one/events.jsonl":           event(5, "network", "eval", ""),
		"one/peers/a/events.jsonl":   event(6, "a", "mix", "") + "{torn",
		"one/peers/a/events.2.jsonl": event(4, "a", "mix", ""),
		"one/peers/a/events.1.jsonl": event(2, "a", "mix", ""),
		"one/peers/b/events.jsonl":   event(3, "b", "mix", ""),
		"two/events.jsonl":           event(1, "network", "eval", ""),
		"two/summary.json":           "{}",
		"two/events.txt":             "no log",
	})
	logs, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var torn []string
	runs, err := Collect(logs, &Filter{}, func(file string, at Torn) {
		torn = append(torn, fmt.Sprintf("%s:%d", file, at.First))
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		name, err := filepath.Rel(dir, r.Run)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Lines {
			got = append(got, fmt.Sprintf("%s %s%v", name, l.Name, l.At))
		}
	}
	want := []string{"one a2", "one b3", "one a4", "one network5", "one a6", "two network1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if want := filepath.Join(dir, "one", "peers", "a", "events.jsonl") + ":2"; len(torn) != 1 || torn[0] != want {
		t.Errorf("torn %q", torn)
	}
}

func TestRotatedFilesAreReadFromTheOldest(t *testing.T) {
	t.Parallel()
	files := map[string]string{"events.jsonl": event(12, "a", "mix", "")}
	for i := 1; i <= 11; i++ {
		files[fmt.Sprintf("events.%d.jsonl", i)] = event(i, "a", "mix", "")
	}
	logs, err := Find(put(t, files))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	var times []float64
	err = logs[0].Read(func(l Line) error { times = append(times, l.At); return nil }, nil)
	if err != nil || len(times) != 12 || !slices.IsSorted(times) {
		t.Errorf("%v, %v", times, err)
	}
}

func TestFindAndReadNameTheFile(t *testing.T) {
	t.Parallel()
	dir := put(t, map[string]string{"events.jsonl": "no event\n"})
	logs, err := Find(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	told := false
	_, err = Collect(logs, &Filter{}, func(string, Torn) { told = true })
	if !errors.Is(err, ErrNoLog) || !strings.Contains(err.Error(), filepath.Join(dir, "events.jsonl")) || told {
		t.Errorf("got %v, told %t", err, told)
	}
	if _, err := Find(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no event log") {
		t.Errorf("a folder without logs: %v", err)
	}
	if _, err := Find(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// FuzzScan: whatever a file holds, reading, filtering and printing it end, and print one line an event.
func FuzzScan(f *testing.F) {
	f.Add(event(1, "a", "mix", `,"used":[{"p":"b"},3,null],"influence":{"a":{"b":[1]}},"x_s":1e999`))
	f.Add(event(1, "\x00\n", "run.start", `,"round":null,"targets":[]`) + "{\n" + `{"ev":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Scan(strings.NewReader(text), func(l Line) error {
			filter := Filter{Peers: []string{"a"}, Kinds: []string{"mix"}, Rounds: &Span{1, 2}}
			filter.Wants(&l)
			if line := Human(&l, 5); strings.ContainsAny(line, "\n\r\x1b") {
				t.Errorf("%q", line)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrNoLog) {
			t.Error(err)
		}
	})
}
