package testnet_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
)

// printHashes asks TestPrintHashes to print.
const printHashes = "STARLING_PRINT_HASHES"

// The same manifest and seed give the same bits on every amd64 processor, whatever it can fuse.
func TestBitsDoNotDependOnTheProcessor(t *testing.T) {
	t.Parallel()
	if testing.Short() || raceEnabled || runtime.GOARCH != "amd64" {
		t.Skip("compiles the tests twice more, for two levels of amd64")
	}
	baseline, fused := hashes(t, "v1"), hashes(t, "v3")
	if baseline != fused {
		t.Errorf("GOAMD64=v1 gives\n%sGOAMD64=v3 gives\n%s", baseline, fused)
	}
	if strings.Count(baseline, "\n") < 6 {
		t.Errorf("too few hashes:\n%s", baseline)
	}
}

// hashes runs TestPrintHashes compiled for a level of amd64.
func hashes(t *testing.T, level string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run=^TestPrintHashes$", ".")
	cmd.Env = append(os.Environ(), "GOAMD64="+level, printHashes+"=1")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "microarchitecture support") {
		t.Skipf("this processor is older than %s", level)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Join(regexp.MustCompile(`hash .*\n`).FindAllString(string(out), -1), "")
}

func TestPrintHashes(t *testing.T) {
	if os.Getenv(printHashes) == "" {
		t.Skip("for TestBitsDoNotDependOnTheProcessor")
	}
	for _, name := range []string{"stragglers", "exponential-32"} {
		l := open(t, filepath.Join("networks", name+".yaml"), "output.keep=none", "train.stop.time=4s")
		s, _, err := testnet.Job{Manifest: l, Runtimes: virtual}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Runs {
			fmt.Println("hash", name, r.Recipe, r.ModelHash, r.Loss)
		}
	}
}
