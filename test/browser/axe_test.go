package browser

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const axePath = "../a11y/node_modules/axe-core/axe.min.js"

// axeRun asks axe for the rules of WCAG 2.0 to 2.2, levels A and AA, and for best
// practices, and reports each element that breaks one.
const axeRun = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
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

func TestPagesHaveNoAccessibilityViolations(t *testing.T) {
	script, err := os.ReadFile(axePath)
	if err != nil {
		missing(t, "axe-core is not installed (npm ci in test/a11y)")
	}
	inBoth(t, func(t *testing.T, l language) {
		p := newTab(t)
		call(p, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
		for _, kind := range kinds {
			p.visit(l.path(kind.path))
			js[chromedp.Void](p, string(script))
			for _, scheme := range []string{"light", "dark"} {
				p.scheme(scheme)
				wantAccessible(p, fmt.Sprintf("%s (%s)", kind.name, scheme))
			}
		}
	})
}

// scheme makes the tab prefer light or dark colours.
func (p *tab) scheme(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// wantAccessible reports each violation on the page, the first few of each rule.
func wantAccessible(p *tab, name string) {
	p.t.Helper()
	const most = 3
	ctx, cancel := context.WithTimeout(p.ctx, 3*time.Minute) // long tables take axe a while
	defer cancel()
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]violation](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	of := map[string]int{}
	for _, v := range found {
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
