package invoice

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// GenerateBody is the request body of generate, and of validate with an invoice.
type GenerateBody struct {
	Invoice        *Invoice       `json:"invoice,omitzero" check:"required"`
	TemplateID     string         `json:"templateId,omitzero"` // of a saved PDF template
	FormatOptions  *FormatOptions `json:"formatOptions,omitzero"`
	EnforcePending *bool          `json:"enforcePending,omitzero"` // findings of rules in their warning phase are errors
	AsOf           Date           `json:"asOf,omitzero"`           // validate: the day whose rulebooks judge
}

// FormatOptions choose the flavour of a format. Which words a format knows is the format's to say.
type FormatOptions struct {
	Template       jsontext.Value `json:"template,omitzero"`       // inline BlockTemplate, as sent
	Profile        string         `json:"profile,omitzero"`        // e.g. EN16931, BASIC, EXTENDED
	ZugferdProfile string         `json:"zugferdProfile,omitzero"` // legacy twin of profile
	Version        string         `json:"version,omitzero"`        // e.g. 2.4, 1.08, 3.0.2
	Syntax         string         `json:"syntax,omitzero"`         // ubl or cii, for xrechnung
	Language       string         `json:"language,omitzero"`       // ISO 639-1, of a PDF
	Output         string         `json:"output,omitzero"`         // xml, for the invoice of zugferd and facturx without its PDF
}

// ConvertBody is the request body of convert without the document (supplement §2, convert). Countries are codes and formats path tokens, in
// any case of letters.
type ConvertBody struct {
	SourceCountry string         `json:"sourceCountry,omitzero"` // default: as detected
	SourceFormat  string         `json:"sourceFormat,omitzero"`  // default: as detected
	TargetCountry string         `json:"targetCountry,omitzero"` // default: the only one that has the format, else the seller's
	TargetFormat  string         `json:"targetFormat,omitzero"`
	TemplateID    string         `json:"templateId,omitzero"`    // of a saved template, for a target with pages
	FormatOptions *FormatOptions `json:"formatOptions,omitzero"` // of the target
	Validate      *bool          `json:"validate,omitzero"`      // judge the result. Default: true
	Index         *int           `json:"index,omitzero"`         // of the invoice in a document with several, from 0
	AttachSource  *bool          `json:"attachSource,omitzero"`  // carry the source along as an attachment (BT-125). Default: false
}

// PagesBody is the request body of pdf/generate (supplement §2): a template, saved or sent along, and what it is filled with.
type PagesBody struct {
	TemplateID  string         `json:"templateId,omitzero"`
	Template    jsontext.Value `json:"template,omitzero"`    // BlockTemplate, as sent
	Data        jsontext.Value `json:"data,omitzero"`        // object for the placeholders, as sent
	Attachments []Attachment   `json:"attachments,omitzero"` // files in the PDF
	Language    string         `json:"language,omitzero"`    // ISO 639-1. Default: en
}

// PreviewBody is the request body of the preview of a template: what it is filled with, an invoice or any data.
type PreviewBody struct {
	CountryCode string         `json:"countryCode,omitzero"` // whose invoice it is. Default: DE
	Invoice     *Invoice       `json:"invoice,omitzero"`
	Data        jsontext.Value `json:"data,omitzero"`     // object for the placeholders, as sent
	Language    string         `json:"language,omitzero"` // ISO 639-1
}

var (
	previewDecoder  = sync.OnceValue(NewDecoder[PreviewBody])
	pagesDecoder    = sync.OnceValue(NewDecoder[PagesBody])
	convertDecoder  = sync.OnceValue(NewDecoder[ConvertBody])
	generateDecoder = sync.OnceValue(NewDecoder[GenerateBody])
	invoiceDecoder  = sync.OnceValue(NewDecoder[Invoice])
)

// Decode reads the request body of generate; see Decoder.Decode. A body that is the invoice itself is told so.
func Decode(body []byte, o Options) (*GenerateBody, []finding.Finding, error) {
	decoded, errs, err := generateDecoder().Decode(body, o)
	for i := range errs {
		if e := &errs[i]; e.Code == finding.MissingField && e.Field == "invoice" && Bare(body) {
			e.Message = "invoice is required: " + BareNote
		}
	}
	return decoded, errs, err
}

// BareNote tells whoever sent an invoice without an object around it how it is sent.
const BareNote = "the request body is an invoice itself; send it as the member invoice of an object, {\"invoice\": …}"

// Bare tells whether a request body without the member invoice has members that every invoice has.
func Bare(body []byte) bool {
	return bytes.Contains(body, []byte(`"invoiceNumber"`)) && bytes.Contains(body, []byte(`"items"`))
}

// DecodeInvoice reads a text that is an invoice object itself; see Decoder.Decode.
func DecodeInvoice(body []byte, o Options) (*Invoice, []finding.Finding, error) {
	return invoiceDecoder().Decode(body, o)
}

// DecodeConvert reads the request body of convert without the document; see Decoder.Decode.
func DecodeConvert(body []byte, o Options) (*ConvertBody, []finding.Finding, error) {
	return convertDecoder().Decode(body, o)
}

// DecodePreview reads a request body of the preview of a template, as DecodeConvert reads one of convert.
func DecodePreview(body []byte, o Options) (*PreviewBody, []finding.Finding, error) {
	return previewDecoder().Decode(body, o)
}

// DecodePages reads a request body of pdf/generate, as DecodeConvert reads one of convert.
func DecodePages(body []byte, o Options) (*PagesBody, []finding.Finding, error) {
	return pagesDecoder().Decode(body, o)
}
