package browser

import (
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
		if u, err := url.Parse(e.Request.URL); err != nil || !strings.HasPrefix(e.Request.URL, w.home+"/") && u.Scheme != "data" {
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
	const idle = `document.fonts.ready.then(() => new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)))))`
	if _, err := try(p, chromedp.Evaluate[bool](idle, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatal(err)
	}
}

// navRows is in how many lines the groups of the header stand.
const navRows = `new Set([...document.querySelectorAll(".top nav > *")].map(e => Math.round(e.getBoundingClientRect().bottom))).size`

// Each page is visited once for both: loading it takes longest.
func TestPagesLoadNothingFromElsewhereAndScrollSidewaysInNoWindow(t *testing.T) {
	inBoth(t, func(t *testing.T, l language) {
		p := newTab(t)
		looked := kinds
		if l != languages[0] {
			looked = plain() // variants in Chinese have the texts of others; TestFullPagesLookSoundAtEachSize has all
		}
		for _, kind := range looked {
			p.at(kind.site()).visit(l.path(kind.path))
			p.settle()
			for _, problem := range p.watch.take() {
				t.Errorf("%s: %s", kind.name, problem)
			}
			p.do(chromedp.EmulateViewport(narrow, 640))
			if out := js[[]string](p, sideways); len(out) > 0 {
				t.Errorf("%s is wider than %d px: %q", kind.name, narrow, out)
			}
			if rows := js[int](p, navRows); rows > 1 {
				t.Errorf("the groups of the header of %s stand in %d lines at %d px", kind.name, rows, narrow)
			}
			p.do(chromedp.EmulateViewport(1280, 900))
		}
	})
}

// A watch that sees nothing would make the test above worthless.
func TestTheWatchSeesViolationsAndOtherHosts(t *testing.T) {
	p := newTab(t)
	p.visit("/sources")
	js[chromedp.Void](p, `document.body.insertAdjacentHTML("beforeend", '<img src="http://other.invalid/x.png"><p style="color: red">x</p>')`)
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
