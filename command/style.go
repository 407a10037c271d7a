package command

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/term"
)

// style colours words for people; the zero style leaves them as they are.
type style bool

// styleOf is how words look on a stream: coloured on a terminal, unless NO_COLOR is set to anything (no-color.org) or TERM is dumb.
func (m *Main) styleOf(stream io.Writer) style {
	plain := slices.ContainsFunc(m.Environ, func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		return name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb"
	})
	return style(!plain && isTerminal(stream))
}

// The colours of ECMA-48, select graphic rendition.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
)

// in gives words in a colour.
func (s style) in(colour, words string) string {
	if !s {
		return words
	}
	return "\x1b[" + colour + "m" + words + "\x1b[0m"
}

func isTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}
