package verifactu

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// texts are the names and texts of the elements of a document that hold nothing else, in order.
func texts(t *testing.T, document []byte) []string {
	t.Helper()
	d, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for n := d.Root(); n < d.End(d.Root()); n++ {
		if d.Kind(n) == xmltree.KindElement {
			if text, plain := d.TextOf(n); plain {
				list = append(list, d.Local(n)+": "+string(text))
			}
		}
	}
	return list
}

// full is a record with every member.
func full() *Record {
	other := Party{Name: "Müller GmbH", Other: &OtherID{Country: "DE", Type: "02", ID: "DE123456789"}}
	id := InvoiceID{"B12345674", "A-1", "30-06-2025"}
	return &Record{
		Version: "1.0", Invoice: id, Reference: "ref", IssuerName: "Alfa & Co <SL>", Corrects: "S", Rejected: "N", Type: "R4", Kind: "S",
		Rectified: []InvoiceID{id, {"B12345674", "A-2", "01-07-2025"}}, Replaced: []InvoiceID{id}, Amended: &Amended{"1.00", "0.21", "0.05"}, Operation: "29-06-2025",
		Description: "Servicios informáticos", Simplified: "N", Unnamed: "N", Large: "N", IssuedBy: "T", ThirdParty: &Party{Name: "Gestoría", NIF: "A28015865"},
		Recipients: []Party{{Name: "Beta", NIF: "A28015865"}, other}, Coupon: "N",
		Details: []Detail{{Tax: "01", Regime: "18", Qualifier: "S1", Rate: "21.00", Base: "100.00", BaseAtCost: "90.00", Amount: "21.00", SurchargeRate: "5.20", Surcharge: "5.20"},
			{Tax: "01", Regime: "02", Exemption: "E2", Base: "10.00"}},
		Tax: "26.20", Total: "136.20", Previous: &Previous{id, strings.Repeat("A", 64)},
		System: System{Producer: Party{Name: "Productor", Other: &OtherID{Country: "FR", Type: "04", ID: "X1"}}, Name: "einvoiced", ID: "EI", Version: "1", Installation: "I-1",
			OnlyVerifactu: "S", SeveralUsers: "S", ServesSeveral: "N"},
		Generated: "2025-06-30T10:00:00+02:00", Agreement: "a", SystemOK: "b", HashType: "01", Hash: strings.Repeat("B", 64),
	}
}

// TestXML_ComesBack ensures that reading a record gives what was written, with every member, alone and in a batch.
func TestXML_ComesBack(t *testing.T) {
	cancel := &Record{Cancels: true, Version: "1.0", Invoice: InvoiceID{"B12345674", "A-1", "30-06-2025"}, Reference: "ref", Unregistered: "S", Rejected: "N", CanceledBy: "E",
		Canceler: &Party{Name: "Beta", NIF: "A28015865"}, First: "S", System: full().System, Generated: "2025-06-30T10:00:00+02:00", HashType: "01", Hash: "C"}
	for _, r := range []*Record{full(), cancel} {
		document, err := r.XML()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(document)
		if diff := cmp.Diff(&Batch{Records: []*Record{r}}, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	batch := &Batch{Issuer: Party{Name: "Alfa", NIF: "B12345674"}, Records: []*Record{full(), cancel}}
	document, err := batch.XML()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(document)
	if diff := cmp.Diff(batch, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	envelope := `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` + strings.TrimPrefix(string(document), `<?xml version="1.0" encoding="UTF-8"?>`) + `</s:Body></s:Envelope>`
	if got, err = Read([]byte(envelope)); err != nil || !cmp.Equal(batch, got) {
		t.Errorf("in an envelope: %v", err)
	}
}

// TestRead_RefusesOthers ensures that a document without records is an error, and so is what is no XML.
func TestRead_RefusesOthers(t *testing.T) {
	for _, document := range []string{"", "<Invoice/>", "<RegistroAlta/>", `<a xmlns="` + Submission + `"/>`, `<!DOCTYPE a><RegistroAlta xmlns="` + Information + `"/>`} {
		if batch, err := Read([]byte(document)); err == nil {
			t.Errorf("%s: %+v", document, batch)
		}
	}
}

// TestXML_IllegalCharacter ensures that a character which XML does not allow is an error.
func TestXML_IllegalCharacter(t *testing.T) {
	r := full()
	r.Description = "a\x01"
	if _, err := r.XML(); err == nil {
		t.Error("no error")
	}
}

// FuzzRead ensures that no document makes reading fail otherwise than with an error, and that what was read can be written and read again.
func FuzzRead(f *testing.F) {
	document, err := (&Batch{Issuer: Party{Name: "Alfa", NIF: "B12345674"}, Records: []*Record{full()}}).XML()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(document)
	f.Add([]byte(`<RegistroAnulacion xmlns="` + Information + `"><IDFactura/></RegistroAnulacion>`))
	f.Fuzz(func(t *testing.T, document []byte) {
		batch, err := Read(document)
		if err != nil {
			return
		}
		var chain Chain
		for _, r := range batch.Records {
			chain.Add(r.Link())
		}
		written, err := batch.XML()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Read(written); err != nil || len(again.Records) != len(batch.Records) {
			t.Fatalf("%v", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	batch := &Batch{Issuer: Party{Name: "Alfa", NIF: "B12345674"}}
	for range MostRecords {
		batch.Records = append(batch.Records, full())
	}
	document, err := batch.XML()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		if _, err := Read(document); err != nil {
			b.Fatal(err)
		}
	}
}
