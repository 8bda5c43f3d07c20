package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"

	"tianti/account"
	"tianti/web/site"
)

// How long a session lasts.
const (
	idleTime     = 12 * time.Hour
	sessionTime  = 7 * 24 * time.Hour
	refreshAfter = 5 * time.Minute // since when a session was seen is not written at each request
)

// Names of the cookie. A browser takes one with the prefix __Host- only by TLS, for this host and all its paths: no
// other host of the domain can plant it.
const (
	secureCookie = "__Host-tianti"
	plainCookie  = "tianti"
)

// Keys of a session's values.
const (
	sessionAccount = "account" // its key
	sessionChanged = "changed" // when the account's password had been changed, in Unix microseconds
	sessionSeen    = "seen"    // in Unix seconds
	sessionBegun   = "begun"   // in Unix seconds
	sessionAddress = "address" // of the client that signed in
	sessionAgent   = "agent"   // the program that signed in, as [agentOf] calls it
)

// DeviceCookie holds what a device is known by where somebody has signed in.
const (
	secureDevice = "__Host-tianti-device"
	plainDevice  = "tianti-device"
)

// sessions are those of browsers.
type sessions struct {
	plain, secure *scs.SessionManager
}

// newSessions keeps sessions in a store, or, where nothing is written, in memory.
func newSessions(store account.SessionStore, readOnly bool) *sessions {
	x := &sessions{}
	var backend scs.Store = sessionStore{store}
	if readOnly {
		// Without its cleanup, which cannot be stopped without a data race: a session that has expired counts no more,
		// and its few bytes stay until the process ends.
		backend = memstore.NewWithCleanupInterval(0)
	}
	manager := func(name string, secure bool) *scs.SessionManager {
		return &scs.SessionManager{IdleTimeout: idleTime, Lifetime: sessionTime, Store: backend, Codec: scs.GobCodec{},
			Cookie: scs.SessionCookie{Name: name, HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode,
				Secure: secure, Persist: true}}
	}
	x.plain, x.secure = manager(plainCookie, false), manager(secureCookie, true)
	return x
}

// sessionStore keeps sessions under the hash of their token: who reads the database cannot sign in with it.
type sessionStore struct{ store account.SessionStore }

func sessionHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// FindCtx implements scs.CtxStore.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	return s.store.FindSession(ctx, sessionHash(token))
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	_, values, err := scs.GobCodec{}.Decode(b)
	if err != nil {
		return err
	}
	owner, _ := values[sessionAccount].(int64)
	return s.store.CommitSession(ctx, sessionHash(token), owner, b, expiry)
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.store.DeleteSession(ctx, sessionHash(token))
}

// Find implements scs.Store.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store.
func (s sessionStore) Commit(token string, b []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, b, expiry)
}

// Delete implements scs.Store.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// IsSecure reports whether the client reached us by TLS: itself, by a proxy that we trust, or because the server is
// known by such an address.
func (h *Handler) IsSecure(r *http.Request) bool {
	if r.TLS != nil || strings.HasPrefix(h.site.Origin, "https://") {
		return true
	}
	proto, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return strings.EqualFold(strings.TrimSpace(proto), "https") && h.site.Trusted(site.PeerOf(r))
}

// sessionsOf are the sessions for a request, by how it came.
func (h *Handler) sessionsOf(r *http.Request) *scs.SessionManager {
	if h.IsSecure(r) {
		return h.sessions.secure
	}
	return h.sessions.plain
}

// loadSession adds the session of the cookie, or an empty one, to the context.
func (h *Handler) loadSession(r *http.Request) (context.Context, error) {
	m := h.sessionsOf(r)
	token := ""
	if c, err := r.Cookie(m.Cookie.Name); err == nil && len(c.Value) <= 64 {
		token = c.Value
	}
	return m.Load(r.Context(), token)
}

// errNoSession: nobody is signed in.
var errNoSession = errors.New("nobody is signed in")

