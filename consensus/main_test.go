package consensus

import (
	"flag"
	"os"
	"testing"
)

// TestMain keeps the properties to a few seconds; -rapid.checks=1000 looks longer. Failing draws are
// printed with their seed and not written to disk.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": "15", "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
