//go:build oracles

package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// mustang is what Mustang's importer takes a CII document for.
type mustang struct {
	Number    string       `json:"number"`
	Currency  string       `json:"currency"`
	Reference string       `json:"referenceNumber"`
	Issued    int64        `json:"issueDate"` // milliseconds since 1970
	Seller    mustangParty `json:"sender"`
	Buyer     mustangParty `json:"recipient"`
	Net       json.Number  `json:"taxBasis"`
	Gross     json.Number  `json:"grandTotal"`
	Due       json.Number  `json:"duePayable"`
	Lines     []struct {
		Quantity json.Number `json:"quantity"`
		Net      json.Number `json:"lineTotalAmount"`
		Product  struct {
			Name     string      `json:"name"`
			Unit     string      `json:"unit"`
			Category string      `json:"taxCategoryCode"`
			Rate     json.Number `json:"vatpercent"`
		} `json:"product"`
		Calculation struct {
			Price json.Number `json:"price"`
		} `json:"calculation"`
	} `json:"zfitems"`
}

type mustangParty struct {
	Name string `json:"name"`
	VAT  string `json:"vatID"`
}

// TestReaders_MustangAgreesWithParse ensures that Mustang's importer reads from every document of CII that we write the values that parsing reads from it.
func TestReaders_MustangAgreesWithParse(t *testing.T) {
	s := newService(t)
	reader := must(oracles.StartConverters(context.WithoutCancel(t.Context())))(t)
	t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	documents, compared := 0, 0
	for _, name := range writtenDocuments(t) {
		data := must(os.ReadFile(name))(t)
		if !bytes.Contains(data, []byte("CrossIndustryInvoice")) {
			continue
		}
		ours := must(s.Parse(t.Context(), ParseRequest{Document: data}))(t).Invoice
		answer, err := reader.Read(must(filepath.Abs(name))(t))
		if err != nil && ours.Items[0].TaxCategoryCode == "O" { // Mustang 2.25.0 reads no category without a rate
			continue
		} else if err != nil {
			t.Error(err)
			continue
		}
		documents++
		compared += checkMustang(t, name, ours, answer)
	}
	t.Logf("%d documents, %d values compared", documents, compared)
	if documents < 550 || compared < 15*documents {
		t.Errorf("%d values of %d documents are too few", compared, documents)
	}
}

// checkMustang compares what both read and gives the number of values that Mustang exposes.
func checkMustang(t *testing.T, name string, ours *invoice.Invoice, answer []byte) int {
	t.Helper()
	var theirs mustang
	d := json.NewDecoder(bytes.NewReader(answer))
	if err := d.Decode(&theirs); err != nil {
		t.Fatalf("%s: %v: %s", name, err, answer)
	}
	pairs := [][3]string{
		{"BT-1", ours.InvoiceNumber, theirs.Number}, {"BT-5", ours.Currency, theirs.Currency}, {"BT-10", ours.BuyerReference, theirs.Reference},
		{"BT-2", string(ours.IssueDate), time.UnixMilli(theirs.Issued).UTC().Format(time.DateOnly)},
		{"BT-27", ours.Seller.Name, theirs.Seller.Name}, {"BT-31", ours.Seller.VATID, theirs.Seller.VAT},
		{"BT-44", ours.Buyer.Name, theirs.Buyer.Name}, {"BT-48", ours.Buyer.VATID, theirs.Buyer.VAT},
		{"BT-109", ours.Subtotal.String(), theirs.Net.String()}, {"BT-112", ours.Total.String(), theirs.Gross.String()}, {"BT-115", amountDue(ours).String(), theirs.Due.String()},
	}
	if len(ours.Items) != len(theirs.Lines) {
		t.Errorf("%s: %d lines, not %d", name, len(theirs.Lines), len(ours.Items))
	}
	for i := range min(len(ours.Items), len(theirs.Lines)) {
		it, l := &ours.Items[i], &theirs.Lines[i]
		pairs = append(pairs, [][3]string{
			{"BT-153", it.Description, l.Product.Name}, {"BT-129", it.Quantity.String(), l.Quantity.String()}, {"BT-130", it.Unit, l.Product.Unit},
			{"BT-146", it.UnitPrice.String(), l.Calculation.Price.String()}, {"BT-131", it.NetAmount.String(), l.Net.String()},
			{"BT-151", it.TaxCategoryCode, l.Product.Category}, {"BT-152", it.TaxRate.String(), l.Product.Rate.String()},
		}...)
	}
	return comparePairs(t, name, pairs)
}
