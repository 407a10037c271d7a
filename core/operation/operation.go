// Package operation is what the service can do: one function for each operation, called by the API, the worker and the
// command line with the same requests and answers.
//
// Every function returns a *finding.Refusal (by errors.As) where the caller's input is to blame, and another error where
// the service is. Operations touch no network, no disk and no clock; they obey their context.
package operation

import (
	"fmt"

	"einvoiced/core/finding"
	"einvoiced/core/format/ubl"
	"einvoiced/core/invoice"
	"einvoiced/core/profile"
	"einvoiced/core/xmltree"
)

// Config sets up a Service. The zero value is the default.
type Config struct {
	StrictCountrySpecific bool // refuse countrySpecific without countryCode (400) instead of assuming the path's country. Default: false.
	MaxItems              int  // line items per invoice before TOO_MANY_LINE_ITEMS. Default: 25,000.
}

// Service does the operations. It is immutable and safe for concurrent use.
type Service struct {
	cfg      Config
	parser   *xmltree.Parser
	ubl      *ubl.Format
	profiles map[string]*profile.Profile // by path token
}

// New prepares a Service: it compiles the mapping tables. Errors are those of a broken configuration.
func New(cfg Config) (*Service, error) {
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("prepare the XML parser: %w", err)
	}
	tables, err := ubl.New()
	if err != nil {
		return nil, fmt.Errorf("compile the UBL table: %w", err)
	}
	xrechnung := profile.XRechnung()
	return &Service{cfg: cfg, parser: parser, ubl: tables, profiles: map[string]*profile.Profile{xrechnung.Token: xrechnung}}, nil
}

// GenerateRequest asks for a document. Country and Format are path segments, matched without regard to case.
type GenerateRequest struct {
	Country   string
	Format    string
	Calculate bool   // fill in absent amounts by the rules of EN 16931 (?calculate=true)
	Body      []byte // JSON: {invoice*, templateId, formatOptions}
}

// GenerateAnswer is the answer of generate; Data is the document's bytes, base64 in JSON.
type GenerateAnswer struct {
	Success              bool                  `json:"success"`
	Format               string                `json:"format"`   // path token in lower case
	Filename             string                `json:"filename"` // A-Z a-z 0-9 . _ -
	MimeType             string                `json:"mimeType"`
	Hash                 string                `json:"hash"` // lower-case hex SHA-256 of Data
	Data                 []byte                `json:"data"`
	AppliedFormatOptions *AppliedFormatOptions `json:"appliedFormatOptions,omitzero"`
	Errors               []finding.Finding     `json:"errors"`
	Warnings             []finding.Finding     `json:"warnings"`
}

// AppliedFormatOptions is the version and profile that were used.
type AppliedFormatOptions struct {
	Version string `json:"version,omitzero"`
	Profile string `json:"profile,omitzero"`
}

// ParseRequest asks for the invoice in a document. Country and Format are empty for automatic detection. Document is XML
// (PDF later) as bytes.
type ParseRequest struct {
	Country  string
	Format   string
	Filename string
	Document []byte
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
	Success   bool              `json:"success"`
	Invoice   *invoice.Invoice  `json:"invoice"`
	Format    string            `json:"format"` // detection id
	Hash      string            `json:"hash"`   // lower-case hex SHA-256 of the input bytes
	Detection *Detection        `json:"detection,omitzero"`
	Errors    []finding.Finding `json:"errors"`
	Warnings  []finding.Finding `json:"warnings"`
	Infos     []Info            `json:"infos"`
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
