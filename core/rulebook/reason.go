// Package rulebook loads rulebooks, checks them and hands them out, and makes rulebooks of what publishers publish.
//
// A rulebook is the folder of one version of a rule set; package rulebooks has the form of its manifest. A Registry holds one
// Generation of rulebooks, which never changes, and swaps it for another as a whole.
//
// Loading goes through the layers: of each folder the manifest is read and checked, its files are hashed and kept unless
// the layer is trusted or read on use, and its bindings are sorted by document element. Nothing is put in use where
// anything is wrong. To judge a document, its reader asks Registry.In for the Generation, and that for the Plan of the
// Kind of document on a day: the rulebooks in their order, the levels that differ, and what is announced. A Book
// compiles its schemas and rules when it is asked for them first. Import goes the other way and makes such a folder of a
// distribution as it was published.
package rulebook

import (
	"errors"
	"fmt"
)

// Reason says why documents cannot be judged; the words are those of the contract.
type Reason string

// The reasons.
const (
	Missing         Reason = "missing"          // no such rulebook, or none in force
	LoadFailed      Reason = "load-failed"      // the rulebook, or the folder of them, is broken
	TransformFailed Reason = "transform-failed" // a rule could not be evaluated
	NotBound        Reason = "not-bound"        // no rulebook is for such documents
)

// Error says what was wrong with rulebooks.
type Error struct {
	Reason Reason
	Book   string // folder of the rulebook, or its id and version; empty where it is about none in particular
	Cause  error
}

// Error gives the rulebook and the cause.
func (e *Error) Error() string {
	if e.Book == "" {
		return e.Cause.Error()
	}
	return fmt.Sprintf("rulebook %s: %v", e.Book, e.Cause)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ReasonOf gives the reason of an error that came from here, empty for others. Of several the first counts.
func ReasonOf(err error) Reason {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// refuse makes an Error of a text.
func refuse(reason Reason, book, format string, args ...any) error {
	return &Error{Reason: reason, Book: book, Cause: fmt.Errorf(format, args...)}
}
