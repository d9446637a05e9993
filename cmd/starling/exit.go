package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/train/data"
)

// Exit codes. Scripts rely on them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2 // usage or configuration
	exitNoPeer      = 3 // no peer reached before the deadline
	exitExpectation = 4 // an expectation of a manifest failed
	exitStorage     = 5
	exitWorker      = 6 // a training script failed
	exitInterrupted = 130
)

// exit is an error with an exit code of its own.
type exit struct {
	code int
	err  error
}

// Error implements error. It is empty when everything has been said.
func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap implements errors.Unwrap.
func (e exit) Unwrap() error { return e.err }

// usage returns an error of the command line.
func usage(format string, args ...any) error {
	return exit{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// notOneOf returns an error about a word that is not among the choices.
func notOneOf(word string, choices []string) error {
	message := fmt.Sprintf("%q is not one of %s", word, strings.Join(choices, ", "))
	if hint := settings.Suggest(word, choices); hint != "" {
		message += "; " + hint
	}
	return usage("%s", message)
}

// exitCode returns the code that an error asks for.
func exitCode(err error) int {
	var own exit
	var problems settings.Problems
	var file *fs.PathError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &problems), errors.Is(err, data.ErrUnusable):
		return exitUsage
	case errors.As(err, &file):
		return exitStorage
	default:
		return exitFailed
	}
}
