package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// made posts to a route that makes or changes a key, and gives it.
func (f *fixture) made(t testing.TB, role, do, body string) keyView {
	t.Helper()
	method, path, _ := strings.Cut(do, " ")
	r := f.ask(t, role, method, path, body)
	checkContract(t, method, path, r)
	var v keyView
	if err := json.Unmarshal(r.body, &v); err != nil || r.status != 200 {
		t.Fatalf("status %d: %s (%v)", r.status, r.body, err)
	}
	return v
}

const keysPath = "/api/v1/keys"

// TestKeys_Life ensures that a key is made, works, is shown without its secret, rotates and ends.
func TestKeys_Life(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.made(t, "full", "POST "+keysPath, `{"name":"till 4","entitlements":["e-invoice:de:xrechnung:create","admin:keys"]}`)
	if !account.WellFormed(key.Secret) || key.Mode != account.Test || key.Name != "till 4" || !strings.HasPrefix(key.Secret, key.Prefix) || !strings.HasSuffix(key.Secret, key.LastFour) {
		t.Errorf("%+v", key)
	}
	f.keys["till"] = key.Secret
	scenario{role: "till", do: generateDE, body: "{}", status: 200}.run(t, f)
	if shown := f.made(t, "full", "GET "+keysPath+"/"+key.ID, ""); shown.Secret != "" || shown.ID != key.ID || !slices.Equal(shown.Entitlements, key.Entitlements) {
		t.Errorf("%+v", shown)
	}
	turned := f.made(t, "till", "POST "+keysPath+"/"+key.ID+"/rotate", `{"overlapSeconds":3600}`)
	if turned.ID != key.ID || turned.Secret == key.Secret || !account.WellFormed(turned.Secret) || turned.Previous == nil || turned.Previous.LastFour != key.LastFour ||
		time.Until(turned.Previous.Until) > time.Hour || time.Until(turned.Previous.Until) < time.Hour-time.Minute {
		t.Errorf("%+v", turned)
	}
	f.keys["turned"] = turned.Secret
	for _, role := range []string{"till", "turned"} {
		scenario{role: role, do: generateDE, body: "{}", status: 200}.run(t, f)
	}
	f.made(t, "full", "POST "+keysPath+"/"+key.ID+"/rotate", `{"overlapSeconds":0}`)
	for _, role := range []string{"till", "turned"} {
		scenario{role: role, do: generateDE, body: "{}", status: 401}.run(t, f)
	}
	if gone := f.made(t, "full", "DELETE "+keysPath+"/"+key.ID, ""); gone.Revoked.IsZero() || gone.Secret != "" {
		t.Errorf("%+v", gone)
	}
	f.made(t, "full", "DELETE "+keysPath+"/"+key.ID, "")
	scenario{role: "full", do: "POST " + keysPath + "/" + key.ID + "/rotate", status: 404, want: problemJSON("Not Found", "NOT_FOUND", "API key does not exist")}.run(t, f)
	defaulted := f.made(t, "full", "POST "+keysPath, `{"entitlements":["admin:keys"]}`)
	if v := f.made(t, "full", "POST "+keysPath+"/"+defaulted.ID+"/rotate", ""); v.Previous == nil || time.Until(v.Previous.Until) < 23*time.Hour {
		t.Errorf("without a body: %+v", v)
	}
}

// TestKeys_KeepToTheirOwn ensures the subset rule: a key makes, sees and changes only keys that have no more than itself; for others there
// is no such key.
func TestKeys_KeepToTheirOwn(t *testing.T) {
	f := newFixture(t, Config{})
	f.addKey(t, "own", "clerk", account.NewKey{Mode: account.Test, Entitlements: []string{"admin:keys", "e-invoice:de:*:create"}})
	below := f.made(t, "full", "POST "+keysPath, `{"entitlements":["e-invoice:de:xrechnung:create"]}`)
	above := f.made(t, "full", "POST "+keysPath, `{"entitlements":["e-invoice:*:xrechnung:create"]}`)
	unknown := problemJSON("Not Found", "NOT_FOUND", "API key does not exist")
	missing := func(e string) string { return wordJSON("FORBIDDEN", "Missing entitlement: "+e) }
	runScenarios(t, f, []scenario{
		{name: "make as many", role: "clerk", do: "POST " + keysPath, body: `{"entitlements":["e-invoice:de:xrechnung:create","e-invoice:de:*:create"]}`, status: 200},
		{name: "make more", role: "clerk", do: "POST " + keysPath, body: `{"entitlements":["e-invoice:de:xrechnung:create","e-invoice:fr:facturx:create"]}`, status: 403, want: missing("e-invoice:fr:facturx:create")},
		{name: "make a wider pattern", role: "clerk", do: "POST " + keysPath, body: `{"entitlements":["e-invoice:*:*:create"]}`, status: 403, want: missing("e-invoice:*:*:create")},
		{name: "make everything", role: "full", do: "POST " + keysPath, body: `{"entitlements":["*:*:*:*"]}`, status: 403, want: missing("*:*:*:*")},
		{name: "see one below", role: "clerk", do: "GET " + keysPath + "/" + below.ID, status: 200},
		{name: "see one above", role: "clerk", do: "GET " + keysPath + "/" + above.ID, status: 404, want: unknown},
		{name: "turn one above", role: "clerk", do: "POST " + keysPath + "/" + above.ID + "/rotate", status: 404, want: unknown},
		{name: "end one above", role: "clerk", do: "DELETE " + keysPath + "/" + above.ID, status: 404, want: unknown},
		{name: "one above is as it was", role: "full", do: "GET " + keysPath + "/" + above.ID, status: 200},
	})
	r := f.ask(t, "clerk", "GET", keysPath+"?limit=100", "")
	checkContract(t, "GET", keysPath, r)
	var page struct{ Data []keyView }
	unmarshal(t, r.body, &page)
	for _, key := range page.Data {
		if !administers(&account.Key{Entitlements: []string{"admin:keys", "e-invoice:de:*:create"}}, account.Key{Entitlements: key.Entitlements}) || key.Secret != "" {
			t.Errorf("listed: %+v", key)
		}
	}
	if len(page.Data) < 4 || strings.Contains(string(r.body), above.ID) {
		t.Errorf("%s", r.body)
	}
}

