package verifactu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Lengths of texts in the schema, in characters.
const (
	mostName        = 120
	mostDescription = 500
	mostOtherID     = 20
)

// mostSimplified is the total up to which an invoice may be a simplified one (RD 1619/2012, art. 4).
var mostSimplified = decimal.New(3000, 0)

// fromLarge is the total from which on a record says that it is large (AEAT 1138).
var fromLarge = decimal.New(100_000_000, 0)

// drafting is a record in the making.
type drafting struct {
	inv    *invoice.Invoice
	keys   invoice.CountrySpecific
	record *Record
	wrong  []finding.Finding
}

// FromInvoice derives the record of an invoice as its caller gave it, without what the chain adds: system, moment, link and hash. The findings name the
// members of the invoice that cannot be registered; without any the record is whole as far as a document can tell.
func FromInvoice(inv *invoice.Invoice) (*Record, []finding.Finding) {
	d := &drafting{inv: inv, record: &Record{Version: "1.0", HashType: "01"}}
	if inv.CountrySpecific != nil {
		d.keys = *inv.CountrySpecific
	}
	for _, step := range []func(*drafting){(*drafting).issuer, (*drafting).identity, (*drafting).recipient, (*drafting).kind, (*drafting).describe, (*drafting).details, (*drafting).totals} {
		step(d)
	}
	return d.record, d.wrong
}

func (d *drafting) refuse(code, field, format string, args ...any) {
	d.wrong = append(d.wrong, finding.Finding{Code: code, Field: field, Message: field + " " + fmt.Sprintf(format, args...)})
}

func (d *drafting) issuer() {
	s := d.inv.Seller
	if s == nil {
		s = &invoice.Party{}
	}
	d.record.IssuerName = cut(s.Name, mostName)
	d.record.Invoice.Issuer = cmp.Or(NIF(s.VATID), NIF(d.keys.NIF), NIF(s.TaxID))
	if d.record.Invoice.Issuer == "" {
		d.refuse(finding.MissingField, "seller.vatId", "must be a Spanish NIF, with or without ES: it is the issuer of the record")
	}
	if d.inv.Currency != "EUR" {
		d.refuse(finding.InvalidValue, "currency", "must be EUR: invoices are registered in euros")
	}
}

func (d *drafting) identity() {
	number := d.keys.InvoiceSeries + d.inv.InvoiceNumber
	switch {
	case len(number) > mostNumber:
		d.refuse(finding.FieldTooLong, "invoiceNumber", "has %d characters together with the series; a record takes %d", len(number), mostNumber)
	case !numberFits(number):
		d.refuse(finding.InvalidValue, "invoiceNumber", numberRule+" (AEAT 1104)")
	}
	d.record.Invoice.Number, d.record.Invoice.Date = number, spanishDate(string(d.inv.IssueDate))
	operated := d.inv.DeliveryDate
	if d.inv.Delivery != nil && d.inv.Delivery.Date != "" {
		operated = d.inv.Delivery.Date
	}
	if operated != "" && operated != d.inv.IssueDate {
		d.record.Operation = spanishDate(string(operated))
	}
}

// recipient is the buyer, where it has a number: a NIF, the VAT identifier of another member state, or another number of its country.
func (d *drafting) recipient() {
	b := d.inv.Buyer
	if b == nil {
		return
	}
	p := Party{Name: cut(b.Name, mostName)}
	switch nif := cmp.Or(NIF(b.VATID), spanishNIF(b.TaxID, b.CountryCode)); {
	case nif != "":
		p.NIF = nif
	case b.VATID != "":
		p.Other = &OtherID{Type: "02", ID: cut(strings.ToUpper(b.VATID), mostOtherID)}
	case cmp.Or(b.TaxID, b.RegistrationNumber) != "" && b.CountryCode != "ES":
		p.Other = &OtherID{Country: b.CountryCode, Type: "04", ID: cut(cmp.Or(b.TaxID, b.RegistrationNumber), mostOtherID)}
	default:
		return
	}
	d.record.Recipients = []Party{p}
}

