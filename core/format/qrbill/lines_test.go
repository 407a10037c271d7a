package qrbill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

func payload(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/qr-bill", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLift_EachLineStaysOnItsLine ensures that an element stands on the line of its text, in structured and in combined addresses.
func TestLift_EachLineStaysOnItsLine(t *testing.T) {
	combined := strings.Split(payload(t, "08-alternative-schemes"), "\n")
	combined[4], combined[6], combined[7], combined[8], combined[9] = "K", "Rue du Lac 12b", "2501 Biel", "", ""
	for _, text := range []string{payload(t, "08-alternative-schemes"), strings.Join(combined, "\n"), payload(t, "03-qr-reference") + "\n", payload(t, "03-qr-reference") + "\na\nb\nc\nd\n"} {
		lifted, err := lift([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := xmltree.Parse(lifted, xmltree.Options{})
		if err != nil {
			t.Fatalf("%v: %s", err, lifted)
		}
		defer doc.Release()
		lines, line := split([]byte(text)), 0
		for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
			if doc.Kind(n) != xmltree.KindElement {
				continue
			}
			if said, only := doc.TextOf(n); only {
				line++
				if doc.Line(n) != line || string(said) != lines[line-1] {
					t.Errorf("line %d: %s stands on line %d with %q, not %q", line, doc.Local(n), doc.Line(n), said, lines[line-1])
				}
			}
		}
	}
}

// TestLift_Refuses ensures that what is no text is refused with its line, and a long text for its length.
func TestLift_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"SPC\n0200\n1\x00": "line 3", "SPC\n0200\r1": "line 2", "SPC\n\xFF0200": "line 2", "SPC\n" + strings.Repeat("a", largest): "997",
	} {
		if _, err := lift([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestLike_TellsPayloads ensures which texts are taken for payloads.
func TestLike_TellsPayloads(t *testing.T) {
	whole := payload(t, "03-qr-reference")
	for text, want := range map[string]bool{
		whole: true, "\uFEFF" + whole: true, strings.ReplaceAll(whole, "\n", "\r\n"): true, strings.Replace(whole, "SPC", "XPC", 1): true,
		strings.Replace(whole, "0200", "0300", 1): true, "SPC\n0200": true, "SPC": false, "": false, "SPC 0200": false, "Hello\nSPC\n0200": false, "{\"a\": 1}": false,
	} {
		if got := like([]byte(text)); got != want {
			t.Errorf("%.30q: %v", text, got)
		}
	}
}

// TestHouseNumber_IsTakenOffWhereItIsSure ensures how streets are taken apart and put together.
func TestHouseNumber_IsTakenOffWhereItIsSure(t *testing.T) {
	for street, want := range map[string][2]string{
		"Rue du Lac 1268": {"Rue du Lac", "1268"}, "Marktgasse 5b": {"Marktgasse", "5b"}, "Marktgasse 5 b": {"Marktgasse", "5 b"}, "Bundesplatz": {"Bundesplatz", ""},
		"1268": {"1268", ""}, "Platz des 17. Juni": {"Platz des 17. Juni", ""}, "Strasse 12345678901234567": {"Strasse 12345678901234567", ""}, "": {"", ""},
	} {
		parts := houseNumber.Parts(street)
		if [2]string(parts) != want {
			t.Errorf("%q: %q", street, parts)
		}
		if joined, _ := houseNumber.Join(parts); joined != street {
			t.Errorf("%q comes back as %q", street, joined)
		}
	}
}

// FuzzRead ensures that any text is read to its last leaf, or refused, and that what was read can be written and gives lines again.
func FuzzRead(f *testing.F) {
	tabletest.Seed(f, "../../../testdata/qr-bill/*.txt")
	format, err := New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		like(text)
		lifted, err := lift(text)
		if err != nil {
			return
		}
		doc, err := xmltree.Parse(lifted, xmltree.Options{})
		if err != nil {
			t.Fatalf("%v: %s", err, lifted)
		}
		defer doc.Release()
		reading, err := format.Read(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		if a := reading.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) {
			t.Errorf("%+v, %d leaves", a, mappingtest.Leaves(doc))
		}
		out := xmltree.NewWriter(xmltree.WriterOptions{})
		if _, err := format.Write(t.Context(), out, reading.Invoice, false); err != nil {
			t.Fatal(err)
		}
		if err := out.Finish(); err != nil {
			t.Fatal(err)
		}
		written, err := xmltree.Parse(out.Bytes(), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer written.Release()
		if _, err := lift(lower(written)); err != nil {
			t.Error(err)
		}
	})
}
