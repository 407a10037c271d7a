package operation

import (
	"os"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
)

// TestSeveral_IsReadOneByOne ensures that each invoice of a file is a document of its own with what the file has around all of them, that
// paths and lines are those of the file, and that a declaration of another encoding does not count for the text in UTF-8.
func TestSeveral_IsReadOneByOne(t *testing.T) {
	const file = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a:All xmlns:a=\"urn:a\"><Head>h\xE9</Head>\n<List><Bill>1</Bill>\n<!-- <Bill> --><Bill><Bill>2</Bill></Bill>\n</List><Tail/></a:All>"
	doc, err := xmltree.Parse([]byte(file), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := severalIn(doc, &format.Syntax{Places: format.Places{Invoices: []string{"List", "Bill"}}})
	if err != nil || s == nil || len(s.entries) != 2 {
		t.Fatalf("%+v %v", s, err)
	}
	for i, want := range []string{
		"\n<a:All xmlns:a=\"urn:a\"><Head>hé</Head>\n<List><Bill>1</Bill>\n</List><Tail/></a:All>",
		"\n<a:All xmlns:a=\"urn:a\"><Head>hé</Head>\n<List><Bill><Bill>2</Bill></Bill></List></a:All>",
	} {
		text := s.document(i)
		if string(text) != want || s.at != i || s.shift != i {
			t.Errorf("%d: %q, at %d, shift %d", i, text, s.at, s.shift)
		}
		if _, err := xmltree.Parse(text, xmltree.Options{}); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	for path, want := range map[string]string{
		"/a:All/Head":           "/a:All/Head",
		"/a:All/List/Bill":      "/a:All/List/Bill[2]",
		"/a:All/List/Bill/Bill": "/a:All/List/Bill[2]/Bill",
	} {
		if got, _ := s.place(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestSeveral_TooMany ensures that a file whose invoices would all repeat a large head is refused.
func TestSeveral_TooMany(t *testing.T) {
	file := "<A><H>" + strings.Repeat("x", 1<<20) + "</H>" + strings.Repeat("<B/>", 300) + "</A>"
	doc, err := xmltree.Parse([]byte(file), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := severalIn(doc, &format.Syntax{Places: format.Places{Invoices: []string{"B"}}}); err == nil {
		t.Error("it is taken")
	}
}

// TestUnwrapped ensures that a document in a signed envelope is parsed, converted and judged as the one inside, and that the answer tells.
func TestUnwrapped(t *testing.T) {
	s := fullService(t)
	inside, err := os.ReadFile("../../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	length := func(n int) string { return string([]byte{0x83, byte(n >> 16), byte(n >> 8), byte(n)}) }
	wrap := func(tag string, content string) string { return tag + length(len(content)) + content }
	signed := "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"
	envelope := []byte(wrap("\x30", signed+wrap("\xA0", wrap("\x30", "\x02\x01\x01\x31\x00"+wrap("\x30", "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"+wrap("\xA0", wrap("\x04", string(inside))))))))
	plain, err := s.Parse(t.Context(), ParseRequest{Document: inside})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Parse(t.Context(), ParseRequest{Document: envelope})
	if err != nil || answer.Invoice.InvoiceNumber != plain.Invoice.InvoiceNumber || answer.Format != plain.Format {
		t.Fatalf("%v %+v", err, answer)
	}
	if len(answer.Infos) == 0 || answer.Infos[0].Code != "UNWRAPPED" {
		t.Errorf("infos %+v", answer.Infos)
	}
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: *answer.Detection.CountryCode, Document: envelope})
	if err != nil || len(verdict.Infos) == 0 || verdict.Infos[0].Code != "UNWRAPPED" {
		t.Errorf("%v %+v", err, verdict)
	}
	if _, err := s.Parse(t.Context(), ParseRequest{Document: envelope[:100]}); err == nil {
		t.Error("half an envelope is parsed")
	}
}
