package admin

import (
	"net/http"
	"time"

	"tianti/importer"
	"tianti/web/session"
	"tianti/web/site"
)

// A Handler answers the administration: accounts, tokens, imports, datasets, corrections, the audit log.
type Handler struct {
	site     *site.Site
	session  *session.Handler
	importer *importer.Importer
	store    Store
	every    time.Duration
	changed  func()
}

// Config is what there is to administer besides accounts.
type Config struct {
	Importer *importer.Importer // nil: there are no imports
	Store    Store              // of what was imported
	Every    time.Duration      // how often feeds are looked at; 0: only when a command says so
	Changed  func()             // called after the catalogue has moved; may be nil
}

// New returns a handler of a site.
func New(s *site.Site, users *session.Handler, cfg Config) *Handler {
	if cfg.Changed == nil {
		cfg.Changed = func() {}
	}
	return &Handler{
		site:     s,
		session:  users,
		importer: cfg.Importer,
		store:    cfg.Store,
		every:    cfg.Every,
		changed:  cfg.Changed,
	}
}

// Routes are the addresses of the administration.
func (h *Handler) Routes() []site.Route {
	var out []site.Route
	if h.site.ReadOnly {
		out = append(out, site.Route{Method: "*", Pattern: "/admin/*", Serve: h.form(readOnly)})
	}
	if !h.site.SignIn {
		if h.site.ReadOnly {
			out = append(out, site.Route{Method: "*", Pattern: "/admin", Serve: h.form(readOnly)})
		}
		return out
	}
	out = append(out, get("", h.session.Member(h.adminHome)), get("/sign-in", h.form(h.session.SignInPage)),
		post("/sign-in", h.form(h.session.SignIn)), post("/sign-out", h.form(h.session.SignOut)),
		get("/sign-in/code", h.form(h.session.CodePage)), post("/sign-in/code", h.form(h.session.Code)))
	if !h.site.ReadOnly {
		out = append(append(out, h.accountRoutes()...), h.importRoutes()...)
	}
	return out
}

func get(path string, serve http.HandlerFunc) site.Route {
	return site.Route{Pattern: "/admin" + path, Serve: serve}
}

func post(path string, serve http.HandlerFunc) site.Route {
	return site.Route{Method: http.MethodPost, Pattern: "/admin" + path, Serve: serve}
}

// accountRoutes are those that change accounts and tokens.
func (h *Handler) accountRoutes() []site.Route {
	member, admin := h.session.Member, h.session.Admin
	return []site.Route{
		get("/setup", h.form(h.session.SetupPage)), post("/setup", h.form(h.session.SetUp)),
		get("/account", member(h.ownAccount)), post("/account/password", member(h.changeOwnPassword)),
		post("/account/sign-out", member(h.signOutEverywhere)),
		post("/account/sessions/{id}/end", member(h.endSession)),
		get("/account/second-factor", member(h.factorPage)), post("/account/second-factor", member(h.changeFactor)),
		post("/account/second-factor/begin", member(h.beginFactor)),
		post("/account/second-factor/confirm", member(h.confirmFactor)),
		get("/accounts", admin(h.accounts)), post("/accounts", admin(h.createAccount)),
		post("/accounts/{key}", admin(h.changeAccount)),
		get("/tokens", member(h.tokens)), post("/tokens", member(h.createToken)),
		post("/tokens/{key}/revoke", member(h.revokeToken)),
	}
}

// importRoutes are the addresses where the catalogue is changed.
func (h *Handler) importRoutes() []site.Route {
	if h.importer == nil {
		return nil
	}
	admin := h.session.Admin
	loaded := func(p session.AdminPage) http.HandlerFunc { return admin(h.loaded(p)) }
	return []site.Route{
		get("/import", admin(h.importStart)), post("/import", admin(h.importUpload)),
		get("/import/{id}", loaded(h.importDraft)), post("/import/{id}", loaded(h.importAgain)),
		get("/import/{id}/changes.csv", admin(h.downloadDiff)),
		post("/import/{id}/apply", loaded(h.importApply)), post("/import/{id}/discard", admin(h.importDiscard)),
		get("/datasets", admin(h.datasets)), get("/datasets/{dataset}", admin(h.dataset)),
		post("/datasets/{dataset}/activate", admin(h.activate)),
		post("/datasets/{dataset}/rank", admin(h.rank)), get("/datasets/{dataset}/revisions/{id}", loaded(h.revision)),
		get("/cards/{id}/figures", loaded(h.corrections)), get("/cards/{id}/figures/{quantity}", loaded(h.correct)),
		post("/cards/{id}/figures/{quantity}", loaded(h.saveCorrection)), get("/log", admin(h.auditLog)),
	}
}
