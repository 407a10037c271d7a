package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
	"github.com/einvoiced/einvoiced/core/progress"
)

// MaxRechecked is how many bytes a carrier may have so that the result is opened again (contract, embed upload).
const MaxRechecked = 15 << 20

// EmbedRequest asks for an invoice inside a PDF of the caller. Country and Format are path segments, matched without regard to case.
type EmbedRequest struct {
	Country        string
	Format         string
	Calculate      bool   // as in GenerateRequest
	Carrier        []byte // the PDF
	Body           []byte // JSON: {invoice*, formatOptions}
	Validate       bool   // judge the invoice by schema and rules
	EnforcePending bool   // as in ValidateRequest
	Infos          []Info // as in GenerateRequest
}

// EmbedAnswer is the answer of both embed routes; Data is the bytes of the PDF, base64 in JSON. What decides whether the PDF alone may be
// answered stands before the data.
type EmbedAnswer struct {
	Success              bool                 `json:"success"`
	Format               string               `json:"format"`
	Filename             string               `json:"filename"`
	MimeType             string               `json:"mimeType"`
	Hash                 string               `json:"hash"`        // lower-case hex SHA-256 of Data
	PayloadHash          string               `json:"payloadHash"` // lower-case hex SHA-256 of the canonical JSON of the invoice
	AppliedFormatOptions AppliedFormatOptions `json:"appliedFormatOptions"`
	Carrier              hybrid.Carrier       `json:"carrier"`
	Validation           *Validation          `json:"validation,omitzero"` // where it was asked for
	Rulebooks            []Rulebook           `json:"rulebooks,omitempty"` // that judged the invoice
	Infos                []Info               `json:"infos"`
	Errors               []finding.Finding    `json:"errors"`
	ComplianceErrors     []finding.Finding    `json:"complianceErrors"`
	Warnings             []finding.Finding    `json:"warnings"`
	EmbeddedXML          string               `json:"embeddedXml"`
	Data                 []byte               `json:"data"`
}

// Validation is the verdict on the embedded invoice (contract, result object validation).
type Validation struct {
	Valid   *bool             `json:"valid"`  // null where the check could not be run in full
	Status  string            `json:"status"` // passed or not_run; an invoice that failed is refused
	Results []ValidateResult  `json:"results"`
	Errors  []finding.Finding `json:"errors"`
	Reason  string            `json:"reason,omitzero"` // why it was not run: missing, load-failed, transform-failed, not-bound
}

// The words for verdicts (contract).
const (
	validationPassed = "passed"
	validationNotRun = "not_run"
)

// Embed writes the XML of an invoice and embeds it into a PDF of the caller, whose bytes stay in front. The Refusal is 400 for a request
// that is no invoice for this country and format, or brings no PDF, 422 for a PDF that cannot be used, and for an invoice that the format
// cannot express or that breaks a rule where it was asked for.
func (s *Service) Embed(ctx context.Context, req EmbedRequest) (*EmbedAnswer, error) {
	country, token, err := s.resolve(req.Country, req.Format)
	if err != nil {
		return nil, err
	}
	if row := s.formats.Written(country, token.ID, format.Options{}); row == nil || row.Carrier == "" {
		return nil, badRequest("format", "format %s of %s is not embedded into PDFs", token.ID, country.Name)
	}
	body, err := s.decode(ctx, GenerateRequest{Calculate: req.Calculate, Body: req.Body, Infos: req.Infos}, country)
	if err != nil {
		return nil, err
	}
	made, err := s.payload(ctx, country, token, body)
	if err != nil {
		return nil, err
	}
	answer := &EmbedAnswer{Success: true, Format: token.ID, Filename: filename(made.number, token), MimeType: token.MimeType,
		PayloadHash: payloadHash(req.Body), AppliedFormatOptions: made.applied(), Infos: body.infos, Errors: []finding.Finding{},
		ComplianceErrors: []finding.Finding{}}
	if req.Validate {
		if err := s.judgePayload(ctx, req.EnforcePending || enforces(body), made, answer); err != nil {
			return nil, err
		}
	}
	answer.Warnings, answer.EmbeddedXML = append(made.warnings, answer.Warnings...), string(made.data)
	carried, err := s.carry(ctx, req.Carrier, made)
	if err != nil {
		return nil, unusable(ctx, err)
	}
	answer.Data, answer.Carrier, answer.Warnings = carried.data, carried.state, append(answer.Warnings, carried.warnings...)
	answer.Carrier.Warnings = append(answer.Carrier.Warnings, carried.done...)
	hash := sha256.Sum256(answer.Data)
	answer.Hash = hex.EncodeToString(hash[:])
	return answer, nil
}

