package admin

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tianti/account"
	"tianti/locale"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// tokenTerms are for how many days a token may be made; 0 is for ever.
var tokenTerms = []int{30, 90, 365, 0}

// tokensForm is what the page of tokens shows besides them.
type tokensForm struct {
	done, problem string
	secret, named string // of the token that was just made
	name          string // of the one that was not
	wrong         error
	refused       *session.Refused // the password of whoever asks
}

// tokens answers /admin/tokens.
func (h *Handler) tokens(w http.ResponseWriter, r *site.Request) error {
	done, err := doneText(r, "tokens.done.", "revoke")
	if err != nil {
		return err
	}
	return h.showTokens(w, r, http.StatusOK, tokensForm{done: done})
}

// tokensOf are those that somebody may see: an administrator all.
func (h *Handler) tokensOf(r *site.Request) ([]account.Token, error) {
	all, err := h.session.Accounts.Store.Tokens(r.Context())
	a := session.Account(r.Context())
	return slices.DeleteFunc(all, func(t account.Token) bool {
		return a.Role != account.Administrator && t.Account != a.Name
	}), err
}

func (h *Handler) showTokens(w http.ResponseWriter, r *site.Request, status int, f tokensForm) error {
	list, err := h.tokensOf(r)
	if err != nil {
		return err
	}
	l := r.Loc
	r.Path = "/admin/tokens"
	p := tokens{Layout: h.session.AdminLayout(r, h.site.State.Load(), l.T("tokens.title")), Crumbs: adminCrumbs(l),
		Done: f.done, Problem: f.problem, Secret: f.secret, Named: f.named, Action: l.Path("/admin/tokens"),
		Example: `curl -H "Authorization: Bearer $(cat token.txt)" ` + h.addressOf(r.Request) + "/api/v1/cards",
		Field: ui.FormField{ID: "name", Label: l.T("tokens.name"), Type: "text", Value: f.name, Autocomplete: "off",
			Help: l.T("tokens.namehelp"), Problem: session.RuleText(l, f.wrong, "token")},
	}
	p.Current = currentField(r, "current", f.refused)
	if f.refused != nil && f.refused.Problem != "" {
		p.Problem = f.refused.Problem
	}
	for _, scope := range scopesOf(session.Account(r.Context())) {
		p.Scopes = append(p.Scopes, ui.Option{Value: string(scope), Label: l.T("tokens.is." + string(scope))})
	}
	for _, days := range tokenTerms {
		p.Terms = append(p.Terms, ui.Option{Value: strconv.Itoa(days), Label: termText(l, days), Selected: days == 90})
	}
	for _, t := range list {
		p.Rows = append(p.Rows, h.tokenRow(l, t))
	}
	return h.session.Show(w, r, status, p.Page())
}

// addressOf is how the client reaches this server.
func (h *Handler) addressOf(r *http.Request) string {
	switch {
	case h.site.Origin != "":
		return h.site.Origin
	case h.session.IsSecure(r):
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func termText(l *locale.Locale, days int) string {
	if days == 0 {
		return l.T("tokens.never")
	}
	return l.T("tokens.days", strconv.Itoa(days))
}

// scopesOf are those that an account may give.
func scopesOf(a account.Account) []account.Scope {
	if a.Role == account.Administrator {
		return []account.Scope{account.ScopeRead, account.ScopeImport}
	}
	return []account.Scope{account.ScopeRead}
}

func (h *Handler) tokenRow(l *locale.Locale, t account.Token) tokenRow {
	or := func(at time.Time, never string) string {
		if at.IsZero() {
			return l.T(never)
		}
		return accountDay(at)
	}
	row := tokenRow{Name: t.Name, Account: t.Account, Scope: l.T("tokens.is." + string(t.Scope)),
		Created: accountDay(t.Created), Expires: or(t.Expires, "tokens.never"), Used: or(t.Used, "tokens.unused")}
	switch {
	case !t.Revoked.IsZero():
		row.State = l.T("tokens.revoked", accountDay(t.Revoked))
	case !t.Live(h.site.Now()):
		row.State = l.T("tokens.expired")
	default:
		row.Revoke = l.Path("/admin/tokens/" + strconv.FormatInt(t.Key, 10) + "/revoke")
	}
	return row
}

// createToken answers the form for a new token: its secret stands in the answer, and nowhere else.
func (h *Handler) createToken(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	l, a := r.Loc, session.Account(r.Context())
	scope := account.Scope(form.Get("scope"))
	days, err := strconv.Atoi(form.Get("days"))
	var problems []string
	if err != nil || !slices.Contains(tokenTerms, days) {
		problems = append(problems, oneOf(l, l.T("tokens.expires"), []string{"30", "90", "365", "0"}))
	}
	if scope != account.ScopeRead && scope != account.ScopeImport {
		problems = append(problems, oneOf(l, l.T("tokens.scope"), []string{string(account.ScopeRead),
			string(account.ScopeImport)}))
	}
	_, rule := account.CleanTokenName(form.Get("name"))
	switch {
	case len(problems) > 0:
		return h.showTokens(w, r, http.StatusBadRequest, tokensForm{problem: l.Sentences(problems...),
			name: form.Get("name"), wrong: rule})
	case !slices.Contains(scopesOf(a), scope):
		return h.showTokens(w, r, http.StatusForbidden, tokensForm{problem: l.T("tokens.badscope"),
			name: form.Get("name")})
	}
	wrong, err := h.session.Confirm(w, r, form.Get("current"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return h.showTokens(w, r, wrong.Status, tokensForm{name: form.Get("name"), refused: wrong, wrong: rule})
	}
	var expires time.Time
	if days > 0 {
		expires = h.site.Now().AddDate(0, 0, days)
	}
	t, secret, err := h.session.Accounts.CreateToken(r.Context(), a, form.Get("name"), scope, expires)
	if _, ok := errors.AsType[*account.RuleError](err); ok {
		return h.showTokens(w, r, http.StatusUnprocessableEntity, tokensForm{name: form.Get("name"), wrong: err})
	}
	if err != nil {
		return err
	}
	return h.showTokens(w, r, http.StatusOK, tokensForm{secret: secret, named: t.Name})
}

// revokeToken answers the button beside a token. Others than administrators revoke their own.
func (h *Handler) revokeToken(w http.ResponseWriter, r *site.Request) error {
	list, err := h.tokensOf(r)
	if err != nil {
		return err
	}
	key, err := strconv.ParseInt(r.PathValue("key"), 10, 64)
	if err != nil || !slices.ContainsFunc(list, func(t account.Token) bool { return t.Key == key }) {
		return h.showTokens(w, r, http.StatusNotFound, tokensForm{problem: r.Loc.T("tokens.unknown")})
	}
	if err := h.session.Accounts.Store.RevokeToken(r.Context(), key, h.site.Now()); err != nil {
		return err
	}
	return h.goTo(w, r, "/admin/tokens", "revoke")
}
