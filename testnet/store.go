package testnet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
)

// Behaviour is the version of what runs show: it rises with every change of the program that gives
// another result for the same manifest and seed, so that results of before are not taken for current.
const Behaviour = 1

// outcome is a finished run as it is kept in the folder of its job, in results/KEY.json.
type outcome struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Result Result `json:"result"`
}

// resultsDir is where the outcomes are in the folder of a job.
const resultsDir = "results"

// choosing are the keys that say which runs there are, what they are expected to show and what is kept.
// They make no difference to any one run.
var choosing = []string{"cases", "sweep", "tune", "quick", "seeds", "expect", "output", "description"}

// key is a fingerprint of all that decides the result of a run of the combination that is in force.
func (l *Loaded) key(p *Plan) (string, error) {
	m, defaults := *l.Manifest, DefaultManifest()
	m.Name, m.Description, m.Output = "", "", defaults.Output
	m.Cases, m.Sweep, m.Tune, m.Quick, m.Expect = nil, nil, nil, nil, nil
	m.Seed, m.Seeds = p.Seed, 1
	var text strings.Builder
	if err := settings.Write(&text, &m, defaults); err != nil {
		return "", err
	}
	fmt.Fprintf(&text, "\nbehaviour %d, until target %t", Behaviour, p.Stop.AtTarget)
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:12]), nil
}

// recall returns the result of a run that the folder has.
func (d *directory) recall(key string) (Result, bool) {
	if d.path == "" {
		return Result{}, false
	}
	text, err := os.ReadFile(d.outcome(key))
	var o outcome
	if err != nil || json.Unmarshal(text, &o) != nil || o.Key != key {
		return Result{}, false // it is run again
	}
	return o.Result, true
}

// keep stores the result of a run. The file appears only when it is complete.
func (d *directory) keep(o outcome) error {
	if d.path == "" {
		return nil
	}
	name := filepath.Join(resultsDir, o.Key+".part")
	if err := d.write(name, func(w io.Writer) error { return json.NewEncoder(w).Encode(o) }); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(d.path, name), d.outcome(o.Key)); err != nil {
		return fmt.Errorf("store a result: %w", err)
	}
	return nil
}

func (d *directory) outcome(key string) string { return filepath.Join(d.path, resultsDir, key+".json") }

// Resume makes Job.Run continue the runs of a folder, or of the latest folder of this manifest in
// output.dir: results that are there and are of the same settings, seed and behaviour of the program are
// not computed again. Cases, sweep, tune and seeds may differ from those of before; nothing else may.
func (l *Loaded) Resume(folder string) error {
	if folder == "latest" {
		latest, err := l.latest()
		if err != nil {
			return err
		}
		folder = latest
	}
	text, err := os.ReadFile(filepath.Join(folder, "config.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not the folder of a run: it has no config.yaml", folder)
	}
	if err != nil {
		return err
	}
	// Its paths are as seen from the working directory, as are those of standard input.
	before := settings.Load(DefaultManifest(), settings.Sources{Files: []settings.File{{Name: "-", Text: text}}})
	if path, mine, theirs := l.Document.Difference(before, choosing...); path != "" {
		return fmt.Errorf("%s is %s here and %s in %s: use the manifest of that folder, or start a new one",
			path, given(mine), given(theirs), folder)
	}
	l.resume = folder
	return nil
}

func given(value string) string {
	if value == "" {
		return "not given"
	}
	return value
}

// latest returns the newest folder of a manifest with this name.
func (l *Loaded) latest() (string, error) {
	folders, err := filepath.Glob(filepath.Join(l.Output.Dir, "*", "meta.json"))
	if err != nil {
		return "", err
	}
	var newest string
	var known Meta
	for _, path := range folders {
		var m Meta
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &m) != nil || m.Name != l.Name {
			continue
		}
		if newest == "" || !m.Started.Before(known.Started) {
			newest, known = filepath.Dir(path), m
		}
	}
	if newest == "" {
		return "", fmt.Errorf("no run of %s in %s to resume", l.Name, l.Output.Dir)
	}
	return newest, nil
}
