package prometheus

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHeadersForGatewaysAreSentWithEveryRequest(t *testing.T) {
	headers, err := ParseHeaders([]string{"X-Gateway-Key: open, sesame", "cf-access-client-id:a\n X-Two: b\nx-two: c"})
	if err != nil {
		t.Fatal(err)
	}
	var got []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		io.WriteString(w, answerOf(nil, "vector(1)"))
	}))
	defer s.Close()
	c := newSource(t, Config{URL: s.URL, Headers: headers, User: "u"}).client
	for range 2 {
		if _, err := c.query(t.Context(), "vector(1)"); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range got {
		if h.Get("X-Gateway-Key") != "open, sesame" || h.Get("Cf-Access-Client-Id") != "a" ||
			strings.Join(h["X-Two"], "") != "bc" ||
			h.Get("Authorization") == "" || h.Get("Content-Type") != "application/x-www-form-urlencoded" {
			t.Errorf("got %v", h)
		}
	}
}

func TestHeadersThatCannotBeSentAreNamedWithoutTheirValue(t *testing.T) {
	for line, want := range map[string]string{
		"secret":                      "header 1 is not",
		"":                            "header 1 is not",
		"A B: secret":                 "header 1 is not",
		": secret":                    "header 1 is not",
		"content-type: secret":        "Content-Type is set",
		"Host: secret":                "Host is set",
		"X-Key:":                      "X-Key has no value",
		"X-Key: a\x00secret":          "X-Key has a value with characters",
		"X-Key: secret\nY-Key secret": "header 2 is not",
	} {
		_, err := ParseHeaders([]string{line})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want %s and no value", line, err, want)
		}
	}
	for name, c := range map[string]Config{
		"Headers: Authorization": {Headers: http.Header{"authorization": {"secret"}}, User: "u"},
		"Headers: X-Scope-OrgID": {Headers: http.Header{"X-Scope-Orgid": {"secret"}}, Tenant: "t"},
		"Headers: X-A has":       {Headers: http.Header{"X-A": {"secret\r\nX-B: c"}}},
		"Tenant: ":               {Tenant: "a\nb"},
	} {
		c.URL = "http://localhost"
		if _, err := New(c); err == nil || !strings.HasPrefix(err.Error(), name) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %s and no value", err, name)
		}
	}
}
