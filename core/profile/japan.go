package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Japan is PINT JP 1.1.3.
func Japan() *Profile { return New(japan()) }

func japan() Profile {
	return Profile{
		Token: "ubl", Country: "JP", Specification: PintJP, BusinessProcess: pintBilling, TypeCodes: []string{"380"}, TypeRule: "aligned-ibrp-cl-02-jp",
		Refused: map[invoice.Type]string{
			invoice.TypeProforma:   pintRefused[invoice.TypeProforma],
			invoice.TypeCreditNote: "PINT JP has no credit note; send an invoice with negative quantities",
		},
		Steps: slices.Concat([]Step{qualifiedInvoice}, pintSteps(accountedIn("JPY", false, false), accountedBreakdown(), japanesePeriod, wholeYen)),
	}
}

// JapanSelfBilled is the specification of PINT JP for self-billing.
func JapanSelfBilled() *Profile {
	p := japan()
	p.Specification, p.BusinessProcess, p.TypeCodes, p.TypeRule = PintJPSelfBilling, pintSelfBilling, []string{"389"}, "ibr-cl-01-jp-sb"
	return New(p)
}

// JapanNonTax is the specification of PINT JP for sellers who are not registered for consumption tax.
func JapanNonTax() *Profile {
	p := japan()
	p.Specification, p.TypeCodes, p.TypeRule = PintJPNonTax, []string{"480"}, "ibr-cl-01-jp-ntr"
	p.Steps = slices.Concat([]Step{nonTaxCode}, p.Steps)
	return New(p)
}

// NotTaxRegistered tells whether a seller is not registered for consumption tax: no number of a registration is given, and no tax is billed.
func NotTaxRegistered(inv *invoice.Invoice) bool {
	cs := inv.CountrySpecific
	if SelfBilled(inv) || inv.Seller == nil || inv.Seller.VATID != "" || cs != nil && cs.QualifiedInvoiceNumber != "" {
		return false
	}
	return !slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxAmount.Sign() != 0 })
}

// TaxRegistered tells whether an invoice is of the specification for sellers who are registered.
func TaxRegistered(inv *invoice.Invoice) bool { return !SelfBilled(inv) && !NotTaxRegistered(inv) }

// nonTaxCode: an invoice of a seller who is not registered has the code 480 (IBT-3), and there is no other document of one.
var nonTaxCode = Step{
	Name:   "code without registration",
	Copies: []Move{{"type", "countrySpecific.invoiceTypeCode"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if cs.InvoiceTypeCode != "" || d.Profile.Refused[inv.Type] != "" {
			return
		}
		if inv.Type != invoice.TypeInvoice {
			d.warn(finding.DocumentTypeFallback, "type", "type %q (%s) is written as 480: sellers who are not registered have no code for it (BT-3)", inv.Type, codeOf(inv.Type))
		}
		inv.Type, cs.InvoiceTypeCode = invoice.TypeInvoice, "480"
	},
}

// qualifiedInvoice: the registration number of a qualified invoice is the tax identifier of the seller (IBT-31; aligned-ibr-jp-01).
var qualifiedInvoice = Step{
	Name:  "qualified invoice",
	Moves: []Move{{"countrySpecific.qualifiedInvoiceNumber", "seller.vatId"}},
	Derive: func(d *Draft) {
		if s := d.Invoice.Seller; s != nil {
			moveInto(&s.VATID, &specificOf(d.Invoice).QualifiedInvoiceNumber)
		}
	},
}

// japanesePeriod: a Japanese invoice says when was delivered what it is about (IBG-14, aligned-ibrp-052; Consumption Tax Act, article
// 57-4): without a period on the day of delivery, else on the day of issue.
var japanesePeriod = Step{
	Name:   "period",
	Copies: []Move{{"delivery.date", "servicePeriod.start"}, {"delivery.date", "servicePeriod.end"}, {"issueDate", "servicePeriod.start"}, {"issueDate", "servicePeriod.end"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.ServicePeriod != nil || slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.ServicePeriod != nil }) {
			return
		}
		day := inv.IssueDate
		if inv.Delivery != nil && inv.Delivery.Date != "" {
			day = inv.Delivery.Date
		}
		inv.ServicePeriod = &invoice.Period{Start: day, End: day}
	},
}

// wholeYen: amounts in yen have no decimals (aligned-ibr-jp-06); zeros at the end are none.
var wholeYen = Step{
	Name: "whole yen",
	Derive: func(d *Draft) {
		if d.Invoice.Currency == "JPY" {
			for _, amount := range amountsOf(d.Invoice) {
				if amount.IsSet() && amount.IsInt() {
					*amount = amount.Trim()
				}
			}
		}
	},
}

// amountsOf lists the amounts of an invoice that are money, without prices.
func amountsOf(inv *invoice.Invoice) []*decimal.Decimal {
	list := []*decimal.Decimal{&inv.Subtotal, &inv.Total, &inv.RoundingAmount, &inv.PrepaidAmount}
	for i := range inv.Items {
		it := &inv.Items[i]
		list = append(list, &it.NetAmount)
		for _, entries := range [][]invoice.LineCharge{it.Allowances, it.Charges} {
			for j := range entries {
				list = append(list, &entries[j].Amount, &entries[j].BaseAmount)
			}
		}
	}
	for i := range inv.TaxSummary {
		list = append(list, &inv.TaxSummary[i].NetAmount, &inv.TaxSummary[i].TaxAmount)
	}
	for i := range inv.AllowancesCharges {
		list = append(list, &inv.AllowancesCharges[i].Amount, &inv.AllowancesCharges[i].BaseAmount)
	}
	for i := range inv.Prepayments {
		list = append(list, &inv.Prepayments[i].Amount)
	}
	return list
}