// spanishNIF is a tax number of a party in Spain.
func spanishNIF(taxID, country string) string {
	if country != "ES" {
		return ""
	}
	return NIF(taxID)
}

// kind decides TipoFactura, what is corrected, and who issues.
func (d *drafting) kind() {
	r := d.record
	simplified := len(r.Recipients) == 0 && d.inv.Total.Abs().Cmp(mostSimplified) <= 0
	corrects := d.inv.Type == invoice.TypeCreditNote || d.inv.Type == invoice.TypeCorrection
	switch {
	case d.inv.Type == invoice.TypeProforma:
		d.refuse(finding.InvalidValue, "type", "is proforma: only invoices are registered")
	case d.keys.InvoiceType != "":
		r.Type = strings.ToUpper(d.keys.InvoiceType)
	case corrects && simplified:
		r.Type = "R5"
	case corrects:
		r.Type = "R1"
	case simplified:
		r.Type = "F2"
	default:
		r.Type = "F1"
	}
	if d.inv.Type == invoice.TypeSelfBilled {
		r.IssuedBy = "D"
	}
	references := d.references()
	switch {
	case strings.HasPrefix(r.Type, "R"):
		r.Kind, r.Rectified = "I", references
		if d.keys.CorrectionMethod == bySubstitution {
			r.Kind = "S"
			r.Amended = d.amended()
		}
	case r.Type == "F3":
		r.Replaced = references
	}
}

// bySubstitution is the method of correction (CorrectionMethod of Facturae) that replaces the whole invoice.
const bySubstitution = "01"

// amended are the amounts that a substitution replaces, which the invoice has no member for.
func (d *drafting) amended() *Amended {
	value := func(name string) string {
		if texts := d.keys.National["ImporteRectificacion/"+name]; len(texts) > 0 {
			return texts[0]
		}
		return ""
	}
	a := &Amended{value("BaseRectificada"), value("CuotaRectificada"), value("CuotaRecargoRectificado")}
	if *a == (Amended{}) {
		return nil
	}
	return a
}

