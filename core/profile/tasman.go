package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Tasman is PINT A-NZ 1.1.3 of Australia and New Zealand.
func Tasman() *Profile { return New(tasman()) }

func tasman() Profile {
	return Profile{
		Token: "ubl", Specification: PintANZ, BusinessProcess: pintBilling, TypeCodes: pintBilled, TypeRule: "ibr-cl-01", Refused: pintRefused,
		Steps: replaced(slices.Concat([]Step{businessNumbers, gstRegistration}, pintSteps(taxCurrency)),
			map[string][]Step{repeatedReasons.Name: {exemptionReasons}}), // a line of PINT A-NZ has no reason
	}
}

// TasmanSelfBilled is the specification of PINT A-NZ for self-billing.
func TasmanSelfBilled() *Profile {
	p := tasman()
	p.Specification, p.BusinessProcess, p.TypeCodes = PintANZSelfBilling, pintSelfBilling, pintSelfBilled
	return New(p)
}

// The ISO 6523 codes of the Australian and the New Zealand business number; the latter is a GLN.
const (
	abnScheme  = "0151"
	nzbnScheme = "0088"
)

// businessNumbers: the business number of a party is its legal registration (IBT-30, IBT-47), with the scheme of its country
// (aligned-ibr-001-aunz to 005).
var businessNumbers = Step{
	Name: "business numbers",
	Moves: []Move{
		{"countrySpecific.abn", "seller.registrationNumber"}, {"countrySpecific.nzbn", "seller.registrationNumber"},
	},
	Copies: []Move{
		{"countrySpecific.abn", "seller.registrationScheme"}, {"countrySpecific.nzbn", "seller.registrationScheme"},
		{"seller.registrationNumber", "seller.registrationScheme"}, {"buyer.registrationNumber", "buyer.registrationScheme"},
	},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if s := inv.Seller; s != nil {
			switch s.CountryCode {
			case "AU":
				moveInto(&s.RegistrationNumber, &cs.ABN)
			case "NZ":
				moveInto(&s.RegistrationNumber, &cs.NZBN)
			}
		}
		for _, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p == nil || p.RegistrationNumber == "" || p.RegistrationScheme != "" {
				continue
			}
			p.RegistrationScheme = map[string]string{"AU": abnScheme, "NZ": nzbnScheme}[p.CountryCode]
		}
	},
}

// gstRegistration: a seller who is registered for GST has a tax identifier (IBT-31): in Australia the ABN, in New Zealand the number
// of the tax office, which taxId holds. One who is not has none.
var gstRegistration = Step{
	Name:  "GST registration",
	Moves: []Move{{"seller.taxId", "seller.vatId"}, {"countrySpecific.gstRegistered", "seller.vatId"}},
	Copies: []Move{
		{"countrySpecific.abn", "seller.vatId"}, {"seller.registrationNumber", "seller.vatId"},
	},
	Derive: func(d *Draft) {
		s, cs := d.Invoice.Seller, specificOf(d.Invoice)
		registered := cs.GSTRegistered
		if registered == nil || s == nil {
			return
		}
		cs.GSTRegistered = nil
		switch {
		case !*registered && s.VATID != "":
			s.VATID = ""
			d.warn(finding.FieldNotWritten, "seller.vatId", "seller.vatId is not written: by countrySpecific.gstRegistered the seller is not registered for GST (IBT-31)")
		case *registered && s.VATID == "" && s.CountryCode == "AU" && isDigits(s.RegistrationNumber, 11):
			s.VATID = s.RegistrationNumber
		case *registered:
			moveInto(&s.VATID, &s.TaxID)
		}
	},
}
