package session

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/static"
	"tianti/web/site"
)

// Need is what a request wants to do.
type Permission int

// Needs.
const (
	ToRead   Permission = iota // what a reader may see
	ToImport                   // files, previews, reverts: an administrator, or a token with the scope import
	toManage                   // accounts and tokens of others: an administrator who is signed in
)

// accountKey is where the context of a request has the account that was let in.
type accountKey struct{}

// Who is the account that s.admin or s.member let in.
func Account(ctx context.Context) account.Account {
	a, _ := ctx.Value(accountKey{}).(account.Account)
	return a
}

// WithAccount is a context of a request of an account, after the account was changed.
func WithAccount(ctx context.Context, a account.Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// Allow reports who asks, when they may do what they want; otherwise the error says why not. It takes a token of the
// header Authorization before a session.
func (h *Handler) Authorize(r *http.Request, n Permission) (audit.Actor, error) {
	switch {
	case h.Accounts == nil && n == ToRead && !h.site.Private:
		return audit.Actor{}, site.ErrSignIn
	case h.Accounts == nil || h.site.ReadOnly && n != ToRead:
		return audit.Actor{}, site.ErrReadOnly
	case tokenInQuery(r.URL.RawQuery):
		return audit.Actor{}, site.ErrInQuery
	}
	if header := r.Header.Get("Authorization"); header != "" {
		return h.authorizeToken(r, header, n)
	}
	ctx, err := h.loadSession(r)
	if err != nil {
		return audit.Actor{}, err
	}
	a, err := h.sessionAccount(ctx, h.sessionsOf(r))
	switch {
	case errors.Is(err, errNoSession):
		return audit.Actor{}, site.ErrSignIn
	case err != nil:
		return audit.Actor{}, err
	case n != ToRead && a.Role != account.Administrator:
		return audit.Actor{}, h.refuse(r, a.Name, site.ErrRole)
	case n != ToRead && h.lacksFactor(a):
		return audit.Actor{}, h.refuse(r, a.Name, site.ErrFactor)
	}
	return h.actor(r, a.Name), nil
}

// lacksFactor reports whether somebody has to set up a second factor before anything else.
func (h *Handler) lacksFactor(a account.Account) bool {
	return h.requireFactor && a.Role == account.Administrator && !a.Factor
}

// allowToken is allow for a request with the header Authorization.
func (h *Handler) authorizeToken(r *http.Request, header string, n Permission) (audit.Actor, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return audit.Actor{}, site.ErrScheme
	}
	t, a, err := h.Accounts.Bearer(r.Context(), strings.TrimSpace(secret))
	switch {
	case errors.Is(err, account.ErrInvalid):
		return audit.Actor{}, h.refuse(r, "", site.ErrToken)
	case err != nil:
		return audit.Actor{}, err
	case n == toManage:
		return audit.Actor{}, h.refuse(r, a.Name, site.ErrManage)
	case n == ToImport && (t.Scope != account.ScopeImport || a.Role != account.Administrator):
		return audit.Actor{}, h.refuse(r, a.Name, site.ErrScope)
	}
	return h.actor(r, a.Name), nil
}

// tokenInQuery reports whether somebody has put a token into the address.
func tokenInQuery(query string) bool {
	if !strings.Contains(query, "ianti") { // "tianti_", however it is escaped
		return false
	}
	values, _ := url.ParseQuery(query)
	for _, given := range values {
		for _, v := range given {
			if strings.HasPrefix(v, account.TokenPrefix) {
				return true
			}
		}
	}
	return false
}

// actor is who does what a request asks for, for the audit log.
func (h *Handler) actor(r *http.Request, name string) audit.Actor {
	a := audit.Actor{Name: name, Channel: audit.ByPage, Address: h.site.ClientOf(r).String()}
	if site.IsAPI(r.URL.Path) {
		a.Channel = audit.ByAPI
	}
	return a
}

// AdminPage answers to somebody who has been let in: who of the context, who is also its actor (audit.ActorOf). Its
// errors leave by the way of all errors.
type AdminPage func(w http.ResponseWriter, r *site.Request) error

// Admin lets administrators in, for pages that change what everybody sees.
func (s *Handler) Admin(h AdminPage) http.HandlerFunc { return s.requireRole(account.Administrator, h) }

// Member lets everybody in who has an account.
func (s *Handler) Member(h AdminPage) http.HandlerFunc { return s.requireRole(account.Reader, h) }

