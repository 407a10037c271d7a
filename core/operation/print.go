package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// maxPrinted is how many line items an invoice may have that is laid out (supplement §2, line ceilings).
const maxPrinted = 5_000

// print writes an invoice as a PDF to look at, by the template of the request or the standard one. The Refusal is 400 for a request that is no
// invoice, or a template that does not fit it, and 404 for a saved template that there is none of.
func (s *Service) print(ctx context.Context, req GenerateRequest, country format.Country, token format.Token) (*GenerateAnswer, error) {
	body, err := s.printed(ctx, req, country, token)
	if err != nil {
		return nil, err
	}
	options := body.FormatOptions
	template, unknown, err := s.template(options)
	if err != nil {
		return nil, err
	}
	in, err := s.layout.Fill(body.Invoice, country.Code, strings.ToLower(options.Language))
	if err != nil {
		return nil, fmt.Errorf("prepare the layout: %w", err)
	}
	in.Library, in.Fetcher = s.library, s.cfg.Images
	out, err := template.Render(ctx, in)
	if err != nil {
		return nil, templateRefused(err)
	}
	hash := sha256.Sum256(out.PDF)
	return &GenerateAnswer{Success: true, Format: token.ID, Filename: filename(body.Invoice.InvoiceNumber, token), MimeType: token.MimeType,
		Hash: hex.EncodeToString(hash[:]), Data: out.PDF, Errors: []finding.Finding{}, Warnings: append(body.warnings, notShown(out.Missing)...),
		Infos: append(body.infos, unknown...), Summary: summaryOf(body.Invoice)}, nil
}

// printed reads what is asked for; its options are never nil.
func (s *Service) printed(ctx context.Context, req GenerateRequest, country format.Country, token format.Token) (*decoded, error) {
	body, err := s.decode(ctx, req, country)
	if err != nil {
		return nil, err
	}
	if body.FormatOptions == nil {
		body.FormatOptions = &invoice.FormatOptions{}
	}
	return body, s.printable(body, body.FormatOptions, token)
}

// printable refuses what cannot be laid out, whatever the template.
func (s *Service) printable(body *decoded, options *invoice.FormatOptions, token format.Token) error {
	if err := refuseOptions(options, token, body.TemplateID); err != nil {
		return err
	}
	if id := body.TemplateID; id != "" {
		return &finding.Refusal{Kind: finding.NotFound, Word: "Not Found", Field: "templateId", Message: fmt.Sprintf("Template with ID %s not found", clip(id))}
	}
	if n := len(body.Invoice.Items); n > maxPrinted {
		r := badRequest("items", "items has %d entries; a PDF can have %d", n, maxPrinted)
		r.Errors = []finding.Finding{{Code: finding.TooManyLineItems, Field: r.Field, Message: r.Message, Maximum: maxPrinted}}
		return r
	}
	if speaks, all := s.layout.Speaks(options.Language); options.Language != "" && !speaks {
		return badRequest("formatOptions.language", "formatOptions.language %q is none of %s", clip(options.Language), strings.Join(all, ", "))
	}
	return nil
}

// template is that of the request, or the standard one, with what is known of its members that mean nothing.
func (s *Service) template(options *invoice.FormatOptions) (*block.Template, []Info, error) {
	if len(options.Template) == 0 {
		t, err := s.layout.Template()
		return t, nil, err
	}
	t, err := block.Parse(options.Template)
	if err != nil {
		return nil, nil, templateRefused(err)
	}
	var infos []Info
	for _, path := range t.Unknown() {
		infos = append(infos, Info{Code: finding.UnknownMember, Message: templatePath(path) + " is no member of a template and is ignored"})
	}
	return t, infos, nil
}

func templatePath(path string) string {
	if path == "" {
		return "formatOptions.template"
	}
	return "formatOptions.template." + path
}

// templateRefused makes the 400 of a template that is wrong, or that does not fit the invoice. Any other error stays as it is.
func templateRefused(err error) error {
	faults, ok := errors.AsType[block.Faults](err)
	if !ok {
		return err
	}
	errs := make([]finding.Finding, len(faults))
	for i, f := range faults {
		path := templatePath(f.Path)
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
