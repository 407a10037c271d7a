package profile

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The specification identifiers (IBT-24) of PINT, the Peppol International model for billing.
const (
	PintAE             = "urn:peppol:pint:billing-1@ae-1"
	PintAESelfBilling  = "urn:peppol:pint:selfbilling-1@ae-1"
	PintANZ            = "urn:peppol:pint:billing-1@aunz-1"
	PintANZSelfBilling = "urn:peppol:pint:selfbilling-1@aunz-1"
	PintJP             = "urn:peppol:pint:billing-1@jp-1"
	PintJPNonTax       = "urn:peppol:pint:nontaxinvoice-1@jp-1"
	PintJPSelfBilling  = "urn:peppol:pint:selfbilling-1@jp-1"
	PintOM             = "urn:peppol:pint:billing-1@om-1"
	PintOMSelfBilling  = "urn:peppol:pint:selfbilling-1@om-1"
)

// The business processes (IBT-23) of PINT.
const (
	pintBilling     = "urn:peppol:bis:billing"
	pintSelfBilling = "urn:peppol:bis:selfbilling"
)

// pintRefused are the types that PINT has no code for (IBT-3).
var pintRefused = map[invoice.Type]string{invoice.TypeProforma: "PINT has no pro forma invoice; send it as pdf"}

// pintSelfBilled are the codes of UNTDID 1001 that the specifications of PINT for self-billing have.
var pintSelfBilled = []string{"389", "261"}

// pintSteps are the common steps as PINT has them, and those of a country after them.
func pintSteps(country ...Step) []Step {
	steps := replaced(CommonSteps(), map[string][]Step{
		exemptionReasons.Name:    {repeatedReasons},
		taxCurrency.Name:         nil,
		prepayments.Name:         {amountsPaid},
		electronicAddresses.Name: nil, // PINT does not have the scheme EM (ibr-cl-25)
	})
	return slices.Concat([]Step{businessProcess}, steps, []Step{countryAddresses, networkAddresses, oneNote, termsSentence, retention, discountSentence}, country)
}

// replaced gives steps with others in the place of those that have a name.
func replaced(steps []Step, by map[string][]Step) []Step {
	var list []Step
	for _, s := range steps {
		if others, ok := by[s.Name]; ok {
			list = append(list, others...)
		} else {
			list = append(list, s)
		}
	}
	return list
}

// repeatedReasons: PINT states the reason of an exemption for each tax group (IBT-120, IBT-121), for each line (IBT-185, IBT-186) and for
// allowances and charges (IBT-196 to IBT-199): what one of them gives holds for the others of its category and rate.
var repeatedReasons = Step{
	Name: "exemption reasons everywhere",
	Copies: []Move{
		{"items[].taxExemptionReason", "taxSummary[].exemptionReason"}, {"items[].taxExemptionReasonCode", "taxSummary[].exemptionReasonCode"},
		{"taxSummary[].exemptionReason", "items[].taxExemptionReason"}, {"taxSummary[].exemptionReasonCode", "items[].taxExemptionReasonCode"},
		{"taxSummary[].exemptionReason", "allowancesCharges[].exemptionReason"}, {"taxSummary[].exemptionReasonCode", "allowancesCharges[].exemptionReasonCode"},
	},
	Derive: func(d *Draft) {
		groups := d.Invoice.TaxGroups()
		for _, it := range d.lines() {
			if g := groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)]; g != nil {
				g.ExemptionReason = cmp.Or(g.ExemptionReason, it.TaxExemptionReason)
				g.ExemptionReasonCode = cmp.Or(g.ExemptionReasonCode, it.TaxExemptionReasonCode)
			}
		}
		for _, it := range d.lines() {
			if g := groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)]; g != nil {
				it.TaxExemptionReason = cmp.Or(it.TaxExemptionReason, g.ExemptionReason)
				it.TaxExemptionReasonCode = cmp.Or(it.TaxExemptionReasonCode, g.ExemptionReasonCode)
			}
		}
		for i := range d.Invoice.AllowancesCharges {
			c := &d.Invoice.AllowancesCharges[i]
			if g := groups[invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate)]; g != nil {
				c.ExemptionReason = cmp.Or(c.ExemptionReason, g.ExemptionReason)
				c.ExemptionReasonCode = cmp.Or(c.ExemptionReasonCode, g.ExemptionReasonCode)
			}
		}
	},
}

