//go:build oracles

package operation

import (
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/test/oracles"
	"github.com/einvoiced/einvoiced/testdata"
)

const readersFolder = "../../test/oracles/readers"

// foreign is what an independent reader takes a document for; what it does not expose is empty.
type foreign struct {
	Number    string `json:"number"`
	Issued    string `json:"issue_date"`
	Due       string `json:"due_date"`
	Currency  string `json:"currency"`
	Reference string `json:"buyer_reference"`
	Seller    party  `json:"seller"`
	Buyer     party  `json:"buyer"`
	Totals    struct {
		Net   string `json:"tax_exclusive"`
		Gross string `json:"tax_inclusive"`
		Tax   string `json:"tax_total"`
		Due   string `json:"payable"`
	} `json:"totals"`
	Taxes []struct {
		Category string `json:"category"`
		Rate     string `json:"rate"`
		Base     string `json:"taxable"`
		Tax      string `json:"tax"`
	} `json:"vat_breakdown"`
	Allowances []allowance `json:"allowances"`
	Charges    []allowance `json:"charges"`
	Lines      []struct {
		Name     string `json:"name"`
		Quantity string `json:"quantity"`
		Unit     string `json:"unit"`
		Price    string `json:"price"`
		Net      string `json:"net_amount"`
		Category string `json:"vat_category"`
		Rate     string `json:"vat_rate"`
	} `json:"lines"`
}

type party struct {
	Name    string `json:"name"`
	VAT     string `json:"vat_id"`
	Address struct {
		Line     string `json:"line1"`
		City     string `json:"city"`
		Postcode string `json:"postal_code"`
		Country  string `json:"country"`
	} `json:"address"`
	Electronic identifier `json:"electronic_address"`
	Legal      identifier `json:"legal_id"`
}

type identifier struct {
	ID     string `json:"id"`
	Scheme string `json:"scheme"`
}

// allowance is one of the document's allowances or charges.
type allowance struct {
	Amount   string `json:"amount"`
	Category string `json:"vat_category"`
	Rate     string `json:"vat_rate"`
}

// pairsOf are what both read of a party.
func (p *party) pairsOf(name string, ours *invoice.Party) [][3]string {
	pairs := [][3]string{
		{name + " name", ours.Name, p.Name}, {name + " VAT identifier", ours.VATID, p.VAT},
		{name + " street", ours.Street, p.Address.Line}, {name + " city", ours.City, p.Address.City},
		{name + " postal code", ours.PostalCode, p.Address.Postcode}, {name + " country", ours.CountryCode, p.Address.Country},
		{name + " registration", ours.RegistrationNumber, p.Legal.ID}, {name + " register", ours.RegistrationScheme, p.Legal.Scheme},
	}
	if e := ours.ElectronicAddress; e != nil {
		pairs = append(pairs, [3]string{name + " electronic address", e.ID, p.Electronic.ID}, [3]string{name + " scheme of it", e.SchemeID, p.Electronic.Scheme})
	}
	return pairs
}

// breakdownPairs are what both read of the tax breakdown, and of allowances and charges of the document.
func (f *foreign) breakdownPairs(t *testing.T, name string, ours *invoice.Invoice) (pairs [][3]string) {
	t.Helper()
	var allowances, charges []*invoice.DocumentCharge
	for i := range ours.AllowancesCharges {
		if c := &ours.AllowancesCharges[i]; c.Charge() {
			charges = append(charges, c)
		} else {
			allowances = append(allowances, c)
		}
	}
	if ours.TaxCurrencyCode != "" && len(f.Taxes) == 2*len(ours.TaxSummary) {
		f.Taxes = f.Taxes[:len(ours.TaxSummary)] // IBG-38, the breakdown in the tax currency, follows, and the reader tells no currency
	}
	if len(f.Taxes) != len(ours.TaxSummary) || len(f.Allowances) != len(allowances) || len(f.Charges) != len(charges) {
		t.Errorf("%s: %d tax groups, %d allowances and %d charges, not %d, %d and %d", name, len(f.Taxes), len(f.Allowances), len(f.Charges), len(ours.TaxSummary), len(allowances), len(charges))
		return nil
	}
	for i, g := range f.Taxes {
		o := &ours.TaxSummary[i]
		pairs = append(pairs, [3]string{"BT-118", o.TaxCategoryCode, withoutPortugal(g.Category)}, [3]string{"BT-119", o.TaxRate.String(), g.Rate},
			[3]string{"BT-116", o.NetAmount.String(), g.Base}, [3]string{"BT-117", o.TaxAmount.String(), g.Tax})
	}
	for i, a := range slices.Concat(f.Allowances, f.Charges) {
		o := slices.Concat(allowances, charges)[i]
		pairs = append(pairs, [3]string{"BT-92, BT-99", o.Amount.String(), a.Amount}, [3]string{"BT-95, BT-102", o.TaxCategoryCode, a.Category},
			[3]string{"BT-96, BT-103", o.TaxRate.String(), a.Rate})
	}
	return pairs
}

