package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// NAV is InvoiceData 3.0 of NAV Online Számla (Nemzeti Adó- és Vámhivatal). Its canonical invoice has the tax number of the seller in
// seller.taxId, the kind of VAT rate of each line and group in natureCode, texts without an element of their own in noteEntries and
// items[].attributes, each with the two names of additional data, and the amounts of modifications as differences.
//
// Charges become lines before lines get numbers and kinds of VAT rate; retention and discount join the terms of payment
// before these become additional data; signs turn last, and first when a document is read.
func NAV() *Profile {
	return New(Profile{
		Token: "nav", Country: "HU", Lineless: true, TypeCodes: []string{"380", "381", "384", "389"},
		Refused: map[invoice.Type]string{invoice.TypeProforma: "the authority takes no pro forma invoice; send it as pdf"},
		Steps: []Step{
			typeCode, navSeller, navBuyer, navAddresses, signs, leafLines, navAmounts, taxCategories, exemptionReasons, navCharges, navPositions,
			navDetail, navRates, navPrices, navSimplify, navExchange, navReferences, deliveryDay, navDelivery, paymentMeans, plainIBANs, navPayment,
			retention, discountSentence, navTexts, navLineTexts, navProducts, navLongTexts, navDifferences,
		},
	})
}

// hungarian are the sentences of Hungary.
var hungarian = &words{
	dueNow: "Azonnal fizetendő.", dueDays: "Fizetendő a számla keltétől számított %d napon belül.", dueOn: "Fizetendő: %s.",
	retention: "Jóteljesítési visszatartás", of: "alapja", payable: "esedékes:",
	discountDays: "%s %% engedmény %d napon belüli fizetés esetén", day: hungarianDay,
}

func hungarianDay(day invoice.Date) string { return string(day) }

// The categories of an invoice (InvoiceCategoryType), and the statuses of a buyer for VAT (CustomerVatStatusType).
const (
	navNormal     = "NORMAL"
	NAVSimplified = "SIMPLIFIED"
	NAVAggregate  = "AGGREGATE"

	NAVDomestic      = "DOMESTIC"
	navOther         = "OTHER"
	navPrivatePerson = "PRIVATE_PERSON"
)

// navDetail: category and appearance have a value that is usual.
var navDetail = Step{
	Name: "category and appearance",
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		d.defaulted("invoiceCategory", &cs.InvoiceCategory, navNormal, NAVSimplified, NAVAggregate)
		d.defaulted("invoiceAppearance", &cs.InvoiceAppearance, "ELECTRONIC", "PAPER", "EDI", "UNKNOWN")
		if cs.InvoiceCategory == NAVAggregate {
			navLineDays(d)
			return
		}
		for i := range d.Invoice.Items {
			if it := &d.Invoice.Items[i]; it.ServicePeriod != nil {
				field := entry("items", i)() + ".servicePeriod"
				d.warn(finding.PeriodNotRepresentable, field, "%s is not written: only lines of an aggregate invoice have a day of delivery (lineDeliveryDate)", field)
				it.ServicePeriod = nil
			}
		}
	},
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		cs.CountryCode = "HU"
		if cs.InvoiceCategory == navNormal {
			cs.InvoiceCategory = ""
		}
		if cs.InvoiceAppearance == "ELECTRONIC" {
			cs.InvoiceAppearance = ""
		}
	},
}

// defaulted refuses a key with another value than those; the first stands for one that is left out.
func (d *Draft) defaulted(name string, key *string, values ...string) {
	*key = cmp.Or(*key, values[0])
	if !slices.Contains(values, *key) {
		d.refuse(finding.InvalidValue, "countrySpecific."+name, "countrySpecific.%s is %q; it must be one of %q", name, *key, values)
	}
}

// navLineDays gives each line of an aggregate invoice its day of delivery.
func navLineDays(d *Draft) {
	inv := d.Invoice
	day := inv.DeliveryDate
	if inv.Delivery != nil && inv.Delivery.Date != "" {
		day = inv.Delivery.Date
	}
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.ServicePeriod == nil {
			it.ServicePeriod = &invoice.Period{Start: cmp.Or(day, inv.IssueDate), End: cmp.Or(day, inv.IssueDate)}
		}
		if p := it.ServicePeriod; p.Start != "" && p.End != "" && p.Start != p.End {
			field := entry("items", i)() + ".servicePeriod"
			d.warn(finding.PeriodNotRepresentable, field, "%s is written as its last day: lines of an aggregate invoice have one day of delivery (lineDeliveryDate)", field)
			p.Start = p.End
		}
	}
}

