package profile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// MyDataSummary lists the totals of a document, in their order: the element and what it is computed of.
var MyDataSummary = []struct {
	Element string
	Term    string
	Fields  []string // members that it says
	Of      func(*invoice.Invoice) decimal.Decimal
}{
	{"totalNetValue", "BT-109", []string{"subtotal"}, func(inv *invoice.Invoice) decimal.Decimal { return inv.Subtotal }},
	{"totalVatAmount", "BT-110", []string{"taxSummary[].taxAmount"}, greekVAT},
	{"totalWithheldAmount", "", nil, taxOf(1)},
	{"totalFeesAmount", "", nil, taxOf(2)},
	{"totalStampDutyAmount", "", nil, taxOf(4)},
	{"totalOtherTaxesAmount", "", nil, taxOf(3)},
	{"totalDeductionsAmount", "", nil, taxOf(5)},
	{"totalGrossValue", "BT-112", []string{"total"}, MyDataGross},
}

func greekVAT(inv *invoice.Invoice) (sum decimal.Decimal) {
	for i := range inv.TaxSummary {
		sum = sum.Add(inv.TaxSummary[i].TaxAmount)
	}
	return sum
}

// MyDataGross is what a document comes to: net value and VAT (BT-112), less taxes withheld and deductions, with fees, stamp duty and other
// taxes (AADE, rule 203).
func MyDataGross(inv *invoice.Invoice) decimal.Decimal {
	total := inv.Total
	if !total.IsSet() { // while a document is read
		for i := range inv.Items {
			total = total.Add(inv.Items[i].NetAmount).Add(inv.Items[i].TaxAmount)
		}
	}
	if inv.CountrySpecific == nil || len(inv.CountrySpecific.National) == 0 {
		return total
	}
	taxes := taxesBeyond(inv)
	return total.Sub(taxes[1]).Add(taxes[2]).Add(taxes[3]).Add(taxes[4]).Sub(taxes[5])
}

func taxOf(kind int) func(*invoice.Invoice) decimal.Decimal {
	return func(inv *invoice.Invoice) decimal.Decimal {
		if inv.CountrySpecific == nil || len(inv.CountrySpecific.National) == 0 {
			return decimal.New(0, 2)
		}
		return taxesBeyond(inv)[kind]
	}
}

// The taxes beside VAT that national has: on lines, and of the invoice with their kind (taxType: 1 withheld, 2 fees, 3 other taxes, 4 stamp
// duty, 5 deductions).
var (
	taxesOnLines = regexp.MustCompile(`^invoice/invoiceDetails(\[[0-9]+\])?/(withheldAmount|feesAmount|otherTaxesAmount|stampDutyAmount|deductionsAmount)$`)
	taxesInAll   = regexp.MustCompile(`^(invoice/taxesTotals/taxes(\[[0-9]+\])?)/taxAmount$`)
	kindsOnLines = []string{"", "withheldAmount", "feesAmount", "otherTaxesAmount", "stampDutyAmount", "deductionsAmount"}
)

// taxesBeyond are the sums of the taxes beside VAT by their kind.
func taxesBeyond(inv *invoice.Invoice) [6]decimal.Decimal {
	var sums [6]decimal.Decimal
	for i := range sums {
		sums[i] = decimal.New(0, 2)
	}
	national := inv.CountrySpecific.National
	for path, texts := range national {
		if len(texts) != 1 {
			continue
		}
		amount, err := decimal.Parse(texts[0])
		if err != nil {
			continue
		}
		if at := taxesOnLines.FindStringSubmatch(path); at != nil {
			kind := slices.Index(kindsOnLines, at[2])
			sums[kind] = sums[kind].Add(amount)
		} else if at := taxesInAll.FindStringSubmatch(path); at != nil {
			if kind := nationalText(national, at[1]+"/taxType"); len(kind) == 1 && kind >= "1" && kind <= "5" {
				sums[kind[0]-'0'] = sums[kind[0]-'0'].Add(amount)
			}
		}
	}
	return sums
}

// summaryPath is where a total stands.
func summaryPath(element string) string { return "invoice/invoiceSummary/" + element }

// greekTotals: the totals follow from the lines, and from the taxes that national has.
var greekTotals = Step{
	Name: "totals",
	Restore: func(d *Draft) {
		inv := d.Invoice
		var net, tax decimal.Decimal
		for i := range inv.Items {
			it := &inv.Items[i]
			net, tax = net.Add(it.NetAmount), tax.Add(it.TaxAmount)
		}
		if !net.IsSet() {
			net, tax = decimal.New(0, 2), decimal.New(0, 2)
		}
		inv.Subtotal, inv.Total = net, net.Add(tax)
		inv.TaxSummary = []invoice.TaxSummary{{NetAmount: net, TaxAmount: tax}}
		national := specificOf(inv).National
		var repeated []string
		for _, s := range MyDataSummary {
			stated, err := decimal.Parse(nationalText(national, summaryPath(s.Element)))
			if err == nil && stated.Cmp(s.Of(inv)) == 0 {
				repeated = append(repeated, summaryPath(s.Element))
			}
		}
		gross := MyDataGross(inv)
		for path, texts := range national {
			if strings.HasPrefix(path, paymentPath) && strings.HasSuffix(path, "/amount") && len(inv.PaymentMethods) == 1 && len(texts) == 1 {
				if amount, err := decimal.Parse(texts[0]); err == nil && amount.Cmp(gross) == 0 {
					repeated = append(repeated, path)
				}
			}
		}
		for _, path := range repeated {
			delete(national, path)
		}
	},
}

// greekRate: an invoice in another currency than the euro states the rate of exchange. Where it is left out, that of the tax in euros counts.
var greekRate = Step{
	Name:   "exchange rate",
	Copies: []Move{{"taxSummary[].taxCurrencyTaxAmount", "countrySpecific.exchangeRate"}, {"currency", "countrySpecific.exchangeRate"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		const field = "countrySpecific.exchangeRate"
		if inv.Currency == "EUR" {
			return
		}
		var tax, euros decimal.Decimal
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			tax = tax.Add(g.TaxAmount)
			if g.TaxCurrencyTaxAmount.IsSet() {
				euros = euros.Add(g.TaxCurrencyTaxAmount)
			}
		}
		if !cs.ExchangeRate.IsSet() && inv.TaxCurrencyCode == "EUR" && euros.Sign() > 0 && tax.Sign() > 0 {
			cs.ExchangeRate, _ = tax.Quo(euros, 5, decimal.HalfUp)
			d.warn(finding.ValueAssumed, field, "%s is missing: %s is written, as the tax in %s and in euros gives it", field, cs.ExchangeRate, inv.Currency)
		}
		if !cs.ExchangeRate.IsSet() {
			d.refuse(finding.MissingField, field, "%s is missing: an invoice in %s states the rate of exchange to the euro (211)", field, inv.Currency)
		}
	},
}
