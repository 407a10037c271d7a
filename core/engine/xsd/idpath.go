package xsd

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmlname"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// idPath is one alternative of a selector or field: steps down from an element (XML Schema part 1, clause 3.11.6).
type idPath struct {
	deep  bool // begins with .//
	steps []nameTest
	attr  *nameTest // of a field that ends with an attribute
}

// nameTest is a name, every name of a namespace, or every name.
type nameTest struct {
	name  xmltree.Name
	space bool // any name of name.Space
	any   bool
}

func (t *nameTest) matches(d *xmltree.Document, n xmltree.Node) bool {
	switch {
	case t.any:
		return true
	case t.space:
		return d.Namespace(n) == t.name.Space
	}
	return d.Local(n) == t.name.Local && d.Namespace(n) == t.name.Space
}

// idPathParser reads the XPath subset of identity constraints.
type idPathParser struct {
	tokens []string
	scope  func(prefix string) (uri string, ok bool)
	field  bool
}

// parseIDPaths reads the attribute xpath of a selector or field.
func parseIDPaths(text string, field bool, scope func(string) (string, bool)) ([]idPath, error) {
	tokens, err := idTokens(text)
	if err != nil {
		return nil, err
	}
	p := idPathParser{tokens: tokens, scope: scope, field: field}
	var all []idPath
	for {
		path, err := p.path()
		if err != nil {
			return nil, fmt.Errorf("xpath %q: %w", text, err)
		}
		all = append(all, path)
		if len(p.tokens) == 0 {
			return all, nil
		}
		if !p.take("|") {
			return nil, fmt.Errorf("xpath %q: %q is not expected", text, p.tokens[0])
		}
	}
}

// idTokens cuts the text into names and symbols. Symbols that begin with others come before them in the list.
func idTokens(text string) ([]string, error) {
	var tokens []string
	for rest := strings.TrimLeft(text, " \t\r\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		n := 0
		for _, symbol := range []string{"//", "/", "|", "@", "::", ".", "*"} {
			if strings.HasPrefix(rest, symbol) {
				n = len(symbol)
				break
			}
		}
		if n == 0 {
			n = nameTestLength(rest)
		}
		if n == 0 {
			return nil, fmt.Errorf("xpath %q: %q is not expected", text, rest)
		}
		tokens = append(tokens, rest[:n])
		rest = rest[n:]
	}
	return tokens, nil
}

// nameTestLength is the length of a name, prefix:name or prefix:* at the start of s.
func nameTestLength(s string) int {
	n := xmlname.Scan(s)
	if n == 0 || n+1 >= len(s) || s[n] != ':' || s[n+1] == ':' {
		return n
	}
	if s[n+1] == '*' {
		return n + 2
	}
	if m := xmlname.Scan(s[n+1:]); m > 0 {
		return n + 1 + m
	}
	return n
}

func (p *idPathParser) take(token string) bool {
	if len(p.tokens) == 0 || p.tokens[0] != token {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *idPathParser) path() (idPath, error) {
	var path idPath
	if len(p.tokens) > 1 && p.tokens[0] == "." && p.tokens[1] == "//" {
		path.deep = true
		p.tokens = p.tokens[2:]
	}
	for {
		switch {
		case p.take("."):
		case p.field && p.attribute():
			t, err := p.nameTest()
			path.attr = &t
			return path, err
		default:
			if p.axis("child") {
				p.tokens = p.tokens[2:]
			}
			t, err := p.nameTest()
			if err != nil {
				return path, err
			}
			path.steps = append(path.steps, t)
		}
		if !p.take("/") {
			return path, nil
		}
	}
}

func (p *idPathParser) axis(name string) bool {
	return len(p.tokens) > 1 && p.tokens[0] == name && p.tokens[1] == "::"
}

func (p *idPathParser) attribute() bool {
	if p.axis("attribute") {
		p.tokens = p.tokens[2:]
		return true
	}
	return p.take("@")
}

// nameTest reads a name, prefix:* or *. A name without a prefix is in no namespace, whatever the schema document declares as
// its default (XPath 1.0, 2.3, on which clause 3.11.6 rests).
func (p *idPathParser) nameTest() (nameTest, error) {
	if len(p.tokens) == 0 {
		return nameTest{}, fmt.Errorf("a name is missing")
	}
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	if token == "*" {
		return nameTest{any: true}, nil
	}
	if xmlname.Scan(token) == 0 {
		return nameTest{}, fmt.Errorf("%q is no name", token)
	}
	prefix, local, prefixed := strings.Cut(token, ":")
	if !prefixed {
		return nameTest{name: xmltree.Name{Local: token}}, nil
	}
	uri, ok := p.scope(prefix)
	if !ok {
		return nameTest{}, fmt.Errorf("the prefix %s is not declared", prefix)
	}
	return nameTest{name: xmltree.Name{Space: uri, Local: local}, space: local == "*"}, nil
}

// cost is how many nodes each may have to look at beyond those that it selects.
func (p *idPath) cost(d *xmltree.Document, n xmltree.Node) int {
	if p.deep {
		return int(d.End(n) - n)
	}
	return 1
}

// each calls yield with every element that the path selects from n, in document order; elements may come twice where paths
// begin with .// and names repeat. It stops when yield answers false.
func (p *idPath) each(d *xmltree.Document, n xmltree.Node, yield func(xmltree.Node) bool) bool {
	if !p.deep {
		return p.step(d, n, 0, yield)
	}
	for m, end := n, d.End(n); m < end; m++ {
		if d.Kind(m) == xmltree.KindElement && !p.step(d, m, 0, yield) {
			return false
		}
	}
	return true
}

func (p *idPath) step(d *xmltree.Document, n xmltree.Node, i int, yield func(xmltree.Node) bool) bool {
	if i == len(p.steps) {
		return yield(n)
	}
	first, end := d.Children(n)
	for c := first; c < end; c = d.End(c) {
		if d.Kind(c) == xmltree.KindElement && p.steps[i].matches(d, c) && !p.step(d, c, i+1, yield) {
			return false
		}
	}
	return true
}
