package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/validate"
)

// Convert writes the invoice of a document in another format and judges the result before it is given out. The Refusal is 400 for a
// request that cannot be meant, FORMAT_NOT_DETECTED (400), PARSE_FAILED (422), or CONVERSION_FAILED (422) where the target cannot
// express the invoice or its rules speak against the result.
func (s *Service) Convert(ctx context.Context, req ConvertRequest) (*ConvertAnswer, error) {
	c := req.Opened
	if c == nil {
		c = s.OpenConversion(ctx, req)
	}
	defer c.Release()
	if c.Err != nil {
		return nil, c.Err
	}
	if err := s.countLines(c.opened.doc, c.opened.found.Syntax, req.MaxItems); err != nil {
		return nil, err
	}
	reading, err := s.read(ctx, c.opened)
	if err != nil {
		return nil, err
	}
	progress.Note(ctx, 15)
	restore(c.opened.found, reading)
	made, err := s.convert(ctx, req, c, reading.Invoice)
	if err != nil {
		return nil, err
	}
	lost := s.lossesOf(c, reading, made)
	if len(made.check.Errors) > 0 {
		return nil, s.conversionFailed(c, reading.Invoice, made, lost)
	}
	answer := made.converted(c, lost)
	answer.Infos = slices.Concat(c.opened.infos, infosOf(c.opened.found), req.Infos)
	return answer, nil
}

// conversion is the document of a conversion with its verdict.
type conversion struct {
	*written
	check *checked // with what the target cannot express among its errors
}

// convert writes the invoice that was read and judges the document, with its source attached where that is asked for and can be.
func (s *Service) convert(ctx context.Context, req ConvertRequest, c *Conversion, read *invoice.Invoice) (*conversion, error) {
	with, why := attachSource(req, c, read)
	if with == nil {
		made, err := s.writeAndCheck(ctx, req, c, read)
		if err == nil && why != "" {
			made.warnings = append(made.warnings, notAttached(why))
		}
		return made, err
	}
	made, err := s.writeAndCheck(ctx, req, c, with)
	if err != nil {
		return nil, err
	}
	if why = made.withoutPlaceFor(len(read.Attachments)); why != "" {
		made.warnings = append(made.warnings, notAttached(why))
	} else if why = made.speaksAgainst(len(read.Attachments)); why != "" {
		if made, err = s.writeAndCheck(ctx, req, c, read); err == nil {
			made.warnings = append(made.warnings, notAttached(why))
		}
	}
	return made, err
}

// writeAndCheck makes the document of an invoice and judges it, unless the request does not want that.
func (s *Service) writeAndCheck(ctx context.Context, req ConvertRequest, c *Conversion, inv *invoice.Invoice) (*conversion, error) {
	made, err := s.compose(ctx, c.country, c.choice, &decoded{GenerateBody: &invoice.GenerateBody{Invoice: inv}, warnings: []finding.Finding{}})
	if err != nil {
		return nil, err
	}
	check := &checked{}
	switch validates := req.Options.Validate; {
	case len(made.draft.Errors) > 0:
		check.Entries = validate.Entries{Errors: made.draft.Errors, Compliance: houseCodes(made.draft.Errors)}
	case validates != nil && !*validates:
		check.gaps = []string{"validate is false"}
	default:
		if check, err = s.checkWritten(ctx, s.session(ctx, "", false), made); err != nil {
			return nil, err
		}
	}
	return &conversion{made, check}, nil
}

// converted is the answer on a document that may be given out.
func (m *conversion) converted(c *Conversion, lost []finding.Finding) *ConvertAnswer {
	m.warnings = slices.DeleteFunc(m.warnings, isLoss)
	a := m.answer(m.check)
	return &ConvertAnswer{Success: true, SourceFormat: c.Source.Format, TargetFormat: c.Target.Format, Format: a.Format, Filename: a.Filename,
		MimeType: a.MimeType, Hash: a.Hash, Data: a.Data, Detection: c.detected, AppliedFormatOptions: a.AppliedFormatOptions, Rulebooks: a.Rulebooks,
		Errors: a.Errors, Warnings: a.Warnings, ConversionWarnings: lost}
}

// conversionFailed is the 422 of a document that the target cannot express, or whose rules speak against it. Where the member that an
// entry is about stands in the source, its message says.
func (s *Service) conversionFailed(c *Conversion, read *invoice.Invoice, made *conversion, lost []finding.Finding) error {
	entries := made.check.Entries
	var names []string
	for _, list := range [][]finding.Finding{entries.Errors, entries.Compliance} {
		for _, e := range list {
			names = append(names, e.Field)
		}
	}
	origins := s.originsOf(c, read, names, nil)
	for _, list := range [][]finding.Finding{entries.Errors, entries.Compliance} {
		for i, e := range list {
			if o, known := origins[e.Field]; known {
				list[i].Message = fmt.Sprintf("%s (in the source: %s, line %d)", e.Message, o.path, o.line)
			}
		}
	}
	refusal := notCompliant(entries.Errors, entries.Compliance)
	refusal.Word, refusal.Code = finding.ConversionFailed, finding.ConversionFailed
	refusal.Message = fmt.Sprintf("the invoice cannot be converted to %s: %s", made.token.Name, entries.Errors[0].Message)
	refusal.Extra = append(refusal.Extra, finding.Extra{Name: "conversionWarnings", Value: lost})
	if made.check.books != nil {
		refusal.Extra = append(refusal.Extra, finding.Extra{Name: "rulebooks", Value: made.check.books})
	}
	return refusal
}