// navExchange: every amount is stated in HUF as well. The rate of another currency is given, or follows from the tax in HUF.
var navExchange = Step{
	Name:   "exchange rate",
	Copies: []Move{{"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != "HUF" {
			d.missTaxCurrency("NAV states the tax in HUF")
			d.dropTaxes()
		}
		switch {
		case inv.Currency == "HUF":
			if cs.ExchangeRate.IsSet() && cs.ExchangeRate.Cmp(decimal.New(1, 0)) != 0 {
				d.warn(finding.FieldNotWritten, "countrySpecific.exchangeRate", "countrySpecific.exchangeRate is not written: the invoice is in HUF, whose rate is 1")
			}
			cs.ExchangeRate = decimal.New(1, 0)
			d.missTaxes("the invoice is in HUF, as the tax in the tax currency is", otherAmount)
			d.dropTaxes()
		case !cs.ExchangeRate.IsSet():
			navRateOfTax(d)
		case cs.ExchangeRate.Sign() <= 0:
			d.refuse(finding.OutOfRange, "countrySpecific.exchangeRate", "countrySpecific.exchangeRate must be positive: HUF for one unit of %s", inv.Currency)
		}
		for i := range inv.TaxSummary {
			if g := &inv.TaxSummary[i]; !g.TaxCurrencyTaxAmount.IsSet() {
				g.TaxCurrencyTaxAmount = g.TaxAmount.Mul(cs.ExchangeRate).Round(2, decimal.HalfUp)
			}
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Currency != "HUF" {
			if slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxCurrencyTaxAmount.IsSet() }) {
				inv.TaxCurrencyCode = "HUF"
			}
			return
		}
		if cs.ExchangeRate.Cmp(decimal.New(1, 0)) == 0 {
			cs.ExchangeRate = decimal.Decimal{}
		}
		for i := range inv.TaxSummary {
			if g := &inv.TaxSummary[i]; g.TaxCurrencyTaxAmount.IsSet() && otherAmount(g) {
				stated := g.TaxCurrencyTaxAmount
				if cs.InvoiceTypeCode == "381" { // whose amounts have been turned
					stated = stated.Neg()
				}
				d.keep(navSum(i, len(inv.TaxSummary))+"/vatRateVatData/vatRateVatAmountHUF", stated.String())
			}
		}
		d.dropTaxes()
	},
}

// navSum is the path of a group of the summary.
func navSum(i, of int) string {
	const path = "invoiceMain/invoice/invoiceSummary/summaryNormal/summaryByVatRate"
	if of == 1 {
		return path
	}
	return path + entry("", i+1)()
}

// navRateOfTax computes the exchange rate of the tax that is stated in HUF, where there is some.
func navRateOfTax(d *Draft) {
	const field = "countrySpecific.exchangeRate"
	inv, cs := d.Invoice, specificOf(d.Invoice)
	var tax, huf decimal.Decimal
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.TaxCurrencyTaxAmount.IsSet() {
			tax, huf = tax.Add(g.TaxAmount), huf.Add(g.TaxCurrencyTaxAmount)
		}
	}
	rate := decimal.Decimal{}
	if tax.Sign() != 0 && inv.TaxCurrencyCode == "HUF" {
		rate, _ = huf.Quo(tax, navRateDecimals, decimal.HalfUp)
	}
	if rate.Sign() <= 0 {
		d.refuse(finding.MissingField, field, "%s is missing: NAV states every amount in HUF as well, at the rate of HUF for one unit of %s", field, inv.Currency)
		cs.ExchangeRate = decimal.New(1, 0)
		return
	}
	cs.ExchangeRate = rate.Trim()
	d.warn(finding.ValueAssumed, field, "%s is missing: %s is written, which is the tax in HUF divided by that in %s", field, cs.ExchangeRate, inv.Currency)
}

// navRateDecimals is the most decimals of an exchange rate (ExchangeRateType).
const navRateDecimals = 6

