package sbdh

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/peppol"
)

func parse(t testing.TB, data []byte) *xmltree.Document {
	t.Helper()
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// wrapped is a right envelope around an invoice.
func wrapped(t testing.TB) (envelope, inside []byte) {
	t.Helper()
	inside, err := os.ReadFile("../../../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	kind, err := peppol.KindOf(parse(t, inside))
	if err != nil {
		t.Fatal(err)
	}
	h := Header{Sender: peppol.Participant{Scheme: "0088", ID: "1"}, Receiver: peppol.Participant{Scheme: "9915", ID: "test"}, DocumentType: kind.DocumentType, Process: kind.Process,
		Instance: "3739db04-7e4e-4c89-b170-c543dd252249", Country: "DE", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	envelope, err = Wrap(h, inside)
	if err != nil {
		t.Fatal(err)
	}
	return envelope, inside
}

// TestWrapAndUnwrap ensures that an envelope of ours breaks no rule and gives back the very document, apart from its prolog.
func TestWrapAndUnwrap(t *testing.T) {
	envelope, inside := wrapped(t)
	doc := parse(t, envelope)
	if faults := Check(doc); !Is(doc) || len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
	got, err := Unwrap(doc)
	root := bytes.Index(inside, []byte("<Invoice"))
	if want := bytes.TrimSpace(inside[root:]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %.200s, want %.200s", err, got, want)
	}
}

// TestNamespacesComeAlong ensures that a document keeps the namespaces that its envelope declares for it.
func TestNamespacesComeAlong(t *testing.T) {
	got, err := Unwrap(parse(t, []byte(`<s:StandardBusinessDocument xmlns:s="`+Namespace+`" xmlns="d" xmlns:u="a&amp;b" xmlns:v="x"><u:I xmlns:v="y"><I v:a="/x>"/></u:I><!-- > --></s:StandardBusinessDocument><!-- </a> -->`)))
	if want := `<u:I xmlns="d" xmlns:u="a&amp;b" xmlns:v="y"><I v:a="/x>"/></u:I>`; err != nil || string(got) != want {
		t.Fatalf("%v: %s, want %s", err, got, want)
	}
	doc := parse(t, got)
	if doc.Namespace(doc.Root()) != "a&b" || doc.Namespace(doc.FirstChild(doc.Root())) != "d" {
		t.Errorf("%s", got)
	}
}

// TestBrokenRules ensures the name of each rule that is broken.
func TestBrokenRules(t *testing.T) {
	right, _ := wrapped(t)
	for want, edit := range map[string][2]string{
		"invalid-header-version":           {"<sh:HeaderVersion>1.0<", "<sh:HeaderVersion>1.1<"},
		"invalid-sender-authority":         {`<sh:Sender><sh:Identifier Authority="iso`, `<sh:Sender><sh:Identifier Authority="ISO`},
		"invalid-sender":                   {">0088:1<", ">88:1<"},
		"invalid-receiver":                 {">9915:test<", "><"},
		"too-few-scopes":                   {"BusinessScope", "BusinessScopes"},
		"duplicate-scope":                  {"<sh:Scope><sh:Type>COUNTRY_C1", "<sh:Scope><sh:Type>PROCESSID"},
		"invalid-country-c1":               {">DE<", ">de<"},
		"invalid-document-type-identifier": {"##", "#"},
		"invalid-type-version":             {"<sh:TypeVersion>2.1", "<sh:TypeVersion>2.0"},
		"invalid-instance-identifier":      {"3739db04-7e4e-4c89-b170-c543dd252249", " "},
		"invalid-creation-date-and-time":   {"2026-01-02T03:04:05Z", "2026-02-30T03:04:05Z"},
		"invalid-business-message":         {"<sh:Type>Invoice<", "<sh:Type>Invoice<!-- --><"},
		"schema":                           {"<sh:BusinessScope>", "<sh:Other/><sh:BusinessScope>"},
	} {
		data := strings.ReplaceAll(string(right), edit[0], edit[1])
		if want == "invalid-business-message" {
			data = strings.Replace(string(right), "<Invoice ", "<CreditNote ", 1)
			data = strings.Replace(data, "</Invoice>", "</CreditNote>", 1)
		}
		faults := Check(parse(t, []byte(data)))
		if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Rule == want && f.Line > 0 && f.Path != "" }) {
			t.Errorf("%s: %+v", want, faults)
		}
	}
}

// TestBinaryContent ensures that what is no XML is taken out of its base64.
func TestBinaryContent(t *testing.T) {
	around := func(content string) []byte {
		return []byte(`<StandardBusinessDocument xmlns="` + Namespace + `"><BinaryContent xmlns="` + ContentNamespace + `" mimeType="application/pdf">` + content + `</BinaryContent></StandardBusinessDocument>`)
	}
	got, err := Unwrap(parse(t, around("JVBE\n Ri0=")))
	if err != nil || string(got) != "%PDF-" {
		t.Errorf("%q %v", got, err)
	}
	for _, bad := range []string{"", "?"} {
		if got, err := Unwrap(parse(t, around(bad))); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

// FuzzUnwrap ensures that what is unwrapped from anything is well-formed, where it is XML.
func FuzzUnwrap(f *testing.F) {
	right, _ := wrapped(f)
	f.Add(right)
	f.Add([]byte(`<s:StandardBusinessDocument xmlns:s="` + Namespace + `" xmlns:u="a"><u:I/></s:StandardBusinessDocument>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := xmltree.Parse(data, xmltree.Options{})
		if err != nil || !Is(doc) {
			return
		}
		Check(doc)
		n := payloadOf(doc)
		inside, err := Unwrap(doc)
		if err != nil || doc.Namespace(n) == ContentNamespace {
			return
		}
		again, err := xmltree.Parse(inside, xmltree.Options{})
		if err != nil {
			t.Fatalf("%v: %q", err, inside)
		}
		if again.String(again.Root()) != doc.String(n) || again.Namespace(again.Root()) != doc.Namespace(n) {
			t.Errorf("%q is not what was in %q", inside, data)
		}
	})
}
