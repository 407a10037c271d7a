package invoice

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Values that RFC 8259 allows are passed over in members that are not ours.
func TestEveryFormOfJSONIsRead(t *testing.T) {
	good := []string{
		`[]`, `{}`, `""`, `null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `1.5`, `1e5`, `1E5`, `1e+5`, `1e-5`, `0e1`, `0.0`, `-0.0e-0`, `1.7976931348623157e309`,
		`123456789012345678901234567890123456789012345678901234567890`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\uD83D\uDE00"`, `"\ud83d\ude00"`, `"\u0130"`,
		`"\uFFFF"`, "\"\uFFFF\"", "\"\u007F\"", "\"\u2028\u2029\"", `"😀"`, `" "`, `[ ]`, `[[[]]]`, "[1,\n2\r,\t3 , 4]", `[null,true,"a",{}]`, `{"":0}`, `{"a":{"b":{"c":[]}}}`,
		`{"a":1,"a":1}`, `{"\u0000":1}`, `[""]`, `[1e1,1.0]`, `["\u0060\u012a\u12AB"]`,
	}
	for _, value := range good {
		body := `{"x":` + value + `,"invoice":{"y":` + value + `,` + minimal + "}}\n"
		if _, findings, err := Decode([]byte(body), Options{}); err != nil || len(findings) > 0 {
			t.Errorf("%s: %v %v", value, findings, err)
		}
	}
}

// What RFC 8259 does not allow is refused wherever it stands.
func TestEverythingElseIsRefused(t *testing.T) {
	bad := []string{
		``, `,`, `:`, `]`, `}`, `[`, `{`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `[1,,2]`, `["a"`, `["a",`, `[1}`, `{]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`,
		`{"a" 1}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{null:1}`, `{"a":1]`, `{"a"::1}`, `{{}}`, `"`, `"a`, `'a'`, `a`, `"\`, `"\"`, `"\x"`, `"\a"`, `"\u"`, `"\u1"`, `"\u123"`, `"\u123G"`,
		`"\U0041"`, "\"\x00\"", "\"\x1f\"", "\"a\nb\"", "\"\t\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe4\"", `"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800a"`,
		`+1`, `-`, `-a`, `01`, `-01`, `00`, `1.`, `.1`, `-.1`, `1.e1`, `1e`, `1e+`, `1ee1`, `1e1.5`, `0x1`, `1a`, `1_000`, `٣`, `NaN`, `Infinity`, `-Infinity`, `nan`,
		`nul`, `nulll`, `True`, `TRUE`, `tru`, `truee`, `fals`, `undefined`, "\u00a01", "\ufeff1", "\f1", "\v1", `//x`, `/*x*/1`, `1#`, `1;`, `<x/>`, `\u0031`, "1\x00",
	}
	for _, value := range bad {
		for _, body := range []string{`{"x":` + value + `}`, `{"invoice":{"notes":` + value + `}}`, `{"invoice":{"items":[1,` + value + `]}}`} {
			_, _, err := Decode([]byte(body), Options{})
			if err == nil {
				t.Errorf("%q is accepted", body)
				continue
			}
			if r := refusal(t, err); r.Code != finding.InvalidJSON || !strings.Contains(r.Message, "not valid JSON") {
				t.Errorf("%q: %+v", body, r)
			}
		}
	}
}
