package doctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// rule says how the commands that match it are tried. The first that matches counts; what none matches is
// run as it is.
type rule struct {
	what *regexp.Regexp
	why  string
	try  func(*reader, command) error
}

var rules = []rule{
	{
		regexp.MustCompile(`^(\w+=\S+ )*go test `), "it would run this test: packages and names of tests must exist",
		(*reader).goTest,
	},
	{
		regexp.MustCompile(`^make \w`), "it takes minutes: the target must exist, with its line of help",
		(*reader).target,
	},
	{
		regexp.MustCompile(`^` + regexp.QuoteMeta(installation) + `$`), "it is what made the program of this test",
		func(*reader, command) error { _, err := installed(); return err },
	},
	{
		regexp.MustCompile(`^starling up\b`), "it runs until it is stopped: it is, once it trains; ports are free ones",
		(*reader).up,
	},
	{
		regexp.MustCompile(`^starling demo\b`), "a second of each recipe is enough to see that it runs",
		func(r *reader, c command) error { return r.run(c.text + " --seconds 1") },
	},
	{
		regexp.MustCompile(`^starling testnet run .*runtime=`), "real time: a second is enough to see that it runs",
		func(r *reader, c command) error { return r.run(c.text + " --set train.stop.time=1s --set expect=[]") },
	},
	{
		regexp.MustCompile(`^starling (testnet|topology|report|estimate) `),
		"the same to the bit every time: prints what the page says",
		(*reader).exact,
	},
}

// ruleOf returns how a command is tried.
func ruleOf(text string) rule {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.what.MatchString(text) }); i >= 0 {
		return rules[i]
	}
	return rule{why: "as it is", try: func(r *reader, c command) error { return r.run(c.text) }}
}

// exact runs a command that must print its sample, where ... stands for any lines.
func (r *reader) exact(c command) error {
	out, err := r.output(c.text)
	if err != nil || len(c.sample) == 0 || runtime.GOARCH != "amd64" {
		return err // other machines may round otherwise
	}
	want := regexp.QuoteMeta(strings.Join(c.sample, "\n")) + `\n*`
	want = `\A` + strings.ReplaceAll(want, `\.\.\.`+"\n", `(.*\n)*`) + `\z`
	if !regexp.MustCompile(want).MatchString(out) {
		return fmt.Errorf("it prints\n%s\nand the page says\n%s", out, strings.Join(c.sample, "\n"))
	}
	return nil
}

// ownFlags are flags of go test that change nothing about which tests there are.
var ownFlags = []string{
	"-short", "-race", "-v", "-count", "-shuffle", "-cpu", "-timeout", "-benchtime", "-benchmem",
	"-fuzztime",
}

// goTest looks for the packages, tests and flags that a line of go test names.
func (r *reader) goTest(c command) error {
	words := strings.Fields(c.text)
	words = words[slices.Index(words, "test")+1:]
	var packages, strange []string
	names := map[string]string{} // by the word that their functions begin with
	for i := 0; i < len(words); i++ {
		flag, value, given := strings.Cut(words[i], "=")
		begin, named := map[string]string{"-run": "Test", "-bench": "Benchmark", "-fuzz": "Fuzz"}[flag]
		switch {
		case strings.HasPrefix(flag, "./"):
			packages = append(packages, flag)
		case named && !given && i+1 < len(words):
			i++
			names[begin] = words[i]
		case named:
			names[begin] = value
		case slices.Contains(ownFlags, flag):
		case strings.HasPrefix(flag, "-"):
			strange = append(strange, words[i])
		}
	}
	list := exec.Command("go", append([]string{"list", "-f", "{{.Dir}}", "--"}, packages...)...)
	list.Dir = root()
	dirs, err := list.Output()
	if err != nil || len(packages) == 0 {
		return fmt.Errorf("packages %q: %w", packages, err)
	}
	for begin, pattern := range names {
		if err := declared(strings.Fields(string(dirs)), begin, strings.Trim(pattern, `'"`)); err != nil {
			return err
		}
	}
	if len(strange) == 0 {
		return nil
	}
	none := append([]string{"go test -vet=off -run '^$'"}, append(packages, strange...)...)
	return r.shell(root(), strings.Join(none, " "))
}

// declared looks for a test, benchmark or fuzz target that a pattern matches. What matches nothing, or
// anything, is said on purpose.
func declared(dirs []string, begin, pattern string) error {
	if pattern == "^$" || pattern == "." || pattern == "NONE" {
		return nil
	}
	want, err := regexp.Compile(strings.Split(pattern, "/")[0])
	if err != nil {
		return err
	}
	function := regexp.MustCompile(`(?m)^func (` + begin + `\w*)\(`)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, m := range function.FindAllSubmatch(text, -1) {
				if want.Match(m[1]) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("no %s function matches %q", begin, pattern)
}

// target looks for the targets that a line of make names.
func (r *reader) target(c command) error {
	text, err := os.ReadFile(filepath.Join(root(), "Makefile"))
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(c.text)[1:] {
		wanted := `(?m)^` + regexp.QuoteMeta(word) + `:.* ## `
		if name, _, assigned := strings.Cut(word, "="); assigned {
			wanted = `(?m)^` + regexp.QuoteMeta(name) + ` +\?= `
		}
		if !regexp.MustCompile(wanted).Match(text) {
			return fmt.Errorf("the Makefile has no %s", word)
		}
	}
	if _, err := exec.LookPath("make"); errors.Is(err, exec.ErrNotFound) {
		return nil
	}
	return r.shell(root(), "make -n "+strings.TrimPrefix(c.text, "make "))
}

func TestRulesCatch(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	for _, bad := range []string{
		"go test ./nowhere", "go test ./vec -run TestNothingOfThatName", "make tea", "make fuzz TEA=1m", "false",
		"go test", "go test -bench=NoSuch ./vec", "echo x > nowhere/y",
	} {
		if ruleOf(bad).try(r, command{text: bad}) == nil {
			t.Errorf("no complaint about %q", bad)
		}
	}
	for _, good := range []string{
		"go test -count=1 ./vec -bench=. -run '^$' -benchmem", "make fuzz FUZZTIME=1m", "true",
	} {
		if err := ruleOf(good).try(r, command{text: good}); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, c := range []struct {
		sample string
		right  bool
	}{{"a\nb", true}, {"a\n...\nc", false}, {"...\nb", true}, {"a", false}, {"a\nb.", false}} {
		err := r.exact(command{text: `printf 'a\nb\n'`, sample: strings.Split(c.sample, "\n")})
		if (err == nil) != c.right {
			t.Errorf("sample %q: %v", c.sample, err)
		}
	}
}
