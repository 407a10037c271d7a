package standard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
	shaped "github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/profile"
)

// data is what the standard template shows of an invoice, beside the members of the invoice itself.
type data struct {
	inv    *invoice.Invoice
	of     *country.Country
	facts  *country.Set
	main   string // the language of numbers and dates
	labels map[string]string
	locale locale.Locale
	root   block.Value
}

// Value gives an invoice as placeholders see it: its members under their names.
func Value(inv *invoice.Invoice) (block.Value, error) {
	text, err := json.Marshal(inv)
	if err != nil {
		return block.Value{}, fmt.Errorf("write the invoice for its layout: %w", err)
	}
	return block.ParseValue(text)
}

func text(s string) block.Value { return block.Value{Kind: block.Text, Text: s} }

func amount(d decimal.Decimal) block.Value { return block.Value{Kind: block.Number, Text: d.String()} }

// fill adds to the members of the invoice what the template shows besides.
func (d *data) fill() {
	labels := block.Value{Kind: block.Object}
	for _, name := range sortedNames(d.labels) {
		labels.Set(name, text(d.labels[name]))
	}
	d.root.Set("labels", labels)
	heads := block.Value{Kind: block.Object} // of columns: two languages stand below each other, which leaves room for the descriptions
	for _, name := range []string{"pos", "description", "quantity", "price", "rate", "net"} {
		head := d.labels[name]
		if len(d.languages()) > 1 {
			head = strings.ReplaceAll(head, between, "\n")
		}
		heads.Set(name, text(head))
	}
	d.root.Set("heads", heads)
	d.root.Set("title", text(d.title()))
	for name, p := range map[string]*invoice.Party{"seller": d.inv.Seller, "buyer": d.inv.Buyer} {
		d.root.Set(name, d.party(d.root.Get(name), p))
	}
	d.root.Set("buyerReference", text(d.buyerReference()))
	d.root.Set("delivered", text(string(d.delivered())))
	d.root.Set("period", text(d.period(d.inv.ServicePeriod)))
	d.root.Set("originals", text(d.originals()))
	d.root.Set("shipTo", text(d.shipTo()))
	d.root.Set("texts", text(d.texts()))
	d.root.Set("lines", d.lines())
	d.root.Set("sums", d.sums())
	d.root.Set("payable", amount(en16931.AmountDue(d.inv)))
	d.root.Set("mentions", text(joined("\n", append(d.mentions(), d.representative())...)))
	d.root.Set("payments", text(strings.Join(d.payments(), "\n")))
	d.root.Set("epc", text(d.epc()))
	d.root.Set("references", text(strings.Join(d.printed(country.AtReference), "\n")))
	d.root.Set("closing", text(strings.Join(d.closing(), "\n")))
	d.root.Set("official", Official(d.official()))
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// joined puts texts together that are not empty.
func joined(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), between)
}

// labelled is a text behind its label, empty where it is empty.
func (d *data) labelled(label, value string) string {
	if value == "" {
		return ""
	}
	colon := ": "
	if d.main == "fr" {
		colon = "\u00a0: "
	}
	return aside(d.labels[label]) + colon + value
}

// aside keeps what follows a label that ends in a script from right to left behind it (UAX #9, LRM).
func aside(label string) string {
	if shaped.RightToLeft(label) {
		return label + "\u200e"
	}
	return label
}

func (d *data) party(v block.Value, p *invoice.Party) block.Value {
	if p == nil {
		return v
	}
	place, land := d.place(p)
	contact := invoice.Contact{}
	if p.Contact != nil {
		contact = *p.Contact
	}
	v.Set("line", text(joined(" · ", p.Name, p.Street, place)))
	v.Set("lines", text(joined("\n", p.Name, p.TradingName, contact.Name, contact.Department, p.Street, p.AdditionalStreet, p.AddressLine3, place, land)))
	numbers := d.numbers(p)
	v.Set("numbers", text(joined("\n", numbers...)))
	reach := joined(" · ", cmp.Or(p.Phone, contact.Phone), cmp.Or(p.Email, contact.Email), p.Website)
	whole := joined(" · ", p.Name, p.TradingName, p.Street, p.AdditionalStreet, p.AddressLine3, place, land)
	code := ""
	if d.of.Code == "PT" && p == d.inv.Seller && d.inv.CountrySpecific != nil && atcud(d.inv) != "" {
		code = "ATCUD:" + atcud(d.inv) // on each page
	}
	v.Set("foot", text(joined("\n", whole, joined(" · ", numbers...), reach, p.LegalInformation, code)))
	return v
}

