package operation

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// Style is what an account has for the pages of its documents. It is part of an order from the moment at which that is taken: what happens to
// the template afterwards does not change what a job makes.
type Style struct {
	Template *SavedTemplate `json:"template,omitzero"` // that templateId names; nil where the account has none of that id
	Language string         `json:"language,omitzero"` // ISO 639-1, of documents that ask for none; empty for that of the country
}

// SavedTemplate is a version of a saved template.
type SavedTemplate struct {
	ID      string         `json:"id"`
	Version int            `json:"version"`
	Text    jsontext.Value `json:"text"` // BlockTemplate
}

// saved gives the text of the template with the id. The Refusal is its 404.
func (y Style) saved(id string) (jsontext.Value, error) {
	if y.Template == nil || !strings.EqualFold(y.Template.ID, id) {
		return nil, noTemplate(id)
	}
	return y.Template.Text, nil
}

// spoken is a language that there are words for; empty for others, which documents cannot be made in.
func (s *Service) spoken(language string) string {
	if speaks, _ := s.layout.Speaks(language); !speaks {
		return ""
	}
	return strings.ToLower(language)
}

// CheckTemplate reads a template that is to be saved, and gives the information on its members that mean nothing. The Refusal is 400, with the
// places of what is wrong below the field template.
func (s *Service) CheckTemplate(text []byte) ([]Info, error) {
	template, err := block.Parse(text)
	if err != nil {
		return nil, templateRefused(err, savedTemplate)
	}
	return ignored(template, savedTemplate), nil
}

// Languages lists the languages (ISO 639-1) that documents can be in, sorted.
func (s *Service) Languages() []string {
	_, all := s.layout.Speaks("")
	return all
}

// PreviewRequest asks for a saved template, filled. Country is a path segment.
type PreviewRequest struct {
	Country string
	Body    []byte // JSON: {invoice* or data*, countryCode, language}
	Style   Style  // as in GenerateRequest; the template is required
	Infos   []Info // the same
}

// Preview makes the PDF of a saved template with an invoice, or any data, as generate and pdf/generate would. The Refusal is theirs.
func (s *Service) Preview(ctx context.Context, req PreviewRequest) (*PagesAnswer, error) {
	infos := slices.Concat([]Info{}, req.Infos)
	body, errs, err := invoice.DecodePreview(req.Body, invoice.Options{Limits: s.Limits(), Ended: ctx.Err,
		Unknown: func(place, known string) { infos = append(infos, unknownMember(place, known)) }})
	if err != nil {
		return nil, err
	}
	switch {
	case req.Style.Template == nil:
		return nil, noTemplate("")
	case body.Invoice == nil && len(errs) > 0:
		return nil, invoice.Refuse(errs)
	case body.Invoice != nil && len(body.Data) > 0:
		return nil, refusedEntry(finding.ConflictingFormatOptions, "data", "data and invoice are both given: send one of them")
	}
	answer, err := s.preview(ctx, req, body, errs)
	if err == nil {
		answer.Infos = append(infos, answer.Infos...)
	}
	return answer, err
}

func (s *Service) preview(ctx context.Context, req PreviewRequest, body *invoice.PreviewBody, errs []finding.Finding) (*PagesAnswer, error) {
	if body.Invoice == nil {
		filled := &invoice.PagesBody{Template: req.Style.Template.Text, Data: body.Data, Language: body.Language}
		if err := s.fillable(filled); err != nil {
			return nil, err
		}
		return s.fill(ctx, filled, s.spoken(req.Style.Language))
	}
	country, err := s.Lookup(req.Country)
	if err != nil {
		return nil, err
	}
	asked := &invoice.GenerateBody{Invoice: body.Invoice, TemplateID: req.Style.Template.ID, FormatOptions: &invoice.FormatOptions{}}
	warnings, err := s.checkInput(asked, errs, country, false)
	if err != nil {
		return nil, err
	}
	if err := s.speaks("language", body.Language); err != nil {
		return nil, err
	}
	asked.FormatOptions.Language = body.Language
	made := &decoded{GenerateBody: asked, style: req.Style}
	if err := s.prepare(made); err != nil {
		return nil, err
	}
	out, err := s.layOut(ctx, country, body.Invoice, made.look, nil)
	if err != nil {
		return nil, err
	}
	answer := s.pages(body.Invoice.InvoiceNumber, out)
	answer.Warnings, answer.Infos = append(warnings, answer.Warnings...), append(answer.Infos, made.infos...)
	return answer, nil
}
