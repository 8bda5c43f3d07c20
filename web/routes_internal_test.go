package web

import "github.com/go-chi/chi/v5"

// Routes are all addresses of a server, for tests that look at each.
func (s *Server) Routes() chi.Routes { return s.router }