// isModification tells whether a canonical invoice modifies or cancels another one.
func isModification(inv *invoice.Invoice) bool {
	cs := inv.CountrySpecific
	return cs != nil && (cs.InvoiceTypeCode == "381" || cs.InvoiceTypeCode == "384")
}

// leaveModification leaves out where a document stands among the modifications of an invoice that it does not modify.
func (d *Draft) leaveModification(cs *invoice.CountrySpecific) {
	for _, m := range []struct {
		name  string
		given bool
	}{
		{"modificationIndex", cs.ModificationIndex != nil}, {"modifyWithoutMaster", cs.ModifyWithoutMaster != nil && *cs.ModifyWithoutMaster}, {"lineOffset", cs.LineOffset != nil},
	} {
		if field := "countrySpecific." + m.name; m.given {
			d.warn(finding.FieldNotWritten, field, "%s is not written: it is of modifications (invoiceReference)", field)
		}
	}
	cs.ModificationIndex, cs.ModifyWithoutMaster, cs.LineOffset = nil, nil, nil
}

// navReferences: a modification names the invoice that it modifies, and where it stands among those that do. Other invoices name none.
var navReferences = Step{
	Name:  "modified invoice",
	Moves: precedingInvoices.Moves,
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		precedingInvoices.Derive(d)
		switch {
		case !isModification(inv):
			if len(inv.ReferencedInvoices) > 0 {
				d.warn(finding.FieldNotWritten, d.Original("referencedInvoices[0].number"),
					"referencedInvoices is not written: only modifications name other invoices (invoiceReference)")
			}
			inv.ReferencedInvoices = nil
			d.leaveModification(cs)
			return
		case len(inv.ReferencedInvoices) == 0:
			d.refuse(finding.MissingField, "referencedInvoiceNumber", "referencedInvoiceNumber is missing: a modification names the invoice that it modifies (originalInvoiceNumber)")
			return
		}
		for i := 1; i < len(inv.ReferencedInvoices); i++ {
			field := entry("referencedInvoices", i)()
			d.warn(finding.FieldNotWritten, field, "%s is not written: a document modifies one invoice (invoiceReference)", field)
		}
		inv.ReferencedInvoices = inv.ReferencedInvoices[:1]
		d.assumeChain(cs)
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		restoreOffset(inv)
		if len(inv.ReferencedInvoices) == 0 {
			return
		}
		if cs.InvoiceTypeCode == "" {
			cs.InvoiceTypeCode = "384"
			if inv.Total.Sign() < 0 {
				cs.InvoiceTypeCode = "381"
			}
		}
		if cs.ModifyWithoutMaster != nil && !*cs.ModifyWithoutMaster {
			cs.ModifyWithoutMaster = nil
		}
		precedingInvoices.Restore(d)
	},
}

// assumeChain fills in where a modification stands in the chain of documents.
func (d *Draft) assumeChain(cs *invoice.CountrySpecific) {
	if cs.ModifyWithoutMaster == nil {
		cs.ModifyWithoutMaster = new(bool)
	}
	if cs.ModificationIndex == nil {
		first := 1
		cs.ModificationIndex = &first
		d.warn(finding.ValueAssumed, "countrySpecific.modificationIndex", "countrySpecific.modificationIndex is missing: 1 is written, the first modification of the invoice")
	}
	if cs.LineOffset == nil {
		cs.LineOffset = new(int)
		d.warn(finding.ValueAssumed, "countrySpecific.lineOffset", "countrySpecific.lineOffset is missing: lines are numbered on from 0 (lineNumberReference); "+
			"send how many lines the invoice and its modifications have before this one")
	}
	if cs.CancelsReferencedInvoice == nil {
		const field = "countrySpecific.cancelsReferencedInvoice"
		d.warn(finding.ValueAssumed, field, "%s is missing: the document is one to report to NAV as MODIFY; send true for one that cancels the other invoice (STORNO)", field)
	}
}

