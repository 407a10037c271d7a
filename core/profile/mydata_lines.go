package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// greekCharges: myDATA has no allowances and charges, and no line below zero. A charge on the document is a line, an allowance is taken off the
// lines of its category and rate; those of a line are in its net value. The lines of charges are added last, so that no
// allowance is taken off them.
var greekCharges = Step{
	Name: "allowances and charges",
	Moves: []Move{{"allowancesCharges[].amount", "items[].netAmount"}, {"allowancesCharges[].reason", "items[].description"},
		{"allowancesCharges[].taxRate", "items[].taxRate"}, {"allowancesCharges[].taxCategoryCode", "items[].taxCategoryCode"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			d.foldCharges(i)
		}
		var extra []invoice.Item
		income := incomeByTax(inv.Items)
		allowances := map[invoice.TaxKey]decimal.Decimal{}
		var keys []invoice.TaxKey // of them, in their order
		first := map[invoice.TaxKey]string{}
		for i := range inv.AllowancesCharges {
			c := &inv.AllowancesCharges[i]
			field := entry("allowancesCharges", i)()
			if c.Charge() {
				extra = append(extra, invoice.Item{Description: cmp.Or(c.Reason, "Λοιπές χρεώσεις"), Quantity: decimal.New(1, 0), Unit: "C62", UnitPrice: c.Amount, NetAmount: c.Amount,
					TaxRate: c.TaxRate, TaxCategoryCode: c.TaxCategoryCode, IncomeClassification: income[invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate)]})
				continue
			}
			d.warn(finding.FieldNotWritten, field, "%s is taken off the net values of the lines of its VAT category and rate: myDATA has no allowances", field)
			key := invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate)
			if first[key] == "" {
				first[key], keys = field, append(keys, key)
			}
			allowances[key] = allowances[key].Add(c.Amount)
		}
		for _, key := range keys {
			if !takeOff(inv.Items, key, allowances[key]) {
				d.refuse(finding.GreekNegativeAmount, first[key], "%s is more, with those like it, than the lines of its VAT category and rate have: %s; myDATA has no negative amounts",
					first[key]+".amount", allowances[key])
			}
		}
		inv.AllowancesCharges = nil
		inv.Items = append(inv.Items, extra...)
		for i := range inv.Items {
			if it := &inv.Items[i]; it.NetAmount.Sign() < 0 {
				field := entry("items", i)() + ".netAmount"
				d.refuse(finding.GreekNegativeAmount, field, "%s is %s: myDATA has no negative lines; what is taken back is a credit note (5.1, 5.2) of its own", field, it.NetAmount)
			}
		}
	},
}

// incomeByTax are the classifications of income that charges get: by VAT category and rate, that of the first line which has one.
func incomeByTax(items []invoice.Item) map[invoice.TaxKey]*invoice.IncomeClassification {
	income := map[invoice.TaxKey]*invoice.IncomeClassification{}
	for i := range items {
		if key := invoice.TaxKeyOf(items[i].TaxCategoryCode, items[i].TaxRate); income[key] == nil {
			income[key] = items[i].IncomeClassification
		}
	}
	return income
}

// foldCharges lets go the allowances and charges of a line, which its net value has in it.
func (d *Draft) foldCharges(i int) {
	it := &d.Invoice.Items[i]
	for _, list := range []struct {
		name    string
		entries *[]invoice.LineCharge
	}{{"allowances", &it.Allowances}, {"charges", &it.Charges}} {
		if len(*list.entries) > 0 {
			field := d.Original(fmt.Sprintf("items[%d].%s[0]", i, list.name))
			d.warn(finding.FieldNotWritten, field, "%s is not written by itself: the net value of the line has it in it", field)
			*list.entries = nil
		}
	}
}

// takeOff takes an amount off the lines of a category and rate, each by its share; false where they are less than it. A share
// is the rounded part up to its line less that up to the line before, so that the shares add up to the amount.
func takeOff(items []invoice.Item, key invoice.TaxKey, amount decimal.Decimal) bool {
	var total decimal.Decimal
	for i := range items {
		if invoice.TaxKeyOf(items[i].TaxCategoryCode, items[i].TaxRate) == key {
			total = total.Add(items[i].NetAmount)
		}
	}
	if total.Cmp(amount) < 0 || total.Sign() <= 0 {
		return false
	}
	var before, sum decimal.Decimal
	for i := range items {
		it := &items[i]
		if invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate) != key {
			continue
		}
		sum = sum.Add(it.NetAmount)
		upTo, _ := amount.Mul(sum).Quo(total, 2, decimal.HalfUp)
		it.NetAmount, before = it.NetAmount.Sub(upTo.Sub(before)), upTo
		it.TaxAmount = decimal.Decimal{}
	}
	return true
}

// unitCodes are the units of myDATA (measurementUnit); what is another one is 7.
var unitCodes = []struct{ unit, code string }{
	{"C62", "1"}, {"H87", "1"}, {"EA", "1"}, {"KGM", "2"}, {"LTR", "3"}, {"MTR", "4"}, {"MTK", "5"}, {"MTQ", "6"}, {myDataOtherUnit, "7"},
}

// myDataOtherUnit is the unit that 7 is read as: mutually defined.
const myDataOtherUnit = "ZZ"

