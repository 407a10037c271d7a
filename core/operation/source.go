package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/hybrid"
)

// extractedFromPDF is the code of the note that the invoice was inside a PDF (supplement §2, infos of parse).
const extractedFromPDF = "EXTRACTED_FROM_PDF"

// source is the XML of a document: the document itself, or what a PDF or a signed envelope carries.
type source struct {
	name    string // for messages
	xml     []byte
	signed  bool             // it was in a signed envelope
	text    *format.Syntax   // of the lines of text that the XML was made of; nil where the document is XML
	packed  *envelope.Packed // nil where it was in no archive
	wrapped bool             // it was in an envelope of the Peppol network
	pdf     *hybrid.Document // nil where the document is XML
	invoice *hybrid.Invoice

	answered bool     // it was in an answer of the Greek tax authority
	beside   []string // elements that the answer has besides
}

// Embedded is the XML that a PDF carries.
type Embedded struct {
	Name string // of the embedded file
	XML  []byte
}

// Extract takes the invoice out of a PDF, byte for byte. The Refusal is PARSE_FAILED (422).
func Extract(ctx context.Context, document []byte) (*Embedded, error) {
	if detect.Sniff(document) != detect.LooksPDF {
		return nil, unprocessable("data is no PDF", nil)
	}
	s, err := carriedBy(ctx, document, unprocessable)
	if err != nil {
		return nil, err
	}
	return &Embedded{Name: s.invoice.Name, XML: s.xml}, nil
}

// sourceOf finds the XML of a document that is to be parsed.
func (s *Service) sourceOf(ctx context.Context, document []byte, automatic bool) (*source, error) {
	switch looks := detect.Sniff(document); {
	case looks == detect.LooksXML:
		return &source{name: "data", xml: document}, nil
	case looks == detect.LooksPDF:
		return carriedBy(ctx, document, unprocessable)
	}
	switch found, err := s.otherwise(document, unprocessable); {
	case found != nil || err != nil:
		return found, err
	case automatic:
		return nil, refused(finding.FormatNotDetected, "data: neither XML nor PDF, so the format cannot be told")
	}
	return nil, unprocessable("data is neither XML nor PDF", nil)
}

// judgedSource finds the XML of a document that is to be validated.
func (s *Service) judgedSource(ctx context.Context, document []byte) (*source, error) {
	switch detect.Sniff(document) {
	case detect.LooksXML:
		return &source{name: "data", xml: document}, nil
	case detect.LooksPDF:
		return carriedBy(ctx, document, noInvoice)
	}
	if found, err := s.otherwise(document, noInvoice); found != nil || err != nil {
		return found, err
	}
	return nil, noInvoice("data is neither XML nor PDF, so it is no invoice", nil)
}

// otherwise finds the XML of what is neither XML nor PDF: lines of text, a signed envelope or an archive; nil where it is neither. Kind is as for
// carriedBy.
func (s *Service) otherwise(document []byte, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	syntax := detect.Text(s.formats, document)
	if syntax == nil {
		return enveloped(document, kind)
	}
	lifted, err := syntax.Text.Lift(document)
	if err != nil {
		return nil, kind("data cannot be read: "+err.Error(), err)
	}
	return &source{name: "data", xml: lifted, text: syntax}, nil
}

// enveloped takes the XML out of a signed envelope or an archive; nil where the document is none. Kind is as for carriedBy.
func enveloped(document []byte, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	if envelope.IsArchive(document) {
		return unpacked(document, kind)
	}
	content, err := envelope.Open(document)
	switch {
	case errors.Is(err, envelope.ErrNone):
		return nil, nil
	case err != nil:
		return nil, kind("data: "+err.Error(), err)
	case detect.Sniff(content) != detect.LooksXML:
		return nil, kind("data: the signed envelope holds no XML", nil)
	}
	return &source{name: "data: the document in the signed envelope", xml: content, signed: true}, nil
}

// unpacked takes the XML out of an archive (ISDOCX).
func unpacked(document []byte, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	packed, err := envelope.Unpack(document)
	if err != nil {
		return nil, kind("data: "+err.Error(), err)
	}
	if detect.Sniff(packed.XML) != detect.LooksXML {
		return nil, kind("data: "+packed.Name+" in the archive is no XML", nil)
	}
	return &source{name: "data: " + packed.Name + " in the archive", xml: packed.XML, packed: packed}, nil
}

// carriedBy takes the invoice out of a PDF; kind makes the refusal of a message and its private cause.
func carriedBy(ctx context.Context, document []byte, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	pdf, err := hybrid.Open(ctx, document)
	if err == nil {
		var invoice *hybrid.Invoice
		if invoice, err = pdf.Invoice(); err == nil {
			return &source{name: "data: " + invoice.Name + " in the PDF", xml: invoice.XML, pdf: pdf, invoice: invoice}, nil
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("take the invoice out of the PDF: %w", ctx.Err())
	}
	return nil, kind("data: the PDF cannot be taken as an invoice: "+err.Error(), err)
}

// pdfToken is the path token of PDF files.
const pdfToken = "pdf"

// detect tells what the XML is, by where it was too.
func (s *source) detect(formats *format.Catalogue, doc *xmltree.Document) detect.Result {
	switch {
	case s.pdf != nil:
		return detect.Carried(formats, doc, pdfToken)
	case s.text != nil:
		return detect.Lifted(formats, doc, s.text)
	}
	return detect.Document(formats, doc)
}

// infos tell where the XML was.
func (s *source) infos() []Info {
	infos := []Info{}
	if s.wrapped {
		infos = append(infos, Info{finding.Unwrapped, "the document was taken out of an envelope of the Peppol network (SBDH), whose header was not judged"})
	}
	if s.answered {
		infos = append(infos, Info{finding.Unwrapped, withNames("the invoices were taken out of the authority's answer (RequestedDoc)", "not looked at", s.beside)})
	}
	if s.signed {
		infos = append(infos, unwrapped("the document was taken out of a signed envelope (CMS, as files named .p7m have it)"))
	}
	if s.packed != nil {
		infos = append(infos, Info{finding.Unwrapped, withNames(s.packed.Name+" was taken out of the archive (ISDOCX)", "beside it", s.packed.Others)})
	}
	if s.invoice == nil {
		return infos
	}
	return append(infos, Info{extractedFromPDF, withNames(s.invoice.Name+" was taken out of the PDF", "not looked at", s.invoice.Other)})
}

// withNames is a message with the names of what else there is, if any.
func withNames(message, what string, names []string) string {
	if len(names) == 0 {
		return message
	}
	return message + "; " + what + ": " + strings.Join(names, ", ")
}

// unwrapped tells of a signature that was taken off.
func unwrapped(what string) Info {
	return Info{finding.Unwrapped, what + "; the signature was not verified"}
}

// carrier tells how the PDF stands; nil where the document is XML. What a context that has ended has kept it from looking at says nothing of the
// PDF, so that the error is the context's.
func (s *source) carrier(ctx context.Context) (*hybrid.Carrier, error) {
	if s.pdf == nil {
		return nil, nil
	}
	c := s.pdf.Carrier()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("look at the PDF: %w", err)
	}
	return &c, nil
}
