package invoice

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

func num(text string) decimal.Decimal {
	if text == "" {
		return decimal.Decimal{}
	}
	return decimal.MustParse(text)
}

func TestTaxIsRoundedHalfUpToCents(t *testing.T) {
	cases := []struct{ net, rate, want string }{
		{"100", "19", "19.00"}, {"10.50", "7", "0.74"}, {"0.05", "10", "0.01"}, {"-0.05", "10", "-0.01"}, {"1.234", "19.5", "0.24"}, {"99.99", "0", "0.00"}, {"10", "", "0.00"},
		{"123456789012345678.99", "20", "24691357802469135.80"},
	}
	for _, c := range cases {
		if got := TaxOf(num(c.net), num(c.rate)); got.Cmp(num(c.want)) != 0 || got.Scale() > 2 {
			t.Errorf("%s at %s: %s, want %s", c.net, c.rate, got, c.want)
		}
	}
}

// TestNetAmountOfALineFollowsItsParts has the formula of BT-131 with each of its parts.
func TestNetAmountOfALineFollowsItsParts(t *testing.T) {
	cases := []struct {
		name string
		item Item
		want string
	}{
		{"quantity at price", Item{Quantity: num("3"), UnitPrice: num("14.20")}, "42.60"},
		{"a price for a base quantity", Item{Quantity: num("250"), UnitPrice: num("9.99"), PriceBaseQuantity: num("1000")}, "2.50"},
		{"a base quantity that does not divide", Item{Quantity: num("1"), UnitPrice: num("10"), PriceBaseQuantity: num("3")}, "3.33"},
		{"a base quantity of zero counts as one", Item{Quantity: num("2"), UnitPrice: num("10"), PriceBaseQuantity: num("0")}, "20"},
		{"allowances and charges", Item{Quantity: num("1"), UnitPrice: num("100"), Allowances: []LineCharge{{Amount: num("10")}, {Amount: num("0.50")}}, Charges: []LineCharge{{Amount: num("5.25")}}}, "94.75"},
		{"a discount in percent, of the amount in cents", Item{Quantity: num("2"), UnitPrice: num("19.99"), Discount: &Discount{Type: DiscountPercentage, Value: num("10")}}, "35.98"},
		{"a discount as an amount", Item{Quantity: num("2"), UnitPrice: num("19.99"), Discount: &Discount{Type: DiscountAbsolute, Value: num("1.98")}}, "38.00"},
		{"halves are rounded up", Item{Quantity: num("1"), UnitPrice: num("0.125")}, "0.13"},
		{"halves below zero are rounded away from it", Item{Quantity: num("-1"), UnitPrice: num("0.125")}, "-0.13"},
		{"rounded once", Item{Quantity: num("1"), UnitPrice: num("0.0149"), Charges: []LineCharge{{Amount: num("0.0001")}}}, "0.02"},
		{"nothing", Item{}, "0"},
	}
	for _, c := range cases {
		if got := c.item.Net(); got.Cmp(num(c.want)) != 0 {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestADiscountIsOneAllowance(t *testing.T) {
	if _, ok := (&Item{}).DiscountAllowance(); ok {
		t.Error("a line without discount has an allowance for it")
	}
	cases := []struct {
		discount Discount
		want     LineCharge
	}{
		{Discount{Type: DiscountAbsolute, Value: num("1.5"), Reason: "R"}, LineCharge{Amount: num("1.5"), Reason: "R"}},
		{Discount{Type: DiscountAbsolute, Value: num("1.5")}, LineCharge{Amount: num("1.5"), ReasonCode: "95"}},
		{Discount{Type: DiscountPercentage, Value: num("2.5"), Reason: "R"}, LineCharge{Amount: num("0.31"), BaseAmount: num("12.35"), Percentage: num("2.5"), Reason: "R"}},
	}
	for _, c := range cases {
		item := Item{Quantity: num("1"), UnitPrice: num("12.345"), Discount: &c.discount}
		if got, ok := item.DiscountAllowance(); !ok || cmp.Diff(c.want, got) != "" {
			t.Errorf("%+v: %+v", c.discount, got)
		}
	}
}

// TestCalculateFillsInWhatIsLeftOut names each value that was computed, in order.
func TestCalculateFillsInWhatIsLeftOut(t *testing.T) {
	yes, no := true, false
	line := func(net, rate, category string) Item {
		return Item{NetAmount: num(net), TaxAmount: num("1"), TaxRate: num(rate), TaxCategoryCode: category}
	}
	cases := []struct {
		name string
		inv  Invoice
		want []string
	}{
		{"nothing is missing", Invoice{Items: []Item{line("10", "19", "S")}, TaxSummary: []TaxSummary{{TaxRate: num("19"), NetAmount: num("10"), TaxAmount: num("1.90")}}, Subtotal: num("10"), Total: num("11.90")}, nil},
		{"amounts that are there stay as they are", Invoice{Items: []Item{{Quantity: num("1"), UnitPrice: num("5"), NetAmount: num("7"), TaxAmount: num("3")}}, TaxSummary: []TaxSummary{{NetAmount: num("1"), TaxAmount: num("2")}}},
			[]string{"subtotal 7", "total 9"}},
		{"lines", Invoice{Items: []Item{{Quantity: num("3"), UnitPrice: num("14.20"), TaxRate: num("19")}, line("10", "7", "")}, TaxSummary: []TaxSummary{{NetAmount: num("1"), TaxAmount: num("1")}}, Subtotal: num("1"), Total: num("1")},
			[]string{"items[0].netAmount 42.60", "items[0].taxAmount 8.09"}},
		{"a breakdown by category and rate, in the order of the lines, the charges last", Invoice{
			Items:             []Item{line("10", "19", ""), line("5", "7", "S"), line("2.50", "19.0", "S"), line("4", "0", ""), line("3", "0", "E"), line("1", "", "O")},
			AllowancesCharges: []DocumentCharge{{IsCharge: &no, Amount: num("1"), TaxRate: num("7"), TaxCategoryCode: "S"}, {IsCharge: &yes, Amount: num("2"), TaxRate: num("21")}},
		}, []string{"taxSummary[0].netAmount 12.50", "taxSummary[0].taxAmount 2.38", "taxSummary[1].netAmount 4", "taxSummary[1].taxAmount 0.28", "taxSummary[2].netAmount 4", "taxSummary[2].taxAmount 0",
			"taxSummary[3].netAmount 3", "taxSummary[3].taxAmount 0", "taxSummary[4].netAmount 1", "taxSummary[4].taxAmount 0", "taxSummary[5].netAmount 2", "taxSummary[5].taxAmount 0.42", "subtotal 26.50", "total 29.58"}},
		{"amounts of groups that are there", Invoice{Items: []Item{line("10", "19", "S"), line("5", "7", "")},
			TaxSummary: []TaxSummary{{TaxRate: num("7.00")}, {TaxRate: num("19"), TaxCategoryCode: "S", TaxAmount: num("1.91")}, {TaxRate: num("3")}}},
			[]string{"taxSummary[0].netAmount 5", "taxSummary[0].taxAmount 0.35", "taxSummary[1].netAmount 10", "taxSummary[2].netAmount 0.00", "taxSummary[2].taxAmount 0.00", "subtotal 15", "total 17.26"}},
		{"totals of amounts with more than two decimals", Invoice{Items: []Item{line("1.004", "10", "S"), line("1.001", "10", "S")}},
			[]string{"taxSummary[0].netAmount 2.01", "taxSummary[0].taxAmount 0.20", "subtotal 2.01", "total 2.21"}},
		{"no lines", Invoice{}, nil},
	}
	for _, c := range cases {
		var got []string
		for _, v := range Calculate(&c.inv) {
			got = append(got, v.Field+" "+v.Value.String())
		}
		if !slices.EqualFunc(got, c.want, sameValue) {
			t.Errorf("%s:\n%s", c.name, cmp.Diff(c.want, got))
		}
		if again := Calculate(&c.inv); len(again) > 0 {
			t.Errorf("%s: a second run computes %v", c.name, again)
		}
	}
}

// sameValue compares "field value" with numbers by value.
func sameValue(a, b string) bool {
	var fieldA, fieldB, valueA, valueB string
	fmt.Sscan(a, &fieldA, &valueA)
	fmt.Sscan(b, &fieldB, &valueB)
	return fieldA == fieldB && valueA != "" && valueB != "" && num(valueA).Cmp(num(valueB)) == 0
}

// TestCalculatedInvoicesAddUp draws lines, allowances and charges and holds the sums of EN 16931 (BR-CO-10 to BR-CO-17) on what
// Calculate makes of them.
func TestCalculatedInvoicesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inv := drawAmounts(t)
		Calculate(inv)
		var lines, charges, tax, bases decimal.Decimal
		for i := range inv.Items {
			lines = lines.Add(inv.Items[i].NetAmount)
			if inv.Items[i].NetAmount.Scale() > 2 {
				t.Fatalf("line %d is %s", i, inv.Items[i].NetAmount)
			}
		}
		for i := range inv.AllowancesCharges {
			charges = charges.Add(inv.AllowancesCharges[i].signed())
		}
		if inv.Subtotal.Cmp(lines.Add(charges)) != 0 {
			t.Fatalf("BR-CO-13: %s is not %s and %s", inv.Subtotal, lines, charges)
		}
		groups := inv.TaxGroups()
		if len(groups) != len(inv.TaxSummary) {
			t.Fatalf("BR-S-08: two groups are alike in %+v", inv.TaxSummary)
		}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			tax, bases = tax.Add(g.TaxAmount), bases.Add(g.NetAmount)
			if g.TaxAmount.Cmp(TaxOf(g.NetAmount, g.TaxRate)) != 0 {
				t.Fatalf("BR-CO-17: %+v", g)
			}
		}
		if bases.Cmp(inv.Subtotal) != 0 || inv.Total.Cmp(inv.Subtotal.Add(tax)) != 0 {
			t.Fatalf("BR-CO-15: %s, %s and %s", bases, tax, inv.Total)
		}
		for i := range inv.Items {
			it := &inv.Items[i]
			if category, _ := CategoriesOf(inv).Of(it.TaxCategoryCode, it.TaxRate, "", ""); groups[TaxKeyOf(category, it.TaxRate)] == nil {
				t.Fatalf("line %d has no group", i)
			}
		}
	})
}

