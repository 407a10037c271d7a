package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Emirates is PINT AE 1.0.4, the billing of the United Arab Emirates.
func Emirates() *Profile { return New(emirates()) }

func emirates() Profile {
	return Profile{
		Token: "ubl", Country: "AE", Specification: PintAE, BusinessProcess: pintBilling,
		TypeCodes: []string{"380", "381", "480", "81"}, TypeRule: "ibr-cl-01", Refused: pintRefused,
		Steps: replaced(slices.Concat([]Step{outOfScopeCode}, pintSteps(legalIdentifiers, accountedIn("AED", true, true), dirhamLines, pricedItems,
			withoutRate("E", "O"), emiratesTransaction, exportAddress, documentUUID)), map[string][]Step{lineAmounts.Name: {statedAmounts}}),
	}
}

// EmiratesSelfBilled is the specification of PINT AE for self-billing.
func EmiratesSelfBilled() *Profile {
	p := emirates()
	p.Specification, p.BusinessProcess, p.TypeCodes = PintAESelfBilling, pintSelfBilling, []string{"389", "480", "261", "81"}
	return New(p)
}

// outOfScopeCode: an invoice that has nothing but what is exempt or out of the scope of VAT has a type of its own (IBT-3), 480, and a
// credit note 81 (ibr-151-ae).
var outOfScopeCode = Step{
	Name:   "out of scope of tax",
	Copies: []Move{{"type", "countrySpecific.invoiceTypeCode"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		cs := specificOf(inv)
		if cs.InvoiceTypeCode != "" || len(inv.Items) == 0 || slices.ContainsFunc(inv.Items, func(it invoice.Item) bool {
			return it.TaxCategoryCode != "E" && it.TaxCategoryCode != "O"
		}) {
			return
		}
		switch inv.Type {
		case invoice.TypeInvoice:
			cs.InvoiceTypeCode = "480"
		case invoice.TypeCreditNote:
			cs.InvoiceTypeCode = "81"
		}
	},
}

// legalIdentifiers: a legal registration number has its kind (BTAE-15, BTAE-16): with a trade licence goes the authority that issued
// it (BTAE-11, BTAE-12), with a passport its country (BTAE-18, BTAE-19).
var legalIdentifiers = Step{
	Name: "legal identifiers",
	Moves: []Move{
		{"countrySpecific.sellerLegalIdType", "seller.registrationType"}, {"countrySpecific.buyerLegalIdType", "buyer.registrationType"},
		{"countrySpecific.authorityName", "seller.registrationIssuer"}, {"countrySpecific.passportCountry", "seller.registrationIssuer"},
		{"countrySpecific.authorityName", "buyer.registrationIssuer"}, {"countrySpecific.passportCountry", "buyer.registrationIssuer"},
	},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		authority, country := cs.AuthorityName, cs.PassportCountry
		for _, of := range []struct {
			party *invoice.Party
			kind  *string
		}{{inv.Seller, &cs.SellerLegalIDType}, {inv.Buyer, &cs.BuyerLegalIDType}} {
			if of.party == nil {
				continue
			}
			moveInto(&of.party.RegistrationType, of.kind)
			switch of.party.RegistrationType {
			case "TL", "CL":
				issuedBy(of.party, authority, &cs.AuthorityName)
			case "PAS":
				issuedBy(of.party, country, &cs.PassportCountry)
			}
		}
	},
}

// issuedBy gives a party who issued its number, which is in the document then.
func issuedBy(p *invoice.Party, issuer string, taken *string) {
	if p.RegistrationIssuer == "" {
		p.RegistrationIssuer = issuer
	}
	if p.RegistrationIssuer == issuer {
		*taken = ""
	}
}

