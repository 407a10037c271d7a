package verifactu

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

var update = flag.Bool("update", false, "write the goldens anew")

// invoiceOf reads an input of testdata.
func invoiceOf(t testing.TB, file string) *invoice.Invoice {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	body, errs, err := invoice.Decode(text, invoice.Options{})
	if err != nil || len(errs) > 0 {
		t.Fatal(file, err, errs)
	}
	return body.Invoice
}

// TestFromInvoice_Goldens ensures which record is made of an invoice, by goldens: testdata/verifactu has each invoice as JSON and its record as XML.
func TestFromInvoice_Goldens(t *testing.T) {
	files, err := filepath.Glob("../../testdata/verifactu/*.json")
	if err != nil || len(files) < 9 {
		t.Fatal(len(files), err)
	}
	installed := loaded(t)
	var previous *Previous
	for _, file := range files {
		record, wrong := FromInvoice(invoiceOf(t, file))
		if len(wrong) > 0 {
			t.Errorf("%s: %+v", file, wrong)
			continue
		}
		record.Seal(installed.System(), previous, "2026-06-30T10:00:00+02:00")
		previous = &Previous{record.Invoice, record.Hash}
		got, err := record.XML()
		if err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(file, ".json") + ".xml"
		if *update {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", golden, err, diff)
		}
	}
}

func loaded(t testing.TB) *Installation {
	t.Helper()
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	installed, err := Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

// TestFromInvoice_Refuses ensures that what no record can hold is named.
func TestFromInvoice_Refuses(t *testing.T) {
	const first = "../../testdata/verifactu/01-f1.json"
	for field, change := range map[string]func(*invoice.Invoice){
		"seller.vatId":                  func(inv *invoice.Invoice) { inv.Seller.VATID = "FR12345678901" },
		"currency":                      func(inv *invoice.Invoice) { inv.Currency = "USD" },
		"invoiceNumber":                 func(inv *invoice.Invoice) { inv.InvoiceNumber = "Nº<1>" },
		"type":                          func(inv *invoice.Invoice) { inv.Type = invoice.TypeProforma },
		"taxSummary[0].taxCategoryCode": func(inv *invoice.Invoice) { inv.TaxSummary[0].TaxCategoryCode = "B" },
		"taxSummary":                    func(inv *invoice.Invoice) { inv.TaxSummary = make([]invoice.TaxSummary, 13) },
	} {
		inv := invoiceOf(t, first)
		change(inv)
		if field == "taxSummary" {
			for i := range inv.TaxSummary {
				inv.TaxSummary[i].TaxCategoryCode = "S"
			}
		}
		_, wrong := FromInvoice(inv)
		if len(wrong) != 1 || wrong[0].Field != field || !strings.HasPrefix(wrong[0].Message, field) {
			t.Errorf("%s: %+v", field, wrong)
		}
	}
	inv := invoiceOf(t, first)
	inv.InvoiceNumber = strings.Repeat("1", 61)
	if _, wrong := FromInvoice(inv); len(wrong) != 1 || wrong[0].Code != finding.FieldTooLong {
		t.Errorf("%+v", wrong)
	}
}

// TestContent_IsWhatTheInvoiceSays ensures that the place in the chain does not change the content of a record, and that what the invoice says does.
func TestContent_IsWhatTheInvoiceSays(t *testing.T) {
	content := func(r *Record) string {
		text, err := r.Content()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	r := full()
	before := content(r)
	r.Seal(loaded(t).System(), nil, "2026-06-30T10:00:00+02:00")
	if content(r) != before {
		t.Error("the chain changes the content")
	}
	r.Recipients[0].Name = "Gamma"
	if content(r) == before {
		t.Error("the recipient does not change the content")
	}
}

// TestLoad_NamesWhatIsWrong ensures that each fault of the configuration is named.
func TestLoad_NamesWhatIsWrong(t *testing.T) {
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string][2]string{
		"producer.nif is no Spanish NIF":   {"nif: B12345674", "nif: DE123456789"},
		"producer.name is missing":         {"name: Alfa Software SL", "name: ''"},
		"software.id has 3 characters":     {"id: EI", "id: EIN"},
		"date is no date":                  {"2026-06-30", "30-06-2026"},
		"field surprise not found":         {"place: Madrid", "place: Madrid\nsurprise: 1"},
		"software.onlyVerifactu must be":   {"  severalTaxpayers: true", "  severalTaxpayers: true\n  onlyVerifactu: false"},
		"installation is missing":          {"installation: INST-1\n", ""},
		"software.version has 51 charact":  {`version: "1.0"`, "version: " + strings.Repeat("v", 51)},
		"read the VeriFactu configuration": {"producer:", "producer: ["},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if _, err := Load([]byte(changed)); changed == string(text) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Load(nil); err == nil {
		t.Error("an empty file is a configuration")
	}
}

// TestDeclaration_SaysWhatTheOrderAsksFor ensures the letters of the order, and that JSON has what the print has.
func TestDeclaration_SaysWhatTheOrderAsksFor(t *testing.T) {
	declared := loaded(t).Declaration()
	letters := ""
	for _, line := range declared.Lines() {
		if len(line.Label) > 1 && line.Label[1] == ')' {
			letters += line.Label[:1]
		}
	}
	if letters != "abcdefhijkl" { // g is for other systems
		t.Errorf("%s", letters)
	}
	text, err := json.Marshal(declared)
	if err != nil || !strings.Contains(string(text), `"statement":"El productor declara`) {
		t.Errorf("%s %v", text, err)
	}
}
