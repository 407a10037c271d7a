package decimal

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

func TestParseAcceptsXMLSchemaDecimals(t *testing.T) {
	cases := map[string]string{
		"0": "0", "-0.0": "0.0", "+1.50": "1.50", ".5": "0.5", "5.": "5", "-.05": "-0.05", "007": "7", "-1": "-1",
		"00000000000000000000000000000000000000000000000001.10":         "1.10",
		"0.00000000000000000000000000000000000000000000000000000000007": "0.00000000000000000000000000000000000000000000000000000000007",
		"123456789012345678.12":                   "123456789012345678.12",
		"340282366920938463463374607431768211456": "340282366920938463463374607431768211456",
	}
	for in, want := range cases {
		got, err := Parse(in)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %s, %v; want %s", in, got, err, want)
		}
		checkForm(t, in, got)
	}
}

func TestParseRefusesEverythingElse(t *testing.T) {
	bad := []string{"", " ", ".", "+", "-", "-.", "1e5", "1E5", " 1", "1 ", "1,5", "0x1", "1.2.3", "--1", "+-1", "1-", "NaN", "INF", "١", "1\x00", "1_000"}
	for _, in := range bad {
		if got, err := Parse(in); !errors.Is(err, ErrSyntax) || got.IsSet() {
			t.Errorf("Parse(%q) = %s, %v", in, got, err)
		}
	}
	var limit *LimitError
	if _, err := Parse(strings.Repeat("1", MaxDigits+1)); !errors.As(err, &limit) || limit.Limit != MaxDigits {
		t.Errorf("too many digits: %v", err)
	}
	if d, err := ParseBytes([]byte(strings.Repeat("1", MaxDigits))); err != nil || d.Precision() != MaxDigits {
		t.Errorf("the most digits: %v", err)
	}
}

func TestParseJSONKeepsTheScaleSent(t *testing.T) {
	cases := map[string]string{
		"10": "10", "10.0": "10.0", "-0": "0", "-0.0": "0.0", "0.00": "0.00", "1e2": "100", "1E+2": "100", "1.0e1": "10", "1.50e1": "15.0",
		"15e-1": "1.5", "1e-20": "0.00000000000000000001", "0e20": "0", "-12.340": "-12.340",
		"123456789012345678901234567890":     "123456789012345678901234567890",
		"123456789012345678901234567890e20":  "12345678901234567890123456789000000000000000000000",
		"1.23456789012345678901234567890e00": "1.23456789012345678901234567890",
	}
	for in, want := range cases {
		got, err := ParseJSON([]byte(in))
		if err != nil || got.String() != want {
			t.Errorf("ParseJSON(%q) = %s, %v; want %s", in, got, err, want)
		}
		checkForm(t, in, got)
	}
}

func TestParseJSONRefusesOtherForms(t *testing.T) {
	bad := []string{"", "-", "+1", ".5", "5.", "01", "-01", "00", "1e", "1e+", "1ex", "1.e1", "1.2.3", "0x1", "NaN", "Infinity", "1 ", " 1", "1e5.0", "1f5", `"1"`}
	for _, in := range bad {
		if got, err := ParseJSON([]byte(in)); !errors.Is(err, ErrSyntax) || got.IsSet() {
			t.Errorf("ParseJSON(%q) = %s, %v", in, got, err)
		}
	}
}

func TestParseJSONLimits(t *testing.T) {
	cases := map[string]string{
		strings.Repeat("1", 31):                 "more than 30 significant digits",
		"0." + strings.Repeat("1", 31):          "more than 30 significant digits",
		strings.Repeat("9", 1_000_000):          "more than 30 significant digits",
		"1e21":                                  "an exponent beyond ±20",
		"1e-21":                                 "an exponent beyond ±20",
		"1e999999999":                           "an exponent beyond ±20",
		"1e" + strings.Repeat("9", 1_000_000):   "an exponent beyond ±20",
		"0." + strings.Repeat("0", 51):          "more than 50 digits after the point",
		"0." + strings.Repeat("0", 31) + "e-20": "more than 50 digits after the point",
	}
	for in, want := range cases {
		var limit *LimitError
		if _, err := ParseJSON([]byte(in)); !errors.As(err, &limit) || limit.Error() != want {
			t.Errorf("ParseJSON(%.20q…): %v, want %q", in, err, want)
		}
	}
}

func TestJSONRoundTripInBothPackages(t *testing.T) {
	type holder struct {
		A Decimal `json:"a"`
		B Decimal `json:"b,omitzero"`
	}
	in := holder{A: MustParse("-1234567890123456789012345678.90")}
	const want = `{"a":-1234567890123456789012345678.90}`
	codecs := map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error
	}{
		"encoding/json": {json.Marshal, json.Unmarshal},
		"json v2":       {func(v any) ([]byte, error) { return jsonv2.Marshal(v) }, func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }},
	}
	for name, codec := range codecs {
		text, err := codec.marshal(in)
		if err != nil || string(text) != want {
			t.Errorf("%s: %s %v", name, text, err)
		}
		var out holder
		if err := codec.unmarshal(text, &out); err != nil || !out.A.Equal(in.A) || out.A.Scale() != 2 || out.B.IsSet() {
			t.Errorf("%s: came back as %+v, %v", name, out, err)
		}
		if err := codec.unmarshal([]byte(`{"a":null}`), &out); err != nil || out.A.IsSet() {
			t.Errorf("%s: null gives %s, %v", name, out.A, err)
		}
		if err := codec.unmarshal([]byte(`{"a":1e30}`), &out); err == nil {
			t.Errorf("%s: accepts an exponent of 30", name)
		}
		if err := codec.unmarshal([]byte(`{"a":"1"}`), &out); err == nil {
			t.Errorf("%s: accepts a string", name)
		}
		if text, err := codec.marshal(struct{ A Decimal }{}); err != nil || string(text) != `{"A":null}` {
			t.Errorf("%s: no number is %s, %v", name, text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-0.0", ".5", "5.", "+1.50", "1e5", "340282366920938463463374607431768211456", "99999999999999999999.99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			return
		}
		checkForm(t, s, d)
		again, err := ParseBytes(d.AppendText(nil))
		if err != nil || again.String() != d.String() || !again.Equal(d) {
			t.Fatalf("%q reads as %s and comes back as %s, %v", s, d, again, err)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1e20", "1.5E-3", "123456789012345678901234567890e20", "1e21", "01", "{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseJSON(b)
		if err != nil {
			return
		}
		checkForm(t, string(b), d)
		if !json.Valid(b) {
			t.Fatalf("accepted %q, which is not JSON", b)
		}
		again, err := Parse(d.String())
		if err != nil || !again.Equal(d) || again.Scale() != d.Scale() {
			t.Fatalf("%q reads as %s and comes back as %s, %v", b, d, again, err)
		}
	})
}
