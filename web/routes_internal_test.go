package web

import (
	"github.com/go-chi/chi/v5"

	"tianti/web/site"
)

// Routes are all addresses of a server, for tests that look at each.
func (s *Server) Routes() chi.Routes { return s.router }

// pageAt is the handler of a page.
func (s *Server) pageAt(pattern string) site.Handler {
	for _, f := range s.features {
		for _, r := range f.Routes() {
			if r.Pattern == pattern {
				return r.Page
			}
		}
	}
	return nil
}
