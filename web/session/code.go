package session

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"tianti/account"
	"tianti/catalog"
	"tianti/web/site"
	"tianti/web/ui"
)

// codePath is where the second factor is asked for.
const codePath = "/admin/sign-in/code"

// Keys of the values of a session in which somebody has given the password and not yet the second factor. It lets
// nobody in: that is what sessionAccount does.
const (
	pendingAccount = "pending"        // its key
	pendingChanged = "pendingchanged" // as sessionChanged
	pendingTries   = "pendingtries"   // codes that were wrong
)

const (
	pendingTime  = 10 * time.Minute
	pendingCodes = 5 // wrong ones, and the password is asked for again
)

// askCode goes on to where the second factor is asked for.
func (h *Handler) askCode(w http.ResponseWriter, r *site.Request, a account.Account, next string) error {
	m := h.sessionsOf(r.Request)
	ctx, err := h.loadSession(r.Request)
	if err != nil {
		return err
	}
	if err := errors.Join(m.Clear(ctx), m.RenewToken(ctx)); err != nil {
		return err
	}
	m.Put(ctx, pendingAccount, a.Key)
	m.Put(ctx, pendingChanged, a.Changed.UnixMicro())
	m.SetDeadline(ctx, time.Now().Add(pendingTime))
	if err := h.keep(ctx, w, m); err != nil {
		return err
	}
	http.Redirect(w, r.Request, r.Loc.Path(codePath)+"?"+site.ParamsEncoded("next", next), http.StatusSeeOther)
	return nil
}

// pending is who has given the password and not yet the second factor; errNoSession when nobody has.
func (h *Handler) pending(r *http.Request) (context.Context, *scs.SessionManager, account.Account, error) {
	m := h.sessionsOf(r)
	ctx, err := h.loadSession(r)
	if err != nil {
		return ctx, m, account.Account{}, err
	}
	key := m.GetInt64(ctx, pendingAccount)
	if key == 0 {
		return ctx, m, account.Account{}, errNoSession
	}
	a, err := h.Accounts.Store.AccountByKey(ctx, key)
	if errors.Is(err, fs.ErrNotExist) ||
		err == nil && (a.Disabled || m.GetInt64(ctx, pendingChanged) != a.Changed.UnixMicro()) {
		err = errNoSession
	}
	return ctx, m, a, err
}

// CodePage answers GET /admin/sign-in/code.
func (h *Handler) CodePage(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("next"); err != nil {
		return err
	}
	next := h.nextOf(r, r.Values.Get("next"))
	_, _, _, err := h.pending(r.Request)
	if errors.Is(err, errNoSession) {
		return h.again(w, r, next)
	}
	if err != nil {
		return err
	}
	return h.showCode(w, r, http.StatusOK, next, "")
}

// again asks for name and password.
func (h *Handler) again(w http.ResponseWriter, r *site.Request, next string) error {
	http.Redirect(w, r.Request, r.Loc.Path("/admin/sign-in")+"?"+site.ParamsEncoded("next", next), http.StatusSeeOther)
	return nil
}

func (h *Handler) showCode(w http.ResponseWriter, r *site.Request, status int, next, problem string) error {
	l := r.Loc
	p := codeForm{Layout: h.AdminLayout(r, nil, l.T("factor.title")), Action: l.Path(codePath), Next: next,
		Again: l.Path("/admin/sign-in") + "?" + site.ParamsEncoded("next", next), Problem: problem,
		Field: CodeField(r, "")}
	p.OtherPath += "?" + site.ParamsEncoded("next", next)
	return h.Show(w, r, status, p.Page())
}

// CodeField asks for a code of the second factor.
func CodeField(r *site.Request, problem string) ui.FormField {
	return ui.FormField{ID: "code", Label: r.Loc.T("factor.code"), Type: "text", Autocomplete: "one-time-code",
		Help: r.Loc.T("factor.codehelp"), Problem: problem}
}

