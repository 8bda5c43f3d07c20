// Package discover_test checks what pages tell search engines and feed readers, with the programs of others: the types
// of schema.org, what a search engine asks of products and of the way to a page, and the schema of JSON Feed.
package discover_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/seed"
	"tianti/test/slow"
	"tianti/web"
)

func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	return string(out), err
}

// pages are those that are checked: their cards have current prices on the day of the test.
var pages = map[string]string{
	"home.html": "/", "home-zh.html": "/zh/", "card.html": "/cards/nvidia-geforce-rtx-5090",
	"card-zh.html": "/zh/cards/nvidia-geforce-rtx-5090", "prices.html": "/prices/nvidia-h100-sxm5-80gb",
	"ladder.html": "/ladders/measured/desktop", "table.html": "/cards", "changes-zh.html": "/zh/changes",
	"feed.json": "/feed.json", "feed-card.json": "/zh/feed.json?card=nvidia-geforce-rtx-5090",
	"feed.xml": "/feed.xml", "feed-card.xml": "/zh/feed.xml?card=nvidia-geforce-rtx-5090",
	"feed-search.xml": "/feed.xml?vendor=AMD&segment=desktop",
	"feed-below.xml":  "/feed.xml?vendor=NVIDIA&below=1000&currency=USD",
	"feed-below.json": "/feed.json?vendor=NVIDIA&below=1000&currency=USD",
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFullOthersUnderstandPagesAndFeeds(t *testing.T) {
	slow.Only(t)
	if _, err := os.Stat("node_modules/.package-lock.json"); err != nil {
		if out, err := run(t, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			t.Skipf("the validators cannot be had here: %.300s", out)
		}
	}
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := web.New(web.Config{Origin: "https://tianti.example",
		Now: func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, data))
	folder := t.TempDir()
	for name, path := range pages {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		write(t, folder, name, w.Body.String())
	}
	if out, err := run(t, "node", "check.mjs", folder); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
	typed := func() (string, error) {
		return run(t, "npx", "tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext",
			"--moduleResolution",
			"nodenext", filepath.Join(folder, "typed.ts"))
	}
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if out, err := typed(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}

	// They do find errors.
	text, err := os.ReadFile(filepath.Join(folder, "typed.ts"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "typed.ts", strings.Replace(string(text), `"lowPrice"`, `"lowestPrice"`, 1))
	if out, err := typed(); err == nil {
		t.Errorf("a property that schema.org does not have is not noticed: %s", out)
	}
	feed, err := os.ReadFile(filepath.Join(folder, "feed.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"an entry without a title":  {"<entry>", "<entry><title>again</title>"},
		"a day instead of a moment": {"T00:00:00Z</updated>", "</updated>"},
		"no author":                 {"author>", "autor>"}, "an element that Atom has not": {"<updated>",
			"<modified>x</modified><updated>"},
		"a link to nowhere": {` href="`, ` to="`}, "no id": {"id>", "ident>"},
	} {
		folder := t.TempDir()
		broken := strings.ReplaceAll(string(feed), change[0], change[1])
		if broken == string(feed) {
			t.Errorf("%s: %q is not in the feed", name, change[0])
		}
		write(t, folder, "feed.xml", broken)
		if out, err := run(t, "node", "check.mjs", folder); err == nil || !strings.Contains(out, "feed.xml") {
			t.Errorf("%s is not noticed: %v, %s", name, err, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, "card.html"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "card.html", strings.ReplaceAll(string(page), `"lowPrice"`, `"lowestPrice"`))
	if out, err := run(t, "node", "check.mjs", folder); err == nil || !strings.Contains(out, "card.html") {
		t.Errorf("an offer without a price is not noticed: %v, %s", err, out)
	}
}