// greekLines: lines are numbered from 1. What a line is about is a comment, but on delivery notes, which have a description; what is said of it
// and of the invoice follows on a line of its own.
var greekLines = Step{
	Name: "lines",
	Moves: []Move{{"items[].lineId", "items[].position"}, {"items[].description", "items[].note"}, {"notes", "items[0].note"}, {"noteEntries[].text", "items[0].note"},
		{"items[].gtin", "items[].standardItemId.id"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		d.numberGreek()
		described := describes(inv)
		toldUnit := false
		for i := range inv.Items {
			it := &inv.Items[i]
			it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
			if it.Description == unnamed {
				it.Description = ""
			}
			if it.ItemDescription == it.Description {
				it.ItemDescription = ""
			}
			if !described {
				d.comment(i)
			}
			d.greekUnit(i, &toldUnit)
			d.greekClassification(i)
		}
		d.greekNotes()
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			restoreGreekLine(&inv.Items[i])
		}
		if inv.Items == nil {
			inv.Items = []invoice.Item{}
		}
	},
}

// comment makes description and note of a line its comment.
func (d *Draft) comment(i int) {
	it := &d.Invoice.Items[i]
	if it.Note != "" && utf8.RuneCountInString(it.Description)+1+utf8.RuneCountInString(it.Note) > mostComment {
		field := entry("items", i)() + ".note"
		d.warn(finding.FieldNotWritten, field, "%s is not written: a line of myDATA has %d characters for its description and note (lineComments)", field, mostComment)
		it.Note = ""
	}
	it.Description, it.Note = "", strings.TrimRight(it.Description+"\n"+it.Note, "\n")
}

// describes tells whether lines have a description (itemDescr): on delivery notes and documents free of tax for travellers.
func describes(inv *invoice.Invoice) bool {
	return moves(inv) || slices.Equal(specificOf(inv).National["invoice/invoiceHeader/specialInvoiceCategory"], []string{"4"})
}

// numberGreek numbers lines from 1 on, unless they have numbers that differ.
func (d *Draft) numberGreek() {
	items := d.Invoice.Items
	seen := map[int]bool{}
	kept := true
	for i := range items {
		if n, err := strconv.Atoi(items[i].LineID); err == nil {
			items[i].Position, items[i].LineID = &n, ""
		}
		p := items[i].Position
		if kept = kept && p != nil && *p > 0 && !seen[*p]; kept {
			seen[*p] = true
		}
	}
	for i := range items {
		if number := i + 1; !kept {
			items[i].Position = &number
		}
	}
}

// greekUnit gives the code of a unit, and tells of one that has none.
func (d *Draft) greekUnit(i int, told *bool) {
	it := &d.Invoice.Items[i]
	for _, u := range unitCodes {
		if u.unit == it.Unit {
			it.Unit = u.code
			return
		}
	}
	if it.Unit != "" && !*told {
		*told = true
		field := entry("items", i)() + ".unit"
		d.warn(finding.FieldNotWritten, field, "%s is %s, here and maybe on further lines, which is written as 7 (other): myDATA has units for pieces, kg, l, m, m² and m³", field, it.Unit)
	}
	it.Unit = "7"
}

// taricDigits is how long a code of TARIC is.
const taricDigits = 10

// greekClassification leaves the code of TARIC.
func (d *Draft) greekClassification(i int) {
	it := &d.Invoice.Items[i]
	var kept []invoice.Classification
	for j, c := range it.Classification {
		if c.SchemeID == CombinedNomenclature && len(digits(c.ID)) == taricDigits && len(c.ID) == taricDigits && kept == nil {
			kept = []invoice.Classification{c}
			continue
		}
		field := entry(entry("items", i)()+".classification", j)()
		d.warn(finding.FieldNotWritten, field, "%s is not written: myDATA has one code of TARIC (scheme HS, ten digits) for a line", field)
	}
	it.Classification = kept
}

// greekNotes puts the notes of the invoice behind the comment of the first line, as far as there is room.
func (d *Draft) greekNotes() {
	inv := d.Invoice
	texts, fields := []string{inv.Notes}, []string{"notes"}
	for i, n := range inv.NoteEntries {
		texts, fields = append(texts, n.Text), append(fields, entry("noteEntries", i)()+".text")
		leave(d, &n.SubjectCode, entry("noteEntries", i)()+".subjectCode", "a comment of a line has no code of its subject")
	}
	inv.Notes, inv.NoteEntries = "", nil
	for i, text := range texts {
		if text == "" || i > 0 && text == texts[0] {
			continue
		}
		if len(inv.Items) == 0 || !appendComment(&inv.Items[0].Note, text, describes(inv)) {
			d.warn(finding.FieldNotWritten, fields[i], "%s is not written: notes stand behind the comment of the first line, and there is no room for it", fields[i])
		}
	}
}

// appendComment adds a line to a comment, of which the first is the description unless that stands elsewhere; false where there is no room.
func appendComment(comment *string, text string, described bool) bool {
	joined := *comment + "\n" + text
	if described && *comment == "" {
		joined = text
	}
	if utf8.RuneCountInString(joined) > mostComment {
		return false
	}
	*comment = joined
	return true
}

// restoreGreekLine takes comment and description apart, and gives what a line leaves out: a quantity of one, and the price that quantity and
// net value make.
func restoreGreekLine(it *invoice.Item) {
	if it.Description == "" {
		it.Description, it.Note, _ = strings.Cut(it.Note, "\n")
	}
	it.Description = cmp.Or(it.Description, unnamed)
	unit := "C62"
	for _, u := range unitCodes {
		if u.code == it.Unit && u.code != "1" {
			unit = u.unit
		}
	}
	it.Unit = unit
	if it.Quantity.Sign() <= 0 {
		it.Quantity = decimal.New(1, 0)
	}
	if price, ok := it.NetAmount.Quo(it.Quantity, 8, decimal.HalfUp); ok {
		it.UnitPrice = price.Trim().WithMinScale(2)
	}
	for j := range it.Classification {
		it.Classification[j].SchemeID = CombinedNomenclature
	}
}