// Code answers POST /admin/sign-in/code.
func (h *Handler) Code(w http.ResponseWriter, r *site.Request) error {
	form, err := Posted(w, r)
	if err != nil {
		return err
	}
	next := h.nextOf(r, form.Get("next"))
	ctx, m, a, err := h.pending(r.Request)
	if errors.Is(err, errNoSession) {
		return h.again(w, r, next)
	}
	if err == nil {
		err = h.Accounts.CheckCode(r.Context(), a, form.Get("code"))
	}
	if err == nil {
		if err = h.BeginSession(w, r.Request, a); err == nil {
			h.note(r.Context(), h.actor(r.Request, a.Name), "account.signin", a.Name, nil)
			http.Redirect(w, r.Request, next, http.StatusSeeOther)
		}
		return err
	}
	status, problem := h.Refusal(w, r, err)
	if status == 0 {
		return err
	}
	if errors.Is(err, account.ErrCode) {
		h.noteRefused(r.Request, a.Name, "account.badcode", "", map[string]any{})
		tries := m.GetInt(ctx, pendingTries) + 1
		if tries >= pendingCodes {
			if err := h.EndSession(w, r.Request); err != nil {
				return err
			}
			return h.again(w, r, next)
		}
		m.Put(ctx, pendingTries, tries)
		if _, _, err := m.Commit(ctx); err != nil {
			return err
		}
	}
	return h.showCode(w, r, status, next, problem)
}

// factorOffered is the key of the secret of a second factor that is being set up.
const factorOffered = "factor"

// OfferFactor makes the secret of a second factor and keeps it in the session, until a code shows that it was taken.
func (h *Handler) OfferFactor(r *http.Request) ([]byte, error) {
	m, secret := h.sessionsOf(r), account.NewFactorSecret()
	m.Put(r.Context(), factorOffered, secret)
	_, _, err := m.Commit(r.Context())
	return secret, err
}

// OfferedFactor is the secret of [Handler.OfferFactor]; nil when there is none.
func (h *Handler) OfferedFactor(r *http.Request) []byte {
	return h.sessionsOf(r).GetBytes(r.Context(), factorOffered)
}

// A Refused says that somebody who has signed in was asked for the password, or a code, and gave another.
type Refused struct {
	Status  int
	Field   string // what is wrong with what was given
	Problem string // what else; one of the two is empty
}

// Confirm checks the password of whoever asks again, and writes down when it is wrong; nil when it is right.
func (h *Handler) Confirm(w http.ResponseWriter, r *site.Request, password string) (*Refused, error) {
	a := Account(r.Context())
	err := h.Accounts.Confirm(r.Context(), a, password, h.Client(r.Request))
	return h.refused(w, r, err, account.ErrWrong, "password", r.Loc.T("account.wrong.current"))
}

// ConfirmCode checks a code of whoever asks; see Confirm.
func (h *Handler) ConfirmCode(w http.ResponseWriter, r *site.Request, code string) (*Refused, error) {
	return h.RefusedCode(w, r, h.Accounts.CheckCode(r.Context(), Account(r.Context()), code))
}

// RefusedCode is what is to be said of an error about a code.
func (h *Handler) RefusedCode(w http.ResponseWriter, r *site.Request, err error) (*Refused, error) {
	return h.refused(w, r, err, account.ErrCode, "code", r.Loc.T("factor.wrong"))
}

// refused is what is to be said of an error; where it is the one of a wrong answer, it is written down which request of
// whom was refused.
func (h *Handler) refused(
	w http.ResponseWriter, r *site.Request, err, wrong error, why, field string,
) (*Refused, error) {
	if err == nil {
		return nil, nil
	}
	status, problem := h.Refusal(w, r, err)
	switch {
	case status == 0:
		return nil, err
	case errors.Is(err, wrong):
		h.noteRefused(r.Request, Account(r.Context()).Name, "account.denied", why,
			map[string]any{"path": catalog.Clip(r.URL.Path)})
		return &Refused{Status: status, Field: field}, nil
	}
	return &Refused{Status: status, Problem: problem}, nil
}
