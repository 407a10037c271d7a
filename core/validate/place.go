package validate

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// InvoicePlacer names the member of the caller's invoice that a finding in its document is about.
type InvoicePlacer struct {
	Locator  format.Locator
	Original func(field string) string              // the caller's name of a member of the canonical invoice
	Blame    func(rule, field string) string        // what the numbers of the invoice show to be at fault; empty for the place itself
	Explain  func(rule, field string) (more string) // what they add to a message
	Doc      *xmltree.Document                      // that was made of the invoice
	Expected func(rule, field string) string        // the value that they ask for; nil where nobody asks
}

// Place implements Placer.
func (p *InvoicePlacer) Place(f *Finding) (field, message string, at finding.Place) {
	if place, ok := p.lacking(f); ok {
		field, _, _ = strings.Cut(p.Original(place.Field), "[]")
		return field, fmt.Sprintf("%s is missing, which the schema of the document requires: %s", field, f.Message), finding.Place{Term: place.Term}
	}
	canonical := p.field(f)
	field = canonical
	if f.subject().Member == "" {
		field, _, _ = strings.Cut(p.Original(cmp.Or(p.Blame(f.Rule, canonical), canonical)), "[]")
	}
	if p.Expected != nil {
		at.Term = termOf(p.Locator, f)
		at.Expected, at.Actual = p.Expected(f.Rule, p.Locator.Locate(f.Node).Field), valueOf(p.Doc, p.Locator, f.Node, at.Term)
	}
	return field, named(field, f.Message+p.Explain(f.Rule, canonical)), at
}

// lacking is the place of the member whose absence the schema finds fault with.
func (p *InvoicePlacer) lacking(f *Finding) (mapping.Place, bool) {
	if len(f.lacking) == 0 {
		return mapping.Place{}, false
	}
	parent := f.Node
	if !f.within {
		parent = p.Doc.Parent(f.Node)
	}
	return p.Locator.Missing(parent, f.lacking)
}

// field is the place of the member: of the one that the contract's table names, else of the term that the rule is about, else
// of the node.
func (p *InvoicePlacer) field(f *Finding) string {
	at := p.Locator.Locate(f.Node)
	subject := f.subject()
	if subject.Member != "" {
		return withIndexes(subject.Member, at.Field)
	}
	line := innerLine.FindString(at.Field)
	if field, ok := subject.ownMember(); ok {
		if line != "" { // rules about the document's own elements see those of lines within lines
			return line + "." + field
		}
		return field
	}
	if place, ok := p.nearest(subject.Terms, f.Node); ok {
		return place.Field
	}
	if f.Rule == SchemaRule || p.Locator.Member(f.Node) {
		return at.Field
	}
	if place, ok := p.nearest(subject.Named, f.Node); ok {
		return place.Field
	}
	return at.Field
}

// innerLine is the form of lines within lines.
var innerLine = regexp.MustCompile(`^items\[\d+\](\.subItems\[\d+\])+`)

// nearest gives, of terms with conditions, the place that shares most of its way with a node; of several the first.
func (p *InvoicePlacer) nearest(terms []string, from xmltree.Node) (best mapping.Seen, ok bool) {
	for _, term := range terms {
		name := strings.TrimLeft(term, "+-")
		seen, known := p.Locator.Nearest(name, from)
		if !known || term[0] == '-' && seen.Present || term[0] == '+' && !seen.Present {
			continue
		}
		if !ok || seen.Shared > best.Shared {
			best, ok = seen, true
		}
	}
	return best, ok
}

// subject is what a rule is about.
type subject struct{ rulebook.Subject }

// subject gives what the rulebook says of the rule.
func (f *Finding) subject() subject { return subject{f.Book.Subject(keyOf(f))} }

// ownMember is the member of the invoice that stands in the place of a business term.
func (s subject) ownMember() (field string, ok bool) {
	if len(s.Terms) == 0 {
		return "", false
	}
	return strings.CutPrefix(s.Terms[0], "/")
}

// withIndexes fills the lists of a pattern such as items[].unit with the indexes of a field: those of the lists that both go
// through. A list that the field does not go through ends the pattern. A line may be one within a line.
func withIndexes(pattern, field string) string {
	line := innerLine.FindString(field)
	if rest, ok := strings.CutPrefix(pattern, "items[]"); ok && line != "" {
		return line + rest
	}
	for done := 0; ; {
		i := strings.Index(pattern[done:], "[]")
		if i < 0 {
			return pattern
		}
		i += done
		rest, same := strings.CutPrefix(field, pattern[:i]+"[")
		index, _, closed := strings.Cut(rest, "]")
		if !same || !closed {
			return pattern[:i]
		}
		pattern = pattern[:i+1] + index + pattern[i+1:]
		done = i + len(index) + 2
	}
}

// DocumentPlacer names the place in a caller's own document: an XPath, with the business term and the line in the message.
type DocumentPlacer struct {
	Doc     *xmltree.Document
	Paths   *xmltree.Locator
	Locator format.Locator           // of the syntax; nil where it has no mapping
	Explain func(rule string) string // as in InvoicePlacer; nil where the invoice cannot be read

	Expected func(rule, field string) string // as in InvoicePlacer
}

// Place implements Placer.
func (p *DocumentPlacer) Place(f *Finding) (field, message string, at finding.Place) {
	at = finding.Place{Term: termOf(p.Locator, f), Path: p.Paths.Path(f.Node), Line: p.Doc.Line(f.Node)}
	if p.Expected != nil {
		at.Expected, at.Actual = p.Expected(f.Rule, p.Locator.Locate(f.Node).Field), valueOf(p.Doc, p.Locator, f.Node, at.Term)
	}
	message = f.Message
	if p.Explain != nil {
		message += p.Explain(f.Rule)
	}
	where := fmt.Sprintf("%s, line %d", at.Path, at.Line)
	if at.Term != "" {
		where = at.Term + ", " + where
	}
	return at.Path, fmt.Sprintf("%s (%s)", message, where), at
}

// termOf is the business term of a member, else the one that the rule is about. Documents of some syntaxes have no locator.
func termOf(locator format.Locator, f *Finding) string {
	term, member := "", false
	if locator != nil {
		term, member = locator.Locate(f.Node).Term, locator.Member(f.Node)
	}
	subject := f.subject()
	if _, own := subject.ownMember(); len(subject.Terms) > 0 && !own {
		return strings.TrimLeft(subject.Terms[0], "+-")
	}
	if !member && len(subject.Named) > 0 {
		return subject.Named[0]
	}
	first, _, _ := strings.Cut(term, " ")
	return first
}

// How far valueOf looks, and how much of a value it gives.
const (
	nodesSearched = 64
	valueShown    = 100
)

// valueOf is the text of a business term at or within a node, or of the node itself where that has nothing within.
func valueOf(doc *xmltree.Document, locator format.Locator, at xmltree.Node, term string) string {
	for n := at; n < min(doc.End(at), at+nodesSearched); n++ {
		text, plain := textWithin(doc, n)
		name, _, _ := strings.Cut(locator.Locate(n).Term, " ")
		if plain && (n == at || name == term) {
			return text
		}
	}
	return ""
}

// textWithin is the text of an element that has no elements within, or of an attribute.
func textWithin(doc *xmltree.Document, n xmltree.Node) (text string, plain bool) {
	value, plain := doc.TextOf(n)
	if text = strings.TrimSpace(string(value)); len(text) > valueShown {
		text = strings.ToValidUTF8(text[:valueShown], "") + "…"
	}
	return text, plain && text != ""
}
