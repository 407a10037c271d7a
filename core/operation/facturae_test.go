package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

var facturaeFormat = nationalFormat{country: "ES", token: "facturae", folder: "facturae", warns: true, signed: true}

const facturaeFolder = "../../testdata/facturae"

// facturaeWarned are the codes that the inputs of Facturae are warned with, each once, in alphabetical order; the others are not warned.
var facturaeWarned = map[string]string{
	"credit-note-negative":  "VALUE_ASSUMED",
	"direct-debit":          "FIELD_NOT_WRITTEN",
	"groups":                "GROUP_NOT_REPRESENTABLE",
	"long-texts":            "FIELD_TOO_LONG",
	"partial":               "DOCUMENT_TYPE_FALLBACK",
	"public-administration": "ES_FACTURAE_UNSIGNED",
	"returns":               "LINE_SIGN_MOVED",
	"small-business":        "FIELD_NOT_WRITTEN",
	"unpaid":                "FIELD_NOT_WRITTEN",
	"version-3.2":           "DECIMALS_REDUCED",
}

func facturaeFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(facturaeFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGenerate_Facturae ensures the documents of the inputs, which the rules that ship accept, and what the caller is warned of.
func TestGenerate_Facturae(t *testing.T) {
	s := fullService(t)
	for _, name := range facturaeFormat.names(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "es", Format: "facturae", Body: facturaeFile(t, name+".json")})
			if err != nil {
				t.Fatalf("%v%s", err, entriesOf(err))
			}
			compareGolden(t, filepath.Join(facturaeFolder, name+".xml"), answer.Data)
			version, found := strings.CutPrefix(name, "version-")
			if !found {
				version = "3.2.2"
			}
			if len(answer.Rulebooks) != 1 || answer.Rulebooks[0] != (Rulebook{"facturae-" + version, version}) {
				t.Errorf("judged by %v", answer.Rulebooks)
			}
			if got := warnedWith(answer.Warnings); got != facturaeWarned[name] {
				t.Errorf("warned with %q, want %q: %+v", got, facturaeWarned[name], answer.Warnings)
			}
		})
	}
}

