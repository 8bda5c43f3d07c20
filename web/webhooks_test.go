package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/web"
	"tianti/web/api"
	"tianti/web/webhooks"
	"tianti/webhook"
)

// telling is a site that tells a receiver on this machine.
type telling struct {
	*site
	receiver *httptest.Server
	got      chan http.Header
	poked    int
}

func newTelling(t *testing.T) *telling {
	t.Helper()
	s := &telling{got: make(chan http.Header, 10)}
	s.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.got <- r.Header
		_, _ = io.WriteString(w, "<b>noted</b>")
	}))
	t.Cleanup(s.receiver.Close)
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s.site = newSite(t, func(c *web.Config) {
		db := c.Datasets.(webhook.Store)
		sender := webhook.New(webhook.Config{Store: db, Private: local})
		c.Webhooks = webhooks.Config{Store: db, Private: local, Poke: func() {
			s.poked++
			if _, err := sender.Once(context.Background()); err != nil {
				t.Error(err)
			}
		}}
	})
	return s
}

var secretShown = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// shownSecret is a secret on a page, where & and + may be escaped.
func shownSecret(body string) string {
	return secretShown.FindString(strings.NewReplacer("&#43;", "+", "&#x3d;", "=").Replace(body))
}

func TestAnAdministratorHasAnAddressTold(t *testing.T) {
	s := newTelling(t)
	anna := s.signedIn(t, "anna", annasPassword)
	for _, prefix := range []string{"", "/zh"} {
		page := prefix + "/admin/webhooks"
		if r := anna.get(page); r.StatusCode != http.StatusOK || !strings.Contains(r.body, "prices.changed") {
			t.Fatalf("%s: got %d", page, r.StatusCode)
		}
		form := url.Values{"url": {s.receiver.URL + "/hook?key=kept-secret"}, "note": {"<ops>"},
			"prices.changed": {"yes"}}
		added := anna.post(page, form)
		secret := shownSecret(added.body)
		if added.StatusCode != http.StatusOK || secret == "" {
			t.Fatalf("got %d, %.300s", added.StatusCode, added.body)
		}
		list := anna.get(page)
		href := regexp.MustCompile(`href="(`+page+`/\d+)"`).FindAllStringSubmatch(list.body, -1)
		if len(href) == 0 || strings.Contains(list.body, secret) || strings.Contains(list.body, "kept-secret") ||
			strings.Contains(list.body, "<ops>") {
			t.Fatalf("the list: %.500s", list.body)
		}
		one := href[len(href)-1][1]
		if r := anna.post(one+"/test", nil); r.StatusCode != http.StatusSeeOther {
			t.Fatalf("test: got %d", r.StatusCode)
		}
		if h := <-s.got; !strings.HasPrefix(h.Get("webhook-signature"), "v1,") {
			t.Errorf("got %v", h)
		}
		shown := anna.get(one + "?done=test")
		if shown.StatusCode != http.StatusOK || !strings.Contains(shown.body, "&lt;b&gt;noted&lt;/b&gt;") ||
			!strings.Contains(shown.body, "webhook.test") || strings.Contains(shown.body, secret) {
			t.Errorf("got %d, %.300s", shown.StatusCode, shown.body)
		}
		rotated := anna.post(one+"/rotate", nil)
		if second := shownSecret(rotated.body); second == "" || second == secret {
			t.Errorf("got %q after %q", second, secret)
		}
		if r := anna.post(one, url.Values{"import.applied": {"yes"}}); r.StatusCode != http.StatusSeeOther {
			t.Errorf("change: got %d", r.StatusCode)
		}
		if r := anna.post(one, url.Values{}); r.StatusCode != http.StatusOK ||
			!strings.Contains(r.body, `role="alert"`) {
			t.Errorf("without events: got %d", r.StatusCode)
		}
		if r := anna.post(one+"/remove", nil); r.StatusCode != http.StatusSeeOther {
			t.Errorf("remove: got %d", r.StatusCode)
		}
		if r := anna.get(one); r.StatusCode != http.StatusNotFound {
			t.Errorf("after that: got %d", r.StatusCode)
		}
	}
	if r := anna.get("/admin/log?action=webhook"); !strings.Contains(r.body, "webhook.rotate") ||
		strings.Contains(r.body, "kept-secret") || strings.Contains(r.body, "whsec_") {
		t.Errorf("the record: %.300s", r.body)
	}
	if r := anna.get("/admin"); !strings.Contains(r.body, "/admin/webhooks") {
		t.Error("nothing leads there")
	}
}

