package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"tianti/account"
	"tianti/catalog"
	"tianti/intake"
	"tianti/static"
	"tianti/web/api"
)

// need is what a request wants to do.
type need int

// Needs.
const (
	toRead   need = iota // what a reader may see
	toImport             // files, previews, reverts: an administrator, or a token with the scope import
	toManage             // accounts and tokens of others: an administrator who is signed in
)

// authError is a problem of who asks. It carries the challenge of a 401 or 403.
type authError struct {
	*api.Problem
	challenge string // WWW-Authenticate; may be empty
}

func (e authError) Unwrap() error { return e.Problem }

const realm = `Bearer realm="tianti"`

var (
	errSignIn = authError{api.NewProblem(http.StatusUnauthorized, "This needs a session, or a token in the header Authorization: Bearer."), realm}
	errToken  = authError{api.NewProblem(http.StatusUnauthorized, "The token is unknown, expired or revoked, or its account is disabled."), realm + `, error="invalid_token"`}
	errScheme = authError{api.NewProblem(http.StatusUnauthorized, "Of the header Authorization only Bearer is understood."), realm + `, error="invalid_request"`}
	errRole   = authError{api.NewProblem(http.StatusForbidden, "This account may read only; an administrator may do this."), ""}
	errManage = authError{api.NewProblem(http.StatusForbidden, "A token cannot do this: an administrator who is signed in can."), realm + `, error="insufficient_scope"`}
	errScope  = authError{api.NewProblem(http.StatusForbidden, "The token may read only; this needs one with the scope import, of an administrator."), realm + `, error="insufficient_scope", scope="import"`}

	errReadOnly = api.NewProblem(http.StatusForbidden, "This server was started with --read-only: nothing can be changed here.")
	errInQuery  = api.NewProblem(http.StatusBadRequest, "A token in an address is written to logs: revoke it, and send another in the header Authorization: Bearer.")
)

// accountKey is where the context of a request has the account that was let in.
type accountKey struct{}

// who is the account that s.admin or s.member let in.
func who(ctx context.Context) account.Account {
	a, _ := ctx.Value(accountKey{}).(account.Account)
	return a
}

// allow reports who asks, when they may do what they want; otherwise the error says
// why not. It takes a token of the header Authorization before a session.
func (s *Server) allow(r *http.Request, n need) (intake.Actor, error) {
	switch {
	case s.cfg.Accounts == nil && n == toRead && !s.cfg.Private:
		return intake.Actor{}, errSignIn
	case s.cfg.Accounts == nil || s.cfg.ReadOnly && n != toRead:
		return intake.Actor{}, errReadOnly
	case tokenInQuery(r.URL.RawQuery):
		return intake.Actor{}, errInQuery
	}
	if header := r.Header.Get("Authorization"); header != "" {
		return s.allowToken(r, header, n)
	}
	ctx, err := s.loadSession(r)
	if err != nil {
		return intake.Actor{}, err
	}
	a, err := s.sessionAccount(ctx, s.sessionsOf(r))
	switch {
	case errors.Is(err, errNoSession):
		return intake.Actor{}, errSignIn
	case err != nil:
		return intake.Actor{}, err
	case n != toRead && a.Role != account.Administrator:
		return intake.Actor{}, errRole
	}
	return s.actor(r, a.Name), nil
}

// allowToken is allow for a request with the header Authorization.
func (s *Server) allowToken(r *http.Request, header string, n need) (intake.Actor, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return intake.Actor{}, errScheme
	}
	t, a, err := s.cfg.Accounts.Bearer(r.Context(), strings.TrimSpace(secret))
	switch {
	case errors.Is(err, account.ErrInvalid):
		return intake.Actor{}, errToken
	case err != nil:
		return intake.Actor{}, err
	case n == toManage:
		return intake.Actor{}, errManage
	case n == toImport && (t.Scope != account.ScopeImport || a.Role != account.Administrator):
		return intake.Actor{}, errScope
	}
	return s.actor(r, a.Name), nil
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

// actor is who does what a request asks for, for the record of changes.
func (s *Server) actor(r *http.Request, name string) intake.Actor {
	a := intake.Actor{Name: name, Via: intake.ByPage, Address: s.clientOf(r).String()}
	if isAPI(r.URL.Path) {
		a.Via = intake.ByAPI
	}
	return a
}

