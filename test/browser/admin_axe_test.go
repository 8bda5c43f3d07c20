package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestAdministratorsPagesHaveNoAccessibilityViolations looks at them with something
// on each: a draft that needs choices, a dataset that can be taken back, a record.
func TestAdministratorsPagesHaveNoAccessibilityViolations(t *testing.T) {
	p := axeTab(t).at(newEditable(t))
	p.visit("/admin/sign-in")
	wantAccessibleInBoth(p, "/admin/sign-in")
	p.signIn(languages[0])
	p.handIn(languages[0], "mine.json", hostile(t))
	if p.count(".decide .primary:not(:disabled)") == 0 {
		t.Fatalf("cannot be applied: %s", p.all("main"))
	}
	applicable := p.address()
	wantAccessibleInBoth(p, applicable)
	p.follow(".decide .primary")
	dataset := p.address()
	p.handIn(languages[0], "vms.csv", rentedX1)
	if p.count(".decide .primary:disabled") == 0 {
		t.Error("what needs choices can be applied")
	}
	for _, path := range []string{
		p.address(), dataset, "/admin", "/admin/import", "/admin/datasets", "/admin/cards/acme-x1-40gb/figures", "/admin/cards/acme-x1-40gb/figures/memory_gb",
		"/admin/log", "/admin/accounts", "/admin/tokens", "/admin/account",
		"/admin/account/second-factor",
	} {
		wantAccessibleInBoth(p, path)
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
