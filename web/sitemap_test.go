package web_test

import (
	"encoding/xml"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/test/slow"
	"tianti/web"
)

const sitemapOrigin = "https://tianti.example"

// discovered serves the built-in catalogue at an address that it knows.
func discovered(t *testing.T) *web.Server {
	t.Helper()
	return builtinServer(t, func(c *web.Config) {
		c.Origin = sitemapOrigin
		c.NewEstimator = func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizing.New(seed.Sizing(), s) }
	})
}

type sitemapEntry struct {
	Location  string `xml:"loc"`
	Modified  string `xml:"lastmod"`
	Languages []struct {
		Tag  string `xml:"hreflang,attr"`
		Href string `xml:"href,attr"`
	} `xml:"http://www.w3.org/1999/xhtml link"`
}

func sitemapOf(t *testing.T, s http.Handler) []sitemapEntry {
	t.Helper()
	var set struct {
		XMLName xml.Name       `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []sitemapEntry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	if err := xml.Unmarshal([]byte(bodyOf(t, get(t, s, "/sitemap.xml"))), &set); err != nil {
		t.Fatal(err)
	}
	return set.URLs
}

var canonicalLink = regexp.MustCompile(`<link rel="canonical" href="([^"]*)">`)

// mayBeKept reports whether search engines may keep the page at an address, and at which.
func mayBeKept(t *testing.T, s http.Handler, address string) (canonical string, ok bool) {
	t.Helper()
	r := get(t, s, address)
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		r.Body.Close()
		return "", false
	}
	body := bodyOf(t, r)
	m := canonicalLink.FindStringSubmatch(body)
	if m == nil || strings.Contains(body, `<meta name="robots" content="noindex">`) {
		return "", false
	}
	return strings.ReplaceAll(m[1], "&amp;", "&"), true
}

func TestTheSitemapHasEveryPageThatMayBeKept(t *testing.T) {
	s := discovered(t)
	listed := map[string]bool{}
	for _, e := range sitemapOf(t, s) {
		if listed[e.Location] {
			t.Errorf("%s is there twice", e.Location)
		}
		listed[e.Location] = true
		if len(e.Languages) != 3 || e.Languages[0].Tag != "en" || e.Languages[1].Tag != "zh-Hans" ||
			e.Languages[0].Href != e.Languages[2].Href {
			t.Errorf("%s: got the languages %v, want both and the usual one", e.Location, e.Languages)
		}
	}
	// One of each kind here, all in the slow test.
	for _, path := range []string{"/", "/zh/", "/cards/nvidia-h100-sxm5-80gb", "/zh/prices/nvidia-h100-sxm5-80gb",
		"/licenses",
		"/zh/ladders/measured/desktop", "/sources/nvidia-cuda-guide", "/architectures?id=nvidia-hopper",
		"/export-control/US-BIS-2023-3A090"} {
		if canonical, ok := mayBeKept(t, s, path); !ok || !listed[canonical] || canonical != sitemapOrigin+path {
			t.Errorf("%s: kept %v as %q, in the sitemap %v", path, ok, canonical, listed[canonical])
		}
	}
}

func TestFullPagesOfTheSitemapMayBeKept(t *testing.T) {
	slow.Only(t)
	s := discovered(t)
	listed := map[string]bool{}
	for _, e := range sitemapOf(t, s) {
		listed[e.Location] = true
		address := strings.TrimPrefix(e.Location, sitemapOrigin)
		if canonical, ok := mayBeKept(t, s, address); !ok || canonical != e.Location {
			t.Errorf("%s is in the sitemap; kept %v as %q", e.Location, ok, canonical)
		}
	}
	for _, address := range pagesOfList(t) {
		if canonical, ok := mayBeKept(t, s, address); ok && !listed[canonical] {
			t.Errorf("%s may be kept as %s, which the sitemap lacks", address, canonical)
		}
	}
}
