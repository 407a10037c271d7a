package profile

import (
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// czechReferences: corrections name the documents that they correct. A contract has its day, which the invoice has no member for, and lines
// refer to an order that the document names.
var czechReferences = Step{
	Name:  "references",
	Moves: precedingInvoices.Moves,
	Derive: func(d *Draft) {
		inv := d.Invoice
		precedingInvoices.Derive(d)
		if code := specificOf(inv).InvoiceTypeCode; slices.Contains([]string{"381", "383", "384"}, code) && len(inv.ReferencedInvoices) == 0 {
			d.refuse(finding.MissingField, "referencedInvoiceNumber", "referencedInvoiceNumber is missing: a credit or debit note names the document that it corrects (OriginalDocumentReference)")
		}
		const contractDay = "ContractReferences/ContractReference/IssueDate"
		if inv.ContractNumber != "" && specificOf(inv).National[contractDay] == nil {
			d.warn(finding.FieldNotWritten, "contractNumber", "contractNumber is not written: ISDOC demands the day of the contract as well; give it in countrySpecific.national as %s", contractDay)
			inv.ContractNumber = ""
		}
		if inv.OrderNumber == "" && inv.SalesOrderNumber == "" && slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.OrderLineReference != "" }) {
			inv.SalesOrderNumber = unknownOrder
		}
	},
	Restore: func(d *Draft) {
		if d.Invoice.SalesOrderNumber == unknownOrder {
			d.Invoice.SalesOrderNumber = ""
		}
		precedingInvoices.Restore(d)
	},
}

// unknownOrder stands for the number of an order that is not known.
const unknownOrder = "NA"

// czechDays: the day of the taxable supply (DUZP) is the tax point, or the day of delivery.
var czechDays = Step{
	Name:  "day of the taxable supply",
	Moves: []Move{{"deliveryDate", "delivery.date"}, {"deliveryDate", "taxPointDate"}, {"delivery.date", "taxPointDate"}},
	Derive: func(d *Draft) {
		deliveryDay.Derive(d)
		inv := d.Invoice
		if inv.Delivery == nil {
			return
		}
		moveInto(&inv.TaxPointDate, &inv.Delivery.Date)
		if inv.Delivery.Date != "" {
			field := d.Original("delivery.date")
			d.warn(finding.FieldNotWritten, field, "%s is not written: ISDOC has one day of the taxable supply (TaxPointDate), and taxPointDate is given", field)
			inv.Delivery.Date = ""
		}
		if emptied(*inv.Delivery) {
			inv.Delivery = nil
		}
	},
}

// czechAccounts are the accounts of payments, of which the bank keeps its name.
var czechAccounts = Step{
	Name:   accounts.Name,
	Moves:  accounts.Moves,
	Derive: deriveAccounts,
	Restore: func(d *Draft) {
		bank := ""
		if s := d.Invoice.Seller; s != nil && s.BankAccount != nil {
			bank = s.BankAccount.BankName
			s.BankAccount = nil
		}
		restoreAccounts(d)
		switch s := d.Invoice.Seller; {
		case bank == "":
		case s.BankAccount != nil:
			s.BankAccount.BankName = bank
		default:
			d.keepBank(bank)
		}
	},
}

// keepBank holds the name of a bank without an account that the invoice could give it to.
func (d *Draft) keepBank(bank string) {
	inv := d.Invoice
	for i := range inv.PaymentMethods {
		details := "PaymentMeans/Payment/Details/"
		if len(inv.PaymentMethods) > 1 {
			details = fmt.Sprintf("PaymentMeans/Payment[%d]/Details/", i+1)
		}
		if national := specificOf(inv).National; national[details+"DocumentID"] == nil && national[details+"Name"] == nil {
			d.keep(details+"Name", bank)
		}
	}
}

// czechDebits: ISDOC has no mandate of a direct debit, so that one of a document is another way to pay with its code.
var czechDebits = Step{
	Name: "direct debits of documents",
	Restore: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			if m := &d.Invoice.PaymentMethods[i]; m.Type == invoice.PayDirectDebit {
				m.Type, m.Code = invoice.PayOther, "49"
			}
		}
	},
}

// isdocMeans are the codes of UNTDID 4461 that ISDOC has a way to pay for.
var isdocMeans = []string{"10", "20", "30", "31", "42", "48", "49", "50", "54", "55", "57", "58", "59", "97"}

