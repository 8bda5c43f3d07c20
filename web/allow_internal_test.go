package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"tianti/account"
	"tianti/audit"
	"tianti/store"
	"tianti/web/api"
	permission "tianti/web/session"
)

// TestWhoMayDoWhat asks for everybody and everything.
func TestWhoMayDoWhat(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keeper := account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil)
	s := New(Config{Accounts: keeper, Record: db.Record})
	defer s.Close()
	anna := mustCreate(t, keeper, "anna", account.Administrator)
	bob := mustCreate(t, keeper, "bob", account.Reader)
	wasAdmin := mustCreate(t, keeper, "carol", account.Administrator)

	token := func(a account.Account, scope account.Scope) func(*http.Request) {
		_, secret, err := keeper.CreateToken(context.Background(), a, "x", scope, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }
	}
	session := func(a account.Account) func(*http.Request) {
		w := httptest.NewRecorder()
		if err := s.session.BeginSession(w, httptest.NewRequest(http.MethodPost, "/", nil), a); err != nil {
			t.Fatal(err)
		}
		return func(r *http.Request) { r.AddCookie(w.Result().Cookies()[0]) }
	}
	carols := token(wasAdmin, account.ScopeImport)
	if err := db.SetAccount(t.Context(), wasAdmin.Key, account.Reader, false); err != nil {
		t.Fatal(err)
	}
	for who, c := range map[string]struct {
		is   func(*http.Request)
		want [3]int // to read, to import, to manage
		name string
	}{
		"a stranger":                        {func(*http.Request) {}, [3]int{401, 401, 401}, ""},
		"an administrator":                  {session(anna), [3]int{0, 0, 0}, "anna"},
		"a reader":                          {session(bob), [3]int{0, 403, 403}, "bob"},
		"a token that reads":                {token(anna, account.ScopeRead), [3]int{0, 403, 403}, "anna"},
		"a token that imports":              {token(anna, account.ScopeImport), [3]int{0, 0, 403}, "anna"},
		"a token of a reader that imports":  {token(bob, account.ScopeImport), [3]int{0, 403, 403}, "bob"},
		"a token of a former administrator": {carols, [3]int{0, 403, 403}, "carol"},
	} {
		for n, want := range c.want {
			r := httptest.NewRequest(http.MethodPost, "/api/v1/imports", nil)
			c.is(r)
			actor, err := s.session.Authorize(r, permission.Permission(n))
			if got := statusOf(err); got != want {
				t.Errorf("%s, need %d: got %d (%v), want %d", who, n, got, err, want)
			}
			if err == nil && actor != (audit.Actor{Name: c.name, Channel: audit.ByAPI, Address: "192.0.2.1"}) {
				t.Errorf("%s: got actor %+v", who, actor)
			}
			if err != nil && actor != (audit.Actor{}) {
				t.Errorf("%s: got actor %+v with an error", who, actor)
			}
		}
	}
	s.site.ReadOnly = true
	for n, want := range []int{0, 403, 403} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/imports", nil)
		token(anna, account.ScopeRead)(r)
		if _, err := s.session.Authorize(r, permission.Permission(n)); statusOf(err) != want {
			t.Errorf("read-only, need %d: got %v, want %d", n, err, want)
		}
	}
}

func mustCreate(t *testing.T, k *account.Authenticator, name string, role account.Role) account.Account {
	t.Helper()
	a, err := k.Create(context.Background(), name, role, "correct horse battery", false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// statusOf is that of a problem, 0 of none and 500 of any other error.
func statusOf(err error) int {
	var p *api.Problem
	switch {
	case err == nil:
		return 0
	case errors.As(err, &p):
		return p.Status
	}
	return http.StatusInternalServerError
}
