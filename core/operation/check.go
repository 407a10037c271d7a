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
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// session is what one request is judged by: one generation of rulebooks, on one day. It is made once for a request, so that
// rulebooks which are swapped meanwhile never judge a half of it.
type session struct {
	rulebooks *rulebook.Generation // nil where there are none
	now       time.Time
	enforce   bool // rules in their warning phase are errors
}

// session begins the judging of a request. The day (YYYY-MM-DD) is that of the clock where none is asked for.
func (s *Service) session(ctx context.Context, day string, enforce bool) session {
	now := s.cfg.Now().UTC()
	if asked, err := time.Parse(time.DateOnly, day); err == nil {
		now = asked
	}
	return session{rulebooks: s.cfg.Rulebooks(ctx), now: now, enforce: enforce}
}

// plan is what judges a kind of document. The error says why there is nothing.
func (s session) plan(kind rulebook.Kind) (*rulebook.Plan, error) {
	if s.rulebooks == nil {
		return nil, &rulebook.Error{Reason: rulebook.Missing, Cause: errNoRulebooks}
	}
	return s.rulebooks.Plan(kind, s.now.Format(time.DateOnly))
}

// checked is what came of judging a document.
type checked struct {
	validate.Entries
	gaps  []string   // why it was not judged in full, for people
	books []Rulebook // that judged
}

// gapsListed is how many rules that were not run an answer gives with the reason of each; the others it names.
const gapsListed = 20

// kindOf is the kind of a document of a syntax, nil where that is unknown, with a specification identifier, judged as a format of the API.
func kindOf(doc *xmltree.Document, syntax *format.Syntax, specification, label string) rulebook.Kind {
	root := doc.Root()
	kind := rulebook.Kind{Root: xmltree.Name{Space: doc.Namespace(root), Local: doc.Local(root)}, Specification: specification, Format: label}
	if syntax != nil {
		kind.Process = syntax.Process(doc)
	}
	return kind
}

// judge judges a document by what is bound to its kind. Where nothing is, the reason is that the rulebook is missing if the document is
// of a format that the catalogue names, and else that none is for such documents.
func (s session) judge(ctx context.Context, doc *xmltree.Document, kind rulebook.Kind, named bool) (*validate.Report, *checked, error) {
	plan, err := s.plan(kind)
	if err != nil {
		reason := rulebook.ReasonOf(err)
		if named && reason == rulebook.NotBound {
			reason = rulebook.Missing
		}
		return &validate.Report{}, &checked{books: []Rulebook{}, gaps: []string{fmt.Sprintf("%s: %v", reason, err)}}, nil
	}
	report, err := validate.Judge(ctx, plan, doc, s.now)
	if err != nil {
		return nil, nil, err
	}
	return report, &checked{books: booksOf(report), gaps: gapsOf(report.NotRun)}, nil
}

// gapsOf says of each rule that was not run that it was not.
func gapsOf(notRun []validate.NotRun) []string {
	var gaps, rest []string
	for i, n := range notRun {
		if i < gapsListed {
			gaps = append(gaps, fmt.Sprintf("%s: %s: %s", n.Reason, n.What, n.Why))
		} else {
			rest = append(rest, n.What)
		}
	}
	if len(rest) > 0 {
		gaps = append(gaps, fmt.Sprintf("%s: %d further: %s", rulebook.TransformFailed, len(rest), strings.Join(rest, ", ")))
	}
	return gaps
}

func booksOf(report *validate.Report) []Rulebook {
	books := []Rulebook{}
	for _, b := range report.Books {
		books = addBook(books, Rulebook{b.Manifest.ID, b.Manifest.Version})
	}
	return books
}

func addBook(books []Rulebook, b Rulebook) []Rulebook {
	if slices.Contains(books, b) {
		return books
	}
	return append(books, b)
}

// checkWritten judges the document of an invoice. Where VAT identifiers lack their country prefix by the rules, it is added to
// those that begin with a digit, and the document is written and judged anew.
func (s *Service) checkWritten(ctx context.Context, by session, w *written) (*checked, error) {
	progress.Note(ctx, 40)
	ctx = progress.Within(ctx, 40, 90)
	c, unprefixed, err := s.judgeWritten(ctx, by, w)
	if err != nil || !unprefixed {
		return c, err
	}
	prefixed := prefixVATIDs(w.draft)
	if len(prefixed) == 0 {
		return c, nil
	}
	if _, err = s.write(ctx, w); err != nil {
		return nil, err
	}
	w.warnings = append(w.warnings, prefixed...)
	c, _, err = s.judgeWritten(ctx, by, w)
	return c, err
}

// tooLarge warns of a document that the authority does not take for its size, by the code of the authority.
func tooLarge(syntax *format.Syntax, document []byte) []finding.Finding {
	if syntax == nil || syntax.Largest == nil {
		return nil
	}
	most, code := syntax.Largest(document)
	if len(document) <= most {
		return nil
	}
	return []finding.Finding{{Code: code, Maximum: int64(most),
		Message: fmt.Sprintf("the document has %d bytes; the receiving authority refuses one of more than %d (%s)", len(document), most, code)}}
}

// vatPrefixRules are the rules about the prefix of VAT identifiers: that of EN 16931, and as Factur-X 1.08 calls it.
var vatPrefixRules = []string{"BR-CO-09", "FX-SCH-A-000002"}

// judgeWritten judges the document of an invoice once, and tells whether the rule about prefixes fired.
func (s *Service) judgeWritten(ctx context.Context, by session, w *written) (c *checked, unprefixed bool, err error) {
	text, err := w.xml()
	if err != nil {
		return nil, false, fmt.Errorf("read the lines of %s: %w", w.token.ID, err)
	}
	doc, err := s.parser.Parse(text)
	if err != nil {
		return nil, false, fmt.Errorf("read the document of %s: %w", w.token.ID, err)
	}
	defer doc.Release()
	report, c, err := by.judge(ctx, doc, kindOf(doc, w.syntax, w.specification(), w.judgedAs()), true)
	if err != nil {
		return nil, false, err
	}
	report.Enforce(w.draft.Profile.Enforced)
	report.Arrange(turn)
	if len(report.Findings) > 0 { // else there is nothing to place
		c.Entries = report.Entries(w.placer(doc), by.enforce)
	}
	c.Warnings = append(c.Warnings, tooLarge(w.syntax, w.data)...)
	return c, slices.ContainsFunc(vatPrefixRules, report.Fires), nil
}

// placer names members of the caller's invoice for places in its document.
func (w *written) placer(doc *xmltree.Document) validate.Placer {
	numbers := &figures{Invoice: w.draft.Invoice}
	return &validate.InvoicePlacer{Locator: w.syntax.Codec.Locator(doc, w.draft.Invoice), Original: w.draft.Original, Blame: numbers.blame, Explain: numbers.explain, Doc: doc, Expected: numbers.expected}
}

// prefixVATIDs puts the country prefix before VAT identifiers that begin with a digit, and warns of each.
func prefixVATIDs(d *profile.Draft) []finding.Finding {
	var warnings []finding.Finding
	for _, id := range vatIDs(d.Invoice) {
		prefix := vatPrefix(id.country)
		if *id.value == "" || (*id.value)[0] < '0' || (*id.value)[0] > '9' || prefix == "" {
			continue
		}
		*id.value = prefix + *id.value
		field := d.Original(id.field)
		warnings = append(warnings, finding.Finding{Code: finding.VATIDCountryPrefixAdded, Field: field,
			Message: fmt.Sprintf("%s had no country prefix and is written as %s", field, *id.value)})
	}
	return warnings
}
