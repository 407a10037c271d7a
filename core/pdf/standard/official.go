package standard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// Code is a code that a tax office wants on printed invoices: what is in it, what it is, and what stands above, below and beside it.
type Code struct{ Content, Name, Above, Below, Beside string }

// Official gives a code as templates see it: official.content and so on.
func Official(c Code) block.Value {
	v := block.Value{Kind: block.Object}
	for _, m := range []struct{ name, value string }{{"content", c.Content}, {"name", c.Name}, {"above", c.Above}, {"below", c.Below}, {"beside", c.Beside}} {
		v.Set(m.name, text(m.value))
	}
	return v
}

// official is the code of the country that the invoice has the data for.
func (d *data) official() Code {
	cs := d.inv.CountrySpecific
	switch {
	case cs == nil:
	case d.of.Code == "GR" && cs.QRURL != "":
		return Code{Content: cs.QRURL, Name: "myDATA", Below: "myDATA"}
	case d.of.Code == "PT":
		return d.portuguese(cs)
	}
	return Code{}
}

// The names of the fields of the code of the Autoridade Tributária for amounts, by the tax region (Portaria n.º 195/2020; Despacho n.º 412/2020-XXII).
var (
	portugueseFields  = map[string]string{"PT": "I", "PT-AC": "J", "PT-MA": "K"}
	portugueseReduced = map[string][]string{"PT": {"6", "13"}, "PT-AC": {"4", "9"}, "PT-MA": {"4", "12", "5"}} // reduced and intermediate rates; those of before last
)

// portugueseTypes are the types of documents in the code.
var portugueseTypes = map[invoice.Type]string{invoice.TypeCreditNote: "NC", invoice.TypeProforma: "PF"}

// portugueseStates are the states of documents: made by the buyer, else normal.
var portugueseStates = map[invoice.Type]string{invoice.TypeSelfBilled: "S"}

// atcud is the code of a document: as it is given, else the validation code of the series with the number in it (Portaria n.º 195/2020 art. 3.º).
func atcud(inv *invoice.Invoice) string {
	cs := inv.CountrySpecific
	if cs.ATCUD != "" || cs.SeriesValidationCode == "" {
		return cs.ATCUD
	}
	number := inv.InvoiceNumber[strings.LastIndexAny(inv.InvoiceNumber, "/- ")+1:]
	return cs.SeriesValidationCode + "-" + number
}

// portuguese is the code of the Autoridade Tributária, where an invoice in euros has the code of the document, the hash and the certificate of the
// program that made it.
func (d *data) portuguese(cs *invoice.CountrySpecific) Code {
	code, hash := atcud(d.inv), hashCharacters(cs.DocumentHash)
	if code == "" || hash == "" || cs.CertificateNumber == "" || d.inv.Currency != "EUR" || d.inv.Seller == nil || d.inv.Buyer == nil {
		return Code{}
	}
	seller := strings.TrimPrefix(cmp.Or(cs.NIF, d.inv.Seller.VATID, d.inv.Seller.TaxID), "PT")
	buyer := strings.TrimPrefix(cmp.Or(d.inv.Buyer.VATID, d.inv.Buyer.TaxID, "999999990"), d.inv.Buyer.CountryCode)
	fields := []string{"A:" + seller, "B:" + buyer, "C:" + d.inv.Buyer.CountryCode, "D:" + cmp.Or(portugueseTypes[d.inv.Type], "FT"), "E:" + cmp.Or(portugueseStates[d.inv.Type], "N"),
		"F:" + strings.ReplaceAll(string(d.inv.IssueDate), "-", ""), "G:" + cut(d.inv.InvoiceNumber, 60), "H:" + code}
	fields = append(fields, d.portugueseTax(cmp.Or(cs.TaxRegion, "PT"))...)
	lines := d.certified(cs)
	return Code{Content: strings.Join(append(fields, "Q:"+hash, "R:"+cs.CertificateNumber), "*"), Name: "Autoridade Tributária", Above: lines[0], Beside: lines[1]}
}

// certified is what an invoice of Portugal says of the program that made it, beside its code or without one.
func (d *data) certified(cs *invoice.CountrySpecific) []string {
	var lines []string
	if code := atcud(d.inv); code != "" {
		lines = append(lines, "ATCUD:"+code)
	}
	hash, program := hashCharacters(cs.DocumentHash), ""
	if cs.CertificateNumber != "" {
		program = "Processado por programa certificado n.º " + cs.CertificateNumber + "/AT"
	}
	if line := joined("-", hash, program); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// portugueseTax are the fields of the amounts.
func (d *data) portugueseTax(region string) []string {
	letter, rates := portugueseFields[region], portugueseReduced[region]
	if letter == "" {
		letter, rates, region = "I", portugueseReduced["PT"], "PT"
	}
	sums := map[string]decimal.Decimal{}
	add := func(name string, amount decimal.Decimal) { sums[name] = sums[name].Add(amount) }
	for _, t := range d.inv.TaxSummary {
		slot := "7"
		switch at := slices.IndexFunc(rates, func(rate string) bool { return t.TaxRate.IsSet() && t.TaxRate.Equal(decimal.MustParse(rate)) }); {
		case t.TaxCategoryCode == "O":
			add("L", t.NetAmount)
			continue
		case !t.TaxRate.IsSet() || t.TaxRate.Sign() == 0:
			add(letter+"2", t.NetAmount)
			continue
		case at == 1:
			slot = "5"
		case at >= 0:
			slot = "3"
		}
		add(letter+slot, t.NetAmount)
		add(letter+string(slot[0]+1), t.TaxAmount)
	}
	tax := decimal.Decimal{}
	for _, t := range d.inv.TaxSummary {
		tax = tax.Add(t.TaxAmount)
	}
	fields := []string{letter + "1:" + region}
	for _, name := range []string{letter + "2", letter + "3", letter + "4", letter + "5", letter + "6", letter + "7", letter + "8", "L"} {
		if sum, some := sums[name]; some {
			fields = append(fields, name+":"+cents(sum))
		}
	}
	return append(fields, "N:"+cents(tax), "O:"+cents(d.inv.Total))
}

func cents(amount decimal.Decimal) string {
	return amount.Round(2, decimal.HalfUp).WithMinScale(2).String()
}

// hashCharacters are the characters of the hash of a document that are printed: the 1st, 11th, 21st and 31st (Portaria n.º 363/2010 art. 6.º), or
// the four that are given.
func hashCharacters(hash string) string {
	switch {
	case len(hash) == 4:
		return hash
	case len(hash) < 31:
		return ""
	}
	return string([]byte{hash[0], hash[10], hash[20], hash[30]})
}
