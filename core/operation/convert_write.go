package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
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
	if c.Err == nil && c.choice.row == nil {
		return s.convertToPages(ctx, req, c)
	}
	made, err := s.rewrite(ctx, req, c)
	if err != nil {
		return nil, err
	}
	if err := s.check(ctx, req, made); err != nil {
		return nil, err
	}
	if why := made.speaksAgainst(); why != "" {
		return s.convertWithoutSource(ctx, req, why)
	}
	if len(made.verdict.Errors) > 0 {
		return nil, s.conversionFailed(ctx, req, made)
	}
	answer := made.converted(c)
	answer.Infos = slices.Concat(c.opened.infos, infosOf(c.opened.found), req.Infos)
	if c.choice.laidOut() {
		err = s.carryConverted(ctx, req, c, made, answer)
	}
	return answer, err
}

// conversion is the document of a conversion.
type conversion struct {
	*written
	read     *invoice.Invoice  // of the source
	lost     []finding.Finding // what of the source is not in it
	attached int               // index of the source among the attachments, -1 where it is none of them
	verdict  *checked          // with what the target cannot express among its errors
}

// rewrite reads the source and writes its invoice, with the source attached where that is asked for and can be. It releases the source,
// which takes as much memory as the judgement of the result will.
func (s *Service) rewrite(ctx context.Context, req ConvertRequest, c *Conversion) (*conversion, error) {
	defer c.Release()
	reading, err := s.readSource(ctx, req, c)
	if err != nil {
		return nil, err
	}
	if c.choice, err = s.chooseTarget(c.country, c.token, &req.Options, reading.Invoice); err != nil {
		return nil, err
	}
	made := &conversion{attached: -1, read: reading.Invoice}
	named := c.nameFiles(reading.Invoice)
	source, why := attachSource(req, c, reading.Invoice)
	if source != nil {
		made.attached = len(reading.Invoice.Attachments)
		reading.Invoice.Attachments = append(reading.Invoice.Attachments, *source)
	}
	adapted, told := c.choice.row.Steps.In(c.country.Code).Adapt(reading.Invoice)
	body := &decoded{GenerateBody: &invoice.GenerateBody{Invoice: adapted}, warnings: slices.Concat([]finding.Finding{}, named, told)}
	if c.choice.laidOut() && !c.keepsPages(req) {
		s.refer(c.country, body)
		made.read = body.Invoice
	}
	if made.written, err = s.compose(ctx, c.country, c.choice, body); err != nil {
		return nil, err
	}
	if made.withoutPlaceForSource() {
		why = made.targetName() + " has no place for attachments"
	}
	made.lost = s.lossesOf(c, reading, made.written)
	if why != "" {
		made.warnings = append(made.warnings, notAttached(why))
	}
	return made, nil
}

// readSource reads the invoice of the source into the form that callers have.
func (s *Service) readSource(ctx context.Context, req ConvertRequest, c *Conversion) (*format.Reading, error) {
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
	if c.choice.laidOut() {
		if err := printable(reading.Invoice, "data"); err != nil {
			return nil, err
		}
	}
	progress.Note(ctx, 15)
	restore(c.opened.found, reading)
	return reading, nil
}

// check judges the document, unless the request does not want that.
func (s *Service) check(ctx context.Context, req ConvertRequest, made *conversion) (err error) {
	made.verdict = &checked{}
	switch validates := req.Options.Validate; {
	case len(made.draft.Errors) > 0:
		made.verdict.Entries = validate.Entries{Errors: made.draft.Errors, Compliance: houseCodes(made.draft.Errors)}
	case validates != nil && !*validates:
		made.verdict.gaps = []string{"validate is false"}
		made.verdict.Warnings = tooLarge(made.written.syntax, made.written.data)
	default:
		made.verdict, err = s.checkWritten(ctx, s.session(ctx, "", false), made.written)
	}
	return err
}

// converted is the answer on a document that may be given out.
func (m *conversion) converted(c *Conversion) *ConvertAnswer {
	m.warnings = slices.DeleteFunc(m.warnings, isLoss)
	a := m.answer(m.verdict)
	return &ConvertAnswer{Success: true, SourceFormat: c.Source.Format, TargetFormat: c.Target.Format, Format: a.Format, Filename: a.Filename,
		MimeType: a.MimeType, Hash: a.Hash, Data: a.Data, Detection: c.detected, AppliedFormatOptions: a.AppliedFormatOptions, Rulebooks: a.Rulebooks,
		Errors: a.Errors, Warnings: a.Warnings, ConversionWarnings: m.lost}
}

// conversionFailed is the 422 of a document that the target cannot express, or whose rules speak against it. Where the member that an
// entry is about stands in the source, which is opened again for that, its message says.
func (s *Service) conversionFailed(ctx context.Context, req ConvertRequest, made *conversion) error {
	entries := made.verdict.Entries
	origins, err := s.originsAgain(ctx, req, slices.Concat(entries.Errors, entries.Compliance))
	if err != nil {
		return err
	}
	for _, list := range [][]finding.Finding{entries.Errors, entries.Compliance} {
		for i, e := range list {
			if o, known := origins[e.Field]; known {
				list[i].Message = fmt.Sprintf("%s (in the source: %s, line %d)", e.Message, o.path, o.line)
			}
		}
	}
	refusal := notCompliant(entries.Errors, entries.Compliance)
	refusal.Word, refusal.Code = finding.ConversionFailed, finding.ConversionFailed
	refusal.Message = fmt.Sprintf("the invoice cannot be converted to %s: %s", made.targetName(), entries.Errors[0].Message)
	refusal.Extra = append(refusal.Extra, finding.Extra{Name: "conversionWarnings", Value: made.lost})
	if made.verdict.books != nil {
		refusal.Extra = append(refusal.Extra, finding.Extra{Name: "rulebooks", Value: made.verdict.books})
	}
	return refusal
}

// originsAgain opens the source once more and finds the members that findings are about.
func (s *Service) originsAgain(ctx context.Context, req ConvertRequest, findings []finding.Finding) (map[string]origin, error) {
	c := s.OpenConversion(ctx, req)
	defer c.Release()
	if c.Err != nil {
		return nil, c.Err
	}
	reading, err := s.read(ctx, c.opened)
	if err != nil {
		return nil, err
	}
	restore(c.opened.found, reading)
	var names []string
	for _, f := range findings {
		names = append(names, f.Field)
	}
	return s.originsOf(c, reading.Invoice, names, nil), nil
}
