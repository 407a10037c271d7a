package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/templates"
)

// withPages are the formats whose documents have pages of ours.
var withPages = []string{"pdf", "zugferd", "facturx"}

// addStyle gives an order of pages what the account has for them: the saved template that the request names, as it is now, and the language.
// A job has them from here on, whatever becomes of them. A template that there is none of is left to the operation, which tells other faults of
// the request first.
func (s *Server) addStyle(c *call, o *job.Order) (err error) {
	switch p := o.Parameters.(type) {
	case *kinds.GenerateParameters:
		if slices.Contains(withPages, o.Format) {
			p.Style, err = s.styleOf(c, templateNamed(o.Body))
		}
	case *kinds.ConvertParameters:
		if slices.Contains(withPages, strings.ToLower(p.Options.TargetFormat)) {
			p.Style, err = s.styleOf(c, p.Options.TemplateID)
		}
	case *kinds.RenderParameters:
		p.Style, err = s.styleOf(c, "")
	case *kinds.FillParameters:
		p.Style, err = s.styleOf(c, templateNamed(o.Body))
	}
	return err
}

// styleIn is what an order has for its pages; nil where its document has none.
func styleIn(o *job.Order) *operation.Style {
	switch p := o.Parameters.(type) {
	case *kinds.GenerateParameters:
		return &p.Style
	case *kinds.ConvertParameters:
		return &p.Style
	case *kinds.RenderParameters:
		return &p.Style
	case *kinds.FillParameters:
		return &p.Style
	}
	return nil
}

// styleOf is what the account of the key has for pages. No id asks for no template.
func (s *Server) styleOf(c *call, templateID string) (operation.Style, error) {
	style := operation.Style{}
	a, err := s.Accounts.Get(c.r.Context(), c.key.AccountID)
	if err != nil {
		return style, err
	}
	style.Language = defaultLanguage(a.Defaults)
	if templateID == "" {
		return style, nil
	}
	saved, err := s.Templates.Get(c.r.Context(), ownerOf(c), safeTemplate(templateID), 0)
	if errors.Is(err, templates.ErrNotFound) {
		return style, nil
	}
	style.Template = &operation.SavedTemplate{ID: saved.ID, Version: saved.Version, Text: saved.Text}
	return style, err
}

// defaultLanguage is the member language of an account's defaults; empty for none.
func defaultLanguage(defaults []byte) string {
	var set struct {
		Language string `json:"language"`
	}
	if len(defaults) == 0 || json.Unmarshal(defaults, &set) != nil {
		return ""
	}
	return set.Language
}

// templateNamed is the member templateId of a body; empty where it has none, or is no JSON.
func templateNamed(body []byte) string {
	if !bytes.Contains(body, []byte(`"templateId"`)) && !bytes.Contains(body, []byte(`\u`)) { // which may write a letter of it
		return ""
	}
	named := ""
	_ = eachMember(body, func(name string, dec *jsontext.Decoder) error {
		if name != "templateId" || dec.PeekKind() != '"' {
			return dec.SkipValue()
		}
		token, err := dec.ReadToken()
		if err == nil {
			named = token.String()
		}
		return err
	})
	return named
}

// eachMember reads the members of an object; fn reads the value of one.
func eachMember(body []byte, fn func(name string, dec *jsontext.Decoder) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(withoutMark(body)))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return notJSON(err, "The request body must be a JSON object")
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err == nil {
			err = fn(name.String(), dec)
		}
		if err != nil {
			return notJSON(err, "")
		}
	}
	return nil
}

// readPreview takes the body of a preview: an invoice with its country, or other data. An example stands for none of both.
func (s *Server) readPreview(c *call, in *intake, o *job.Order) error {
	version, err := versionOf(c.r.URL.Query())
	if err != nil {
		return err
	}
	saved, err := s.Templates.Get(c.r.Context(), ownerOf(c), c.id(), version)
	if err != nil {
		return refusalOfTemplate(c, err)
	}
	p := o.Parameters.(*kinds.PreviewParameters)
	if p.Style, err = s.styleOf(c, ""); err != nil {
		return err
	}
	p.Style.Template = &operation.SavedTemplate{ID: saved.ID, Version: saved.Version, Text: saved.Text}
	if err := s.readInvoice(c, in, o); err != nil {
		return err
	}
	return s.placePreview(o)
}

// placePreview finds the country of the invoice in a preview.
func (s *Server) placePreview(o *job.Order) error {
	country, hasData, hasInvoice := "DE", false, false
	if len(bytes.TrimSpace(withoutMark(o.Body))) == 0 {
		o.Body = []byte("{}")
	}
	err := eachMember(o.Body, func(name string, dec *jsontext.Decoder) error {
		hasData, hasInvoice = hasData || name == "data", hasInvoice || name == "invoice"
		if name != "countryCode" || dec.PeekKind() != '"' {
			return dec.SkipValue()
		}
		token, err := dec.ReadToken()
		if err == nil {
			country = cmp.Or(token.String(), country)
		}
		return err
	})
	if err != nil || hasData && !hasInvoice {
		return err
	}
	found, err := s.Operations.Lookup(clip(country))
	if err != nil {
		return err
	}
	o.Country, o.Format = strings.ToLower(found.Code), "pdf"
	if !hasInvoice {
		o.Body, err = exampleIn(o.Body)
	}
	return err
}

// exampleIn puts the invoice of the example request into the body of a preview.
func exampleIn(body []byte) ([]byte, error) {
	file, err := docs.Files().Open("example.json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var example struct {
		Invoice jsontext.Value `json:"invoice"`
	}
	text, err := io.ReadAll(file)
	if err == nil {
		err = json.Unmarshal(text, &example)
	}
	members := map[string]jsontext.Value{}
	if err == nil {
		err = json.Unmarshal(withoutMark(body), &members)
	}
	if err != nil {
		return nil, err
	}
	members["invoice"] = example.Invoice
	return json.Marshal(members, json.Deterministic(true))
}
