package invoice

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// categoryOutsideScope is the VAT category "not subject to VAT" (UNTDID 5305), the only one without a rate.
const categoryOutsideScope = "O"

// taxRates: taxSummary[].taxRate is required except for category O. That O has none is a rule (BR-O-05 and its kin).
func (c *checker) taxRates(inv *Invoice) {
	for i := range inv.TaxSummary {
		if t := &inv.TaxSummary[i]; rateMissing(t.TaxCategoryCode, t.TaxRate) {
			c.rate(at("taxSummary", i))
		}
	}
}

func rateMissing(category string, rate decimal.Decimal) bool {
	return category != categoryOutsideScope && !rate.IsSet()
}

func (c *checker) rate(entry string) {
	c.refuse(finding.MissingField, entry+".taxRate", "is required for every VAT category except %s", categoryOutsideScope)
}

// items checks lines and the lines within them. Paths are made for what is wrong only: there may be 25,000 lines.
func (c *checker) items(list string, items []Item) {
	for i := range items {
		item := &items[i]
		if rateMissing(item.TaxCategoryCode, item.TaxRate) && !item.untaxed() {
			c.rate(at(list, i))
		}
		if item.ServicePeriod != nil {
			c.period(at(list, i)+".servicePeriod", item.ServicePeriod)
		}
		if item.OriginCountry != "" && !countryForm(item.OriginCountry) {
			c.country(at(list, i)+".originCountry", item.OriginCountry)
		}
		if len(item.SubItems) > 0 {
			c.items(at(list, i)+".subItems", item.SubItems)
		}
	}
}

// untaxed tells whether a line has no tax of its own: it only informs or groups, and names no category.
func (i *Item) untaxed() bool {
	return i.TaxCategoryCode == "" && (i.LineSubtype == LineInformation || i.LineSubtype == LineGroup)
}
