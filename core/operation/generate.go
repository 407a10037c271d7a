package operation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/core/progress"
)

// Generate writes the document of an invoice and judges it before it is given out. The Refusal is 400 for a request that is no
// invoice for this country and format, 422 for an invoice that the format cannot express or that breaks a rule.
func (s *Service) Generate(ctx context.Context, req GenerateRequest) (*GenerateAnswer, error) {
	if country, token, err := s.resolve(req.Country, req.Format); err == nil && token.ID == pdfToken {
		return s.print(ctx, req, country, token)
	}
	country, choice, body, err := s.request(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := s.register(ctx, req, country, body); err != nil {
		return nil, err
	}
	if choice.row.Carrier != "" {
		s.refer(country, body)
	}
	made, err := s.compose(ctx, country, choice, body)
	if err != nil {
		return nil, err
	}
	if errs := made.draft.Errors; len(errs) > 0 {
		return nil, notCompliant(errs, houseCodes(errs))
	}
	check, err := s.checkWritten(ctx, s.session(ctx, "", enforces(body)), made)
	if err != nil {
		return nil, err
	}
	if len(check.Errors) > 0 {
		refusal := notCompliant(check.Errors, check.Compliance)
		refusal.Extra = append(refusal.Extra, finding.Extra{Name: "rulebooks", Value: check.books})
		return nil, refusal
	}
	answer := made.answer(check)
	if choice.laidOut() {
		if err := s.addPages(ctx, country, body, made, answer); err != nil {
			return nil, err
		}
	}
	answer.Infos, answer.Record = body.infos, body.record
	answer.Summary = summaryOf(body.Invoice)
	return answer, nil
}

// CheckRequest gives the Refusal of Generate for a request that is no invoice for this country and format (400), without writing it.
func (s *Service) CheckRequest(ctx context.Context, req GenerateRequest) error {
	if country, token, err := s.resolve(req.Country, req.Format); err == nil && token.ID == pdfToken {
		_, err = s.printed(ctx, req, country, token)
		return err
	}
	_, _, _, err := s.request(ctx, req)
	return err
}

// request reads what Generate is asked for.
func (s *Service) request(ctx context.Context, req GenerateRequest) (country format.Country, choice chosen, body *decoded, err error) {
	country, token, err := s.resolve(req.Country, req.Format)
	if err == nil && (token.JudgedOnly || s.formats.Written(country, token.ID, format.Options{}) == nil) {
		err = s.notGenerated(country, token)
	}
	if err == nil {
		body, err = s.decode(ctx, req, country)
	}
	if err == nil {
		choice, err = s.choose(country, token, body.GenerateBody)
	}
	if err == nil {
		if field := choice.row.Steps.HalfPeriod(body.Invoice); field != "" {
			err = halfPeriod(field, token)
		}
	}
	if err == nil && choice.laidOut() {
		err = s.prepare(body)
	}
	return country, choice, body, err
}

// halfPeriod is the 400 of a service period with one date in a format that needs both (contract, error codes).
func halfPeriod(field string, token format.Token) error {
	message := field + " needs both dates, start and end: " + token.Name + " has no period with one"
	return &finding.Refusal{Kind: finding.BadRequest, Word: finding.BothDatesRequired, Code: finding.BothDatesRequired, Field: field, Message: message,
		Errors: []finding.Finding{{Code: finding.BothDatesRequired, Message: message, Field: field}}}
}

func summaryOf(inv *invoice.Invoice) Summary {
	return Summary{InvoiceNumber: inv.InvoiceNumber, Currency: inv.Currency, Subtotal: inv.Subtotal, Total: inv.Total,
		TaxSummary: slices.Clone(inv.TaxSummary)}
}

// answer is that of a document which may be given out.
func (w *written) answer(check *checked) *GenerateAnswer {
	warnings := append(w.warnings, check.Warnings...)
	for _, gap := range check.gaps {
		warnings = append(warnings, finding.Finding{Code: finding.SelfCheckIncomplete,
			Message: "the document was not checked in full against the rules of " + w.token.Name + ": " + gap})
	}
	hash := sha256.Sum256(w.data)
	return &GenerateAnswer{Success: true, Format: w.token.ID, Filename: filename(w.number, w.token), MimeType: w.token.MimeType,
		Hash: hex.EncodeToString(hash[:]), Data: w.data, AppliedFormatOptions: w.applied(), Rulebooks: check.books, Errors: []finding.Finding{}, Warnings: warnings}
}

// notGenerated is the 400 for a format that the country has and that cannot be generated; it lists what can.
func (s *Service) notGenerated(country format.Country, token format.Token) error {
	if token.JudgedOnly {
		return badRequest("format", "format %s is for validation only: POST /api/v1/invoice/%s/%s/validate", token.ID, strings.ToLower(country.Code), token.ID)
	}
	return badRequest("format", "format %s of %s can be read and not generated; these can be generated: %s", token.ID, country.Name, listed(s.generated(country)))
}

// generated lists the path tokens of a country under which invoices are generated.
func (s *Service) generated(country format.Country) []string {
	return slices.DeleteFunc(country.All(), func(id string) bool {
		token, _ := s.formats.Token(id)
		return id != pdfToken && (token.JudgedOnly || s.formats.Written(country, id, format.Options{}) == nil)
	})
}

func enforces(body *decoded) bool { return body.EnforcePending != nil && *body.EnforcePending }

// written is the document that was made of an invoice.
type written struct {
	chosen
	syntax   *format.Syntax
	number   string         // of the caller's invoice (BT-1), which the format may split
	draft    *profile.Draft // the canonical invoice
	data     []byte
	warnings []finding.Finding
	lost     []mapping.Unwritten // members that it does not hold; warnings tell of them, unless every one of them is asked for
}

// compose derives the canonical invoice of the caller's, which stays as it is, and writes it. Where the format cannot
// express it, the draft has errors, and there is no document.
func (s *Service) compose(ctx context.Context, country format.Country, choice chosen, body *decoded) (*written, error) {
	progress.Note(ctx, 20)
	w := &written{chosen: choice, syntax: s.formats.Syntax(choice.row.Syntax), number: body.Invoice.InvoiceNumber,
		draft: draftOf(choice.row.Steps.In(country.Code), body.Invoice)}
	w.warnings = slices.Concat(body.warnings, w.draft.Warnings)
	if len(w.draft.Errors) > 0 {
		return w, nil
	}
	unwritten, err := s.write(ctx, w)
	if err != nil {
		return nil, err
	}
	w.lost = missed(unwritten, body.Invoice, w.draft)
	if !choice.every && !w.syntax.Partial {
		w.warnings = append(w.warnings, notWritten(w.lost, body.Invoice, w.draft, w.token)...)
	}
	return w, nil
}

// draftOf is the canonical invoice of the caller's, with the errors of what no document can show first.
func draftOf(steps *profile.Profile, inv *invoice.Invoice) *profile.Draft {
	draft := steps.Derive(inv)
	draft.Errors = slices.Concat(steps.Unfit(inv), draft.Errors)
	return draft
}

// specification is the specification identifier (BT-24) of the document.
func (w *written) specification() string { return w.draft.Profile.SpecificationOf(w.draft.Invoice) }

// write makes the document of the canonical invoice, and gives what has no place in it.
func (s *Service) write(ctx context.Context, w *written) ([]mapping.Unwritten, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("generate %s: %w", w.token.ID, err)
	}
	out := s.writer()
	as := w.row.Edition(w.specification(), w.options.Version)
	as.Every = w.every
	unwritten, err := w.syntax.Codec.Write(ctx, out, w.draft.Invoice, as)
	var illegal *mapping.FieldError
	if errors.As(err, &illegal) {
		field := w.draft.Original(illegal.Field)
		return nil, badRequest(field, "%s holds a character that XML does not allow", field)
	}
	if err == nil {
		err = out.Finish()
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", w.token.ID, err)
	}
	w.data = s.taken(out)
	if w.syntax.Text != nil {
		return unwritten, s.lower(w)
	}
	return unwritten, nil
}

