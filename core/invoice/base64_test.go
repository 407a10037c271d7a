package invoice

import (
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
