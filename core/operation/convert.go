package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// ConvertRequest asks for a document in another format. Document is XML, or a PDF with XML inside, as bytes; what it is, is detected
// as far as Options do not tell it.
type ConvertRequest struct {
	Document []byte
	Filename string // of the document, for an attachment of it
	Options  invoice.ConvertBody
	MaxItems int    // as in ValidateRequest
	Style    Style  // as in GenerateRequest
	Infos    []Info // the same

	Opened *Conversion // what OpenConversion made of the request. Default: the document is opened
}

// ConvertAnswer is the answer of convert: that of generate on the target, and what was lost on the way.
type ConvertAnswer struct {
	Success              bool                 `json:"success"`
	SourceFormat         string               `json:"sourceFormat"` // path token in lower case
	TargetFormat         string               `json:"targetFormat"` // the same
	Format               string               `json:"format"`       // that of the document, which is the target's
	Filename             string               `json:"filename"`
	MimeType             string               `json:"mimeType"`
	Hash                 string               `json:"hash"` // lower-case hex SHA-256 of Data
	Data                 []byte               `json:"data"`
	EmbeddedXML          string               `json:"embeddedXml,omitzero"` // the invoice in a hybrid
	Detection            *Detection           `json:"detection"`            // of the source
	AppliedFormatOptions AppliedFormatOptions `json:"appliedFormatOptions,omitzero"`
	Rulebooks            []Rulebook           `json:"rulebooks,omitempty"` // that judged the document
	Infos                []Info               `json:"infos"`
	Errors               []finding.Finding    `json:"errors"`
	Warnings             []finding.Finding    `json:"warnings"`
	ConversionWarnings   []finding.Finding    `json:"conversionWarnings"` // what of the source is not in the document, with its path in the source
}

// Place is a country with a path token, both in lower case.
type Place struct{ Country, Format string }

// Conversion is a conversion whose source was opened: what it is from and to is known before it is done.
type Conversion struct {
	Source Place // Country, or both, are empty where nothing tells them
	Target Place // both are empty where nothing tells them
	Err    error // what Convert gives; nil where nothing speaks against it yet

	country format.Country // of the target
	token   format.Token   // of the target
	choice  chosen
	look    look    // of the pages, where the target has some
	opened  *Opened // with the country that the request tells

	detected *Detection // of the source
}

// Release gives the memory of the document back. It may be called more than once; nothing else may be done with it afterwards.
func (c *Conversion) Release() {
	if c.opened != nil {
		c.opened.Release()
	}
}

// OpenConversion reads the source of a conversion and finds out what it is from and to. Convert goes on from there where it is given
// it, and releases it; where there is none to come, the caller releases. It is apart because what an account may do, and what
// it has left, depend on both formats and are asked before the work is done.
func (s *Service) OpenConversion(ctx context.Context, req ConvertRequest) *Conversion {
	c := &Conversion{}
	o := &req.Options
	token, country, err := s.targetTold(o)
	if err != nil {
		c.Err = err
		return c
	}
	if country.Code != "" { // so that it is known even where the source is broken
		c.Target = placeOf(country.Code, token.ID)
	}
	if c.Err = s.openSource(ctx, c, req); c.Err != nil {
		return c
	}
	if country.Code == "" {
		if country, c.Err = s.sellersCountry(token, s.sellerOf(c.opened)); c.Err != nil {
			return c
		}
		c.Target = placeOf(country.Code, token.ID)
	}
	c.country, c.token = country, token
	if c.choice, c.Err = s.chooseTarget(country, token, o, nil); c.Err == nil && c.choice.laidOut() {
		c.look, c.Err = s.lookOf(o.FormatOptions, o.TemplateID, req.Style)
	}
	return c
}

func placeOf(country, token string) Place { return Place{strings.ToLower(country), token} }

// targetTold finds the token of the target, and its country where the request tells it or the token has but one.
func (s *Service) targetTold(o *invoice.ConvertBody) (token format.Token, country format.Country, err error) {
	if o.TargetFormat == "" {
		return token, country, refusedEntry(finding.MissingField, "targetFormat", "targetFormat is required")
	}
	token, known := s.formats.Token(o.TargetFormat)
	having := s.countriesOf(token)
	switch {
	case !known:
		return token, country, badRequest("targetFormat", "targetFormat %q is no format; these are written: %s", clip(o.TargetFormat), strings.Join(s.tokens(true), ", "))
	case len(having) == 0:
		return token, country, badRequest("targetFormat", "targetFormat %q: %s is read and judged only; these are written: %s", token.ID, token.Name, strings.Join(s.tokens(true), ", "))
	case o.TargetCountry == "" && len(having) == 1:
		return token, having[0], nil
	case o.TargetCountry == "":
		return token, country, nil
	}
	if country, err = s.countryTold("targetCountry", o.TargetCountry); err == nil && !slices.Contains(country.Tokens, token.ID) {
		err = badRequest("targetFormat", "targetFormat %q is not written in %s; these are: %s", token.ID, country.Name, listed(s.generated(country)))
	}
	return token, country, err
}

