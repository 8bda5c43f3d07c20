// Package browser follows people through the pages in a real Chromium: what they
// click, type and hear, in both languages, with and without JavaScript.
//
// One browser serves the package and each test has a tab with a profile of its
// own. Without a Chromium the tests are skipped, unless TIANTI_BROWSER is
// "required".
package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/sample"
	"tianti/web"
)

// browsers are the commands that Chromium and its relatives are known by. The headless
// shell has no windows to draw: with it the tests take half as long.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	"google-chrome-stable", "headless-shell", "chrome"}

// site is the address of the server under test with the built-in data.
var site string

// chromium is the context of the one browser; nil when there is none.
var chromium context.Context

// language is one of the two that every page has.
type language struct {
	name   string
	prefix string
}

var languages = []language{{"en", ""}, {"zh", "/zh"}}

// path is an address of the site in the language.
func (l language) path(path string) string {
	if path == "/" && l.prefix != "" {
		return l.prefix + "/"
	}
	return l.prefix + path
}

// in picks the text of the language.
func (l language) in(en, zh string) string {
	if l.name == "zh" {
		return zh
	}
	return en
}

// inBoth runs a journey once in each language.
func inBoth(t *testing.T, journey func(t *testing.T, l language)) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			journey(t, l)
		})
	}
}

// inTurn runs a journey in one of the languages: half of the journeys in English, the others in Chinese.
// TestFullJourneysInTheOtherLanguage runs each in the other.
func inTurn(t *testing.T, journey func(t *testing.T, l language)) {
	t.Helper()
	name := strings.TrimPrefix(t.Name(), "TestFullJourneysInTheOtherLanguage/")
	if test, _, _ := strings.Cut(name, "/"); journeys[test] == nil {
		t.Fatalf("%s is missing in journeys", test)
	}
	turn := 0
	if otherLanguage {
		turn++
	}
	for _, letter := range []byte(name) {
		turn += int(letter)
	}
	l := languages[turn%2]
	t.Run(l.name, func(t *testing.T) {
		t.Parallel()
		journey(t, l)
	})
}

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	data, err := seed.Builtin()
	if err != nil {
		fmt.Fprintln(os.Stderr, "built-in data:", err)
		return 1
	}
	server := web.New(web.Config{Version: "test", NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) {
		return sizing.New(sample.Few(seed.Sizing(), 5), s)
	}})
	defer server.Close()
	server.Swap(catalog.NewSnapshot(1, data))
	listener := httptest.NewServer(server)
	defer listener.Close()
	site = listener.URL
	closeDevices := serveDevices(data)
	defer closeDevices()

	path := findBrowser()
	if path == "" {
		return m.Run()
	}
	profile, err := os.MkdirTemp("", "tianti-browser-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(profile)
	stop, err := start(path, profile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the browser:", err)
		return 1
	}
	defer stop()
	return m.Run()
}

func findBrowser() string {
	if path := os.Getenv("CHROME_PATH"); path != "" {
		return path
	}
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// start runs the browser of the package; stop ends it.
func start(path, profile string) (stop func(), err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop = func() { stopBrowser(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, err
	}
	chromium = ctx
	return stop, nil
}

// missing ends a test that needs something that is not installed: it is skipped,
// or fails where the browser tests are required.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("TIANTI_BROWSER") == "required" {
		t.Fatalf("%s, and TIANTI_BROWSER=required", what)
	}
	t.Skip(what)
}
