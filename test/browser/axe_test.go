package browser

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tianti/test/slow"
)

const axePath = "../a11y/node_modules/axe-core/axe.min.js"

// axeRules are the rules of WCAG 2.0 to 2.2, levels A and AA, and best practices,
// with or without the one that is about colours; axeContrast is that one.
const (
	axeRules = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
		rules: { "target-size": { enabled: true }, "color-contrast": { enabled: %t } }`
	axeContrast = `runOnly: { type: "rule", values: ["color-contrast"] }`
)

// axeRun asks axe for rules and reports each element that breaks one. Of long tables
// and lists the first rows stand for the others, which have the same markup and are
// taken out of the page: axe takes a second for a hundred of them, and as long again
// for those that it is told to leave out.
const axeRun = `document.querySelectorAll("tbody tr:nth-child(n+5), ol > li:nth-child(n+6), ul > li:nth-child(n+6), ` +
	`option:nth-child(n+6), svg g > a:nth-child(n+6), svg g > text:nth-child(n+6)").forEach(e => e.remove());
axe.run(document, {
	%s,
	resultTypes: ["violations"],
}).then(r => r.violations.flatMap(v => v.nodes.map(n => ({
	rule: v.id, help: v.help, target: n.target.join(" "), html: n.html.slice(0, 200), message: n.failureSummary,
}))))`

type violation struct {
	Rule    string `json:"rule"`
	Help    string `json:"help"`
	Target  string `json:"target"`
	HTML    string `json:"html"`
	Message string `json:"message"`
}

// TestFullVariantsOfPagesHaveNoAccessibilityViolations scans pages that are built from the same parts as others.
func TestFullVariantsOfPagesHaveNoAccessibilityViolations(t *testing.T) {
	slow.Only(t)
	p := axeTab(t)
	for i, kind := range variants() {
		p.at(kind.site()).visit(kind.path)
		for j, rules := range []string{fmt.Sprintf(axeRules, true), axeContrast} {
			scheme := schemes[(i+j)%2]
			p.scheme(scheme)
			wantAccessible(p, kind.name+" ("+scheme+")", rules)
		}
	}
}

// Nothing but colours differs between the schemes.
func TestFullPagesHaveContrastInTheOtherScheme(t *testing.T) {
	slow.Only(t)
	p := axeTab(t)
	for i, kind := range plain() {
		scheme := schemes[(i+1)%2]
		p.scheme(scheme)
		p.at(kind.site()).visit(kind.path)
		wantAccessible(p, kind.name+" ("+scheme+")", axeContrast)
	}
}

// The Chinese pages have the markup and the colours of the English ones; what is in which
// language is checked on their golden files.
func TestFullChinesePagesHaveNoAccessibilityViolations(t *testing.T) {
	slow.Only(t)
	p := axeTab(t)
	for _, kind := range kinds {
		p.at(kind.site()).visit(languages[1].path(kind.path))
		p.scheme("light")
		wantAccessible(p, kind.name, fmt.Sprintf(axeRules, false))
	}
}

var schemes = [2]string{"light", "dark"}

// scheme makes the tab prefer light or dark colours.
func (p *tab) scheme(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// axeTab is a tab in which axe is part of every page, and pages may be given what their policy forbids.
func axeTab(t *testing.T) *tab {
	t.Helper()
	p := newTab(t)
	p.addAxe()
	call(p, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	return p
}

// addAxe makes axe part of every page that the tab visits from now on.
func (p *tab) addAxe() {
	p.t.Helper()
	script, err := os.ReadFile(axePath)
	if err != nil {
		missing(p.t, "axe-core is not installed (npm ci in test/a11y)")
	}
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: string(script)})
}

// violations are what axe finds on the page.
func violations(p *tab, rules string) []violation {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute) // long tables take axe a while
	defer cancel()
	run := fmt.Sprintf(axeRun, rules)
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]violation](run, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("axe on %s: %v", p.address(), err)
	}
	return found
}

// wantAccessible reports the violations on the page, the first few of each rule.
func wantAccessible(p *tab, name, rules string) {
	p.t.Helper()
	const most = 3
	of := map[string]int{}
	for _, v := range violations(p, rules) {
		if of[v.Rule]++; of[v.Rule] <= most {
			p.t.Errorf("%s: %s: %s\n%s\n%s\n%s", name, v.Rule, v.Help, v.Target, v.HTML, strings.TrimSpace(v.Message))
		}
	}
	for rule, n := range of {
		if n > most {
			p.t.Errorf("%s: %s: %d more", name, rule, n-most)
		}
	}
}

// A scan that finds nothing anywhere would make the test above worthless.
func TestTheScanFindsViolations(t *testing.T) {
	p := axeTab(t)
	p.visit("/sources")
	js[chromedp.Void](p, `document.querySelector("main").insertAdjacentHTML("beforeend", `+quote(
		`<img src="/favicon.ico"><h5>x</h5><p style="color: #999; background: #aaa">grey words on grey</p>`+
			`<p style="line-height: 10px"><button style="width: 10px; height: 10px; padding: 0">a</button>`+
			`<button style="width: 10px; height: 10px; padding: 0">b</button></p>`)+`)`)
	var rules []string
	for _, v := range violations(p, fmt.Sprintf(axeRules, true)) {
		rules = append(rules, v.Rule)
	}
	for _, want := range []string{"image-alt", "heading-order", "color-contrast", "target-size"} {
		if !slices.Contains(rules, want) {
			t.Errorf("got violations of %q, want %s among them", rules, want)
		}
	}
}