func drawAmounts(t *rapid.T) *Invoice {
	amount := func(name string, scale int) decimal.Decimal {
		return decimal.New(rapid.Int64Range(-1e7, 1e7).Draw(t, name), scale)
	}
	rate := rapid.SampledFrom([]string{"19", "7", "7.0", "0", "20.5"})
	category := rapid.SampledFrom([]string{"", "S", "E"})
	inv := &Invoice{}
	for range rapid.IntRange(1, 6).Draw(t, "lines") {
		it := Item{Quantity: amount("quantity", 3), UnitPrice: amount("price", 4), TaxRate: num(rate.Draw(t, "rate")), TaxCategoryCode: category.Draw(t, "category")}
		if rapid.Bool().Draw(t, "base") {
			it.PriceBaseQuantity = decimal.New(rapid.Int64Range(1, 1000).Draw(t, "base quantity"), 0)
		}
		if rapid.Bool().Draw(t, "allowance") {
			it.Allowances = []LineCharge{{Amount: amount("allowance", 2)}}
		}
		inv.Items = append(inv.Items, it)
	}
	for range rapid.IntRange(0, 3).Draw(t, "charges") {
		charge := rapid.Bool().Draw(t, "charge")
		inv.AllowancesCharges = append(inv.AllowancesCharges, DocumentCharge{IsCharge: &charge, Amount: amount("amount", 2), TaxRate: num(rate.Draw(t, "rate")), TaxCategoryCode: category.Draw(t, "category")})
	}
	return inv
}

