package admin

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tianti/account"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// accountsForm is what the page of accounts shows besides them: a form that was not taken, with what is wrong.
type accountsForm struct {
	done, problem string
	name          string       // of the new account
	role          account.Role // of the new account
	wrong         error        // with the new account
	key           int64        // of the account whose forms are open
	rule          error        // with its new password
	do            string       // which of its forms lacks the password of whoever asks; "create": for a new account
	refused       *session.Refused
}

// accounts answers /admin/accounts.
func (h *Handler) accounts(w http.ResponseWriter, r *site.Request) error {
	done, err := doneText(r, "accounts.done.", accountDeeds...)
	if err != nil {
		return err
	}
	return h.showAccounts(w, r, http.StatusOK, accountsForm{done: done})
}

// accountDeeds are what can be done with accounts.
var accountDeeds = []string{"create", "role", "password", "disable", "enable", "sign-out", "factor"}

func (h *Handler) showAccounts(w http.ResponseWriter, r *site.Request, status int, f accountsForm) error {
	all, err := h.session.Accounts.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	l := r.Loc
	r.Path = "/admin/accounts"
	p := accounts{Layout: h.session.AdminLayout(r, h.site.State.Load(), l.T("accounts.title")), Crumbs: adminCrumbs(l),
		Done: f.done, Problem: f.problem, Action: l.Path("/admin/accounts"), Fields: session.AccountFields(r, f.name,
			f.wrong), Roles: roleOptions(l, f.role), Current: currentField(r, "current", f.refusedIn("create"))}
	if f.refused != nil && f.refused.Problem != "" {
		p.Problem = f.refused.Problem
	}
	if errors.Is(f.wrong, account.ErrTaken) {
		p.Fields[0].Problem = l.T("accounts.taken")
	}
	for _, a := range all {
		p.Rows = append(p.Rows, h.accountRow(r, a, f))
	}
	return h.session.Show(w, r, status, p.Page())
}

// refusedIn is what is wrong with the password of whoever asks, in a form.
func (f *accountsForm) refusedIn(do string) *session.Refused {
	if f.do != do {
		return nil
	}
	return f.refused
}

// formOf is which of the forms of an account something is done by.
func formOf(do string) string {
	if do == "role" || do == "password" {
		return do
	}
	return "do"
}

func (h *Handler) accountRow(r *site.Request, a account.Account, f accountsForm) accountRowData {
	l, id := r.Loc, strconv.FormatInt(a.Key, 10)
	row := accountRowData{ID: id, Name: a.Name, Role: roleText(l, a.Role),
		Since: l.T("accounts.since", accountDay(a.Created)), Enabled: !a.Disabled,
		Self: a.Key == session.Account(r.Context()).Key, Action: l.Path("/admin/accounts/" + id),
		Roles: roleOptions(l, a.Role), Open: a.Key == f.key,
		Field: ui.FormField{ID: "password-" + id, Label: l.T("account.new"), Type: "password",
			Autocomplete: "new-password", Help: l.T("account.passwordhelp")}}
	own := func(do string) ui.FormField {
		field := currentField(r, "current-"+do+"-"+id, nil)
		field.Label = l.T("accounts.yours")
		if x := f.refusedIn(do); row.Open && x != nil {
			field.Problem = x.Field
		}
		return field
	}
	row.ForRole, row.ForPassword, row.ForDo, row.Factor = own("role"), own("password"), own("do"), a.Factor
	if a.Disabled {
		row.State = l.T("accounts.disabled")
	}
	if row.Open {
		row.Field.Problem = session.RuleText(l, f.rule, "password")
	}
	return row
}

// accountDay is a day as everybody reads it, in UTC; empty for the zero time.
func accountDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func roleOptions(l *locale.Locale, chosen account.Role) []ui.Option {
	var out []ui.Option
	for _, role := range []account.Role{account.Reader, account.Administrator} {
		out = append(out, ui.Option{Value: string(role), Label: roleText(l, role), Selected: role == chosen})
	}
	return out
}

// roleOf reads a role of a form.
func roleOf(text string) (account.Role, bool) {
	switch role := account.Role(text); role {
	case account.Reader, account.Administrator:
		return role, true
	}
	return "", false
}

