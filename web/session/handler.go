package session

import (
	"context"

	"tianti/account"
	"tianti/audit"
	"tianti/web/site"
)

// Config is what sessions are made of.
type Config struct {
	Accounts *account.Authenticator                   // nil: nobody can sign in
	Record   func(context.Context, audit.Entry) error // writes a line of the audit log; nil: there is none
	// RequireFactor: administrators do nothing before they have a second factor.
	RequireFactor bool
}

// A Handler signs people in, and authorizes their requests.
type Handler struct {
	Accounts *account.Authenticator // nil: nobody can sign in

	site          *site.Site
	requireFactor bool
	refusals      *refusals
	record        func(context.Context, audit.Entry) error
	sessions      *sessions // nil without accounts
}

// New returns a handler of sessions.
func New(s *site.Site, cfg Config) *Handler {
	h := &Handler{Accounts: cfg.Accounts, site: s, record: cfg.Record, refusals: newRefusals(),
		requireFactor: cfg.RequireFactor && !s.ReadOnly}
	if cfg.Accounts != nil {
		cfg.Accounts.ReadOnly = s.ReadOnly
		h.sessions = newSessions(cfg.Accounts.Store, s.ReadOnly)
	}
	return h
}
