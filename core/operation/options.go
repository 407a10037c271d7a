package operation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// outputXML is what formatOptions.output asks for: the invoice without the PDF that carries it.
const outputXML = "xml"

// chosen is what a request asks for under a path token: the customisation, with version and profile.
type chosen struct {
	token   format.Token
	row     *format.Customisation // nil for a PDF alone
	options format.Options
	alone   bool // the invoice without the PDF that carries it
	every   bool // each entry of a list that has no place is asked for
}

// label names what was chosen in results: token-version-profile.
func (c chosen) label() string { return labelOf(c.token, c.options.Version, c.options.Profile) }

// judgedAs is the format that rulebooks are bound to, for formats whose documents do not tell their version.
func (c chosen) judgedAs() string {
	if len(c.token.Profiles) == 0 {
		return ""
	}
	return labelOf(c.token, c.options.Version, "")
}

// applied is what generate reports of the choice: nothing for formats without one.
func (c chosen) applied() AppliedFormatOptions {
	if len(c.token.Profiles) == 0 {
		return AppliedFormatOptions{}
	}
	return AppliedFormatOptions{Version: c.options.Version, Profile: c.options.Profile}
}

// choose finds what the format options ask for. The Refusal is that of options which the token does not have, or that cannot be
// written yet.
func (s *Service) choose(country format.Country, token format.Token, body *invoice.GenerateBody) (chosen, error) {
	asked := body.FormatOptions
	if asked == nil {
		asked = &invoice.FormatOptions{}
	}
	if err := refuseOptions(asked, token, body.TemplateID); err != nil {
		return chosen{}, err
	}
	options := format.Options{Syntax: asked.Syntax, Profile: cmp.Or(asked.Profile, asked.ZugferdProfile, token.Profile),
		Version: cmp.Or(asked.Version, token.Version()), Invoice: body.Invoice}
	row := s.formats.Written(country, token.ID, options)
	if row == nil {
		return chosen{}, s.notChosen(country, token, options)
	}
	if asked.Output == outputXML {
		token.MimeType, token.Extension = "application/xml", outputXML
	}
	return chosen{token: token, row: row, options: options, alone: asked.Output == outputXML}, nil
}

// laidOut tells whether the document has pages of ours.
func (c chosen) laidOut() bool { return c.row == nil || c.row.Carrier != "" && !c.alone }

// choices are what an invoice is checked in: what the format options ask for, in formats with profiles that the path names every one
// where none is asked for (supplement §2). Where the path names no format, options are for those of the country that know them.
func (s *Service) choices(country format.Country, tokens []format.Token, body *invoice.GenerateBody, named bool) ([]chosen, error) {
	var list []chosen
	var refused error
	known := 0
	for _, token := range tokens {
		for _, asked := range profilesAsked(token, body, named) {
			choice, err := s.choose(country, token, asked)
			if err == nil {
				known++
			} else {
				refused = cmp.Or(refused, err)
				plain := *asked
				plain.FormatOptions = nil
				choice, err = s.choose(country, token, profilesAsked(token, &plain, false)[0])
			}
			if err != nil {
				return nil, err
			}
			list = append(list, choice)
		}
	}
	if refused != nil && (named || known == 0) {
		return nil, refused
	}
	return list, nil
}

// profilesAsked gives the body for each profile that is to be checked. No check needs the PDF.
func profilesAsked(token format.Token, body *invoice.GenerateBody, named bool) []*invoice.GenerateBody {
	if token.Profile == "" {
		return []*invoice.GenerateBody{body}
	}
	options := invoice.FormatOptions{}
	if body.FormatOptions != nil {
		options = *body.FormatOptions
	}
	options.Output, options.Template = cmp.Or(options.Output, outputXML), nil
	profiles := []string{options.Profile}
	if named && cmp.Or(options.Profile, options.ZugferdProfile) == "" {
		profiles = token.Profiles
	}
	var bodies []*invoice.GenerateBody
	for _, profile := range profiles {
		asked := options
		asked.Profile = profile
		bodies = append(bodies, &invoice.GenerateBody{Invoice: body.Invoice, FormatOptions: &asked})
	}
	return bodies
}

// notChosen says why what was asked for cannot be written.
func (s *Service) notChosen(country format.Country, token format.Token, options format.Options) error {
	if options.Syntax != "" {
		return badRequest("formatOptions.syntax", "formatOptions.syntax %q cannot be generated as %s; it can be %s", clip(options.Syntax), token.Name, listed(s.syntaxes(country, token)))
	}
	return s.notGenerated(country, token)
}

// syntaxes lists the syntaxes in which a token can be generated.
func (s *Service) syntaxes(country format.Country, token format.Token) []string {
	var names []string
	for _, syntax := range s.formats.SyntaxesOf(country.Code, token.ID) {
		if s.formats.Written(country, token.ID, format.Options{Syntax: syntax.Name}) != nil {
			names = append(names, syntax.Name)
		}
	}
	return names
}

// refuseOptions refuses format options that the token does not have, or that contradict each other.
func refuseOptions(o *invoice.FormatOptions, token format.Token, template string) error {
	profile := cmp.Or(o.Profile, o.ZugferdProfile)
	switch {
	case o.Profile != "" && o.ZugferdProfile != "" && o.Profile != o.ZugferdProfile:
		return optionRefused(finding.ConflictingFormatOptions, "formatOptions.zugferdProfile", "formatOptions.profile is %q, but formatOptions.zugferdProfile is %q",
			clip(o.Profile), clip(o.ZugferdProfile))
	case o.Version != "" && !slices.Contains(token.Versions, o.Version):
		return optionRefused(finding.UnsupportedFormatVersion, "formatOptions.version", "formatOptions.version %q is not one of %s: %s", clip(o.Version), token.Name,
			listed(token.Versions))
	case profile != "" && len(token.Profiles) == 0:
		return optionRefused(finding.UnsupportedFormatProfile, "formatOptions.profile", "formatOptions.profile %q: %s has no profiles", clip(profile), token.Name)
	case profile != "" && !slices.Contains(token.Profiles, profile):
		return optionRefused(finding.UnsupportedFormatProfile, "formatOptions.profile", "formatOptions.profile %q cannot be generated as %s; these can: %s", clip(profile), token.Name,
			listed(token.Profiles))
	case o.Output != "" && (o.Output != outputXML || token.MimeType != "application/pdf"):
		return badRequest("formatOptions.output", "formatOptions.output %q: it can be xml, for formats that are a PDF with an invoice in it", clip(o.Output))
	case o.Output != "" && template != "":
		return optionRefused(finding.ConflictingFormatOptions, "templateId", "templateId is for a PDF, but formatOptions.output is %q", o.Output)
	case o.Output != "" && len(o.Template) > 0:
		return optionRefused(finding.ConflictingFormatOptions, "formatOptions.template", "formatOptions.template is for a PDF, but formatOptions.output is %q", o.Output)
	}
	return nil
}

func listed(words []string) string { return cmp.Or(strings.Join(words, ", "), "none") }

func optionRefused(code string, field, message string, args ...any) error {
	r := badRequest(field, message, args...)
	r.Code = code
	return r
}
