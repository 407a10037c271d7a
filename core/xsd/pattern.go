package xsd

import "regexp"

// pattern is a regular expression of XML Schema (part 2, appendix F), which a text matches as a whole.
type pattern struct {
	text string
	re   *regexp.Regexp
}

func newPattern(text string) (pattern, error) {
	re, err := regexp.Compile("^(?:" + text + ")$")
	return pattern{text, re}, err
}

func (p *pattern) matches(text []byte) bool { return p.re.Match(text) }
