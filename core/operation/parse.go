package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"einvoiced/core/detect"
	"einvoiced/core/finding"
	"einvoiced/core/format/ubl"
	"einvoiced/core/invoice"
	"einvoiced/core/mapping"
	"einvoiced/core/profile"
	"einvoiced/core/xmltree"
)

// Parse reads a document. The Refusal is FORMAT_NOT_DETECTED, COUNTRY_NOT_DETECTED (400) or PARSE_FAILED (422). What the
// invoice object cannot hold stands in the warnings, each piece with its path and line.
func (s *Service) Parse(ctx context.Context, req ParseRequest) (*ParseAnswer, error) {
	automatic := req.Country == "" && req.Format == ""
	if !automatic {
		if err := readable(req); err != nil {
			return nil, err
		}
	}
	doc, err := s.parser.Parse(req.Document)
	if err != nil {
		return nil, unreadable(err)
	}
	defer doc.Release()
	found := detect.Document(doc)
	if err := judge(found, automatic); err != nil {
		return nil, err
	}
	reading, err := s.ubl.Read(ctx, doc)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", found.Format, err)
	}
	s.restore(found, reading)
	hash := sha256.Sum256(req.Document)
	answer := &ParseAnswer{Success: true, Invoice: reading.Invoice, Format: found.Format, Hash: hex.EncodeToString(hash[:]),
		Errors: []finding.Finding{}, Warnings: notMapped(reading.Account), Infos: []Info{}}
	if automatic {
		answer.Detection = detection(found)
	}
	return answer, nil
}

// readable refuses routes whose format cannot be read.
func readable(req ParseRequest) error {
	country, token, err := resolve(req.Country, req.Format)
	if err == nil && !token.Reads {
		err = badRequest("format", "format %s of %s cannot be parsed yet", token.ID, country.Name)
	}
	return err
}

// unreadable is the 422 of bytes that are not XML.
func unreadable(err error) error {
	var broken *xmltree.Error
	if !errors.As(err, &broken) {
		return fmt.Errorf("parse XML: %w", err)
	}
	message := fmt.Sprintf("data is not a document that can be read: line %d, column %d: %s", broken.Line, broken.Column, broken.Message)
	return &finding.Refusal{Kind: finding.Unprocessable, Word: finding.ParseFailed, Code: finding.ParseFailed, Field: "data", Message: message, Cause: err}
}

// judge refuses what was not detected well enough.
func judge(found detect.Result, automatic bool) error {
	var refusal *finding.Refusal
	switch {
	case found.Confidence < detect.Sure && automatic:
		refusal = refused(finding.FormatNotDetected, "data: the document element is not that of a known invoice format")
	case found.Confidence < detect.Sure:
		refusal = refused(finding.ParseFailed, "data: the document element is not that of a known invoice format")
		refusal.Kind = finding.Unprocessable
	case found.Syntax != "ubl":
		refusal = badRequest("data", "data: documents of the format %s cannot be parsed yet", found.Format)
	case automatic && found.Country == "":
		refusal = refused(finding.CountryNotDetected, "data: the format is "+found.Format+", but neither it nor the seller's address (BT-40) tells a country that is served")
	default:
		return nil
	}
	if automatic {
		refusal.Extra = []finding.Extra{{Name: "success", Value: false}, {Name: "detection", Value: detection(found)}}
	}
	return refusal
}

func refused(code string, message string) *finding.Refusal {
	return &finding.Refusal{Kind: finding.BadRequest, Word: code, Code: code, Field: "data", Message: message}
}

// restore turns the canonical invoice into the caller's form, by the steps of the profile that the document follows.
func (s *Service) restore(found detect.Result, reading *mapping.Reading) {
	p := s.profiles[found.Token]
	if p == nil {
		p = &profile.Profile{Steps: profile.CommonSteps()}
	}
	country := *p
	country.Country = found.Country
	root := invoice.Type("")
	if reading.Root == ubl.RootCreditNote {
		root = invoice.TypeCreditNote
	}
	country.Restore(reading.Invoice, root)
	if p.Extension != "" && reading.Specification == p.Extension {
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
