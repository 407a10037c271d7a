package operation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"einvoiced/core/decimal"
	"einvoiced/core/invoice"
)

// figures look at the numbers of a canonical invoice after a rule about sums has fired: which member does not fit the others.
// They never decide whether something is wrong, only where to look for it.
type figures struct {
	*invoice.Invoice
	groups map[invoice.TaxKey]*invoice.TaxSummary // made when first needed
}

// sumRules are the rules about sums of the document, and others whose context is the document.
var sumRules = map[string]func(*figures) string{
	"BR-CO-10": (*figures).lineSum,
	"BR-CO-13": (*figures).netTotal,
	"BR-CO-15": (*figures).grossTotal,
	// Of lines within lines, which one finding is about.
	"BR-DEX-02": (*figures).oddParent,
	"BR-DEX-03": (*figures).untaxedLine,
}

// categoryRule are the rules that hold the lines of a VAT category against its group of the VAT breakdown, by number: 1 that
// there is one, 8 that its taxable base is their sum.
var categoryRule = regexp.MustCompile(`^BR-(S|Z|E|AE|IC|G|O|AF|AG|IG|IP|B)-0*([18])$`)

// blame gives the member that does not fit, empty where the numbers do not tell.
func (f *figures) blame(rule, field string) string {
	if look := sumRules[rule]; look != nil {
		return look(f)
	}
	if categoryRule.MatchString(rule) {
		return f.taxGroup(entryOf(field))
	}
	return f.onlyEntry(field)
}

// onlyEntry fills in the index of a list that has one entry only; empty for other fields.
func (f *figures) onlyEntry(field string) string {
	list, rest, open := strings.Cut(field, "[]")
	counts := map[string]int{"items": len(f.Items), "taxSummary": len(f.TaxSummary), "allowancesCharges": len(f.AllowancesCharges)}
	if !open || counts[list] != 1 {
		return ""
	}
	return list + "[0]" + rest
}

// entryOf is the index of the entry of taxSummary that a field is of; -1 where it is of none.
func entryOf(field string) int {
	rest, ok := strings.CutPrefix(field, "taxSummary[")
	digits, _, closed := strings.Cut(rest, "]")
	i, err := strconv.Atoi(digits)
	if !ok || !closed || err != nil {
		return -1
	}
	return i
}

var cent = decimal.New(1, 2)

// apart tells whether two amounts differ by more than a cent.
func apart(a, b decimal.Decimal) bool { return a.Sub(b).Abs().Cmp(cent) > 0 }