// amountsPaid: without prepaidAmount (IBT-113) the sum of what was paid stands for it; PINT has the payments as well (IBG-35).
var amountsPaid = Step{
	Name:   "amounts paid",
	Copies: []Move{{"prepayments[].amount", "prepaidAmount"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.PrepaidAmount.IsSet() {
			return
		}
		for i := range inv.Prepayments {
			inv.PrepaidAmount = inv.PrepaidAmount.Add(inv.Prepayments[i].Amount)
		}
	},
}

// countryAddresses: a party without an electronic address (IBT-34, IBT-49) is reached by the number that its country registers it
// by in the network (Electronic Address Scheme code list; Peppol policy for the use of identifiers).
var countryAddresses = Step{
	Name: "registered numbers as electronic addresses",
	Copies: []Move{
		{"seller.vatId", "seller.electronicAddress.id"}, {"seller.registrationNumber", "seller.electronicAddress.id"}, {"seller.taxId", "seller.electronicAddress.id"},
		{"buyer.vatId", "buyer.electronicAddress.id"}, {"buyer.registrationNumber", "buyer.electronicAddress.id"}, {"buyer.taxId", "buyer.electronicAddress.id"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.ElectronicAddress != nil {
				continue
			}
			if id, scheme := countryAddress(p); id != "" {
				p.ElectronicAddress = &invoice.ElectronicAddress{ID: id, SchemeID: scheme}
			}
		}
	},
}

// countryAddress is the electronic address of a party by the scheme of its country; empty where it has no such number.
func countryAddress(p *invoice.Party) (id, scheme string) {
	switch p.CountryCode {
	case "AE": // TIN, the first ten digits of the VAT registration number (TRN)
		if isDigits(p.VATID, 15) {
			return p.VATID[:10], "0235"
		}
		return numbered(10, "0235", p.TaxID)
	case "OM": // VATIN
		return p.VATID, "0248"
	case "JP": // registration number of qualified invoice issuers, or corporate number
		if id, found := strings.CutPrefix(p.VATID, "T"); found && isDigits(id, 13) {
			return p.VATID, "0221"
		}
		return numbered(13, "0188", p.RegistrationNumber, p.TaxID)
	case "AU": // ABN
		return numbered(11, abnScheme, p.RegistrationNumber, p.VATID)
	case "NZ": // NZBN, a GLN
		return numbered(13, nzbnScheme, p.RegistrationNumber)
	}
	return "", ""
}

// numbered gives the first text that is so many digits.
func numbered(length int, scheme string, texts ...string) (string, string) {
	for _, text := range texts {
		if isDigits(text, length) {
			return text, scheme
		}
	}
	return "", ""
}

// isDigits tells whether a text is so many digits.
func isDigits(text string, length int) bool {
	return len(text) == length && strings.Trim(text, "0123456789") == ""
}

// documentUUID: AE (BTAE-07) and OM (BTOM-002) want a UUID of the document. Where the caller gives none it is the one of version 5
// (RFC 9562, §5.5) of seller, document type, day and number, so that the same invoice has the same.
var documentUUID = Step{
	Name:   "UUID of the document",
	Copies: []Move{{"invoiceNumber", "countrySpecific.uuid"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		cs := specificOf(inv)
		if cs.UUID != "" || inv.Seller == nil || inv.InvoiceNumber == "" {
			return
		}
		seller := cmp.Or(inv.Seller.VATID, inv.Seller.RegistrationNumber, inv.Seller.TaxID, inv.Seller.Name)
		cs.UUID = uuid5(strings.Join([]string{inv.Seller.CountryCode, seller, cs.InvoiceTypeCode, string(inv.IssueDate), inv.InvoiceNumber}, "|"))
	},
}

// invoiceSpace is the namespace of URLs and URNs (RFC 9562, §6.6), in which the derived UUIDs are.
const invoiceSpace = "6ba7b8119dad11d180b400c04fd430c8"

// uuid5 is the UUID of version 5 of a name.
func uuid5(name string) string {
	space, _ := hex.DecodeString(invoiceSpace)
	sum := sha1.Sum(append(space, "urn:einvoiced:"+name...))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// specificOf gives the national members, an empty group where there are none.
func specificOf(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// accountedIn gives the step for a country that accounts tax in its own currency: where the invoice has another one, that is the tax
// currency (IBT-6), and the tax in it (IBT-111) is the tax at the exchange rate unless the groups state it. keep leaves the rate where
// the format has an element for it; always sets the currency without a rate as well.
func accountedIn(home string, always, keep bool) Step {
	s := Step{
		Name:   "tax in " + home,
		Copies: []Move{{"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}, {"currency", "taxCurrencyCode"}},
		Derive: func(d *Draft) {
			inv, cs := d.Invoice, specificOf(d.Invoice)
			d.leaveOwnCurrency(home)
			if inv.Currency == home {
				return
			}
			stated := slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxCurrencyTaxAmount.IsSet() })
			if always || stated || cs.ExchangeRate.IsSet() {
				inv.TaxCurrencyCode = cmp.Or(inv.TaxCurrencyCode, home)
			}
			if !stated && inv.TaxCurrencyCode == home && cs.ExchangeRate.IsSet() {
				for i := range inv.TaxSummary {
					g := &inv.TaxSummary[i]
					g.TaxCurrencyTaxAmount = at(g.TaxAmount, cs.ExchangeRate, home)
				}
			}
			if !keep {
				cs.ExchangeRate = decimal.Decimal{}
			}
		},
	}
	if !keep {
		s.Moves, s.Copies = s.Copies[:1], s.Copies[1:]
	}
	return s
}

// leaveOwnCurrency leaves out a tax currency that is the invoice's, which PINT does not have (ibr-077), and the tax in it. Without a tax
// currency there is no tax in one either where the invoice is in the currency of the country; elsewhere it is in that.
func (d *Draft) leaveOwnCurrency(home string) {
	inv := d.Invoice
	switch {
	case inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode == inv.Currency:
		d.missTaxInTaxCurrency()
		d.missTaxCurrency("it is the currency of the invoice, from which a tax currency differs here (BT-6)")
	case inv.TaxCurrencyCode == "" && inv.Currency == home:
		d.missTaxInTaxCurrency()
	default:
		return
	}
	d.dropTaxes()
}

// at is an amount in another currency, with the decimals of that.
func at(amount, rate decimal.Decimal, currency string) decimal.Decimal {
	places := invoice.AmountDecimals(currency)
	return amount.Mul(rate).Round(places, decimal.HalfUp).WithMinScale(places)
}

// accountedBreakdown gives the step for the breakdown in the tax currency (IBG-38): that of the groups of some categories, of all where
// none is named, unless the caller gives it.
func accountedBreakdown(categories ...string) Step {
	return Step{
		Name:   "breakdown in the tax currency",
		Copies: []Move{{"taxSummary[].taxCurrencyTaxAmount", "countrySpecific.taxBreakdown[].taxAmount"}},
		Derive: func(d *Draft) {
			inv, cs := d.Invoice, specificOf(d.Invoice)
			if len(cs.TaxBreakdown) > 0 {
				d.missBreakdown()
				return
			}
			if inv.TaxCurrencyCode == "" {
				return
			}
			for _, g := range inv.TaxSummary {
				if g.TaxCurrencyTaxAmount.IsSet() && (len(categories) == 0 || slices.Contains(categories, g.TaxCategoryCode)) {
					cs.TaxBreakdown = append(cs.TaxBreakdown, invoice.TaxBreakdown{TaxAmount: g.TaxCurrencyTaxAmount, TaxCategoryCode: g.TaxCategoryCode, TaxRate: g.TaxRate})
				}
			}
		},
		Restore: func(d *Draft) {
			inv := d.Invoice
			if inv.CountrySpecific == nil {
				return
			}
			if !addsUp(inv) {
				return
			}
			groups := inv.TaxGroups()
			for _, b := range inv.CountrySpecific.TaxBreakdown {
				if g := groups[invoice.TaxKeyOf(b.TaxCategoryCode, b.TaxRate)]; g != nil {
					g.TaxCurrencyTaxAmount = b.TaxAmount
				}
			}
			if slices.ContainsFunc(inv.CountrySpecific.TaxBreakdown, func(b invoice.TaxBreakdown) bool {
				return b.NetAmount.IsSet() || groups[invoice.TaxKeyOf(b.TaxCategoryCode, b.TaxRate)] == nil
			}) {
				return
			}
			inv.CountrySpecific.TaxBreakdown = nil
		},
	}
}

// addsUp tells whether the taxes of the breakdown in the tax currency (IBT-190) are the total in it (IBT-111) where that is stated: one that
// differs would be lost behind them.
func addsUp(inv *invoice.Invoice) bool {
	rest, stated := decimal.Decimal{}, false
	for i := range inv.TaxSummary {
		part := inv.TaxSummary[i].TaxCurrencyTaxAmount
		rest, stated = rest.Add(part), stated || part.IsSet()
	}
	for _, b := range inv.CountrySpecific.TaxBreakdown {
		rest = rest.Sub(b.TaxAmount)
	}
	return !stated || rest.Sign() == 0
}

// missBreakdown takes out a breakdown in the tax currency that no group of the invoice states a tax in that currency for: without the total
// of those (IBT-111) there is no element for it to stand in.
func (d *Draft) missBreakdown() {
	inv := d.Invoice
	if inv.TaxCurrencyCode != "" && slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxCurrencyTaxAmount.IsSet() }) {
		return
	}
	const field = "countrySpecific.taxBreakdown"
	d.warn(finding.FieldNotWritten, field, "%s is not written, because no entry of taxSummary has the tax in a tax currency, taxCurrencyTaxAmount (IBT-111)", field)
	inv.CountrySpecific.TaxBreakdown = nil
}

// withoutRate gives the step for a country where what has one of some categories must not have a rate. The API wants one of 0, but for O.
func withoutRate(categories ...string) Step {
	return Step{
		Name: "no rate without tax",
		Derive: func(d *Draft) {
			d.eachRate(func(category string, rate *decimal.Decimal) {
				if slices.Contains(categories, category) && rate.Sign() == 0 {
					*rate = decimal.Decimal{}
				}
			})
		},
		Restore: func(d *Draft) {
			d.eachRate(func(category string, rate *decimal.Decimal) {
				if slices.Contains(categories, category) && category != "O" && !rate.IsSet() {
					*rate = decimal.New(0, 0)
				}
			})
		},
	}
}

// eachRate goes through the categories with their rates.
func (d *Draft) eachRate(do func(category string, rate *decimal.Decimal)) {
	for _, it := range d.lines() {
		do(it.TaxCategoryCode, &it.TaxRate)
	}
	for i := range d.Invoice.TaxSummary {
		do(d.Invoice.TaxSummary[i].TaxCategoryCode, &d.Invoice.TaxSummary[i].TaxRate)
	}
	for i := range d.Invoice.AllowancesCharges {
		do(d.Invoice.AllowancesCharges[i].TaxCategoryCode, &d.Invoice.AllowancesCharges[i].TaxRate)
	}
}