// navDelivery: the day of delivery is mandatory.
var navDelivery = Step{
	Name:  "day of delivery",
	Moves: []Move{{"taxPointDate", "delivery.date"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Delivery == nil {
			inv.Delivery = &invoice.Delivery{}
		}
		if inv.Delivery.Date != "" {
			return
		}
		if inv.TaxPointDate != "" {
			inv.Delivery.Date, inv.TaxPointDate = inv.TaxPointDate, ""
			return
		}
		why := "the day of issue"
		inv.Delivery.Date = inv.IssueDate
		if p := inv.ServicePeriod; p != nil && p.End != "" {
			inv.Delivery.Date, why = p.End, "the end of servicePeriod"
		}
		for i := range inv.Items {
			if p := inv.Items[i].ServicePeriod; p != nil && p.End > inv.Delivery.Date {
				inv.Delivery.Date, why = p.End, "the last day of delivery of the lines"
			}
		}
		d.warn(finding.ValueAssumed, "deliveryDate", "deliveryDate is missing: %s is written, %s", inv.Delivery.Date, why)
	},
	Restore: func(d *Draft) {
		if inv := d.Invoice; inv.Delivery != nil && inv.Delivery.Date != "" && *inv.Delivery == (invoice.Delivery{Date: inv.Delivery.Date}) {
			inv.DeliveryDate, inv.Delivery = inv.Delivery.Date, nil
		}
	},
}

// navPayments are the ways to pay by code of UNTDID 4461 (PaymentMethodType); others are OTHER.
var navPayments = map[string]string{"30": "TRANSFER", "31": "TRANSFER", "42": "TRANSFER", "50": "TRANSFER", "57": "TRANSFER", "58": "TRANSFER",
	"48": "CARD", "54": "CARD", "55": "CARD", "10": "CASH"}

// NAVPayment is the way to pay of a code.
func NAVPayment(code string) string { return cmp.Or(navPayments[code], "OTHER") }

// NAVPaymentCode is the code of a way to pay.
func NAVPaymentCode(method string) string {
	return cmp.Or(map[string]string{"TRANSFER": "30", "CARD": "48", "CASH": "10"}[method], "1")
}

// navPayment: there is one way to pay, and one account, which is the seller's.
var navPayment = Step{
	Name: "payment",
	Moves: []Move{{"paymentTerms.dueDays", "dueDate"}, {"paymentMethods[].account.iban", "seller.bankAccount.iban"},
		{"paymentMethods[].account.id", "seller.bankAccount.iban"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if terms := inv.PaymentTerms; terms != nil && terms.DueDays != nil {
			if due := inv.IssueDate.AddDays(*terms.DueDays); inv.DueDate == "" || inv.DueDate == due {
				inv.DueDate, terms.DueDays = due, nil
			}
		}
		for i := 1; i < len(inv.PaymentMethods); i++ {
			field := entry("paymentMethods", i)()
			d.warn(finding.FieldNotWritten, field, "%s is not written: NAV has one way to pay (paymentMethod)", field)
		}
		if len(inv.PaymentMethods) == 0 || inv.Seller == nil {
			return
		}
		inv.PaymentMethods = inv.PaymentMethods[:1]
		m := &inv.PaymentMethods[0]
		if a := m.Account; a != nil {
			if inv.Seller.BankAccount == nil {
				inv.Seller.BankAccount = &invoice.BankAccount{}
			}
			moveInto(&inv.Seller.BankAccount.IBAN, &a.IBAN)
			moveInto(&inv.Seller.BankAccount.IBAN, &a.ID)
			if *a == (invoice.PaymentAccount{}) {
				m.Account = nil
			}
		}
	},
}

// navDifferences: modifications state what they change the amounts by. A credit note is positive in the invoice and negative here.
var navDifferences = Step{
	Name: "differences",
	Derive: func(d *Draft) {
		if specificOf(d.Invoice).InvoiceTypeCode == "381" {
			negate(d.Invoice)
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if !inv.Total.IsSet() { // the sum with tax may be left out
			inv.Total = decimal.New(0, 2)
			for i := range inv.TaxSummary {
				inv.Total = inv.Total.Add(inv.TaxSummary[i].NetAmount).Add(inv.TaxSummary[i].TaxAmount)
			}
		}
		if len(inv.ReferencedInvoices) > 0 && inv.Total.Sign() < 0 && specificOf(inv).InvoiceTypeCode == "" {
			specificOf(inv).InvoiceTypeCode = "381"
			negate(inv)
		}
	},
}
