package xsd

import "github.com/einvoiced/einvoiced/core/engine/regex"

// pattern is a pattern facet (XML Schema part 2, clause 4.3.4), which a text matches as a whole.
type pattern struct {
	text string
	re   *regex.Regexp
}

func newPattern(text string) (pattern, error) {
	re, err := regex.CompileSchema(text)
	return pattern{text, re}, err
}

func (p *pattern) matches(text []byte) bool { return p.re.MatchBytes(text) }
