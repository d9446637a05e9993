package testnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is the folder of a job that has ended, read again.
type Folder struct {
	Path    string
	Meta    Meta
	Summary Summary
	Config  string // the effective manifest; empty: it is not there
	// Runs are the networks whose files are in the folder and in the folders in it, by the path of theirs.
	Runs map[string]Network
	// Broken tells which of these folders could not be read, and why.
	Broken []error
}

// ErrNoFolder tells that something is not the folder of a job: it has no meta.json.
var ErrNoFolder = errors.New("not the folder of a run")

// IsFolder tells whether a path looks like the folder of a job.
func IsFolder(path string) bool {
	info, err := os.Stat(filepath.Join(path, "meta.json"))
	return err == nil && info.Mode().IsRegular()
}

// OpenFolder reads the folder of a job. The error says what to do.
func OpenFolder(path string) (*Folder, error) {
	if !IsFolder(path) {
		return nil, fmt.Errorf("%s: %w: it has no meta.json", path, ErrNoFolder)
	}
	f := &Folder{Path: path, Runs: map[string]Network{}}
	if err := f.read("meta.json", &f.Meta, &f.Meta.V); err != nil {
		return nil, err
	}
	err := f.read("summary.json", &f.Summary, &f.Summary.V)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no summary.json: its runs were cut short (%s); continue them with "+
			"starling testnet run MANIFEST --resume %s", path, f.Meta.Verdict, quoted(path))
	}
	if err != nil {
		return nil, err
	}
	config, err := os.ReadFile(filepath.Join(path, "config.yaml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f.Config = string(config)
	return f, f.networks()
}

// read reads one file of the folder and refuses a version that is not known.
func (f *Folder) read(name string, target any, version *int) error {
	path := filepath.Join(f.Path, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, target); err != nil {
		return fmt.Errorf("%s is damaged (%w): run the manifest again", path, err)
	}
	switch {
	case *version > FolderVersion:
		return fmt.Errorf("%s is of version %d, and this program reads %d: use the starling that wrote it, or a newer one",
			path, *version, FolderVersion)
	case *version < 1:
		return fmt.Errorf("%s: %w: it has no version", path, ErrNoFolder)
	}
	return nil
}

// networks finds the runs that left files.
func (f *Folder) networks() error {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return err
	}
	folders := []string{f.Path}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, filepath.Join(f.Path, e.Name()))
		}
	}
	for _, folder := range folders {
		n, err := ReadNetwork(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			f.Broken = append(f.Broken, err)
			continue
		}
		f.Runs[folder] = n
	}
	return nil
}

// RunOf returns the folder of the files of a run, "" when it left none.
func (f *Folder) RunOf(r *Result) (string, Network) {
	for _, folder := range slices.Sorted(maps.Keys(f.Runs)) {
		n := f.Runs[folder]
		if n.Seed == r.Seed && n.Recipe == r.Recipe && maps.Equal(n.Sweep, r.Sweep) {
			return folder, n
		}
	}
	return "", Network{}
}
