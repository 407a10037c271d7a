package profile

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// ISDOC is the Czech national invoice ISDOC 6.0.2. Its canonical invoice has the currency of the country as tax currency and a rate of 1 where
// there is no other; credit notes are negative, allowances and charges of the document are lines, the reason of an exemption stands on the
// lines, and what else a document has is in countrySpecific.national.
func ISDOC() *Profile {
	return New(Profile{
		Token: "isdoc", Country: "CZ", TypeCodes: []string{"325", "380", "381", "383", "384", "386", "389"}, GrandTotal: true,
		Enforced: []string{"TAX_EXCLUSIVE_TOTAL", "TAX_INCLUSIVE_TOTAL", "LINES_TOTAL"},
		Steps: []Step{
			czechNumbers, czechPayer, typeCode, signs, leafLines, lineNumbers, czechLines, taxCategories, exemptionReasons, czechCharges, czechCategories,
			czechReferences, czechDays, czechCurrency, czechDebits, paymentMeans, plainIBANs, czechAccounts, czechPayment, mailAddresses, contacts, czechParties,
			termsOfDays, retention, discountSentence, czechNotes, czechFiles, czechAmounts, czechCredit, czechIdentity,
		},
		Attachments: []string{}, // a document has none of the files that it names
	})
}

// czechNumbers: the IČO is the registration number of the seller, the DIČ of who pays VAT the VAT identifier, that of others a tax number. The
// DIČ of a company is CZ and its IČO.
var czechNumbers = Step{
	Name:   "IČO and DIČ",
	Moves:  []Move{{"countrySpecific.ico", "seller.registrationNumber"}, {"countrySpecific.dic", "seller.vatId"}, {"countrySpecific.dic", "seller.taxId"}},
	Copies: []Move{{"seller.vatId", "seller.registrationNumber"}, {"buyer.vatId", "buyer.registrationNumber"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if s := inv.Seller; s != nil {
			moveInto(&s.RegistrationNumber, &cs.ICO)
			if cs.VATPayer != nil && !*cs.VATPayer {
				moveInto(&s.TaxID, &cs.DIC)
			} else {
				moveInto(&s.VATID, &cs.DIC)
			}
		}
		for i, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p != nil {
				d.czechRegister(p, []string{"seller", "buyer"}[i])
			}
		}
	},
	Restore: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p != nil && p.CountryCode == "CZ" && icoForm.MatchString(p.RegistrationNumber) {
				p.RegistrationScheme = czechRegister
			}
		}
	},
}

// czechRegister is the ISO 6523 code of the Czech register of companies.
const czechRegister = "0154"

var (
	icoForm    = regexp.MustCompile(`^[0-9]{8}$`)
	companyDIC = regexp.MustCompile(`^CZ([0-9]{8})$`)
	symbolForm = regexp.MustCompile(`^[0-9]{1,10}$`)
)

// symbolLimit is the most digits of a variable symbol.
const symbolLimit = 10

func (d *Draft) czechRegister(p *invoice.Party, name string) {
	if dic := companyDIC.FindStringSubmatch(p.VATID); dic != nil && p.RegistrationNumber == "" {
		p.RegistrationNumber = dic[1]
	}
	if p.RegistrationScheme != "" && p.RegistrationScheme != czechRegister {
		d.warn(finding.FieldNotWritten, name+".registrationScheme", "%s.registrationScheme is not written: ISDOC has a registration number without its scheme", name)
	}
	p.RegistrationScheme = ""
}

// czechPayer: a seller with a VAT identifier, or with tax on the invoice, pays VAT unless the invoice says otherwise (VATApplicable).
var czechPayer = Step{
	Name: "payer of VAT",
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		if cs.VATPayer != nil {
			return
		}
		pays := paysVAT(d.Invoice)
		if cs.VATPayer = &pays; !pays {
			d.warn(finding.ValueAssumed, "countrySpecific.vatPayer", "countrySpecific.vatPayer is missing: false is written, since the seller has no VAT identifier and the "+
				"invoice no tax (VATApplicable)")
		}
	},
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		if cs.VATPayer != nil && *cs.VATPayer && paysVAT(d.Invoice) {
			cs.VATPayer = nil
		}
	},
}

func paysVAT(inv *invoice.Invoice) bool {
	return inv.Seller != nil && inv.Seller.VATID != "" || slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxAmount.Sign() != 0 })
}

// czechIdentity: a document has a UUID, which is of version 5 and made of seller and number where none is given. What stands in
// countrySpecific names the country.
var czechIdentity = Step{
	Name:   "UUID",
	Copies: []Move{{"invoiceNumber", "countrySpecific.uuid"}},
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		cs.UUID = cmp.Or(cs.UUID, czechUUID(d.Invoice))
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if cs.UUID == czechUUID(inv) {
			cs.UUID = ""
		}
		czechHoles(inv)
		cs.CountryCode = "CZ"
	},
}

// czechUUID is the UUID of seller and number.
func czechUUID(inv *invoice.Invoice) string {
	seller := ""
	if s := inv.Seller; s != nil {
		seller = cmp.Or(s.RegistrationNumber, s.VATID, s.TaxID, s.Name)
	}
	return uuid5("isdoc|" + seller + "|" + inv.InvoiceNumber)
}

