package profile

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// typeCodes gives the code of UNTDID 1001 of each type (contract, field type).
var typeCodes = []struct {
	Type invoice.Type
	Code string
}{
	{invoice.TypeInvoice, "380"},
	{invoice.TypeCreditNote, "381"},
	{invoice.TypeCorrection, "384"},
	{invoice.TypeProforma, "325"},
	{invoice.TypePartial, "326"},
	{invoice.TypePartialConstruction, "875"},
	{invoice.TypePartialFinalConstruction, "876"},
	{invoice.TypeFinalConstruction, "877"},
	{invoice.TypeSelfBilled, "389"},
}

// typeCode: the canonical invoice states BT-3 as a code.
var typeCode = Step{
	Name:    "type code",
	Copies:  []Move{{"type", "countrySpecific.invoiceTypeCode"}},
	Derive:  deriveTypeCode,
	Restore: restoreType,
}

func codeOf(t invoice.Type) string {
	for _, row := range typeCodes {
		if row.Type == t {
			return row.Code
		}
	}
	return ""
}

func typeOf(code string) invoice.Type {
	for _, row := range typeCodes {
		if row.Code == code {
			return row.Type
		}
	}
	return ""
}

// deriveTypeCode gives the code of the type. A code that the invoice names is refused where the format does not have it, and
// never replaced; nor is a proforma made an invoice.
func deriveTypeCode(d *Draft) {
	inv := d.Invoice
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	if why := d.Profile.Refused[inv.Type]; why != "" {
		d.refuse(cmp.Or(d.Profile.TypeRule, finding.TypeNotPermitted), "type", "type %q is not permitted: %s", inv.Type, why)
		return
	}
	given := inv.CountrySpecific.InvoiceTypeCode
	if other := typeOf(given); other != "" && other != inv.Type {
		d.refuse(finding.TypeContradiction, "countrySpecific.invoiceTypeCode", "countrySpecific.invoiceTypeCode %s means type %q, but type is %q",
			given, other, inv.Type)
		return
	}
	code := cmp.Or(given, codeOf(inv.Type))
	if given == "" && inv.Type != invoice.TypeProforma && d.Profile.lacks(code, inv) && !d.Profile.lacks(fallback, inv) {
		d.warn(finding.DocumentTypeFallback, "type", "type %q (%s) is written as %s: %s has no code for it here (BT-3)", inv.Type, code, fallback, d.Profile.Token)
		code = fallback
	}
	inv.CountrySpecific.InvoiceTypeCode = code
	if len(d.Profile.TypeCodes) > 0 && !slices.Contains(d.Profile.TypeCodes, code) {
		field := "type"
		if given != "" {
			field = "countrySpecific.invoiceTypeCode"
		}
		d.refuse(cmp.Or(d.Profile.TypeRule, finding.TypeNotPermitted), field, "%s: document type code %s is not one of %s, which are those that %s has (BT-3)",
			field, code, strings.Join(d.Profile.TypeCodes, ", "), d.Profile.Token)
	}
}

// fallback is the code of what the target has no code for: an invoice (contract, type rules).
const fallback = "380"

// lacks tells whether the format has no such code for an invoice.
func (p *Profile) lacks(code string, inv *invoice.Invoice) bool {
	if len(p.TypeCodes) > 0 && !slices.Contains(p.TypeCodes, code) {
		return true
	}
	country := p.Domestic[code]
	return country != "" && (!within(country, inv.Seller) || !within(country, inv.Buyer))
}

func restoreType(d *Draft) {
	inv := d.Invoice
	cs := inv.CountrySpecific
	if cs == nil || cs.InvoiceTypeCode == "" {
		inv.Type = cmp.Or(d.Root, invoice.TypeInvoice)
		return
	}
	inv.Type = typeOf(cs.InvoiceTypeCode)
	if d.Root != "" && inv.Type != d.Root || inv.Type == "" {
		inv.Type = cmp.Or(d.Root, invoice.TypeInvoice)
	}
	if codeOf(inv.Type) == cs.InvoiceTypeCode {
		cs.InvoiceTypeCode = ""
	} else {
		cs.CountryCode = d.Profile.Country
	}
	if reflect.ValueOf(*cs).IsZero() {
		inv.CountrySpecific = nil
	}
}
