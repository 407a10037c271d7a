package api

import (
	"net/http"
	"testing"
)

// TestRulebooks ensures who may list and compare rulebooks, and what is said.
func TestRulebooks(t *testing.T) {
	f := newFixture(t, Config{})
	entry := func(version string) string {
		return `{"id":"rules","version":"` + version + `","title":"","publisher":"","source":"","revision":"","validFrom":"2026-04-10","validTo":null,
			"announced":false,"shipped":false,"formats":["ubl"],"rules":979}`
	}
	page := func(more, entries string) string {
		return `{"object":"list","data":[` + entries + `],"has_more":` + more + `,"url":"/api/v1/rulebooks"}`
	}
	const list, diff = "GET /api/v1/rulebooks", "GET /api/v1/rulebooks/diff"
	denied := `{"error":"UNAUTHORIZED","message":"API key authentication failed","code":"UNAUTHORIZED","errors":[{"code":"UNAUTHORIZED",
		"message":"API key authentication failed: send a key that is known and not revoked in the header field Authorization: Bearer sk_…","field":"Authorization"}]}`
	runScenarios(t, f, []scenario{
		{name: "no key", do: list, status: 401, want: denied},
		{name: "wrong key", role: "revoked", do: list, status: 401, want: denied},
		{name: "any key", role: "nobody", do: list, status: 200, want: page("false", entry("1")+","+entry("2")+","+entry("3"))},
		{name: "first page", role: "nobody", do: list + "?limit=2", status: 200, want: page("true", entry("1")+","+entry("2"))},
		{name: "next page", role: "nobody", do: list + "?limit=2&starting_after=rules@2", status: 200, want: page("false", entry("3"))},
		{name: "page before", role: "nobody", do: list + "?limit=1&ending_before=rules@3", status: 200, want: page("true", entry("2"))},
		{name: "after none", role: "nobody", do: list + "?starting_after=none", status: 400,
			want: fieldJSON("INVALID_VALUE", "starting_after", "starting_after: must be a rulebook of the list as ID@VERSION")},
		{name: "both directions", role: "nobody", do: list + "?starting_after=rules@1&ending_before=rules@3", status: 400,
			want: fieldJSON("INVALID_VALUE", "ending_before", "ending_before: cannot be combined with starting_after")},
		{name: "a limit that is none", role: "nobody", do: list + "?limit=0", status: 400,
			want: fieldJSON("INVALID_VALUE", "limit", "limit: must be a whole number from 1 to 100")},
		{name: "diff without a key", do: diff + "?from=rules@1&to=rules@2", status: 401, want: denied},
		{name: "diff with a wrong key", role: "revoked", do: diff + "?from=rules@1&to=rules@2", status: 401, want: denied},
		{name: "diff", role: "nobody", do: diff + "?from=rules@1&to=rules@2", status: 200,
			want: `{"from":"rules@1","to":"rules@2","added":["A-1"],"removed":[],"changed":[{"rule":"A-2","what":"It is fatal instead of a warning."}]}`},
		{name: "diff with one that is not there", role: "nobody", do: diff + "?from=none&to=rules@2", status: http.StatusNotFound, want: `"…"`},
		{name: "another method", role: "nobody", do: "POST /api/v1/rulebooks", status: 405},
	})
}
