package ruling

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"einvoiced/core/mapping"
	"einvoiced/core/xmltree"
)

// InvoicePlacer names the member of the caller's invoice that a finding in its document is about.
type InvoicePlacer struct {
	Doc      *xmltree.Document
	Locator  *mapping.Locator
	Original func(field string) string                       // the caller's name of a member of the canonical invoice
	Explain  func(rule, field, message string) (more string) // what the numbers of the invoice add to a message; may be nil
}

// Place implements Placer.
func (p *InvoicePlacer) Place(f *Finding) (field, message string) {
	field = p.field(f)
	message = f.Message
	if p.Explain != nil {
		message += p.Explain(f.Rule, field, message)
	}
	return field, named(field, message)
}

// field is the place of the member: of the one that the contract's table names, else of the term that the rule is about, else
// of the node.
func (p *InvoicePlacer) field(f *Finding) string {
	at := p.Locator.Locate(f.Node)
	if pattern := contractFields[f.Rule]; pattern != "" {
		return withIndexes(pattern, at.Field)
	}
	if place, ok := p.subject(f); ok {
		at = place
	}
	return p.Original(at.Field)
}

// subject is the place of the term that the rule is about, where that is not what stands at the node.
func (p *InvoicePlacer) subject(f *Finding) (mapping.Place, bool) {
	for term := range strings.FieldsSeq(subjects[f.Rule]) {
		if place, ok := p.Locator.Nearest(term, f.Node); ok {
			return place, true
		}
	}
	if f.Rule == SchemaRule || p.Locator.Member(f.Node) {
		return mapping.Place{}, false
	}
	for _, term := range termForm.FindAllString(f.Message, termsRead) {
		if place, ok := p.Locator.Nearest(term, f.Node); ok {
			return place, true
		}
	}
	return mapping.Place{}, false
}

// termForm is the form of business terms and groups in messages, e.g. [BT-10], BT-31-1 or (BG-25).
var termForm = regexp.MustCompile(`\bB[TG]-[0-9]+(-[0-9]+)?\b`)

// termsRead is how many terms of a message are tried.
const termsRead = 8

// withIndexes fills the lists of a pattern such as items[].unit with the indexes of a field: those of the lists that both go
// through. A list that the field does not go through ends the pattern.
func withIndexes(pattern, field string) string {
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
	Locator *mapping.Locator                                // of the syntax; nil where it has no mapping
	Explain func(rule, field, message string) (more string) // as in InvoicePlacer; may be nil
}

// Place implements Placer.
func (p *DocumentPlacer) Place(f *Finding) (field, message string) {
	term := ""
	if p.Locator != nil {
		term = p.Locator.Locate(f.Node).Term
	}
	if term == "" || !p.Locator.Member(f.Node) {
		term = cmp.Or(subjects[f.Rule], termForm.FindString(f.Message), term)
	}
	term, _, _ = strings.Cut(term, " ")
	field, message = p.Paths.Path(f.Node), f.Message
	if p.Explain != nil {
		message += p.Explain(f.Rule, field, message)
	}
	if term != "" {
		term += ", "
	}
	return field, fmt.Sprintf("%s (%s%s, line %d)", message, term, field, p.Doc.Line(f.Node))
}
