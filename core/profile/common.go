package profile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// CommonSteps are the steps of every format of EN 16931, before those of a country.
func CommonSteps() []Step { return commonSteps(electronicAddresses) }

// commonSteps are they with another step for the electronic addresses.
//
// Categories stand before the reasons of exemptions, which they are told by, and which are then moved to the group of their
// category. Codes of payment means and plain IBANs stand before the accounts, which ask whether a code is one of a transfer
// and whether two IBANs are the same. Electronic addresses stand before the contacts, which let go of an e-mail address that
// is written as one.
func commonSteps(addresses Step) []Step {
	return []Step{typeCode, signs, lineNumbers, lineDefaults, lineAmounts, articleNumbers, taxCategories, exemptionReasons, taxCurrency, notes, precedingInvoices,
		identifiers, deliveryDay, paymentMeans, plainIBANs, accounts, prepayments, addresses, contacts, attachmentReferences}
}

// notes: notes is the text of the first entry of BG-1.
var notes = Step{
	Name:  "notes",
	Moves: []Move{{"notes", "noteEntries[0].text"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Notes != "" {
			d.inserts("noteEntries")
			inv.NoteEntries = slices.Insert(inv.NoteEntries, 0, invoice.Note{Text: inv.Notes})
			inv.Notes = ""
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if len(inv.NoteEntries) > 0 && inv.NoteEntries[0].SubjectCode == "" {
			inv.Notes = inv.NoteEntries[0].Text
			inv.NoteEntries = slices.Delete(inv.NoteEntries, 0, 1)
		}
		if len(inv.NoteEntries) == 0 {
			inv.NoteEntries = nil
		}
	},
}

// precedingInvoices: referencedInvoiceNumber and its date are the first entry of BG-3.
var precedingInvoices = Step{
	Name: "preceding invoices",
	Moves: []Move{
		{"referencedInvoiceNumber", "referencedInvoices[0].number"},
		{"referencedInvoiceDate", "referencedInvoices[0].date"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.ReferencedInvoiceNumber == "" {
			return
		}
		first := invoice.InvoiceReference{Number: inv.ReferencedInvoiceNumber, Date: inv.ReferencedInvoiceDate}
		if len(inv.ReferencedInvoices) > 0 && inv.ReferencedInvoices[0].Number == first.Number {
			moveInto(&inv.ReferencedInvoices[0].Date, &inv.ReferencedInvoiceDate)
		} else {
			d.inserts("referencedInvoices")
			inv.ReferencedInvoices = slices.Insert(inv.ReferencedInvoices, 0, first)
			inv.ReferencedInvoiceDate = ""
		}
		inv.ReferencedInvoiceNumber = ""
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		all := inv.ReferencedInvoices
		if len(all) == 0 || all[0].RegistryID != "" { // which the short form has not
			return
		}
		if len(all) > 1 && all[0].Number == all[1].Number { // beside which the short form says the same entry
			return
		}
		inv.ReferencedInvoiceNumber, inv.ReferencedInvoiceDate = all[0].Number, all[0].Date
		if inv.ReferencedInvoices = all[1:]; len(inv.ReferencedInvoices) == 0 {
			inv.ReferencedInvoices = nil
		}
	},
}

// identifiers: customerNumber is the buyer's identifier (BT-46), of which there is one; the payee (BT-60) has one as well.
// The seller may have several (BT-29).
var identifiers = Step{
	Name:  "identifiers",
	Moves: []Move{{"customerNumber", "buyer.identifiers[0].id"}, {"customerNumber", "buyer.identifiers[0]"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.CustomerNumber != "" && inv.Buyer != nil {
			if len(inv.Buyer.Identifiers) == 0 {
				inv.Buyer.Identifiers = []invoice.Identifier{{}}
			}
			moveInto(&inv.Buyer.Identifiers[0].ID, &inv.CustomerNumber)
		}
		d.keepFirst(inv.Buyer, "buyer", "BT-46")
		d.keepFirst(inv.Payee, "payee", "BT-60")
	},
}

// keepFirst leaves the first non-empty identifier of a party.
func (d *Draft) keepFirst(p *invoice.Party, name, term string) {
	if p == nil {
		return
	}
	var kept []invoice.Identifier
	for i, id := range p.Identifiers {
		switch {
		case id.ID == "":
		case kept == nil:
			kept = []invoice.Identifier{id}
		default:
			field := fmt.Sprintf("%s.identifiers[%d]", name, i)
			d.warn(finding.FieldNotWritten, field, "%s and what follows it is not written: a document has one identifier of the %s (%s)", field, name, term)
			p.Identifiers = kept
			return
		}
	}
	p.Identifiers = kept
}

// deliveryDay: deliveryDate is the short form of delivery.date (BT-72), which wins.
var deliveryDay = Step{
	Name:  "delivery day",
	Moves: []Move{{"deliveryDate", "delivery.date"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.DeliveryDate == "" {
			return
		}
		if inv.Delivery == nil {
			inv.Delivery = &invoice.Delivery{}
		}
		if inv.Delivery.Date == "" || inv.Delivery.Date == inv.DeliveryDate {
			inv.Delivery.Date, inv.DeliveryDate = inv.DeliveryDate, ""
		}
	},
}

// prepayments: without prepaidAmount (BT-113) their sum stands for it. What else they say has no business term.
var prepayments = Step{
	Name:  "prepayments",
	Moves: []Move{{"prepayments[].amount", "prepaidAmount"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if len(inv.Prepayments) == 0 {
			return
		}
		var sum decimal.Decimal
		for i := range inv.Prepayments {
			sum = sum.Add(inv.Prepayments[i].Amount)
			inv.Prepayments[i].Amount = decimal.Decimal{}
		}
		if !inv.PrepaidAmount.IsSet() {
			inv.PrepaidAmount = sum
		}
	},
}

// electronicAddresses: the e-mail address is the electronic address of a party that states none (BT-34, BT-49).
var electronicAddresses = Step{
	Name: "electronic addresses",
	Copies: []Move{
		{"seller.email", "seller.electronicAddress.id"}, {"seller.contact.email", "seller.electronicAddress.id"},
		{"seller.email", "seller.electronicAddress.schemeId"}, {"seller.contact.email", "seller.electronicAddress.schemeId"},
		{"buyer.email", "buyer.electronicAddress.id"}, {"buyer.contact.email", "buyer.electronicAddress.id"},
		{"buyer.email", "buyer.electronicAddress.schemeId"}, {"buyer.contact.email", "buyer.electronicAddress.schemeId"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.ElectronicAddress != nil {
				continue
			}
			mail := p.Email
			if mail == "" && p.Contact != nil {
				mail = p.Contact.Email
			}
			if mail != "" {
				p.ElectronicAddress = &invoice.ElectronicAddress{ID: mail, SchemeID: "EM"}
			}
		}
	},
}

// contacts: phone and e-mail of a party are those of its contact point (BG-6, BG-9) unless that has its own.
var contacts = Step{
	Name: "contacts",
	Moves: []Move{
		{"seller.phone", "seller.contact.phone"}, {"seller.email", "seller.contact.email"}, {"seller.contact.department", "seller.contact.name"},
		{"buyer.phone", "buyer.contact.phone"}, {"buyer.email", "buyer.contact.email"}, {"buyer.contact.department", "buyer.contact.name"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p != nil {
				fillContact(p)
			}
		}
	},
}

func fillContact(p *invoice.Party) {
	if p.Phone == "" && p.Email == "" && p.Contact == nil {
		return
	}
	if p.Contact == nil {
		p.Contact = &invoice.Contact{}
	}
	moveInto(&p.Contact.Phone, &p.Phone)
	moveInto(&p.Contact.Email, &p.Email)
	moveInto(&p.Contact.Name, &p.Contact.Department)
	if a := p.ElectronicAddress; a != nil && a.ID == p.Email {
		p.Email = ""
	}
}

// moveInto moves from to to where to is empty or the same.
func moveInto[T ~string](to, from *T) {
	if *to == "" || *to == *from {
		*to, *from = cmp.Or(*from, *to), ""
	}
}

// attachmentReferences: an attachment without a reference of its own (BT-122) is known by its file name.
var attachmentReferences = Step{
	Name:   "attachment references",
	Copies: []Move{{"attachments[].filename", "attachments[].reference"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Attachments {
			a := &d.Invoice.Attachments[i]
			a.Reference = cmp.Or(a.Reference, a.Filename)
		}
	},
}
