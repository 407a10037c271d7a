package invoice

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// CheckOptions of Check. The zero value is the default.
type CheckOptions struct {
	Country               string            // country of the request, ISO 3166-1 alpha-2 in any case. Default: not compared.
	StrictCountrySpecific bool              // countrySpecific must have countryCode. Default: it is assumed, with a warning.
	ModeLines             int               // lines in all above which this server's mode warns. Default: none.
	Reported              []finding.Finding // errors of Decode; what they touch is not judged again. Default: none.
}

// Report is what Check has to say.
type Report struct {
	Errors   []finding.Finding // those of Decode first; with any the request is refused (Refuse)
	Warnings []finding.Finding
}

// Check judges the values of an invoice that Decode has read: what the contract answers with 400 and is no rule of a rulebook.
// Rules, such as BR-CO-10 or BR-O-05, are not repeated here; nor are check digits of VAT ids and Leitweg ids.
func Check(inv *Invoice, o CheckOptions) Report {
	c := &checker{options: o, report: Report{Errors: o.Reported}}
	if inv == nil || c.cutShort() {
		return c.report
	}
	c.documentTotals(inv)
	c.prepayments(inv)
	c.cashDiscounts(inv)
	c.payment(inv)
	c.period("servicePeriod", inv.ServicePeriod)
	c.codes(inv)
	c.parties(inv)
	c.taxRates(inv)
	c.items("items", inv.Items)
	c.countrySpecific(inv.CountrySpecific)
	c.lineCount(inv)
	return c.report
}

// checker collects what Check finds.
type checker struct {
	options CheckOptions
	report  Report
	full    bool // there are as many errors as are listed
}

// cutShort tells that Decode gave up: what is missing then says nothing.
func (c *checker) cutShort() bool {
	n := len(c.options.Reported)
	return n > 0 && c.options.Reported[n-1].Code == finding.FindingsOmitted
}

// refuse adds an error whose message begins with the field, unless Decode has found fault with that place.
func (c *checker) refuse(code, field, format string, args ...any) {
	if c.full || c.touched(field) {
		return
	}
	c.report.Errors = append(c.report.Errors, finding.Finding{
		Code: code, Field: field, Message: field + " " + fmt.Sprintf(format, args...),
	})
	if c.full = len(c.report.Errors) >= defaultMaxFindings; c.full {
		c.report.Errors = append(c.report.Errors, findingsOmitted(len(c.report.Errors)))
	}
}

// touched tells whether Decode has an error at field, above it or below it.
func (c *checker) touched(field string) bool {
	for _, f := range c.options.Reported {
		if within(field, f.Field) || within(f.Field, field) {
			return true
		}
	}
	return false
}

// within tells whether path is outer or below it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && outer != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func (c *checker) warn(f finding.Finding) { c.report.Warnings = append(c.report.Warnings, f) }

// documentTotals: the amounts of BG-22 and those whose sums they are have at most two decimals and are never rounded.
func (c *checker) documentTotals(inv *Invoice) {
	c.cents("subtotal", inv.Subtotal)
	c.cents("total", inv.Total)
	c.cents("prepaidAmount", inv.PrepaidAmount)
	c.cents("roundingAmount", inv.RoundingAmount)
	for i := range inv.TaxSummary {
		c.centsAt("taxSummary", i, "taxAmount", inv.TaxSummary[i].TaxAmount)                       // BT-110
		c.centsAt("taxSummary", i, "taxCurrencyTaxAmount", inv.TaxSummary[i].TaxCurrencyTaxAmount) // BT-111
	}
	for i := range inv.Prepayments {
		c.centsAt("prepayments", i, "amount", inv.Prepayments[i].Amount) // BT-113
	}
}

func (c *checker) cents(field string, amount decimal.Decimal) {
	if moreThanCents(amount) {
		c.refuse(finding.TooManyDecimals, field, "must have at most two decimals, not %s: send %s", amount, RoundTotal(amount))
	}
}

