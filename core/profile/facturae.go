package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Facturae is Facturae of Spain, in all its versions. Corrections state what changes: a credit note is negative there.
//
// facturaeRead is the last step, and so the first when a document is read: the others find categories, sums and a total in
// the invoice. The payment to an assignee is added before codes of payment means are looked for, and copied when these and
// the account are those of Facturae.
func Facturae() *Profile {
	return New(Profile{
		Token: "facturae", Country: "ES", TypeCodes: []string{"380", "381", "384", "389"}, BothDates: true, GrandTotal: true,
		Refused: map[invoice.Type]string{invoice.TypeProforma: "Facturae has no pro forma invoice; send it as pdf"},
		Steps: []Step{
			facturaeKeys, sellerTaxID(key{"nif", func(cs *invoice.CountrySpecific) *string { return &cs.NIF }}),
			typeCode, leafLines, lineAmounts, taxCategories, exemptionReasons, facturaeSums, facturaeSigns, retentionDue, discountSentence, facturaeTaxes, facturaeLines,
			lineNumbers, identifiers, deliveryDay, facturaePrepaid, facturaeAssignedPayment, paymentMeans, plainIBANs, accounts, facturaePayment, facturaeNotes, contacts, facturaeParties, facturaeAssignee, facturaeCentres,
			facturaeCorrection, facturaeCurrency, facturaeAttachments, facturaeTextLimits, facturaeRead,
		},
		Attachments: slices.Concat(coreAttachments, facturaeFiles),
	})
}

// facturaeKeys names the country where an invoice has members of it.
var facturaeKeys = Step{Name: "national members", Restore: func(d *Draft) {
	if cs := d.Invoice.CountrySpecific; cs != nil && specified(cs) {
		cs.CountryCode = "ES"
	} else {
		d.Invoice.CountrySpecific = nil
	}
}}

// statesAmounts tells whether the invoice is of a document that states amounts otherwise than they are computed: these are kept.
func statesAmounts(inv *invoice.Invoice) bool {
	for path := range countryOf(inv).National {
		if strings.HasPrefix(path, facturaeTotals) || strings.HasPrefix(path, facturaeBody) && strings.Contains(path, "/TaxesOutputs/Tax") {
			return true
		}
	}
	return false
}

// facturaeSums: the totals of Facturae are computed of lines and groups, so that an invoice in which they do not add up cannot be written.
var facturaeSums = Step{
	Name: "sums",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if statesAmounts(inv) || !inv.Subtotal.IsSet() {
			return
		}
		lines := facturaeGross(inv).Sub(facturaeReductions(inv, false)).Add(facturaeReductions(inv, true))
		if !near(lines, inv.Subtotal) {
			d.refuse("BR-CO-13", "subtotal", "subtotal (BT-109) is %s, but the lines (BT-131) less allowances and with charges of the document give %s", inv.Subtotal, lines)
		}
		var groups decimal.Decimal
		for i := range inv.TaxSummary {
			groups = groups.Add(inv.TaxSummary[i].NetAmount)
		}
		if !near(groups, inv.Subtotal) {
			d.refuse("BR-CO-13", "subtotal", "subtotal (BT-109) is %s, but the groups of taxSummary (BT-116) give %s", inv.Subtotal, groups)
		}
	},
}

// facturaeSigns: a price takes no minus where the quantity can, and credit notes are negative.
var facturaeSigns = Step{
	Name: "signs",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for at, it := range inv.TopLines() {
			if it.UnitPrice.Sign() < 0 && it.Quantity.Sign() > 0 {
				d.moveSign(at, it)
			}
		}
		if countryOf(inv).InvoiceTypeCode == "381" && !negativeTotals(inv) {
			negate(inv)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if cs.InvoiceTypeCode == "384" && negativeTotals(inv) {
			cs.InvoiceTypeCode = "381"
			negate(inv)
		}
	},
}

