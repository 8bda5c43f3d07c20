package web_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"tianti/bench/answers/list"
	"tianti/web"
)

// inBraces are values in the list that a server gives.
var inBraces = regexp.MustCompile(`\{[a-z]+(:[^{}]+)?\}`)

// TestTheListOfAnswersHasEveryRoute: bench/answers compares two builds by this list, and
// sees nothing of a route that is not in it.
func TestTheListOfAnswersHasEveryRoute(t *testing.T) {
	text, err := os.ReadFile("../bench/answers/addresses.txt")
	if err != nil {
		t.Fatal(err)
	}
	requests, err := list.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	changing, readOnly := map[string]bool{}, map[string]bool{}
	all := newEmpty(t, nil).web
	still := newServer(t, 1, func(c *web.Config) { c.ReadOnly = true })
	for _, r := range requests {
		switch method, path := r.Method, pathOf(r); {
		case r.Server == "read-only":
			readOnly[still.Routes().Find(chi.NewRouteContext(), method, path)] = true
		case r.Status < 400: // pages of errors say nothing of a route
			if method == http.MethodHead {
				method = http.MethodGet
			}
			changing[method+" "+all.Routes().Find(chi.NewRouteContext(), method, path)] = true
		}
	}
	for _, r := range routesOf(t, all) {
		files := strings.HasPrefix(r.pattern, "/static/") && r.method != http.MethodGet // one handler for all methods
		if !files && !changing[r.method+" "+r.pattern] {
			t.Errorf("no request of the list that is answered has the route %s %s", r.method, r.pattern)
		}
	}
	for _, r := range routesOf(t, still) {
		if r.isAdmin() && !readOnly[r.pattern] {
			t.Errorf("with --read-only, no request of the list has the route %s", r.pattern)
		}
	}
}

// pathOf is the path of a request, with something for the values that a server gives.
func pathOf(r list.Request) string {
	path, _, _ := strings.Cut(r.Path, "?")
	return inBraces.ReplaceAllStringFunc(path, func(value string) string {
		if name, static := strings.CutPrefix(value, "{static:"); static {
			return "/static/" + strings.TrimSuffix(name, "}")
		}
		return "1"
	})
}
