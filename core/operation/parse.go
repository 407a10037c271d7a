package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/core/progress"
)

// Parse reads a document. The Refusal is FORMAT_NOT_DETECTED, COUNTRY_NOT_DETECTED (400) or PARSE_FAILED (422). What the
// invoice object cannot hold stands in the warnings, each piece with its path and line.
func (s *Service) Parse(ctx context.Context, req ParseRequest) (*ParseAnswer, error) {
	automatic := req.Country == "" && req.Format == ""
	answer, found, err := s.parse(ctx, req, automatic)
	if !automatic {
		return answer, err
	}
	var refusal *finding.Refusal
	if errors.As(err, &refusal) {
		refusal.Extra = append(refusal.Extra, finding.Extra{Name: "success", Value: false}, finding.Extra{Name: "detection", Value: detection(found)})
		return nil, refusal
	}
	if err == nil {
		answer.Detection = detection(found)
	}
	return answer, err
}

func (s *Service) parse(ctx context.Context, req ParseRequest, automatic bool) (*ParseAnswer, detect.Result, error) {
	unknown := detect.Result{Method: detect.ByHeuristic, CountrySource: detect.Unknown}
	if !automatic {
		if err := s.readable(req); err != nil {
			return nil, unknown, err
		}
	}
	if err := recognisable(req.Document, automatic); err != nil {
		return nil, unknown, err
	}
	doc, err := s.parser.Parse(req.Document)
	if err != nil {
		return nil, unknown, unreadable(err, unprocessable)
	}
	defer doc.Release()
	progress.Note(ctx, 30)
	found := detect.Document(s.formats, doc)
	if err := s.told(found, automatic); err != nil {
		return nil, found, err
	}
	reading, err := s.formats.Syntax(found.Syntax).Codec.Read(ctx, doc)
	if errors.Is(err, mapping.ErrTooManyLines) {
		return nil, found, refused(finding.TooManyInvoiceLines, "data: "+mapping.ErrTooManyLines.Error())
	}
	if err != nil {
		return nil, found, fmt.Errorf("read %s: %w", found.Format, err)
	}
	progress.Note(ctx, 80)
	warnings := notMapped(reading.Account)
	restore(found, reading)
	hash := sha256.Sum256(req.Document)
	return &ParseAnswer{Success: true, Invoice: reading.Invoice, Format: found.Format, Hash: hex.EncodeToString(hash[:]),
		Errors: []finding.Finding{}, Warnings: warnings, Infos: []Info{}}, found, nil
}

// Detect tells what a document is, as an automatic Parse of it would. The Refusal is that of Parse.
func (s *Service) Detect(_ context.Context, document []byte) (*Detection, error) {
	if err := recognisable(document, true); err != nil {
		return nil, err
	}
	doc, err := s.parser.Parse(document)
	if err != nil {
		return nil, unreadable(err, unprocessable)
	}
	defer doc.Release()
	found := detect.Document(s.formats, doc)
	if err := s.told(found, true); err != nil {
		return nil, err
	}
	return detection(found), nil
}

// recognisable refuses bytes that are no XML before anything is parsed.
func recognisable(document []byte, automatic bool) error {
	switch looks := detect.Sniff(document); {
	case looks == detect.LooksXML:
		return nil
	case looks == detect.LooksPDF:
		return badRequest("data", "data: PDF documents cannot be parsed yet; send the XML that is embedded in it")
	case automatic:
		return refused(finding.FormatNotDetected, "data: neither XML nor PDF, so the format cannot be told")
	}
	return unprocessable("data is neither XML nor PDF", nil)
}

// unprocessable is the 422 of a document that cannot be read.
func unprocessable(message string, cause error) *finding.Refusal {
	return &finding.Refusal{Kind: finding.Unprocessable, Word: finding.ParseFailed, Code: finding.ParseFailed, Field: "data", Message: message, Cause: cause}
}

// readable refuses routes whose format cannot be read.
func (s *Service) readable(req ParseRequest) error {
	country, token, err := s.resolve(req.Country, req.Format)
	if err == nil && !s.formats.Reads(country, token) {
		err = badRequest("format", "format %s of %s cannot be parsed yet", token.ID, country.Name)
	}
	return err
}

// unreadable is the refusal of bytes that are not XML: kind makes it of a message and its private cause.
func unreadable(err error, kind func(message string, cause error) *finding.Refusal) error {
	broken, ok := errors.AsType[*xmltree.Error](err)
	if !ok {
		return fmt.Errorf("parse XML: %w", err)
	}
	return kind(fmt.Sprintf("data cannot be read: line %d, column %d: %s", broken.Line, broken.Column, broken.Message), err)
}

// told refuses what was not detected well enough, or cannot be read.
func (s *Service) told(found detect.Result, automatic bool) error {
	const unknown = "data: the document element is not that of a known invoice format"
	switch {
	case found.Confidence < detect.Sure && automatic:
		return refused(finding.FormatNotDetected, unknown)
	case found.Confidence < detect.Sure:
		return unprocessable(unknown, nil)
	case s.formats.Syntax(found.Syntax).Codec == nil:
		return badRequest("data", "data: documents of the format %s cannot be parsed yet", found.Format)
	case automatic && found.Country == "":
		return refused(finding.CountryNotDetected, "data: the format is "+found.Format+", but neither it nor the seller's address (BT-40) tells a country that is served")
	}
	return nil
}

func refused(code string, message string) *finding.Refusal {
	return &finding.Refusal{Kind: finding.BadRequest, Word: code, Code: code, Field: "data", Message: message}
}

// restore turns the canonical invoice into the caller's form, by the steps of the profile that the document follows.
func restore(found detect.Result, reading *format.Reading) {
	p := &profile.Profile{Steps: profile.CommonSteps()}
	if row := found.Customisation; row != nil && row.Steps != nil {
		p = row.Steps
	}
	country := *p
	country.Country = found.Country
	country.Restore(reading.Invoice, reading.Type)
	if p.Extension != "" && reading.Extended {
		reading.Invoice.Profile = invoice.ProfileXRechnungExtension
	}
}

// warningLimit bounds the list of leaves in an answer; the last entry tells how many there are beyond it.
const warningLimit = 1_000

// notMapped warns of each piece of the source that the invoice does not hold.
func notMapped(account mapping.Account) []finding.Finding {
	warnings := []finding.Finding{}
	for _, leaf := range account.Leaves[:min(len(account.Leaves), warningLimit)] {
		warnings = append(warnings, finding.Finding{Code: finding.ElementNotMapped, Field: leaf.Path,
			Message: fmt.Sprintf("%s (line %d) with %q is not in the invoice: %s", leaf.Path, leaf.Line, leaf.Value, leaf.Reason)})
	}
	if rest := account.Reported - len(warnings); rest > 0 {
		warnings = append(warnings, finding.Finding{Code: finding.ElementNotMapped, Field: "",
			Message: fmt.Sprintf("%d further pieces of the document are not in the invoice", rest)})
	}
	return warnings
}

func detection(r detect.Result) *Detection {
	d := &Detection{Format: r.Format, Confidence: r.Confidence, FormatMethod: r.Method, CountrySource: r.CountrySource,
		IsAmbiguous: len(r.Alternatives) > 0, AlternativeCountries: orEmpty(r.Alternatives)}
	d.FormatVersion, d.CountryCode = orNull(r.Version), orNull(r.Country)
	d.Format = cmp.Or(d.Format, "UNKNOWN")
	return d
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