func TestBadAddressesAreRefusedWithTheForm(t *testing.T) {
	s := newTelling(t)
	anna := s.signedIn(t, "anna", annasPassword)
	for _, address := range []string{"", "ftp://x", "https://10.0.0.1/x", "https://[::1]/", "https://u:p@ops.example",
		"https://x/#y"} {
		r := anna.post("/admin/webhooks", url.Values{"url": {address}, "prices.changed": {"yes"}})
		if r.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(r.body, `role="alert"`) {
			t.Errorf("%s: got %d", address, r.StatusCode)
		}
	}
	if r := anna.post("/admin/webhooks", url.Values{"url": {"https://ops.example"}}); r.StatusCode !=
		http.StatusUnprocessableEntity {
		t.Errorf("without events: got %d", r.StatusCode)
	}
	bob := s.signedIn(t, "bob", bobsPassword)
	for _, path := range []string{"/admin/webhooks", "/admin/webhooks/1/test", "/admin/webhooks/1/rotate"} {
		if r := bob.post(path, url.Values{"url": {"https://ops.example"}}); r.StatusCode != http.StatusForbidden {
			t.Errorf("a reader posts %s: got %d", path, r.StatusCode)
		}
		if r := anna.post(path, url.Values{}, "Sec-Fetch-Site", "cross-site"); r.StatusCode != http.StatusForbidden {
			t.Errorf("another site posts %s: got %d", path, r.StatusCode)
		}
	}
	if list, err := s.db.Webhooks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("got %v, %v, want none", list, err)
	}
}

func TestProgramsNameAddresses(t *testing.T) {
	s := newTelling(t)
	_, token := s.token(t, "anna", account.ScopeImport, time.Time{})
	ask := func(method, path, body string, want int, v any) {
		t.Helper()
		req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != want || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d (%s), want %d: %s", method, path, res.StatusCode, res.Header.Get("Cache-Control"),
				want, text)
		}
		if v != nil {
			if err := json.Unmarshal(text, v); err != nil {
				t.Errorf("%s %s: %v in %s", method, path, err, text)
			}
		}
	}
	var made, rotated api.Webhook
	ask("POST", "/api/v1/webhooks", `{"url":"`+s.receiver.URL+`/x?key=k","events":["prices.changed"]}`, 201, &made)
	if !strings.HasPrefix(made.Secret, "whsec_") || made.URL != s.receiver.URL+"/x?…" || !made.Enabled {
		t.Errorf("got %+v", made)
	}
	for body, want := range map[string]int{
		`{"url":"https://x.example","events":["nothing"]}`:     422,
		`{"url":"http://x","events":["prices.changed"],"x":1}`: 400,
		`{"url":"https://127.1.1.1","events":[]}`:              422, "[]": 400, "": 415,
		`"` + strings.Repeat("x", 20<<10) + `"`: 413,
	} {
		var p api.Problem
		ask("POST", "/api/v1/webhooks", body, want, &p)
	}
	var list api.Webhooks
	ask("GET", "/api/v1/webhooks", "", 200, &list)
	if len(list.Items) != 1 || list.Items[0].Secret != "" {
		t.Errorf("got %+v", list)
	}
	var test api.WebhookMessage
	ask("POST", "/api/v1/webhooks/1/test", "", 200, &test)
	<-s.got
	var one api.WebhookDetail
	ask("GET", "/api/v1/webhooks/1", "", 200, &one)
	if len(one.Messages) != 1 || one.Messages[0].ID != test.ID || one.Messages[0].State != "delivered" ||
		one.Messages[0].Answer != "<b>noted</b>" || one.Secret != "" {
		t.Errorf("got %+v", one)
	}
	ask("POST", "/api/v1/webhooks/1?events=import.applied&events=figures.changed&enabled=false", "", 200, &one)
	if len(one.Events) != 2 || one.Enabled || one.Disabled != "off" {
		t.Errorf("got %+v", one)
	}
	ask("POST", "/api/v1/webhooks/1?enabled=maybe", "", 400, nil)
	ask("POST", "/api/v1/webhooks/1?events=x", "", 422, nil)
	ask("POST", "/api/v1/webhooks/1?color=red", "", 400, nil)
	ask("POST", "/api/v1/webhooks/1?enabled=true", "", 200, &one)
	if len(one.Events) != 2 || !one.Enabled {
		t.Errorf("got %+v", one)
	}
	ask("POST", "/api/v1/webhooks/1/rotate", "", 200, &rotated)
	if rotated.Secret == made.Secret || rotated.Both == nil {
		t.Errorf("got %+v", rotated)
	}
	ask("DELETE", "/api/v1/webhooks/1", "", 204, nil)
	for _, path := range []string{"1", "x", "99999999999999999999"} {
		ask("GET", "/api/v1/webhooks/"+path, "", 404, nil)
	}
}

func TestAServerThatChangesNothingTellsNobody(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.ReadOnly = true })
	for _, path := range []string{"/admin/webhooks", "/api/v1/webhooks"} {
		if r := s.browser(t).get(path); r.StatusCode != http.StatusForbidden &&
			r.StatusCode != http.StatusUnauthorized &&
			r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d", path, r.StatusCode)
		}
	}
}
