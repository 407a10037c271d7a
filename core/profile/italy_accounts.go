package profile

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// italianAccounts: a transfer names the bank of its account (IstitutoFinanziario), which is that of the seller in the canonical invoice. A bank
// without an account is of the document alone.
var italianAccounts = Step{
	Name:  accounts.Name,
	Moves: append([]Move{{"payee.bankAccount.bankName", "seller.bankAccount.bankName"}}, accounts.Moves...),
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Payee != nil && inv.Payee.BankAccount != nil && inv.Seller != nil {
			if inv.Seller.BankAccount == nil {
				inv.Seller.BankAccount = &invoice.BankAccount{}
			}
			moveInto(&inv.Seller.BankAccount.BankName, &inv.Payee.BankAccount.BankName)
		}
		deriveAccounts(d)
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		name := ""
		if inv.Seller != nil && inv.Seller.BankAccount != nil {
			name, inv.Seller.BankAccount = inv.Seller.BankAccount.BankName, nil
		}
		restoreAccounts(d)
		switch bank := bankOf(inv); {
		case name == "":
		case bank.IBAN != "":
			bank.BankName = name
		default:
			keepPayment(inv, 0, "IstitutoFinanziario", name)
		}
	},
}

// keepPayment keeps what an element of a payment says as what the format alone holds.
func keepPayment(inv *invoice.Invoice, i int, element, text string) {
	payment := "FatturaElettronicaBody/DatiPagamento/DettaglioPagamento"
	if len(inv.PaymentMethods) > 1 {
		payment += "[" + strconv.Itoa(i+1) + "]"
	}
	keepNational(inv, payment+"/"+element, text)
}

// keepNational keeps a text by the path of its element.
func keepNational(inv *invoice.Invoice, path, text string) {
	cs := italianKeys(inv)
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	cs.National[path] = []string{text}
}
