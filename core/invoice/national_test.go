package invoice

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestNational_IsReadAndWritten has texts, lists, what is absent, and the leaves that members are named by.
func TestNational_IsReadAndWritten(t *testing.T) {
	inv, findings := decodeCountry(t, `{"Fa/TP": "1", "Fa/WZ": ["a", "", "b"], "Fa/FaWiersz[2]/GTU": ["c"], "Empty": "", "None": ["", ""], "Null": null}`)
	want := National{"Fa/TP": {"1"}, "Fa/WZ": {"a", "", "b"}, "Fa/FaWiersz[2]/GTU": {"c"}}
	if diff := cmp.Diff(want, inv.CountrySpecific.National); diff != "" || len(findings) > 0 {
		t.Errorf("%+v %s", findings, diff)
	}
	text, err := json.Marshal(inv.CountrySpecific)
	if err != nil || string(text) != `{"national":{"Fa/FaWiersz[2]/GTU":"c","Fa/TP":"1","Fa/WZ":["a","","b"]}}` {
		t.Errorf("%v %s", err, text)
	}
	var again CountrySpecific
	if err := json.Unmarshal(text, &again); err != nil || !cmp.Equal(want, again.National) {
		t.Errorf("%v %+v", err, again)
	}
	var leaves []string
	for leaf := range Leaves(inv) {
		leaves = append(leaves, leaf)
	}
	if !slices.Equal(leaves, []string{"countrySpecific.national.Fa/FaWiersz[2]/GTU", "countrySpecific.national.Fa/TP", "countrySpecific.national.Fa/WZ"}) {
		t.Error(leaves)
	}
	if set := SetMembers(inv); !set.Has("countrySpecific.national.Fa/TP") || !set.Has("countrySpecific.national") || set.Has("countrySpecific.national.Fa/FP") {
		t.Error(set)
	}
}

// TestNational_OtherValuesAreRefused names the path of what is no text.
func TestNational_OtherValuesAreRefused(t *testing.T) {
	for value, want := range map[string]finding.Finding{
		`7`:                           {Code: finding.InvalidType, Field: "countrySpecific.national"},
		`{"Fa/TP": 1}`:                {Code: finding.InvalidType, Field: "countrySpecific.national.Fa/TP"},
		`{"Fa/WZ": ["a", {}]}`:        {Code: finding.InvalidType, Field: "countrySpecific.national.Fa/WZ[1]"},
		`{"Fa/TP": "1", "Fa/TP": ""}`: {Code: finding.DuplicateMember, Field: "countrySpecific.national.Fa/TP"},
	} {
		_, findings := decodeCountry(t, value)
		if len(findings) != 1 || findings[0].Code != want.Code || findings[0].Field != want.Field {
			t.Errorf("%s: %+v", value, findings)
		}
	}
}

func decodeCountry(t *testing.T, national string) (*Invoice, []finding.Finding) {
	t.Helper()
	inv, all, err := NewDecoder[Invoice]().Decode([]byte(`{"countrySpecific": {"national": `+national+`}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return inv, slices.DeleteFunc(all, func(f finding.Finding) bool { return f.Code == finding.MissingField })
}