// TestKeys_AreChecked ensures what is refused, and that members which belong to the server are not taken from a body.
func TestKeys_AreChecked(t *testing.T) {
	f := newFixture(t, Config{})
	runScenarios(t, f, []scenario{
		{name: "no entitlements", role: "full", do: "POST " + keysPath, body: `{}`, status: 400, want: fieldJSON("MISSING_FIELD", "entitlements", "entitlements: is missing; a key needs at least one")},
		{name: "a malformed one", role: "full", do: "POST " + keysPath, body: `{"entitlements":["admin:keys","Admin"]}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "entitlements[1]", "entitlements[1]: must be segments of a-z, 0-9 and hyphens, or *, joined by colons")},
		{name: "a number", role: "full", do: "POST " + keysPath, body: `{"entitlements":[1]}`, status: 400, want: fieldJSON("INVALID_TYPE", "entitlements[0]", "entitlements[0]: must be a string")},
		{name: "a long name", role: "full", do: "POST " + keysPath, body: `{"name":"` + strings.Repeat("n", 201) + `","entitlements":["admin:keys"]}`, status: 400},
		{name: "too many", role: "full", do: "POST " + keysPath, body: `{"entitlements":[` + strings.TrimSuffix(strings.Repeat(`"admin:keys",`, 101), ",") + `]}`, status: 400},
		{name: "the other mode", role: "full", do: "POST " + keysPath, body: `{"mode":"live","entitlements":["admin:keys"]}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "mode", "mode: must be test, the mode of the key that asks; or leave it out")},
		{name: "the test mode, from a live key", role: "live", do: "POST " + keysPath, body: `{"mode":"test","entitlements":["admin:keys"]}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "mode", "mode: must be live, the mode of the key that asks; or leave it out")},
		{name: "no mode", role: "full", do: "POST " + keysPath, body: `{"mode":"","entitlements":["admin:keys"]}`, status: 400},
		{name: "a mode that is a number", role: "full", do: "POST " + keysPath, body: `{"mode":1,"entitlements":["admin:keys"]}`, status: 400,
			want: fieldJSON("INVALID_TYPE", "mode", "mode: must be a string")},
		{name: "its own mode", role: "full", do: "POST " + keysPath, body: `{"mode":"test","entitlements":["admin:keys"]}`, status: 200},
		{name: "no object", role: "full", do: "POST " + keysPath, body: `[]`, status: 400, want: invalidJSON("The request body must be a JSON object")},
		{name: "not JSON", role: "full", do: "POST " + keysPath, body: `{`, status: 400},
		{name: "a member twice", role: "full", do: "POST " + keysPath, body: `{"name":"a","name":"b"}`, status: 400, want: invalidJSON("The request body is not valid JSON: a member occurs twice, /name")},
		{name: "too large", role: "full", do: "POST " + keysPath, body: `{"x":"` + strings.Repeat("x", plainBody) + `"}`, status: 413},
		{name: "another type", role: "full", do: "POST " + keysPath, body: `<a/>`, header: []string{"Content-Type", "text/xml"}, status: 415},
		{name: "a long overlap", role: "full", do: "POST " + keysPath + "/key_1/rotate", body: `{"overlapSeconds":2592001}`, status: 400},
		{name: "an overlap of text", role: "full", do: "POST " + keysPath + "/key_1/rotate", body: `{"overlapSeconds":"1h"}`, status: 400},
	})
	key := f.made(t, "full", "POST "+keysPath, `{"id":"key_1","secret":"sk_live_x","accountId":"acc_1","created":"2000-01-01T00:00:00Z","revoked":null,"entitlements":["admin:keys"]}`)
	own := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	stored := must(f.accounts.Key(t.Context(), own.AccountID, account.Test, key.ID))(t)
	if key.ID == "key_1" || stored.Mode != account.Test || stored.AccountID != own.AccountID || time.Since(stored.Created) > time.Minute {
		t.Errorf("%+v", stored)
	}
}

// TestKeys_List ensures pages of keys, newest first.
func TestKeys_List(t *testing.T) {
	f := newFixture(t, Config{})
	f.addKey(t, "fresh", "fresh", account.NewKey{Mode: account.Test, Entitlements: everything})
	var ids []string
	for i := range 4 {
		ids = append([]string{f.made(t, "fresh", "POST "+keysPath, fmt.Sprintf(`{"name":"%d","entitlements":["admin:keys"]}`, i)).ID}, ids...)
	}
	list := func(query string) (got []string, more bool) {
		r := f.ask(t, "fresh", "GET", keysPath+query, "")
		checkContract(t, "GET", keysPath, r)
		var page struct {
			Data    []keyView
			HasMore bool `json:"has_more"`
		}
		unmarshal(t, r.body, &page)
		for _, key := range page.Data {
			got = append(got, key.ID)
		}
		return got, page.HasMore
	}
	for query, want := range map[string][]string{"?limit=2": ids[:2], "?limit=2&starting_after=" + ids[1]: ids[2:], "?limit=2&ending_before=" + ids[2]: ids[:2]} {
		if got, _ := list(query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if all, more := list(""); len(all) != 5 || more {
		t.Errorf("%q, more %v", all, more)
	}
	scenario{role: "fresh", do: "GET " + keysPath + "?limit=0", status: 400}.run(t, f)
}

// TestAccount ensures that the account is shown and changed as far as it may be, and that its plan is the operator's.
func TestAccount(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.subscribe(t, "small", "small", false)
	const path = "/api/v1/account"
	shown := func(name, mail, defaults string) string {
		return fmt.Sprintf(`{"id":%q,"name":%q,"notificationEmail":%q,"plan":"small","defaults":%s,"created":"…"}`, key.AccountID, name, mail, defaults)
	}
	runScenarios(t, f, []scenario{
		{name: "as it is", role: "small", do: "GET " + path, status: 200, want: shown("small", "", "{}")},
		{name: "mail and defaults", role: "small test", do: "PATCH " + path, body: `{"notificationEmail":"a@b.example","defaults":{"currency":"EUR"}}`, status: 200, want: shown("small", "a@b.example", `{"currency":"EUR"}`)},
		{name: "the name", role: "small", do: "PATCH " + path, body: `{"name":"Weserhandel GmbH","notificationEmail":null}`, status: 200, want: shown("Weserhandel GmbH", "a@b.example", `{"currency":"EUR"}`)},
		{name: "no mail", role: "small", do: "PATCH " + path, body: `{"notificationEmail":""}`, status: 200, want: shown("Weserhandel GmbH", "", `{"currency":"EUR"}`)},
		{name: "nothing", role: "small", do: "PATCH " + path, body: `{}`, status: 200, want: shown("Weserhandel GmbH", "", `{"currency":"EUR"}`)},
		{name: "what is the server's", role: "small", do: "PATCH " + path, body: `{"id":"acc_1","plan":"","lapsed":false,"created":"2000-01-01T00:00:00Z"}`, status: 200, want: shown("Weserhandel GmbH", "", `{"currency":"EUR"}`)},
		{name: "an empty name", role: "small", do: "PATCH " + path, body: `{"name":" "}`, status: 400},
		{name: "a mail that is none", role: "small", do: "PATCH " + path, body: `{"notificationEmail":"a b"}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "notificationEmail", "notificationEmail: must be one plain address of at most 254 characters")},
		{name: "a name with controls", role: "small", do: "PATCH " + path, body: `{"name":"\u0007"}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "name", "name: must have at most 200 characters and no control characters")},
		{name: "defaults that are none", role: "small", do: "PATCH " + path, body: `{"defaults":[]}`, status: 400, want: fieldJSON("INVALID_TYPE", "defaults", "defaults: must be an object")},
		{name: "a name of another type", role: "small", do: "PATCH " + path, body: `{"name":1}`, status: 400, want: fieldJSON("INVALID_TYPE", "name", "name: must be a string")},
		{name: "as it is after all that", role: "small", do: "GET " + path, status: 200, want: shown("Weserhandel GmbH", "", `{"currency":"EUR"}`)},
	})
}
