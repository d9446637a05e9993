package testnet

import (
	"context"
	"fmt"
	"strings"

	"github.com/starling-ml/starling/topology"
)

// Runtime runs one network to its end and measures it. With Plan.Dir it leaves the event logs of the
// peers there.
type Runtime interface {
	Run(ctx context.Context, plan *Plan) (Result, error)
}

// Progress is told of every run that has ended, one call at a time.
type Progress func(done, all int, plan *Plan, result Result)

// Job is one call of a manifest.
type Job struct {
	Manifest *Loaded
	Runtimes map[RuntimeName]Runtime
	Progress Progress // nil: nobody is told
}

// Run runs every plan of the manifest and judges the results. It returns the folder with the files of
// the runs, "" when none is kept. Runs in virtual time share the processors; others go one by one. With
// an error it also returns what was measured until then, if anything was.
func (j Job) Run(ctx context.Context) (*Summary, string, error) {
	dir, err := openDirectory(j.Manifest)
	if err != nil {
		return nil, "", err
	}
	c := newCampaign(j, dir)
	err = c.run(ctx)
	results := c.results()
	if err != nil && len(results) == 0 {
		return nil, dir.path, dir.fail(err)
	}
	summary := &Summary{V: FolderVersion, Runs: results, Expectations: []Verdict{}, Partial: err != nil}
	if err != nil {
		return summary, dir.path, dir.leave(summary, err)
	}
	summary.Expectations = j.Manifest.judge(results)
	kept, err := dir.finish(j.Manifest, summary)
	return summary, kept, err
}

// judge checks the expectations about the runs that were chosen.
func (l *Loaded) judge(results []Result) []Verdict {
	verdicts := []Verdict{}
	for i, e := range l.Expect {
		if !e.concerns(l.chosenAxes()) {
			continue
		}
		verdict := Judge(e, results)
		verdict.Line = l.Document.Line(fmt.Sprintf("expect.%d.metric", i))
		verdicts = append(verdicts, verdict)
	}
	return verdicts
}

// Count is the number of runs, those that tune included.
func (l *Loaded) Count() int {
	each := len(l.seeds())
	if l.Tune != nil {
		each += len(l.Tune.candidates()) * len(l.Tune.seeds(l.Seed))
	}
	return len(product(l.chosenAxes())) * each
}

// Graph is the graph of the manifest without its cases and its sweep.
func (l *Loaded) Graph() *topology.Graph { return l.graph }

// Headline says in one line what is going to run.
func (l *Loaded) Headline() string {
	text := fmt.Sprintf("%s  %d runs", l.Name, l.Count())
	var parts []string
	for _, a := range l.chosenAxes() {
		parts = append(parts, fmt.Sprintf("%d %s", len(a.values), plural(lastKey(a.key), len(a.values))))
	}
	each := ""
	if n := len(l.seeds()); n > 1 {
		each = fmt.Sprintf("%d seeds", n)
	}
	if l.Tune != nil {
		tuning := len(l.Tune.seeds(l.Seed))
		each = fmt.Sprintf("(%d %s x %d seeds to tune + %d)",
			len(l.Tune.candidates()), l.Tune.names(), tuning, len(l.seeds()))
	}
	if each != "" {
		parts = append(parts, each)
	}
	if parts != nil {
		text += " = " + strings.Join(parts, " x ")
	}
	clock := map[RuntimeName]string{
		VirtualTime: "virtual clock", InProcess: "libp2p hosts in one process", Processes: "one process a peer",
	}
	return text + "   " + clock[l.Runtime]
}

// Choices says what the runs differ in, a line for each key.
func (l *Loaded) Choices() []string {
	var lines []string
	for _, a := range l.chosenAxes() {
		lines = append(lines, fmt.Sprintf("%s: %s", a.key, strings.Join(a.labels(), ", ")))
	}
	if l.Tune != nil {
		for _, a := range l.Tune.axes() {
			lines = append(lines, fmt.Sprintf("%s: tuned over %s", a.key, strings.Join(a.labels(), ", ")))
		}
	}
	if seeds := l.seeds(); len(seeds) > 1 {
		lines = append(lines, fmt.Sprintf("seeds: %d to %d", seeds[0], seeds[len(seeds)-1]))
	}
	return lines
}

// command is the command that runs the manifest.
func (l *Loaded) command() string {
	args := "starling testnet run"
	for _, f := range l.sources.Files {
		args += " " + f.Name
	}
	for _, pair := range l.sources.Set {
		args += " --set '" + pair + "'"
	}
	return args
}

// ResumeCommand returns the command that continues the runs of a folder.
func (l *Loaded) ResumeCommand(folder string) string {
	words := append([]string{l.command()}, l.selection.args...)
	return strings.Join(append(words, "--resume", quoted(folder)), " ")
}

// Repeat returns the command that repeats one run of a manifest.
func (l *Loaded) Repeat(r Result) string {
	args := l.command()
	for _, a := range l.axes() {
		term := a.key + "=" + r.Sweep[a.key]
		if a.key == recipeKey {
			term = r.Recipe
		}
		args += " --only " + quoted(term)
	}
	return fmt.Sprintf("%s --seed %d", args, r.Seed)
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.ContainsAny(word, " ,[]{}'\"$*?") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// plural is a word for several things.
func plural(word string, count int) string {
	if count == 1 || strings.HasSuffix(word, "s") {
		return word
	}
	return word + "s"
}
