package operation

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// myDataTerms are terms that UBL and myDATA both carry.
var myDataTerms = map[string]func(*invoice.Invoice) any{
	"BT-1": func(i *invoice.Invoice) any { return i.InvoiceNumber }, "BT-2": func(i *invoice.Invoice) any { return i.IssueDate },
	"BT-3": func(i *invoice.Invoice) any { return i.Type }, "BT-5": func(i *invoice.Invoice) any { return i.Currency },
	"BT-31": func(i *invoice.Invoice) any { return i.Seller.VATID }, "BT-48": func(i *invoice.Invoice) any { return i.Buyer.VATID },
	"BT-52": func(i *invoice.Invoice) any { return i.Buyer.City }, "BT-55": func(i *invoice.Invoice) any { return i.Buyer.CountryCode },
	"BT-109": func(i *invoice.Invoice) any { return i.Subtotal }, "BT-112": func(i *invoice.Invoice) any { return i.Total },
	"BT-129 BT-131 BT-153": func(i *invoice.Invoice) any {
		var lines []string
		for _, it := range i.Items {
			lines = append(lines, it.Description+" "+it.Quantity.Trim().String()+" "+it.Unit+" "+it.NetAmount.Trim().String())
		}
		return lines
	},
	"BT-116 BT-117": func(i *invoice.Invoice) any {
		var sums []string
		for _, g := range i.TaxSummary {
			sums = append(sums, g.TaxCategoryCode+" "+g.TaxRate.Trim().String()+" "+g.NetAmount.Trim().String()+" "+g.TaxAmount.Trim().String())
		}
		slices.Sort(sums)
		return sums
	},
}

// TestMyData_GoesToUBLAndBack converts goldens to UBL and back: what both carry is kept. What only the national keys tell, such as the MARK of a
// credited invoice or the rate of exchange, is not there for the way back.
func TestMyData_GoesToUBLAndBack(t *testing.T) {
	s := shippedService(t, today)
	off := false
	for _, name := range []string{"01-goods", "02-services", "05-reverse-charge-domestic", "06-intra-community", "07-export", "08-exempt", "09-small-business", "11-discounts",
		"14-withholding", "17-services-eu", "19-retail", "20-retail-credit"} {
		source := []byte(readGolden(t, name))
		there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "DE", TargetFormat: "xrechnung", Validate: &off}})
		if err != nil {
			t.Errorf("%s there: %v", name, refusalOf(err))
			continue
		}
		back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: invoice.ConvertBody{TargetCountry: "GR", TargetFormat: "mydata", Validate: &off}})
		if err != nil {
			t.Errorf("%s back: %v", name, refusalOf(err))
			continue
		}
		want, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Parse(t.Context(), ParseRequest{Document: back.Data})
		if err != nil {
			t.Fatal(err)
		}
		for term, of := range myDataTerms {
			if diff := cmp.Diff(of(want.Invoice), of(got.Invoice), byDecimal); diff != "" {
				t.Errorf("%s: %s: %s", name, term, diff)
			}
		}
	}
}