// TestParse_FacturaeComesBack ensures that a document that was generated is read without a remark, and that what it says is written as the same
// invoice again.
func TestParse_FacturaeComesBack(t *testing.T) {
	s := fullService(t)
	for _, name := range facturaeFormat.names(t) {
		first, err := s.Parse(t.Context(), ParseRequest{Document: facturaeFile(t, name+".xml")})
		if err != nil || len(first.Warnings) > 0 || first.Format != "FACTURAE" {
			t.Errorf("%s: %v %+v", name, err, first)
			continue
		}
		second, err := s.Parse(t.Context(), ParseRequest{Document: facturaeFormat.generate(t, s, requestOf(t, first.Invoice)).Data})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(first.Invoice, second.Invoice, cmp.Comparer(func(a, b decimal.Decimal) bool { return a.IsSet() == b.IsSet() && a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestParse_FacturaeSaysWhatWasSent ensures that reading a document gives the members back that it was generated from.
func TestParse_FacturaeSaysWhatWasSent(t *testing.T) {
	s := fullService(t)
	for name, members := range map[string]string{
		"goods":            "invoiceNumber type issueDate dueDate orderNumber contractNumber projectNumber notes servicePeriod paymentReference deliveryNote total subtotal taxSummary countrySpecific",
		"credit-note":      "type referencedInvoiceNumber referencedInvoiceDate total subtotal taxSummary countrySpecific",
		"reverse-charge":   "total subtotal",
		"intra-community":  "buyer taxSummary",
		"export":           "taxSummary",
		"not-subject":      "total",
		"foreign-currency": "currency taxCurrencyCode",
		"withholding":      "total countrySpecific",
		"retention":        "total",
		"self-billed":      "type",
		"factoring":        "payee dueDate paymentMethods countrySpecific",
		"direct-debit":     "paymentMethods",
	} {
		var sent struct{ Invoice map[string]any }
		if err := json.Unmarshal(facturaeFile(t, name+".json"), &sent); err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: facturaeFile(t, name+".xml")})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(parsed.Invoice)
		if err != nil {
			t.Fatal(err)
		}
		var read map[string]any
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatal(err)
		}
		for member := range strings.FieldsSeq(members) {
			if diff := cmp.Diff(sent.Invoice[member], read[member]); diff != "" {
				t.Errorf("%s: %s: %s", name, member, diff)
			}
		}
	}
}

// facturaeBatch is a file with two invoices, and with texts of it replaced, pair by pair.
func facturaeBatch(t testing.TB, pairs ...string) []byte {
	t.Helper()
	one := string(facturaeFile(t, "goods.xml"))
	from, to := strings.Index(one, "<Invoice>"), strings.Index(one, "</Invoices>")
	body := one[from:to]
	file := strings.Replace(one, body, body+strings.Replace(body, ">FE-1<", ">FE-2<", 1), 1)
	file = strings.NewReplacer("<Modality>I", "<Modality>L", "<InvoicesCount>1", "<InvoicesCount>2").Replace(file)
	head, rest, _ := strings.Cut(file, "</Batch>")
	file = strings.ReplaceAll(head, "<TotalAmount>1302.36", "<TotalAmount>2604.72") + "</Batch>" + rest
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(file, pairs[i]) {
			t.Fatalf("no %s", pairs[i])
		}
		file = strings.Replace(file, pairs[i], pairs[i+1], 1)
	}
	return []byte(file)
}

// TestFacturae_SeveralInvoices ensures that parse answers every invoice of a file, and that convert takes the one that is asked for.
func TestFacturae_SeveralInvoices(t *testing.T) {
	s := fullService(t)
	file := facturaeBatch(t)
	answer, err := s.Parse(t.Context(), ParseRequest{Document: file})
	if err != nil || len(answer.Warnings) > 0 || len(answer.Invoices) != 2 {
		t.Fatalf("%v %+v", err, answer)
	}
	if a, b := answer.Invoices[0], answer.Invoices[1]; a.InvoiceNumber != "FE-1" || b.InvoiceNumber != "FE-2" || b.Seller.Name != a.Seller.Name || answer.Invoice != a {
		t.Errorf("%s %s", a.InvoiceNumber, b.InvoiceNumber)
	}
	into := ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "ES", TargetFormat: "facturae"}}
	if _, err := s.Convert(t.Context(), into); err == nil || !strings.Contains(err.Error(), "index is required: the document has 2 invoices") {
		t.Errorf("without index: %v", err)
	}
	index := 1
	into.Options.Index = &index
	converted, err := s.Convert(t.Context(), into)
	if err != nil || !strings.Contains(string(converted.Data), "<InvoiceNumber>FE-2<") || !strings.Contains(string(converted.Data), "<InvoicesCount>1<") {
		t.Errorf("%v", err)
	}
}

// TestFacturae_BatchIsCompared ensures that what a file says of all its invoices is held against them, and told once with its place and what they
// come to, while each invoice is as it is without that.
func TestFacturae_BatchIsCompared(t *testing.T) {
	s := fullService(t)
	right := must(s.Parse(t.Context(), ParseRequest{Document: facturaeBatch(t)}))(t)
	const batch = "/fe:Facturae/FileHeader/Batch/"
	for _, c := range []struct{ from, to, path, reason string }{
		{"<Modality>L", "<Modality>I", "/fe:Facturae/FileHeader/Modality", "come to L"},
		{"<InvoicesCount>2", "<InvoicesCount>1", batch + "InvoicesCount", "come to 2"},
		{"<InvoicesCount>2", "<InvoicesCount>02", "", ""},
		{"<TotalInvoicesAmount>\n        <TotalAmount>2604.72", "<TotalInvoicesAmount>\n        <TotalAmount>1302.36", batch + "TotalInvoicesAmount/TotalAmount", "come to 2604.72"},
		{"<TotalOutstandingAmount>\n        <TotalAmount>2604.72", "<TotalOutstandingAmount>\n        <TotalAmount>x", batch + "TotalOutstandingAmount/TotalAmount", "come to 2604.72"},
		{"<TotalExecutableAmount>\n        <TotalAmount>2604.72", "<TotalExecutableAmount>\n        <TotalAmount>2604.7", batch + "TotalExecutableAmount/TotalAmount", "come to 2604.72"},
		{"<TotalExecutableAmount>\n        <TotalAmount>2604.72", "<TotalExecutableAmount>\n        <TotalAmount>2604.7200", "", ""},
	} {
		file := facturaeBatch(t, c.from, c.to)
		answer := must(s.Parse(t.Context(), ParseRequest{Document: file}))(t)
		switch {
		case c.path == "" && len(answer.Warnings) > 0, c.path != "" && len(answer.Warnings) != 1:
			t.Errorf("%s: %+v", c.to, answer.Warnings)
		case c.path != "":
			line := fmt.Sprintf("(line %d)", 1+strings.Count(string(file[:strings.Index(string(file), c.to)+len(c.to)]), "\n"))
			if w := answer.Warnings[0]; w.Field != c.path || !strings.HasSuffix(w.Message, c.reason) || !strings.Contains(w.Message, line) {
				t.Errorf("%s: %+v, %s", c.to, w, line)
			}
		}
		if diff := cmp.Diff(right.Invoices, answer.Invoices, byDecimal); diff != "" {
			t.Errorf("%s: %s", c.to, diff)
		}
	}
}