// references are the invoices that this one refers to, as far as their dates are known.
func (d *drafting) references() []InvoiceID {
	list := append([]invoice.InvoiceReference{{Number: d.inv.ReferencedInvoiceNumber, Date: d.inv.ReferencedInvoiceDate}}, d.inv.ReferencedInvoices...)
	var ids []InvoiceID
	for _, ref := range list {
		id := InvoiceID{d.record.Invoice.Issuer, ref.Number, spanishDate(string(ref.Date))}
		if ref.Number != "" && ref.Date != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// describe is the first line, or else the notes.
func (d *drafting) describe() {
	text := d.inv.Notes
	for _, item := range d.inv.Lines() {
		text = item.Description
		break
	}
	d.record.Description = cut(cmp.Or(strings.TrimSpace(text), d.inv.Notes, "Factura"), mostDescription)
}

// class is what a VAT category (UNTDID 5305) is in a record.
type class struct {
	tax, regime, qualifier, exemption string
	taxed                             bool // has rate and amount
}

var classes = map[string]class{
	"S":  {"01", "01", "S1", "", true},
	"Z":  {"01", "01", "S1", "", true},
	"E":  {"01", "01", "", "E1", false},
	"AE": {"01", "01", "S2", "", true},
	"K":  {"01", "01", "", "E5", false},
	"G":  {"01", "02", "", "E2", false},
	"O":  {"01", "01", "N2", "", false},
	"L":  {"03", "01", "S1", "", true},
	"M":  {"02", "", "S1", "", true},
}

// mostDetails is how many details a record has at most (DesgloseType).
const mostDetails = 12

func (d *drafting) details() {
	sign, told := d.sign(), invoice.CategoriesOf(d.inv)
	for i := range d.inv.TaxSummary {
		g := &d.inv.TaxSummary[i]
		category, _ := told.Of(g.TaxCategoryCode, g.TaxRate, g.ExemptionReasonCode, g.ExemptionReason)
		as, known := classes[category]
		if !known {
			d.refuse(finding.InvalidValue, fmt.Sprintf("taxSummary[%d].taxCategoryCode", i), "is %q, which no record has", category)
			continue
		}
		d.record.Details = append(d.record.Details, d.detail(as, g, sign))
	}
	if n := len(d.record.Details); n > mostDetails {
		d.refuse(finding.TooManyEntries, "taxSummary", "has %d entries; a record takes %d", n, mostDetails)
	}
}

// detail is an entry of the tax summary, with what the keys say instead.
func (d *drafting) detail(as class, g *invoice.TaxSummary, sign func(decimal.Decimal) decimal.Decimal) Detail {
	if key := strings.ToUpper(d.keys.OperationQualifier); key != "" && !(as.qualifier == "S1" && g.TaxAmount.Sign() != 0 && key != "S2") {
		as.qualifier, as.exemption, as.taxed = key, "", key == "S1" || key == "S2"
		if strings.HasPrefix(key, "E") {
			as.qualifier, as.exemption = "", key
		}
	}
	if as.tax != "02" {
		as.regime = cmp.Or(d.keys.RegimeKey, as.regime)
	}
	detail := Detail{Tax: as.tax, Regime: as.regime, Qualifier: as.qualifier, Exemption: as.exemption, Base: written(sign(g.NetAmount))}
	if as.taxed {
		rate := g.TaxRate
		if !rate.IsSet() {
			rate = decimal.New(0, 2)
		}
		detail.Rate, detail.Amount = written(rate), written(sign(g.TaxAmount))
	}
	return detail
}

// sign gives the sign of amounts: a credit note with a positive total is a correction by differences, which are negative.
func (d *drafting) sign() func(decimal.Decimal) decimal.Decimal {
	if d.inv.Type == invoice.TypeCreditNote && d.inv.Total.Sign() > 0 && d.record.Kind != "S" {
		return decimal.Decimal.Neg
	}
	return func(amount decimal.Decimal) decimal.Decimal { return amount }
}

func (d *drafting) totals() {
	sign := d.sign()
	tax := decimal.New(0, 2)
	for i := range d.inv.TaxSummary {
		tax = tax.Add(sign(d.inv.TaxSummary[i].TaxAmount))
	}
	d.record.Tax, d.record.Total = written(tax), written(sign(d.inv.Total))
	if d.inv.Total.Abs().Cmp(fromLarge) >= 0 {
		d.record.Large = "S"
	}
	for field, amount := range map[string]decimal.Decimal{"total": d.inv.Total, "taxSummary": tax} {
		if !amountFits(amount) {
			d.refuse(finding.OutOfRange, field, "is %s; a record takes amounts of twelve digits and two decimals", amount)
		}
	}
}

// cut takes so many characters of a text, on one line.
func cut(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return text
}

// Content is what must be the same where the same invoice is generated again: a hash of the record without what the chain adds.
func (r *Record) Content() (string, error) {
	bare := *r
	bare.First, bare.Previous, bare.System, bare.Generated, bare.Hash = "", nil, System{}, "", ""
	text, err := bare.XML()
	if err != nil {
		return "", err
	}
	return Hash(string(text)), nil
}

// Cancellation is the record that cancels an invoice, without what the chain adds.
func Cancellation(id InvoiceID) *Record {
	return &Record{Cancels: true, Version: "1.0", HashType: "01", Invoice: id}
}

// Seal puts a record into the chain, behind the one before; nil for the first.
func (r *Record) Seal(system System, previous *Previous, generated string) {
	r.System, r.Generated, r.Previous, r.First = system, generated, previous, ""
	if previous == nil {
		r.First = "S"
	}
	l := r.Link()
	r.Hash = l.Computed()
}

// QR is what the QR code of the record's invoice says.
func (r *Record) QR(test bool) *QR {
	return &QR{NIF: r.Invoice.Issuer, Number: r.Invoice.Number, Date: r.Invoice.Date, Total: r.Total, Sends: true, Test: test}
}