// badRole says that a form names no role, and which there are.
func badRole(l *locale.Locale) string {
	return oneOf(l, l.T("accounts.role"), []string{string(account.Reader), string(account.Administrator)})
}

// oneOf says of a field which values it takes.
func oneOf(l *locale.Locale, field string, allowed []string) string {
	return l.T("account.oneof", field, strings.Join(allowed, l.T("list.separator")))
}

// createAccount answers the form for a new account.
func (h *Handler) createAccount(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	role, ok := roleOf(form.Get("role"))
	if !ok {
		return h.showAccounts(w, r, http.StatusBadRequest, accountsForm{name: form.Get("name"),
			problem: badRole(r.Loc)})
	}
	wrong, err := h.session.Confirm(w, r, form.Get("current"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showAccounts(w, r, wrong.Status, accountsForm{name: form.Get("name"), role: role, do: "create",
			refused: wrong})
	}
	_, err = h.session.Accounts.Create(r.Context(), form.Get("name"), role, form.Get("password"), false)
	if _, rule := errors.AsType[*account.RuleError](err); rule || errors.Is(err, account.ErrTaken) {
		return h.showAccounts(w, r, http.StatusUnprocessableEntity, accountsForm{name: form.Get("name"), role: role,
			wrong: err})
	}
	if err != nil {
		return err
	}
	return h.goTo(w, r, "/admin/accounts", "create")
}

// changeAccount answers the forms for an account of somebody else.
func (h *Handler) changeAccount(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	if !slices.Contains(accountDeeds[1:], form.Get("do")) {
		return api.NewProblem(http.StatusBadRequest, "do: want role, password, disable, enable, sign-out or factor.")
	}
	l := r.Loc
	key, err := strconv.ParseInt(r.PathValue("key"), 10, 64)
	var a account.Account
	if err == nil {
		a, err = h.session.Accounts.Store.AccountByKey(r.Context(), key)
	} else {
		err = fs.ErrNotExist
	}
	if err == nil {
		in := formOf(form.Get("do"))
		wrong, confirmErr := h.session.Confirm(w, r, form.Get("current-"+in+"-"+strconv.FormatInt(key, 10)))
		if wrong != nil {
			return h.showAccounts(w, r, wrong.Status, accountsForm{key: key, do: in, refused: wrong})
		}
		if err = confirmErr; err == nil {
			err = h.doToAccount(r, a, form)
		}
	}
	_, rule := errors.AsType[*account.RuleError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h.showAccounts(w, r, http.StatusNotFound, accountsForm{problem: l.T("accounts.unknown")})
	case errors.Is(err, account.ErrLastAdmin):
		return h.showAccounts(w, r, http.StatusConflict, accountsForm{problem: l.T("accounts.lastadmin"), key: key})
	case errors.Is(err, errBadRole):
		return h.showAccounts(w, r, http.StatusBadRequest, accountsForm{problem: badRole(l), key: key})
	case rule:
		return h.showAccounts(w, r, http.StatusUnprocessableEntity, accountsForm{key: key, rule: err})
	case err != nil:
		return err
	}
	return h.goTo(w, r, "/admin/accounts", form.Get("do"))
}

// errBadRole: a form names no role.
var errBadRole = errors.New("no such role")

func (h *Handler) doToAccount(r *site.Request, a account.Account, form url.Values) error {
	ctx, k, id := r.Context(), h.session.Accounts, strconv.FormatInt(a.Key, 10)
	switch form.Get("do") {
	case "role":
		role, ok := roleOf(form.Get("role-" + id))
		if !ok {
			return errBadRole
		}
		return k.Change(ctx, a, role, a.Disabled)
	case "password":
		return k.SetPassword(ctx, a, form.Get("password-"+id))
	case "disable":
		return k.Change(ctx, a, a.Role, true)
	case "enable":
		return k.Change(ctx, a, a.Role, false)
	case "sign-out":
		return k.Store.EndSessions(ctx, a.Key)
	default: // factor
		return k.Store.RemoveFactor(ctx, a.Key)
	}
}
