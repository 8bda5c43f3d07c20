package web

import (
	"errors"
	"net/http"

	"tianti/account"
	"tianti/web/view"
)

// ownAccount answers /admin/account.
func (s *Server) ownAccount(w http.ResponseWriter, r *request) error {
	done, err := doneText(r, "account.done.", "password")
	if err != nil {
		return err
	}
	return s.showOwn(w, r, http.StatusOK, view.OwnAccount{Done: done}, nil, nil)
}

// showOwn shows the form, with what was wrong with the present password and with
// the new one.
func (s *Server) showOwn(w http.ResponseWriter, r *request, status int, p view.OwnAccount, wrong, rule error) error {
	l, a := r.loc, who(r.Context())
	r.path = "/admin/account" // also when the form was sent
	p.Layout, p.Crumbs = s.adminLayout(r, s.state.Load(), l.T("account.title")), adminCrumbs(l)
	p.Name, p.Role = a.Name, roleText(l, a.Role)
	p.Password, p.SignOut = l.Path("/admin/account/password"), l.Path("/admin/account/sign-out")
	p.Fields = []view.FormField{
		{ID: "current", Label: l.T("account.current"), Type: "password", Autocomplete: "current-password"},
		{ID: "new", Label: l.T("account.new"), Type: "password", Autocomplete: "new-password", Help: l.T("account.passwordhelp"), Problem: ruleText(l, rule, "password")},
		{ID: "again", Label: l.T("account.again"), Type: "password", Autocomplete: "new-password"},
	}
	if errors.Is(wrong, account.ErrWrong) {
		p.Fields[0].Problem = l.T("account.wrong.current")
	}
	if errors.Is(rule, errDiffer) {
		p.Fields[2].Problem = l.T("account.wrong.again")
	}
	return s.show(w, r, status, p.Page())
}

// errDiffer: a new password was not written the same way twice.
var errDiffer = errors.New("the new passwords differ")

// changeOwnPassword answers the form for the own password.
func (s *Server) changeOwnPassword(w http.ResponseWriter, r *request) error {
	form, err := posted(w, r)
	if err != nil {
		return err
	}
	a := who(r.Context())
	if form.Get("new") != form.Get("again") {
		return s.showOwn(w, r, http.StatusUnprocessableEntity, view.OwnAccount{}, nil, errDiffer)
	}
	if rule := account.CheckPassword(a.Name, form.Get("new")); rule != nil {
		return s.showOwn(w, r, http.StatusUnprocessableEntity, view.OwnAccount{}, nil, rule)
	}
	err = s.cfg.Accounts.Confirm(r.Context(), a, form.Get("current"), s.clientOf(r.Request).String())
	if status, problem := s.refusal(w, r, err); status != 0 {
		if errors.Is(err, account.ErrWrong) {
			problem = ""
		}
		return s.showOwn(w, r, status, view.OwnAccount{Problem: problem}, err, nil)
	}
	if err == nil {
		err = s.cfg.Accounts.SetPassword(r.Context(), a, form.Get("new"))
	}
	if err == nil {
		a, err = s.cfg.Accounts.Store.AccountByKey(r.Context(), a.Key)
	}
	if err == nil {
		err = s.beginSession(w, r.Request, a) // all others are void
	}
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/admin/account", "password")
}

// signOutEverywhere ends all sessions of whoever asks, this one too.
func (s *Server) signOutEverywhere(w http.ResponseWriter, r *request) error {
	if err := s.cfg.Accounts.Store.EndSessions(r.Context(), who(r.Context()).Key); err != nil {
		return err
	}
	if err := s.endSession(w, r.Request); err != nil {
		return err
	}
	return s.goTo(w, r, "/admin/sign-in", "")
}
