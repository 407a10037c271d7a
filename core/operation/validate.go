package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/validate"
)

// errNoRulebooks says that the service was started without any.
var errNoRulebooks = errors.New("there are no rulebooks")

// notEntitled is why a format is skipped (contract, validation results).
const notEntitled = "not entitled"

// Validate judges an invoice, by the documents that it gives, or a document. The Refusal is 400 for what is no invoice at all.
func (s *Service) Validate(ctx context.Context, req ValidateRequest) (*ValidateAnswer, error) {
	if req.AsOf != "" && !invoice.Date(req.AsOf).Valid() {
		return nil, refusedEntry(finding.InvalidDate, "asOf", "asOf is not a calendar date YYYY-MM-DD: "+clip(req.AsOf))
	}
	country, ok := s.formats.Country(req.Country)
	if !ok {
		return nil, s.unsupportedCountry(req.Country)
	}
	if req.Document != nil {
		return s.validateDocument(ctx, req, country)
	}
	tokens, err := s.writable(country, req.Format)
	if err != nil {
		return nil, err
	}
	body, err := s.decode(ctx, GenerateRequest{Calculate: req.Calculate, Body: req.Body, Infos: req.Infos}, country)
	if err != nil {
		return nil, err
	}
	choices, err := s.choices(country, tokens, body.GenerateBody, req.Format != "")
	if err != nil {
		return nil, err
	}
	answer := newValidateAnswer()
	answer.InvoiceNumber, answer.Infos = body.Invoice.InvoiceNumber, body.infos
	for i, choice := range choices {
		part := progress.Within(ctx, 100*i/len(choices), 100*(i+1)/len(choices))
		if err := s.validateInvoice(part, req, country, choice, body, answer); err != nil {
			return nil, err
		}
		progress.Note(part, 90)
	}
	answer.finish(req.Details)
	return answer, nil
}

// refusedEntry is a 400 with an entry that has a code of its own.
func refusedEntry(code, field, message string) *finding.Refusal {
	r := badRequest(field, "%s", message)
	r.Errors = []finding.Finding{{Code: code, Message: message, Field: field}}
	return r
}

// writable lists the formats in which an invoice can be checked: the one of the path, else all of the country.
func (s *Service) writable(country format.Country, path string) ([]format.Token, error) {
	if path != "" {
		_, token, err := s.resolve(country.Code, path)
		if err == nil && s.formats.Written(country, token.ID, format.Options{}) == nil {
			err = s.notJudged(country, token)
		}
		return []format.Token{token}, err
	}
	return s.judgedAs(country), nil
}

// judgedAs lists the formats as which invoices of a country can be judged; each country has one.
func (s *Service) judgedAs(country format.Country) (tokens []format.Token) {
	for _, id := range country.Tokens {
		if s.formats.Written(country, id, format.Options{}) != nil {
			token, _ := s.formats.Token(id)
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// notJudged is the 400 for an invoice that is to be judged as a format in which no rules judge invoices: pages, and what is read only.
func (s *Service) notJudged(country format.Country, token format.Token) error {
	var names []string
	for _, t := range s.judgedAs(country) {
		names = append(names, t.ID)
	}
	why := "is not generated, so documents of it can be validated and no invoices"
	if token.ID == pdfToken {
		why = "has no rules"
	}
	return badRequest("format", "format %s of %s %s; invoices can be validated as: %s", token.ID, country.Name, why, listed(names))
}

// validateInvoice checks an invoice in one format.
func (s *Service) validateInvoice(ctx context.Context, req ValidateRequest, country format.Country, choice chosen, body *decoded, answer *ValidateAnswer) error {
	if req.Entitled != nil && !req.Entitled(choice.token.ID) {
		answer.Results = append(answer.Results, ValidateResult{Format: choice.label(), Errors: []RuleError{}, Skipped: notEntitled})
		return nil
	}
	made, err := s.compose(ctx, country, choice, body)
	if err != nil {
		return err
	}
	check := &checked{}
	if errs := made.draft.Errors; len(errs) > 0 {
		check.Entries = validate.Entries{Errors: errs}
	} else {
		by := s.session(ctx, cmp.Or(string(body.AsOf), req.AsOf), req.EnforcePending || enforces(body))
		if check, err = s.checkWritten(ctx, by, made); err != nil {
			return err
		}
	}
	check.Warnings = append(made.warnings, check.Warnings...)
	answer.add(choice.label(), check)
	return nil
}

// labelOf names a format in results: token-version-profile, without what it has not.
func labelOf(token format.Token, version, profile string) string {
	label := token.ID
	for _, part := range []string{version, profile} {
		if part != "" {
			label += "-" + strings.ToLower(part)
		}
	}
	return label
}

func newValidateAnswer() *ValidateAnswer {
	return &ValidateAnswer{Valid: true, Errors: []finding.Finding{}, Warnings: []finding.Finding{}, Results: []ValidateResult{}, Rulebooks: []Rulebook{}, Infos: []Info{}}
}

// add takes up the verdict on one format. What two formats say alike stands there once.
func (a *ValidateAnswer) add(label string, c *checked) {
	r := ValidateResult{Format: label, Errors: []RuleError{}}
	a.Errors, a.Warnings = union(a.Errors, c.Errors), union(a.Warnings, c.Warnings)
	for _, e := range c.Errors {
		r.Errors = append(r.Errors, RuleError{e.Code, e.Message})
	}
	for _, gap := range c.gaps {
		r.Errors = append(r.Errors, RuleError{finding.ValidationNotRun, gap})
	}
	if valid := len(c.Errors) == 0; !valid || len(c.gaps) == 0 {
		r.Valid = &valid
	}
	a.Results = append(a.Results, r)
	for _, b := range c.books {
		a.Rulebooks = addBook(a.Rulebooks, b)
	}
}

// union appends the findings that the list does not have.
func union(list, more []finding.Finding) []finding.Finding {
	known := map[finding.Finding]bool{}
	for _, f := range list {
		known[f] = true
	}
	for _, f := range more {
		if !known[f] {
			list = append(list, f)
		}
	}
	return list
}

// finish says whether all is valid, and where a check could not be run: as an error where that alone speaks against the
// invoice, else as a warning.
func (a *ValidateAnswer) finish(details bool) {
	var gaps []finding.Finding
	asked := false
	for _, r := range a.Results {
		asked = asked || r.Skipped == ""
		for _, e := range r.Errors {
			if e.RuleID == finding.ValidationNotRun {
				gaps = append(gaps, finding.Finding{Code: e.RuleID, Message: fmt.Sprintf("%s could not be checked in full: %s", r.Format, e.Message)})
			}
		}
	}
	if !asked {
		gaps = append(gaps, finding.Finding{Code: finding.ValidationNotRun, Message: "no format was checked: " + notEntitled})
	}
	a.Valid = len(a.Errors) == 0 && len(gaps) == 0
	if len(a.Errors) == 0 {
		a.Errors = append(a.Errors, gaps...)
	} else {
		a.Warnings = append(a.Warnings, gaps...)
	}
	if details {
		a.Findings = finding.Details(a.Errors, a.Warnings)
	}
}