func (c *checker) centsAt(list string, i int, name string, amount decimal.Decimal) {
	if moreThanCents(amount) {
		c.cents(at(list, i)+"."+name, amount)
	}
}

// moreThanCents judges by value: 10.500 is 10.50.
func moreThanCents(amount decimal.Decimal) bool {
	return amount.Scale() > 2 && amount.Trim().Scale() > 2
}

// prepayments: unequal to prepaidAmount is an error where both are given.
func (c *checker) prepayments(inv *Invoice) {
	if !inv.PrepaidAmount.IsSet() || len(inv.Prepayments) == 0 || c.touched("prepayments") {
		return
	}
	var sum decimal.Decimal
	for i := range inv.Prepayments {
		sum = sum.Add(inv.Prepayments[i].Amount)
	}
	if sum.Cmp(inv.PrepaidAmount) != 0 {
		c.refuse(finding.PrepaymentsMismatch, "prepaidAmount", "is %s but prepayments add up to %s", inv.PrepaidAmount, sum)
	}
}

// cashDiscounts: percent above 0 and up to 100 with two decimals, days 0 to 365.
func (c *checker) cashDiscounts(inv *Invoice) {
	c.percent("cashDiscountPercent", inv.CashDiscountPercent)
	c.days("cashDiscountDays", inv.CashDiscountDays)
	if inv.PaymentTerms == nil || inv.PaymentTerms.EarlyPaymentDiscount == nil {
		return
	}
	discount := inv.PaymentTerms.EarlyPaymentDiscount
	c.percent("paymentTerms.earlyPaymentDiscount.discountPercent", discount.DiscountPercent)
	c.days("paymentTerms.earlyPaymentDiscount.days", discount.Days)
}

func (c *checker) percent(field string, percent decimal.Decimal) {
	switch {
	case !percent.IsSet():
	case percent.Sign() <= 0 || percent.Cmp(decimal.New(100, 0)) > 0:
		c.refuse(finding.OutOfRange, field, "must be above 0 and at most 100, not %s", percent)
	default:
		c.cents(field, percent)
	}
}

func (c *checker) days(field string, days *int) {
	if days != nil && (*days < 0 || *days > 365) {
		c.refuse(finding.OutOfRange, field, "must be 0 to 365, not %d", *days)
	}
}

// period: one end or both; an empty one is an error.
func (c *checker) period(field string, p *Period) {
	if p != nil && p.Start == "" && p.End == "" {
		c.refuse(finding.MissingField, field, "must have start, end or both")
	}
}

// countrySpecific must be for the country of the request.
func (c *checker) countrySpecific(s *CountrySpecific) {
	const field = "countrySpecific.countryCode"
	country := strings.ToUpper(c.options.Country)
	switch {
	case s == nil || c.touched(field):
	case s.CountryCode == "" && c.options.StrictCountrySpecific:
		c.refuse(finding.MissingField, field, "is required")
	case country == "":
	case s.CountryCode == "":
		c.warn(finding.Finding{Code: finding.CountryCodeAssumed, Field: field, Message: field + " is missing: " + country + " is assumed"})
	case !strings.EqualFold(s.CountryCode, country):
		c.refuse(finding.CountryCodeMismatch, field, "is %s but the request is for %s", excerpt(s.CountryCode), country)
	}
}

// lineCount warns of more lines than the server's mode allows.
func (c *checker) lineCount(inv *Invoice) {
	limit := c.options.ModeLines
	if count := countLines(inv.Items); limit > 0 && count > limit {
		c.warn(finding.Finding{
			Code: finding.InvoiceLinesAboveModeLimit, Field: "items", Count: int64(count), Limit: int64(limit),
			Message: fmt.Sprintf("items has %d lines in all with its subItems; a later release refuses more than %d", count, limit),
		})
	}
}

func countLines(items []Item) int {
	n := len(items)
	for i := range items {
		n += countLines(items[i].SubItems)
	}
	return n
}
