package session

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"tianti/account"
	"tianti/audit"
	"tianti/web/site"
	"tianti/web/ui"
)

// SignInPage answers GET /admin/sign-in.
func (h *Handler) SignInPage(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("next"); err != nil {
		return err
	}
	next := h.nextOf(r, r.Values.Get("next"))
	if _, err := h.Authorize(r.Request, ToRead); err == nil {
		http.Redirect(w, r.Request, next, http.StatusSeeOther)
		return nil
	}
	return h.showSignIn(w, r, http.StatusOK, signIn{Next: next})
}

// nextOf is where to go on after signing in.
func (h *Handler) nextOf(r *site.Request, next string) string {
	start := "/admin"
	if h.site.ReadOnly {
		start = "/"
	}
	return localPath(next, r.Loc.Path(start))
}

func (h *Handler) showSignIn(w http.ResponseWriter, r *site.Request, status int, p signIn) error {
	l := r.Loc
	none, err := h.Accounts.None(r.Context())
	if err != nil {
		return err
	}
	p.Layout, p.Action, p.Nobody = h.AdminLayout(r, nil, l.T("signin.title")), l.Path("/admin/sign-in"), none
	p.OtherPath += "?" + site.ParamsEncoded("next", p.Next)
	name := ui.FormField{ID: "name", Label: l.T("signin.name"), Type: "text", Autocomplete: "username"}
	if len(p.Fields) > 0 {
		name.Value = p.Fields[0].Value
	}
	p.Fields = []ui.FormField{name, {ID: "password", Label: l.T("signin.password"), Type: "password",
		Autocomplete: "current-password"}}
	return h.Show(w, r, status, p.Page())
}

// SignIn answers POST /admin/sign-in.
func (h *Handler) SignIn(w http.ResponseWriter, r *site.Request) error {
	form, err := Posted(w, r)
	if err != nil {
		return err
	}
	name := form.Get("name")
	a, err := h.Accounts.SignIn(r.Context(), name, form.Get("password"), h.Client(r.Request))
	next := h.nextOf(r, form.Get("next"))
	if err != nil {
		return h.refuseSignIn(w, r, err, signIn{Next: next, Fields: []ui.FormField{{Value: name}}})
	}
	if a.Factor {
		return h.askCode(w, r, a, next)
	}
	if err := h.BeginSession(w, r.Request, a); err != nil {
		return err
	}
	h.note(r.Context(), h.actor(r.Request, a.Name), "account.signin", a.Name, nil)
	http.Redirect(w, r.Request, next, http.StatusSeeOther)
	return nil
}

// refuseSignIn shows the form again with what was wrong. A name that nobody has is not recorded: people type passwords
// there.
func (h *Handler) refuseSignIn(w http.ResponseWriter, r *site.Request, err error, p signIn) error {
	status, problem := h.Refusal(w, r, err)
	if status == 0 {
		return err
	}
	if status == http.StatusUnprocessableEntity {
		subject := ""
		if a, _, err := h.Accounts.Find(r.Context(), p.Fields[0].Value); err == nil {
			subject = a.Name
		}
		h.noteRefused(r.Request, subject, "account.refused", "", map[string]any{})
	}
	p.Problem = problem
	return h.showSignIn(w, r, status, p)
}

// Refusal is the status and the words for a password that was not taken; 0 for an error that is not about that.
func (h *Handler) Refusal(w http.ResponseWriter, r *site.Request, err error) (status int, problem string) {
	if wait, ok := errors.AsType[*account.WaitError](err); ok {
		seconds := strconv.Itoa(int(math.Ceil(wait.After.Seconds())))
		w.Header().Set("Retry-After", seconds)
		return http.StatusTooManyRequests, r.Loc.T("signin.wait", seconds)
	}
	switch {
	case errors.Is(err, account.ErrWrong):
		return http.StatusUnprocessableEntity, r.Loc.T("signin.wrong")
	case errors.Is(err, account.ErrCode):
		return http.StatusUnprocessableEntity, r.Loc.T("factor.wrong")
	case errors.Is(err, account.ErrBusy):
		w.Header().Set("Retry-After", "5")
		return http.StatusServiceUnavailable, r.Loc.T("signin.busy")
	}
	return 0, ""
}

// SignOut answers POST /admin/sign-out.
func (h *Handler) SignOut(w http.ResponseWriter, r *site.Request) error {
	ctx, err := h.loadSession(r.Request)
	if err != nil {
		return err
	}
	a, err := h.sessionAccount(ctx, h.sessionsOf(r.Request))
	if err == nil {
		h.note(r.Context(), h.actor(r.Request, a.Name), "account.signout", a.Name, nil)
	} else if !errors.Is(err, errNoSession) {
		return err
	}
	if err := h.EndSession(w, r.Request); err != nil {
		return err
	}
	http.Redirect(w, r.Request, r.Loc.Path("/admin/sign-in"), http.StatusSeeOther)
	return nil
}

// SetupPage answers GET /admin/setup.
func (h *Handler) SetupPage(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("key"); err != nil {
		return err
	}
	return h.showSetup(w, r, http.StatusOK, setup{Key: r.Values.Get("key")}, "", nil)
}

// showSetup shows the form, with the name as it was given and what is wrong with it.
func (h *Handler) showSetup(
	w http.ResponseWriter, r *site.Request, status int, p setup, name string, wrong error,
) error {
	l := r.Loc
	none, err := h.Accounts.None(r.Context())
	if err != nil {
		return err
	}
	p.Gone = !none || !h.Accounts.Setup.Check(p.Key)
	if p.Gone {
		status = http.StatusGone
	}
	p.Layout, p.Action = h.AdminLayout(r, nil, l.T("setup.title")), l.Path("/admin/setup")
	p.OtherPath += "?" + site.ParamsEncoded("key", p.Key)
	p.Fields = AccountFields(r, name, wrong)
	return h.Show(w, r, status, p.Page())
}

// AccountFields are those of a new account.
func AccountFields(r *site.Request, name string, wrong error) []ui.FormField {
	l := r.Loc
	return []ui.FormField{
		{ID: "name", Label: l.T("signin.name"), Type: "text", Value: name, Autocomplete: "username",
			Help: l.T("setup.namehelp"), Problem: RuleText(l, wrong, "name")},
		{ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "new-password",
			Help: l.T("account.passwordhelp"), Problem: RuleText(l, wrong, "password")},
	}
}

// SetUp answers POST /admin/setup.
func (h *Handler) SetUp(w http.ResponseWriter, r *site.Request) error {
	form, err := Posted(w, r)
	if err != nil {
		return err
	}
	name, p := form.Get("name"), setup{Key: form.Get("key")}
	if !h.Accounts.Setup.Check(p.Key) {
		return h.showSetup(w, r, http.StatusGone, p, name, nil)
	}
	clean, _ := account.CleanName(name) // Create says what is wrong with it
	ctx := audit.WithActor(r.Context(), h.actor(r.Request, clean))
	a, err := h.Accounts.Create(ctx, name, account.Administrator, form.Get("password"), true)
	switch _, rule := errors.AsType[*account.RuleError](err); {
	case rule:
		return h.showSetup(w, r, http.StatusUnprocessableEntity, p, name, err)
	case errors.Is(err, account.ErrNotFirst):
		h.Accounts.Setup.Close()
		return h.showSetup(w, r, http.StatusGone, p, name, nil)
	case err != nil:
		return err
	}
	if err := h.BeginSession(w, r.Request, a); err != nil {
		return err
	}
	http.Redirect(w, r.Request, r.Loc.Path("/admin"), http.StatusSeeOther)
	return nil
}
