// Package operation is what the service can do: one function for each operation, called by the API, the worker and the
// command line with the same requests and answers.
//
// Every function returns a *finding.Refusal (by errors.As) where the caller's input is to blame, and another error where
// the service is. Operations touch no network, no disk and no clock; they obey their context.
//
// A request that writes goes this way: resolve finds the country and the path token, decode reads the body into an invoice
// and checks it as input, choose picks customisation, version and profile, compose derives the draft by the steps of the
// format and has the codec write it, and checkWritten has the rulebooks judge what was written before anything is given out.
// A request that reads goes the other way: a source is opened (out of a PDF, a signature, an archive or an envelope),
// detected, and read by the codec of its syntax. A conversion is one of each in a row.
package operation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/standard"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// Config sets up a Service. The zero value is the default.
type Config struct {
	Formats               *format.Catalogue // the formats of the service. Default: those that ship.
	StrictCountrySpecific bool              // refuse countrySpecific without countryCode (400) instead of assuming the path's country. Default: false.
	MaxItems              int               // line items per invoice before TOO_MANY_LINE_ITEMS. Default: that of the mode.
	// SmallInvoices is the mode without large-invoice validation: 5,000 line items instead of 25,000, and a warning above 5,000
	// lines in all. Default: false.
	SmallInvoices bool
	// Rulebooks gives the rulebooks in use for work under a context; it is asked once for each request. Default: there are none.
	Rulebooks func(context.Context) *rulebook.Generation
	// Repair writes a damaged PDF anew, in a way that bounds time and memory, for embed. Default: damaged PDFs are refused.
	Repair func(ctx context.Context, pdf []byte) ([]byte, error)
	// VeriFactu is who makes records of Spanish invoices. Default: nobody, and invoices that ask for a record are refused.
	VeriFactu *verifactu.Installation
	Faces     fs.FS         // typefaces of the operator, before those that ship. Default: none.
	Images    block.Fetcher // gets the images that templates name by URL. Default: they are refused.
	// Now gives the current time, which chooses the rulebooks in force. Required with Rulebooks. Default: none.
	Now func() time.Time
}

// The most line items of each mode (contract, limits).
const (
	maxItems      = 25_000
	maxItemsSmall = 5_000
)

func (c Config) withDefaults() (Config, error) {
	if c.MaxItems == 0 {
		c.MaxItems = maxItems
		if c.SmallInvoices {
			c.MaxItems = maxItemsSmall
		}
	}
	switch {
	case c.MaxItems < 0:
		return c, errors.New("MaxItems must not be negative")
	case c.Rulebooks != nil && c.Now == nil:
		return c, errors.New("rulebooks need a clock")
	case c.Rulebooks == nil:
		c.Rulebooks, c.Now = func(context.Context) *rulebook.Generation { return nil }, func() time.Time { return time.Time{} }
	}
	return c, nil
}

// Service does the operations. It is safe for concurrent use.
type Service struct {
	cfg     Config
	parser  *xmltree.Parser
	formats *format.Catalogue
	library *typeface.Library
	layout  *standard.Layout
	writers sync.Pool // of *xmltree.Writer, with room for an ordinary document

	overview atomic.Pointer[overview]
}

// New prepares a Service. Errors are those of a broken configuration.
func New(cfg Config) (*Service, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("configure operations: %w", err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("prepare the XML parser: %w", err)
	}
	if cfg.Formats == nil {
		if cfg.Formats, err = catalogue.New(); err != nil {
			return nil, fmt.Errorf("configure operations: %w", err)
		}
	}
	return &Service{cfg: cfg, parser: parser, formats: cfg.Formats, library: typeface.NewLibrary(cfg.Faces), layout: &standard.Layout{}}, nil
}

// Limits are the limits on invoices, for doors that count while a request arrives.
func (s *Service) Limits() invoice.Limits { return invoice.Limits{MaxItems: s.cfg.MaxItems} }

// GenerateRequest asks for a document. Country and Format are path segments, matched without regard to case.
type GenerateRequest struct {
	Country   string
	Format    string
	Calculate bool   // fill in absent amounts by the rules of EN 16931 (?calculate=true)
	Body      []byte // JSON: {invoice*, templateId, formatOptions}
	Style     Style  // what the caller's account has for pages
	Infos     []Info // what is known of the request beside its body; the answer begins its infos with them
	Live      bool   // for business, not for trying it out
}

// GenerateAnswer is the answer of generate; Data is the document's bytes, base64 in JSON.
type GenerateAnswer struct {
	Success              bool                 `json:"success"`
	Format               string               `json:"format"`   // path token in lower case
	Filename             string               `json:"filename"` // A-Z a-z 0-9 . _ -
	MimeType             string               `json:"mimeType"`
	Hash                 string               `json:"hash"` // lower-case hex SHA-256 of Data
	Data                 []byte               `json:"data"`
	EmbeddedXML          string               `json:"embeddedXml,omitzero"` // the invoice in a hybrid
	AppliedFormatOptions AppliedFormatOptions `json:"appliedFormatOptions,omitzero"`
	Rulebooks            []Rulebook           `json:"rulebooks,omitempty"` // that judged the document
	Infos                []Info               `json:"infos"`
	Errors               []finding.Finding    `json:"errors"`
	Warnings             []finding.Finding    `json:"warnings"`

	Summary Summary           `json:"-"` // of the invoice as it was asked for
	Record  *verifactu.Record `json:"-"` // what is to be registered along with the answer; nil where nothing is
}

