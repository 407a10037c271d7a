package api

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/api/site"
)

// TestPages ensures that the pages for people need no key and have the headers that keep a browser to this server.
func TestPages(t *testing.T) {
	f := newFixture(t, Config{})
	for path, want := range map[string]string{
		"/": `<a class="button" href="/docs/">`, "/guides/webhooks": "<h1", "/guides/example.json": `"invoice"`, "/site/style.css": "prefers-color-scheme", "/site/icon.svg": "<svg",
	} {
		r := f.ask(t, "", "GET", path, "")
		h := r.header
		if r.status != 200 || !strings.Contains(string(r.body), want) || h.Get("Content-Security-Policy") != site.Policy ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("x-request-id") == "" {
			t.Errorf("%s: status %d, %v: %.200s", path, r.status, h, r.body)
		}
	}
}
