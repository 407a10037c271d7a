package operation

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// numbers is an invoice of two lines at 19 % and one exempt, with an allowance at 19 %, that fits in itself.
func numbers() *invoice.Invoice {
	d := decimal.MustParse
	line := func(net, category, rate string) invoice.Item {
		return invoice.Item{Quantity: d("1"), UnitPrice: d(net), NetAmount: d(net), TaxCategoryCode: category, TaxRate: d(rate)}
	}
	no := false
	return &invoice.Invoice{
		Items:             []invoice.Item{line("100", "S", "19"), line("200", "S", "19"), line("50", "E", "0")},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &no, Amount: d("10"), TaxCategoryCode: "S", TaxRate: d("19")}},
		TaxSummary: []invoice.TaxSummary{
			{TaxCategoryCode: "S", TaxRate: d("19"), NetAmount: d("290"), TaxAmount: d("55.10")},
			{TaxCategoryCode: "E", TaxRate: d("0"), NetAmount: d("50"), TaxAmount: d("0")},
		},
		Subtotal: d("340"), Total: d("395.10"),
	}
}

// TestFigures_Blame ensures which member is named for each kind of change after which rules about sums fire.
func TestFigures_Blame(t *testing.T) {
	d := decimal.MustParse
	for name, c := range map[string]struct {
		change      func(*invoice.Invoice)
		rule, field string
		want        string
	}{
		"a line's net amount, by the sum of lines":  {func(v *invoice.Invoice) { v.Items[1].NetAmount = d("210") }, "BR-CO-10", "subtotal", "items[1]"},
		"a line's net amount, by its group":         {func(v *invoice.Invoice) { v.Items[1].NetAmount = d("210") }, "BR-S-08", "taxSummary[0]", "items[1]"},
		"a line's quantity":                         {func(v *invoice.Invoice) { v.Items[0].Quantity = d("2") }, "BR-CO-13", "subtotal", "items[0]"},
		"the net total, by the sum of lines":        {func(v *invoice.Invoice) { v.Subtotal = d("341") }, "BR-CO-10", "subtotal", ""},
		"the net total, by the rule about it":       {func(v *invoice.Invoice) { v.Subtotal = d("341") }, "BR-CO-13", "subtotal", ""},
		"the net total, by the gross total":         {func(v *invoice.Invoice) { v.Subtotal = d("341") }, "BR-CO-15", "total", "subtotal"},
		"the gross total":                           {func(v *invoice.Invoice) { v.Total = d("396") }, "BR-CO-15", "total", ""},
		"a group's tax":                             {func(v *invoice.Invoice) { v.TaxSummary[0].TaxAmount = d("56") }, "BR-CO-15", "total", "taxSummary[0]"},
		"an allowance":                              {func(v *invoice.Invoice) { v.AllowancesCharges[0].Amount = d("11") }, "BR-CO-13", "subtotal", "allowancesCharges[0]"},
		"an allowance, by its group":                {func(v *invoice.Invoice) { v.AllowancesCharges[0].Amount = d("11") }, "BR-S-08", "taxSummary[0]", "allowancesCharges[0]"},
		"one of two allowances":                     {func(v *invoice.Invoice) { v.AllowancesCharges = append(v.AllowancesCharges, v.AllowancesCharges...) }, "BR-CO-13", "subtotal", "allowancesCharges"},
		"a line's rate":                             {func(v *invoice.Invoice) { v.Items[1].TaxRate = d("7") }, "BR-S-08", "taxSummary[0]", "items[1]"},
		"a line's category":                         {func(v *invoice.Invoice) { v.Items[1].TaxCategoryCode = "AE" }, "BR-AE-01", "taxSummary", "items[1]"},
		"an allowance's rate":                       {func(v *invoice.Invoice) { v.AllowancesCharges[0].TaxRate = d("7") }, "BR-S-08", "taxSummary[0]", "allowancesCharges[0]"},
		"a group's rate":                            {func(v *invoice.Invoice) { v.TaxSummary[1].TaxRate = d("7") }, "BR-E-08", "taxSummary[1]", "taxSummary[1]"},
		"a group's rate, of the line alone":         {func(v *invoice.Invoice) { v.TaxSummary[1].TaxRate = d("7"); v.TaxSummary[1].TaxCategoryCode = "S" }, "BR-E-01", "taxSummary", "taxSummary[1]"},
		"a line's rate, the only one of its group":  {func(v *invoice.Invoice) { v.Items[2].TaxRate = d("7") }, "BR-E-08", "taxSummary[1]", "items[2]"},
		"a group's base":                            {func(v *invoice.Invoice) { v.TaxSummary[0].NetAmount = d("300") }, "BR-S-08", "taxSummary[0]", ""},
		"another rule":                              {func(*invoice.Invoice) {}, "BR-S-09", "taxSummary[0]", ""},
		"a list of one entry":                       {func(*invoice.Invoice) {}, "BR-CO-11", "allowancesCharges[].amount", "allowancesCharges[0].amount"},
		"a list of several":                         {func(*invoice.Invoice) {}, "BR-53", "taxSummary[].taxCurrencyTaxAmount", ""},
		"a field of another list":                   {func(v *invoice.Invoice) { v.TaxSummary = v.TaxSummary[:1] }, "BR-S-08", "taxSummary[7]", "items[2]"},
		"a place outside, with nothing out of line": {func(*invoice.Invoice) {}, "BR-S-08", "taxSummary[7]", ""},
	} {
		v := numbers()
		c.change(v)
		if got := (&figures{Invoice: v}).blame(c.rule, c.field); got != c.want {
			t.Errorf("%s: %s names %q, want %q", name, c.rule, got, c.want)
		}
	}
}