// TestReaders_AgreeWithParse ensures that eu-einvoice reads from every document of UBL and CII that we write the values that parsing reads from it.
func TestReaders_AgreeWithParse(t *testing.T) {
	s := newService(t)
	names := writtenDocuments(t)
	read := readForeign(t, names)
	compared := 0
	for i, name := range names {
		answer, err := s.Parse(t.Context(), ParseRequest{Document: must(os.ReadFile(name))(t)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if read[i].Fault != "" {
			t.Errorf("%s is not read: %s", name, read[i].Fault)
			continue
		}
		compared += checkForeign(t, name, answer.Invoice, &read[i].Invoice)
	}
	t.Logf("%d documents, %d values compared", len(names), compared)
	if len(names) < 1900 || compared < 40*len(names) {
		t.Errorf("%d values of %d documents are too few", compared, len(names))
	}
}

// writtenDocuments are the files of all documents in UBL and CII that we write: the goldens, and every scenario in every token of every
// country. The same bytes stand among them once.
func writtenDocuments(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, folder := range []string{"cii", "ubl", "xrechnung-ubl"} {
		err := filepath.WalkDir(filepath.Join("../../testdata", folder), func(name string, _ fs.DirEntry, err error) error {
			if filepath.Ext(name) == ".xml" {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		seen[string(must(os.ReadFile(name))(t))] = true
	}
	s, folder := newService(t), t.TempDir()
	write := func(name string, r testdata.Request) {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
		if err != nil {
			t.Fatalf("%s %s: %s", name, r.Scenario, refusalOf(err))
		}
		if seen[string(answer.Data)] {
			return
		}
		seen[string(answer.Data)] = true
		file := filepath.Join(folder, strings.ToLower(r.Country)+"-"+name+"-"+r.Scenario+".xml")
		if err := os.WriteFile(file, answer.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, file)
	}
	for _, r := range must(testdata.UBL())(t) {
		write(r.Format, r)
	}
	for _, r := range must(testdata.NationalUBL())(t) {
		if r.Format == "ubl" {
			write(r.Case, r.Request)
		}
	}
	for _, r := range must(testdata.Hybrids())(t) {
		if r.Scenario != "rounding" || r.Profile != "BASIC" { // refused by the rules: BASIC has no BT-114
			write(r.Name(), r.Request)
		}
	}
	return names
}

type foreignAnswer struct {
	Invoice foreign `json:"invoice"`
	Fault   string  `json:"fault"`
}

func readForeign(t *testing.T, names []string) []foreignAnswer {
	t.Helper()
	return must(oracles.AskPython[foreignAnswer](t.Context(), filepath.Join(readersFolder, "read.py"), names))(t)
}

// checkForeign compares what both read and gives the number of values that the reader exposes.
func checkForeign(t *testing.T, name string, ours *invoice.Invoice, theirs *foreign) int {
	t.Helper()
	pairs := [][3]string{
		{"BT-1", ours.InvoiceNumber, theirs.Number}, {"BT-2", string(ours.IssueDate), theirs.Issued},
		{"BT-9", string(ours.DueDate), theirs.Due}, {"BT-5", ours.Currency, theirs.Currency},
		{"BT-10", ours.BuyerReference, theirs.Reference}, {"BT-109", ours.Subtotal.String(), theirs.Totals.Net}, {"BT-112", ours.Total.String(), theirs.Totals.Gross},
		{"BT-110", ours.Total.Sub(ours.Subtotal).String(), theirs.Totals.Tax},
		{"BT-115", amountDue(ours).String(), theirs.Totals.Due},
	}
	pairs = slices.Concat(pairs, theirs.Seller.pairsOf("seller", ours.Seller), theirs.Buyer.pairsOf("buyer", ours.Buyer), theirs.breakdownPairs(t, name, ours))
	if len(ours.Items) == len(theirs.Lines) { // lines within lines are told otherwise
		for i, l := range theirs.Lines {
			it := &ours.Items[i]
			pairs = slices.Concat(pairs, [][3]string{
				{"BT-153", it.Description, l.Name}, {"BT-129", it.Quantity.String(), l.Quantity}, {"BT-130", it.Unit, l.Unit},
				{"BT-146", it.UnitPrice.String(), l.Price}, {"BT-131", it.NetAmount.String(), l.Net},
				{"BT-151", it.TaxCategoryCode, withoutPortugal(l.Category)}, {"BT-152", it.TaxRate.String(), l.Rate},
			})
		}
	} else {
		t.Errorf("%s: %d lines, not %d", name, len(theirs.Lines), len(ours.Items))
	}
	return comparePairs(t, name, pairs)
}

// withoutPortugal is a tax category: CIUS-PT calls K IC.
func withoutPortugal(category string) string {
	if category == "IC" {
		return "K"
	}
	return category
}

// amountDue is BT-115; payments of third parties add to it (BR-DEX-09).
func amountDue(inv *invoice.Invoice) decimal.Decimal {
	due := inv.Total.Sub(inv.PrepaidAmount).Add(inv.RoundingAmount)
	for i := range inv.ThirdPartyPayments {
		due = due.Add(inv.ThirdPartyPayments[i].PaidAmount)
	}
	return due
}

// comparePairs compares our value of each business term with that of a reader, and gives how many the reader exposes.
func comparePairs(t *testing.T, name string, pairs [][3]string) (compared int) {
	t.Helper()
	for _, p := range pairs {
		if p[2] == "" {
			continue
		}
		compared++
		if !sameValue(p[1], p[2]) {
			t.Errorf("%s: %s is %q, read as %q", name, p[0], p[1], p[2])
		}
	}
	return compared
}

// sameValue compares as numbers where both are: how many zeros end a number says nothing.
func sameValue(ours, theirs string) bool {
	a, isNumber := new(big.Rat).SetString(ours)
	b, areNumbers := new(big.Rat).SetString(theirs)
	if isNumber && areNumbers {
		return a.Cmp(b) == 0
	}
	return ours == theirs
}
