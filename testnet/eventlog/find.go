package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Log is the event log of one peer, or of a network as a whole: its current file and those closed before.
type Log struct {
	// Run is the folder of the run that it is of: the one that holds peers/.
	Run   string
	Files []string // oldest first
}

// begin is how the files of event logs are called: events.jsonl, and events.1.jsonl once closed.
const begin = "events."

// Find returns the logs of a file or of all folders below a folder, sorted by run and path.
func Find(path string) ([]Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []Log{{Run: filepath.Dir(path), Files: []string{path}}}, nil
	}
	byFolder := map[string]*Log{}
	var logs []*Log
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !isLog(d) {
			return err
		}
		folder := filepath.Dir(name)
		if byFolder[folder] == nil {
			byFolder[folder] = &Log{Run: runOf(folder)}
			logs = append(logs, byFolder[folder])
		}
		byFolder[folder].Files = append(byFolder[folder].Files, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(logs) == 0 {
		return nil, fmt.Errorf("%s holds no event log: no events.jsonl is in it or below it", path)
	}
	var all []Log
	for _, l := range logs {
		slices.SortStableFunc(l.Files, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
		all = append(all, *l)
	}
	slices.SortStableFunc(all, func(a, b Log) int {
		return cmp.Or(strings.Compare(a.Run, b.Run), strings.Compare(a.Files[0], b.Files[0]))
	})
	return all, nil
}

func isLog(d fs.DirEntry) bool {
	return d.Type().IsRegular() && strings.HasPrefix(d.Name(), begin) && strings.HasSuffix(d.Name(), ".jsonl")
}

// runOf is the folder above peers/NAME.
func runOf(folder string) string {
	if above := filepath.Dir(folder); filepath.Base(above) == "peers" {
		return filepath.Dir(above)
	}
	return folder
}

// number is the place of a closed file among those of its log; the current one is the last.
func number(path string) int {
	middle := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), begin), ".jsonl")
	if n, err := strconv.Atoi(middle); err == nil {
		return n
	}
	return int(^uint(0) >> 1)
}

// Read calls each for every event of the log, from the oldest file to the newest. told is called for each
// file in which lines were skipped.
func (l *Log) Read(each func(Line) error, told func(file string, torn Torn)) error {
	for _, file := range l.Files {
		if err := readFile(file, each, told); err != nil {
			return err
		}
	}
	return nil
}

func readFile(name string, each func(Line) error, told func(file string, torn Torn)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	torn, err := Scan(file, each)
	if torn.Count > 0 && told != nil && !errors.Is(err, ErrNoLog) {
		told(name, torn)
	}
	if errors.Is(err, ErrNoLog) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}
