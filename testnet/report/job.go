package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/starling-ml/starling/testnet"
)

// job is the folder of one call of a manifest.
type job struct {
	*testnet.Folder
	name     string // the last part of its path, by which the report calls it
	runs     []*run
	problems []error
	notes    []string
}

// run is one network of a job.
type run struct {
	job     *job
	result  testnet.Result
	folder  string           // of its files; empty: it left none
	network *testnet.Network // nil: it left no files
	trace   *trace           // what its event logs say; nil: it left none
}

// find returns the folders of jobs among some paths and in them.
func (r *Report) find(paths []string) []string {
	var found []string
	for _, path := range paths {
		below, err := jobsIn(filepath.Clean(path))
		if err != nil {
			r.problems = append(r.problems, err)
		}
		for _, folder := range below {
			if !slices.Contains(found, folder) {
				found = append(found, folder)
			}
		}
	}
	return found
}

func jobsIn(path string) ([]string, error) {
	if testnet.IsFolder(path) {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such folder; name one that starling testnet run left", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; name a folder that starling testnet run left", err)
	}
	var below []string
	for _, e := range entries {
		if folder := filepath.Join(path, e.Name()); testnet.IsFolder(folder) {
			below = append(below, folder)
		}
	}
	if len(below) == 0 {
		return nil, fmt.Errorf("%s: %w: no meta.json is in it, nor in a folder in it; name one that "+
			"starling testnet run left", path, testnet.ErrNoFolder)
	}
	return below, nil
}

// openJob reads one folder. A run whose files are damaged is left out and becomes a problem.
func openJob(path string) (*job, error) {
	folder, err := testnet.OpenFolder(path)
	if err != nil {
		return nil, err
	}
	j := &job{Folder: folder, name: filepath.Base(path), problems: folder.Broken}
	if absolute, err := filepath.Abs(path); err == nil {
		j.name = filepath.Base(absolute) // of "." as well
	}
	if len(folder.Summary.Runs) == 0 {
		return nil, fmt.Errorf("%s: its summary.json tells of no run: run the manifest again", path)
	}
	if folder.Summary.Partial {
		j.notes = append(j.notes, fmt.Sprintf("%s: the job ended before all its runs were done (%s)",
			path, folder.Meta.Verdict))
	}
	for i := range folder.Summary.Runs {
		if one := j.open(&folder.Summary.Runs[i]); one != nil {
			j.runs = append(j.runs, one)
		}
	}
	return j, nil
}

// open reads the files of a run; nil: they are damaged.
func (j *job) open(result *testnet.Result) *run {
	r := &run{job: j, result: *result}
	folder, network := j.RunOf(result)
	if folder == "" && len(j.Broken) > 0 {
		return nil // its files are among them: every run of a job leaves files, or none does
	}
	if folder == "" {
		return r
	}
	r.folder, r.network = folder, &network
	var err error
	if r.trace, err = readTrace(folder, &network); err != nil {
		j.problems = append(j.problems, err)
		return nil
	}
	j.notes = append(j.notes, r.trace.notes...)
	return r
}
