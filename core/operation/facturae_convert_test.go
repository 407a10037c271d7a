package operation

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestConvert_FacturaeToUBLAndBack ensures that what both formats carry is the same after the way to UBL and back.
func TestConvert_FacturaeToUBLAndBack(t *testing.T) {
	s := fullService(t)
	byValue := cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Cmp(b) == 0 })
	for _, name := range []string{"goods", "exempt", "reverse-charge", "discounts", "credit-note", "canary-islands"} {
		document := facturaeFile(t, name+".xml")
		if !strings.Contains(string(document), "<ReceiverTransactionReference>") { // which Peppol wants
			document = facturaeGolden(t, name, "</LanguageName>", "</LanguageName><ReceiverTransactionReference>PO-7</ReceiverTransactionReference>")
		}
		document = bytes.ReplaceAll(document, []byte("<DiscountRate>2.00</DiscountRate>"), nil) // whose base the document does not tell
		there, err := s.Convert(t.Context(), ConvertRequest{Document: document, Options: invoice.ConvertBody{TargetCountry: "ES", TargetFormat: "ubl"}})
		if err != nil {
			t.Errorf("%s: %v%s", name, err, entriesOf(err))
			continue
		}
		back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: invoice.ConvertBody{SourceCountry: "ES", SourceFormat: "ubl", TargetCountry: "ES", TargetFormat: "facturae"}})
		if err != nil {
			t.Errorf("%s back: %v%s", name, err, entriesOf(err))
			continue
		}
		first, err := s.Parse(t.Context(), ParseRequest{Document: document})
		if err != nil {
			t.Fatal(err)
		}
		last, err := s.Parse(t.Context(), ParseRequest{Document: back.Data})
		if err != nil {
			t.Fatal(err)
		}
		a, b := first.Invoice, last.Invoice
		for member, pair := range map[string][2]any{
			"number": {a.InvoiceNumber, b.InvoiceNumber}, "type": {a.Type, b.Type}, "day": {a.IssueDate, b.IssueDate}, "due": {a.DueDate, b.DueDate}, "order": {a.OrderNumber, b.OrderNumber},
			"seller": {a.Seller.VATID + a.Seller.Name, b.Seller.VATID + b.Seller.Name}, "buyer": {a.Buyer.VATID + a.Buyer.City, b.Buyer.VATID + b.Buyer.City},
			"groups": {a.TaxSummary, b.TaxSummary}, "charges": {a.AllowancesCharges, b.AllowancesCharges}, "total": {a.Total, b.Total}, "lines": {len(a.Items), len(b.Items)},
			"preceding": {a.ReferencedInvoiceNumber, b.ReferencedInvoiceNumber}, "period": {a.ServicePeriod, b.ServicePeriod},
		} {
			if diff := cmp.Diff(pair[0], pair[1], byValue); diff != "" {
				t.Errorf("%s: %s: %s", name, member, diff)
			}
		}
	}
}
