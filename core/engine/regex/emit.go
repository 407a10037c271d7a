package regex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Package regexp refuses counts above maxRepeat, also as the product of nested ones; larger counts are written as several.
// maxSize bounds the whole, counted in single characters.
const (
	maxRepeat = 1_000
	maxSize   = 20_000
)

// emitter writes a pattern in the syntax of package regexp.
type emitter struct {
	strings.Builder
	dialect
	size int
	err  *Error
}

// translate gives the pattern for package regexp.
func translate(n node, d dialect, pattern string) (string, error) {
	e := &emitter{dialect: d}
	e.node(n)
	if e.err != nil {
		e.err.Pattern = pattern
		return "", e.err
	}
	if d.schema {
		return `\A(?:` + e.String() + `)\z`, nil
	}
	return e.String(), nil
}

// grow counts a character; false when there are too many.
func (e *emitter) grow() bool {
	if e.size++; e.size > maxSize && e.err == nil {
		e.err = &Error{Code: "FORX0002", Reason: "the counts in the quantifiers are too large"}
	}
	return e.err == nil
}

func (e *emitter) node(n node) {
	if e.err != nil {
		return
	}
	switch n := n.(type) {
	case literal:
		e.literal(n.r)
	case char:
		e.char(n)
	case sequence:
		for _, part := range n {
			e.part(part)
		}
	case choice:
		for i, part := range n {
			if i > 0 {
				e.WriteByte('|')
			}
			e.node(part)
		}
	case repeat:
		e.repeat(n)
	case group:
		e.WriteString(map[bool]string{true: "(", false: "(?:"}[n.capture])
		e.node(n.part)
		e.WriteByte(')')
	case edge:
		e.WriteString(e.edge(n))
	}
}

// part writes a member of a sequence or what a quantifier follows.
func (e *emitter) part(n node) {
	switch n.(type) {
	case choice, sequence, repeat:
		e.WriteString("(?:")
		e.node(n)
		e.WriteByte(')')
	default:
		e.node(n)
	}
}

func (e *emitter) edge(n edge) string {
	switch {
	case e.multiline && n.end:
		return `(?m:$)`
	case e.multiline:
		return `(?m:^)`
	case n.end:
		return `\z`
	}
	return `\A`
}

func (e *emitter) literal(r rune) {
	if s := (set{{r, r}}); e.fold && len(s.fold()) > 1 {
		e.char(char{set: s.fold})
		return
	}
	if e.grow() {
		e.WriteString(regexp.QuoteMeta(string(r)))
	}
}

func (e *emitter) char(c char) {
	if !e.grow() {
		return
	}
	if c.text != "" {
		e.WriteString(c.text)
		return
	}
	e.WriteString(classText(c.set()))
}

// classText writes a set as a class. Package regexp has no empty class, so that the empty set is written as what is no
// character at all.
func classText(s set) string {
	if len(s) == 0 {
		return `[^\x{0}-\x{10FFFF}]`
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range s {
		fmt.Fprintf(&b, `\x{%X}`, r.lo)
		if r.hi > r.lo {
			fmt.Fprintf(&b, `-\x{%X}`, r.hi)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// repeat writes the part with its quantifier. Counts above the limit become several quantifiers in a row: first as often as
// the part must match, then as often as it may.
func (e *emitter) repeat(n repeat) {
	limit := maxRepeat / product(n.part)
	switch {
	case n.min <= limit && n.max <= limit:
		e.times(n.part, n.min, n.max, n.lazy)
		return
	case captures(n.part):
		e.err = &Error{Code: "FORX0002", Reason: "a group is repeated too often"}
		return
	}
	for count := n.min; count > 0 && e.err == nil; count -= limit {
		e.times(n.part, min(count, limit), min(count, limit), n.lazy)
	}
	if n.max < 0 {
		e.times(n.part, 0, -1, n.lazy)
	}
	for count := n.max - n.min; count > 0 && e.err == nil; count -= limit {
		e.times(n.part, 0, min(count, limit), n.lazy)
	}
}

// times writes the part with one quantifier and counts its characters as often as they will be repeated.
func (e *emitter) times(part node, low, high int, lazy bool) {
	before := e.size
	e.part(part)
	e.size += (e.size - before) * (max(low, high, 1) - 1)
	e.WriteString(bounds(low, high))
	if lazy {
		e.WriteByte('?')
	}
}

// bounds writes a quantifier; high is -1 for no bound.
func bounds(low, high int) string {
	switch {
	case low == 0 && high < 0:
		return "*"
	case low == 1 && high < 0:
		return "+"
	case high < 0:
		return "{" + strconv.Itoa(low) + ",}"
	}
	return "{" + strconv.Itoa(low) + "," + strconv.Itoa(high) + "}"
}

// product is the largest product of nested counts in n, at most maxRepeat.
func product(n node) int {
	switch n := n.(type) {
	case sequence:
		return largest(n)
	case choice:
		return largest(n)
	case group:
		return product(n.part)
	case repeat:
		return min(max(n.min, n.max, 1)*product(n.part), maxRepeat)
	}
	return 1
}

func largest(parts []node) int {
	most := 1
	for _, part := range parts {
		most = max(most, product(part))
	}
	return most
}

// captures tells whether n has a capturing group inside.
func captures(n node) bool {
	switch n := n.(type) {
	case sequence:
		return anyCaptures(n)
	case choice:
		return anyCaptures(n)
	case group:
		return n.capture || captures(n.part)
	case repeat:
		return captures(n.part)
	}
	return false
}

func anyCaptures(parts []node) bool {
	for _, part := range parts {
		if captures(part) {
			return true
		}
	}
	return false
}
