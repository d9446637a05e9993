package report

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"
)

//go:embed page.html
var pageText embed.FS

var pageTemplate = template.Must(template.ParseFS(pageText, "page.html"))

// Page is what the template shows.
type Page struct {
	Title    string
	Summary  string
	Jobs     []JobView
	Problems []string
	Notes    []string
	Versions *Table // nil: there is but one
	Builds   []BuildView
	Runs     Table
}

// JobView is one folder.
type JobView struct {
	Folder, Name, Version, Commit, Config, Runtime, Seeds, Host, Started, Verdict string
	Runs                                                                          int
	Expectations                                                                  []ExpectationView
}

// ExpectationView is what a manifest expected.
type ExpectationView struct {
	OK   bool
	Text string
}

// BuildView is all that one version has run.
type BuildView struct {
	Title    string
	Overview *Table
	Groups   []GroupView
}

// GroupView is one network in one case.
type GroupView struct {
	ID, Title, Description   string
	Virtual                  bool
	Figures                  []Table
	Curves                   []Figure
	Waits, Influence, Others []Figure
	Missing                  []string
}

// Table is a table with a row a recipe, or a run.
type Table struct {
	Caption string
	Note    string
	Header  []string
	Rows    [][]string
}

// Figure is a plot on the page.
type Figure struct {
	SVG     template.HTML // made here, every text in it escaped
	Link    string
	Missing string // why there is no plot
}

// page makes the page and the files of its plots.
func (r *Report) page() ([]byte, []File, error) {
	f := &figures{recipes: r.recipes}
	p := Page{
		Title: r.title(), Summary: r.summary(), Problems: r.Problems(), Notes: r.notes, Runs: r.runTable(),
		Versions: r.versions(),
	}
	for _, j := range r.jobs {
		p.Jobs = append(p.Jobs, j.view())
	}
	number := 0
	for _, b := range r.builds {
		view := BuildView{Title: b.title(), Overview: b.overview(r.recipes)}
		for _, g := range b.groups {
			number++
			group, err := f.group(g, number)
			if err != nil {
				return nil, nil, err
			}
			view.Groups = append(view.Groups, *group)
		}
		p.Builds = append(p.Builds, view)
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		return nil, nil, fmt.Errorf("make the page: %w", err)
	}
	return text.Bytes(), f.files, nil
}

func (r *Report) title() string {
	var names []string
	seen := map[string]bool{}
	for _, j := range r.jobs {
		if !seen[j.Meta.Name] {
			seen[j.Meta.Name] = true
			names = append(names, j.Meta.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (r *Report) summary() string {
	groups := 0
	for _, b := range r.builds {
		groups += len(b.groups)
	}
	return fmt.Sprintf("%s of %s with %s", counted(r.Runs(), "run"), counted(groups, "network"),
		counted(len(r.recipes), "recipe"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (b *build) title() string {
	commit := b.commit
	if len(commit) > 12 {
		commit = commit[:12]
	}
	return fmt.Sprintf("starling %s, commit %s", b.version, commit)
}

func (j *job) view() JobView {
	m := j.Meta
	v := JobView{
		Folder: j.name, Name: m.Name, Version: m.Version, Commit: m.Commit, Config: m.ConfigHash, Runtime: m.Runtime,
		Seeds: fmt.Sprintf("%d", m.Seed), Host: fmt.Sprintf("%s, %s", m.Host, counted(m.Cores, "core")),
		Started: m.Started.Format("2006-01-02 15:04:05 MST"), Verdict: m.Verdict, Runs: len(j.runs),
	}
	if m.Seeds > 1 {
		v.Seeds = fmt.Sprintf("%d from %d", m.Seeds, m.Seed)
	}
	for _, e := range j.Summary.Expectations {
		v.Expectations = append(v.Expectations, ExpectationView{e.OK, e.Text})
	}
	return v
}

// slug is a text as a part of a file name.
func slug(text string) string {
	clean := strings.Trim(unsafe.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return clean[:min(len(clean), 40)]
}

var (
	unsafe  = regexp.MustCompile(`[^a-z0-9]+`)
	opening = regexp.MustCompile(`(?s)^.*?<svg\s`)
)

// inline is a plot as a part of a page: without the head of its file, and with a name for those who cannot
// see it.
func inline(svg []byte, title string) template.HTML {
	begin := `<svg role="img" aria-label="` + html.EscapeString(title) + `" `
	text := strings.Replace(string(svg), ` role="img">`, ">", 1)
	return template.HTML(opening.ReplaceAllLiteralString(text, begin)) //nolint:gosec // every text in it is escaped
}
