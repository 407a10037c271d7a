// Package site is what the service shows to people in a browser: a front page that says what this is, and the guides. Everything comes
// out of the program: pages, styles and the example; nothing is loaded from elsewhere and no script runs.
package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var assets embed.FS

// Policy is the Content-Security-Policy of the pages: styles and images of this server, nothing else.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Site gives the pages. It is safe for concurrent use.
type Site struct {
	files func() (map[string]file, error) // by path
}

// file is one answer.
type file struct {
	contentType string
	etag        string
	body        []byte
}

// New prepares the pages of the guides, Markdown files in the root of a file system beside example.json. They are rendered when the
// first of them is asked for. Version is that of the program, for the foot of the pages.
func New(guides fs.FS, version string) *Site {
	return &Site{sync.OnceValues(func() (map[string]file, error) { return render(guides, version) })}
}

// render makes all pages.
func render(guides fs.FS, version string) (map[string]file, error) {
	layouts, err := template.ParseFS(assets, "assets/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the layouts of the site: %w", err)
	}
	list, err := readGuides(guides)
	if err != nil {
		return nil, err
	}
	s := &press{layouts: layouts, version: version, groups: grouped(list), files: map[string]file{}}
	s.print("/", "home.html", page{Title: "einvoiced"})
	for _, g := range list {
		s.print(g.Path, "guide.html", page{Title: g.Title + " · einvoiced", Guide: g})
	}
	s.copy("/guides/example.json", guides, "example.json")
	pictures, err := fs.Glob(guides, "images/*.png")
	if err != nil {
		return nil, fmt.Errorf("list the pictures of the guides: %w", err)
	}
	for _, name := range pictures {
		s.copy("/guides/"+name, guides, name)
	}
	for _, name := range []string{"style.css", "icon.svg"} {
		s.copy("/site/"+name, assets, "assets/"+name)
	}
	return s.files, s.err
}

// page is what a layout is filled with.
type page struct {
	Title   string
	Version string
	Groups  []group
	Guide   *guide // nil on the front page
}

// press prints pages until something is wrong.
type press struct {
	layouts *template.Template
	version string
	groups  []group
	files   map[string]file
	err     error
}

func (s *press) print(path, layout string, p page) {
	p.Version, p.Groups = s.version, s.groups
	var b bytes.Buffer
	if err := s.layouts.ExecuteTemplate(&b, layout, p); err != nil {
		s.fail(path, err)
		return
	}
	s.add(path, "text/html; charset=utf-8", b.Bytes())
}

// contentTypes are those of the files that are copied: the machine's own table may say something else.
var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml"}

func (s *press) copy(at string, from fs.FS, name string) {
	body, err := fs.ReadFile(from, name)
	if err != nil {
		s.fail(at, err)
		return
	}
	s.add(at, contentTypes[path.Ext(name)], body)
}

func (s *press) add(path, contentType string, body []byte) {
	sum := sha256.Sum256(body)
	s.files[path] = file{contentType, `"` + hex.EncodeToString(sum[:12]) + `"`, body}
}

func (s *press) fail(path string, err error) {
	if s.err == nil {
		s.err = fmt.Errorf("make the page %s: %w", path, err)
	}
}

// Serve answers a request for a page, GET or HEAD. It tells false, with nothing written, where there is no such page. The error is that of
// a program which was built with broken pages.
func (s *Site) Serve(w http.ResponseWriter, r *http.Request) (bool, error) {
	files, err := s.files()
	if err != nil {
		return false, err
	}
	if at := strings.TrimSuffix(r.URL.Path, "/"); at == "/guides" {
		http.Redirect(w, r, "/#guides", http.StatusFound)
		return true, nil
	}
	f, ok := files[r.URL.Path]
	if !ok {
		return false, nil
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // another version of the program may have other pages
	h.Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	return true, nil
}