// czechHoles fills what documents may leave empty and an invoice may not.
func czechHoles(inv *invoice.Invoice) {
	for _, p := range []**invoice.Party{&inv.Seller, &inv.Buyer} {
		if *p == nil {
			*p = &invoice.Party{}
		}
		(*p).Name = cmp.Or((*p).Name, unnamed)
		if (*p).CountryCode == "" && len((*p).VATID) > 2 && (*p).VATID[0] >= 'A' {
			(*p).CountryCode = countryOfVAT((*p).VATID[:2])
		}
		(*p).CountryCode = cmp.Or((*p).CountryCode, "CZ")
	}
	if inv.TaxSummary == nil {
		inv.TaxSummary = []invoice.TaxSummary{}
	}
	if inv.Items == nil {
		inv.Items = []invoice.Item{}
	}
}

// czechCredit: a credit note is negative in ISDOC and positive in the invoice. A document that is positive is taken as it is.
var czechCredit = Step{
	Name: "negative credit notes",
	Derive: func(d *Draft) {
		if specificOf(d.Invoice).InvoiceTypeCode == "381" {
			negate(d.Invoice)
		}
	},
	Restore: func(d *Draft) {
		if inv := d.Invoice; specificOf(inv).InvoiceTypeCode == "381" && inv.Total.Sign() < 0 {
			negate(inv)
		}
	},
}

// InCrowns is an amount of a canonical invoice in the currency of the country, rounded to so many decimals.
func InCrowns(inv *invoice.Invoice, amount decimal.Decimal, places int) decimal.Decimal {
	cs := countryOf(inv)
	rate, units := cs.ExchangeRate, cs.ExchangeRateUnits
	if rate.Sign() == 0 {
		return amount
	}
	if units.Sign() == 0 {
		units = decimal.New(1, 0)
	}
	local, _ := amount.Mul(rate).Quo(units, places, decimal.HalfUp)
	return local
}

