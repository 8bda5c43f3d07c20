package web_test

import (
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/live/sample"
	"tianti/web"
)

func TestProcessesAreForThoseWhoHaveSignedIn(t *testing.T) {
	hub := newHub(t, &devices{frame: sample.Frame()})
	s := newSite(t, func(c *web.Config) { c.Live = hub })
	_, secret := s.token(t, "bob", account.ScopeRead, time.Time{})
	stranger, bob := s.browser(t), s.signedIn(t, "bob", bobsPassword)
	for _, path := range []string{"/live", "/zh/live", "/live.json", "/api/v1/live"} {
		for who, c := range map[string]struct {
			r    reply
			told bool
		}{
			"a stranger":                 {stranger.get(path), false},
			"a reader":                   {bob.get(path), true},
			"a stranger after him":       {stranger.get(path), false},
			"a program with a token":     {stranger.get(path, "Authorization", "Bearer "+secret), true},
			"a program with a wrong one": {stranger.get(path, "Authorization", "Bearer "+secret+"x"), false},
		} {
			if c.r.StatusCode != 200 || c.r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: status %d, Cache-Control %q", path, who, c.r.StatusCode,
					c.r.Header.Get("Cache-Control"))
			}
			if told := strings.Contains(c.r.body, "alice") && strings.Contains(c.r.body, "41873"); told != c.told {
				t.Errorf("%s, %s: told of processes %v, want %v", path, who, told, c.told)
			}
		}
	}
	if body := stranger.get("/live").body; !strings.Contains(body, `href="/admin/sign-in?next=`) {
		t.Error("the page leads nobody to where people sign in")
	}
}
