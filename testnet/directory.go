package testnet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/topology"
)

// directory is the folder of one job: meta.json, config.yaml, topology.edges, summary.json and
// summary.csv, and the event logs of the peers. The zero value keeps nothing.
type directory struct {
	path string
	meta Meta
}

// FolderVersion is the version of the files in the folder of a job: meta.json and summary.json.
const FolderVersion = 1

// Meta says what was run, with what, where, and how it ended: what meta.json holds.
type Meta struct {
	V          int       `json:"v"`
	Name       string    `json:"name"`
	Version    string    `json:"version"`
	Commit     string    `json:"commit"`
	Go         string    `json:"go"`
	Seed       uint64    `json:"seed"`
	Seeds      int       `json:"seeds"`
	Runtime    string    `json:"runtime"`
	ConfigHash string    `json:"config_hash"`
	Host       string    `json:"host"`
	Cores      int       `json:"cores"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended,omitzero"`
	Verdict    string    `json:"verdict"` // running, ok, failed (an expectation) or error: ...
}

// Effective returns the manifest as YAML with every default filled in.
func (l *Loaded) Effective() (string, error) {
	var text strings.Builder
	err := settings.Write(&text, l.Manifest, DefaultManifest())
	return text.String(), err
}

// Hash is a fingerprint of the effective manifest.
func (l *Loaded) Hash() string {
	text, err := l.Effective()
	if err != nil {
		return "" // openDirectory reports it
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// openDirectory makes the folder of a job, named after the time and the manifest, or opens the one that
// is resumed, and writes what is known at the start.
func openDirectory(l *Loaded) (*directory, error) {
	if l.Output.Keep == "none" && l.resume == "" {
		return &directory{}, nil
	}
	d := &directory{path: l.resume, meta: newMeta(l)}
	if err := d.make(l); err != nil {
		return nil, fmt.Errorf("make the folder of a run: %w; set output.dir, or output.keep: none", err)
	}
	config, err := l.Effective()
	if err != nil {
		return nil, err
	}
	return d, errors.Join(d.writeMeta(), d.write("config.yaml", func(w io.Writer) error {
		_, err := io.WriteString(w, config)
		return err
	}))
}

// make makes the folder, unless there is one, and the folder of results in it.
func (d *directory) make(l *Loaded) error {
	if err := os.MkdirAll(l.Output.Dir, 0o755); err != nil {
		return err
	}
	stamp := filepath.Join(l.Output.Dir, d.meta.Started.Format("2006-01-02T15-04-05")+"-"+fileName(l.Name))
	for i := 1; d.path == ""; i++ {
		name := stamp
		if i > 1 {
			name = fmt.Sprintf("%s-%d", stamp, i)
		}
		switch err := os.Mkdir(name, 0o755); {
		case err == nil:
			d.path = name
		case !errors.Is(err, os.ErrExist):
			return err
		}
	}
	return os.MkdirAll(filepath.Join(d.path, resultsDir), 0o755)
}

func newMeta(l *Loaded) Meta {
	program := build.Read()
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return Meta{
		V: FolderVersion, Name: l.Name, Version: program.Version, Commit: program.Revision, Go: program.Go,
		Seed: l.Seed, Seeds: l.Seeds,
		Runtime: string(l.Runtime), ConfigHash: l.Hash(), Host: host, Cores: runtime.NumCPU(),
		Started: time.Now().UTC().Round(time.Millisecond), Verdict: "running",
	}
}

// finish writes the summary and returns the folder, or "" when it is not kept.
func (d *directory) finish(l *Loaded, s *Summary) (string, error) {
	if d.path == "" {
		return "", nil
	}
	if s.OK() && l.Output.Keep == "failed" {
		return "", os.RemoveAll(d.path)
	}
	d.meta.Verdict = "ok"
	if !s.OK() {
		d.meta.Verdict = "failed"
	}
	return d.path, errors.Join(
		d.end(),
		d.write("topology.edges", func(w io.Writer) error { return topology.Write(l.graph, "edges", w) }),
		d.writeSummary(s),
	)
}

// leave notes why the job ended early, writes what there is, and returns the cause.
func (d *directory) leave(s *Summary, cause error) error {
	if d.path == "" {
		return cause
	}
	return errors.Join(d.fail(cause), d.writeSummary(s))
}

func (d *directory) writeSummary(s *Summary) error {
	return errors.Join(d.write("summary.json", s.WriteJSON), d.write("summary.csv", s.WriteCSV))
}

// fail notes why the job ended early and returns the cause.
func (d *directory) fail(cause error) error {
	if d.path == "" {
		return cause
	}
	d.meta.Verdict = "error: " + cause.Error()
	return errors.Join(cause, d.end())
}

func (d *directory) end() error {
	d.meta.Ended = time.Now().UTC().Round(time.Millisecond)
	return d.writeMeta()
}

func (d *directory) writeMeta() error {
	return d.write("meta.json", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(d.meta)
	})
}

func (d *directory) write(name string, content func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(d.path, name))
	if err != nil {
		return fmt.Errorf("write the files of a run: %w", err)
	}
	if err := errors.Join(content(file), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file.Name(), err)
	}
	return nil
}

// fileName replaces what a file name should not hold.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, text)
}