// only is the one index below n for which something holds, -1 where there is none or more than one.
func only(n int, holds func(i int) bool) int {
	found := -1
	for i := range n {
		if holds(i) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func entry(list string, i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s[%d]", list, i)
}

// oddLine is the only line whose net amount is not what its quantity, price, allowances and charges give.
func (f *figures) oddLine() string {
	return entry("items", oddOf(f.Items))
}

// oddOf is the index of the only such line among some, else -1.
func oddOf(items []invoice.Item) int {
	return only(len(items), func(i int) bool {
		return items[i].NetAmount.IsSet() && apart(items[i].Net(), items[i].NetAmount)
	})
}

// oddParent is the first line whose net amount is not the sum of the lines directly within it, or the only one of these whose net
// amount is not what its own quantity, price, allowances and charges give.
func (f *figures) oddParent() string {
	for at, it := range f.Lines() {
		if len(it.SubItems) == 0 || it.NetAmount.Cmp(it.SubNet()) == 0 {
			continue
		}
		if i := oddOf(it.SubItems); i >= 0 && !apart(it.Net(), it.NetAmount) {
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

// bases is the sum of the taxable bases.
func (f *figures) bases() decimal.Decimal {
	var sum decimal.Decimal
	for i := range f.TaxSummary {
		sum = sum.Add(f.TaxSummary[i].NetAmount)
	}
	return sum
}

// lineSum looks for what keeps the lines from adding up to the net total.
func (f *figures) lineSum() string { return f.oddLine() }

// netTotal looks for what keeps lines, allowances and charges from adding up to the net total.
func (f *figures) netTotal() string {
	if odd := f.oddLine(); odd != "" || apart(f.bases(), f.Subtotal) {
		return odd
	}
	if len(f.AllowancesCharges) == 1 {
		return "allowancesCharges[0]"
	}
	return "allowancesCharges"
}

// grossTotal looks for what keeps net total and tax from adding up to the gross total.
func (f *figures) grossTotal() string {
	if apart(f.bases(), f.Subtotal) {
		return "subtotal"
	}
	return entry("taxSummary", only(len(f.TaxSummary), func(i int) bool {
		t := &f.TaxSummary[i]
		return apart(taxOn(t.NetAmount, t.TaxRate), t.TaxAmount)
	}))
}

func taxOn(base, rate decimal.Decimal) decimal.Decimal {
	return base.Mul(rate).Mul(cent).Round(2, decimal.HalfUp)
}

// taxGroup looks for what keeps a group of the VAT breakdown from being that of its lines: a line that has no group, a group
// that has no lines, a line or an allowance with another amount.
func (f *figures) taxGroup(group int) string {
	f.groups = f.TaxGroups()
	line := only(len(f.Items), func(i int) bool { return f.strayLine(i) })
	charge := only(len(f.AllowancesCharges), func(i int) bool { return f.strayCharge(i) })
	idle := only(len(f.TaxSummary), func(i int) bool { return f.idle(i) })
	switch {
	case line >= 0 && idle >= 0 && f.fits(&f.Items[line]) && !f.groupFits(idle):
		return entry("taxSummary", idle)
	case line >= 0:
		return entry("items", line)
	case charge >= 0:
		return entry("allowancesCharges", charge)
	case idle >= 0:
		return entry("taxSummary", idle)
	}
	return f.oddAmount(group)
}

// oddAmount is the line, or the only allowance or charge, that a base does not fit. Without one it is the base.
func (f *figures) oddAmount(group int) string {
	if odd := f.oddLine(); odd != "" {
		return odd
	}
	if group < 0 || group >= len(f.TaxSummary) || apart(f.bases(), f.Subtotal) {
		return ""
	}
	key := keyOf(&f.TaxSummary[group])
	return entry("allowancesCharges", only(len(f.AllowancesCharges), func(i int) bool {
		c := &f.AllowancesCharges[i]
		return invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate) == key
	}))
}

func keyOf(t *invoice.TaxSummary) invoice.TaxKey {
	return invoice.TaxKeyOf(t.TaxCategoryCode, t.TaxRate)
}

func (f *figures) strayLine(i int) bool {
	return f.groups[invoice.TaxKeyOf(f.Items[i].TaxCategoryCode, f.Items[i].TaxRate)] == nil
}

func (f *figures) strayCharge(i int) bool {
	c := &f.AllowancesCharges[i]
	return f.groups[invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate)] == nil
}

// idle tells whether no line, allowance or charge belongs to a group.
func (f *figures) idle(group int) bool {
	key := keyOf(&f.TaxSummary[group])
	for i := range f.Items {
		if invoice.TaxKeyOf(f.Items[i].TaxCategoryCode, f.Items[i].TaxRate) == key {
			return false
		}
	}
	for i := range f.AllowancesCharges {
		if c := &f.AllowancesCharges[i]; invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate) == key {
			return false
		}
	}
	return true
}

// fits tells whether category, rate and tax of a line go together.
func (f *figures) fits(line *invoice.Item) bool {
	return rateFits(line.TaxCategoryCode, line.TaxRate) && !apart(taxOn(line.NetAmount, line.TaxRate), line.TaxAmount)
}

// groupFits tells the same of a group.
func (f *figures) groupFits(i int) bool {
	t := &f.TaxSummary[i]
	return rateFits(t.TaxCategoryCode, t.TaxRate) && !apart(taxOn(t.NetAmount, t.TaxRate), t.TaxAmount)
}

// rateFits tells whether a category can have a rate: only S and the taxes of the Canaries, Ceuta and Melilla have one above zero.
func rateFits(category string, rate decimal.Decimal) bool {
	switch category {
	case "S":
		return rate.Sign() > 0
	case "L", "M":
		return true
	}
	return rate.Sign() == 0
}

// explain adds to the message of a rule about taxable bases that they are gross amounts, a common mistake, where they are.
func (f *figures) explain(rule, field string) string {
	if m := categoryRule.FindStringSubmatch(rule); m == nil || m[2] != "8" {
		return ""
	}
	at := entryOf(field)
	for i := range f.TaxSummary {
		if (at < 0 || at == i) && f.gross(&f.TaxSummary[i]) {
			return " The taxable base equals the gross amount of the lines: it has to be the net amount, without VAT."
		}
	}
	return ""
}

// gross tells whether a base is the sum of its lines, allowances and charges with their tax.
func (f *figures) gross(t *invoice.TaxSummary) bool {
	key := keyOf(t)
	var net, tax decimal.Decimal
	for i := range f.Items {
		if item := &f.Items[i]; invoice.TaxKeyOf(item.TaxCategoryCode, item.TaxRate) == key {
			net, tax = net.Add(item.NetAmount), tax.Add(item.TaxAmount)
		}
	}
	for i := range f.AllowancesCharges {
		c := &f.AllowancesCharges[i]
		switch {
		case invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate) != key:
		case c.Charge():
			net = net.Add(c.Amount)
		default:
			net = net.Sub(c.Amount)
		}
	}
	gross := net.Add(taxOn(net, t.TaxRate))
	return t.NetAmount.Cmp(net) != 0 && (t.NetAmount.Cmp(gross) == 0 || tax.Sign() != 0 && t.NetAmount.Cmp(net.Add(tax)) == 0)
}
