package operation

import (
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// TestNotWritten_IsSilentAboutWhatTheCallerDidNotSet has a format without places for the line identifier (BT-126), the description of the
// item (BT-154) and the VAT category of the line (BT-151): what the steps filled in or repeated is no loss, what the caller set is.
func TestNotWritten_IsSilentAboutWhatTheCallerDidNotSet(t *testing.T) {
	lost := []string{"items[0].lineId", "items[0].itemDescription", "items[0].taxCategoryCode"}
	for name, c := range map[string]struct {
		set  string // members of the line beside those of the example
		want []string
	}{
		"nothing":       {"", nil},
		"a position":    {`"position":7,`, []string{"items[0].position"}},
		"a description": {`"itemDescription":"long",`, []string{"items[0].itemDescription"}},
		"a category":    {`"taxCategoryCode":"S",`, []string{"items[0].taxCategoryCode"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			germany, _ := s.formats.Country("DE")
			body, err := s.decode(t.Context(), GenerateRequest{Body: example(t, `"taxCategoryCode": "S",`, c.set)}, germany)
			if err != nil {
				t.Fatal(err)
			}
			draft := xrechnung(t, s).Derive(body.Invoice)
			var unwritten []mapping.Unwritten
			for _, field := range lost {
				unwritten = append(unwritten, mapping.Unwritten{Field: field})
			}
			token, _ := s.formats.Token("xrechnung")
			var got []string
			for _, w := range notWritten(missed(unwritten, body.Invoice, draft), body.Invoice, draft, token) {
				if w.Code == finding.FieldNotWritten {
					got = append(got, w.Field)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("warned of %v, want %v", got, c.want)
			}
		})
	}
}
