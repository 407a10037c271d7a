package regex

// node is a part of a pattern.
type node interface{}

// char matches one character of a set. text, where it is not empty, is a shorter way to write the set for package regexp.
type char struct {
	set  func() set
	text string
}

// literal matches one given character.
type literal struct{ r rune }

// sequence matches its parts one after the other; empty, it matches the empty string.
type sequence []node

// choice matches one of its branches, the first that leads to a match.
type choice []node

// repeat matches its part between min and max times; max is -1 for no bound.
type repeat struct {
	part     node
	min, max int
	lazy     bool
}

// group matches its part and, when it captures, remembers where.
type group struct {
	part    node
	capture bool
}

// edge matches the empty string at the start or end of the text, or of a line.
type edge struct{ end bool }
