package hybrid

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// sample is an invoice to embed; what its XML says is not looked at.
var sample = Attachment{XML: []byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Invoice>\u00e4\u20ac</Invoice>\n"), Name: "factur-x.xml", Description: "Invoice",
	Relationship: "Alternative", Modified: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	Metadata: xmp.FacturX{DocumentType: "INVOICE", DocumentFileName: "factur-x.xml", Version: "1.0", ConformanceLevel: "EN 16931"}}

// embed embeds the sample and opens the result.
func embed(t *testing.T, carrier []byte) (result []byte, again *Document) {
	t.Helper()
	d, err := Open(t.Context(), carrier)
	if err != nil {
		t.Fatal(err)
	}
	added, err := d.Embed(sample)
	if err != nil {
		t.Fatal(err)
	}
	result = slices.Concat(carrier, added)
	if again, err = Open(t.Context(), result); err != nil {
		t.Fatal(err)
	}
	if again.file.Rebuilt() {
		t.Error("the cross-reference data of the result is broken")
	}
	return result, again
}

// names lists the embedded files that Invoice has found.
func (d *Document) names() (list []string) {
	for _, a := range d.found {
		list = append(list, a.name)
	}
	return list
}

// TestEmbed_EveryForm ensures for each form of PDF, and each place where an invoice may be already, that the result carries the new invoice
// alone, that other attachments stay, and that nothing but the invoice looks other than before.
func TestEmbed_EveryForm(t *testing.T) {
	for form := range 3 {
		for place := range 4 {
			for _, junk := range [][2]string{{}, {"junk\n", ""}, {"", strings.Repeat("junk ", 600)}} {
				p := pdfmaker.PDF{Form: pdfmaker.Form(form), Place: pdfmaker.Place(place), Before: junk[0], After: junk[1],
					Files: []pdfmaker.File{{Name: "ZUGFeRD-invoice.xml", Data: []byte("<old/>")}, {Name: "a.txt", Data: []byte("text")}}}
				t.Run(fmt.Sprint(form, place, len(junk[0]), len(junk[1])), func(t *testing.T) {
					_, again := embed(t, p.Bytes())
					invoice, err := again.Invoice()
					if err != nil || !bytes.Equal(invoice.XML, sample.XML) || invoice.Name != sample.Name || len(invoice.Other) > 1 {
						t.Fatalf("%+v, %v", invoice, err)
					}
					again.fromPages()
					if got := again.names(); slices.Contains(got, "ZUGFeRD-invoice.xml") || !slices.Contains(got, "a.txt") {
						t.Errorf("embedded are %q", got)
					}
					for _, check := range again.Carrier().Checks {
						if !check.Passed && check.Code != "CARRIER_FONTS" {
							t.Errorf("%+v", check)
						}
					}
				})
			}
		}
	}
}

// TestEmbed_SaysWhatItEmbeds ensures what Factur-X and PDF/A-3 ask of the embedded file and of its specification.
func TestEmbed_SaysWhatItEmbeds(t *testing.T) {
	_, again := embed(t, pdfmaker.PDF{}.Bytes())
	list := again.file.Array(again.catalog["AF"])
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	spec := again.file.Dict(list[0])
	stream := again.file.Stream(again.file.Dict(spec["EF"])["UF"])
	parameters := again.file.Dict(stream.Dict["Params"])
	if spec["AFRelationship"] != pdffile.Name("Alternative") || spec["UF"] != pdffile.String("factur-x.xml") || stream.Dict["Subtype"] != pdffile.Name("text/xml") ||
		parameters["ModDate"] != pdffile.String("D:20260102000000Z") || again.file.Integer(parameters["Size"]) != len(sample.XML) {
		t.Errorf("%v\n%v", spec, stream.Dict)
	}
}

// TestEmbed_SameInputSameBytes ensures that nothing in the result comes from the clock or from chance.
func TestEmbed_SameInputSameBytes(t *testing.T) {
	carrier := pdfmaker.PDF{Form: pdfmaker.Streams, Files: []pdfmaker.File{{Name: "a.xml", Data: []byte("<a/>")}}}.Bytes()
	first, _ := embed(t, carrier)
	if second, _ := embed(t, carrier); !bytes.Equal(first, second) {
		t.Error("two results differ")
	}
}

// TestEmbed_Twice ensures that a result is a carrier like any other, in which the invoice is replaced again.
func TestEmbed_Twice(t *testing.T) {
	first, _ := embed(t, pdfmaker.PDF{}.Bytes())
	_, again := embed(t, first)
	if _, err := again.Invoice(); err != nil || len(again.found) != 1 || len(again.file.Array(again.catalog["OutputIntents"])) != 1 {
		t.Errorf("%v, embedded are %q", err, again.names())
	}
}

// TestEmbed_KeepsTheOutputIntent ensures that colours keep the meaning that the carrier gives them.
func TestEmbed_KeepsTheOutputIntent(t *testing.T) {
	_, again := embed(t, pdfmaker.PDF{Extra: "/OutputIntents[<</S/GTS_PDFX/OutputConditionIdentifier(mine)>>]"}.Bytes())
	list := again.file.Array(again.catalog["OutputIntents"])
	if len(list) != 1 || again.file.Dict(list[0])["OutputConditionIdentifier"] != pdffile.String("mine") {
		t.Errorf("%v", list)
	}
}

