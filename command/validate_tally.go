package command

import (
	"errors"
	"fmt"
	"slices"
)

// validateTally counts documents by what came of them.
type validateTally struct {
	total                               int
	valid, invalid, unchecked, unjudged int
	code                                int
}

// weight orders exit codes: of several documents the worst counts, and not to know is better than to know that it is bad.
var weight = []int{exitOK, exitPartly, exitInvalid, exitUsage, exitInternal}

func (t *validateTally) count(v validated) {
	code := exitOK
	switch {
	case v.err != nil:
		t.unjudged++
		code = failureOf(v.err).code
	case v.answer.Valid:
		t.valid++
	case v.unchecked():
		t.unchecked++
		code = exitPartly
	default:
		t.invalid++
		code = exitInvalid
	}
	if slices.Index(weight, code) > slices.Index(weight, t.code) {
		t.code = code
	}
}

// end sums several documents up on standard error, and gives the failure of the whole run, which was told document by document.
func (t *validateTally) end(m *Main) error {
	if done := t.valid + t.invalid + t.unchecked + t.unjudged; t.total > 1 && done == t.total {
		s := m.styleOf(m.Stderr)
		fmt.Fprintf(m.Stderr, "%d documents: %s, %s, %s, %s\n", t.total, counted(s, green, t.valid, "valid"), counted(s, red, t.invalid, "not valid"),
			counted(s, yellow, t.unchecked, "not checked in full"), counted(s, red, t.unjudged, "not judged"))
	}
	if t.code == exitOK {
		return nil
	}
	return &failure{code: t.code, cause: errors.New("not all documents are valid"), told: true}
}

// counted colours a count that is not zero.
func counted(s style, colour string, n int, what string) string {
	words := fmt.Sprintf("%d %s", n, what)
	if n == 0 {
		return words
	}
	return s.in(colour, words)
}