// keptRoom is what writers are kept with, in bytes: documents of up to some hundred lines fit, with the room that is made for lines before.
const keptRoom = 1 << 20

// writer gives a writer that begins a document.
func (s *Service) writer() *xmltree.Writer {
	w, ok := s.writers.Get().(*xmltree.Writer)
	if !ok {
		return xmltree.NewWriter(xmltree.WriterOptions{})
	}
	w.Reset(xmltree.WriterOptions{})
	return w
}

// taken gives the document that was written. A small one is copied, so that the next one is written where it was; a copy of a large
// one would cost more than memory that is used once.
func (s *Service) taken(w *xmltree.Writer) []byte {
	written := w.Bytes()
	if cap(written) > keptRoom {
		return written
	}
	document := bytes.Clone(written)
	s.writers.Put(w)
	return document
}

// lower makes lines of text of the XML that was written.
func (s *Service) lower(w *written) error {
	doc, err := s.parser.Parse(w.data)
	if err != nil {
		return fmt.Errorf("read the lines of %s: %w", w.token.ID, err)
	}
	defer doc.Release()
	w.data = w.syntax.Text.Lower(doc)
	return nil
}

// xml is the document as rulebooks know it.
func (w *written) xml() ([]byte, error) {
	if w.syntax.Text == nil {
		return w.data, nil
	}
	return w.syntax.Text.Lift(w.data)
}

