package hybrid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

var invoiceXML = []byte("<?xml version=\"1.0\"?>\r\n<Invoice>\xC3\xBC</Invoice>\n")

func facturX(p pdfmaker.PDF) []byte {
	p.Files = append(p.Files, pdfmaker.File{Name: "factur-x.xml", Data: invoiceXML})
	return p.Bytes()
}

// extract opens a file and takes its invoice out.
func extract(data []byte) (*Document, *Invoice, error) {
	d, err := Open(context.Background(), data)
	if err != nil {
		return nil, nil, err
	}
	invoice, err := d.Invoice()
	return d, invoice, err
}

// damaged are ways to break a file whose objects stand in it as they are.
var damaged = map[string]func(string) string{
	"no startxref":      func(s string) string { return s[:strings.LastIndex(s, "startxref")] },
	"wrong startxref":   func(s string) string { return s[:strings.LastIndex(s, "startxref")] + "startxref\n7\n%%EOF" },
	"shifted":           func(s string) string { return strings.Replace(s, "%PDF-1.7\n", "%PDF-1.7\n%shift\n", 1) },
	"no trailer":        func(s string) string { before, _, _ := strings.Cut(s, "trailer"); return before },
	"lines end in CRLF": func(s string) string { return strings.ReplaceAll(s, " obj\n", " obj\r\n") },
	"wrong lengths":     func(s string) string { return strings.ReplaceAll(s, "/Length ", "/Length 9") },
}

// TestInvoice_Forms ensures that the invoice is found byte for byte in every form of files, wherever it is referred to, with junk around.
func TestInvoice_Forms(t *testing.T) {
	for form := pdfmaker.Table; form <= pdfmaker.HybridReference; form++ {
		for place := pdfmaker.Everywhere; place <= pdfmaker.Annotation; place++ {
			for _, junk := range []string{"", "junk\n"} {
				name := fmt.Sprintf("form %d, place %d, junk %q", form, place, junk)
				d, invoice, err := extract(facturX(pdfmaker.PDF{Form: form, Place: place, Before: junk, After: strings.Repeat(junk, 1_000)}))
				if err != nil {
					t.Errorf("%s: %v", name, err)
				} else if invoice.Name != "factur-x.xml" || !bytes.Equal(invoice.XML, invoiceXML) || d.file.Rebuilt() {
					t.Errorf("%s: %+v, rebuilt %t", name, invoice, d.file.Rebuilt())
				}
			}
		}
	}
}

// TestInvoice_Damaged ensures that files whose cross-reference data is of no use are read all the same.
func TestInvoice_Damaged(t *testing.T) {
	for form := pdfmaker.Table; form <= pdfmaker.Streams; form++ {
		for name, damage := range damaged {
			data := []byte(damage(string(facturX(pdfmaker.PDF{Form: form}))))
			d, invoice, err := extract(data)
			if err != nil || !bytes.Equal(invoice.XML, invoiceXML) {
				t.Errorf("%s, form %d: %v, %+v", name, form, err, invoice)
			} else if rebuilt := d.file.Rebuilt(); !rebuilt && (name == "shifted" || name == "no startxref") {
				t.Errorf("%s, form %d: not rebuilt", name, form)
			}
		}
	}
}

// TestInvoice_Encrypted ensures that files with the empty user password are read in each way to encrypt, and others are refused.
func TestInvoice_Encrypted(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 7 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, invoice, err := extract(data)
		if strings.Contains(name, "password") {
			if !errors.Is(err, pdffile.ErrPassword) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(invoice.XML, invoiceXML) || !d.Encrypted() {
			t.Errorf("%s: %v, %+v", name, err, invoice)
		}
	}
}

// TestInvoice_Choice ensures which embedded file is the invoice.
func TestInvoice_Choice(t *testing.T) {
	for want, names := range map[string][]string{
		"factur-x.xml":        {"zugferd-invoice.xml", "factur-x.xml", "other.xml"},
		"ZUGFeRD-invoice.xml": {"a.xml", "ZUGFeRD-invoice.xml"},
		"xrechnung.xml":       {"zugferd-invoice.xml", "xrechnung.xml"},
		"only.xml":            {"only.xml"},
	} {
		p := pdfmaker.PDF{}
		for _, name := range names {
			p.Files = append(p.Files, pdfmaker.File{Name: name, Data: []byte(name)})
		}
		_, invoice, err := extract(p.Bytes())
		if err != nil || invoice.Name != want || string(invoice.XML) != want || len(invoice.Other) != len(names)-1 {
			t.Errorf("%q: %v, %+v", names, err, invoice)
		}
	}
}

