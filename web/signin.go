package web

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"tianti/account"
	"tianti/intake"
	"tianti/web/view"
)

// signInPage answers GET /admin/sign-in.
func (s *Server) signInPage(w http.ResponseWriter, r *request) error {
	if err := r.only("next"); err != nil {
		return err
	}
	next := s.nextOf(r, r.values.Get("next"))
	if _, err := s.allow(r.Request, toRead); err == nil {
		http.Redirect(w, r.Request, next, http.StatusSeeOther)
		return nil
	}
	return s.showSignIn(w, r, http.StatusOK, view.SignIn{Next: next})
}

// nextOf is where to go on after signing in.
func (s *Server) nextOf(r *request, next string) string {
	start := "/admin"
	if s.cfg.ReadOnly {
		start = "/"
	}
	return localPath(next, r.loc.Path(start))
}

func (s *Server) showSignIn(w http.ResponseWriter, r *request, status int, p view.SignIn) error {
	l := r.loc
	none, err := s.cfg.Accounts.None(r.Context())
	if err != nil {
		return err
	}
	p.Layout, p.Action, p.Nobody = s.adminLayout(r, nil, l.T("signin.title")), l.Path("/admin/sign-in"), none
	p.OtherPath += "?" + paramsEncoded("next", p.Next)
	name := view.FormField{ID: "name", Label: l.T("signin.name"), Type: "text", Autocomplete: "username"}
	if len(p.Fields) > 0 {
		name.Value = p.Fields[0].Value
	}
	p.Fields = []view.FormField{name, {ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "current-password"}}
	return s.show(w, r, status, p.Page())
}

// signIn answers POST /admin/sign-in.
func (s *Server) signIn(w http.ResponseWriter, r *request) error {
	form, err := posted(w, r)
	if err != nil {
		return err
	}
	name := form.Get("name")
	a, err := s.cfg.Accounts.SignIn(r.Context(), name, form.Get("password"), s.clientOf(r.Request).String())
	next := s.nextOf(r, form.Get("next"))
	if err != nil {
		return s.refuseSignIn(w, r, err, view.SignIn{Next: next, Fields: []view.FormField{{Value: name}}})
	}
	if err := s.beginSession(w, r.Request, a); err != nil {
		return err
	}
	s.note(r.Context(), s.actor(r.Request, a.Name), "account.signin", a.Name, nil)
	http.Redirect(w, r.Request, next, http.StatusSeeOther)
	return nil
}

// refuseSignIn shows the form again with what was wrong. A name that nobody has is
// not recorded: people type passwords there.
func (s *Server) refuseSignIn(w http.ResponseWriter, r *request, err error, p view.SignIn) error {
	status, problem := s.refusal(w, r, err)
	if status == 0 {
		return err
	}
	if status == http.StatusUnprocessableEntity {
		subject := ""
		if a, _, err := s.cfg.Accounts.Find(r.Context(), p.Fields[0].Value); err == nil {
			subject = a.Name
		}
		s.note(r.Context(), s.actor(r.Request, "anonymous"), "account.refused", subject, nil)
	}
	p.Problem = problem
	return s.showSignIn(w, r, status, p)
}

// refusal is the status and the words for a password that was not taken; 0 for an
// error that is not about that.
func (s *Server) refusal(w http.ResponseWriter, r *request, err error) (status int, problem string) {
	if wait, ok := errors.AsType[*account.WaitError](err); ok {
		seconds := strconv.Itoa(int(math.Ceil(wait.After.Seconds())))
		w.Header().Set("Retry-After", seconds)
		return http.StatusTooManyRequests, r.loc.T("signin.wait", seconds)
	}
	switch {
	case errors.Is(err, account.ErrWrong):
		return http.StatusUnprocessableEntity, r.loc.T("signin.wrong")
	case errors.Is(err, account.ErrBusy):
		w.Header().Set("Retry-After", "5")
		return http.StatusServiceUnavailable, r.loc.T("signin.busy")
	}
	return 0, ""
}

// signOut answers POST /admin/sign-out.
func (s *Server) signOut(w http.ResponseWriter, r *request) error {
	ctx, err := s.loadSession(r.Request)
	if err != nil {
		return err
	}
	a, err := s.sessionAccount(ctx, s.sessionsOf(r.Request))
	if err == nil {
		s.note(r.Context(), s.actor(r.Request, a.Name), "account.signout", a.Name, nil)
	} else if !errors.Is(err, errNoSession) {
		return err
	}
	if err := s.endSession(w, r.Request); err != nil {
		return err
	}
	http.Redirect(w, r.Request, r.loc.Path("/admin/sign-in"), http.StatusSeeOther)
	return nil
}

// setupPage answers GET /admin/setup.
func (s *Server) setupPage(w http.ResponseWriter, r *request) error {
	if err := r.only("key"); err != nil {
		return err
	}
	return s.showSetup(w, r, http.StatusOK, view.Setup{Key: r.values.Get("key")}, "", nil)
}

// showSetup shows the form, with the name as it was given and what is wrong with it.
func (s *Server) showSetup(w http.ResponseWriter, r *request, status int, p view.Setup, name string, wrong error) error {
	l := r.loc
	none, err := s.cfg.Accounts.None(r.Context())
	if err != nil {
		return err
	}
	p.Gone = !none || !s.cfg.Accounts.Setup.Check(p.Key)
	if p.Gone {
		status = http.StatusGone
	}
	p.Layout, p.Action = s.adminLayout(r, nil, l.T("setup.title")), l.Path("/admin/setup")
	p.OtherPath += "?" + paramsEncoded("key", p.Key)
	p.Fields = accountFields(r, name, wrong)
	return s.show(w, r, status, p.Page())
}

// accountFields are those of a new account.
func accountFields(r *request, name string, wrong error) []view.FormField {
	l := r.loc
	return []view.FormField{
		{ID: "name", Label: l.T("signin.name"), Type: "text", Value: name, Autocomplete: "username", Help: l.T("setup.namehelp"), Problem: ruleText(l, wrong, "name")},
		{ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "new-password", Help: l.T("account.passwordhelp"), Problem: ruleText(l, wrong, "password")},
	}
}

// setUp answers POST /admin/setup.
func (s *Server) setUp(w http.ResponseWriter, r *request) error {
	form, err := posted(w, r)
	if err != nil {
		return err
	}
	name, p := form.Get("name"), view.Setup{Key: form.Get("key")}
	if !s.cfg.Accounts.Setup.Check(p.Key) {
		return s.showSetup(w, r, http.StatusGone, p, name, nil)
	}
	clean, _ := account.CleanName(name) // Create says what is wrong with it
	ctx := intake.WithActor(r.Context(), s.actor(r.Request, clean))
	a, err := s.cfg.Accounts.Create(ctx, name, account.Administrator, form.Get("password"), true)
	switch _, rule := errors.AsType[*account.RuleError](err); {
	case rule:
		return s.showSetup(w, r, http.StatusUnprocessableEntity, p, name, err)
	case errors.Is(err, account.ErrNotFirst):
		s.cfg.Accounts.Setup.Close()
		return s.showSetup(w, r, http.StatusGone, p, name, nil)
	case err != nil:
		return err
	}
	if err := s.beginSession(w, r.Request, a); err != nil {
		return err
	}
	http.Redirect(w, r.Request, r.loc.Path("/admin"), http.StatusSeeOther)
	return nil
}
