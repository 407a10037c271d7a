package operation

import "github.com/einvoiced/einvoiced/core/invoice"

// oddOf is the index of the only line whose net amount is not what its quantity, price, allowances and charges give, else -1.
func oddOf(items []invoice.Item) int {
	return only(len(items), func(i int) bool {
		return items[i].NetAmount.IsSet() && differ(items[i].Net(), items[i].NetAmount)
	})
}

// oddParent is the first line whose net amount is not the sum of the lines directly within it, or the only one of these whose net
// amount is not what its own quantity, price, allowances and charges give.
func (f *figures) oddParent() string {
	for at, it := range f.Lines() {
		if len(it.SubItems) == 0 || it.NetAmount.Cmp(it.SubNet()) == 0 {
			continue
		}
		if i := oddOf(it.SubItems); i >= 0 && !differ(it.Net(), it.NetAmount) {
			return at.String() + "." + entry("subItems", i) + ".netAmount"
		}
		return at.String() + ".netAmount"
	}
	return ""
}

// untaxedLine is the first line within a line that has neither category nor rate.
func (f *figures) untaxedLine() string {
	for at, it := range f.Lines() {
		if _, within := at.Above(); within && it.TaxCategoryCode == "" && !it.TaxRate.IsSet() {
			return at.String() + ".taxCategoryCode"
		}
	}
	return ""
}

// strayWithin is the only line within a line that has no group of the VAT breakdown: the rules that there is one see them as well.
func (f *figures) strayWithin(groups map[invoice.TaxKey]*invoice.TaxSummary) string {
	found := ""
	for at, it := range f.Lines() {
		if _, within := at.Above(); !within || groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)] != nil {
			continue
		}
		if found != "" {
			return ""
		}
		found = at.String()
	}
	return found
}
