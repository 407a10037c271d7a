// Package facturx makes the rulebooks of Factur-X / ZUGFeRD: the profiles BASIC, EN 16931 and EXTENDED in three versions. What an
// element may have stands in elements.txt, the business rules in rules.txt, with their ids in ids.txt, VAT categories in
// categories.txt and the business terms of elements in terms.txt. Where the sets differ, the tables say so.
package facturx

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

//go:embed *.txt
var tables embed.FS

// Files makes the rules and the manifests' first parts of all sets, by their path below the folder rulebooks.
func Files() (map[string][]byte, error) {
	t, err := read()
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, s := range sets() {
		b, err := t.book(s)
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", s.id(), err)
		}
		texts[b.folder+"/rules.sch"], texts[b.folder+"/manifest.yaml"] = b.rules, b.manifest
	}
	return texts, nil
}

// input is what the tables say.
type input struct {
	elements []element
	business business
	ids      map[string]ids
	terms    terms
}

// read reads all tables.
func read() (t input, err error) {
	if t.elements, err = readElements(); err != nil {
		return t, err
	}
	if t.business, err = readBusiness(); err != nil {
		return t, err
	}
	if t.ids, err = readIDs(); err != nil {
		return t, err
	}
	t.terms, err = readTerms()
	return t, err
}

// book is a rulebook.
type book struct {
	folder          string
	rules, manifest []byte
}

// book makes the rulebook of a set.
func (t *input) book(s set) (*book, error) {
	m := &maker{input: t, set: s, standsFor: map[string]string{}, lists: map[string]string{}}
	elements, err := m.elementRules()
	if err != nil {
		return nil, err
	}
	patterns, err := m.businessRules()
	if err != nil {
		return nil, err
	}
	lets, err := m.lets(append(patterns, elements))
	if err != nil {
		return nil, err
	}
	schema := sch.Schema{
		Comment:    "Made by rulebooks/write from its tables: change them, not this file",
		Title:      "Factur-X / ZUGFeRD " + s.version.name + " " + s.profile.title,
		Namespaces: namespaces(),
		Lets:       lets,
		Patterns:   append(patterns, elements),
	}
	return &book{folder: "books/" + s.id() + "-" + s.version.release, rules: schema.Bytes(), manifest: m.manifest()}, nil
}

// maker makes one rulebook.
type maker struct {
	*input
	set       set
	standsFor map[string]string // our id to the publisher's
	lists     map[string]string // code list to the name of its variable
}

// claim notes under which id the publisher reports what we report as ours.
func (m *maker) claim(ours, publisher string) error {
	if ours == "" {
		return fmt.Errorf("the rule that is %s officially has no id of ours", publisher)
	}
	if was, twice := m.standsFor[ours]; twice && was != publisher {
		return fmt.Errorf("%s stands for %s and for %s", ours, was, publisher)
	}
	m.standsFor[ours] = publisher
	return nil
}

// lets gives the variables of the rule set that its patterns use, after those that they use themselves.
func (m *maker) lets(patterns []sch.Pattern) ([]sch.Let, error) {
	used := usage(patterns)
	var lets []sch.Let
	for _, l := range slices.Backward(m.business.lets) {
		if l.in.has(m.set) && used[l.name] {
			value, err := m.value(l.value)
			if err != nil {
				return nil, err
			}
			lets = append(lets, sch.Let{Name: l.name, Value: value})
			note(used, value)
		}
	}
	slices.Reverse(lets)
	var codes []sch.Let
	for _, list := range slices.Sorted(maps.Keys(m.lists)) {
		value, err := codeSequence(list, true)
		if err != nil {
			return nil, err
		}
		codes = append(codes, sch.Let{Name: m.lists[list], Value: value})
	}
	return append(codes, lets...), nil
}

// value gives the XPath of a variable, which may be a code list.
func (m *maker) value(text string) (string, error) {
	if list, ok := strings.CutPrefix(text, "list "); ok {
		return codeSequence(list, false)
	}
	return m.expression(text), nil
}

// usage tells which variables patterns use.
func usage(patterns []sch.Pattern) map[string]bool {
	used := map[string]bool{}
	for _, p := range patterns {
		for _, r := range p.Rules {
			note(used, r.Context)
			for _, l := range r.Lets {
				note(used, l.Value)
			}
			for _, a := range r.Assertions {
				note(used, a.Test)
				note(used, a.Text)
			}
		}
	}
	return used
}

// note adds the variables of an expression.
func note(used map[string]bool, expression string) {
	for _, part := range strings.Split(expression, "$")[1:] {
		end := strings.IndexFunc(part, func(r rune) bool { return !isNameChar(r) })
		if end < 0 {
			end = len(part)
		}
		used[part[:end]] = true
	}
}
