package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/einvoiced/einvoiced/core/operation"
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
		{name: "validate, details", role: "full", do: validateDE + "?detials=true", body: `{"invoice":{}}`, status: 200, want: validated + told("the query parameter detials", "details") + "}"},
		{name: "validate", role: "full", do: validateDE + "?asof=2026-01-01", body: `{"invoice":{}}`, status: 200, want: validated + told("the query parameter asof", "asOf") + "}"},
		{name: "parse", role: "full", do: parseDE, body: `{"fileName":"a.xml","data":"` + b64("<a/>") + `","note":1}`, status: 200, want: parsed + told("fileName", "filename") + "}"},
	})
}

// TestUnknownNames_OfRoutesWithoutInfos ensures that mistyped query parameters and members are named where the answer has no infos of its
// own, and that answers to requests without any are as they were.
func TestUnknownNames_OfRoutesWithoutInfos(t *testing.T) {
	f := newFixture(t, Config{})
	const batch = `{"opertions":1,"operations":[{"method":"POST","path":"/api/v1/invoice/parse","boddy":{},"body":{"data":"PGEvPg=="}}]}`
	for _, c := range []struct{ name, do, body, told string }{
		{"a list", "GET /api/v1/jobs?limt=5", "", "the query parameter limt is not known and is ignored; did you mean limit?"},
		{"rulebooks", "GET /api/v1/rulebooks?start_after=x", "", ""},
		{"webhooks", "GET /api/v1/webhooks?startingafter=x", "", "the query parameter startingafter is not known and is ignored; did you mean starting_after?"},
		{"usage", "GET /api/v1/usage?form=2026-01-01", "", "the query parameter form is not known and is ignored; did you mean from?"},
		{"a known one", "GET /api/v1/jobs?limit=5", "", ""},
		{"a member", "PATCH /api/v1/account", `{"notificationEMail":"a@example.com"}`, "notificationEMail is not known and is ignored; did you mean notificationEmail?"},
		{"a member of a key", "POST /api/v1/keys", `{"nam":"x","entitlements":["admin:keys"]}`, "nam is not known and is ignored; did you mean name?"},
		{"members of a batch", "POST /api/v1/jobs", batch, "boddy is not known and is ignored; did you mean body?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			method, path, _ := strings.Cut(c.do, " ")
			r := f.ask(t, "full", method, path, c.body)
			var said struct {
				Infos []operation.Info `json:"infos"`
			}
			if err := json.Unmarshal(r.body, &said); err != nil || r.status >= 300 {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
			if len(said.Infos) > 0 != (c.told != "") || c.told != "" && said.Infos[0] != (operation.Info{Code: "UNKNOWN_MEMBER", Message: c.told}) {
				t.Errorf("told %v, want %q", said.Infos, c.told)
			}
		})
	}
}

// TestUnknownNames_OfReplays ensures that the answer to a request that is sent again is the one that was stored.
func TestUnknownNames_OfReplays(t *testing.T) {
	f := newFixture(t, Config{})
	for _, path := range []string{"/api/v1/keys?limt=1", "/api/v1/jobs?operatoin=x"} {
		body := `{"nam":"x","entitlements":["admin:keys"]}`
		if strings.Contains(path, "jobs") {
			body = `{"operations":[{"method":"POST","path":"/api/v1/invoice/parse","body":{"data":"PGEvPg=="}}]}`
		}
		first, second := f.ask(t, "full", "POST", path, body, keyed(path)...), f.ask(t, "full", "POST", path, body, keyed(path)...)
		if string(first.body) != string(second.body) || !strings.Contains(string(first.body), "UNKNOWN_MEMBER") {
			t.Errorf("%s\nand then\n%s", first.body, second.body)
		}
	}
}

// TestQueries_AreThoseOfTheDescription ensures that the parameters which a route knows are those that the description has.
func TestQueries_AreThoseOfTheDescription(t *testing.T) {
	seen := 0
	for path, item := range contract(t).Paths.Map() {
		for method, op := range item.Operations() {
			var described []string
			for _, p := range op.Parameters {
				if p.Value.In == openapi3.ParameterInQuery && !strings.HasPrefix(p.Value.Name, metadataPrefix) {
					described = append(described, p.Value.Name)
				}
			}
			known := slices.Concat(queries[op.OperationID], orderings[op.OperationID].query)
			slices.Sort(described)
			if known = slices.Sorted(slices.Values(known)); !slices.Equal(described, known) {
				t.Errorf("%s %s: described are %v, known are %v", method, path, described, known)
			}
			seen += len(known)
		}
	}
	if seen < 20 {
		t.Errorf("only %d parameters were compared", seen)
	}
}
