package job

import (
	"errors"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Told is a refusal that events tell of, because it is an outcome that others wait for.
type Told struct {
	Err    error // the refusal
	Events []ledger.Event
}

// Error implements error.
func (t *Told) Error() string { return t.Err.Error() }

// Unwrap gives the refusal.
func (t *Told) Unwrap() error { return t.Err }

// EventsOf gives the events of a refusal; none of other errors.
func EventsOf(err error) []ledger.Event {
	if t, ok := errors.AsType[*Told](err); ok {
		return t.Events
	}
	return nil
}