func TestTaxGroupsAreFoundByValue(t *testing.T) {
	inv := &Invoice{TaxSummary: []TaxSummary{{TaxCategoryCode: "S", TaxRate: num("19.0")}, {TaxCategoryCode: "O"}, {TaxCategoryCode: "S", TaxRate: num("19")}}}
	groups := inv.TaxGroups()
	if groups[TaxKeyOf("S", num("19.00"))] != &inv.TaxSummary[0] || groups[TaxKeyOf("O", num("0"))] != &inv.TaxSummary[1] || len(groups) != 2 {
		t.Errorf("%v", groups)
	}
	if groups[TaxKeyOf("S", num("7"))] != nil || groups[TaxKeyOf("E", num("19"))] != nil {
		t.Error("a group that is not there")
	}
}

func TestTotalsAreRoundedAsTheRulesRound(t *testing.T) {
	for text, want := range map[string]string{"1.005": "1.01", "-1.005": "-1.00", "1.004": "1.00", "1": "1", "-0.006": "-0.01", "": ""} {
		if got := RoundTotal(num(text)).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestTaxInTaxCurrencyIsSharedByTax(t *testing.T) {
	cases := []struct {
		name, sum string
		taxes     []string
		want      []string
	}{
		{"one group", "12.34", []string{"1"}, []string{"12.34"}},
		{"in proportion, the last takes the rest", "10.00", []string{"1", "1", "1"}, []string{"3.33", "3.33", "3.34"}},
		{"groups without tax", "10.00", []string{"0", "5", "0"}, []string{"0.00", "10.00", "0.00"}},
		{"no tax at all", "10.00", []string{"0", "0"}, []string{"0.00", "10.00"}},
		{"a sum of zero", "0", []string{"1", "2"}, []string{"0.00", "0.00"}},
		{"below zero", "-10.00", []string{"-1", "-2"}, []string{"-3.33", "-6.67"}},
		{"no group", "10.00", nil, nil},
	}
	for _, c := range cases {
		inv := &Invoice{}
		for _, tax := range c.taxes {
			inv.TaxSummary = append(inv.TaxSummary, TaxSummary{TaxAmount: num(tax)})
		}
		ShareTaxInTaxCurrency(inv, num(c.sum))
		for i, want := range c.want {
			if got := inv.TaxSummary[i].TaxCurrencyTaxAmount; !got.IsSet() || got.Cmp(num(want)) != 0 {
				t.Errorf("%s: share %d is %s, want %s", c.name, i, got, want)
			}
		}
	}
}

func TestSharesOfTheTaxCurrencyAddUpExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inv := &Invoice{}
		for range rapid.IntRange(1, 8).Draw(t, "groups") {
			inv.TaxSummary = append(inv.TaxSummary, TaxSummary{TaxAmount: decimal.New(rapid.Int64Range(-1e9, 1e9).Draw(t, "tax"), rapid.IntRange(0, 4).Draw(t, "scale"))})
		}
		sum := decimal.New(rapid.Int64().Draw(t, "sum"), rapid.IntRange(0, 4).Draw(t, "decimals"))
		ShareTaxInTaxCurrency(inv, sum)
		var got decimal.Decimal
		for i := range inv.TaxSummary {
			got = got.Add(inv.TaxSummary[i].TaxCurrencyTaxAmount)
		}
		if got.Cmp(sum) != 0 {
			t.Fatalf("%s is shared as %s", sum, got)
		}
	})
}
