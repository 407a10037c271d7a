package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// SubsequentCredit is the canonical code of a correction that lowers the amount, which ebInterface has a document type for.
const SubsequentCredit = "384 credit"

// EbInterface is ebInterface 6.1 (AUSTRIAPRO), the national format of Austria.
func EbInterface() *Profile {
	return New(Profile{
		Token: "ebinterface", Country: "AT",
		TypeCodes:  []string{"326", "380", "381", "384", "386", "389", "875", "876", "877"},
		Refused:    map[invoice.Type]string{invoice.TypeProforma: "ebInterface has no pro forma invoice; send it as pdf"},
		GrandTotal: true,
		BothDates:  true,
		Steps: slices.Concat(
			[]Step{nationalHome, leafLines, orderOfBuyer}, austria.keys,
			[]Step{accountingArea, typeCode, signs, correctionSign, givenNumbers, descriptions, unitOfPrice, lineDiscounts, standardNumbers, taxCategories, austrianRates,
				exemptionTexts, taxCurrency, taxInEuros, paragraphs, precedingInvoices, ownNumber, oneOwnIdentifier, deliveryDay, deliveryPlace, namedPayments,
				paymentMeans, plainIBANs, accounts, onePayment, prepayments, mailAddresses, partyContacts, scaledPrices, reductionBases, dueDay, retention, discountDay}),
	})
}

// nationalHome: what stands in countrySpecific names the country.
var nationalHome = Step{
	Name: "national members",
	Restore: func(d *Draft) {
		if cs := d.Invoice.CountrySpecific; cs != nil {
			cs.CountryCode = d.Profile.Country
		}
	},
}

// orderOfBuyer: the reference of the buyer (BT-10) is the order number, unless there is one: ebInterface has one element for both.
var orderOfBuyer = Step{
	Name:  "buyer reference as order number",
	Moves: []Move{{"buyerReference", "orderNumber"}, {"countrySpecific.buyerReference", "orderNumber"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if cs := inv.CountrySpecific; cs != nil && cs.OrderReference == "" && inv.OrderNumber == "" && inv.BuyerReference == "" {
			moveInto(&inv.OrderNumber, &cs.BuyerReference)
		}
		if cs := inv.CountrySpecific; cs == nil || cs.OrderReference == "" {
			moveInto(&inv.OrderNumber, &inv.BuyerReference)
		}
	},
}

// accountingArea: the key is the national name of BT-19.
var accountingArea = twin(key{"accountingArea", func(cs *invoice.CountrySpecific) *string { return &cs.AccountingArea }}, "buyerAccountingReference",
	func(inv *invoice.Invoice) *string { return &inv.BuyerAccountingReference })

// correctionSign: a correction that lowers the amount is written as a credit, with positive amounts.
var correctionSign = Step{
	Name: "sign of corrections",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if cs := inv.CountrySpecific; cs != nil && cs.InvoiceTypeCode == "384" && negativeTotals(inv) {
			cs.InvoiceTypeCode = SubsequentCredit
			negate(inv)
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if cs := inv.CountrySpecific; cs != nil && cs.InvoiceTypeCode == SubsequentCredit {
			cs.InvoiceTypeCode = "384"
			inv.Subtotal = subtotalOf(inv)
			negate(inv)
		}
	},
}

// ownNumber: customerNumber is what the seller calls the buyer, unless an identifier without scheme is.
var ownNumber = Step{
	Name:  "customer number",
	Moves: []Move{{"customerNumber", "buyer.identifiers[].id"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.CustomerNumber == "" || inv.Buyer == nil {
			return
		}
		for _, id := range inv.Buyer.Identifiers {
			if id.SchemeID == "" && id.ID != inv.CustomerNumber {
				d.notWritten("customerNumber", "customerNumber is not written: ebInterface has one number of the buyer, which is %s in buyer.identifiers", id.ID)
			}
			if id.SchemeID == "" {
				inv.CustomerNumber = ""
				return
			}
		}
		inv.Buyer.Identifiers, inv.CustomerNumber = append(inv.Buyer.Identifiers, invoice.Identifier{ID: inv.CustomerNumber}), ""
	},
}

// oneOwnIdentifier: beside global location and DUNS numbers ebInterface has one identifier of a party, which is what the other party
// calls it. A first one is kept; those of other schemes are not written.
var oneOwnIdentifier = Step{
	Name: "one identifier of its own",
	Derive: func(d *Draft) {
		for i, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil {
				continue
			}
			name, own := []string{"seller", "buyer"}[i], false
			p.Identifiers = slices.DeleteFunc(p.Identifiers, func(id invoice.Identifier) bool {
				if id.SchemeID == "0088" || id.SchemeID == "0060" || id.SchemeID == "" && !own {
					own = own || id.SchemeID == ""
					return false
				}
				d.notWritten(name+".identifiers", "the identifier %s is not written: ebInterface has one that the other party gave, and those of the schemes 0088 (GLN) and 0060 (DUNS)", id.ID)
				return true
			})
		}
	},
}

// mailAddresses: an electronic address that is an e-mail address is that of the party.
var mailAddresses = Step{
	Name: "e-mail addresses",
	Moves: []Move{
		{"seller.electronicAddress.id", "seller.email"}, {"seller.electronicAddress.schemeId", "seller.email"},
		{"buyer.electronicAddress.id", "buyer.email"}, {"buyer.electronicAddress.schemeId", "buyer.email"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.ElectronicAddress == nil || p.ElectronicAddress.SchemeID != "EM" {
				continue
			}
			if mail := p.ElectronicAddress.ID; p.Email == "" || p.Email == mail || p.Contact != nil && p.Contact.Email == mail {
				if p.Contact == nil || p.Contact.Email != mail {
					p.Email = mail
				}
				p.ElectronicAddress = nil
			}
		}
	},
}

// partyContacts: a contact has a name in ebInterface. Without one phone and e-mail are those of the party.
var partyContacts = Step{
	Name: "contacts with names",
	Moves: []Move{
		{"seller.contact.department", "seller.contact.name"}, {"seller.contact.phone", "seller.phone"}, {"seller.contact.email", "seller.email"},
		{"buyer.contact.department", "buyer.contact.name"}, {"buyer.contact.phone", "buyer.phone"}, {"buyer.contact.email", "buyer.email"},
	},
	Copies: []Move{{"seller.name", "seller.contact.name"}, {"buyer.name", "buyer.contact.name"}},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.Contact == nil {
				continue
			}
			c := p.Contact
			moveInto(&c.Name, &c.Department)
			if c.Name == "" {
				moveInto(&p.Phone, &c.Phone)
				moveInto(&p.Email, &c.Email)
			}
			switch {
			case *c == (invoice.Contact{}):
				p.Contact = nil
			case c.Name == "":
				c.Name = p.Name
			}
		}
	},
}
