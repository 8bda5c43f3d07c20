package web_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tianti/bench/answers/list"
	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/test/slow"
	"tianti/web"
)

// TestPagesAreSmallEnoughForPhones counts the elements of the pages as people first come to them.
func TestPagesAreSmallEnoughForPhones(t *testing.T) {
	s := sizedServer(t)
	heavy := []string{
		"/compare?card=nvidia-l40s&card=nvidia-rtx-6000-ada&card=nvidia-rtx-a6000&card=nvidia-geforce-rtx-4090" +
			"&card=nvidia-geforce-rtx-5090&card=nvidia-a100-sxm4-80gb&card=nvidia-h100-sxm5-80gb&card=apple-m5",
		"/cards/nvidia-h100-sxm5-80gb?destination=CN&as_of=2026-01-15", "/plot?x=memory_gb&y=memory_bandwidth_gb_s",
		"/export-control?destination=RU&as_of=2026-01-15", "/sources/wikipedia-nvidia-gpus?page=3",
		"/recommend?cards=4&context=4096&model=70B&task=qlora",
	}
	addresses := append(pagesOfList(t), heavy...)
	plain := 0
	for _, address := range addresses {
		path, query, _ := strings.Cut(address, "?")
		if query == "" && !strings.HasPrefix(path, "/ladders/") && countElements(t, s, address) {
			plain++
		}
	}
	if plain < 70 {
		t.Errorf("the list has %d pages without a query", plain)
	}
	for _, address := range heavy {
		if !countElements(t, s, address) || !countElements(t, s, "/zh"+address) {
			t.Errorf("%s is no page", address)
		}
	}
	// The page of accuracy grows with what it counts, which a sample of the cases cannot tell.
	if !countElements(t, fullServer(t), "/accuracy") {
		t.Error("/accuracy is no page")
	}
}

// TestFullPagesAreSmallEnoughForPhones counts them at every address that builds are compared at.
func TestFullPagesAreSmallEnoughForPhones(t *testing.T) {
	slow.Only(t)
	s := fullServer(t)
	for _, address := range pagesOfList(t) {
		countElements(t, s, address)
		countElements(t, s, "/zh"+address)
	}
}

// fullServer estimates from all cases.
func fullServer(t *testing.T) *web.Server {
	t.Helper()
	return builtinServer(t, func(c *web.Config) {
		c.NewEstimator = func(snap *catalog.Snapshot) (*sizing.Estimator, error) {
			return sizing.New(seed.Sizing(), snap)
		}
	})
}

// pagesOfList are the addresses of pages that strangers may see, but for those that ask for longer tables.
func pagesOfList(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../bench/answers/addresses.txt")
	if err != nil {
		t.Fatal(err)
	}
	requests, err := list.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range requests {
		_, query, _ := strings.Cut(r.Path, "?")
		page := r.Server == "public" && r.Method == http.MethodGet && r.Status == 0 &&
			len(r.Header) == 0 && r.Events == 0
		if page && !strings.Contains(r.Path, "{") && !strings.HasPrefix(r.Path, "/zh") &&
			!strings.HasPrefix(r.Path, "/api/v1") &&
			!strings.Contains("&"+query, "&limit=") {
			out = append(out, r.Path)
		}
	}
	return out
}

// countElements fails when a page has too many, and reports whether it is one: what is no page is left alone.
func countElements(t *testing.T, s http.Handler, address string) bool {
	t.Helper()
	r := get(t, s, address)
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return false
	}
	root, err := html.Parse(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e := range root.Descendants() {
		if e.Type == html.ElementNode {
			n++
		}
	}
	if n > mostElements {
		t.Errorf("%s has %d elements, want at most %d", address, n, mostElements)
	}
	return true
}