// sessionAccount returns whose session the context has, or errNoSession. A session is void when the account was changed
// since, by another password or by signing out everywhere.
func (h *Handler) sessionAccount(ctx context.Context, m *scs.SessionManager) (account.Account, error) {
	key := m.GetInt64(ctx, sessionAccount)
	if key == 0 {
		return account.Account{}, errNoSession
	}
	a, err := h.Accounts.Store.AccountByKey(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return account.Account{}, errNoSession
	}
	seen := time.Unix(m.GetInt64(ctx, sessionSeen), 0)
	idle := time.Since(seen)
	switch {
	case err != nil:
		return account.Account{}, err
	case a.Disabled || m.GetInt64(ctx, sessionChanged) != a.Changed.UnixMicro() || idle >= idleTime:
		return account.Account{}, errNoSession
	case idle >= refreshAfter:
		m.Put(ctx, sessionSeen, time.Now().Unix())
		if _, _, err := m.Commit(ctx); err != nil {
			h.site.Log.Warn("a session could not be prolonged", "error", err)
		}
	}
	return a, nil
}

// BeginSession signs somebody in: under a new token, so that one that was planted before leads nowhere, and with
// nothing of what the session held. The device is known from now on.
func (h *Handler) BeginSession(w http.ResponseWriter, r *http.Request, a account.Account) error {
	m := h.sessionsOf(r)
	ctx, err := h.loadSession(r)
	if err != nil {
		return err
	}
	if err := errors.Join(m.Clear(ctx), m.RenewToken(ctx)); err != nil {
		return err
	}
	m.Put(ctx, sessionAccount, a.Key)
	m.Put(ctx, sessionChanged, a.Changed.UnixMicro())
	m.Put(ctx, sessionSeen, time.Now().Unix())
	m.Put(ctx, sessionBegun, time.Now().Unix())
	m.Put(ctx, sessionAddress, h.site.ClientOf(r).String())
	m.Put(ctx, sessionAgent, agentOf(r.UserAgent()))
	if err := h.keep(ctx, w, m); err != nil {
		return err
	}
	if !h.site.ReadOnly {
		if err := h.Accounts.Store.DeleteExpiredSessions(ctx, time.Now()); err != nil {
			h.site.Log.Warn("expired sessions could not be deleted", "error", err)
		}
		h.remember(w, r, a)
	}
	return nil
}

// keep writes a session that is new, and its cookie.
func (h *Handler) keep(ctx context.Context, w http.ResponseWriter, m *scs.SessionManager) error {
	token, _, err := m.Commit(ctx)
	if err != nil {
		return err
	}
	// The cookie lives as long as a session can; how long it is good for is known here.
	m.WriteSessionCookie(ctx, w, token, time.Now().Add(sessionTime))
	w.Header()["Cache-Control"] = site.NoStore
	return nil
}

// remember makes the device known. Who signs in need not wait for that to succeed.
func (h *Handler) remember(w http.ResponseWriter, r *http.Request, a account.Account) {
	secret, err := h.Accounts.Remember(r.Context(), a, h.deviceOf(r))
	if err != nil {
		h.site.Log.Warn("a device could not be kept", "error", err)
		return
	}
	secure := h.IsSecure(r)
	http.SetCookie(w, &http.Cookie{Name: deviceCookie(secure), Value: secret, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: secure, MaxAge: int(account.DeviceTime.Seconds())})
}

func deviceCookie(secure bool) string {
	if secure {
		return secureDevice
	}
	return plainDevice
}

// deviceOf is what the browser says it is known by; it may be made up.
func (h *Handler) deviceOf(r *http.Request) string {
	c, err := r.Cookie(deviceCookie(h.IsSecure(r)))
	if err != nil {
		return ""
	}
	return c.Value
}

// Client is whence a request comes, for who signs in by it.
func (h *Handler) Client(r *http.Request) account.Client {
	return account.Client{Address: h.site.ClientOf(r).String(), Device: h.deviceOf(r)}
}

// EndSession signs the browser out.
func (h *Handler) EndSession(w http.ResponseWriter, r *http.Request) error {
	m := h.sessionsOf(r)
	ctx, err := h.loadSession(r)
	if err != nil {
		return err
	}
	if err := m.Destroy(ctx); err != nil {
		return err
	}
	m.WriteSessionCookie(ctx, w, "", time.Time{})
	w.Header()["Cache-Control"] = site.NoStore
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`) // who uses the browser next finds no page of this one
	return nil
}
