package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a step of a journey may take on a busy machine.
const patience = time.Minute

// tab is a browser tab with a profile of its own: nothing is remembered from
// other tests. Its methods end the test when the browser cannot do what they say.
type tab struct {
	t     *testing.T
	ctx   context.Context
	home  string // address of the server that it shows
	watch *watch
}

type void = chromedp.Action[chromedp.Void]

// newTab opens an empty tab that lasts as long as the test. The test fails when a
// page complains of something or asks another host for anything.
func newTab(t *testing.T) *tab {
	t.Helper()
	return newTabAt(t, site)
}

// newTabAt is newTab for another server than the one that all tests share.
func newTabAt(t *testing.T, home string) *tab {
	t.Helper()
	if chromium == nil {
		missing(t, "no Chromium found")
	}
	ctx, closeTab := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	p := &tab{t: t, ctx: ctx, home: home}
	// The tab lives as long as the context of its first action.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	p.watch = newWatch(p)
	t.Cleanup(func() {
		for _, problem := range p.watch.take() {
			t.Error(problem)
		}
	})
	p.do(chromedp.EmulateViewport(1280, 900))
	// Tabs run side by side; each acts as if it were the one in front.
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	return p
}

// open opens a page of the site in a new tab.
func open(t *testing.T, path string) *tab {
	t.Helper()
	p := newTab(t)
	p.visit(path)
	return p
}

// at makes the tab visit another server than the one that serves the package.
func (p *tab) at(address string) *tab {
	p.home = address
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.watch.home = address
	return p
}

// of is the tab for a part of its test, which it fails in place of the whole.
func (p *tab) of(part *testing.T) *tab {
	q := *p
	q.t = part
	return &q
}

// forget has the tab forget what it knows of the server: cookies, and what pages have stored.
func (p *tab) forget() {
	p.t.Helper()
	call(p, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: p.home, StorageTypes: "all"})
}

// try runs an action within the patience of the tests.
func try[T any](p *tab, a chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, a)
}

func (p *tab) do(steps ...void) {
	p.t.Helper()
	if _, err := try(p, chromedp.Steps(steps...)); err != nil {
		p.t.Fatal(err)
	}
}

// call sends a command of the protocol to the tab.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	result, err := try(p, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// js is the value of an expression in the page. It works in pages whose own
// scripts are switched off, too.
func js[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := try(p, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// visit loads a page of the site.
func (p *tab) visit(path string) {
	p.t.Helper()
	if _, err := try(p, chromedp.Navigate(p.home+path)); err != nil {
		p.t.Fatalf("visit %s: %v", path, err)
	}
}

// back goes one step back in the history of the tab, to a page that the test
// expects there.
func (p *tab) back(want string) {
	p.t.Helper()
	js[chromedp.Void](p, `setTimeout(() => history.back())`)
	p.until(`decodeURIComponent(location.href) === ` + quote(p.home+want))
}

// click clicks the first element that a CSS selector finds.
func (p *tab) click(css string) {
	p.t.Helper()
	if _, err := try(p, chromedp.Click(chromedp.CSS(css))); err != nil {
		p.t.Fatalf("click %s on %s: %v", css, p.address(), err)
	}
}

// follow clicks an element and waits for the page that it leads to.
func (p *tab) follow(css string) {
	p.t.Helper()
	p.leave(css, chromedp.Click(chromedp.CSS(css)))
}

// leave does what leads to another page, and waits for it.
func (p *tab) leave(what string, step void) {
	p.t.Helper()
	if _, err := try(p, chromedp.WaitEvent(page.LoadEventFired, nil, step)); err != nil {
		p.t.Fatalf("%s on %s leads nowhere: %v", what, p.address(), err)
	}
}

// press types keys where the focus is.
func (p *tab) press(keys string) {
	p.t.Helper()
	p.do(typed(keys))
}

// backTab presses Tab with Shift.
func (p *tab) backTab() {
	p.t.Helper()
	p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
}

// typed is the typing of keys. Each key goes down with its text, as from a real
// keyboard, so that a page which handles the key keeps the text from being typed.
func typed(keys string) void {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			down, up := events[0], events[len(events)-1]
			if len(events) == 3 {
				down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			for _, event := range []*input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// tabTo moves the focus with the Tab key until it is on an element.
func (p *tab) tabTo(css string) {
	p.t.Helper()
	const most = 120
	for range most {
		p.press(kb.Tab)
		if js[bool](p, `document.activeElement.matches(`+quote(css)+`)`) {
			return
		}
	}
	p.t.Fatalf("%d times Tab on %s do not lead to %s", most, p.address(), css)
}

// until waits for an expression to become true, on whatever page is shown then.
func (p *tab) until(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		// The page may be left while it is asked, and then never answers.
		if p.became(expression, time.Second) {
			return
		}
	}
	p.t.Fatalf("%s never came true on %s", expression, p.address())
}

// became waits for an expression to become true on the page that is shown now.
// (chromedp.Poll makes a function of a string, which the pages forbid.)
func (p *tab) became(expression string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	look := `new Promise(done => {
		const look = () => (` + expression + `) ? done(true) : requestAnimationFrame(look);
		look();
	})`
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
	return err == nil
}

// address is the path and query of the page that is shown.
func (p *tab) address() string {
	p.t.Helper()
	location, err := try(p, chromedp.Evaluate[string](`location.href`))
	if err != nil {
		p.t.Fatal(err)
	}
	path, err := url.QueryUnescape(strings.TrimPrefix(location, p.home))
	if err != nil {
		p.t.Fatal(err)
	}
	return path
}

// wantAddress fails the test when another page is shown.
func (p *tab) wantAddress(want string) {
	p.t.Helper()
	if got := p.address(); got != want {
		p.t.Fatalf("got page %s, want %s", got, want)
	}
}

// text is what an element says, in one line.
func (p *tab) text(css string) string {
	p.t.Helper()
	return js[string](p, `(document.querySelector(`+quote(css)+`)?.innerText ?? "no such element").
		replace(/\s+/g, " ").trim()`)
}

// texts is what each of the elements says.
func (p *tab) texts(css string) []string {
	p.t.Helper()
	return js[[]string](p, `[...document.querySelectorAll(`+quote(css)+`)].
		map(e => e.innerText.replace(/\s+/g, " ").trim())`)
}

// count is how many elements a selector finds.
func (p *tab) count(css string) int {
	p.t.Helper()
	return js[int](p, `document.querySelectorAll(`+quote(css)+`).length`)
}

// wantText fails the test when an element says something else.
func (p *tab) wantText(css, want string) {
	p.t.Helper()
	if got := p.text(css); got != want {
		p.t.Fatalf("%s on %s: got %q, want %q", css, p.address(), got, want)
	}
}

// shot keeps a picture of the whole page in the folder that TIANTI_SHOTS names, for people to look at.
func (p *tab) shot(name string, l language) {
	p.t.Helper()
	folder := os.Getenv("TIANTI_SHOTS")
	if folder == "" {
		return
	}
	picture, err := try(p, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+"-"+l.name+".png"), picture, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
}
