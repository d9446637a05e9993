package data

import "errors"

// ErrUnusable is in errors about data that cannot be learned from as asked: a file with mistakes, a deal
// that leaves a peer without samples, a model that is too large. Somebody has to change the task.
var ErrUnusable = errors.New("unusable data")

// Unusable puts ErrUnusable into an error, unless it is nil, without changing its text.
func Unusable(err error) error {
	if err == nil {
		return nil
	}
	return unusable{err}
}

type unusable struct{ error }

func (u unusable) Unwrap() []error { return []error{u.error, ErrUnusable} }