// dirhamLines: each line states its tax (BTAE-08) and its amount with tax (BTAE-10) in dirhams, whatever the currency of the invoice, in which
// the invoice object has them; what is exempt has no tax (ibr-163-ae).
var dirhamLines = Step{
	Name:   "line amounts in dirhams",
	Copies: []Move{{"items[].netAmount", "items[].grossAmount"}, {"items[].netAmount", "items[].taxAmount"}},
	Derive: func(d *Draft) {
		rate, foreign := decimal.New(1, 0), d.Invoice.Currency != "AED"
		if foreign {
			rate = specificOf(d.Invoice).ExchangeRate
		}
		for at, it := range d.lines() {
			tax, gross := dirhamsOf(it, rate)
			if foreign {
				dropRepeated(it, decimal.New(1, invoice.AmountDecimals(d.Invoice.Currency)))
			}
			d.computed(at, "taxAmount", &it.TaxAmount, tax, cent)
			d.computed(at, "grossAmount", &it.GrossAmount, gross, cent)
		}
	},
	Restore: func(d *Draft) {
		currency, rate := d.Invoice.Currency, decimal.Decimal{}
		if cs := d.Invoice.CountrySpecific; cs != nil {
			rate = cs.ExchangeRate
		}
		if currency == "AED" || rate.Sign() == 0 {
			return
		}
		for _, it := range d.lines() {
			tax, gross := dirhamsOf(it, rate)
			fromDirhams(&it.TaxAmount, tax, rate, currency)
			fromDirhams(&it.GrossAmount, gross, rate, currency)
		}
	},
}

// fromDirhams takes an amount of a line in dirhams back into the currency of the invoice. One that only says what net amount and rate say is let go.
func fromDirhams(stated *decimal.Decimal, computed, rate decimal.Decimal, currency string) {
	if !stated.IsSet() {
		return
	}
	if computed.IsSet() && differByOne(*stated, computed, cent) {
		*stated = decimal.Decimal{}
		return
	}
	*stated, _ = stated.Quo(rate, invoice.AmountDecimals(currency), decimal.HalfUp)
}

// dirhamsOf gives the tax of a line and its amount with tax in dirhams, at the rate to them; not set where there is none.
func dirhamsOf(it *invoice.Item, rate decimal.Decimal) (tax, gross decimal.Decimal) {
	if !rate.IsSet() || !it.NetAmount.IsSet() {
		return tax, gross
	}
	tax = decimal.New(0, 2)
	if it.TaxCategoryCode == "S" {
		tax = at(it.NetAmount.Mul(it.TaxRate).Mul(decimal.New(1, 2)), rate, "AED")
	}
	gross = at(it.NetAmount, rate, "AED").Add(tax)
	if it.TaxCategoryCode == "E" {
		return decimal.Decimal{}, gross
	}
	return tax, gross
}

// pricedItems: a price has the quantity that it is for (IBT-149) and what it was before a discount (IBT-148; ibr-126-ae).
var pricedItems = Step{
	Name:   "gross prices",
	Copies: []Move{{"items[].unit", "items[].priceBaseQuantity"}, {"items[].unit", "items[].priceBaseUnit"}, {"items[].unitPrice", "items[].grossPrice"}, {"items[].unitPrice", "items[].priceDiscount"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if !it.PriceBaseQuantity.IsSet() {
				it.PriceBaseQuantity, it.PriceBaseUnit = decimal.New(1, 0), it.Unit
			}
			if !it.GrossPrice.IsSet() {
				it.GrossPrice, it.PriceDiscount = it.UnitPrice, decimal.New(0, 0)
			}
		}
	},
}

// emiratesTransaction: what the caller does not mark is none of the special transactions (BTAE-02).
var emiratesTransaction = Step{
	Name:   "transaction type",
	Copies: []Move{{"type", "countrySpecific.transactionType"}},
	Derive: func(d *Draft) {
		if cs := specificOf(d.Invoice); cs.TransactionType == "" {
			cs.TransactionType = "00000000"
		}
	},
}

// exportAddress: in an export (eighth mark of BTAE-02) a buyer who is not in the network has the address that the authority has for it.
var exportAddress = Step{
	Name:   "address of exports",
	Copies: []Move{{"countrySpecific.transactionType", "buyer.electronicAddress.id"}},
	Derive: func(d *Draft) {
		mask := specificOf(d.Invoice).TransactionType
		if b := d.Invoice.Buyer; b != nil && b.ElectronicAddress == nil && len(mask) == 8 && mask[7] == '1' {
			b.ElectronicAddress = &invoice.ElectronicAddress{ID: "9900000099", SchemeID: "0235"}
		}
	},
}
