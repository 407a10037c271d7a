package api

import (
	_ "embed"
	html "html/template"
	"net/http"
	"time"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// What the documentation page has around what its bundle draws.
var (
	//go:embed page_head.html
	docsHead html.HTML
	//go:embed page_end.html
	docsEnd html.HTML
)

// docsPage is the documentation page at /docs and /docs/, with every asset inside the program.
func (s *Server) docsPage() http.Handler {
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "einvoiced", SwaggerJSON: "/openapi.json", BasePath: "/docs/",
		SettingsUI: map[string]string{"defaultModelsExpandDepth": "0", "validatorUrl": "null"},
		AppendHead: docsHead, PrependHTML: "<main>", AppendHTML: docsEnd,
	})
	missing := s.failing(func(*http.Request) error { return errNoEndpoint })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).route = "/docs/"
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.WriteStall))
		w.Header().Set("Content-Security-Policy", docsPolicy)
		found := &foundOnly{ResponseWriter: w}
		if page.ServeHTTP(found, r); found.missing {
			w.Header().Del("Content-Security-Policy")
			missing.ServeHTTP(w, r)
		}
	})
}

// docsPolicy lets the page load its own assets and ask this server, nothing else. The page's script and styles are inline.
const docsPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

// foundOnly holds back the plain text of a 404, so that the contract's shape can be sent instead.
type foundOnly struct {
	http.ResponseWriter
	missing bool
}

func (w *foundOnly) WriteHeader(status int) {
	if w.missing = status == http.StatusNotFound; !w.missing {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *foundOnly) Write(p []byte) (int, error) {
	if w.missing {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
