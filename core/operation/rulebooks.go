package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// ListedRulebook is a rulebook that is in use (supplement §2, Rulebooks).
type ListedRulebook struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Title     string   `json:"title"`     // for people; may be empty
	Publisher string   `json:"publisher"` // of the official rules; may be empty
	Source    string   `json:"source"`    // where the official rules come from, a URL; may be empty
	Revision  string   `json:"revision"`  // the publisher's name for them; may be empty
	ValidFrom *string  `json:"validFrom"` // first day in force (YYYY-MM-DD); nil for no such day
	ValidTo   *string  `json:"validTo"`   // last day in force; nil for no such day
	Announced bool     `json:"announced"` // its rules warn before the first day
	Shipped   bool     `json:"shipped"`   // with the program; the others were added by its operator
	Formats   []string `json:"formats"`   // path tokens of the documents that it judges, alone or with others
	Rules     int      `json:"rules"`     // how many rules it has; schemas have none
}

// ListRulebooks lists the rulebooks in use by id and version. It gives an empty list where there are none.
func (s *Service) ListRulebooks(ctx context.Context) ([]ListedRulebook, error) {
	list := []ListedRulebook{}
	generation := s.session(ctx, "", false).rulebooks
	if generation == nil {
		return list, nil
	}
	tokens := s.judgedTokens(generation.Books())
	for _, b := range generation.Books() {
		count, err := b.Count()
		if err != nil {
			return nil, fmt.Errorf("list rulebooks: %w", err)
		}
		m := b.Manifest
		formats := slices.Clone(tokens[m.ID])
		slices.Sort(formats)
		list = append(list, ListedRulebook{ID: m.ID, Version: m.Version, Title: m.Title, Publisher: m.Source.Publisher, Source: m.Source.URL,
			Revision: m.Source.Revision, ValidFrom: dayOf(m.Valid.From), ValidTo: dayOf(m.Valid.To), Announced: m.Announce, Shipped: b.Shipped,
			Formats: orEmpty(slices.Compact(formats)), Rules: count})
	}
	return list, nil
}

// dayOf is a day of a manifest; nil for none.
func dayOf(day string) *string {
	if day == "" {
		return nil
	}
	return &day
}

// judgedTokens gives the path tokens of the documents that rulebooks judge, by the ids of the rulebooks.
func (s *Service) judgedTokens(books []*rulebook.Book) map[string][]string {
	tokens := map[string][]string{}
	for _, b := range books {
		for i := range b.Manifest.Bindings {
			binding := &b.Manifest.Bindings[i]
			found := s.boundTokens(binding)
			tokens[b.Manifest.ID] = append(tokens[b.Manifest.ID], found...)
			for _, other := range binding.After {
				id, _, _ := strings.Cut(other, "@")
				tokens[id] = append(tokens[id], found...)
			}
		}
	}
	return tokens
}

// boundTokens gives the path tokens of the documents of a binding: those of the formats that it names, else the one of the
// customisation that its specification or business process tells.
func (s *Service) boundTokens(binding *rulebooks.Binding) []string {
	var tokens []string
	for _, label := range binding.Formats {
		token, _, _ := strings.Cut(label, "-")
		tokens = append(tokens, token)
	}
	if len(tokens) > 0 {
		return tokens
	}
	for _, syntax := range s.formats.Syntaxes() {
		if !slices.ContainsFunc(syntax.Elements, func(e format.Element) bool {
			return rulebook.RootOf(binding) == xmltree.Name{Space: e.Namespace, Local: e.Local}
		}) {
			continue
		}
		token := syntax.Name
		if row, _ := s.formats.Identify(syntax, strings.TrimSuffix(binding.Specification, "*"), firstOf(binding.Processes), ""); row != nil {
			token = row.Token
		}
		if _, known := s.formats.Token(token); known {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// RulebookDiff is how the rules of two rulebooks differ.
type RulebookDiff struct {
	From string `json:"from"` // id@version
	To   string `json:"to"`
	*rulebook.Diff
}

// DiffRulebooks tells how the rules of two rulebooks differ, each named as id@version, or by its id for the version in force. The
// Refusal is 400 for a name that is none, and 404 for a rulebook that is not there.
func (s *Service) DiffRulebooks(ctx context.Context, from, to string) (*RulebookDiff, error) {
	by := s.session(ctx, "", false)
	var books [2]*rulebook.Book
	for i, asked := range []struct{ field, name string }{{"from", from}, {"to", to}} {
		book, err := by.named(asked.field, asked.name)
		if err != nil {
			return nil, err
		}
		books[i] = book
	}
	diff, err := rulebook.Compare(books[0], books[1])
	if err != nil {
		return nil, fmt.Errorf("compare rulebooks: %w", err)
	}
	return &RulebookDiff{books[0].Name(), books[1].Name(), diff}, nil
}

// named gives the rulebook that a parameter names.
func (s session) named(field, name string) (*rulebook.Book, error) {
	id, version, pinned := strings.Cut(name, "@")
	if id == "" || pinned && version == "" {
		return nil, refusedEntry(finding.InvalidValue, field, field+": expected a rulebook as ID@VERSION, such as en16931-ubl@1.3.16")
	}
	err := error(&rulebook.Error{Reason: rulebook.Missing, Cause: errNoRulebooks})
	if s.rulebooks != nil {
		var book *rulebook.Book
		if book, err = s.rulebooks.Find(id, version, s.now.Format(time.DateOnly)); err == nil {
			return book, nil
		}
	}
	return nil, &finding.Refusal{Kind: finding.NotFound, Field: field, Message: fmt.Sprintf("%s: %s", field, clipTo(err.Error(), 300))}
}

// clipTo bounds a text that repeats what a request has.
func clipTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