// adminPage answers to somebody who has been let in: who of the context, who is also
// its actor (intake.ActorOf). Its errors leave by the way of all errors.
type adminPage func(w http.ResponseWriter, r *request) error

// admin lets administrators in, for pages that change what everybody sees.
func (s *Server) admin(h adminPage) http.HandlerFunc { return s.letIn(account.Administrator, h) }

// member lets everybody in who has an account.
func (s *Server) member(h adminPage) http.HandlerFunc { return s.letIn(account.Reader, h) }

func (s *Server) letIn(role account.Role, h adminPage) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		noteRoute(w, httpReq)
		w.Header()["Cache-Control"] = noStore
		r := newRequest(httpReq)
		if s.cfg.Accounts == nil || s.cfg.ReadOnly && role == account.Administrator {
			s.fail(w, r, nil, errReadOnly)
			return
		}
		ctx, err := s.loadSession(httpReq)
		var a account.Account
		if err == nil {
			a, err = s.sessionAccount(ctx, s.sessionsOf(httpReq))
		}
		switch {
		case errors.Is(err, errNoSession):
			s.toSignIn(w, r)
			return
		case err == nil && role == account.Administrator && a.Role != role:
			err = errRole
		case err == nil:
			ctx = intake.WithActor(context.WithValue(ctx, accountKey{}, a), s.actor(httpReq, a.Name))
			r.Request = httpReq.WithContext(ctx)
			if err = r.parse(); err == nil {
				err = h(w, r)
			}
		}
		if err != nil {
			s.fail(w, r, s.state.Load(), err)
		}
	}
}

// toSignIn sends a browser to where people sign in, and back afterwards. What is no
// page is refused instead.
func (s *Server) toSignIn(w http.ResponseWriter, r *request) {
	if !isPage(r) {
		r.format = asJSON
		s.fail(w, r, s.state.Load(), errSignIn)
		return
	}
	next := r.loc.Path("/admin") // a form that was sent is not sent again
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	w.Header()["Cache-Control"] = noStore
	http.Redirect(w, r.Request, r.loc.Path("/admin/sign-in")+"?"+paramsEncoded("next", next), http.StatusSeeOther)
}

// isPage reports whether people read the answer, and not programs.
func isPage(r *request) bool {
	switch r.path {
	case "/metrics", "/robots.txt", "/sitemap.xml", "/live/stream":
		return false
	}
	return r.format == html
}

// isOpen reports whether an address answers everybody on a private server.
func isOpen(path string) bool {
	switch strings.TrimPrefix(path, "/zh") {
	case "/healthz", "/readyz", "/favicon.ico", "/admin/sign-in", "/admin/setup":
		return true
	}
	return strings.HasPrefix(path, static.Prefix)
}

// keepOut answers requests to a private server by those who have not signed in, and
// reports whether it did.
func (s *Server) keepOut(w http.ResponseWriter, httpReq *http.Request) bool {
	if !s.cfg.Private || isOpen(httpReq.URL.Path) || httpReq.Method == http.MethodOptions {
		return false
	}
	_, err := s.allow(httpReq, toRead)
	if err == nil {
		return false
	}
	r := newRequest(httpReq)
	var auth authError
	if errors.As(err, &auth) && auth == errSignIn {
		s.toSignIn(w, r)
		return true
	}
	if !isPage(r) {
		r.format = asJSON
	}
	s.fail(w, r, nil, err) // nil: its page tells nothing of the catalogue
	return true
}

// localPath is where to go after signing in: an address of this server, or the
// start page for anything else.
func localPath(next, otherwise string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsRune(next, '\\') ||
		!strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsRune(u.Path, '\\') || len(next) > maxQuery {
		return otherwise
	}
	switch strings.TrimPrefix(u.Path, "/zh") {
	case "/admin/sign-in", "/admin/sign-out", "/admin/setup":
		return otherwise
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// note writes a line into the record of changes, of what changes nothing else.
func (s *Server) note(ctx context.Context, by intake.Actor, action, subject string, detail map[string]any) {
	if s.cfg.Record == nil || s.cfg.ReadOnly {
		return
	}
	if err := s.cfg.Record(ctx, intake.Entry{At: s.now(), Actor: by, Action: action, Subject: catalog.Clip(subject), Detail: detail}); err != nil {
		s.cfg.Log.Error("the record of changes cannot be written", "action", action, "error", err)
	}
}
