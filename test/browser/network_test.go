package browser

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// watch collects what a tab asks other hosts for and what it complains about.
type watch struct {
	home     string // the only server that may be asked
	mu       sync.Mutex
	problems []string
}

func newWatch(p *tab) *watch {
	p.t.Helper()
	w := &watch{home: p.home}
	if err := chromedp.Listen(p.ctx, w.see); err != nil {
		p.t.Fatal(err)
	}
	call(p, audits.Enable, cdp.Empty{})
	return w
}

func (w *watch) see(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || !strings.HasPrefix(e.Request.URL, w.home+"/") && u.Scheme != "data" {
			w.problems = append(w.problems, "request to another host: "+e.Request.URL)
		}
	case *log.EventEntryAdded:
		// That a page which does not exist answers 404 is what it should do.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			w.problems = append(w.problems, "log: "+e.Entry.Text)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			w.problems = append(w.problems, "console: "+string(e.Type))
		}
	case *runtime.EventExceptionThrown:
		w.problems = append(w.problems, "exception: "+e.ExceptionDetails.Text+describe(e.ExceptionDetails.Exception))
	case *audits.EventIssueAdded:
		w.problems = append(w.problems, "issue: "+string(e.Issue.Code))
	case *network.EventLoadingFailed:
		if !e.Canceled {
			w.problems = append(w.problems, "not loaded: "+e.ErrorText)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 && e.Type != network.ResourceTypeDocument {
			w.problems = append(w.problems, "not found: "+e.Response.URL)
		}
	}
}

// take returns what was seen since the last time.
func (w *watch) take() (problems []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	problems, w.problems = w.problems, nil
	return problems
}

// settle lets the page finish what it has begun. What it complained of until then
// has been seen: events arrive before the answer to a later command.
func (p *tab) settle() {
	p.t.Helper()
	const idle = `document.fonts.ready.then(() =>
		new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)))))`
	if _, err := try(p, chromedp.Evaluate[bool](idle, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatal(err)
	}
}

// navRows is in how many lines the groups of the header stand.
const navRows = `new Set([...document.querySelectorAll(".top nav > *")].
	map(e => Math.round(e.getBoundingClientRect().bottom))).size`

// Each kind of page is visited once for all that is looked at, as loading it takes long: in English at a desk, where
// axe scans it too, every second one in dark colours; in Chinese on a narrow screen alone. Of variants, which have the
// parts of others, only the English ones are visited, and not scanned; TestFullPagesLookSoundAtEachSize,
// TestFullPagesHaveContrastInTheOtherScheme and TestFullVariantsOfPagesHaveNoAccessibilityViolations have the rest.
func TestPagesAreAccessibleLoadNothingFromElsewhereAndScrollSidewaysInNoWindow(t *testing.T) {
	if len(plain()) < 20 || len(variants()) < 10 {
		t.Fatalf("%d kinds of pages and %d variants, want most of them", len(plain()), len(variants()))
	}
	for turn, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.addAxe()
			p.scheme(scheme)
			for i, kind := range plain() {
				if i%2 != turn {
					continue
				}
				p.at(kind.site()).visit(kind.path)
				wantOwnAndNarrow(p, kind)
				p.do(chromedp.EmulateViewport(1280, 900))
				wantAccessible(p, kind.name+" ("+scheme+")", fmt.Sprintf(axeRules, true))
				p.watch.take() // what axe did
			}
		})
	}
	for _, some := range []struct {
		l     language
		kinds []kind
	}{{languages[0], variants()}, {languages[1], plain()}} {
		t.Run(some.l.name, func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.do(chromedp.EmulateViewport(narrow, 640))
			for _, kind := range some.kinds {
				p.at(kind.site()).visit(some.l.path(kind.path))
				wantOwnAndNarrow(p, kind)
			}
		})
	}
}

// wantOwnAndNarrow reports what the page that is shown has complained of or asked other hosts for, and what sticks out
// of a narrow window.
func wantOwnAndNarrow(p *tab, kind kind) {
	p.t.Helper()
	p.settle()
	for _, problem := range p.watch.take() {
		p.t.Errorf("%s: %s", kind.name, problem)
	}
	p.do(chromedp.EmulateViewport(narrow, 640))
	if out := js[[]string](p, sideways); len(out) > 0 {
		p.t.Errorf("%s is wider than %d px: %q", kind.name, narrow, out)
	}
	if rows := js[int](p, navRows); rows > 1 {
		p.t.Errorf("the groups of the header of %s stand in %d lines at %d px", kind.name, rows, narrow)
	}
}

// A watch that sees nothing would make the test above worthless.
func TestTheWatchSeesViolationsAndOtherHosts(t *testing.T) {
	p := newTab(t)
	p.visit("/sources")
	js[chromedp.Void](p, `document.body.insertAdjacentHTML("beforeend",
		'<img src="http://other.invalid/x.png"><p style="color: red">x</p>')`)
	js[chromedp.Void](p, `setTimeout(() => console.error("x")); setTimeout(() => { throw new Error("x") })`)
	p.settle()
	seen := p.watch.take()
	for _, kind := range []string{"log: ", "console: ", "exception: ", "issue: "} {
		if !strings.Contains("\n"+strings.Join(seen, "\n"), "\n"+kind) {
			t.Errorf("got %q, want a problem that starts with %q", seen, kind)
		}
	}
}

// describe is what an exception says of itself.
func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return ": " + o.Description
}
