package invoice

import (
	"bytes"
	"encoding/base64"
	"testing"
)

// TestDecode_TakesBase64AsProgramsSendIt ensures that contents of attachments may be in any form of base64, and are kept in the strict one.
func TestDecode_TakesBase64AsProgramsSendIt(t *testing.T) {
	for _, c := range []struct{ name, sent, kept string }{
		{"strict", "PGE+Pz8/PA==", "PGE+Pz8/PA=="},
		{"lines", `PGE+\r\nPz8/PA==`, "PGE+Pz8/PA=="},
		{"for URLs", "PGE-Pz8_PA", "PGE+Pz8/PA=="},
		{"a data URL", "data:text/csv;base64,PGE+Pz8/PA==", "PGE+Pz8/PA=="},
		{"too little padding", "PGE+Pz8/PA=", "PGE+Pz8/PA=="},
		{"too much padding", "PGE+Pz8/PA===", ""},
		{"no base64", "PGE+P?", ""},
		{"nothing but white space", `  \n`, ""},
		{"one character", "P", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv, errs, err := DecodeInvoice([]byte(`{"attachments":[{"filename":"a","mimeType":"text/csv","content":"`+c.sent+`"}]}`), Options{})
			if err != nil {
				t.Fatal(err)
			}
			refused := false
			for _, e := range errs {
				refused = refused || e.Code == "INVALID_BASE64" && e.Field == "attachments[0].content"
			}
			if refused != (c.kept == "") || !refused && string(inv.Attachments[0].Content) != c.kept {
				t.Errorf("%v, %+v", errs, inv.Attachments)
			}
			if _, err := base64.StdEncoding.DecodeString(string(inv.Attachments[0].Content)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestScanner_NamesTheItemThatIsNestedTooDeeply ensures that the place is that of one entry.
func TestScanner_NamesTheItemThatIsNestedTooDeeply(t *testing.T) {
	s := NewScanner(Limits{MaxSubItemDepth: 1})
	_, _ = s.Write([]byte(`{"invoice":{"items":[{},{"subItems":[{}]},{"subItems":[{"subItems":[{}]}]},{"subItems":[{"subItems":[{}]}]}]}}`)) // never fails
	if r := s.Refusal(); r == nil || r.Field != "items[2].subItems" {
		t.Errorf("%+v", r)
	}
}

// TestPlainBase64_ChangesLongTextsAsShortOnes ensures that a text of many pieces, of which only some are to be changed, is brought into the strict form everywhere.
func TestPlainBase64_ChangesLongTextsAsShortOnes(t *testing.T) {
	data := bytes.Repeat([]byte{0xfb, 0xff, 0xbf, 'a', 'b', 'c'}, plainPiece)
	strict := base64.StdEncoding.EncodeToString(data)
	half := len(strict) / 2
	for name, text := range map[string]string{
		"strict":                  strict,
		"for URLs":                base64.URLEncoding.EncodeToString(data),
		"half for URLs":           strict[:half] + base64.URLEncoding.EncodeToString(data)[half:],
		"a line break at the end": strict + "\r\n",
		"a blank in the middle":   strict[:half] + " " + strict[half:],
		"as the data of a URL":    "data:text/plain;base64," + strict,
	} {
		if got := string(PlainBase64([]byte(text))); got != strict {
			t.Errorf("%s: %d bytes became %d that differ from the strict form", name, len(text), len(got))
		}
	}
}

func BenchmarkPlainBase64(b *testing.B) {
	text := []byte(base64.StdEncoding.EncodeToString(make([]byte, 6<<20)))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		PlainBase64(text)
	}
}
