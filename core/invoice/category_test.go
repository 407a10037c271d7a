package invoice

import "testing"

// TestCategories_FollowTheRateAndTheRestOfTheInvoice ensures that a category is Z only where nothing tells another one, and then assumed.
func TestCategories_FollowTheRateAndTheRestOfTheInvoice(t *testing.T) {
	yes, no := true, false
	zero, rate := num("0"), num("19")
	for name, c := range map[string]struct {
		inv     Invoice
		item    Item
		want    string
		assumed bool
	}{
		"above zero":              {item: Item{TaxRate: rate}, want: "S"},
		"given":                   {item: Item{TaxRate: zero, TaxCategoryCode: "G"}, want: "G"},
		"no rate":                 {want: ""},
		"nothing tells":           {item: Item{TaxRate: zero}, want: "Z", assumed: true},
		"a negative rate":         {item: Item{TaxRate: num("-1")}, want: "Z", assumed: true},
		"no small business":       {inv: Invoice{CountrySpecific: &CountrySpecific{IsKleinunternehmer: &no}}, item: Item{TaxRate: zero}, want: "Z", assumed: true},
		"small business":          {inv: Invoice{CountrySpecific: &CountrySpecific{IsKleinunternehmer: &yes}}, item: Item{TaxRate: zero}, want: "E"},
		"the group":               {inv: Invoice{TaxSummary: []TaxSummary{{TaxRate: zero, TaxCategoryCode: "K"}}}, item: Item{TaxRate: zero}, want: "K"},
		"a group at another rate": {inv: Invoice{TaxSummary: []TaxSummary{{TaxRate: rate, TaxCategoryCode: "S"}}}, item: Item{TaxRate: zero}, want: "Z", assumed: true},
		"two groups":              {inv: Invoice{TaxSummary: []TaxSummary{{TaxRate: zero, TaxCategoryCode: "K"}, {TaxRate: zero, TaxCategoryCode: "E"}}}, item: Item{TaxRate: zero}, want: "Z", assumed: true},
		"a code":                  {item: Item{TaxRate: zero, TaxExemptionReasonCode: "VATEX-EU-132"}, want: "E"},
		"a code of reverse charge": {inv: Invoice{TaxSummary: []TaxSummary{{TaxRate: zero, ExemptionReasonCode: "vatex-eu-ae"}}},
			item: Item{TaxRate: zero}, want: "AE"},
		"a text":                 {item: Item{TaxRate: zero, TaxExemptionReason: "Heilbehandlung, § 4 Nr. 14 UStG"}, want: "E"},
		"reverse charge":         {item: Item{TaxRate: zero, TaxExemptionReason: "Steuerschuldnerschaft des Leistungsempfängers"}, want: "AE"},
		"within the community":   {item: Item{TaxRate: zero, TaxExemptionReason: "Steuerfreie innergemeinschaftliche Lieferung"}, want: "K"},
		"export":                 {item: Item{TaxRate: zero, TaxExemptionReason: "Export outside the EU"}, want: "G"},
		"outside the scope":      {item: Item{TaxRate: zero, TaxExemptionReason: "Nicht steuerbar"}, want: "O"},
		"a note":                 {inv: Invoice{Notes: "Reverse charge"}, item: Item{TaxRate: zero}, want: "AE"},
		"a further note":         {inv: Invoice{NoteEntries: []Note{{Text: "§ 13b UStG"}}}, item: Item{TaxRate: zero}, want: "AE"},
		"a note about the goods": {inv: Invoice{Notes: "Thank you"}, item: Item{TaxRate: zero}, want: "Z", assumed: true},
	} {
		inv, it := c.inv, c.item
		inv.Items = []Item{it}
		if got, assumed := CategoriesOf(&inv).Of(it.TaxCategoryCode, it.TaxRate, it.TaxExemptionReasonCode, it.TaxExemptionReason); got != c.want || assumed != c.assumed {
			t.Errorf("%s: %q, assumed %t", name, got, assumed)
		}
	}
}