// payload writes the XML that is to be embedded.
func (s *Service) payload(ctx context.Context, country format.Country, token format.Token, body *decoded) (*written, error) {
	if body.TemplateID != "" {
		return nil, badRequest("templateId", "templateId is not taken here: the pages are those of the PDF that you send")
	}
	options := invoice.FormatOptions{}
	if body.FormatOptions != nil {
		options = *body.FormatOptions
	}
	if len(options.Template) > 0 {
		return nil, badRequest("formatOptions.template", "formatOptions.template is not taken here: the pages are those of the PDF that you send")
	}
	if options.Output != "" {
		return nil, badRequest("formatOptions.output", "formatOptions.output is not taken here: the result is a PDF")
	}
	options.Output = outputXML
	choice, err := s.choose(country, token, &invoice.GenerateBody{Invoice: body.Invoice, FormatOptions: &options})
	if err != nil {
		return nil, err
	}
	made, err := s.compose(ctx, country, choice, body)
	if err != nil {
		return nil, err
	}
	if errs := made.draft.Errors; len(errs) > 0 {
		return nil, notCompliant(errs, houseCodes(errs))
	}
	return made, nil
}

// judgePayload judges the XML. One that breaks a rule is refused.
func (s *Service) judgePayload(ctx context.Context, enforce bool, made *written, answer *EmbedAnswer) error {
	check, err := s.checkWritten(ctx, s.session(ctx, "", enforce), made)
	if err != nil {
		return err
	}
	verdict := newValidateAnswer()
	verdict.add(made.label(), check)
	if len(check.Errors) > 0 {
		failed := false
		refusal := notCompliant(check.Errors, check.Compliance)
		refusal.Extra = append(refusal.Extra, finding.Extra{Name: "rulebooks", Value: check.books}, finding.Extra{Name: "validation",
			Value: &Validation{Valid: &failed, Status: "failed", Results: verdict.Results, Errors: check.Errors}})
		return refusal
	}
	answer.Rulebooks, answer.Warnings = check.books, check.Warnings
	answer.Validation = &Validation{Valid: verdict.Results[0].Valid, Status: validationPassed, Results: verdict.Results, Errors: []finding.Finding{}}
	if len(check.gaps) > 0 {
		answer.Validation.Status, answer.Validation.Reason = validationNotRun, reasonOf(check.gaps)
	}
	return nil
}

// reasonOf is the reason of the first gap, with which it begins.
func reasonOf(gaps []string) string {
	reason, _, _ := strings.Cut(gaps[0], ":")
	return reason
}

// embedded is a carrier with an invoice inside.
type embedded struct {
	data     []byte
	state    hybrid.Carrier    // how the result stands
	done     []hybrid.Warning  // what embedding did to the carrier
	warnings []finding.Finding // on the result
}

// carry embeds the XML into the carrier. An error is of the carrier, or the service's own; unusable makes a refusal of it.
func (s *Service) carry(ctx context.Context, carrier []byte, made *written) (*embedded, error) {
	progress.Note(ctx, 90)
	c, err := s.carried(ctx, carrier, attachmentOf(made))
	if err != nil {
		return nil, err
	}
	e := &embedded{data: slices.Concat(c.carrier, c.added), done: carrierWarnings(c.pdf.Signatures(), c.repaired)}
	e.state = hybrid.Carrier{PDFA3Declared: true, Checks: []hybrid.Check{}, Warnings: []hybrid.Warning{}}
	if len(c.carrier) > MaxRechecked {
		e.warnings = append(e.warnings, finding.Finding{Code: finding.ResultNotRechecked,
			Message: fmt.Sprintf("the PDF has more than %d MiB, so the result was not opened again", MaxRechecked>>20)})
		return e, nil
	}
	e.state, err = rechecked(ctx, e.data, made.data)
	return e, err
}

// notRechecked is the service's own failure: a result that does not give the invoice back.
type notRechecked struct{ error }

// rechecked opens the result, which has to give the invoice back, and looks at what it is.
func rechecked(ctx context.Context, result, xml []byte) (hybrid.Carrier, error) {
	again, err := hybrid.Open(ctx, result)
	if errors.Is(err, pdffile.ErrLimit) { // the carrier was just below it
		return hybrid.Carrier{}, err
	}
	if err != nil {
		return hybrid.Carrier{}, &notRechecked{fmt.Errorf("open the PDF with the embedded invoice: %w", err)}
	}
	inside, err := again.Invoice()
	if errors.Is(err, pdffile.ErrLimit) {
		return hybrid.Carrier{}, err
	}
	if err == nil && string(inside.XML) != string(xml) {
		err = errors.New("it is another")
	}
	if err != nil {
		return hybrid.Carrier{}, &notRechecked{fmt.Errorf("take the embedded invoice out again: %w", err)}
	}
	c := again.Carrier()
	if err := ctx.Err(); err != nil { // it may have kept parts from being looked at, which says nothing of them
		return hybrid.Carrier{}, fmt.Errorf("look at the PDF with the embedded invoice: %w", err)
	}
	return c, nil
}

