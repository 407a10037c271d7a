//go:build corpus

package operation

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// documents are those of the corpus, mutants and rule cases included: so many at least.
func (f *nationalFormat) documents(t *testing.T, least int) []corpus.National {
	t.Helper()
	all := corpus.Nationals(t, f.folder)
	if len(all) < least {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// published tells documents that an authority publishes.
func published(d corpus.National) bool { return strings.HasPrefix(d.Name, "off-") }

// clean tells documents that are valid and break no rule.
func clean(d corpus.National) bool { return d.Valid && !d.Mutant && len(d.Expect) == 0 }

// judgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, that every rule case reports its codes,
// and that the documents which are right break no rule that refuses them.
func (f *nationalFormat) judgedAsOfficially(t *testing.T, least int, right func(corpus.National) bool) {
	s := fullService(t)
	for _, d := range f.documents(t, least) {
		answer, err := s.Validate(t.Context(), f.validation(must(os.ReadFile(d.Path))(t)))
		if err != nil {
			if d.Valid {
				t.Errorf("%s: %v", d.Name, err)
			}
			continue
		}
		if schema := !fires(answer.Errors, finding.SchemaViolation) && !fires(answer.Errors, finding.ValidationNotRun); schema != d.Valid {
			t.Errorf("%s: by our schema %t, officially %t: %+v", d.Name, schema, d.Valid, answer.Errors)
		}
		list := answer.Errors
		switch {
		case f.warns:
			list = slices.Concat(answer.Errors, answer.Warnings)
		case d.Level == "warning":
			list = answer.Warnings
		}
		for _, want := range d.Expect {
			if !fires(list, want) {
				t.Errorf("%s: no %s in %+v %+v", d.Name, want, answer.Errors, answer.Warnings)
			}
		}
		if right(d) && !answer.Valid {
			t.Errorf("%s: %+v", d.Name, answer.Errors)
		}
	}
}

// wayBack says of documents of the corpus what holds on the way to an invoice and back.
type wayBack struct {
	least   int                        // so many invoices at least come back
	skips   func(corpus.National) bool // documents that are not looked at
	reports func(corpus.National) bool // those with leaves that are in no invoice
	refuses func(corpus.National) bool // those whose invoices generate may refuse
	loses   bool                       // generate may leave out what the invoice says
}

func none(corpus.National) bool { return false }

// corpusComesBack ensures that every leaf of a valid document is in the invoice, each of a file with several, that what is generated from it
// loses nothing, and that this is read as the same invoice.
func (f *nationalFormat) corpusComesBack(t *testing.T, way wayBack) {
	s := fullService(t)
	compared := 0
	for _, d := range f.documents(t, way.least) {
		if !d.Valid || way.skips(d) {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: must(os.ReadFile(d.Path))(t)})
		if err != nil {
			t.Errorf("%s: %v", d.Name, refusalOf(err))
			continue
		}
		if len(parsed.Warnings) > 0 && !way.reports(d) {
			t.Errorf("%s: reported: %+v", d.Name, parsed.Warnings)
		}
		for _, inv := range invoicesOf(parsed) {
			if f.invoiceComesBack(t, s, d, way, inv) {
				compared++
			}
		}
	}
	if compared < way.least {
		t.Errorf("only %d invoices", compared)
	}
}

// invoicesOf are the invoices of a document: several where it has several.
func invoicesOf(parsed *ParseAnswer) []*invoice.Invoice {
	if len(parsed.Invoices) > 0 {
		return parsed.Invoices
	}
	return []*invoice.Invoice{parsed.Invoice}
}

func (f *nationalFormat) invoiceComesBack(t *testing.T, s *Service, d corpus.National, way wayBack, inv *invoice.Invoice) bool {
	t.Helper()
	written, err := s.Generate(t.Context(), GenerateRequest{Country: f.country, Format: f.token, Body: requestOf(t, inv)})
	if err != nil {
		if !way.refuses(d) {
			t.Errorf("%s: %v", d.Name, refusalOf(err))
		}
		return false
	}
	if len(d.Expect) > 0 {
		return false // what is wrong there need not be written again
	}
	for _, w := range written.Warnings {
		if isLoss(w) && !way.loses {
			t.Errorf("%s: lost: %+v", d.Name, w)
		}
	}
	again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
	if err != nil || len(again.Warnings) > 0 {
		t.Errorf("%s: %v %+v", d.Name, err, again)
		return false
	}
	if diff := cmp.Diff(inv, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: %s", d.Name, diff)
	}
	return true
}

// reads is the Read of a format.
type reads func(context.Context, *xmltree.Document) (*mapping.Reading[invoice.Invoice], error)

// leaves ensures the account of every valid document: what is mapped, derived or reported is all of it, and what is reported is known.
// Documents with a signature are left out where its leaves are none of the invoice.
func (f *nationalFormat) leaves(t *testing.T, read reads, skips func(corpus.National) bool, known func(mapping.Leaf) bool) {
	s := fullService(t)
	for _, d := range f.documents(t, 1) {
		if !d.Valid || skips(d) {
			continue
		}
		o := s.open(t.Context(), must(os.ReadFile(d.Path))(t), formatAndCountry)
		if o.Err != nil {
			t.Errorf("%s: %v", d.Name, o.Err)
			continue
		}
		if !f.signed || len(o.infos) == 0 {
			said := must(read(t.Context(), o.doc))(t)
			checkLeaves(t, d.Name, o.doc, said.Account, known)
		}
		o.Release()
	}
}

func checkLeaves(t *testing.T, name string, doc *xmltree.Document, a mapping.Account, known func(mapping.Leaf) bool) {
	t.Helper()
	if a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) || len(a.Leaves) != a.Reported {
		t.Errorf("%s: %d leaves, %d mapped, %d derived, %d reported", name, mappingtest.Leaves(doc), a.Mapped, a.Derived, a.Reported)
	}
	for _, leaf := range a.Leaves {
		if !known(leaf) {
			t.Errorf("%s: %+v", name, leaf)
		}
	}
}

// eachUBL takes each valid UBL document of the corpus.
func eachUBL(t *testing.T, take func(path string, source []byte)) {
	t.Helper()
	for _, d := range corpus.UBL(t) {
		if d.Valid {
			take(d.Path, must(os.ReadFile(d.Path))(t))
		}
	}
}

// tally counts documents that are made, and refusals by code and member.
type tally struct {
	made    int
	refused map[string]int
}

// count counts a document, and tells whether it was made. One that is neither made nor refused for a reason fails the test.
func (c *tally) count(t *testing.T, path string, err error) bool {
	t.Helper()
	refusal, refused := errors.AsType[*finding.Refusal](err)
	switch {
	case err == nil:
		c.made++
		return true
	case refused && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
		if c.refused == nil {
			c.refused = map[string]int{}
		}
		c.refused[refusal.Errors[0].Code+" "+anyIndex.ReplaceAllString(refusal.Errors[0].Field, "[]")]++
	default:
		t.Errorf("%s: %v", path, err)
	}
	return false
}

// check ensures that enough documents were made.
func (c *tally) check(t *testing.T, least int) {
	t.Helper()
	t.Logf("%d made, refused %v", c.made, c.refused)
	if c.made < least {
		t.Errorf("only %d documents were made", c.made)
	}
}