// TestFigures_Explain ensures that gross bases are told of, and nothing else is.
func TestFigures_Explain(t *testing.T) {
	d := decimal.MustParse
	for name, c := range map[string]struct {
		base, rule, field string
		want              bool
	}{
		"gross":                     {"345.10", "BR-S-08", "taxSummary[0]", true},
		"gross, anywhere":           {"345.10", "BR-S-08", "", true},
		"net":                       {"290", "BR-S-08", "taxSummary[0]", false},
		"neither":                   {"300", "BR-S-08", "taxSummary[0]", false},
		"gross, but another group":  {"345.10", "BR-E-08", "taxSummary[1]", false},
		"gross, but another rule":   {"345.10", "BR-S-09", "taxSummary[0]", false},
		"gross, but no such number": {"345.10", "BR-S-80", "taxSummary[0]", false},
	} {
		v := numbers()
		v.TaxSummary[0].NetAmount = d(c.base)
		if got := (&figures{Invoice: v}).explain(c.rule, c.field); strings.Contains(got, "gross") != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestFigures_NamesTheMembersOfTheBuyerReference ensures that a message about BT-10 names both of its members.
func TestFigures_NamesTheMembersOfTheBuyerReference(t *testing.T) {
	got := (&figures{Invoice: numbers()}).explain("BR-DE-15", "")
	if !strings.Contains(got, "buyerReference") || !strings.Contains(got, "countrySpecific.leitwegId") {
		t.Error(got)
	}
}

// TestVATIDs ensures which VAT identifiers get a prefix, and which.
func TestVATIDs(t *testing.T) {
	v := &invoice.Invoice{Seller: &invoice.Party{VATID: "1", CountryCode: "gr"}, Buyer: &invoice.Party{VATID: "FR2", CountryCode: "FR"},
		TaxRepresentative: &invoice.TaxRepresentative{VATID: "3", CountryCode: "DE"}}
	want := map[string]string{"seller.vatId": "EL", "buyer.vatId": "FR", "taxRepresentative.vatId": "DE"}
	for _, id := range vatIDs(v) {
		if got := vatPrefix(id.country); got != want[id.field] || *id.value == "" {
			t.Errorf("%s: %q, want %q", id.field, got, want[id.field])
		}
		delete(want, id.field)
	}
	if len(want) > 0 || len(vatIDs(&invoice.Invoice{})) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// TestCheckWritten_PrefixesEachParty ensures that all identifiers that begin with a digit are written with a prefix, and that
// of several passes the last one judges.
func TestCheckWritten_PrefixesEachParty(t *testing.T) {
	body := example(t, "DE123456789", "123456789", `"name": "Amt Nord",`, `"name": "Amt Nord", "vatId": "099999999",`, `"city": "Kassel",
      "postalCode": "34117",
      "countryCode": "DE"`, `"city": "Athen", "postalCode": "1", "countryCode": "GR"`)
	a, err := judgingService(t, today).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if got := saidOf(a.Warnings); len(got) != 2 || got[0].Field != "seller.vatId" || got[1].Field != "buyer.vatId" {
		t.Errorf("%+v", got)
	}
	for _, id := range []string{">DE123456789<", ">EL099999999<"} {
		if !strings.Contains(string(a.Data), id) {
			t.Errorf("no %s in %s", id, a.Data)
		}
	}
}
