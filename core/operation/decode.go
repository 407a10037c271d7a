package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// decoded is a request body with an invoice that passed the input checks.
type decoded struct {
	*invoice.GenerateBody
	warnings []finding.Finding
}

// decode reads and checks the request of generate, or that of validate with an invoice. All input errors are reported at once.
func (s *Service) decode(ctx context.Context, req GenerateRequest, country format.Country) (*decoded, error) {
	body, errs, err := invoice.Decode(req.Body, invoice.Options{Calculate: req.Calculate, Limits: s.Limits()})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("decode the invoice: %w", err)
	}
	warnings := []finding.Finding{}
	if body.Invoice != nil {
		if req.Calculate && len(errs) == 0 {
			warnings = append(warnings, calculated(body.Invoice)...)
		}
		report := invoice.Check(body.Invoice, s.checks(country, errs))
		errs = report.Errors
		warnings = append(warnings, report.Warnings...)
	}
	if err := invoice.Refuse(errs); err != nil {
		return nil, err
	}
	return &decoded{body, warnings}, nil
}

// checks are the input checks of this service.
func (s *Service) checks(country format.Country, reported []finding.Finding) invoice.CheckOptions {
	o := invoice.CheckOptions{Country: country.Code, StrictCountrySpecific: s.cfg.StrictCountrySpecific, Reported: reported}
	if s.cfg.SmallInvoices {
		o.ModeLines = maxItemsSmall
	}
	return o
}

// chooseOptions refuses format options that the token does not have.
func chooseOptions(o *invoice.FormatOptions, token format.Token) error {
	if o == nil {
		return nil
	}
	if o.Profile != "" && o.ZugferdProfile != "" && o.Profile != o.ZugferdProfile {
		return optionRefused(finding.ConflictingFormatOptions, "formatOptions.zugferdProfile", "formatOptions.profile is %q, but formatOptions.zugferdProfile is %q", o.Profile, o.ZugferdProfile)
	}
	if o.Version != "" && !slices.Contains(token.Versions, o.Version) {
		return optionRefused(finding.UnsupportedFormatVersion, "formatOptions.version", "formatOptions.version %q is not one of %s: %q", o.Version, token.Name, token.Versions)
	}
	if o.Profile+o.ZugferdProfile != "" {
		return optionRefused(finding.UnsupportedFormatProfile, "formatOptions.profile", "formatOptions.profile %q: %s has no profiles", o.Profile+o.ZugferdProfile, token.Name)
	}
	if o.Syntax != "" && o.Syntax != "ubl" {
		return badRequest("formatOptions.syntax", "formatOptions.syntax %q cannot be generated yet; ubl can", clip(o.Syntax))
	}
	return nil
}

func optionRefused(code string, field, message string, args ...any) error {
	r := badRequest(field, message, args...)
	r.Code = code
	return r
}

// calculatedLimit bounds the entries for calculated values of lines.
const calculatedLimit = 200

// calculated fills in absent amounts and says so.
func calculated(inv *invoice.Invoice) []finding.Finding {
	var warnings []finding.Finding
	values := invoice.Calculate(inv)
	for _, v := range values[:min(len(values), calculatedLimit)] {
		warnings = append(warnings, calculatedFinding(v.Field, v.Value))
	}
	if rest := values[min(len(values), calculatedLimit):]; len(rest) > 0 {
		last := rest[len(rest)-1]
		warnings = append(warnings, finding.Finding{Code: finding.ValueCalculated, Field: last.Field,
			Message: fmt.Sprintf("%d further values up to %s were calculated", len(rest), last.Field)})
	}
	return warnings
}

func calculatedFinding(field string, value decimal.Decimal) finding.Finding {
	return finding.Finding{Code: finding.ValueCalculated, Field: field, Message: fmt.Sprintf("%s was not given and was calculated as %s", field, value)}
}