// Summary is what events tell of an invoice. The amounts are those of the request, filled in where it asked for that.
type Summary struct {
	InvoiceNumber string
	Currency      string
	Subtotal      decimal.Decimal
	Total         decimal.Decimal
	TaxSummary    []invoice.TaxSummary
}

// Rulebook names a rulebook that judged a document.
type Rulebook struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// AppliedFormatOptions is the version and profile that were used.
type AppliedFormatOptions struct {
	Version string `json:"version,omitzero"`
	Profile string `json:"profile,omitzero"`
}

// ParseRequest asks for the invoice in a document. Country and Format are empty for automatic detection. Document is XML
// or a PDF with XML inside, as bytes.
type ParseRequest struct {
	Country  string
	Format   string
	Filename string
	Document []byte
	Infos    []Info  // as in GenerateRequest
	Opened   *Opened // what Open made of Document, for automatic detection. Default: Document is opened
}

// ValidateRequest asks whether an invoice, or a document, keeps the rules. Country and Format are path segments; without a
// format an invoice is checked in every format of the country that can be written, and a document in the one that it has.
type ValidateRequest struct {
	Country   string
	Format    string
	Calculate bool   // as in GenerateRequest
	Body      []byte // JSON: {invoice*, formatOptions, asOf, enforcePending}
	Document  []byte // XML, or a PDF with XML inside, in place of Body
	Filename  string
	Infos     []Info // as in GenerateRequest
	MaxItems  int    // lines of the document before TOO_MANY_LINE_ITEMS, where that is fewer than the service's. Default: as many

	AsOf           string                   // day (YYYY-MM-DD) whose rulebooks judge; the body's wins. Default: today
	EnforcePending bool                     // as in the body
	Details        bool                     // the answer has findings
	Entitled       func(format string) bool // whether the caller may create a format of the country. Default: all of them
}

// ValidateAnswer is the answer of both validate routes. A document that keeps the rules, and one that does not, are both
// answered; refused is only what is no invoice at all.
type ValidateAnswer struct {
	Valid     bool              `json:"valid"`
	Errors    []finding.Finding `json:"errors"`
	Warnings  []finding.Finding `json:"warnings"`
	Results   []ValidateResult  `json:"results"`            // one for each format
	Detection *Detection        `json:"detection,omitzero"` // of documents
	Carrier   *hybrid.Carrier   `json:"carrier,omitzero"`   // of PDFs
	Rulebooks []Rulebook        `json:"rulebooks"`
	Findings  []finding.Detail  `json:"findings,omitzero"` // errors and warnings with their places, where they were asked for
	Infos     []Info            `json:"infos"`

	InvoiceNumber string `json:"-"` // of the invoice or the document; "" where it tells none
}

// ValidateResult is the verdict on one format.
type ValidateResult struct {
	Format  string      `json:"format"` // token-version-profile, e.g. zugferd-2.4-en16931
	Valid   *bool       `json:"valid"`  // null when a check could not be run and nothing else failed, or when it was skipped
	Errors  []RuleError `json:"errors"`
	Skipped string      `json:"skipped,omitzero"` // why the format was not checked: not entitled
}

// RuleError is one entry of the errors of a result.
type RuleError struct {
	RuleID  string `json:"ruleId"`
	Message string `json:"message"`
}

// Detection says what a document is.
type Detection struct {
	Format               string   `json:"format"`        // e.g. XRECHNUNG_UBL
	FormatVersion        *string  `json:"formatVersion"` // null when the document does not tell
	CountryCode          *string  `json:"countryCode"`   // upper case or null
	Confidence           int      `json:"confidence"`    // 0..100
	FormatMethod         string   `json:"formatMethod"`  // NAMESPACE, ROOT_ELEMENT, CUSTOMIZATION_ID, PROFILE_ID, HEURISTIC
	CountrySource        string   `json:"countrySource"` // DOCUMENT, FORMAT_MAPPING, UNKNOWN
	IsAmbiguous          bool     `json:"isAmbiguous"`
	AlternativeCountries []string `json:"alternativeCountries"`
}

// ParseAnswer is the answer of both parse routes; Detection is set by the automatic one only.
type ParseAnswer struct {
	Success   bool               `json:"success"`
	Invoice   *invoice.Invoice   `json:"invoice"`
	Invoices  []*invoice.Invoice `json:"invoices,omitempty"` // of a file with several, Invoice the first
	Format    string             `json:"format"`             // detection id
	Hash      string             `json:"hash"`               // lower-case hex SHA-256 of the input bytes
	Detection *Detection         `json:"detection,omitzero"`
	Errors    []finding.Finding  `json:"errors"`
	Warnings  []finding.Finding  `json:"warnings"`
	Infos     []Info             `json:"infos"`
}

// Info is one entry of infos[].
type Info struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Country is one entry of the formats routes.
type Country struct {
	Code    string   `json:"code"` // upper case
	Name    string   `json:"name"` // English
	Formats []Format `json:"formats"`
}

// Format is what a country can do with one path token today.
type Format struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	MimeType    string   `json:"mimeType"`
	Extension   string   `json:"extension"`
	Versions    []string `json:"versions"`
	Profiles    []string `json:"profiles"`
	Generate    bool     `json:"generate"`
	Parse       bool     `json:"parse"`
	Validate    bool     `json:"validate"`
}
