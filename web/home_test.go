package web_test

import (
	"html"
	"net/http"
	"regexp"
	"testing"
)

var linksOfMain = regexp.MustCompile(`<a [^>]*href="(/[^"#]*)["#]`)

func TestEveryLinkOfTheStartPageAnswers(t *testing.T) {
	s := sizedServer(t)
	for _, path := range []string{"/", "/zh/"} {
		seen := map[string]bool{}
		for _, m := range linksOfMain.FindAllStringSubmatch(bodyOf(t, get(t, s, path)), -1) {
			to := html.UnescapeString(m[1])
			if seen[to] || to == "/admin" || to == "/zh/admin" {
				continue
			}
			seen[to] = true
			if r := get(t, s, to); r.StatusCode != http.StatusOK {
				t.Errorf("%s leads to %s: %d", path, to, r.StatusCode)
			}
		}
		if len(seen) < 40 {
			t.Errorf("%s has %d links", path, len(seen))
		}
	}
}
