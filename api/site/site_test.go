package site

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/docs"
)

// get asks a site for a path.
func get(t *testing.T, s *Site, method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	found, err := s.Serve(w, r)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		w.Code = http.StatusNotFound
	}
	return w.Result(), w.Body.String()
}

// ours gives the site of the guides that ship.
func ours(t *testing.T) (*Site, map[string]file) {
	t.Helper()
	s := New(docs.Files(), "v1.2.3")
	files, err := s.files()
	if err != nil {
		t.Fatal(err)
	}
	return s, files
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(` id="([^"]*)"`)
)

// TestEveryLinkLeadsSomewhere ensures that a link between pages finds the page and the heading on it, and that no other link stays inside
// the site but those to the API.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	_, files := ours(t)
	links := 0
	for path, f := range files {
		if !strings.HasPrefix(f.contentType, "text/html") {
			continue
		}
		for _, m := range reference.FindAllStringSubmatch(string(f.body), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if target == "" {
				target = path
			}
			if strings.HasPrefix(target, "https://") || target == "/docs/" || target == "/openapi.json" {
				continue
			}
			links++
			page, ok := files[target]
			if !ok || fragment != "" && !slices.ContainsFunc(anchor.FindAllStringSubmatch(string(page.body), -1), func(id []string) bool { return id[1] == fragment }) {
				t.Errorf("%s leads to %s, which is not there", path, m[1])
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links between pages", links)
	}
}

// TestGuidesAreWhole ensures that each guide is a page, is listed on the front page, and lost nothing to the rule against raw HTML; and
// that no page holds scripts or styles, which its policy forbids.
func TestGuidesAreWhole(t *testing.T) {
	_, files := ours(t)
	for name := range summaries {
		if _, ok := files[guidePath(name)]; !ok {
			t.Errorf("there is no guide %s", name)
		}
	}
	for path := range files {
		name, ok := strings.CutPrefix(path, "/guides/")
		if ok && !strings.ContainsAny(name, "/.") && (summaries[name] == "" || !slices.ContainsFunc(shelves, func(s shelf) bool { return slices.Contains(s.names, name) })) {
			t.Errorf("nothing says for whom the guide %s is, and what of", name)
		}
	}
	home := string(files["/"].body)
	for path, f := range files {
		text := string(f.body)
		list := home
		if strings.HasPrefix(path, "/guides/countries/") {
			list = string(files["/guides/countries"].body)
		}
		listed := `href="` + path + `"`
		if picture, ok := strings.CutPrefix(path, "/guides/images/"); ok {
			list, listed = string(files["/guides/templates"].body), `src="/guides/images/`+picture+`"`
		}
		if strings.HasPrefix(path, "/guides/") && !strings.Contains(list, listed) {
			t.Errorf("%s is not listed", path)
		}
		if !strings.HasPrefix(f.contentType, "text/html") {
			continue
		}
		for _, unwanted := range []string{"raw HTML omitted", "<script", "<style", " style=", " onclick="} {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s has %s", path, unwanted)
			}
		}
		for _, want := range []string{`<html lang="en">`, `<meta name="viewport" content="width=device-width, initial-scale=1">`, "<main", "<h1", "<header", "<footer", "v1.2.3"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s has %s %d times", path, want, strings.Count(text, want))
			}
		}
	}
}

// TestStylesFollowTheScheme ensures that there are colours for a dark screen, and that nothing is loaded from elsewhere.
func TestStylesFollowTheScheme(t *testing.T) {
	_, files := ours(t)
	css := string(files["/site/style.css"].body)
	if !strings.Contains(css, "@media (prefers-color-scheme: dark)") || strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error(css)
	}
}

