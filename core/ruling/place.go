package ruling

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// InvoicePlacer names the member of the caller's invoice that a finding in its document is about.
type InvoicePlacer struct {
	Locator  format.Locator
	Original func(field string) string              // the caller's name of a member of the canonical invoice
	Blame    func(rule, field string) string        // what the numbers of the invoice show to be at fault; empty for the place itself
	Explain  func(rule, field string) (more string) // what they add to a message
}

// Place implements Placer.
func (p *InvoicePlacer) Place(f *Finding) (field, message string, at finding.Place) {
	canonical := p.field(f)
	field = canonical
	if contractFields[f.Rule] == "" {
		field, _, _ = strings.Cut(p.Original(cmp.Or(p.Blame(f.Rule, canonical), canonical)), "[]")
	}
	return field, named(field, f.Message+p.Explain(f.Rule, canonical)), at
}

// field is the place of the member: of the one that the contract's table names, else of the term that the rule is about, else
// of the node.
func (p *InvoicePlacer) field(f *Finding) string {
	at := p.Locator.Locate(f.Node)
	if pattern := contractFields[f.Rule]; pattern != "" {
		return withIndexes(pattern, at.Field)
	}
	subject := subjectOf(f.Rule)
	line := innerLine.FindString(at.Field)
	if field, ok := strings.CutPrefix(subject, "/"); ok {
		if line != "" { // rules about the document's own elements see those of lines within lines
			return line + "." + field
		}
		return field
	}
	if place, ok := p.nearest(strings.Fields(subject), f.Node); ok {
		return place.Field
	}
	if f.Rule == SchemaRule || p.Locator.Member(f.Node) {
		return at.Field
	}
	if place, ok := p.nearest(Terms(f.Message), f.Node); ok {
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

// Terms lists the business terms that a message names, then the groups.
func Terms(message string) []string {
	var terms, groups []string
	for _, name := range termForm.FindAllString(message, termsRead) {
		if strings.HasPrefix(name, "BG") {
			groups = append(groups, name)
		} else {
			terms = append(terms, name)
		}
	}
	return append(terms, groups...)
}

// termForm is the form of business terms and groups in messages, e.g. [BT-10], BT-31-1, (BG-25) or BT-DEX-002.
var termForm = regexp.MustCompile(`\bB[TG]-(DEX-)?[0-9]+(-[0-9]+)?\b`)

// termsRead is how many terms of a message are tried.
const termsRead = 8

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
}

// Place implements Placer.
func (p *DocumentPlacer) Place(f *Finding) (field, message string, at finding.Place) {
	at = finding.Place{Term: p.term(f), Path: p.Paths.Path(f.Node), Line: p.Doc.Line(f.Node)}
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

// term is the business term of a member, else the one that the rule is about.
func (p *DocumentPlacer) term(f *Finding) string {
	term, member := "", false
	if p.Locator != nil {
		term, member = p.Locator.Locate(f.Node).Term, p.Locator.Member(f.Node)
	}
	if subject := strings.Fields(subjectOf(f.Rule)); len(subject) > 0 && subject[0][0] != '/' {
		return strings.TrimLeft(subject[0], "+-")
	}
	if names := Terms(f.Message); !member && len(names) > 0 {
		return names[0]
	}
	first, _, _ := strings.Cut(term, " ")
	return first
}