// types name the words for types of documents that share them.
var types = map[invoice.Type]string{
	invoice.TypePartialConstruction: "partial", invoice.TypePartialFinalConstruction: "partial", invoice.TypeFinalConstruction: "final",
}

// title is what the document is called, by the facts of the country first; in a language that the country does not have, by the words of it.
func (d *data) title() string {
	var titles []string
	for _, language := range d.languages() {
		if title := d.of.Title(language, d.inv.Type); slices.Contains(d.of.Languages, language) && title != "" && !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	if len(titles) > 0 {
		return strings.Join(titles, " / ")
	}
	return d.labels[cmp.Or(types[d.inv.Type], string(d.inv.Type))]
}

// languages are those of the document: one, or two where the country's invoices have two.
func (d *data) languages() []string {
	if d.of.Bilingual && len(d.of.Languages) > 1 && slices.Contains(d.of.Languages[:2], d.main) {
		both := slices.Clone(d.of.Languages[:2])
		slices.SortStableFunc(both, func(a, b string) int { return cmp.Compare(runsLeft(a), runsLeft(b)) })
		return both
	}
	return []string{d.main}
}

// runsLeft puts languages that run from right to left last: beside each other on a line, words and numbers then stand as they are read.
func runsLeft(language string) int {
	if language == "ar" || language == "he" {
		return 1
	}
	return 0
}

func (d *data) delivered() invoice.Date {
	if d.inv.Delivery != nil && d.inv.Delivery.Date != "" {
		return d.inv.Delivery.Date
	}
	return d.inv.DeliveryDate
}

func (d *data) date(day invoice.Date) string { return d.locale.Date(string(day)) }

func (d *data) period(p *invoice.Period) string {
	if p == nil {
		return ""
	}
	return joined(" – ", d.date(p.Start), d.date(p.End))
}

// originals are the invoices that this one refers to.
func (d *data) originals() string {
	list := []string{joined(", ", d.inv.ReferencedInvoiceNumber, d.date(d.inv.ReferencedInvoiceDate))}
	for _, r := range d.inv.ReferencedInvoices {
		list = append(list, joined(", ", r.Number, d.date(r.Date)))
	}
	return joined("\n", list...)
}

func (d *data) shipTo() string {
	if d.inv.Delivery == nil {
		return ""
	}
	a := invoice.Address{}
	if d.inv.Delivery.Address != nil {
		a = *d.inv.Delivery.Address
	}
	place, land := d.place(&invoice.Party{PostalCode: a.PostalCode, City: a.City, State: a.State, CountryCode: a.CountryCode})
	return joined(", ", d.inv.Delivery.Name, a.Street, a.AdditionalStreet, a.AddressLine3, place, land)
}

// texts are the notes of the invoice.
func (d *data) texts() string {
	list := []string{d.inv.Notes}
	for _, n := range d.inv.NoteEntries {
		list = append(list, n.Text)
	}
	return joined("\n", list...)
}

// signs are the units (UN/ECE recommendations 20 and 21) that have a sign all languages know. A piece needs none.
var signs = map[string]string{
	"C62": "", "H87": "", "EA": "", "XPP": "", "HUR": "h", "MIN": "min", "SEC": "s", "KGM": "kg", "GRM": "g", "TNE": "t", "MTR": "m", "CMT": "cm",
	"MMT": "mm", "KMT": "km", "MTK": "m²", "MTQ": "m³", "LTR": "l", "MLT": "ml", "KWH": "kWh", "MWH": "MWh", "DAY": "d", "P1": "%",
}

// lines are the lines, with those within them behind them.
func (d *data) lines() block.Value {
	var rows []block.Value
	d.add(&rows, d.inv.Items, "")
	return block.Value{Kind: block.List, List: rows}
}

func (d *data) add(rows *[]block.Value, items []invoice.Item, above string) {
	for i := range items {
		item := &items[i]
		position := strconv.Itoa(i + 1)
		if item.Position != nil {
			position = strconv.Itoa(*item.Position)
		}
		position = above + cmp.Or(item.LineID, position)
		*rows = append(*rows, d.line(item, position))
		d.add(rows, item.SubItems, position+".")
	}
}

func (d *data) line(item *invoice.Item, position string) block.Value {
	more := item.ItemDescription
	if more == item.Description {
		more = ""
	}
	details := []string{more, item.ArticleNumber, d.period(item.ServicePeriod), item.Note}
	for _, a := range item.Attributes {
		details = append(details, a.Name+": "+a.Value)
	}
	for _, c := range item.Allowances {
		details = append(details, joined(" ", cmp.Or(c.Reason, d.labels["allowance"])+":", d.money(c.Amount.Neg())))
	}
	for _, c := range item.Charges {
		details = append(details, joined(" ", cmp.Or(c.Reason, d.labels["charge"])+":", d.money(c.Amount)))
	}
	if item.Discount != nil {
		value := d.money(item.Discount.Value.Neg())
		if item.Discount.Type == invoice.DiscountPercentage {
			value = d.locale.Percent(item.Discount.Value.Neg(), -1)
		}
		details = append(details, joined(" ", cmp.Or(item.Discount.Reason, d.labels["allowance"])+":", value))
	}
	unit, known := signs[item.Unit]
	if !known {
		unit = item.Unit
	}
	row := block.Value{Kind: block.Object, Members: []block.Member{{Name: "position", Value: text(position)}, {Name: "text", Value: text(item.Description)}, {Name: "details", Value: text(joined("\n", details...))},
		{Name: "unitName", Value: text(unit)}, {Name: "price", Value: text(d.price(item))}}}
	for _, a := range []struct {
		name  string
		value decimal.Decimal
	}{{"quantity", item.Quantity}, {"taxRate", item.TaxRate}, {"netAmount", item.NetAmount}} {
		if a.value.IsSet() {
			row.Members = append(row.Members, block.Member{Name: a.name, Value: amount(a.value)})
		}
	}
	return row
}

// price is the net price with all its decimals, and the quantity that it is for where that is not one.
func (d *data) price(item *invoice.Item) string {
	if !item.UnitPrice.IsSet() {
		return ""
	}
	price := d.locale.Number(item.UnitPrice.Trim().WithMinScale(locale.Places(d.inv.Currency)), -1)
	if item.PriceBaseQuantity.IsSet() && !item.PriceBaseQuantity.Equal(decimal.New(1, 0)) {
		price += " / " + d.locale.Number(item.PriceBaseQuantity.Trim(), -1)
	}
	return price
}

func (d *data) money(a decimal.Decimal) string {
	return d.locale.Money(a, locale.Places(d.inv.Currency), locale.Symbol(d.inv.Currency))
}

// sums are what leads from the lines to what is to be paid.
func (d *data) sums() block.Value {
	var rows []block.Value
	add := func(label string, a decimal.Decimal) {
		if a.IsSet() {
			rows = append(rows, block.Value{Kind: block.Object, Members: []block.Member{{Name: "label", Value: text(label)}, {Name: "amount", Value: amount(a)}}})
		}
	}
	for _, c := range d.inv.AllowancesCharges {
		label, value := "allowance", c.Amount.Neg()
		if c.IsCharge != nil && *c.IsCharge {
			label, value = "charge", c.Amount
		}
		add(cmp.Or(c.Reason, d.labels[label]), value)
	}
	add(d.labels["subtotal"], d.inv.Subtotal)
	for i := range d.inv.TaxSummary {
		t := &d.inv.TaxSummary[i]
		label := d.labels["tax"]
		if t.TaxRate.IsSet() {
			label = aside(label) + " " + d.locale.Percent(t.TaxRate, -1)
		}
		add(aside(label)+" · "+d.money(t.NetAmount), t.TaxAmount)
		if t.TaxCurrencyTaxAmount.IsSet() {
			add(label+" ("+d.inv.TaxCurrencyCode+" "+d.locale.Number(t.TaxCurrencyTaxAmount, -1)+")", t.TaxAmount)
		}
	}
	add(d.labels["total"], d.inv.Total)
	if d.inv.PrepaidAmount.IsSet() {
		add(d.labels["paid"], d.inv.PrepaidAmount.Neg())
	}
	add("±", d.inv.RoundingAmount)
	return block.Value{Kind: block.List, List: rows}
}

// mentions are the sentences of the law, and the reasons for exemptions that the invoice gives.
func (d *data) mentions() []string {
	var list []string
	for _, language := range d.languages() {
		for _, m := range d.of.MentionsOf(d.inv, language) {
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	for _, t := range d.inv.TaxSummary {
		if t.ExemptionReason != "" && !slices.Contains(list, t.ExemptionReason) {
			list = append(list, t.ExemptionReason)
		}
	}
	return list
}

// account is where to pay to.
func (d *data) account() (holder string, a *invoice.BankAccount) {
	for _, p := range []*invoice.Party{d.inv.Payee, d.inv.Seller} {
		if p != nil && p.BankAccount != nil {
			return cmp.Or(p.BankAccount.AccountHolder, p.Name), p.BankAccount
		}
	}
	return "", nil
}

func (d *data) payments() []string {
	var list []string
	if d.inv.PaymentTerms != nil {
		list = append(list, d.inv.PaymentTerms.Description)
	}
	list = append(list, profile.PaymentSentences(d.inv, d.main)...)
	if holder, a := d.account(); a != nil {
		list = append(list, d.labelled("payee", holder), joined(" · ", "IBAN "+grouped(a.IBAN), labelledPlain("BIC", a.BIC), a.BankName))
	}
	for _, m := range d.inv.PaymentMethods {
		list = append(list, m.Details)
	}
	list = append(list, d.labelled("reference", d.inv.PaymentReference))
	if m := d.inv.DirectDebitMandate; m != nil {
		list = append(list, d.labelled("mandate", m.MandateID), d.labelled("creditor", m.CreditorID), labelledPlain("IBAN", grouped(m.DebitAccountID)))
	}
	list = append(list, d.danishCard())
	list = append(list, d.printed(country.AtPayment)...)
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func labelledPlain(label, value string) string {
	if value == "" {
		return ""
	}
	return label + " " + value
}

// grouped writes an IBAN in groups of four, as ISO 13616 does on paper.
func grouped(iban string) string {
	iban = strings.ReplaceAll(iban, " ", "")
	var out []string
	for len(iban) > 4 {
		out, iban = append(out, iban[:4]), iban[4:]
	}
	return strings.Join(append(out, iban), "\u00a0")
}

// epc is the payload of the code that banking programs read for credit transfers in euros (EPC069-12, version 002).
func (d *data) epc() string {
	holder, a := d.account()
	due := en16931.AmountDue(d.inv)
	transfer := slices.ContainsFunc(d.inv.PaymentMethods, func(m invoice.PaymentMethod) bool {
		return m.Type == invoice.PayCreditTransfer || m.Type == invoice.PayBankTransfer
	})
	limit := decimal.MustParse("999999999.99")
	if a == nil || !transfer || d.inv.Currency != "EUR" || due.Sign() <= 0 || due.Cmp(limit) > 0 {
		return ""
	}
	purpose := cut(cmp.Or(d.inv.PaymentReference, d.inv.InvoiceNumber), 140)
	return strings.Join([]string{"BCD", "002", "1", "SCT", a.BIC, cut(holder, 70), strings.ReplaceAll(a.IBAN, " ", ""),
		"EUR" + due.Round(2, decimal.HalfUp).WithMinScale(2).String(), "", "", purpose}, "\n")
}

// cut gives the first characters of a line.
func cut(s string, most int) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	return string(runes[:min(len(runes), most)])
}