func (s *Handler) requireRole(role account.Role, h AdminPage) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		site.NoteRoute(w, httpReq)
		w.Header()["Cache-Control"] = site.NoStore
		r := site.NewRequest(httpReq)
		if s.Accounts == nil || s.site.ReadOnly && role == account.Administrator {
			s.site.Fail(w, r, nil, site.ErrReadOnly)
			return
		}
		ctx, err := s.loadSession(httpReq)
		var a account.Account
		if err == nil {
			a, err = s.sessionAccount(ctx, s.sessionsOf(httpReq))
		}
		site.NoteAccount(w, a.Name)
		switch {
		case errors.Is(err, errNoSession):
			s.toSignIn(w, r)
			return
		case err == nil && role == account.Administrator && a.Role != role:
			err = s.refuse(httpReq, a.Name, site.ErrRole)
		case err == nil && s.lacksFactor(a) && !ownPages[strings.TrimPrefix(httpReq.URL.Path, "/zh")]:
			http.Redirect(w, httpReq, r.Loc.Path(FactorPath), http.StatusSeeOther)
			return
		case err == nil:
			ctx = audit.WithActor(WithAccount(ctx, a), s.actor(httpReq, a.Name))
			r.Request = httpReq.WithContext(ctx)
			if err = r.Parse(); err == nil {
				err = h(w, r)
			}
		}
		if err != nil {
			s.site.Fail(w, r, s.site.State.Load(), err)
		}
	}
}

// FactorPath is where a second factor is set up.
const FactorPath = "/admin/account/second-factor"

// ownPages are those of the own account, which administrators without a second factor reach where one is asked for.
var ownPages = map[string]bool{FactorPath: true, FactorPath + "/begin": true, FactorPath + "/confirm": true,
	"/admin/account": true, "/admin/account/password": true, "/admin/account/sign-out": true}

// toSignIn sends a browser to where people sign in, and back afterwards. What is no page is refused instead.
func (h *Handler) toSignIn(w http.ResponseWriter, r *site.Request) {
	if !isPage(r) {
		r.Format = site.AsJSON
		h.site.Fail(w, r, h.site.State.Load(), site.ErrSignIn)
		return
	}
	next := r.Loc.Path("/admin") // a form that was sent is not sent again
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	w.Header()["Cache-Control"] = site.NoStore
	http.Redirect(w, r.Request, r.Loc.Path("/admin/sign-in")+"?"+site.ParamsEncoded("next", next), http.StatusSeeOther)
}

// isPage reports whether people read the answer, and not programs.
func isPage(r *site.Request) bool {
	switch r.Path {
	case "/metrics", "/robots.txt", "/sitemap.xml", "/live/stream", "/mcp", "/llms.txt", "/llms-full.txt",
		"/citation.cff":
		return false
	}
	return r.Format == site.HTML
}

// isOpen reports whether an address answers everybody on a private server.
func isPublic(path string) bool {
	switch strings.TrimPrefix(path, "/zh") {
	case "/healthz", "/readyz", "/favicon.ico", "/admin/sign-in", codePath, "/admin/setup":
		return true
	}
	return strings.HasPrefix(path, static.Prefix)
}

// KeepOut answers requests to a private server by those who have not signed in, and reports whether it did.
func (h *Handler) RequireSignIn(w http.ResponseWriter, httpReq *http.Request) bool {
	if !h.site.Private || isPublic(httpReq.URL.Path) || httpReq.Method == http.MethodOptions {
		return false
	}
	by, err := h.Authorize(httpReq, ToRead)
	if err == nil {
		site.NoteAccount(w, by.Name)
		return false
	}
	r := site.NewRequest(httpReq)
	var auth site.AuthError
	if errors.As(err, &auth) && auth == site.ErrSignIn {
		h.toSignIn(w, r)
		return true
	}
	if !isPage(r) {
		r.Format = site.AsJSON
	}
	h.site.Fail(w, r, nil, err) // nil: its page tells nothing of the catalogue
	return true
}

// localPath is where to go after signing in: an address of this server, or the start page for anything else.
func localPath(next, otherwise string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.ContainsRune(next, '\\') ||
		!strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsRune(u.Path, '\\') ||
		len(next) > site.MaxQuery {
		return otherwise
	}
	switch strings.TrimPrefix(u.Path, "/zh") {
	case "/admin/sign-in", codePath, "/admin/sign-out", "/admin/setup":
		return otherwise
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// note writes a line into the audit log, of what changes nothing else.
func (h *Handler) note(ctx context.Context, by audit.Actor, action, subject string, detail map[string]any) {
	if h.record == nil || h.site.ReadOnly {
		return
	}
	if err := h.record(ctx, audit.Entry{At: h.site.Now(), Actor: by, Action: action,
		Subject: catalog.Clip(subject), Detail: detail}); err != nil {
		h.site.Log.Error("the record of changes cannot be written", "action", action, "error", err)
	}
}
