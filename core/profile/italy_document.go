package profile

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// specified tells whether countrySpecific says anything but the country.
func specified(cs *invoice.CountrySpecific) bool {
	rest := *cs
	rest.CountryCode = ""
	return !reflect.ValueOf(rest).IsZero()
}

// cleared is countrySpecific without empty lists.
func cleared(cs *invoice.CountrySpecific) invoice.CountrySpecific {
	if len(cs.Withholding) == 0 {
		cs.Withholding = nil
	}
	if len(cs.PensionFund) == 0 {
		cs.PensionFund = nil
	}
	return *cs
}

// The marks of who issues an invoice in the seller's place (SoggettoEmittente).
const issuedByBuyer = "CC"

// italianDocument: TipoDocumento follows from the type, unless the national key names it. What the buyer issues is an invoice that says so.
var italianDocument = Step{
	Name:   "document type",
	Copies: []Move{{"countrySpecific.invoiceTypeCode", "countrySpecific.documentType"}, {"type", "countrySpecific.documentType"}, {"type", "countrySpecific.issuedBy"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		if inv.Type == invoice.TypeSelfBilled {
			cs.IssuedBy = cmp.Or(cs.IssuedBy, issuedByBuyer)
		}
		cs.DocumentType = cmp.Or(cs.DocumentType, italianTypeOf(inv, cs.InvoiceTypeCode))
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		code := "380"
		switch {
		case cs.DocumentType == "TD04":
			code = "381"
		case cs.DocumentType == "TD05":
			code = "384"
		case cs.DocumentType == "TD01" && cs.IssuedBy == issuedByBuyer:
			code, cs.IssuedBy = "389", ""
		}
		cs.InvoiceTypeCode = code
		if inv.Type = typeOf(code); cs.DocumentType == italianTypeOf(inv, code) {
			cs.DocumentType = ""
		}
		restoreTotals(inv)
	},
}

// italianTypeOf is the TipoDocumento of a code of UNTDID 1001.
func italianTypeOf(inv *invoice.Invoice, code string) string {
	switch {
	case code == "381", code == "384" && inv.Total.Sign() < 0:
		return "TD04"
	case code == "384":
		return "TD05"
	}
	return "TD01"
}

// restoreTotals gives the totals that a document does not state: the net total (BT-109) is the sum of the groups, and the total with tax
// (BT-112) need not stand there.
func restoreTotals(inv *invoice.Invoice) {
	var net, tax decimal.Decimal
	for i := range inv.TaxSummary {
		net, tax = net.Add(inv.TaxSummary[i].NetAmount), tax.Add(inv.TaxSummary[i].TaxAmount)
	}
	inv.Subtotal = net
	if !inv.Total.IsSet() {
		inv.Total = net.Add(tax)
	}
}

// italianCredit: credit notes are positive. A correction that credits is a credit note as well.
var italianCredit = Step{
	Name: "signs",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.CountrySpecific.DocumentType == "TD04" && negativeTotals(inv) {
			negate(inv)
			d.warn(finding.CreditNoteSignFlipped, "total",
				"total is negative on a credit note (TD04): quantities and amounts are written with the opposite sign, as a credit note is itself the minus")
		}
	},
}

// ItalianPayment is ImportoPagamento: the total with tax (BT-112) and its rounding (BT-114) less taxes withheld and securities retained, and
// less the VAT that a public buyer pays itself (split payment, art. 17-ter D.P.R. 633/72). What was prepaid does not count (contract).
func ItalianPayment(inv *invoice.Invoice) decimal.Decimal {
	due := inv.Total.Add(inv.RoundingAmount)
	if !inv.Total.IsSet() { // while a document is read that does not state it
		for i := range inv.TaxSummary {
			due = due.Add(inv.TaxSummary[i].NetAmount).Add(inv.TaxSummary[i].TaxAmount)
		}
	}
	if inv.Retention != nil {
		due = due.Sub(inv.Retention.Amount)
	}
	cs := inv.CountrySpecific
	if cs == nil {
		return due
	}
	for i := range cs.Withholding {
		due = due.Sub(cs.Withholding[i].Amount)
	}
	if cs.VATCollectability == splitPayment {
		for i := range inv.TaxSummary {
			due = due.Sub(inv.TaxSummary[i].TaxAmount)
		}
	}
	return due
}

// splitPayment is the collectability of VAT that the buyer pays to the treasury.
const splitPayment = "S"

// retentionKept: a security retention is a sentence, and lowers the payment. The member stays in the draft, for
// ItalianPayment to take it off.
var retentionKept = Step{
	Name: retention.Name,
	Derive: func(d *Draft) {
		if r := d.Invoice.Retention; r != nil {
			terms := termsOf(d.Invoice)
			terms.Description = paragraph(terms.Description, d.words().retained(r, d.Invoice.Currency))
		}
	},
}

