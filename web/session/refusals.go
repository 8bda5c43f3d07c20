package session

import (
	"net/http"
	"sync"
	"time"

	"tianti/account"
	"tianti/catalog"
	"tianti/web/site"
)

// refusals bounds what refused requests write into the audit log: whoever sends many must not fill the disk, nor keep
// the refusals of others out. Of each account and reason some are written at once and then one in ten minutes; of
// requests by nobody that is known a hundred, and then one in ten seconds. An entry says how many were not written.
type refusals struct {
	known, strangers *account.Throttle
	mu               sync.Mutex
	skipped          int
}

func newRefusals() *refusals {
	return &refusals{known: account.NewThrottle(10, time.Minute, 10*time.Minute, time.Hour, 1000),
		strangers: account.NewThrottle(100, 10*time.Second, 10*time.Second, time.Hour, 1)}
}

// take reports whether a refusal is to be written, and how many before it were not.
func (x *refusals) take(who, why string, now time.Time) (skipped int, write bool) {
	t, key := x.known, who+" "+why
	if who == "" {
		t, key = x.strangers, ""
	}
	wait := t.Take(key, now)
	x.mu.Lock()
	defer x.mu.Unlock()
	if wait > 0 {
		x.skipped++
		return 0, false
	}
	skipped, x.skipped = x.skipped, 0
	return skipped, true
}

// anonymous is who of the audit log is nobody that is known.
const anonymous = "anonymous"

// reasons are those of the audit log for refused authorizations.
var reasons = map[site.AuthError]string{site.ErrRole: "role", site.ErrToken: "token", site.ErrScope: "scope",
	site.ErrManage: "manage", site.ErrFactor: "factor"}

// refuse writes into the audit log that a request was refused, and returns why.
func (h *Handler) refuse(r *http.Request, name string, why site.AuthError) error {
	h.noteRefused(r, name, "account.denied", reasons[why], map[string]any{"path": catalog.Clip(r.URL.Path)})
	return why
}

// noteRefused writes that somebody was refused, unless too much of that kind was written already; name is the account,
// or empty.
func (h *Handler) noteRefused(r *http.Request, name, action, why string, detail map[string]any) {
	skipped, write := h.refusals.take(name, action+why, h.site.Now())
	if !write {
		return
	}
	if skipped > 0 {
		detail["skipped"] = skipped
	}
	if why != "" {
		detail["reason"] = why
	}
	actor := name
	if actor == "" || action != "account.denied" { // who signs in is not known to be the one that was named
		actor = anonymous
	}
	h.note(r.Context(), h.actor(r, actor), action, name, detail)
}
