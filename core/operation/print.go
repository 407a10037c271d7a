package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/standard"
)

// maxPrinted is how many line items an invoice may have that is laid out (supplement §2, line ceilings).
const maxPrinted = 5_000

// print writes an invoice as a PDF to look at, by the template of the request or the one of the country. The Refusal is 400 for a request that is no
// invoice, or a template that does not fit it, and 404 for a saved template that there is none of.
func (s *Service) print(ctx context.Context, req GenerateRequest, country format.Country, token format.Token) (*GenerateAnswer, error) {
	body, err := s.printed(ctx, req, country, token)
	if err != nil {
		return nil, err
	}
	if body.look.official, err = s.ksefCode(ctx, country, body); err != nil {
		return nil, err
	}
	if err := s.register(ctx, req, country, body); err != nil {
		return nil, err
	}
	s.refer(country, body)
	out, err := s.layOut(ctx, country, body.Invoice, body.look, nil)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(out.PDF)
	return &GenerateAnswer{Success: true, Format: token.ID, Filename: filename(body.Invoice.InvoiceNumber, token), MimeType: token.MimeType,
		Hash: hex.EncodeToString(hash[:]), Data: out.PDF, Errors: []finding.Finding{}, Warnings: append(body.warnings, out.warnings()...),
		Infos: body.infos, Record: body.record, Summary: summaryOf(body.Invoice)}, nil
}

// printed reads what is asked for.
func (s *Service) printed(ctx context.Context, req GenerateRequest, country format.Country, token format.Token) (*decoded, error) {
	body, err := s.decode(ctx, req, country)
	if err != nil {
		return nil, err
	}
	if err := refuseOptions(optionsOf(body.FormatOptions), token, body.TemplateID); err != nil {
		return nil, err
	}
	return body, s.prepare(body)
}

// optionsOf gives format options that may be absent.
func optionsOf(asked *invoice.FormatOptions) *invoice.FormatOptions {
	if asked == nil {
		return &invoice.FormatOptions{}
	}
	return asked
}

// prepare refuses what cannot be laid out, and finds how it is to look.
func (s *Service) prepare(body *decoded) (err error) {
	if err := printable(body.Invoice, "items"); err != nil {
		return err
	}
	body.look, err = s.lookOf(body.FormatOptions, body.TemplateID, body.style)
	body.infos = append(body.infos, body.look.infos...)
	return err
}

// noTemplate is the 404 of a saved template (supplement §1, rule 6).
func noTemplate(id string) error {
	return &finding.Refusal{Kind: finding.NotFound, Word: "Not Found", Field: "templateId", Message: fmt.Sprintf("Template with ID %s not found", clip(id))}
}

// speaks refuses a language that there are no words for; the field is where it was asked for.
func (s *Service) speaks(field, language string) error {
	if speaks, all := s.layout.Speaks(language); language != "" && !speaks {
		return badRequest(field, "%s %q is none of %s", field, clip(language), strings.Join(all, ", "))
	}
	return nil
}

// printable refuses an invoice that is too long for pages (contract, limits). The field is what the refusal is about.
func printable(inv *invoice.Invoice, field string) error {
	n := len(inv.Items)
	if n <= maxPrinted {
		return nil
	}
	r := badRequest(field, "%s: the invoice has %d line items; a PDF can have %d", field, n, maxPrinted)
	r.Errors = []finding.Finding{{Code: finding.TooManyLineItems, Field: r.Field, Message: r.Message, Maximum: maxPrinted}}
	r.Extra = []finding.Extra{{Name: "maximum", Value: maxPrinted}}
	return r
}

// look is how pages are to look.
type look struct {
	template *block.Template // nil for that of the country, which is ours
	builtIn  bool
	field    string // of the request, where the template is from; faults of it are told below that
	language string // ISO 639-1; empty for the first of the country
	infos    []Info // on members of the template that mean nothing

	official  standard.Code // of a tax office, for documents whose XML it is made from
	verifactu string        // address in the QR code of a registered Spanish invoice; empty for none
}

// lookOf finds the template and the language of pages (contract, template priority): the saved template, then that of the format options, which
// may be nil, then ours; the language of the options, then that of the account.
func (s *Service) lookOf(asked *invoice.FormatOptions, templateID string, style Style) (as look, err error) {
	options := optionsOf(asked)
	if err := s.speaks("formatOptions.language", options.Language); err != nil {
		return as, err
	}
	as.language = strings.ToLower(cmp.Or(options.Language, s.spoken(style.Language)))
	text := options.Template
	as.field = optionTemplate
	if templateID != "" {
		as.field = savedTemplate
		if text, err = style.saved(templateID); err != nil {
			return as, err
		}
	}
	if len(text) == 0 {
		as.builtIn = true
		return as, nil
	}
	if as.template, err = block.Parse(text); err != nil {
		return as, templateRefused(err, as.field)
	}
	as.infos = ignored(as.template, as.field)
	return as, nil
}

// ignored is the information on members of a template that mean nothing.
func ignored(template *block.Template, field string) (infos []Info) {
	for _, path := range template.Unknown() {
		infos = append(infos, Info{Code: finding.UnknownMember, Message: templatePath(field, path) + " is no member of a template and is ignored"})
	}
	return infos
}

