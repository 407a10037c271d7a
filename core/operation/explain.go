package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// Explanation is all that is known of a code, a rule or a business term.
type Explanation struct {
	Codes []finding.Entry // of the catalogue
	Known *finding.Known  // a further code of the contract; nil for others
	Rules []ExplainedRule // of that id, or with that house code
	Terms []mapping.Use   // of that term, and of those that the rules name
}

// ExplainedRule is a rule of one rulebook.
type ExplainedRule struct {
	ID        string
	Rulebook  Rulebook
	Severity  finding.Severity // of the rulebook; bindings may give another
	HouseCode string
	From      string // first day on which it is enforced; empty for always
	Text      string // with … for values of a document
	terms     string // that the text names, separated by spaces
}

// Explain tells what a code, the id of a rule or a business term (BT-10, BG-4) means, in any case of letters. What is not known
// is a Refusal.
func (s *Service) Explain(ctx context.Context, what string) (*Explanation, error) {
	what = strings.ToUpper(strings.TrimSpace(what))
	e := &Explanation{Terms: s.uses(what)}
	if entry, ok := finding.Find(what); ok {
		e.Codes = append(e.Codes, entry)
	} else if known, ok := finding.FindKnown(what); ok {
		e.Known = &known
	}
	if generation := s.cfg.Rulebooks(ctx); generation != nil {
		ids := append(rulesOf(generation, what), what)
		for _, book := range generation.Books() {
			if err := e.addRules(book, ids); err != nil {
				return nil, err
			}
		}
	}
	for _, rule := range e.Rules {
		for _, term := range strings.Fields(rule.terms) {
			e.addTerms(s.uses(term))
		}
	}
	if len(e.Codes)+len(e.Rules)+len(e.Terms) == 0 && e.Known == nil {
		return nil, &finding.Refusal{Kind: finding.NotFound, Message: clip(what) + " is no code, no rule of the rulebooks and no business term"}
	}
	return e, nil
}

// uses lists where the syntaxes have a business term or group.
func (s *Service) uses(term string) []mapping.Use {
	var uses []mapping.Use
	for _, syntax := range s.formats.Syntaxes() {
		if syntax.Codec != nil {
			uses = append(uses, syntax.Codec.Uses(term)...)
		}
	}
	return uses
}

func (e *Explanation) addTerms(uses []mapping.Use) {
	for _, use := range uses {
		if !slices.Contains(e.Terms, use) {
			e.Terms = append(e.Terms, use)
		}
	}
}

// rulesOf lists the rules that have a house code.
func rulesOf(generation *rulebook.Generation, code string) []string {
	var ids []string
	for _, book := range generation.Books() {
		for rule, house := range book.Manifest.HouseCodes {
			if house == code {
				ids = append(ids, rule)
			}
		}
	}
	return ids
}

// addRules looks through a rulebook for rules with one of some ids.
func (e *Explanation) addRules(book *rulebook.Book, ids []string) error {
	rules, err := book.Assertions()
	if err != nil {
		return fmt.Errorf("explain rules of %s: %w", book.Name(), err)
	}
	for a := range rules {
		if a.ID != "" && slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(a.ID, id) }) {
			e.addRule(book, a)
		}
	}
	return nil
}

// addRule takes up an assertion; of several of one rule with the same text the first counts.
func (e *Explanation) addRule(book *rulebook.Book, a *schematron.Assertion) {
	severity, given := book.Level(a.Key)
	if !given {
		severity = a.Severity()
	}
	r := ExplainedRule{ID: a.ID, Rulebook: Rulebook{book.Manifest.ID, book.Manifest.Version}, Severity: severity,
		HouseCode: book.HouseCode(a.ID), From: book.EnforcedFrom(a.Key), Text: rulebook.TextOf(a),
		terms: strings.Join(book.Subject(a.Key).Named, " ")}
	if !slices.Contains(e.Rules, r) {
		e.Rules = append(e.Rules, r)
	}
}
