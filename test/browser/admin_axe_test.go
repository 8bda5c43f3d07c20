package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tianti/test/slow"
)

// TestAdministratorsPagesHaveNoAccessibilityViolations looks at them with something
// on each: a draft that needs choices, a dataset that can be taken back, a record.
func TestAdministratorsPagesHaveNoAccessibilityViolations(t *testing.T) {
	pages := 0
	scanAdministration(t, func(p *tab, path string) { // each in one language and one scheme, in turn
		scheme := schemes[pages%2]
		p.visit(languages[0].path(path))
		p.scheme(scheme)
		wantAccessible(p, path+" ("+scheme+")", fmt.Sprintf(axeRules, true))
		pages++
	})
	if pages < 10 {
		t.Errorf("got %d pages, want all", pages)
	}
}

func TestFullAdministratorsPagesHaveNoAccessibilityViolationsInBothLanguages(t *testing.T) {
	slow.Only(t)
	scanAdministration(t, wantAccessibleInBoth)
}

// scanAdministration goes through the pages, with something on each, and has them looked at.
func scanAdministration(t *testing.T, look func(p *tab, path string)) {
	t.Helper()
	p := axeTab(t).at(newEditable(t))
	p.visit("/admin/sign-in")
	look(p, "/admin/sign-in")
	p.signIn(languages[0])
	p.handIn(languages[0], "mine.json", hostile(t))
	if p.count(".decide .primary:not(:disabled)") == 0 {
		t.Fatalf("cannot be applied: %s", p.all("main"))
	}
	applicable := p.address()
	look(p, applicable)
	p.follow(".decide .primary")
	dataset := p.address()
	p.handIn(languages[0], "vms.csv", rentedX1)
	if p.count(".decide .primary:disabled") == 0 {
		t.Error("what needs choices can be applied")
	}
	for _, path := range []string{
		p.address(), dataset, "/admin", "/admin/import", "/admin/datasets", "/admin/cards/acme-x1-40gb/figures",
		"/admin/cards/acme-x1-40gb/figures/memory_gb",
		"/admin/log", "/admin/accounts", "/admin/tokens", "/admin/account",
		"/admin/account/second-factor",
	} {
		look(p, path)
	}
	p.fill("#current", secretWords)
	p.leave("the button", typed(kb.Enter))
	if p.count("svg.qr path") != 1 {
		t.Fatalf("no QR code: %s", p.all("main"))
	}
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		wantAccessible(p, "the QR code ("+scheme+")", fmt.Sprintf(axeRules, false))
	}
}

// wantAccessibleInBoth looks at a page in English and Chinese, and at the colours of
// both schemes: a language changes none.
func wantAccessibleInBoth(p *tab, path string) {
	p.t.Helper()
	for _, l := range languages {
		p.visit(l.path(path))
		p.scheme("light")
		wantAccessible(p, l.path(path), fmt.Sprintf(axeRules, l == languages[0]))
		if l == languages[0] {
			p.scheme("dark")
			wantAccessible(p, path+" (dark)", axeContrast)
		}
	}
}