// TestServe_Headers ensures the headers of each kind of file, that a browser need not load again what it has, and that HEAD has no body.
func TestServe_Headers(t *testing.T) {
	s, _ := ours(t)
	for path, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/guides/jobs": "text/html; charset=utf-8", "/guides/example.json": "application/json",
		"/site/style.css": "text/css; charset=utf-8", "/site/icon.svg": "image/svg+xml",
	} {
		res, body := get(t, s, "GET", path)
		if res.StatusCode != 200 || body == "" || res.Header.Get("Content-Type") != contentType || res.Header.Get("Content-Security-Policy") != Policy {
			t.Errorf("%s: status %d, %v", path, res.StatusCode, res.Header)
		}
		if res, body := get(t, s, "HEAD", path); res.StatusCode != 200 || body != "" {
			t.Errorf("HEAD %s: status %d, %q", path, res.StatusCode, body)
		}
		if again, body := get(t, s, "GET", path, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s again: status %d", path, again.StatusCode)
		}
	}
	if res, body := get(t, s, "GET", "/guides/example.json"); res.StatusCode != 200 || body != string(docs.Example()) {
		t.Errorf("the example: %s", body)
	}
	for _, path := range []string{"/guides", "/guides/"} {
		if res, _ := get(t, s, "GET", path); res.StatusCode != http.StatusFound || res.Header.Get("Location") != "/#guides" {
			t.Errorf("%s: status %d, %v", path, res.StatusCode, res.Header)
		}
	}
	for _, path := range []string{"/guides/nothing", "/guides/jobs.md", "/guides/../go.mod", "/site/", "/site/home.html"} {
		if res, _ := get(t, s, "GET", path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
}

// TestMarkdown ensures what becomes of links, tables, code and raw HTML, and that a guide which is on no shelf is listed all the same.
func TestMarkdown(t *testing.T) {
	s := New(fstest.MapFS{"lands/aa.md": {Data: []byte("# Land\n\n[up](../new.md#here) [beside](bb.md) [out](../../core/x.go)\n")}, "example.json": {Data: []byte("{}")}, "new.md": {Data: []byte(`# New & <b>bold</b>

[a](api.md#keys) [b](example.json) [c](../api/openapi.yaml) [d](../core/x.go#L1) [e](https://example.com/) [f](#here)

| A | B |
|---|--:|
| 1 | <i>2</i> |

` + "```sh\na < b && \"c\"\n```\n\n## Here\n\n<!-- a comment -->\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n")}}, "")
	_, body := get(t, s, "GET", "/guides/new")
	for _, want := range []string{
		`href="/guides/api#keys">a<`, `href="/guides/example.json">b<`, `href="/openapi.json">c<`, `href="` + repository + `core/x.go#L1">d<`,
		`href="https://example.com/">e<`, `href="#here">f<`, `<h2 id="here">`, `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>`,
		`<td align="right">`, "</table></div>", "<pre tabindex=\"0\"><code>a &lt; b &amp;&amp; &quot;c&quot;\n</code></pre>", "<title>New &amp; ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	_, below := get(t, s, "GET", "/guides/lands/aa")
	for _, want := range []string{`href="/guides/new#here">up<`, `href="/guides/lands/bb">beside<`, `href="` + repository + `core/x.go">out<`} {
		if !strings.Contains(below, want) {
			t.Errorf("no %s in %s", want, below)
		}
	}
	for _, unwanted := range []string{"<script", `href="javascript:`, "a comment", "<i>", "<b>"} {
		if strings.Contains(body, unwanted) {
			t.Errorf("%s in %s", unwanted, body)
		}
	}
	if _, home := get(t, s, "GET", "/"); !strings.Contains(home, `href="/guides/new"`) {
		t.Errorf("not listed: %s", home)
	}
}

// TestBrokenGuidesAreAnError ensures that a program built without its example does not answer as if all were well.
func TestBrokenGuidesAreAnError(t *testing.T) {
	found, err := New(fstest.MapFS{}, "").Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if found || err == nil {
		t.Errorf("found %v, error %v", found, err)
	}
}
