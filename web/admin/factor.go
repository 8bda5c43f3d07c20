package admin

import (
	"net/http"

	"tianti/account"
	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// factorPage answers GET /admin/account/second-factor.
func (h *Handler) factorPage(w http.ResponseWriter, r *site.Request) error {
	done, err := doneText(r, "factor.done.", "remove")
	if err != nil {
		return err
	}
	return h.showFactor(w, r, http.StatusOK, factor{Done: done}, nil, nil)
}

// showFactor shows the page, with what is wrong with the password and with the code that were given.
func (h *Handler) showFactor(
	w http.ResponseWriter, r *site.Request, status int, p factor, password, code *session.Refused,
) error {
	l, a := r.Loc, session.Account(r.Context())
	r.Path = session.FactorPath
	p.Layout, p.Crumbs = h.session.AdminLayout(r, h.site.State.Load(), l.T("factor.title")), adminCrumbs(l)
	p.Crumbs = append(p.Crumbs, ui.Link{Label: l.T("account.title"), Href: l.Path("/admin/account")})
	p.Action = l.Path(session.FactorPath)
	p.Current, p.Code = currentField(r, "current", password), session.CodeField(r, "")
	for _, x := range []*session.Refused{password, code} {
		if x != nil && x.Problem != "" {
			p.Problem = x.Problem
		}
	}
	if code != nil {
		p.Code.Problem = code.Field
	}
	if p.Secret != "" {
		p.Code.Help = "" // there is no recovery code yet
	}
	if a.Factor {
		f, err := h.session.Accounts.Store.Factor(r.Context(), a.Key)
		if err != nil {
			return err
		}
		p.Has = l.T("factor.since", accountDay(f.Created))
		p.Left = l.T("factor.left", f.Left)
	}
	return h.session.Show(w, r, status, p.Page())
}

// currentField asks for the password of whoever is signed in.
func currentField(r *site.Request, id string, x *session.Refused) ui.FormField {
	f := ui.FormField{ID: id, Label: r.Loc.T("account.current"), Type: "password", Autocomplete: "current-password"}
	if x != nil {
		f.Problem = x.Field
	}
	return f
}

// beginFactor answers the form that begins to set up a second factor.
func (h *Handler) beginFactor(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	if session.Account(r.Context()).Factor {
		return h.goTo(w, r, session.FactorPath, "")
	}
	wrong, err := h.session.Confirm(w, r, form.Get("current"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showFactor(w, r, wrong.Status, factor{}, wrong, nil)
	}
	secret, err := h.session.OfferFactor(r.Request)
	if err != nil {
		return err
	}
	return h.showOffer(w, r, http.StatusOK, secret, nil)
}

// showOffer shows the secret for the device, and asks for a code of it.
func (h *Handler) showOffer(
	w http.ResponseWriter, r *site.Request, status int, secret []byte, code *session.Refused,
) error {
	issuer := "Tianti " + r.Host
	address, err := account.FactorURL(issuer, session.Account(r.Context()).Name, secret)
	if err != nil {
		return err
	}
	p := factor{Secret: spaced(account.FactorText(secret))}
	if p.QR, err = newQRCode(address); err != nil {
		return err
	}
	return h.showFactor(w, r, status, p, nil, code)
}

// spaced has a space after each four characters, for who has to type it.
func spaced(text string) string {
	var b []byte
	for i := range len(text) {
		if i > 0 && i%4 == 0 {
			b = append(b, ' ')
		}
		b = append(b, text[i])
	}
	return string(b)
}

// confirmFactor answers the code that shows that the device has the secret: the recovery codes stand in the answer, and
// nowhere else.
func (h *Handler) confirmFactor(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	a, secret := session.Account(r.Context()), h.session.OfferedFactor(r.Request)
	if a.Factor || secret == nil {
		return h.goTo(w, r, session.FactorPath, "")
	}
	codes, err := h.session.Accounts.SetFactor(r.Context(), a, secret, form.Get("code"))
	wrong, err := h.session.RefusedCode(w, r, err)
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showOffer(w, r, wrong.Status, secret, wrong)
	}
	if a, err = h.session.Accounts.Store.AccountByKey(r.Context(), a.Key); err != nil {
		return err
	}
	if err := h.session.BeginSession(w, r.Request, a); err != nil { // all others are void
		return err
	}
	return h.showCodes(w, r, a, codes)
}

// showCodes shows recovery codes, once.
func (h *Handler) showCodes(w http.ResponseWriter, r *site.Request, a account.Account, codes []string) error {
	r.Request = r.WithContext(session.WithAccount(r.Context(), a))
	return h.showFactor(w, r, http.StatusOK, factor{Codes: codes}, nil, nil)
}

// changeFactor answers the form for new recovery codes, and to remove the second factor.
func (h *Handler) changeFactor(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	do, a := form.Get("do"), session.Account(r.Context())
	if do != "codes" && do != "remove" {
		return api.NewProblem(http.StatusBadRequest, "do: want codes or remove.")
	}
	if !a.Factor {
		return h.goTo(w, r, session.FactorPath, "")
	}
	wrong, err := h.session.Confirm(w, r, form.Get("current"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showFactor(w, r, wrong.Status, factor{}, wrong, nil)
	}
	wrong, err = h.session.ConfirmCode(w, r, form.Get("code"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showFactor(w, r, wrong.Status, factor{}, nil, wrong)
	}
	if do == "codes" {
		codes, err := h.session.Accounts.NewRecoveryCodes(r.Context(), a)
		if err != nil {
			return err
		}
		return h.showCodes(w, r, a, codes)
	}
	if err = h.session.Accounts.Store.RemoveFactor(r.Context(), a.Key); err == nil {
		a, err = h.session.Accounts.Store.AccountByKey(r.Context(), a.Key)
	}
	if err == nil {
		err = h.session.BeginSession(w, r.Request, a)
	}
	if err != nil {
		return err
	}
	return h.goTo(w, r, session.FactorPath, "remove")
}
