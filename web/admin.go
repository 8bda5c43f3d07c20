package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"tianti/account"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// adminRoutes are the addresses of the administration, in both languages.
func (s *Server) adminRoutes(m chi.Router) {
	for _, prefix := range []string{"", "/zh"} {
		at := prefix + "/admin"
		if s.cfg.ReadOnly {
			m.HandleFunc(at+"/*", s.form(readOnly))
		}
		if !s.administered() {
			if s.cfg.ReadOnly {
				m.HandleFunc(at, s.form(readOnly))
			}
			continue
		}
		m.Get(at, s.member(s.adminHome))
		m.Get(at+"/sign-in", s.form(s.signInPage))
		m.Post(at+"/sign-in", s.form(s.signIn))
		m.Post(at+"/sign-out", s.form(s.signOut))
		if !s.cfg.ReadOnly {
			s.accountRoutes(m, at)
			s.importRoutes(m, at)
		}
	}
}

// accountRoutes are those that change accounts and tokens.
func (s *Server) accountRoutes(m chi.Router, at string) {
	m.Get(at+"/setup", s.form(s.setupPage))
	m.Post(at+"/setup", s.form(s.setUp))
	m.Get(at+"/account", s.member(s.ownAccount))
	m.Post(at+"/account/password", s.member(s.changeOwnPassword))
	m.Post(at+"/account/sign-out", s.member(s.signOutEverywhere))
	m.Get(at+"/accounts", s.admin(s.accounts))
	m.Post(at+"/accounts", s.admin(s.createAccount))
	m.Post(at+"/accounts/{key}", s.admin(s.changeAccount))
	m.Get(at+"/tokens", s.member(s.tokens))
	m.Post(at+"/tokens", s.member(s.createToken))
	m.Post(at+"/tokens/{key}/revoke", s.member(s.revokeToken))
}

// administered reports whether people can sign in.
func (s *Server) administered() bool {
	return s.cfg.Accounts != nil && (!s.cfg.ReadOnly || s.cfg.Private)
}

// form answers everybody, at addresses by which people are let in.
func (s *Server) form(h adminPage) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		noteRoute(w, httpReq)
		w.Header()["Cache-Control"] = noStore
		r := newRequest(httpReq)
		err := r.parse()
		if err == nil {
			err = h(w, r)
		}
		if err != nil {
			s.fail(w, r, nil, err)
		}
	}
}

func readOnly(http.ResponseWriter, *request) error { return errReadOnly }

// show answers with a page that nobody keeps.
func (s *Server) show(w http.ResponseWriter, r *request, status int, c templ.Component) error {
	a, err := rendered(c)
	if err != nil {
		return err
	}
	a.status, a.unstored = status, true
	s.send(w, r.Request, newPage(a, r.Pattern))
	return nil
}

// goTo sends the browser to a page after a form was done; done names what was.
func (s *Server) goTo(w http.ResponseWriter, r *request, path, done string) error {
	to := r.loc.Path(path)
	if done != "" {
		to += "?" + paramsEncoded("done", done)
	}
	w.Header()["Cache-Control"] = noStore
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}

// doneText says what has just been done, when the address names one of some things;
// texts is what the keys of their messages begin with.
func doneText(r *request, texts string, known ...string) (string, error) {
	if err := r.only("done"); err != nil {
		return "", err
	}
	done := r.values.Get("done")
	if !slices.Contains(known, done) {
		return "", nil // the page is the same without it
	}
	return r.loc.T(texts + done), nil
}

// maxForm bounds the body of a form without files.
const maxForm = 64 << 10

// posted are the fields of a form; each may stand there once.
func posted(w http.ResponseWriter, r *request) (url.Values, error) {
	if err := readForm(w, r, maxForm); err != nil {
		return nil, err
	}
	for _, given := range r.PostForm {
		if len(given) > 1 {
			return nil, api.NewProblem(http.StatusBadRequest, "A field of the form is given more than once.")
		}
	}
	return r.PostForm, nil
}

// readForm reads a form that was sent, of either type, of so many bytes at most.
func readForm(w http.ResponseWriter, r *request, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var err error
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-www-form-urlencoded":
		err = r.ParseForm()
	case "multipart/form-data":
		err = r.ParseMultipartForm(most)
	default:
		return api.NewProblem(http.StatusUnsupportedMediaType, "The form wants application/x-www-form-urlencoded or multipart/form-data.")
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return api.NewProblem(http.StatusRequestEntityTooLarge, "The form is longer than %d bytes.", most)
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "The form cannot be read: its fields are not encoded as they should be.")
	}
	return nil
}

// adminLayout is the layout of a page of the administration; with a state it says
// which revision is shown, which is for people who may see the catalogue.
func (s *Server) adminLayout(r *request, st *state, title string) view.Layout {
	l := s.layout(r, st, view.NavNone, "")
	l.Title, l.NoIndex, l.Canonical = title, true, ""
	return l
}

// adminCrumbs lead back to the start page.
func adminCrumbs(l *locale.Locale) []view.Link {
	return []view.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}
}

// ruleText says which rule a name or password breaks; empty for another error, and
// for one about another field.
func ruleText(l *locale.Locale, err error, field string) string {
	if e, ok := errors.AsType[*account.RuleError](err); ok && e.Field == field {
		return l.T("account.rule." + e.Field + "." + string(e.Rule))
	}
	return ""
}

func roleText(l *locale.Locale, role account.Role) string { return l.T("account.role." + string(role)) }

// adminHome answers /admin.
func (s *Server) adminHome(w http.ResponseWriter, r *request) error {
	if err := r.only(); err != nil {
		return err
	}
	l, a := r.loc, who(r.Context())
	p := view.AdminHome{Layout: s.adminLayout(r, s.state.Load(), l.T("admin.title")), Name: a.Name, Role: roleText(l, a.Role), SignOut: l.Path("/admin/sign-out")}
	door := func(path, title, note string) {
		p.Doors = append(p.Doors, view.Link{Label: l.T(title), Href: l.Path(path), Note: l.T(note)})
	}
	if s.cfg.ReadOnly {
		p.Note = l.T("admin.readonly")
		return s.show(w, r, http.StatusOK, p.Page())
	}
	if a.Role == account.Administrator {
		door("/admin/import", "import.title", "admin.importnote")
		door("/admin/datasets", "datasets.title", "admin.datasetsnote")
		door("/admin/log", "log.title", "admin.lognote")
		door("/admin/accounts", "accounts.title", "admin.accountsnote")
	} else {
		p.Note = l.T("admin.mayread")
	}
	door("/admin/tokens", "tokens.title", "admin.tokensnote")
	door("/admin/account", "account.title", "admin.accountnote")
	return s.show(w, r, http.StatusOK, p.Page())
}
