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
	done, err := doneText(r, "account.done.", "password", "session")
	if err != nil {
		return err
	}
	return h.showOwn(w, r, http.StatusOK, ownAccount{Done: done}, nil, nil)
}

// showOwn shows the form, with what was wrong with the present password and with the new one.
func (h *Handler) showOwn(
	w http.ResponseWriter, r *site.Request, status int, p ownAccount, wrong *session.Refused, rule error,
) error {
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
	if wrong != nil {
		p.Fields[0].Problem = wrong.Field
	}
	if errors.Is(rule, errDiffer) {
		p.Fields[2].Problem = l.T("account.wrong.again")
	}
	p.Factor, p.FactorPage = l.T("factor.none"), l.Path(session.FactorPath)
	if a.Factor {
		p.Factor = l.T("factor.has")
	}
	sessions, err := h.session.Sessions(r.Request, a)
	if err != nil {
		return err
	}
	for _, x := range sessions {
		p.Sessions = append(p.Sessions, sessionRow{Agent: x.Agent, Address: x.Address, Begun: clock(x.Begun),
			Seen: clock(x.Seen), Here: x.Here, End: l.Path("/admin/account/sessions/" + x.ID + "/end")})
	}
	return h.session.Show(w, r, status, p.Page())
}

// endSession answers the button beside a session. One that is not there has ended.
func (h *Handler) endSession(w http.ResponseWriter, r *site.Request) error {
	err := h.session.EndOther(r.Context(), session.Account(r.Context()), r.PathValue("id"))
	if err != nil {
		return err
	}
	return h.goTo(w, r, "/admin/account", "session")
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
	wrong, err := h.session.Confirm(w, r, form.Get("current"))
	if wrong != nil {
		return h.showOwn(w, r, wrong.Status, ownAccount{Problem: wrong.Problem}, wrong, nil)
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
