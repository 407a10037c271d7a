package profile

import (
	"cmp"
	"maps"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// assignment is what stands before the paths of the assignment of a claim (Facturae 3.2 to 3.2.2, FactoringAssignmentData).
const assignment = "FileHeader/FactoringAssignmentData/"

const (
	assignmentPayments = assignment + "PaymentDetails/Installment"
	assignmentClauses  = assignment + "FactoringAssignmentClauses"
)

// assignmentText is the clause where none is given.
const assignmentText = "Crédito cedido: el pago debe hacerse al cesionario."

// transferMeans is the code of Facturae for a transfer (PaymentMeans).
const transferMeans = "04"

// plainAssignee is a payee with its number and its address where Facturae has them.
func plainAssignee(p invoice.Party) invoice.Party {
	oneNumber(&p)
	plainAddress(&p)
	return p
}

// assigneeLacks is what a payee lacks of what Facturae demands of the assignee of a claim (AssigneeType), the only one beside the seller whom it
// knows to be paid: a tax number and an address. It is empty where it lacks nothing.
func assigneeLacks(p *invoice.Party) string {
	spanish := p.CountryCode == "ES"
	switch {
	case p.VATID == "":
		return "payee.vatId or payee.taxId"
	case CountryOfFacturae(p.CountryCode) == "":
		return "payee.countryCode, of a country that Facturae has"
	case spanish && p.Street == "":
		return "payee.street"
	case spanish && !spanishPostcode.MatchString(p.PostalCode):
		return "payee.postalCode, of five digits"
	case spanish && p.City == "":
		return "payee.city"
	}
	return ""
}

func ifAssigned(of func(*invoice.Invoice) string) func(*invoice.Invoice) string {
	return func(inv *invoice.Invoice) string {
		if inv.Payee == nil {
			return ""
		}
		return of(inv)
	}
}

// facturaeAssignedPayment: an assignment says how the assignee is paid, by a transfer where the invoice does not tell.
var facturaeAssignedPayment = Step{
	Name:   "payment to the assignee",
	Moves:  []Move{{"payee.taxId", "payee.vatId"}, {"payee.additionalStreet", "payee.street"}, {"payee.addressLine3", "payee.street"}},
	Copies: []Move{{"payee.postalCode", "payee.state"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Payee == nil {
			return
		}
		plain := plainAssignee(*inv.Payee)
		if assigneeLacks(&plain) != "" {
			return
		}
		if *inv.Payee = plain; len(inv.PaymentMethods) == 0 {
			inv.PaymentMethods = []invoice.PaymentMethod{{Type: invoice.PayBankTransfer}}
			d.warn(finding.ValueAssumed, "paymentMethods", "paymentMethods is missing: a transfer (04) is written, since Facturae wants to know how the payee is paid (FactoringAssignmentData)")
		}
	},
}

// facturaeAssignee: the payee is the assignee of the claim. The payment to it is that of the invoice, and the clause is a text that the seller
// gives by its path.
var facturaeAssignee = Step{
	Name:   "assignee",
	Derive: deriveAssignee,
	Restore: func(d *Draft) {
		inv := d.Invoice
		if inv.Payee == nil {
			return
		}
		restoreAssignedPayment(inv)
		if national := countryOf(inv).National; len(national[assignmentClauses]) == 1 && national[assignmentClauses][0] == assignmentText {
			delete(national, assignmentClauses)
		}
	},
}

func deriveAssignee(d *Draft) {
	inv := d.Invoice
	if inv.Payee == nil {
		return
	}
	plain := plainAssignee(*inv.Payee)
	if lack := assigneeLacks(&plain); lack != "" {
		d.missPayee(lack) // its account was taken by the payment
		return
	}
	fillContact(inv.Payee)
	groups := groupsOf(inv, assignmentPayments)
	if len(groups) == 0 {
		groups = []group{assignedPayment(inv)}
	}
	putGroups(inv, assignmentPayments, groups)
	if countryOf(inv).National[assignmentClauses] == nil {
		d.keep(assignmentClauses, assignmentText)
		d.warn(finding.ValueAssumed, "countrySpecific.national", "the payee is written as the assignee of the claim with the clause %q; give that of the assignment in countrySpecific.national as %s",
			assignmentText, assignmentClauses)
	}
}

// missPayee tells of each member of a payee that it is not written, with what the payee lacks, and lets the payee go.
func (d *Draft) missPayee(lack string) {
	for name := range invoice.Leaves(&invoice.Invoice{Payee: d.Invoice.Payee}) {
		d.warn(finding.FieldNotWritten, name, "%s is not written: Facturae has a payee as the assignee of the claim (FactoringAssignmentData), which needs %s", name, lack)
	}
	d.Invoice.Payee = nil
}

// assignedPayment is the payment to the assignee: what the first one of the invoice says.
func assignedPayment(inv *invoice.Invoice) group {
	if len(inv.PaymentMethods) == 0 {
		return nil
	}
	m := &inv.PaymentMethods[0]
	g := group{"InstallmentDueDate": string(cmp.Or(inv.DueDate, inv.IssueDate)), "PaymentMeans": m.Code,
		"InstallmentAmount": facturaeInstallment(inv).Round(2, decimal.HalfUp).WithMinScale(2).String()}
	if a := m.Account; a != nil {
		number := "AccountToBeCredited/AccountNumber"
		if FacturaeIBAN(a.ID) {
			number = "AccountToBeCredited/IBAN"
		}
		fill(g, number, a.ID)
		fill(g, "AccountToBeCredited/BIC", FacturaeBIC(a.BIC))
	}
	return g
}

// restoreAssignedPayment lets the payment to the assignee go where it is that of the invoice, which has it where it says nothing of its own.
func restoreAssignedPayment(inv *invoice.Invoice) {
	groups := groupsOf(inv, assignmentPayments)
	if len(groups) == 1 && len(inv.PaymentMethods) == 0 {
		takeAssignedPayment(inv, groups[0])
	}
	if len(groups) != 1 || !maps.Equal(groups[0], assignedPayment(inv)) {
		putGroups(inv, assignmentPayments, groups)
	}
}

func takeAssignedPayment(inv *invoice.Invoice, g group) {
	m := invoice.PaymentMethod{Code: cmp.Or(g["PaymentMeans"], transferMeans)}
	if id := cmp.Or(g["AccountToBeCredited/IBAN"], g["AccountToBeCredited/AccountNumber"]); id != "" {
		m.Account = &invoice.PaymentAccount{ID: id, BIC: strings.TrimSuffix(g["AccountToBeCredited/BIC"], headOffice)}
	}
	if due := invoice.Date(g["InstallmentDueDate"]); inv.DueDate == "" && due.Valid() {
		inv.DueDate = due
	}
	inv.PaymentMethods = []invoice.PaymentMethod{m}
}
