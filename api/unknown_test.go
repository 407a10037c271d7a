package api

import (
	"strings"
	"testing"
)

// TestUnknownParameters ensures that query parameters and members of an upload that resemble known ones are named, on each route that
// has infos; others are ignored in silence.
func TestUnknownParameters(t *testing.T) {
	f := newFixture(t, Config{})
	told := func(place, meant string) string {
		return `[{"code":"UNKNOWN_MEMBER","message":"` + place + ` is not known and is ignored; did you mean ` + meant + `?"}]`
	}
	generated := `{"success":true,"format":"…","filename":"…","mimeType":"…","hash":"…","data":"…","errors":[],"warnings":[],"infos":`
	parsed := `{"success":true,"invoice":"…","format":"…","hash":"…","errors":[],"warnings":[],"infos":`
	validated := `{"valid":true,"errors":[],"warnings":"…","results":"…","rulebooks":[],"infos":`
	const validateDE = "POST /api/v1/invoice/de/xrechnung/validate"
	runScenarios(t, f, []scenario{
		{name: "generate", role: "full", do: generateDE + "?calculated=true&lang=de", body: "{}", status: 200, want: generated + told("the query parameter calculated", "calculate") + "}"},
		{name: "known ones", role: "full", do: generateDE + "?calculate=true", body: "{}", status: 200, want: strings.Replace(generated, `"warnings":[]`, `"warnings":["…"]`, 1) + "[]}"},
		{name: "validate", role: "full", do: validateDE + "?asof=2026-01-01", body: `{"invoice":{}}`, status: 200, want: validated + told("the query parameter asof", "asOf") + "}"},
		{name: "parse", role: "full", do: parseDE, body: `{"fileName":"a.xml","data":"` + b64("<a/>") + `","note":1}`, status: 200, want: parsed + told("fileName", "filename") + "}"},
	})
}
