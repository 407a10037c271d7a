package ruletext

import (
	"fmt"
	"strings"
)

// Line is a line of a text with those that go on with it, joined by a blank.
type Line struct {
	Number int    // of the first of them in the text, from 1
	Indent int    // blanks before it: what is indented is part of what the last line at the margin begins
	Text   string // without blanks around it
}

// Fault makes an error that names the line.
func (l *Line) Fault(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", l.Number, fmt.Errorf(format, args...))
}

// onward is how many blanks stand before a line that goes on with the one before it, at least.
const onward = 4

// Lines gives the lines of a text that say something: remarks, which begin with # and a blank, and empty lines are left out.
func Lines(text string) []*Line {
	var all []*Line
	number := 0
	for raw := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(raw)
		switch indent := len(raw) - len(strings.TrimLeft(raw, " ")); {
		case trimmed == "" || trimmed == "#" || strings.HasPrefix(trimmed, "# "):
		case indent >= onward && len(all) > 0:
			all[len(all)-1].Text += " " + trimmed
		default:
			all = append(all, &Line{number, indent, trimmed})
		}
	}
	return all
}