// notCompliant is the 422 of an invoice that the target cannot express, or that breaks its rules: the errors, and the same under
// house codes.
func notCompliant(errs, coded []finding.Finding) *finding.Refusal {
	refusal := &finding.Refusal{Kind: finding.Unprocessable, Word: "Unprocessable Entity", Message: errs[0].Message, Field: errs[0].Field, Errors: errs,
		Extra: []finding.Extra{{Name: "complianceErrors", Value: coded}}}
	if len(coded) > 0 && slices.Contains(contractErrors, coded[0].Code) {
		refusal.Word, refusal.Code = coded[0].Code, coded[0].Code
	}
	return refusal
}

// contractErrors are the words of the contract's table of errors for what a format cannot express.
var contractErrors = []string{"AT_EBI_TAX_EUR_AMOUNT_REQUIRED", "RETENTION_NOT_CARRIED", "CH_ADDR_004", "CH_ADDR_005", "CH_ADDR_006", "CH_IBAN_003"}

// houseCodes gives the same findings under house codes, with the standard rule beside.
func houseCodes(errs []finding.Finding) []finding.Finding {
	coded := make([]finding.Finding, len(errs))
	for i, e := range errs {
		coded[i] = e
		if standardRule.MatchString(e.Code) {
			coded[i].Code, coded[i].Rule = finding.SpecRuleFailed, e.Code
		}
	}
	return coded
}

// standardRule matches the rule ids of EN 16931 and its CIUS, which have hyphens where house codes have underscores.
var standardRule = regexp.MustCompile(`^[A-Z0-9]+-[A-Z0-9-]+$`)

// missed are the members that the document could not hold and the caller had set. What the steps filled in, or repeated from a member that
// stays where it is, is no loss.
func missed(unwritten []mapping.Unwritten, given *invoice.Invoice, draft *profile.Draft) []mapping.Unwritten {
	if len(unwritten) == 0 {
		return nil
	}
	set := invoice.SetMembers(given)
	return slices.DeleteFunc(unwritten, func(u mapping.Unwritten) bool { return draft.Repeated(u.Field) || !set.Has(draft.Original(u.Field)) })
}

// notWritten warns of what the document could not hold, under the names that the caller used.
func notWritten(lost []mapping.Unwritten, given *invoice.Invoice, draft *profile.Draft, token format.Token) []finding.Finding {
	var warnings []finding.Finding
	var set invoice.Members
	if len(lost) > 0 {
		set = invoice.SetMembers(given)
	}
	for _, u := range lost {
		field := draft.Original(u.Field)
		code, message := finding.FieldNotWritten, field+" is not written: "+notWrittenBecause(field, lost, set, token)
		if u.Rounded {
			code, message = finding.DecimalsReduced, fmt.Sprintf("%s is written with fewer decimals than it has: %s has no more", field, token.Name)
		}
		if u.More > 0 {
			message += fmt.Sprintf("; the same holds for %d further entries", u.More)
		}
		warnings = append(warnings, finding.Finding{Code: code, Field: field, Message: message})
	}
	return warnings
}

// filename makes a safe file name of an invoice number: letters, digits, dots, underscores and hyphens, beginning and ending
// with a letter or digit, never two dots in a row (supplement §1, rule 7).
func filename(number string, token format.Token) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r == '.', r == '_':
			return r
		}
		return '-'
	}, number)
	for strings.Contains(safe, "..") {
		safe = strings.ReplaceAll(safe, "..", ".")
	}
	safe = strings.Trim(safe, "._-")
	if len(safe) > 100 {
		safe = strings.Trim(safe[:100], "._-")
	}
	if safe == "" {
		safe = "invoice"
	}
	return safe + "-" + token.ID + "." + token.Extension
}
