package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// decoded is a request body with an invoice that passed the input checks.
type decoded struct {
	*invoice.GenerateBody
	warnings []finding.Finding
	infos    []Info
	style    Style // that of the request
	look     look  // of its pages, where it is laid out

	record *verifactu.Record // of the invoice, where it is to be registered
}

// decode reads and checks the request of generate, or that of validate with an invoice. All input errors are reported at once.
func (s *Service) decode(ctx context.Context, req GenerateRequest, country format.Country) (*decoded, error) {
	infos := slices.Concat([]Info{}, req.Infos)
	body, errs, err := invoice.Decode(req.Body, invoice.Options{Calculate: req.Calculate, Limits: s.Limits(), Ended: ctx.Err,
		Unknown: func(place, known string) { infos = append(infos, unknownMember(place, known)) }})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("decode the invoice: %w", err)
	}
	warnings, err := s.checkInput(body, errs, country, req.Calculate)
	if err != nil {
		return nil, err
	}
	return &decoded{GenerateBody: body, warnings: warnings, infos: infos, style: req.Style}, nil
}

// checkInput checks what was read of an invoice, and gives the warnings. The Refusal has all errors, those of reading first.
func (s *Service) checkInput(body *invoice.GenerateBody, errs []finding.Finding, country format.Country, calculate bool) ([]finding.Finding, error) {
	warnings := []finding.Finding{}
	if body.Invoice != nil {
		warnings = append(warnings, reduced(body.Invoice)...)
		if calculate && len(errs) == 0 {
			warnings = append(warnings, calculated(body.Invoice)...)
		}
		report := invoice.Check(body.Invoice, s.checks(country, errs))
		errs = report.Errors
		warnings = append(warnings, report.Warnings...)
	}
	return warnings, invoice.Refuse(errs)
}

// unknownMember is the information on a member that is not known and resembles one.
func unknownMember(place, known string) Info {
	return Info{Code: finding.UnknownMember, Message: finding.UnknownNote(place, known)}
}

// checks are the input checks of this service.
func (s *Service) checks(country format.Country, reported []finding.Finding) invoice.CheckOptions {
	o := invoice.CheckOptions{Country: country.Code, StrictCountrySpecific: s.cfg.StrictCountrySpecific, Reported: reported}
	if s.cfg.SmallInvoices {
		o.ModeLines = maxItemsSmall
	}
	return o
}

// reduced rounds amounts that have the noise of binary arithmetic, and says so; of many it lists the first.
func reduced(inv *invoice.Invoice) []finding.Finding {
	var warnings []finding.Finding
	values := invoice.ReduceNoise(inv)
	for i, v := range values[:min(len(values), calculatedLimit)] {
		message := fmt.Sprintf("%s is %s, which was rounded to %s", v.Field, v.From, v.To)
		if i == calculatedLimit-1 && len(values) > calculatedLimit {
			message += fmt.Sprintf("; so were %d further amounts", len(values)-calculatedLimit)
		}
		warnings = append(warnings, finding.Finding{Code: finding.DecimalsReduced, Field: v.Field, Message: message})
	}
	return warnings
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
