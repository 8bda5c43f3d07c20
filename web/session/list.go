package session

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"tianti/account"
	"tianti/sorting"
)

// A Session is one in which somebody is signed in.
type Session struct {
	ID          string
	Begun, Seen time.Time // seen to five minutes
	Address     string    // whence somebody signed in
	Agent       string    // browser and system; may be empty
	Here        bool      // it is the one of the request
}

// Sessions lists those in which an account is signed in: that of the request, then the others, the latest seen first.
func (h *Handler) Sessions(r *http.Request, a account.Account) ([]Session, error) {
	stored, err := h.Accounts.Store.SessionsOf(r.Context(), a.Key)
	if err != nil {
		return nil, err
	}
	here := ""
	if c, err := r.Cookie(h.sessionsOf(r).Cookie.Name); err == nil {
		here = sessionID(sessionHash(c.Value))
	}
	var out []Session
	for _, x := range stored {
		_, values, err := scs.GobCodec{}.Decode(x.Data)
		if err != nil {
			continue // of another version: it lets nobody in either
		}
		at := func(key string) time.Time {
			n, _ := values[key].(int64)
			return time.Unix(n, 0).UTC()
		}
		text := func(key string) string { s, _ := values[key].(string); return s }
		if changed, _ := values[sessionChanged].(int64); changed != a.Changed.UnixMicro() ||
			time.Since(at(sessionSeen)) >= idleTime {
			continue
		}
		s := Session{ID: sessionID(x.Hash), Begun: at(sessionBegun), Seen: at(sessionSeen),
			Address: text(sessionAddress), Agent: text(sessionAgent)}
		s.Here = s.ID == here
		out = append(out, s)
	}
	sorting.Func(out, func(a, b Session) int {
		if a.Here != b.Here {
			return map[bool]int{true: -1, false: 1}[a.Here]
		}
		return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// sessionID names a session on pages: with it nobody gets in.
func sessionID(hash [32]byte) string { return hex.EncodeToString(hash[:12]) }

// EndOther ends a session of an account, if the account has it.
func (h *Handler) EndOther(ctx context.Context, a account.Account, id string) error {
	stored, err := h.Accounts.Store.SessionsOf(ctx, a.Key)
	if err != nil {
		return err
	}
	for _, x := range stored {
		if sessionID(x.Hash) == id {
			return h.Accounts.Store.DeleteSession(ctx, x.Hash)
		}
	}
	return nil
}

// What browsers call themselves, the more special before those that they also claim to be.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"MicroMessenger/", "WeChat"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"OpenHarmony", "HarmonyOS"}, {"Android", "Android"},
		{"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// agentOf says which browser on which system a program claims to be; empty when it is none of the usual ones. Names of
// products are the same in both languages.
func agentOf(userAgent string) string {
	find := func(all [][2]string) string {
		i := slices.IndexFunc(all, func(x [2]string) bool { return strings.Contains(userAgent, x[0]) })
		if i < 0 {
			return ""
		}
		return all[i][1]
	}
	return strings.Trim(find(browsers)+" · "+find(systems), " ·")
}
