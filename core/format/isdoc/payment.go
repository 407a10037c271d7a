package isdoc

import (
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// documentType is the kind of document. Documents on received payments and simplified ones stay told by national where EN 16931 has no code.
var documentType = &computed{
	Of: []string{"countrySpecific.invoiceTypeCode"},
	Text: func(s scope) string {
		if cs := s.Invoice.CountrySpecific; cs != nil {
			return documentTypes[cs.InvoiceTypeCode]
		}
		return ""
	},
	Take: func(stated string, s scope) bool {
		code := typesOf[stated]
		countryOf(s.Invoice).InvoiceTypeCode = code
		return code != ""
	},
}

// documentTypes gives the kind of document for codes of UNTDID 1001; typesOf is what kinds are read as.
var (
	documentTypes = map[string]string{"380": "1", "381": "2", "384": "3", "383": "3", "325": "4", "386": "5", "389": "1"}
	typesOf       = map[string]string{"1": "380", "2": "381", "3": "384", "4": "325", "5": "386", "6": "381", "7": "380"}
)

// documented tells payments on account that name their document.
func documented(s scope) bool { return s.Group.(*invoice.Prepayment).Reference != nil }

// paid is the amount of a payment: that which is due.
var paid = &computed{Text: func(s scope) string { return text(due(s.Invoice, true)) }}

// means gives PaymentMeansCode for codes of UNTDID 4461; of several that it stands for the one to read it as comes first.
var means = m.Codes([2]string{"30", "42"}, [2]string{"42", "42"}, [2]string{"58", "42"}, [2]string{"57", "42"}, [2]string{"10", "10"}, [2]string{"20", "20"}, [2]string{"31", "31"},
	[2]string{"48", "48"}, [2]string{"54", "48"}, [2]string{"55", "48"}, [2]string{"49", "49"}, [2]string{"59", "49"}, [2]string{"50", "50"}, [2]string{"97", "97"},
	[2]string{"1", "42"}, [2]string{"93", "42"})

// detailed tells whether the details of a payment are known: the day that it is due, which ISDOC demands of them. What was paid in cash has
// its document instead, which national holds.
func detailed(s scope) bool {
	inv := s.Invoice
	if inv.DueDate == "" || inv.CountrySpecific == nil {
		return false
	}
	first := "PaymentMeans/Payment/Details/DocumentID"
	if len(inv.PaymentMethods) > 1 {
		first = "PaymentMeans/Payment[" + strconv.Itoa(s.Index+1) + "]/Details/DocumentID"
	}
	return inv.CountrySpecific.National[first] == nil
}

// Czech accounts are a bank, a prefix and a number, which have their places in the IBAN (ISO 13616).
const (
	czechIBAN = 24
	bankAt    = 4
	prefixAt  = 8
	numberAt  = 14
)

// accountOf takes an account apart: of a Czech IBAN, or of NUMBER/BANK.
func accountOf(group any) (number, bank string) {
	a := group.(*invoice.PaymentMethod).Account
	if a == nil {
		return "", ""
	}
	if id := a.ID; len(id) == czechIBAN && strings.HasPrefix(id, "CZ") && invoice.ValidIBAN(id) {
		number = strings.TrimLeft(id[numberAt:], "0")
		if prefix := strings.TrimLeft(id[prefixAt:numberAt], "0"); prefix != "" {
			number = prefix + "-" + number
		}
		return number, id[bankAt:prefixAt]
	}
	if invoice.ValidIBAN(a.ID) {
		return "", ""
	}
	number, bank, _ = strings.Cut(a.ID, "/")
	return number, bank
}

// accountNumber is the number of an account, which an IBAN has in itself.
var accountNumber = &computed{
	Of: []string{"account.id"},
	Text: func(s scope) string {
		number, _ := accountOf(s.Group)
		return number
	},
	Take: func(stated string, s scope) bool { return takeAccount(s.Group, stated) },
}

var bankCode = &computed{
	Of: []string{"account.id"},
	Text: func(s scope) string {
		_, bank := accountOf(s.Group)
		return bank
	},
	Take: func(stated string, s scope) bool {
		pm := s.Group.(*invoice.PaymentMethod)
		return pm.Account != nil && pm.Account.ID != "" && !invoice.ValidIBAN(pm.Account.ID) && takeAccount(s.Group, pm.Account.ID+"/"+stated)
	},
}

// takeAccount gives a payment an account without IBAN.
func takeAccount(group any, id string) bool {
	pm := group.(*invoice.PaymentMethod)
	if pm.Account == nil {
		pm.Account = &invoice.PaymentAccount{}
	}
	if invoice.ValidIBAN(pm.Account.ID) {
		return false
	}
	pm.Account.ID = id
	return true
}

// iban is for accounts with an IBAN.
var iban = &m.Converter{
	Write: func(text string) (string, bool) { return text, invoice.ValidIBAN(text) },
	Read: func(text string) (string, bool) {
		plain := invoice.PlainIBAN(text)
		return plain, invoice.ValidIBAN(plain)
	},
}