// countryTold is a country that a member of the request names.
func (s *Service) countryTold(field, code string) (format.Country, error) {
	country, ok := s.formats.Country(code)
	if ok {
		return country, nil
	}
	err := s.unsupportedCountry(code)
	if r, ok := errors.AsType[*finding.Refusal](err); ok {
		r.Field, r.Errors[0].Field = field, field
	}
	return country, err
}

// countriesOf are the countries that write a token.
func (s *Service) countriesOf(token format.Token) []format.Country {
	return slices.DeleteFunc(s.formats.Countries(), func(c format.Country) bool { return !slices.Contains(c.Tokens, token.ID) })
}

// tokens lists the path tokens that some country writes, or those that some country has.
func (s *Service) tokens(written bool) []string {
	var ids []string
	for _, c := range s.formats.Countries() {
		of := c.All()
		if written {
			of = s.generated(c)
		}
		for _, id := range of {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// sellersCountry is the country of the target where nothing else tells it (supplement §2, convert).
func (s *Service) sellersCountry(token format.Token, seller string) (format.Country, error) {
	having := s.countriesOf(token)
	var codes []string
	for _, country := range having {
		if country.Code == seller {
			return country, nil
		}
		codes = append(codes, country.Code)
	}
	where := "the source tells no country of its seller that is served"
	if seller != "" {
		where = "the seller of the source is in " + seller
	}
	return format.Country{}, refusedEntry(finding.MissingField, "targetCountry",
		fmt.Sprintf("targetCountry is required: %s, and %s is written in %s", where, token.Name, strings.Join(codes, ", ")))
}

// sellerOf is the country of the seller as the document tells it, else that of its format.
func (s *Service) sellerOf(o *Opened) string {
	if country, ok := s.formats.Country(s.formats.Syntax(o.found.Syntax).SellerCountry(o.doc)); ok {
		return country.Code
	}
	return o.found.Country
}

// chooseTarget finds what the format options ask for, and for an invoice the specification that it is written in, where the token has several.
func (s *Service) chooseTarget(country format.Country, token format.Token, o *invoice.ConvertBody, inv *invoice.Invoice) (chosen, error) {
	if token.ID == pdfToken {
		return chosen{token: token, every: true}, refuseOptions(optionsOf(o.FormatOptions), token, o.TemplateID)
	}
	if generated := s.generated(country); !slices.Contains(generated, token.ID) {
		return chosen{}, badRequest("targetFormat", "targetFormat %q of %s is not written; these are: %s", token.ID, country.Name, listed(generated))
	}
	choice, err := s.choose(country, token, &invoice.GenerateBody{Invoice: inv, FormatOptions: o.FormatOptions, TemplateID: o.TemplateID})
	choice.every = true
	return choice, err
}

// openSource opens the document and holds what it is against what the request says.
func (s *Service) openSource(ctx context.Context, c *Conversion, req ConvertRequest) error {
	o, detected := &req.Options, formatAlone
	var told format.Country
	var err error
	if o.SourceCountry != "" {
		if told, err = s.countryTold("sourceCountry", o.SourceCountry); err != nil {
			return err
		}
	}
	if o.SourceFormat != "" {
		detected = nothing
	}
	c.opened = s.open(ctx, req.Document, detected)
	if c.opened.Err != nil {
		return sourceRefused(c.opened)
	}
	found := &c.opened.found
	c.detected = detection(*found)
	found.Country = cmp.Or(told.Code, found.Country)
	c.Source = placeOf(found.Country, found.Token)
	if err := s.sourceFits(c, o.SourceFormat, told); err != nil {
		return err
	}
	return s.chooseInvoice(c.opened, o.Index)
}

// sourceRefused is the refusal of a source that cannot be read, with what was detected where that is the reason (contract,
// FORMAT_NOT_DETECTED).
func sourceRefused(o *Opened) error {
	if r, ok := errors.AsType[*finding.Refusal](o.Err); ok && r.Code == finding.FormatNotDetected {
		r.Extra = append(r.Extra, finding.Extra{Name: "detection", Value: detection(o.found)})
	}
	return o.Err
}

// sourceFits refuses a document that is not of the format which the request names.
func (s *Service) sourceFits(c *Conversion, name string, told format.Country) error {
	if name == "" {
		return nil
	}
	token, known := s.formats.Token(name)
	country, served := s.formats.Country(c.opened.found.Country)
	switch {
	case !known:
		return badRequest("sourceFormat", "sourceFormat %q is no format; these are: %s", clip(name), strings.Join(s.tokens(false), ", "))
	case told.Code != "" && !told.Has(token.ID):
		return badRequest("sourceFormat", "sourceFormat %q is not one of %s; these are: %s", token.ID, told.Name, strings.Join(told.All(), ", "))
	case served && !country.Has(token.ID):
		return badRequest("data", "data: the document is %s of %s, not %s", c.opened.found.Format, country.Name, token.Name)
	case served && !slices.Contains(s.formats.SyntaxesOf(country.Code, token.ID), s.formats.Syntax(c.opened.found.Syntax)):
		return badRequest("data", "data: the document is %s, not %s of %s", c.opened.found.Format, token.Name, country.Name)
	}
	c.Source.Format = token.ID
	return nil
}
