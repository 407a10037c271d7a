//go:build oracles

package operation

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

const readersFolder = "../../test/oracles/readers"

// foreign is what an independent reader takes a document for; what it does not expose is empty.
type foreign struct {
	Number   string `json:"number"`
	Issued   string `json:"issue_date"`
	Due      string `json:"due_date"`
	Currency string `json:"currency"`
	Seller   party  `json:"seller"`
	Buyer    party  `json:"buyer"`
	Totals   struct {
		Net   string `json:"tax_exclusive"`
		Gross string `json:"tax_inclusive"`
	} `json:"totals"`
	Lines []struct {
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
	Name string `json:"name"`
	VAT  string `json:"vat_id"`
}

// TestReaders_AgreeWithParse ensures that eu-einvoice reads from every golden of UBL and CII the values that parsing reads from it.
func TestReaders_AgreeWithParse(t *testing.T) {
	s := newService(t)
	names := readerGoldens(t)
	read := readForeign(t, names)
	compared := 0
	for i, name := range names {
		answer, err := s.Parse(t.Context(), ParseRequest{Document: having(os.ReadFile(name))(t)})
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
	if len(names) < 300 || compared < 15*len(names) {
		t.Errorf("%d values of %d documents are too few", compared, len(names))
	}
}

func readerGoldens(t *testing.T) []string {
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
	return names
}

type foreignAnswer struct {
	Invoice foreign `json:"invoice"`
	Fault   string  `json:"fault"`
}

func readForeign(t *testing.T, names []string) []foreignAnswer {
	t.Helper()
	c := exec.CommandContext(t.Context(), "python3", filepath.Join(readersFolder, "read.py"))
	c.Env = append(os.Environ(), "PYTHONPATH="+pythonPackages(t, readersFolder, "eu-einvoice-1.0.0"))
	c.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []foreignAnswer
	for line := range bytes.Lines(out) {
		var a foreignAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(names) {
		t.Fatalf("%d answers for %d documents", len(answers), len(names))
	}
	return answers
}

// pythonPackages gives the folder of the packages that requirements.txt of a folder names, in the user's cache, fetched when it is not there.
func pythonPackages(t *testing.T, requirements, name string) string {
	t.Helper()
	cache := having(os.UserCacheDir())(t)
	folder := filepath.Join(cache, "einvoiced-oracles", name)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	fresh := having(os.MkdirTemp(parent, "fetch"))(t)
	c := exec.CommandContext(t.Context(), "python3", "-m", "pip", "install", "--quiet", "--target", fresh, "-r", filepath.Join(requirements, "requirements.txt"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Rename(fresh, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// checkForeign compares what both read and gives the number of values that the reader exposes.
func checkForeign(t *testing.T, name string, ours *invoice.Invoice, theirs *foreign) int {
	t.Helper()
	pairs := [][3]string{
		{"BT-1", ours.InvoiceNumber, theirs.Number}, {"BT-2", string(ours.IssueDate), theirs.Issued},
		{"BT-9", string(ours.DueDate), theirs.Due}, {"BT-5", ours.Currency, theirs.Currency},
		{"BT-27", ours.Seller.Name, theirs.Seller.Name}, {"BT-31", ours.Seller.VATID, theirs.Seller.VAT},
		{"BT-44", ours.Buyer.Name, theirs.Buyer.Name}, {"BT-48", ours.Buyer.VATID, theirs.Buyer.VAT},
		{"BT-109", ours.Subtotal.String(), theirs.Totals.Net}, {"BT-112", ours.Total.String(), theirs.Totals.Gross},
	}
	if len(ours.Items) == len(theirs.Lines) { // lines within lines are told otherwise
		for i, l := range theirs.Lines {
			it := &ours.Items[i]
			pairs = slices.Concat(pairs, [][3]string{
				{"BT-153", it.Description, l.Name}, {"BT-129", it.Quantity.String(), l.Quantity}, {"BT-130", it.Unit, l.Unit},
				{"BT-146", it.UnitPrice.String(), l.Price}, {"BT-131", it.NetAmount.String(), l.Net},
				{"BT-151", it.TaxCategoryCode, l.Category}, {"BT-152", it.TaxRate.String(), l.Rate},
			})
		}
	} else {
		t.Errorf("%s: %d lines, not %d", name, len(theirs.Lines), len(ours.Items))
	}
	return comparePairs(t, name, pairs)
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

// having ends the test on an error and gives the value otherwise.
func having[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