// TestOpen_Refuses has a row for each reason why a PDF is not taken.
func TestOpen_Refuses(t *testing.T) {
	whole := string(facturX(pdfmaker.PDF{}))
	secret := pdfmaker.PDF{}.Bytes()
	secret = bytes.Replace(secret, []byte("/Size"), []byte("/Encrypt<</Filter/Custom/V 4>>/Size"), 1)
	for name, row := range map[string]struct {
		data string
		want error
		says string
	}{
		"text":                {"hello", pdffile.ErrNotPDF, "begin"},
		"a header":            {"%PDF-1.7", pdffile.ErrDamaged, "damaged"},
		"cut off":             {whole[:len(whole)/4], pdffile.ErrDamaged, "cut off"},
		"no files":            {string(pdfmaker.PDF{}.Bytes()), ErrNoInvoice, "no file is embedded"},
		"other files":         {string(pdfmaker.PDF{Files: []pdfmaker.File{{Name: "a", Data: nil}}}.Bytes()), nil, ""},
		"an empty file":       {string(pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml"}}}.Bytes()), ErrNoInvoice, "is empty"},
		"an unknown handler":  {string(secret), pdffile.ErrEncryption, "Custom"},
		"an unknown filter":   {strings.ReplaceAll(whole, "/FlateDecode", "/JBIG2Decode"), pdffile.ErrFilter, "JBIG2Decode"},
		"a broken attachment": {strings.ReplaceAll(whole, "stream\nx", "stream\n?\xFF\xFF\xFF"), pdffile.ErrFilter, "factur-x.xml"},
	} {
		_, _, err := extract([]byte(row.data))
		if row.want == nil {
			row.want, row.says = ErrNoInvoice, "is empty" // by its type it is XML
		}
		if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
}

// TestOpen_Bombs ensures that small files that would become large, or that lead in circles, end with a reason.
func TestOpen_Bombs(t *testing.T) {
	large := bytes.Repeat([]byte(" "), 80<<20)
	circle := strings.Replace(string(facturX(pdfmaker.PDF{Place: pdfmaker.Tree})), "/Limits", "/Kids[1 0 R 2 0 R]/Limits", 1)
	for name, row := range map[string]struct {
		data []byte
		want error
	}{
		"an attachment":     {pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: large}}}.Bytes(), pdffile.ErrLimit},
		"nested arrays":     {[]byte("%PDF-1.7\n1 0 obj\n" + strings.Repeat("[", 1<<20)), pdffile.ErrDamaged},
		"nested dicts":      {[]byte("%PDF-1.7\ntrailer" + strings.Repeat("<</Root", 1<<18)), pdffile.ErrDamaged},
		"a root of itself":  {[]byte("%PDF-1.7\n1 0 obj 1 0 R endobj trailer<</Root 1 0 R>>"), pdffile.ErrDamaged},
		"many objects":      {[]byte("%PDF-1.7\n" + strings.Repeat("1 0 obj[]", 1<<20)), pdffile.ErrDamaged},
		"unending streams":  {[]byte("%PDF-1.7\n" + strings.Repeat("1 0 obj<</Type/XRef>>stream\n", 1<<17)), pdffile.ErrLimit},
		"open strings":      {[]byte("%PDF-1.7\n" + strings.Repeat("trailer(", 1<<17)), pdffile.ErrLimit},
		"a table of itself": {[]byte("%PDF-1.7\nxref\n0 0\ntrailer<</Prev 9>>startxref 9"), pdffile.ErrDamaged},
		"a circle of names": {[]byte(circle), nil},
	} {
		if testing.Short() && row.want == pdffile.ErrLimit {
			continue // these take as long as they may
		}
		if _, _, err := extract(row.data); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
}

// TestOpen_ObeysItsContext ensures that the reading ends when nobody waits for it.
func TestOpen_ObeysItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data := []byte("%PDF-1.7\n1 0 obj[" + strings.Repeat("1 ", 1<<16) + "]endobj trailer[" + strings.Repeat("1 ", 1<<16) + "]")
	if _, err := Open(ctx, data); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestCarrier ensures what is said of the PDF.
func TestCarrier(t *testing.T) {
	d, _, err := extract(facturX(pdfmaker.PDF{Extra: "/OpenAction<</S/JavaScript/JS(1)>>"}))
	if err != nil {
		t.Fatal(err)
	}
	c := d.Carrier()
	var failed []string
	for _, check := range c.Checks {
		if !check.Passed {
			failed = append(failed, check.Code)
		}
	}
	want := "CARRIER_PDFA3_DECLARED CARRIER_FONTS CARRIER_OUTPUT_INTENT CARRIER_JAVASCRIPT CARRIER_INVOICE_METADATA"
	if got := strings.Join(failed, " "); got != want || c.PDFA3Declared {
		t.Errorf("%s, want %s", got, want)
	}
	if len(c.Warnings) != 1 || c.Warnings[0].Code != "CARRIER_FONTS_NOT_EMBEDDED" || !strings.Contains(c.Warnings[0].Message, "Helvetica") {
		t.Errorf("warnings %+v", c.Warnings)
	}
}

// FuzzInvoice ensures that whatever looks like a PDF is read to an end.
func FuzzInvoice(f *testing.F) {
	for form := pdfmaker.Table; form <= pdfmaker.HybridReference; form++ {
		for place := pdfmaker.Everywhere; place <= pdfmaker.Annotation; place++ {
			f.Add(facturX(pdfmaker.PDF{Form: form, Place: place}))
		}
	}
	files, _ := filepath.Glob("testdata/*.pdf") // none is found by another test
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, invoice, err := extract(data)
		if err == nil && len(invoice.XML) == 0 {
			t.Error("an invoice of no bytes")
		}
		if d != nil && len(d.Carrier().Checks) != len(checks) {
			t.Error("checks are missing")
		}
	})
}
