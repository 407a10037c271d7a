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
	"github.com/einvoiced/einvoiced/core/envelope"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/core/progress"
	"slices"
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
	if !automatic {
		if err := s.readable(req); err != nil {
			return nil, unknown, err
		}
	}
	opened := req.Opened
	if opened == nil || !automatic {
		opened = s.open(ctx, req.Document, map[bool]extent{true: formatAndCountry}[automatic])
	}
	defer opened.Release()
	found := opened.found
	reading, err := s.read(ctx, opened)
	if err != nil {
		return nil, found, err
	}
	progress.Note(ctx, 80)
	restore(found, reading)
	hash := sha256.Sum256(req.Document)
	answer := &ParseAnswer{Success: true, Invoice: reading.Invoice, Format: found.Format, Hash: hex.EncodeToString(hash[:]),
		Errors: []finding.Finding{}, Warnings: notMapped(reading.Account), Infos: slices.Concat(opened.infos, infosOf(found), req.Infos)}
	if opened.several != nil {
		err = s.parseAll(ctx, opened, answer)
	}
	if err != nil {
		return nil, found, err
	}
	return answer, found, nil
}

// read reads a document that was opened.
func (s *Service) read(ctx context.Context, o *Opened) (*format.Reading, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	syntax := s.formats.Syntax(o.found.Syntax)
	reading, err := syntax.Codec.Read(ctx, o.doc)
	switch {
	case errors.Is(err, mapping.ErrTooManyLines):
		return nil, refused(finding.TooManyInvoiceLines, "data: "+mapping.ErrTooManyLines.Error())
	case errors.Is(err, mapping.ErrElement):
		return nil, unprocessable("data: the document is "+versionOf(o.found)+" that cannot be read", err)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", o.found.Format, err)
	}
	if o.several != nil {
		reading.Account = o.several.inFile(reading.Account)
	}
	if files, left := filesBeside(o.packed, syntax, o.doc); files != nil {
		files.Attach(reading.Invoice)
		for _, leaf := range files.Belied {
			reading.Account.Miss(leaf)
		}
		o.infos = append(o.infos, left...)
	}
	return reading, nil
}

// infosOf says what a parse answer tells of the document beside the invoice: the specification identifier (BT-24) as it stood.
func infosOf(found detect.Result) []Info {
	infos := []Info{}
	if found.Specification != "" {
		infos = append(infos, Info{Code: finding.Specification,
			Message: fmt.Sprintf("the specification identifier (BT-24) of the document is %s", found.Specification)})
	}
	return infos
}

// versionOf says in words which version of its format a document is of.
func versionOf(found detect.Result) string {
	if version := found.Told.String(); version != "" {
		return fmt.Sprintf("%s of version %s, one", found.Format, version)
	}
	return "of a version of " + found.Format
}

// Opened is a document that has been read and recognised, for an automatic Parse.
type Opened struct {
	Detection *Detection // what it is; nil where Err is set
	Err       error      // what an automatic Parse of it gives; nil where it can be parsed

	doc     *xmltree.Document // nil where there is no XML
	found   detect.Result
	infos   []Info
	several *several         // nil where the document has one invoice
	text    bool             // the document is lines of text
	packed  *envelope.Packed // the archive that it came in; nil where it was in none
}

// Release gives the memory of the document back. It may be called more than once; nothing else may be done with it afterwards.
func (o *Opened) Release() {
	if o.doc != nil {
		o.doc.Release()
	}
	o.doc = nil
}

// unknown is what is found in bytes that are no XML.
var unknown = detect.Result{Method: detect.ByHeuristic, CountrySource: detect.Unknown}

// Open reads a document and tells what it is. An automatic Parse that is given it goes on from there, and releases it; where there is
// none to come, the caller releases.
func (s *Service) Open(ctx context.Context, document []byte) *Opened {
	o := s.open(ctx, document, formatAndCountry)
	if o.Err == nil {
		o.Detection = detection(o.found)
	}
	return o
}

// extent is how much of a document's kind is left to its detection.
type extent int

const (
	nothing          extent = iota // country and format are told
	formatAlone                    // the country need not be known
	formatAndCountry               // both have to be found
)

func (s *Service) open(ctx context.Context, document []byte, detected extent) *Opened {
	source, err := s.sourceOf(ctx, document, detected != nothing)
	if err != nil {
		return &Opened{Err: err, found: unknown}
	}
	source, doc, err := s.parsed(ctx, source, unprocessable)
	if err != nil {
		return &Opened{Err: err, found: unknown}
	}
	progress.Note(ctx, 30)
	found := source.detect(s.formats, doc)
	o := &Opened{Err: s.told(found, detected), doc: doc, found: found, infos: source.infos(), text: source.text != nil, packed: source.packed}
	if o.Err == nil {
		o.Err = s.unfold(o)
	}
	return o
}

// unfold tells of the signature that a document carries, and opens the first invoice of a file with several.
func (s *Service) unfold(o *Opened) (err error) {
	syntax := s.formats.Syntax(o.found.Syntax)
	if at := syntax.Signature(o.doc); at != xmltree.None {
		o.infos = append(o.infos, unwrapped("the document carries a signature of itself at "+o.doc.Path(at)))
	}
	if o.several, err = severalIn(o.doc, syntax); err == nil && o.several != nil {
		err = s.turnTo(o, 0)
	}
	return err
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

// unreadable is the refusal of bytes that are not XML: name says which, kind makes it of a message and its private cause.
func unreadable(name string, err error, kind func(message string, cause error) *finding.Refusal) error {
	broken, ok := errors.AsType[*xmltree.Error](err)
	if !ok {
		return fmt.Errorf("parse XML: %w", err)
	}
	return kind(fmt.Sprintf("%s cannot be read: line %d, column %d: %s", name, broken.Line, broken.Column, broken.Message), err)
}

// told refuses what was not detected well enough, or cannot be read.
func (s *Service) told(found detect.Result, detected extent) error {
	const unknown = "data: the document element is not that of a known invoice format"
	switch {
	case found.Confidence < detect.Sure && detected != nothing:
		return refused(finding.FormatNotDetected, unknown)
	case found.Confidence < detect.Sure:
		return unprocessable(unknown, nil)
	case s.formats.Syntax(found.Syntax).Codec == nil:
		return badRequest("data", "data: documents of the format %s cannot be parsed yet", found.Format)
	case detected == formatAndCountry && found.Country == "":
		return refused(finding.CountryNotDetected, "data: the format is "+found.Format+", but neither it nor the seller's address (BT-40) tells a country that is served")
	}
	return nil
}

func refused(code string, message string) *finding.Refusal {
	return &finding.Refusal{Kind: finding.BadRequest, Word: code, Code: code, Field: "data", Message: message}
}

// restore turns the canonical invoice into the caller's form, by the steps of the profile that the document follows.
func restore(found detect.Result, reading *format.Reading) {
	p := followed(found)
	p.Restore(reading.Invoice, reading.Type)
	if p.Extension != "" && reading.Extended {
		reading.Invoice.Profile = invoice.ProfileXRechnungExtension
	}
}

// followed is the profile that a document follows, for its country.
func followed(found detect.Result) *profile.Profile {
	p := &profile.Profile{Steps: profile.CommonSteps()}
	if row := found.Customisation; row != nil && row.Steps != nil {
		p = row.Steps
	}
	return p.In(found.Country)
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
	d.FormatVersion, d.CountryCode = orNull(r.Told.String()), orNull(r.Country)
	d.Format = cmp.Or(d.Format, "UNKNOWN")
	return d
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
