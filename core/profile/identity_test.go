package profile

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestRestoreTakesDeriveBack draws invoices as parsing answers them: what the steps move there and back comes back.
func TestRestoreTakesDeriveBack(t *testing.T) {
	p := XRechnung()
	rapid.Check(t, func(t *rapid.T) {
		inv := drawRestored(t)
		text, err := json.Marshal(inv)
		if err != nil {
			t.Fatal(err)
		}
		d := p.Derive(inv)
		if len(d.Errors) > 0 || len(d.Warnings) > 0 {
			t.Fatalf("%s\n%v %v", text, d.Errors, d.Warnings)
		}
		root := invoice.Type("")
		if inv.Type == invoice.TypeCreditNote {
			root = inv.Type
		}
		inv = p.Restore(d.Invoice, root).Invoice
		again, _, err := invoice.DecodeInvoice(text, invoice.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again, inv); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
	})
}

// drawRestored draws an invoice in the form that Restore gives, with everything that Derive would add.
func drawRestored(t *rapid.T) *invoice.Invoice {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	d := decimal.MustParse
	inv := &invoice.Invoice{
		Type: rapid.SampledFrom(typeCodes).Filter(func(row struct {
			Type invoice.Type
			Code string
		}) bool {
			return row.Type != invoice.TypeProforma
		}).Draw(t, "type").Type,
		BusinessProcess: "urn:own", Currency: "EUR", Subtotal: d("10"), Total: d("11.9"),
		Seller: &invoice.Party{Name: "S", VATID: "DE1", Contact: &invoice.Contact{Name: "N"}, ElectronicAddress: &invoice.ElectronicAddress{ID: "1", SchemeID: "0088"}},
		Buyer:  &invoice.Party{Name: "B"},
	}
	if flag("notes") {
		inv.Notes = "n"
	}
	if flag("noteEntries") {
		inv.NoteEntries = []invoice.Note{{Text: "a", SubjectCode: "AAI"}, {Text: "b"}}
	}
	if flag("referencedInvoiceNumber") {
		inv.ReferencedInvoiceNumber = "1"
		if flag("referencedInvoices") {
			inv.ReferencedInvoiceDate, inv.ReferencedInvoices = "2026-01-01", []invoice.InvoiceReference{{Number: "2"}}
		}
	}
	if flag("terms") {
		inv.PaymentTerms = &invoice.PaymentTerms{Description: rapid.SampledFrom([]string{"net", "two\nlines", "Ref #1#"}).Draw(t, "description")}
		if flag("discount") {
			days := rapid.IntRange(0, 365).Draw(t, "days")
			inv.PaymentTerms.EarlyPaymentDiscount = &invoice.EarlyDiscount{Days: &days, DiscountPercent: decimal.New(rapid.Int64Range(1, 10_000).Draw(t, "percent"), 2)}
		}
	}
	drawMethods(t, inv)
	levels := 0
	if inv.Type != invoice.TypeCreditNote && flag("extension") {
		inv.Profile, levels = invoice.ProfileXRechnungExtension, 3
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "lines") {
		inv.Items = append(inv.Items, drawItem(t, i, levels))
	}
	return inv
}

func drawMethods(t *rapid.T, inv *invoice.Invoice) {
	codes := rapid.SliceOfN(rapid.SampledFrom([]string{"30", "58", "49", "59", "48", "54", "10", "97"}), 0, 3).Draw(t, "codes")
	transfer := false
	for _, code := range codes {
		m := invoice.PaymentMethod{Type: methodOf(code)}
		if codeOfMethod(m.Type) != code {
			m.Code = code
		}
		transfer = transfer || code == "30" || code == "58"
		inv.PaymentMethods = append(inv.PaymentMethods, m)
	}
	if !transfer {
		return
	}
	inv.Seller.BankAccount = &invoice.BankAccount{IBAN: ibanDE}
	if rapid.Bool().Draw(t, "payee") {
		inv.Payee = &invoice.Party{Name: "P", BankAccount: &invoice.BankAccount{IBAN: ibanNL, BIC: "ABNANL2A", AccountHolder: "H"}}
		inv.Seller.BankAccount = nil
	}
}

// drawItem draws a line with so many levels of lines within it at most.
func drawItem(t *rapid.T, i, levels int) invoice.Item {
	d := decimal.MustParse
	it := invoice.Item{Description: "D", ItemDescription: "E", Quantity: d("1"), Unit: "C62", UnitPrice: d("10"), NetAmount: d("10"), TaxRate: d("19"), TaxCategoryCode: "S", TaxAmount: d("1.90")}
	if number := i + 1; rapid.Bool().Draw(t, "position") {
		it.Position = &number
	} else {
		it.LineID = fmt.Sprintf("a%d", i)
	}
	switch rapid.IntRange(0, 2).Draw(t, "standard") {
	case 1:
		it.GTIN = "4012345000009"
	case 2:
		it.StandardItemID = &invoice.StandardItemID{ID: "1", SchemeID: "0088"}
	}
	if levels > 0 {
		for i := range rapid.IntRange(0, 2).Draw(t, "sub-lines") {
			it.SubItems = append(it.SubItems, drawItem(t, i, levels-1))
		}
	}
	return it
}

// TestDeriveOfADerivedInvoiceChangesNothing holds that the steps leave the canonical form alone.
func TestDeriveOfADerivedInvoiceChangesNothing(t *testing.T) {
	p := XRechnung()
	rapid.Check(t, func(t *rapid.T) {
		inv := drawRestored(t)
		inv = p.Derive(inv).Invoice
		text, err := json.Marshal(inv)
		if err != nil {
			t.Fatal(err)
		}
		inv = p.Derive(inv).Invoice
		again, err := json.Marshal(inv)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(text) {
			t.Fatalf("%s\nbecomes\n%s", text, again)
		}
	})
}
