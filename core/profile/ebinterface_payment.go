package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// paragraphs: ebInterface has one note, so that several are its paragraphs, each after its subject code where it has one.
var paragraphs = Step{
	Name:  "one note",
	Moves: []Move{{"noteEntries[].text", "notes"}, {"noteEntries[].subjectCode", "notes"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		for _, note := range inv.NoteEntries {
			text := note.Text
			if note.SubjectCode != "" {
				text = "#" + note.SubjectCode + "#" + text
			}
			inv.Notes = paragraph(inv.Notes, text)
		}
		inv.NoteEntries = nil
	},
}

// deliveryPlace: a delivery has a day or a period in ebInterface, whatever else it says.
var deliveryPlace = Step{
	Name:   "day of delivery",
	Copies: []Move{{"issueDate", "delivery.date"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		dated := inv.Delivery != nil && inv.Delivery.Date != ""
		switch {
		case inv.ServicePeriod != nil && dated:
			d.notWritten(d.Original("delivery.date"), "the day of delivery %s is not written: ebInterface has either a day or a period, and servicePeriod is given", inv.Delivery.Date)
			inv.Delivery.Date = ""
		case inv.ServicePeriod == nil && !dated && (inv.Delivery != nil && *inv.Delivery != (invoice.Delivery{}) || inv.DeliveryNote != nil):
			if inv.Delivery == nil {
				inv.Delivery = &invoice.Delivery{}
			}
			inv.Delivery.Date = inv.IssueDate
			d.warn(finding.DeliveryDateAssumed, "delivery.date", "delivery.date is missing and is written as %s, the day of issue: a delivery has a day in ebInterface; "+
				"send delivery.date or servicePeriod if it was another", inv.IssueDate)
		}
		if cs := inv.CountrySpecific; cs != nil && cs.CancelsReferencedInvoice != nil && *cs.CancelsReferencedInvoice &&
			(len(inv.ReferencedInvoices) == 0 || inv.ReferencedInvoices[0].Date == "") {
			d.refuse(finding.MissingField, "referencedInvoiceDate", "countrySpecific.cancelsReferencedInvoice needs referencedInvoiceNumber and referencedInvoiceDate: "+
				"ebInterface names the invoice that is void with its number and its date")
		}
	},
}

// EbInterfacePayment gives for a code of UNTDID 4461 that of the way to pay which ebInterface has for it: 30 for transfers, 49 for direct
// debits, 48 for cards, and 1 for what is none of these.
func EbInterfacePayment(code string) string {
	switch {
	case code == "50", code == "93": // giro, FIK
		return "1"
	case slices.Contains(transferCodes, code):
		return "30"
	case code == "49", code == "59":
		return "49"
	case code == "48", code == "54", code == "55":
		return "48"
	}
	return "1"
}

// namedPayments: of ways to pay that ebInterface has no element for, the name is the comment.
var namedPayments = Step{
	Name:   "names of payments",
	Copies: []Move{{"paymentMethods[].type", "paymentMethods[].details"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			m.Details = cmp.Or(m.Details, paymentNames[m.Type])
		}
	},
}

var paymentNames = map[invoice.PaymentMethodType]string{
	invoice.PayCash: "Barzahlung", invoice.PayPayPal: "PayPal", invoice.PayGiro: "Giro", invoice.PayDanishFIK: "FIK",
}

// onePayment: a document has one way to pay. Further accounts for transfers stand beside the first one; other ways are not written.
var onePayment = Step{
	Name:  "one way to pay",
	Moves: []Move{{"payee.name", "paymentMethods[].account.name"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Payee != nil && len(inv.PaymentMethods) > 0 && inv.PaymentMethods[0].Account != nil {
			moveInto(&inv.PaymentMethods[0].Account.Name, &inv.Payee.Name)
		}
		if len(inv.PaymentMethods) < 2 {
			return
		}
		accounts := 1
		for i, m := range inv.PaymentMethods[1:] {
			if EbInterfacePayment(m.Code) == "30" && EbInterfacePayment(inv.PaymentMethods[0].Code) == "30" && m.Account != nil && m.Details == "" {
				accounts++
				d.addAccount(accounts, m.Account)
				continue
			}
			field := fmt.Sprintf("paymentMethods[%d]", i+1)
			d.notWritten(field, "%s is not written: ebInterface has one way to pay, which the first entry is", field)
		}
		inv.PaymentMethods = inv.PaymentMethods[:1]
	},
	Restore: restoreAccountsBeside,
}

// besideFirst is the path of the accounts of a transfer.
const besideFirst = "PaymentMethod/UniversalBankTransaction/BeneficiaryAccount"

func (d *Draft) addAccount(n int, a *invoice.PaymentAccount) {
	d.keepBelow(fmt.Sprintf("%s[%d]", besideFirst, n), map[string]string{"BIC": a.BIC, "IBAN": a.ID, "BankAccountOwner": a.Name})
}

// restoreAccountsBeside makes payment methods of the accounts after the first, where all that is said of them has a member.
func restoreAccountsBeside(d *Draft) {
	inv := d.Invoice
	if inv.CountrySpecific == nil || len(inv.PaymentMethods) != 1 {
		return
	}
	told := inv.CountrySpecific.National
	for n := 2; ; n++ {
		prefix := fmt.Sprintf("%s[%d]/", besideFirst, n)
		account, ok := accountAt(told, prefix)
		if !ok {
			break
		}
		for _, name := range []string{"BIC", "IBAN", "BankAccountOwner"} {
			delete(told, prefix+name)
		}
		inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Code: inv.PaymentMethods[0].Code, Account: &account})
	}
	dropEmptyNational(inv)
}

// accountAt is the account below a path; false where there is none, or one with more than an invoice holds.
func accountAt(told invoice.National, prefix string) (account invoice.PaymentAccount, ok bool) {
	for path, texts := range told {
		name, below := strings.CutPrefix(path, prefix)
		if !below {
			continue
		}
		switch name {
		case "BIC":
			account.BIC = texts[0]
		case "IBAN":
			account.ID = texts[0]
		case "BankAccountOwner":
			account.Name = texts[0]
		default:
			return account, false
		}
	}
	return account, account.ID != ""
}

// dueDay: the days of the terms of payment are a date in ebInterface.
var dueDay = Step{
	Name:  "due day",
	Moves: []Move{{"paymentTerms.dueDays", "dueDate"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if terms := inv.PaymentTerms; terms != nil && terms.DueDays != nil {
			if due := inv.IssueDate.AddDays(*terms.DueDays); inv.DueDate == "" || inv.DueDate == due {
				inv.DueDate, terms.DueDays = due, nil
			}
		}
	},
}

// discountPath is where ebInterface has a cash discount.
const discountPath = "PaymentConditions/Discount"

// discountDay: a cash discount is stated with its last day, not with the number of days from the day of issue. ebInterface may have more
// of them than the invoice, so that they are national members.
var discountDay = Step{
	Name: "cash discount",
	Derive: func(d *Draft) {
		inv := d.Invoice
		discount := takeDiscount(inv)
		if discount == nil {
			return
		}
		d.keepBelow(discountPath, map[string]string{
			"PaymentDate": string(inv.IssueDate.AddDays(*discount.Days)), "BaseAmount": centsOf(discount.BaseAmount), "Percentage": textOf(discount.DiscountPercent),
		})
		if inv.PaymentTerms != nil && *inv.PaymentTerms == (invoice.PaymentTerms{}) {
			inv.PaymentTerms = nil
		}
	},
	Restore: restoreDiscountDay,
}

// keepBelow puts texts of the elements below one into national.
func (d *Draft) keepBelow(path string, texts map[string]string) {
	for name, text := range texts {
		if text != "" {
			d.keep(path+"/"+name, text)
		}
	}
}

// restoreDiscountDay makes the first discount one of the invoice, where all that is said of it has a member: a percentage, and a day that
// is not too far off.
func restoreDiscountDay(d *Draft) {
	inv := d.Invoice
	if inv.CountrySpecific == nil {
		return
	}
	told := inv.CountrySpecific.National
	said := map[string]string{}
	for _, path := range []string{discountPath + "/", discountPath + "[1]/"} {
		for key, texts := range told {
			if name, below := strings.CutPrefix(key, path); below {
				said[name] = texts[0]
			}
		}
	}
	percentage, errPercentage := decimal.Parse(said["Percentage"])
	base, errBase := decimal.Parse(said["BaseAmount"])
	days, ok := daysBetween(inv.IssueDate, invoice.Date(said["PaymentDate"]))
	if !ok || errPercentage != nil || percentage.Sign() <= 0 || percentage.Cmp(hundred) > 0 || said["BaseAmount"] != "" && errBase != nil || said["Amount"]+said["Comment"] != "" {
		return
	}
	termsOf(inv).EarlyPaymentDiscount = &invoice.EarlyDiscount{Days: &days, DiscountPercent: percentage, BaseAmount: base}
	maps.DeleteFunc(told, func(key string, _ []string) bool {
		return strings.HasPrefix(key, discountPath+"/") || strings.HasPrefix(key, discountPath+"[1]/")
	})
	dropEmptyNational(inv)
}

// dropEmptyNational leaves out an object without members.
func dropEmptyNational(inv *invoice.Invoice) {
	if len(inv.CountrySpecific.National) == 0 {
		inv.CountrySpecific.National = nil
	}
}

func textOf(n decimal.Decimal) string {
	if !n.IsSet() {
		return ""
	}
	return n.String()
}

func centsOf(n decimal.Decimal) string {
	if !n.IsSet() {
		return ""
	}
	return n.Round(2, decimal.HalfUp).WithMinScale(2).String()
}

// mostDiscountDays is the longest time of a cash discount (contract, paymentTerms).
const mostDiscountDays = 365

// daysBetween counts from a day to another; false where that is before, or further off than a cash discount may be.
func daysBetween(from, to invoice.Date) (int, bool) {
	first, err := time.Parse(time.DateOnly, string(from))
	last, errLast := time.Parse(time.DateOnly, string(to))
	days := int(last.Sub(first).Hours() / 24)
	return days, err == nil && errLast == nil && days >= 0 && days <= mostDiscountDays
}