// italianTerms: the text of the terms of payment (BT-20) has no place but Causale, as a note; days give the due date (BT-9).
var italianTerms = Step{
	Name:   "payment terms",
	Moves:  []Move{{"paymentTerms.description", "noteEntries[].text"}},
	Copies: []Move{{"paymentTerms.dueDays", "dueDate"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.PaymentTerms == nil {
			return
		}
		if days := inv.PaymentTerms.DueDays; days != nil {
			if due := inv.IssueDate.AddDays(*days); inv.DueDate == "" {
				inv.DueDate = due
			}
			if len(inv.PaymentMethods) == 0 && inv.DueDate == inv.IssueDate.AddDays(*days) {
				inv.PaymentTerms.DueDays = nil
			}
		}
		if text := inv.PaymentTerms.Description; text != "" {
			addNote(inv, text)
			inv.PaymentTerms.Description = ""
		}
		if len(inv.PaymentMethods) == 0 && inv.DueDate != "" {
			addNote(inv, "Scadenza del pagamento: "+slashed(inv.DueDate))
			inv.DueDate = ""
		}
	},
}

// italianMeans gives ModalitaPagamento of codes of UNTDID 4461; for a means that several codes stand for, the one to read it as comes first.
var italianMeans = []struct{ means, code string }{
	{"MP05", "30"}, {"MP05", "58"}, {"MP05", "31"}, {"MP05", "42"}, {"MP01", "10"}, {"MP02", "20"}, {"MP03", "23"}, {"MP19", "49"}, {"MP19", "59"}, {"MP08", "48"}, {"MP08", "54"}, {"MP08", "55"},
	{"MP18", "50"}, {"MP06", "60"}, {"MP12", "70"}, {"MP22", "97"}, {"MP23", "68"},
}

// otherMeans are the codes that the rest of ModalitaPagamento is read as. A debit is read as another means (1), since FatturaPA has no place
// for the mandate, without which no invoice is paid by direct debit (BG-19).
var otherMeans = map[string]string{
	"MP04": "10", "MP07": "50", "MP09": "1", "MP10": "1", "MP11": "1", "MP13": "50", "MP14": "1", "MP15": "30", "MP16": "1", "MP17": "1",
	"MP19": "1", "MP20": "1", "MP21": "1",
}

func italianMeansOf(code string) string {
	for _, row := range italianMeans {
		if row.code == code {
			return row.means
		}
	}
	return ""
}

func meansRead(means string) string {
	if code := otherMeans[means]; code != "" {
		return code
	}
	for _, row := range italianMeans {
		if row.means == means {
			return row.code
		}
	}
	return "1"
}

// italianMethods: the means of payment is one of ModalitaPagamento, which the national key names for all of them, or the method's own text
// (BT-82) for one. Of several methods, which are alternatives, one is written: several would be instalments.
var italianMethods = Step{
	Name: "means of payment",
	Moves: []Move{{"countrySpecific.paymentMethodCode", "paymentMethods[].code"}, {"paymentMethods[].details", "paymentMethods[].code"},
		{"paymentMethods[].account.name", "payee.name"}},
	Derive:  deriveMethods,
	Restore: restoreMethods,
}

func deriveMethods(d *Draft) {
	inv, cs := d.Invoice, italianKeys(d.Invoice)
	if len(inv.PaymentMethods) > 1 && !instalments(inv) {
		d.warn(finding.FieldNotWritten, "paymentMethods[1]", "paymentMethods[1] and what follows it is not written: in FatturaPA several payments are instalments of one invoice")
		inv.PaymentMethods = inv.PaymentMethods[:1]
	}
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		means := italianMeansOf(m.Code)
		if cs.PaymentMethodCode != "" {
			means = cs.PaymentMethodCode
		} else if otherMeans[m.Details] != "" || meansRead(m.Details) != "1" {
			means, m.Details = m.Details, ""
		}
		if means == "" {
			means = "MP05"
			d.warn(finding.ValueAssumed, place{pattern: "paymentMethods[].type", index: []int{i}}.String(),
				"countrySpecific.paymentMethodCode is missing, and no code of FatturaPA stands for the means of payment: MP05 (transfer) is written")
		}
		m.Code = means
		if a := m.Account; a != nil && !invoice.ValidIBAN(a.ID) && !italianIBAN.MatchString(a.ID) {
			field := place{pattern: "paymentMethods[].account", index: []int{i}}.String()
			d.warn(finding.FieldNotWritten, field, "%s is not written: FatturaPA has a place for accounts with an IBAN only", field)
			m.Account = nil
		}
		if m.Account != nil && inv.Seller != nil && (m.Account.Name == inv.Seller.Name || inv.Payee != nil && m.Account.Name == inv.Payee.Name) {
			m.Account.Name = "" // the beneficiary is the seller, or stands there
		}
	}
	if len(inv.PaymentMethods) > 0 {
		cs.PaymentMethodCode = ""
	}
}

// italianIBAN is the form of an IBAN, whatever its check digits are.
var italianIBAN = regexp.MustCompile(`^[a-zA-Z]{2}[0-9]{2}[a-zA-Z0-9]{11,30}$`)

func restoreMethods(d *Draft) {
	inv := d.Invoice
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		means := m.Code
		m.Code = meansRead(means)
		if italianMeansOf(m.Code) != means {
			m.Details = means
		}
		if a := m.Account; a != nil && a.ID == "" {
			keepPayment(inv, i, "BIC", a.BIC)
			m.Account = nil
		}
	}
	if inv.Payee != nil && inv.Payee.Name == "" {
		inv.Payee = nil
	}
}

// instalments tells whether the invoice is of a document with several payments, each with its amount.
func instalments(inv *invoice.Invoice) bool {
	return inv.CountrySpecific != nil && slices.ContainsFunc(slices.Collect(maps.Keys(inv.CountrySpecific.National)), func(path string) bool {
		return strings.HasPrefix(path, "FatturaElettronicaBody/DatiPagamento/DettaglioPagamento[")
	})
}