// layOut makes the pages of an invoice, with its attachments as embedded files. The file is the invoice as XML; nil for pages alone.
func (s *Service) layOut(ctx context.Context, country format.Country, inv *invoice.Invoice, as look, file *hybrid.Attachment) (*laidOut, error) {
	in, err := s.layout.Fill(inv, country.Code, as.language)
	if errors.Is(err, block.ErrDepth) {
		return nil, refusedEntry(finding.SubItemsTooDeep, "items", "items: the sub-items of the invoice nest too deep for a PDF: "+err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the layout: %w", err)
	}
	if as.template == nil {
		if as.template, err = s.layout.Template(country.Code); err != nil {
			return nil, err
		}
	}
	if as.official.Content != "" {
		in.Data.Set("official", standard.Official(as.official))
	}
	if as.verifactu != "" {
		in.Data.Set("verifactu", standard.VeriFactu(as.verifactu))
	}
	in.Library, in.Fetcher = s.library, s.cfg.Images
	var told []finding.Finding
	if in.Slip, told, err = s.paymentPart(ctx, country, inv, in.Language); err != nil {
		return nil, err
	}
	if in.Slip != nil {
		in.Data.Set("epc", block.Value{Kind: block.Text}) // a page has one code to pay with
	}
	if file != nil {
		in.FacturX = &file.Metadata
		in.Attachments = append(in.Attachments, pdf.Attachment{Name: file.Name, MIMEType: "text/xml", Description: file.Description,
			Relationship: file.Relationship, Data: file.XML})
	}
	supplements, err := supplementsOf(inv.Attachments)
	if err != nil {
		return nil, err
	}
	in.Attachments = append(in.Attachments, supplements...)
	out, err := as.template.Render(ctx, in)
	if err != nil {
		return nil, templateRefused(err, as.field)
	}
	return &laidOut{out, told}, nil
}

// laidOut is a PDF, and what there is to say of what stands on its pages.
type laidOut struct {
	*block.Output
	told []finding.Finding
}

func (l *laidOut) warnings() []finding.Finding { return append(notShown(l.Missing), l.told...) }

// supplementsOf are attachments, such as those of an invoice (BG-24), as files in the PDF.
func supplementsOf(attachments []invoice.Attachment) ([]pdf.Attachment, error) {
	var list []pdf.Attachment
	for i, a := range attachments {
		field := fmt.Sprintf("attachments[%d].content", i)
		data, err := base64.StdEncoding.AppendDecode(nil, invoice.PlainBase64([]byte(a.Content)))
		if err != nil {
			return nil, badRequest(field, "%s: must be base64 (RFC 4648)", field)
		}
		list = append(list, pdf.Attachment{Name: a.Filename, MIMEType: a.MimeType, Description: a.Description, Relationship: "Supplement", Data: data})
	}
	return list, nil
}

// addPages puts a document that was written and judged into the PDF of its invoice, and the PDF into the answer.
func (s *Service) addPages(ctx context.Context, country format.Country, body *decoded, made *written, answer *GenerateAnswer) error {
	file := attachmentOf(made)
	out, err := s.layOut(ctx, country, body.Invoice, body.look, &file)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(out.PDF)
	answer.Data, answer.EmbeddedXML, answer.Hash = out.PDF, string(made.data), hex.EncodeToString(hash[:])
	answer.Warnings = append(answer.Warnings, out.warnings()...)
	return nil
}

// Where requests have their templates: those for invoices, and all that name a saved one.
const (
	optionTemplate = "formatOptions.template"
	savedTemplate  = "template"
)

// templatePath is the place of a member of the template that stands in the field of a request.
func templatePath(field, path string) string {
	if path == "" {
		return field
	}
	return field + "." + path
}

// templateRefused makes the 400 of a template that is wrong, or that does not fit the invoice. Any other error stays as it is.
func templateRefused(err error, field string) error {
	faults, ok := errors.AsType[block.Faults](err)
	if !ok {
		return err
	}
	errs := make([]finding.Finding, len(faults))
	for i, f := range faults {
		path := templatePath(field, f.Path)
		errs[i] = finding.Finding{Code: finding.InvalidTemplate, Field: path, Message: path + " " + f.Message}
	}
	return &finding.Refusal{Kind: finding.BadRequest, Word: "Bad Request", Field: errs[0].Field, Message: errs[0].Message, Errors: errs, Cause: err}
}

// notShown warns of the characters that no typeface has.
func notShown(missing []rune) []finding.Finding {
	if len(missing) == 0 {
		return nil
	}
	const listed = 20
	var names []string
	for _, r := range missing[:min(len(missing), listed)] {
		names = append(names, fmt.Sprintf("%c (U+%04X)", r, r))
	}
	message := "no typeface has " + strings.Join(names, ", ")
	if more := len(missing) - listed; more > 0 {
		message += fmt.Sprintf(" and %d further characters", more)
	}
	return []finding.Finding{{Code: finding.CharacterNotShown, Message: message + "; a replacement is shown, and the text can still be copied"}}
}