// retentionDue: a security retention is an amount withheld; when it is due is a note.
var retentionDue = Step{
	Name:  retention.Name,
	Moves: []Move{{"retention.dueDate", "notes"}, {"retention.baseAmount", "notes"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if r := inv.Retention; r != nil && (r.DueDate != "" || r.BaseAmount.IsSet()) {
			inv.Notes = paragraph(inv.Notes, d.words().retained(r, inv.Currency))
			r.DueDate, r.BaseAmount = "", decimal.Decimal{}
		}
	},
}

// facturaePrepaid: what was prepaid has its day: that of the invoice where it is not given.
var facturaePrepaid = Step{
	Name:   "prepayments",
	Copies: []Move{{"prepaidAmount", "prepayments[].amount"}, {"issueDate", "prepayments[].paidAt"}, {"prepayments[].amount", "prepaidAmount"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if len(inv.Prepayments) == 0 && inv.PrepaidAmount.Sign() != 0 {
			inv.Prepayments = []invoice.Prepayment{{Amount: inv.PrepaidAmount}}
		}
		var sum decimal.Decimal
		for i := range inv.Prepayments {
			p := &inv.Prepayments[i]
			p.PaidAt, sum = cmp.Or(p.PaidAt, inv.IssueDate), sum.Add(p.Amount)
		}
		if !inv.PrepaidAmount.IsSet() {
			inv.PrepaidAmount = sum
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if len(inv.Prepayments) == 1 && inv.Prepayments[0].PaidAt == inv.IssueDate {
			inv.Prepayments = nil
		}
	},
}

// facturaePayment: a payment has a day, and a means of its own list. Of several ways to pay, which are alternatives, one is written: several
// would be instalments. Without any, the due date is a note.
var facturaePayment = Step{
	Name:   "payment",
	Moves:  []Move{{"paymentTerms.dueDays", "dueDate"}, {"paymentTerms.description", "notes"}, {"dueDate", "notes"}},
	Derive: deriveFacturaePayment,
	Restore: func(d *Draft) {
		inv := d.Invoice
		mandated := inv.DirectDebitMandate != nil && inv.DirectDebitMandate.MandateID != ""
		for i := range inv.PaymentMethods {
			m := &inv.PaymentMethods[i]
			means := m.Code
			if m.Code = facturaeMeansRead(means); m.Code == "49" && !mandated {
				m.Code = "1" // no invoice is paid by direct debit without a mandate (BG-19)
			}
			if facturaeMeansOf(m.Code) != means {
				m.Details = means
			}
			if a := m.Account; a != nil && a.ID == "" && a.IBAN == "" {
				d.keep(installment(inv, i)+"AccountToBeCredited/BIC", a.BIC)
				m.Account = nil
			}
		}
		if mandate := inv.DirectDebitMandate; mandate != nil && mandate.MandateID == "" {
			d.keep(installment(inv, 0)+"AccountToBeDebited/IBAN", mandate.DebitAccountID)
			inv.DirectDebitMandate = nil
		}
	},
}

// installment is the path of a payment.
func installment(inv *invoice.Invoice, i int) string {
	if len(inv.PaymentMethods) > 1 {
		return fmt.Sprintf("%sPaymentDetails/Installment[%d]/", facturaeBody, i+1)
	}
	return facturaeBody + "PaymentDetails/Installment/"
}

// deriveFacturaePayment: an instalment has a day and a means. Without a method there is none, and terms and due date become
// notes.
func deriveFacturaePayment(d *Draft) {
	inv := d.Invoice
	several := slices.ContainsFunc(nationalPaths(inv), func(path string) bool { return strings.HasPrefix(path, facturaeBody+"PaymentDetails/Installment[") })
	if len(inv.PaymentMethods) > 1 && !several {
		d.warn(finding.FieldNotWritten, "paymentMethods[1]", "paymentMethods[1] and what follows it is not written: in Facturae several payments are instalments of one invoice")
		inv.PaymentMethods = inv.PaymentMethods[:1]
	}
	terms := inv.PaymentTerms
	if terms != nil && terms.DueDays != nil {
		if due := inv.IssueDate.AddDays(*terms.DueDays); inv.DueDate == "" || inv.DueDate == due {
			inv.DueDate, terms.DueDays = due, nil
		}
	}
	if len(inv.PaymentMethods) == 0 {
		if terms != nil {
			inv.Notes, terms.Description = paragraph(inv.Notes, terms.Description), ""
		}
		if inv.DueDate != "" {
			inv.Notes, inv.DueDate = paragraph(inv.Notes, "Vencimiento: "+slashed(inv.DueDate)), ""
		}
		return
	}
	if inv.DueDate == "" {
		inv.DueDate = inv.IssueDate
		d.warn(finding.ValueAssumed, "dueDate", "dueDate is missing: the issue date, %s, is written, since Facturae wants the day of a payment", inv.IssueDate)
	}
	for i := range inv.PaymentMethods {
		d.facturaeMethod(&inv.PaymentMethods[i], i)
	}
}

func (d *Draft) facturaeMethod(m *invoice.PaymentMethod, i int) {
	means := facturaeMeansOf(m.Code)
	if len(m.Details) == 2 && m.Details >= "01" && m.Details <= "19" {
		means, m.Details = m.Details, ""
	}
	if means == "" {
		means = specialMeans
		d.warn(finding.ValueAssumed, entry("paymentMethods", i)()+".code", "paymentMethods[%d].code is %s, which Facturae has no code for: 13 (special means) is written", i, m.Code)
	}
	m.Code = means
	if a := m.Account; a != nil && d.Invoice.Seller != nil && a.Name == d.Invoice.Seller.Name {
		a.Name = "" // the account is the seller's
	}
}

func nationalPaths(inv *invoice.Invoice) []string {
	var paths []string
	for path := range countryOf(inv).National {
		paths = append(paths, path)
	}
	return paths
}

// longestLiteral is how long a legal reference may be, and longestText any longer text.
const (
	longestLiteral = 250
	longestText    = 2500
)

// facturaeNotes: notes is the additional information of the invoice, further notes are legal references. A long one is in several of these.
var facturaeNotes = Step{
	Name: "notes",
	Derive: func(d *Draft) {
		inv := d.Invoice
		var notes []invoice.Note
		for _, n := range inv.NoteEntries {
			if inv.Notes == "" && utf8.RuneCountInString(n.Text) > longestLiteral {
				inv.Notes = n.Text
				continue
			}
			for text := n.Text; text != ""; {
				part := clipText(text, longestLiteral)
				if at := strings.LastIndexAny(part, " \n"); len(part) < len(text) && at > longestLiteral/2 {
					part = part[:at]
				}
				notes = append(notes, invoice.Note{Text: strings.TrimSpace(part), SubjectCode: n.SubjectCode})
				text = strings.TrimSpace(text[len(part):])
			}
		}
		inv.NoteEntries = notes
	},
}

// facturaeCorrection: a correction names the invoice that it corrects, why and how.
var facturaeCorrection = Step{
	Name:  "correction",
	Moves: []Move{{"referencedInvoices[].number", "referencedInvoiceNumber"}, {"referencedInvoices[].date", "referencedInvoiceDate"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if refs := inv.ReferencedInvoices; inv.ReferencedInvoiceNumber == "" && len(refs) > 0 && refs[0].RegistryID == "" {
			inv.ReferencedInvoiceNumber, inv.ReferencedInvoiceDate = refs[0].Number, refs[0].Date
			inv.ReferencedInvoices = refs[1:]
		}
		if !FacturaeCorrects(inv) {
			const why = "it is for credit notes and corrections"
			leave(d, &cs.CorrectionReasonCode, "countrySpecific.correctionReasonCode", why)
			leave(d, &cs.CorrectionMethod, "countrySpecific.correctionMethod", why)
			leave(d, &inv.ReferencedInvoiceDate, "referencedInvoiceDate", why)
			return
		}
		d.assumeCorrection(cs)
		if inv.ReferencedInvoiceNumber == "" && (cs.CorrectionMethod == "01" || cs.CorrectionMethod == byDifferences) {
			d.refuse(finding.MissingField, "referencedInvoiceNumber", "referencedInvoiceNumber is required: a correction of Facturae names the invoice that it corrects (method %s)", cs.CorrectionMethod)
		}
		if n := utf8.RuneCountInString(inv.ReferencedInvoiceNumber); n > longestNumber {
			d.refuse(finding.InvalidValue, "referencedInvoiceNumber", "referencedInvoiceNumber has %d characters, and Facturae has room for %d", n, longestNumber)
		}
	},
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		if cs.CorrectionReasonCode == taxableBase {
			cs.CorrectionReasonCode = ""
		}
		if cs.CorrectionMethod == byDifferences {
			cs.CorrectionMethod = ""
		}
	},
}

// assumeCorrection fills in why and how, and refuses codes that are none.
func (d *Draft) assumeCorrection(cs *invoice.CountrySpecific) {
	if cs.CorrectionReasonCode == "" {
		cs.CorrectionReasonCode = taxableBase
		d.warn(finding.ValueAssumed, "countrySpecific.correctionReasonCode",
			"countrySpecific.correctionReasonCode is missing: 16 (taxable base) is written; send 82 for returned packaging, 83 for discounts, or another one that is meant")
	}
	cs.CorrectionMethod = cmp.Or(cs.CorrectionMethod, byDifferences)
	if textOfCode(correctionReasons, cs.CorrectionReasonCode) == "" {
		d.refuse(finding.InvalidValue, "countrySpecific.correctionReasonCode", "countrySpecific.correctionReasonCode is %s: it is one of 01 to 16 and 80 to 85", cs.CorrectionReasonCode)
	}
	if textOfCode(correctionMethods, cs.CorrectionMethod) == "" {
		d.refuse(finding.InvalidValue, "countrySpecific.correctionMethod", "countrySpecific.correctionMethod is %s: it is one of 01 to 04", cs.CorrectionMethod)
	}
}

// facturaeFiles are the media types of files that Facturae has a format for (AttachmentFormatType).
var facturaeFiles = []string{"application/pdf", "application/xml", "text/xml", "image/jpeg", "image/gif", "image/bmp", "image/tiff", "application/rtf", "text/rtf",
	"application/msword", "application/vnd.ms-excel", "text/html"}

// facturaeAttachments leaves out files of types that Facturae does not have.
var facturaeAttachments = Step{
	Name: "attachments",
	Derive: func(d *Draft) {
		var kept []invoice.Attachment
		for i, a := range d.Invoice.Attachments {
			if slices.Contains(facturaeFiles, a.MimeType) {
				kept = append(kept, a)
				continue
			}
			d.warn(finding.FieldNotWritten, entry("attachments", i)(), "attachments[%d] is not written: Facturae has no files of the type %s, but pdf, xml, jpg, gif, bmp, tiff, rtf, doc, xls and html", i, a.MimeType)
		}
		d.Invoice.Attachments = kept
	},
}

// longestNumber is how long the number of an invoice and its series may be.
const longestNumber = 20

// facturaeCurrency: a document names the currency of its taxes. In another currency than that of the invoice they have a rate.
var facturaeCurrency = Step{
	Name:   "currencies",
	Copies: []Move{{"currency", "taxCurrencyCode"}, {"taxSummary[].taxCurrencyTaxAmount", "countrySpecific.exchangeRate"}, {"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		d.oneOfCurrencies(inv.Currency, "currency")
		d.oneOfCurrencies(inv.TaxCurrencyCode, "taxCurrencyCode")
		if inv.TaxCurrencyCode = cmp.Or(inv.TaxCurrencyCode, inv.Currency); inv.TaxCurrencyCode == inv.Currency {
			d.missTaxes("taxCurrencyCode is that of the invoice (BT-6, BT-5)", otherAmount)
			d.dropTaxes()
			return
		}
		var tax, converted decimal.Decimal
		stated := false
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			tax, converted = tax.Add(g.TaxAmount), converted.Add(g.TaxCurrencyTaxAmount)
			stated = stated || g.TaxCurrencyTaxAmount.IsSet()
		}
		switch {
		case !cs.ExchangeRate.IsSet() && converted.Sign() != 0:
			if rate, ok := converted.Quo(tax, 8, decimal.HalfUp); ok {
				cs.ExchangeRate = rate.Trim()
			}
		case cs.ExchangeRate.IsSet() && !stated:
			invoice.ShareTaxInTaxCurrency(inv, tax.Mul(cs.ExchangeRate).Round(2, decimal.HalfUp))
		}
	},
	Restore: func(d *Draft) {
		if d.Invoice.TaxCurrencyCode == d.Invoice.Currency {
			d.Invoice.TaxCurrencyCode = ""
		}
	},
}

func (d *Draft) oneOfCurrencies(currency, field string) {
	if currency != "" && !slices.Contains(facturaeCurrencies, currency) {
		d.refuse(finding.InvalidValue, field, "%s is %s, a currency that Facturae does not have", field, currency)
	}
}
