package api

import (
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/einvoiced/einvoiced/api/site"
	"github.com/einvoiced/einvoiced/docs"
)

// addPages adds the pages for people in a browser.
func (s *Server) addPages(m *mux.Router) {
	pages := s.pages()
	for name, path := range map[string]*mux.Route{"/": m.Path("/"), "/guides": m.Path("/guides"), "/guides/": m.PathPrefix("/guides/"), "/site/": m.PathPrefix("/site/")} {
		path.Methods(http.MethodGet, http.MethodHead).Handler(named(name, pages))
	}
}

// named notes the route for log and metrics.
func named(route string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).route = route
		h.ServeHTTP(w, r)
	})
}

// pages shows the front page and the guides.
func (s *Server) pages() http.Handler {
	pages := site.New(docs.Files(), s.Version.Version)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.WriteStall))
		found, err := pages.Serve(w, r)
		if err == nil && !found {
			err = errNoEndpoint
		}
		if err != nil {
			s.send(w, r, nil, err)
		}
	})
}
