package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
)

// RenderRequest asks for a document to look at. Document is XML, or a PDF with XML inside, as bytes.
type RenderRequest struct {
	Document []byte
	Language string  // ISO 639-1, of who reads it. Default: that of the account, else the first of the document's country
	Style    Style   // as in GenerateRequest
	Infos    []Info  // as in GenerateRequest
	Opened   *Opened // what OpenRendering made of Document. Default: Document is opened
}

// PagesAnswer is the answer of render and of pdf/generate; Data is the bytes of the PDF, base64 in JSON.
type PagesAnswer struct {
	Success   bool              `json:"success"`
	Format    string            `json:"format"` // pdf
	Filename  string            `json:"filename"`
	MimeType  string            `json:"mimeType"`
	Hash      string            `json:"hash"` // lower-case hex SHA-256 of Data
	Data      []byte            `json:"data"`
	Detection *Detection        `json:"detection,omitzero"` // of the document that was rendered
	Infos     []Info            `json:"infos"`
	Errors    []finding.Finding `json:"errors"`
	Warnings  []finding.Finding `json:"warnings"`
}

// OpenRendering reads a document and tells what it is. Render goes on from there where it is given it, and releases it; where there is none to
// come, the caller releases. The country of the detection is that of the seller where the format tells none.
func (s *Service) OpenRendering(ctx context.Context, document []byte) *Opened {
	o := s.open(ctx, document, formatAlone)
	if o.Err == nil {
		o.found.Country = cmp.Or(o.found.Country, s.sellerOf(o))
		o.Detection = detection(o.found)
	}
	return o
}

// Render makes a PDF to look at of any document that can be parsed, by the standard template. The Refusal is FORMAT_NOT_DETECTED (400),
// PARSE_FAILED (422), or 400 for a language that there are no words for and a document with too many lines.
func (s *Service) Render(ctx context.Context, req RenderRequest) (*PagesAnswer, error) {
	o := req.Opened
	if o == nil {
		o = s.OpenRendering(ctx, req.Document)
	}
	defer o.Release()
	if err := s.speaks("language", req.Language); err != nil {
		return nil, err
	}
	reading, err := s.read(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := printable(reading.Invoice, "data"); err != nil {
		return nil, err
	}
	warnings := notMapped(reading.Account)
	restore(o.found, reading)
	as := look{language: strings.ToLower(cmp.Or(req.Language, s.spoken(req.Style.Language)))}
	as.official = ksefCodeOf(o, req.Document, reading.Invoice)
	o.Release()
	out, err := s.layOut(ctx, format.Country{Code: o.found.Country}, reading.Invoice, as, nil)
	if err != nil {
		return nil, err
	}
	answer := s.pages(reading.Invoice.InvoiceNumber, out)
	answer.Warnings, answer.Detection = slices.Concat(warnings, answer.Warnings), detection(o.found)
	answer.Infos = slices.Concat(o.infos, infosOf(o.found), req.Infos)
	return answer, nil
}

// pages is the answer with a PDF that is called after a name.
func (s *Service) pages(name string, out *laidOut) *PagesAnswer {
	token, _ := s.formats.Token(pdfToken)
	hash := sha256.Sum256(out.PDF)
	return &PagesAnswer{Success: true, Format: token.ID, Filename: filename(name, token), MimeType: token.MimeType, Hash: hex.EncodeToString(hash[:]),
		Data: out.PDF, Infos: []Info{}, Errors: []finding.Finding{}, Warnings: append([]finding.Finding{}, out.warnings()...)}
}

// FillRequest asks for a template filled with data.
type FillRequest struct {
	Body  []byte // JSON: {templateId or template*, data*, attachments, language}
	Style Style  // as in GenerateRequest
	Infos []Info // the same
}

// maxFiles is how many attachments a document may bring (supplement §2, pdf/generate).
const maxFiles = 20

// Fill makes the PDF of a template and any data. The Refusal is 400 for a request that is none, or a template that does not fit the data, and 404 for
// a saved template that there is none of.
func (s *Service) Fill(ctx context.Context, req FillRequest) (*PagesAnswer, error) {
	infos := slices.Concat([]Info{}, req.Infos)
	body, errs, err := invoice.DecodePages(req.Body, invoice.Options{Ended: ctx.Err,
		Unknown: func(place, known string) { infos = append(infos, unknownMember(place, known)) }})
	if err == nil {
		err = invoice.Refuse(errs)
	}
	if err == nil {
		err = s.fillable(body)
	}
	if err != nil {
		return nil, err
	}
	if body.TemplateID != "" {
		if body.Template, err = req.Style.saved(body.TemplateID); err != nil {
			return nil, err
		}
	}
	answer, err := s.fill(ctx, body, s.spoken(req.Style.Language))
	if err == nil {
		answer.Infos = append(infos, answer.Infos...)
	}
	return answer, err
}

// fill makes the PDF of a template and data, in the language of the account where the body tells none.
func (s *Service) fill(ctx context.Context, body *invoice.PagesBody, language string) (*PagesAnswer, error) {
	template, err := block.Parse(body.Template)
	if err != nil {
		return nil, templateRefused(err, savedTemplate)
	}
	in := block.Input{Library: s.library, Fetcher: s.cfg.Images, Language: cmp.Or(strings.ToLower(body.Language), language, "en"), Title: template.Name}
	in.Locale, _ = locale.Of(in.Language)
	if in.Data, err = block.ParseValue(body.Data); err != nil {
		return nil, refusedEntry(finding.InvalidValue, "data", "data: "+err.Error())
	}
	if in.Attachments, err = supplementsOf(body.Attachments); err != nil {
		return nil, err
	}
	out, err := template.Render(ctx, in)
	if err != nil {
		return nil, templateRefused(err, savedTemplate)
	}
	answer := s.pages(template.Name, &laidOut{Output: out})
	answer.Infos = append(answer.Infos, ignored(template, savedTemplate)...)
	return answer, nil
}

// fillable refuses what is no request to fill a template.
func (s *Service) fillable(body *invoice.PagesBody) error {
	switch {
	case body.TemplateID != "" && len(body.Template) > 0:
		return refusedEntry(finding.ConflictingFormatOptions, "templateId", "templateId and template are both given: send one of them")
	case body.TemplateID == "" && len(body.Template) == 0:
		return refusedEntry(finding.MissingField, "template", "template is required")
	case len(body.Data) == 0:
		return refusedEntry(finding.MissingField, "data", "data is required")
	case body.Data.Kind() != '{':
		return refusedEntry(finding.InvalidType, "data", "data must be an object")
	case len(body.Attachments) > maxFiles:
		return refusedEntry(finding.OutOfRange, "attachments", fmt.Sprintf("attachments has %d entries; there can be %d", len(body.Attachments), maxFiles))
	}
	return s.speaks("language", body.Language)
}
