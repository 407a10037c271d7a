package operation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/validate"
)

// validateDocument judges a document: by the rules of the path's format where that has a customisation of its own, else by
// those that are bound to what the document says it is.
func (s *Service) validateDocument(ctx context.Context, req ValidateRequest, country format.Country) (*ValidateAnswer, error) {
	source, err := s.judgedSource(ctx, req.Document)
	if err != nil {
		return nil, err
	}
	source, doc, err := s.parsed(ctx, source, noInvoice)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	found := source.detect(s.formats, doc)
	token, specification, err := s.target(country, req.Format, found)
	if err != nil {
		return nil, err
	}
	if err := s.countLines(doc, found.Syntax, req.MaxItems); err != nil {
		return nil, err
	}
	by := s.session(ctx, req.AsOf, req.EnforcePending)
	version, profile := editionOf(token, found)
	kind := kindOf(doc, s.formats.Syntax(found.Syntax), specification, labelOf(token, version, ""))
	if _, err := by.plan(kind); err != nil && found.Confidence < detect.Sure {
		return nil, refusedEntry(finding.FormatNotDetected, "data", "data: the document element is not that of a known invoice format")
	}
	progress.Note(ctx, 20)
	report, check, err := by.judge(progress.Within(ctx, 20, 90), doc, kind, s.names(found))
	if err != nil {
		return nil, err
	}
	report.Arrange(turn)
	if len(report.Findings) > 0 { // else there is nothing to place
		check.Entries = report.Entries(s.documentPlacer(ctx, doc, found, req.Details), by.enforce)
	}
	check.Warnings = append(check.Warnings, tooLarge(s.formats.Syntax(found.Syntax), req.Document)...)
	belied, left := besideJudged(source, s.formats.Syntax(found.Syntax), doc)
	check.Warnings = append(check.Warnings, belied...)
	answer := newValidateAnswer()
	if answer.Carrier, err = source.carrier(ctx); err != nil {
		return nil, err
	}
	if source.signed || source.wrapped || source.answered || source.packed != nil {
		answer.Infos = append(answer.Infos, source.infos()...)
	}
	answer.Infos = slices.Concat(answer.Infos, left, req.Infos)
	answer.Detection, answer.InvoiceNumber = detection(found), s.numberOf(doc, found)
	answer.add(labelOf(token, version, profile), check)
	answer.finish(req.Details)
	return answer, nil
}

// editionOf is the version and the profile that a document is judged as: what it tells, and for PDFs with an invoice inside, whose
// XML does not tell, the version that generate takes where none is asked for.
func editionOf(token format.Token, found detect.Result) (version, profile string) {
	switch {
	case len(token.Profiles) == 0 && found.Token == token.ID && len(token.Versions) > 0:
		return found.Version, ""
	case len(token.Profiles) == 0:
		return "", ""
	case found.Token == "xrechnung":
		return token.Version(), "XRECHNUNG"
	case found.Specification == format.CoreSpecification:
		return token.Version(), "EN16931"
	}
	_, profile, _ = strings.Cut(found.Format, "_")
	return token.Version(), profile
}

// noInvoice is the 400 of bytes that are no document at all.
func noInvoice(message string, cause error) *finding.Refusal {
	r := refusedEntry(finding.ParseFailed, "data", message)
	r.Cause = cause
	return r
}

// target is the format that a document is judged as, and the specification identifier that chooses its rules.
func (s *Service) target(country format.Country, path string, found detect.Result) (format.Token, string, error) {
	if path == "" {
		token, known := s.formats.Token(cmp.Or(found.Token, found.Syntax))
		if !known {
			token = format.Token{ID: cmp.Or(found.Syntax, "unknown")}
		}
		return token, found.Specification, nil
	}
	_, token, err := s.resolve(country.Code, path)
	if err != nil {
		return token, "", err
	}
	if syntax := s.formats.Syntax(found.Syntax); syntax != nil && !slices.Contains(s.formats.SyntaxesOf(country.Code, token.ID), syntax) {
		return token, "", badRequest("data", "data: the document is %s, not %s", found.Format, token.Name)
	}
	if found.Customisation != nil && !country.Reforms(found.Specification, found.Process) {
		if row := s.formats.Judged(country, token.ID, found.Customisation); row != found.Customisation {
			return token, row.Specification, nil
		}
	}
	return token, found.Specification, nil
}

// names tells whether the catalogue names the format of a document: its customisation does, or its document element alone.
func (s *Service) names(found detect.Result) bool {
	row := found.Customisation
	return row != nil && (row.Named() || len(s.formats.Syntax(row.Syntax).Places.Specification) == 0)
}

// numberOf is the invoice number (BT-1) of a document; empty where it tells none.
func (s *Service) numberOf(doc *xmltree.Document, found detect.Result) string {
	if syntax := s.formats.Syntax(found.Syntax); syntax != nil {
		return syntax.Number(doc)
	}
	return ""
}

// countLines refuses documents with more lines than the service takes on, or the caller may send.
func (s *Service) countLines(doc *xmltree.Document, syntax string, most int) error {
	limit := s.cfg.MaxItems
	if 0 < most && most < limit {
		limit = most
	}
	count := 0
	if s := s.formats.Syntax(syntax); s != nil {
		count = s.Lines(doc)
	}
	if count <= limit {
		return nil
	}
	message := fmt.Sprintf("data has %d lines; at most %d are allowed", count, limit)
	return &finding.Refusal{Kind: finding.BadRequest, Word: finding.TooManyLineItems, Code: finding.TooManyLineItems, Field: "data", Message: message,
		Extra: []finding.Extra{{Name: "lineItems", Value: invoice.LineItems{Count: count, Limit: limit}}}}
}

// documentPlacer names places in a document. Of the rules on VAT categories those with an 8, such as BR-S-08, are explained:
// they hold the taxable amount of a group against its lines.
func (s *Service) documentPlacer(ctx context.Context, doc *xmltree.Document, found detect.Result, details bool) validate.Placer {
	p := &validate.DocumentPlacer{Doc: doc, Paths: xmltree.NewLocator(doc)}
	syntax := s.formats.Syntax(found.Syntax)
	if syntax == nil || syntax.Codec == nil {
		return p
	}
	p.Locator = syntax.Codec.Locator(doc, nil)
	numbers := sync.OnceValue(func() *figures { // which takes a while for many lines
		if reading, err := syntax.Codec.Read(ctx, doc); err == nil {
			return &figures{Invoice: reading.Invoice}
		}
		return &figures{Invoice: &invoice.Invoice{}}
	})
	p.Explain = func(rule string) string {
		if m := categoryRule.FindStringSubmatch(rule); m == nil || m[2] != "8" {
			return ""
		}
		return numbers().explain(rule, "")
	}
	if details {
		p.Expected = func(rule, field string) string {
			if !computes(rule) {
				return ""
			}
			return numbers().expected(rule, field)
		}
	}
	return p
}
