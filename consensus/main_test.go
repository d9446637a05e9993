package consensus

import (
	"flag"
	"os"
	"testing"
)

// TestMain keeps the properties to a few seconds; -rapid.checks=1000 looks longer. Failing draws are
// printed with their seed and not written to disk. The race detector, under which everything takes many times as
// long, has less to find in a room without goroutines: there it sees a few draws of each.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	checks := "15"
	if raceEnabled {
		checks = "2"
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// measured skips a test of many seconds that measures numbers when the race detector makes them minutes.
func measured(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("numbers are measured without the race detector")
	}
}
