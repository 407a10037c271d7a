package invoice

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

const inputFolder = "../../testdata/xrechnung-ubl"

// inputAnswer is what testdata/xrechnung-ubl-answers.json says of one input, as far as this test needs it.
type inputAnswer struct {
	Status   int
	Query    string
	Warnings []string
}

// input is one request body of testdata/xrechnung-ubl with the answer it has to get.
type input struct {
	name   string
	body   []byte
	answer inputAnswer
}

// inputs reads every input; one without an answer, or an answer without input, is a fault.
func inputs(t *testing.T) []input {
	t.Helper()
	text, err := os.ReadFile(inputFolder + "-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]inputAnswer{}
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(inputFolder + "/*.json")
	if err != nil || len(files) != len(answers) {
		t.Fatalf("%d inputs and %d answers (%v)", len(files), len(answers), err)
	}
	var all []input
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if answers[name].Status == 0 {
			t.Fatalf("input %s has no answer", name)
		}
		all = append(all, input{name, body, answers[name]})
	}
	return all
}

var (
	entryNumber = regexp.MustCompile(`\[\d+\]`)
	withinItems = regexp.MustCompile(`(\.subItems\[\])+`)
)

// ofType is the path of a leaf without its indexes; items within items count as items.
func ofType(path string) string {
	return withinItems.ReplaceAllString(entryNumber.ReplaceAllString(path, "[]"), "")
}

func TestInputsTogetherUseEveryMember(t *testing.T) {
	used, within := map[string]bool{}, false
	for _, in := range inputs(t) {
		body, faults, err := Decode(in.body, Options{})
		if err != nil || in.answer.Status != 400 && in.answer.Query == "" && len(faults) > 0 {
			t.Fatalf("%s: %v %v", in.name, err, faults)
		}
		for path := range Leaves(body.Invoice) {
			used[ofType(path)] = true
			within = within || strings.Contains(path, ".subItems[")
		}
	}
	if !within {
		t.Errorf("no input of %s has items within items", inputFolder)
	}
	for _, path := range LeafPaths() {
		if !used[ofType(path)] {
			t.Errorf("no input of %s uses %s", inputFolder, path)
		}
	}
}

func TestInputsHaveNoMisspelledMembers(t *testing.T) {
	known := map[string]bool{}
	for _, path := range LeafPaths() {
		known[ofType(path)] = true
	}
	for _, in := range inputs(t) {
		var body struct{ Invoice any }
		if err := json.Unmarshal(in.body, &body); err != nil {
			t.Fatalf("%s: %v", in.name, err)
		}
		for _, path := range rawLeaves(body.Invoice, "") {
			if !known[ofType(path)] && !otherForm(path) && in.name != "unknown-members" {
				t.Errorf("%s: nobody knows %s", in.name, path)
			}
		}
	}
}

// otherForm tells the forms of an electronic address that are read as its proper members.
func otherForm(path string) bool {
	return strings.HasSuffix(path, ".electronicAddress") || strings.HasSuffix(path, ".electronicAddress.value")
}

// rawLeaves lists the paths of all scalars below a decoded JSON value.
func rawLeaves(value any, path string) (paths []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			paths = append(paths, rawLeaves(member, strings.TrimPrefix(path+"."+name, "."))...)
		}
	case []any:
		for i, entry := range v {
			paths = append(paths, rawLeaves(entry, path+"["+strconv.Itoa(i)+"]")...)
		}
	default:
		return []string{path}
	}
	return paths
}

func TestInputsAddUp(t *testing.T) {
	for _, in := range inputs(t) {
		if in.answer.Status == 400 || in.answer.Query != "" {
			continue
		}
		body, _, err := Decode(in.body, Options{})
		if err != nil {
			t.Fatal(err)
		}
		sums := sumUp(body.Invoice)
		inv := body.Invoice
		if !sums.net.Equal(inv.Subtotal) || !sums.gross.Equal(inv.Total) {
			t.Errorf("%s: subtotal %s and total %s, by lines and groups %s and %s", in.name, inv.Subtotal, inv.Total, sums.net, sums.gross)
		}
		for _, group := range inv.TaxSummary {
			if base := sums.bases[groupKey(group.TaxCategoryCode, group.TaxRate)]; !base.Equal(group.NetAmount) {
				t.Errorf("%s: %s %s has the base %s, by lines %s", in.name, group.TaxCategoryCode, group.TaxRate, group.NetAmount, base)
			}
		}
		if !slices.Contains(in.answer.Warnings, "LINE_NET_MISMATCH") {
			checkLines(t, in.name, inv.Items)
		}
	}
}

// inputSums are the totals that lines, document charges and tax groups of an invoice give.
type inputSums struct {
	net, gross decimal.Decimal
	bases      map[string]decimal.Decimal // by groupKey
}

func sumUp(inv *Invoice) inputSums {
	s := inputSums{bases: map[string]decimal.Decimal{}}
	add := func(category string, rate, amount decimal.Decimal) {
		category, _ = CategoriesOf(inv).Of(category, rate, "", "")
		key := groupKey(category, rate)
		s.net, s.bases[key] = s.net.Add(amount), s.bases[key].Add(amount)
	}
	for _, it := range inv.Items {
		add(it.TaxCategoryCode, it.TaxRate, it.NetAmount)
	}
	for _, c := range inv.AllowancesCharges {
		if !c.Charge() {
			c.Amount = c.Amount.Neg()
		}
		add(c.TaxCategoryCode, c.TaxRate, c.Amount)
	}
	s.gross = s.net
	for _, group := range inv.TaxSummary {
		s.gross = s.gross.Add(group.TaxAmount)
	}
	return s
}

func groupKey(category string, rate decimal.Decimal) string {
	return category + " " + rate.Trim().String()
}

// checkLines holds each line net against quantity × price and the line tax against the rate, to the cent.
func checkLines(t *testing.T, name string, items []Item) {
	t.Helper()
	for i := range items {
		it := &items[i]
		if net := it.Net(); !net.Equal(it.NetAmount) {
			t.Errorf("%s: line %d has the net amount %s, by quantity and price %s", name, i, it.NetAmount, net)
		}
		if tax := TaxOf(it.NetAmount, it.TaxRate); !tax.Equal(it.TaxAmount) {
			t.Errorf("%s: line %d has the tax %s, by its rate %s", name, i, it.TaxAmount, tax)
		}
		checkLines(t, name, it.SubItems)
	}
}