// czechCurrency: amounts in another currency stand beside those in crowns, which need a rate. Another tax currency than CZK is that of the
// country where it is the invoice's as well, and has its own rate otherwise.
var czechCurrency = Step{
	Name:   "currency",
	Copies: []Move{{"currency", "taxCurrencyCode"}, {"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Currency == "CZK" || inv.TaxCurrencyCode == inv.Currency {
			d.inOwnCurrency()
			return
		}
		inv.TaxCurrencyCode = cmp.Or(inv.TaxCurrencyCode, "CZK")
		if cs.ExchangeRate.Sign() <= 0 {
			d.refuse(finding.MissingField, "countrySpecific.exchangeRate", "countrySpecific.exchangeRate is missing: an invoice in %s has its amounts in %s as well (CurrRate)",
				inv.Currency, inv.TaxCurrencyCode)
			return
		}
		if !cs.ExchangeRateUnits.IsSet() {
			cs.ExchangeRateUnits = decimal.New(1, 0)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Currency == "" || inv.Currency == inv.TaxCurrencyCode {
			inv.Currency = cmp.Or(inv.TaxCurrencyCode, "CZK")
			if inv.Currency == "CZK" {
				inv.TaxCurrencyCode = ""
			}
			dropOne(&cs.ExchangeRate)
		}
		dropOne(&cs.ExchangeRateUnits)
	},
}

// dropOne lets a number go that is 1.
func dropOne(n *decimal.Decimal) {
	if n.Cmp(decimal.New(1, 0)) == 0 {
		*n = decimal.Decimal{}
	}
}

// inOwnCurrency is for an invoice in the currency of the country: there is no other, and both rates are 1.
func (d *Draft) inOwnCurrency() {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	if inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != inv.Currency {
		d.missTaxes("the invoice is in CZK, and ISDOC has the tax in the currency of the country", nil)
		d.missTaxCurrency("the invoice is in CZK, and ISDOC has the tax in the currency of the country (BT-6)")
	} else {
		d.missTaxes("the invoice is in the currency of the country", otherAmount)
	}
	d.dropTaxes()
	for _, r := range []struct {
		name  string
		given decimal.Decimal
	}{{"exchangeRate", cs.ExchangeRate}, {"exchangeRateUnits", cs.ExchangeRateUnits}} {
		if field := "countrySpecific." + r.name; r.given.IsSet() && r.given.Cmp(decimal.New(1, 0)) != 0 {
			d.warn(finding.FieldNotWritten, field, "%s is not written: the invoice is in the currency of the country", field)
		}
	}
	inv.TaxCurrencyCode, cs.ExchangeRate, cs.ExchangeRateUnits = inv.Currency, decimal.New(1, 0), decimal.New(1, 0)
}

// czechAmounts: what every document states, be it nothing, and the tax in the currency of the country.
var czechAmounts = Step{
	Name:   "amounts",
	Copies: []Move{{"taxSummary[].taxAmount", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		czechDeposits(d)
		if claimed := statedIn(inv, "LegalMonetaryTotal/"+claimedIn(inv)); claimed.IsSet() && inv.PrepaidAmount.IsSet() {
			inv.PrepaidAmount = inv.PrepaidAmount.Sub(claimed)
		}
		if !inv.PrepaidAmount.IsSet() {
			inv.PrepaidAmount = decimal.New(0, 2)
		}
		for i := range inv.TaxSummary {
			if g := &inv.TaxSummary[i]; inv.Currency != inv.TaxCurrencyCode && !g.TaxCurrencyTaxAmount.IsSet() {
				g.TaxCurrencyTaxAmount = InCrowns(inv, g.TaxAmount, 2)
			}
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if claimed := statedIn(inv, "LegalMonetaryTotal/"+claimedIn(inv)); claimed.IsSet() {
			inv.PrepaidAmount = inv.PrepaidAmount.Add(claimed)
		}
		restoreDeposits(inv)
		if inv.RoundingAmount.Sign() == 0 {
			inv.RoundingAmount = decimal.Decimal{}
		}
		inv.Subtotal = subtotalOf(inv)
	},
}

// claimedIn is the element of what was claimed before, in the currency of the invoice.
func claimedIn(inv *invoice.Invoice) string {
	if inv.Currency != "" && inv.Currency != inv.TaxCurrencyCode && inv.TaxCurrencyCode != "" {
		return "AlreadyClaimedTaxInclusiveAmountCurr"
	}
	return "AlreadyClaimedTaxInclusiveAmount"
}

// statedIn is a number that national holds.
func statedIn(inv *invoice.Invoice, path string) decimal.Decimal {
	texts := countryOf(inv).National[path]
	if len(texts) != 1 {
		return decimal.Decimal{}
	}
	d, err := decimal.Parse(texts[0])
	if err != nil {
		return decimal.Decimal{}
	}
	return d
}

// czechDeposits: payments on account with a document are listed (NonTaxedDeposits), the others are part of the sum.
func czechDeposits(d *Draft) {
	inv := d.Invoice
	var sum decimal.Decimal
	for i := range inv.Prepayments {
		p := &inv.Prepayments[i]
		if sum = sum.Add(p.Amount); p.Reference == nil {
			p.Amount = decimal.Decimal{}
		}
	}
	if !inv.PrepaidAmount.IsSet() && len(inv.Prepayments) > 0 {
		inv.PrepaidAmount = sum
	}
}

// restoreDeposits lets nothing go, and makes the payments on account add up: what no document of theirs explains is one of its own.
func restoreDeposits(inv *invoice.Invoice) {
	if inv.PrepaidAmount.Sign() == 0 {
		inv.PrepaidAmount = decimal.Decimal{}
	}
	if len(inv.Prepayments) == 0 {
		return
	}
	rest := inv.PrepaidAmount
	for i := range inv.Prepayments {
		rest = rest.Sub(inv.Prepayments[i].Amount)
	}
	if rest.Sign() != 0 {
		inv.Prepayments = append(inv.Prepayments, invoice.Prepayment{Amount: rest})
	}
}

// czechNotes: a document has one note, with terms of payment in its last paragraphs.
var czechNotes = Step{
	Name:  "notes",
	Moves: []Move{{"noteEntries[].text", "notes"}, {"noteEntries[].subjectCode", "notes"}, {"paymentTerms.description", "notes"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		paragraphs.Derive(d)
		if terms := inv.PaymentTerms; terms != nil && terms.Description != "" {
			inv.Notes, terms.Description = paragraph(inv.Notes, terms.Description), ""
		}
		if specificOf(inv).InvoiceTypeCode == "389" {
			inv.Notes = paragraph(inv.Notes, selfBilledNote)
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if rest, told := withoutLine(inv.Notes, selfBilledNote); told && specificOf(inv).InvoiceTypeCode == "380" {
			inv.Notes, specificOf(inv).InvoiceTypeCode = rest, "389"
		}
	},
}

// selfBilledNote is what the law wants on an invoice that the buyer makes (§ 29 odst. 2 písm. b) zákona č. 235/2004 Sb.).
const selfBilledNote = "vystaveno zákazníkem"

// withoutLine takes the last line off a text where it is a certain one.
func withoutLine(text, line string) (string, bool) {
	if text == line {
		return "", true
	}
	n := len(text) - len(line) - 1
	if n < 0 || text[n:] != "\n"+line {
		return text, false
	}
	return text[:n], true
}

// termsOfDays: days of payment give the due date.
var termsOfDays = Step{
	Name:   "days of payment",
	Copies: []Move{{"paymentTerms.dueDays", "dueDate"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if terms := inv.PaymentTerms; terms != nil && terms.DueDays != nil {
			if due := inv.IssueDate.AddDays(*terms.DueDays); inv.DueDate == "" || inv.DueDate == due {
				inv.DueDate, terms.DueDays = due, nil
			}
		}
	},
}

// emptied tells whether a struct says nothing.
func emptied(v any) bool { return reflect.ValueOf(v).IsZero() }

// lineNumberOf is the ordinal of a line as its identifier.
func lineNumberOf(i int) string { return strconv.Itoa(i + 1) }
