package operation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// figures look at the numbers of a canonical invoice after a rule about sums has fired: which member does not fit the others.
// They never decide whether something is wrong, only where to look for it.
type figures struct {
	*invoice.Invoice
	added *sums // made when first needed, once: there may be many findings
}

// sums are what adding the lines up once tells. An index is -1 where there is none or more than one.
type sums struct {
	oddLine                int    // whose net amount is not what its quantity, price, allowances and charges give
	strayLine, strayCharge int    // that has no group of the VAT breakdown
	strayWithin            string // path of the only line within a line that has none
	idleGroup              int    // that has no lines, allowances and charges
	bases                  decimal.Decimal
	byKey                  map[invoice.TaxKey]*sum // of the lines, allowances and charges
}

// sum is that of what one group of the VAT breakdown is for.
type sum struct {
	net, tax decimal.Decimal
	charge   int // the only allowance or charge, -1 where there is none or more than one
	charges  int
}

// add adds the invoice up.
func (f *figures) add() *sums {
	if f.added != nil {
		return f.added
	}
	a := &sums{byKey: map[invoice.TaxKey]*sum{}}
	f.added = a
	groups := f.TaxGroups()
	a.strayLine = only(len(f.Items), func(i int) bool {
		key := invoice.TaxKeyOf(f.Items[i].TaxCategoryCode, f.Items[i].TaxRate)
		at := a.of(key)
		at.net, at.tax = at.net.Add(f.Items[i].NetAmount), at.tax.Add(f.Items[i].TaxAmount)
		return groups[key] == nil
	})
	a.strayCharge = only(len(f.AllowancesCharges), func(i int) bool {
		key := invoice.TaxKeyOf(f.AllowancesCharges[i].TaxCategoryCode, f.AllowancesCharges[i].TaxRate)
		a.of(key).take(i, &f.AllowancesCharges[i])
		return groups[key] == nil
	})
	a.idleGroup = only(len(f.TaxSummary), func(i int) bool {
		a.bases = a.bases.Add(f.TaxSummary[i].NetAmount)
		return a.byKey[keyOf(&f.TaxSummary[i])] == nil
	})
	a.oddLine = oddOf(f.Items)
	a.strayWithin = f.strayWithin(groups)
	return a
}

// of gives the sum of a key, a new one where there is none yet.
func (a *sums) of(key invoice.TaxKey) *sum {
	if a.byKey[key] == nil {
		a.byKey[key] = &sum{charge: -1}
	}
	return a.byKey[key]
}