// TestEmbed_KeepsTheMetadata ensures that metadata is merged, and that metadata which cannot be read is made anew.
func TestEmbed_KeepsTheMetadata(t *testing.T) {
	packet := xmp.Packet{Title: "The title", Producer: "Maker"}.Bytes()
	for text, kept := range map[string]bool{string(packet): true, "no XML": false} {
		carrier := bytes.Replace(pdfmaker.PDF{Extra: "/Metadata 90 0 R"}.Bytes(), []byte("xref\n0 "),
			fmt.Appendf(nil, "90 0 obj\n<</Length %d>>stream\n%s\nendstream\nendobj\nxref\n0 ", len(text), text), 1)
		d, err := Open(t.Context(), carrier)
		if err != nil {
			t.Fatal(err)
		}
		added, err := d.EmbedDamaged(sample)
		if err != nil || bytes.Contains(added, []byte("The title")) != kept || !bytes.Contains(added, []byte("factur-x:pdfa")) {
			t.Errorf("%q: %v\n%s", text, err, added)
		}
	}
}

// TestEmbed_Damaged ensures that a file whose cross-reference data is broken is refused as such, and can be given new.
func TestEmbed_Damaged(t *testing.T) {
	for form := range 3 {
		carrier := pdfmaker.PDF{Form: pdfmaker.Form(form), Files: []pdfmaker.File{{Name: "a.txt"}}}.Bytes()
		at := bytes.LastIndex(carrier, []byte("startxref"))
		carrier = append(carrier[:at:at], "startxref\n7\n%%EOF\n"...)
		d, err := Open(t.Context(), carrier)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Embed(sample); err == nil || !strings.Contains(err.Error(), pdffile.ErrCrossReferences.Error()) {
			t.Errorf("form %d: %v", form, err)
		}
		added, err := d.EmbedDamaged(sample)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Open(t.Context(), slices.Concat(carrier, added))
		if err != nil || again.file.Rebuilt() || again.Pages() != 1 {
			t.Fatalf("form %d: %v", form, err)
		}
		if invoice, err := again.Invoice(); err != nil || !bytes.Equal(invoice.XML, sample.XML) {
			t.Errorf("form %d: %v", form, err)
		}
	}
}

// TestSignatures ensures which PDF counts as signed and which as certified.
func TestSignatures(t *testing.T) {
	for extra, want := range map[string]Signatures{
		"": {},
		"/AcroForm<</SigFlags 3/Fields[<</FT/Sig/T(empty)>>]>>":                                             {},
		"/AcroForm<</Fields[<</T(g)/FT/Sig/Kids[<</V<</ByteRange[0 1 2 3]>>>>]>>]>>":                        {Signed: true},
		"/AcroForm<</Fields[<</FT/Tx/V(text)>>]>>":                                                          {},
		"/Perms<</UR3<</ByteRange[0 1 2 3]>>>>":                                                             {Signed: true},
		"/Perms<</DocMDP<</ByteRange[0 1 2 3]>>>>":                                                          {Certified: true},
		"/AcroForm<</Fields[<</FT/Sig/V<</ByteRange[0 1 2 3]/Reference[<</TransformMethod/DocMDP>>]>>>>]>>": {Certified: true},
		"/AcroForm<</Fields[<</FT/Sig/V<</ByteRange[0 1]>>>>]>>/Perms<</DocMDP<</ByteRange[0 1]>>>>":        {Signed: true, Certified: true},
		"/AcroForm<</Fields[1 0 R 1 0 R<</Kids[1 0 R]>>]>>":                                                 {},
		"/AcroForm<</Fields[" + strings.Repeat("<</Kids[", 40) + strings.Repeat("]>>", 40) + "]>>":          {},
	} {
		d, err := Open(t.Context(), pdfmaker.PDF{Extra: extra}.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", extra, err)
		}
		if got := d.Signatures(); got != want {
			t.Errorf("%.80s: %+v, want %+v", extra, got, want)
		}
	}
}

// TestDate has a row for each form of a date.
func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		"D:20260102030405+01'00'": "2026-01-02T03:04:05+01:00", "D:20260102030405Z": "2026-01-02T03:04:05Z", "D:20260102030405-08'30": "2026-01-02T03:04:05-08:30",
		"D:2026": "2026-01-01T00:00:00Z", "20260102": "2026-01-02T00:00:00Z", "D:20260102030405Z00'00'": "2026-01-02T03:04:05Z", "D:20260102030405+01": "2026-01-02T03:04:05+01:00",
		"": "0001-01-01T00:00:00Z", "yesterday": "0001-01-01T00:00:00Z", "D:20261302": "0001-01-01T00:00:00Z", "D:20260102030405999": "0001-01-01T00:00:00Z",
	} {
		if got := date(text).Format(time.RFC3339); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzEmbed ensures that any file is refused, or becomes one that gives the invoice back, with the bytes of the file in front.
func FuzzEmbed(f *testing.F) {
	for form := range 3 {
		for place := range 4 {
			f.Add(pdfmaker.PDF{Form: pdfmaker.Form(form), Place: pdfmaker.Place(place), Files: []pdfmaker.File{{Name: "factur-x.xml", Data: []byte("<a/>")}}}.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, carrier []byte) {
		for _, way := range []func(*Document, Attachment) ([]byte, error){(*Document).Embed, (*Document).EmbedDamaged} {
			d, err := Open(t.Context(), carrier)
			if err != nil {
				return
			}
			added, err := way(d, sample)
			if err != nil {
				continue
			}
			again, err := Open(t.Context(), slices.Concat(carrier, added))
			if err != nil {
				t.Fatalf("the result cannot be read: %v", err)
			}
			if invoice, err := again.Invoice(); err != nil || !bytes.Equal(invoice.XML, sample.XML) {
				t.Fatalf("%v", err)
			}
		}
	})
}
