package site

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"tianti/locale"
)

// A Route is an address of a feature.
type Route struct {
	Method  string           // "" is GET, "*" any
	Pattern string           // as chi writes it, without the language
	Page    Handler          // rendered and cached
	Serve   http.HandlerFunc // instead of Page: answers by itself
	Cost    Cost             // of Page
	Plain   bool             // is the same in all languages: there is one address
}

// Pages are routes of pages by pattern, of GET and in all languages.
func Pages(page Handler, patterns ...string) []Route {
	var out []Route
	for _, p := range patterns {
		out = append(out, Route{Pattern: p, Page: page})
	}
	return out
}

// DearPages are pages that compute much, likewise.
func DearPages(page Handler, patterns ...string) []Route {
	out := Pages(page, patterns...)
	for i := range out {
		out[i].Cost = Dear
	}
	return out
}

// Register adds routes to a router, in all languages.
func (s *Site) Register(m chi.Router, routes []Route) {
	for _, r := range routes {
		serve := r.Serve
		if serve == nil {
			serve = s.PageOf(r.Page, r.Cost)
		}
		for _, l := range locale.All() {
			pattern := l.Path(r.Pattern)
			switch {
			case r.Plain && pattern != r.Pattern:
			case r.Method == "*":
				m.HandleFunc(pattern, serve)
			case r.Method == "":
				m.Get(pattern, serve)
			default:
				m.Method(r.Method, pattern, serve)
			}
		}
	}
}