// take adds an allowance or charge.
func (s *sum) take(i int, c *invoice.DocumentCharge) {
	if s.charges++; s.charges == 1 {
		s.charge = i
	} else {
		s.charge = -1
	}
	if c.Charge() {
		s.net = s.net.Add(c.Amount)
	} else {
		s.net = s.net.Sub(c.Amount)
	}
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
// there is one, 8 that its taxable base is their sum, 9 that its tax is that of the base.
var categoryRule = regexp.MustCompile(`^BR-(S|Z|E|AE|IC|G|O|AF|AG|IG|IP|B)-0*([189])$`)

// blame gives the member that does not fit, empty where the numbers do not tell.
func (f *figures) blame(rule, field string) string {
	if look := sumRules[rule]; look != nil {
		return look(f)
	}
	if m := categoryRule.FindStringSubmatch(rule); m != nil && m[2] != "9" {
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

// differ tells whether two amounts differ by more than a cent. Less than that comes of rounding.
func differ(a, b decimal.Decimal) bool { return a.Sub(b).Abs().Cmp(cent) > 0 }

// only is the one index below n for which something holds, -1 where there is none or more than one. It asks for each.
func only(n int, holds func(i int) bool) int {
	found, count := -1, 0
	for i := range n {
		if holds(i) {
			found, count = i, count+1
		}
	}
	if count != 1 {
		return -1
	}
	return found
}

func entry(list string, i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s[%d]", list, i)
}

// lineSum looks for what keeps the lines from adding up to the net total.
func (f *figures) lineSum() string { return entry("items", f.add().oddLine) }

// netTotal looks for what keeps lines, allowances and charges from adding up to the net total.
func (f *figures) netTotal() string {
	if odd := f.lineSum(); odd != "" || differ(f.add().bases, f.Subtotal) {
		return odd
	}
	if len(f.AllowancesCharges) == 1 {
		return "allowancesCharges[0]"
	}
	return "allowancesCharges"
}

// grossTotal looks for what keeps net total and tax from adding up to the gross total.
func (f *figures) grossTotal() string {
	if differ(f.add().bases, f.Subtotal) {
		return "subtotal"
	}
	return entry("taxSummary", only(len(f.TaxSummary), func(i int) bool {
		t := &f.TaxSummary[i]
		return differ(taxOn(t.NetAmount, t.TaxRate), t.TaxAmount)
	}))
}

// taxOn is the VAT on an amount. The rate is in percent, of which the cent makes a factor.
func taxOn(base, rate decimal.Decimal) decimal.Decimal {
	return base.Mul(rate).Mul(cent).Round(2, decimal.HalfUp)
}

// taxGroup looks for what keeps a group of the VAT breakdown from being that of its lines: a line that has no group, a group
// that has no lines, a line or an allowance with another amount.
func (f *figures) taxGroup(group int) string {
	a := f.add()
	switch {
	case a.strayLine >= 0 && a.idleGroup >= 0 && !f.fits(a.idleGroup):
		return entry("taxSummary", a.idleGroup)
	case a.strayLine >= 0:
		return entry("items", a.strayLine)
	case a.strayCharge >= 0:
		return entry("allowancesCharges", a.strayCharge)
	case a.strayWithin != "":
		return a.strayWithin
	case a.idleGroup >= 0:
		return entry("taxSummary", a.idleGroup)
	}
	return f.oddAmount(group)
}

// oddAmount is the line, or the only allowance or charge, that a base does not fit. Without one it is the base.
func (f *figures) oddAmount(group int) string {
	a := f.add()
	if a.oddLine >= 0 || group < 0 || group >= len(f.TaxSummary) || differ(a.bases, f.Subtotal) {
		return f.lineSum()
	}
	if at := a.byKey[keyOf(&f.TaxSummary[group])]; at != nil {
		return entry("allowancesCharges", at.charge)
	}
	return ""
}

func keyOf(t *invoice.TaxSummary) invoice.TaxKey {
	return invoice.TaxKeyOf(t.TaxCategoryCode, t.TaxRate)
}

// fits tells whether category, rate, base and tax of a group go together.
func (f *figures) fits(i int) bool {
	t := &f.TaxSummary[i]
	return rateFits(t.TaxCategoryCode, t.TaxRate) && !differ(taxOn(t.NetAmount, t.TaxRate), t.TaxAmount)
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

// buyerReferenceRule is the rule that BT-10 is there, for which the contract names one of its members alone.
const buyerReferenceRule = "BR-DE-15"

// explain adds to the message of a rule about BT-10 its members, to that of one about the electronic address what will do, and to that of a rule about taxable bases that they are gross amounts, a
// common mistake, where they are.
func (f *figures) explain(rule, field string) string {
	switch rule {
	case buyerReferenceRule:
		return " Send buyerReference, or countrySpecific.leitwegId for a Leitweg-ID."
	case "PEPPOL-EN16931-R010":
		return addressHint("buyer", f.Buyer)
	case "PEPPOL-EN16931-R020":
		return addressHint("seller", f.Seller)
	}
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

// addressHint says what an electronic address is made of where a party has none; of e-mail addresses that they are none in the network.
func addressHint(member string, p *invoice.Party) string {
	hint := fmt.Sprintf(" Send %s.electronicAddress, or %s.vatId to be known by that.", member, member)
	if p != nil && (p.Email != "" || p.Contact != nil && p.Contact.Email != "") {
		hint += " The Peppol network does not deliver to e-mail addresses."
	}
	return hint
}

// gross tells whether a base is the sum of its lines, allowances and charges with their tax.
func (f *figures) gross(t *invoice.TaxSummary) bool {
	at := f.add().byKey[keyOf(t)]
	if at == nil {
		return false
	}
	net, tax := at.net, at.tax
	gross := net.Add(taxOn(net, t.TaxRate))
	return t.NetAmount.Cmp(net) != 0 && (t.NetAmount.Cmp(gross) == 0 || tax.Sign() != 0 && t.NetAmount.Cmp(net.Add(tax)) == 0)
}