// czechPayment: a document has one way to pay, whose details need the day that it is due, and the variable symbol, which is the payment
// reference or the digits of the invoice number.
var czechPayment = Step{
	Name:   "payment",
	Moves:  []Move{{"paymentReference", "countrySpecific.variableSymbol"}},
	Copies: []Move{{"invoiceNumber", "countrySpecific.variableSymbol"}, {"issueDate", "dueDate"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		d.czechMethod()
		if symbolForm.MatchString(inv.PaymentReference) {
			cs.VariableSymbol, inv.PaymentReference = inv.PaymentReference, ""
		}
		if cs.VariableSymbol == "" {
			cs.VariableSymbol = variableSymbol(inv.InvoiceNumber)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if symbolForm.MatchString(cs.VariableSymbol) {
			inv.PaymentReference, cs.VariableSymbol = cs.VariableSymbol, ""
		}
	},
}

// variableSymbol is the variable symbol of an invoice number: its last ten digits.
func variableSymbol(number string) string {
	symbol := digits(number)
	return symbol[max(0, len(symbol)-symbolLimit):]
}

func (d *Draft) czechMethod() {
	inv := d.Invoice
	if len(inv.PaymentMethods) == 0 && (inv.DueDate != "" || bankOf(inv).IBAN != "") {
		inv.PaymentMethods = []invoice.PaymentMethod{{Code: "30"}}
		deriveAccounts(d)
	}
	if len(inv.PaymentMethods) > 1 && specificOf(inv).National["PaymentMeans/Payment[2]/PaidAmount"] == nil && specificOf(inv).National["PaymentMeans/Payment[1]/PaidAmount"] == nil {
		d.warn(finding.FieldNotWritten, "paymentMethods[1]", "paymentMethods[1] and what follows it is not written: ISDOC has parts of the amount for several ways to pay (Payment)")
		inv.PaymentMethods = inv.PaymentMethods[:1]
	}
	for i := range inv.PaymentMethods {
		if m := &inv.PaymentMethods[i]; !slices.Contains(isdocMeans, m.Code) {
			field := entry("paymentMethods", i)() + ".type"
			d.warn(finding.ValueAssumed, field, "%s has no counterpart in ISDOC: 42, a transfer to an account, is written (PaymentMeansCode)", field)
		}
	}
	if inv.DueDate == "" && slices.ContainsFunc(inv.PaymentMethods, func(m invoice.PaymentMethod) bool { return m.Account != nil }) {
		d.warn(finding.ValueAssumed, "dueDate", "dueDate is missing: the day of issue is written, since ISDOC has accounts with the day that the payment is due only (PaymentDueDate)")
		inv.DueDate = inv.IssueDate
	}
}

// czechParties: of the identifiers of parties ISDOC has the location number, and the number that the seller gave the buyer.
var czechParties = Step{
	Name:  "parties",
	Moves: []Move{{"buyer.identifiers[].id", "customerNumber"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Buyer != nil {
			d.buyerNumber(inv.Buyer)
		}
		for i, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p != nil {
				d.oneLocation(p, []string{"seller", "buyer"}[i])
			}
		}
		if to := inv.Delivery; to != nil && to.LocationID != "" && to.LocationIDScheme != "" && to.LocationIDScheme != glnScheme {
			d.warn(finding.FieldNotWritten, "delivery.locationId", "delivery.locationId is not written: ISDOC has location numbers of the scheme %s (CatalogFirmIdentification)", glnScheme)
			to.LocationID, to.LocationIDScheme = "", ""
		}
	},
	Restore: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p != nil && len(p.Identifiers) > 0 {
				p.Identifiers[0].SchemeID = glnScheme
			}
		}
		if to := d.Invoice.Delivery; to != nil && to.LocationID != "" {
			to.LocationIDScheme = glnScheme
		}
	},
}

// buyerNumber: an identifier of the buyer without a scheme is the number that the seller gave the buyer, unless there is one.
func (d *Draft) buyerNumber(b *invoice.Party) {
	if inv := d.Invoice; len(b.Identifiers) > 0 && inv.CustomerNumber == "" && b.Identifiers[0].SchemeID == "" {
		inv.CustomerNumber, b.Identifiers = b.Identifiers[0].ID, b.Identifiers[1:]
	}
}

// oneLocation leaves the location number of a party.
func (d *Draft) oneLocation(p *invoice.Party, name string) {
	var kept []invoice.Identifier
	for i, id := range p.Identifiers {
		if id.SchemeID == glnScheme && kept == nil {
			kept = []invoice.Identifier{id}
			continue
		}
		field := entry(name+".identifiers", i)()
		d.warn(finding.FieldNotWritten, field, "%s is not written: ISDOC has one location number of a party (CatalogFirmIdentification, scheme %s)", field, glnScheme)
	}
	p.Identifiers = kept
	if p.Name == unnamed {
		p.Name = ""
	}
}