// carrierWarnings tell what became of signatures and of a damaged file.
func carrierWarnings(found hybrid.Signatures, repaired string) []hybrid.Warning {
	var list []hybrid.Warning
	if found.Signed {
		list = append(list, hybrid.Warning{Code: finding.CarrierSignatureInvalidated, Message: "the PDF is signed; programs will say that it was changed after it was signed"})
	}
	if found.Certified {
		list = append(list, hybrid.Warning{Code: finding.CarrierCertificationInvalidated, Message: "the PDF is certified, and its author has not allowed this change"})
	}
	if repaired != "" {
		list = append(list, hybrid.Warning{Code: finding.CarrierRepaired, Message: repaired})
	}
	return list
}

// Signed tells whether a PDF is signed or certified: such are embedded into by who answers, whatever their size (supplement §1a). What cannot
// be read is not.
func Signed(ctx context.Context, carrier []byte) bool {
	pdf, err := hybrid.Open(ctx, carrier)
	if err != nil {
		return false
	}
	found := pdf.Signatures()
	return found.Signed || found.Certified
}

// embeddedName is the name of the embedded file (contract, embed upload).
const embeddedName = "factur-x.xml"

// attachmentOf is the embedded file of an invoice. Its date is that of the invoice, so that the same invoice gives the same bytes.
func attachmentOf(made *written) hybrid.Attachment {
	relationship, level := "Alternative", made.row.Profile
	switch level {
	case "EN16931":
		level = "EN 16931"
	case "MINIMUM", "BASIC_WL": // they say less than the pages
		relationship = "Data"
	}
	day, err := time.Parse(time.DateOnly, string(made.draft.Invoice.IssueDate))
	if err != nil {
		day = time.Time{} // it was checked; a steps' change of it would be the only way here
	}
	return hybrid.Attachment{XML: made.data, Name: embeddedName, Description: "Invoice in XML, " + made.token.Name, Relationship: relationship, Modified: day,
		Metadata: xmp.FacturX{DocumentType: "INVOICE", DocumentFileName: embeddedName, Version: "1.0", ConformanceLevel: level}}
}

// carrying is a carrier with what is to stand behind it.
type carrying struct {
	pdf      *hybrid.Document
	carrier  []byte
	added    []byte
	repaired string // what was done to a damaged carrier; empty where it is whole
}

// carried embeds. A carrier whose cross-reference data is broken is repaired before, which must not lose pages, or where that cannot be, or would
// destroy signatures, gets new cross-reference data with the embedding.
func (s *Service) carried(ctx context.Context, carrier []byte, a hybrid.Attachment) (*carrying, error) {
	whole, err := embedInto(ctx, carrier, a)
	if !errors.Is(err, pdffile.ErrCrossReferences) {
		return whole, err
	}
	damaged, err := hybrid.Open(ctx, carrier)
	if err != nil {
		return nil, err
	}
	if found := damaged.Signatures(); s.cfg.Repair != nil && !found.Signed && !found.Certified {
		if repaired, err := s.cfg.Repair(ctx, carrier); err == nil {
			if c, err := embedInto(ctx, repaired, a); err == nil && c.pdf.Pages() >= damaged.Pages() {
				c.repaired = "the PDF was damaged and was written anew before the invoice was embedded; its bytes are not as they were"
				return c, nil
			}
		}
	}
	added, err := damaged.EmbedDamaged(a)
	return &carrying{damaged, carrier, added, "the PDF was damaged; behind it stands new cross-reference data for all that was found in it"}, err
}

func embedInto(ctx context.Context, carrier []byte, a hybrid.Attachment) (*carrying, error) {
	pdf, err := hybrid.Open(ctx, carrier)
	if err != nil {
		return nil, err
	}
	added, err := pdf.Embed(a)
	return &carrying{pdf: pdf, carrier: carrier, added: added}, err
}

// unusable is the refusal of a carrier. What is the service's failure stays one.
func unusable(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("embed into the PDF: %w", ctx.Err())
	case errors.As(err, new(*notRechecked)):
		return err
	case errors.Is(err, pdffile.ErrNotPDF):
		r := refusedEntry(finding.InvalidValue, "pdf", "pdf: the carrier is no PDF: "+err.Error())
		r.Cause = err
		return r
	}
	r := unprocessable("pdf: the carrier cannot be used: "+err.Error(), err)
	r.Field = "pdf"
	return r
}