// TestFacturae_OneInvoiceCountedAsTwo ensures that a file with one invoice which says that there are several is told so, and does not pass it on.
func TestFacturae_OneInvoiceCountedAsTwo(t *testing.T) {
	s := fullService(t)
	answer := parsedAs(t, s, facturaeGolden(t, "goods", "<InvoicesCount>1", "<InvoicesCount>2", "<Modality>I", "<Modality>L"))
	if len(answer.Warnings) != 2 || answer.Warnings[0].Field != "/fe:Facturae/FileHeader/Modality" || answer.Warnings[1].Field != "/fe:Facturae/FileHeader/Batch/InvoicesCount" {
		t.Errorf("%+v", answer.Warnings)
	}
	if text := string(facturaeFormat.generate(t, s, requestOf(t, answer.Invoice)).Data); !strings.Contains(text, "<InvoicesCount>1<") {
		t.Error(text)
	}
}

// TestFacturae_Signed ensures that a signature inside the document (.xsig) is left out of what is read, and told.
func TestFacturae_Signed(t *testing.T) {
	s := fullService(t)
	signed := strings.Replace(string(facturaeFile(t, "goods.xml")), "</fe:Facturae>",
		`<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>AA==</ds:SignatureValue></ds:Signature></fe:Facturae>`, 1)
	answer, err := s.Parse(t.Context(), ParseRequest{Document: []byte(signed), Filename: "goods.xsig"})
	if err != nil || len(answer.Warnings) > 0 || len(answer.Infos) != 1 || answer.Infos[0].Code != finding.Unwrapped || answer.Invoice.InvoiceNumber != "FE-1" {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestGenerate_FacturaePayee ensures that a payee who lacks what an assignee has in Facturae is told with what it lacks and member by member, and that
// its account is paid to nevertheless.
func TestGenerate_FacturaePayee(t *testing.T) {
	s := fullService(t)
	for _, c := range []struct{ patch, lacks string }{
		{`{"vatId":null}`, "payee.vatId or payee.taxId"}, {`{"street":null}`, "payee.street"}, {`{"postalCode":"2800"}`, "payee.postalCode"}, {`{"city":null}`, "payee.city"},
		{`{"countryCode":null}`, "payee.countryCode"}, {`{"countryCode":"SS"}`, "payee.countryCode"},
	} {
		body := facturaeFormat.body(t, "factoring", `{"payee":`+c.patch+`,"countrySpecific":{"national":null}}`)
		answer := facturaeFormat.generate(t, s, body)
		if len(answer.Warnings) < 2 || answer.Warnings[0].Code != finding.FieldNotWritten || answer.Warnings[0].Field != "payee.name" || !strings.Contains(answer.Warnings[0].Message, c.lacks) {
			t.Errorf("%s: %+v", c.patch, answer.Warnings)
		}
		if told := facturaeFormat.warnings(answer.Warnings); !slices.Contains(told, "FIELD_NOT_WRITTEN payee.registrationNumber") || !slices.Contains(told, "FIELD_NOT_WRITTEN payee.contact.email") {
			t.Errorf("%s: %v", c.patch, told)
		}
		if text := string(answer.Data); strings.Contains(text, "FactoringAssignmentData") || !strings.Contains(text, "<IBAN>ES7921000813610123456789<") {
			t.Errorf("%s: %s", c.patch, text)
		}
	}
}

// TestParse_FacturaeAssignee ensures what is read of an assignee: the way to pay where the invoice has none of its own, and in national what the
// invoice has no member for, both of which are written again.
func TestParse_FacturaeAssignee(t *testing.T) {
	s := fullService(t)
	document := string(facturaeFile(t, "factoring.xml"))
	from, to := strings.LastIndex(document, "<PaymentDetails>"), strings.LastIndex(document, "</PaymentDetails>")+len("</PaymentDetails>")
	unpaid := document[:from] + document[to:]
	other := strings.Replace(document, "<PaymentMeans>04", "<PaymentMeans>13", 1)
	const list = "FileHeader/FactoringAssignmentData/PaymentDetails/Installment"
	for name, c := range map[string]struct {
		document string
		national bool
	}{"as written": {document, false}, "without payment": {unpaid, false}, "another payment": {other, true}} {
		inv := parsedAs(t, s, []byte(c.document)).Invoice
		if inv.Payee == nil || inv.Payee.VATID != "ESA12345674" || inv.Payee.BankAccount == nil || inv.Payee.BankAccount.IBAN != "ES7921000813610123456789" ||
			inv.DueDate != "2026-04-04" || len(inv.PaymentMethods) != 1 || inv.PaymentMethods[0].Type != invoice.PayCreditTransfer {
			t.Errorf("%s: %+v %+v", name, inv.Payee, inv.PaymentMethods)
		}
		stated := slices.ContainsFunc(slices.Collect(maps.Keys(inv.CountrySpecific.National)), func(path string) bool { return strings.HasPrefix(path, list) })
		if stated != c.national {
			t.Errorf("%s: %v", name, inv.CountrySpecific.National)
		}
		again := parsedAs(t, s, facturaeFormat.generate(t, s, requestOf(t, inv)).Data)
		if diff := cmp.Diff(inv, again.Invoice, byDecimal); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// FuzzParse_Facturae ensures that no document crashes the way to an invoice and back.
func FuzzParse_Facturae(f *testing.F) {
	s := newService(f)
	for _, name := range facturaeFormat.names(f) {
		f.Add(facturaeFile(f, name+".xml"))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		answer, err := s.Parse(t.Context(), ParseRequest{Country: "ES", Format: "facturae", Document: document})
		if err != nil {
			return
		}
		body, err := json.Marshal(map[string]any{"invoice": answer.Invoice})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: body}); err != nil {
			var refusal *finding.Refusal
			if !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkGenerate_Facturae measures invoices with their self-check.
func BenchmarkGenerate_Facturae(b *testing.B) {
	s := fullService(b)
	for _, lines := range []int{20, 2_000, 20_000} {
		body := facturaeRequest(b, lines)
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: body}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// facturaeRequest is a request with so many lines.
func facturaeRequest(t testing.TB, lines int) []byte {
	t.Helper()
	var request map[string]map[string]any
	if err := json.Unmarshal(facturaeFile(t, "returns.json"), &request); err != nil {
		t.Fatal(err)
	}
	var items []any
	for i := range lines {
		items = append(items, map[string]any{"description": fmt.Sprintf("Tornillo M%d", i), "quantity": 4, "unit": "C62", "unitPrice": 2.5, "taxRate": 10, "taxCategoryCode": "S",
			"netAmount": 10, "taxAmount": 1, "articleNumber": fmt.Sprint("A-", i)})
	}
	inv := request["invoice"]
	inv["items"], inv["subtotal"], inv["total"] = items, lines*10, lines*11
	inv["taxSummary"] = []any{map[string]any{"taxRate": 10, "taxCategoryCode": "S", "netAmount": lines * 10, "taxAmount": lines}}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
