package admin

import (
	"errors"
	"net/http"

	"tianti/account"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// ownAccount answers /admin/account.
func (h *Handler) ownAccount(w http.ResponseWriter, r *site.Request) error {
	done, err := doneText(r, "account.done.", "password")
	if err != nil {
		return err
	}
	return h.showOwn(w, r, http.StatusOK, ownAccount{Done: done}, nil, nil)
}

// showOwn shows the form, with what was wrong with the present password and with the new one.
func (h *Handler) showOwn(w http.ResponseWriter, r *site.Request, status int, p ownAccount, wrong, rule error) error {
	l, a := r.Loc, session.Account(r.Context())
	r.Path = "/admin/account" // also when the form was sent
	p.Layout, p.Crumbs = h.session.AdminLayout(r, h.site.State.Load(), l.T("account.title")), adminCrumbs(l)
	p.Name, p.Role = a.Name, roleText(l, a.Role)
	p.Password, p.SignOut = l.Path("/admin/account/password"), l.Path("/admin/account/sign-out")
	p.Fields = []ui.FormField{
		{ID: "current", Label: l.T("account.current"), Type: "password", Autocomplete: "current-password"},
		{ID: "new", Label: l.T("account.new"), Type: "password", Autocomplete: "new-password",
			Help: l.T("account.passwordhelp"), Problem: session.RuleText(l, rule, "password")},
		{ID: "again", Label: l.T("account.again"), Type: "password", Autocomplete: "new-password"},
	}
	if errors.Is(wrong, account.ErrWrong) {
		p.Fields[0].Problem = l.T("account.wrong.current")
	}
	if errors.Is(rule, errDiffer) {
		p.Fields[2].Problem = l.T("account.wrong.again")
	}
	return h.session.Show(w, r, status, p.Page())
}

// errDiffer: a new password was not written the same way twice.
var errDiffer = errors.New("the new passwords differ")

// changeOwnPassword answers the form for the own password.
func (h *Handler) changeOwnPassword(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	a := session.Account(r.Context())
	if form.Get("new") != form.Get("again") {
		return h.showOwn(w, r, http.StatusUnprocessableEntity, ownAccount{}, nil, errDiffer)
	}
	if rule := account.CheckPassword(a.Name, form.Get("new")); rule != nil {
		return h.showOwn(w, r, http.StatusUnprocessableEntity, ownAccount{}, nil, rule)
	}
	err = h.session.Accounts.Confirm(r.Context(), a, form.Get("current"), h.site.ClientOf(r.Request).String())
	if status, problem := h.session.Refusal(w, r, err); status != 0 {
		if errors.Is(err, account.ErrWrong) {
			problem = ""
		}
		return h.showOwn(w, r, status, ownAccount{Problem: problem}, err, nil)
	}
	if err == nil {
		err = h.session.Accounts.SetPassword(r.Context(), a, form.Get("new"))
	}
	if err == nil {
		a, err = h.session.Accounts.Store.AccountByKey(r.Context(), a.Key)
	}
	if err == nil {
		err = h.session.BeginSession(w, r.Request, a) // all others are void
	}
	if err != nil {
		return err
	}
	return h.goTo(w, r, "/admin/account", "password")
}

// signOutEverywhere ends all sessions of whoever asks, this one too.
func (h *Handler) signOutEverywhere(w http.ResponseWriter, r *site.Request) error {
	if err := h.session.Accounts.Store.EndSessions(r.Context(), session.Account(r.Context()).Key); err != nil {
		return err
	}
	if err := h.session.EndSession(w, r.Request); err != nil {
		return err
	}
	return h.goTo(w, r, "/admin/sign-in", "")
}
