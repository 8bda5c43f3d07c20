package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is a part of a description of the element with the focus.
func focused(p *tab, expression string) string {
	p.t.Helper()
	return js[string](p, `(e => `+expression+`)(document.activeElement) ?? ""`)
}

func TestShortcutsMoveSelectAndCompare(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards?vendor=AMD"))
		names := p.texts("#cards tbody th a")
		p.press("j")
		p.press("x")
		p.press("jj")
		p.press("x")
		p.press("k")
		if got := focused(p, "e.innerText"); got != names[1] {
			t.Errorf("got the focus on %q after j j j k, want %q", got, names[1])
		}
		p.wantText("output", l.in("2 selected", "2 张已选"))
		p.press("xx")
		p.leave("c", typed("c"))
		if got := p.texts("#compare thead th > a"); len(got) != 2 || got[0] != names[0] || got[1] != names[2] {
			t.Errorf("got a comparison of %q, want %q", got, []string{names[0], names[2]})
		}
	})
}

func TestSlashGoesToTheSearchAndTypingIsNoShortcut(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards"))
		p.press("/")
		if got := focused(p, "e.name"); got != "q" {
			t.Fatalf("got the focus on %q after /, want the search box", got)
		}
		p.press("jx?/c")
		if got := focused(p, "e.value"); got != "jx?/c" {
			t.Errorf("got %q in the search box, want every key that was typed", got)
		}
		if p.count("#keys:popover-open")+p.count("#cards tbody :checked") != 0 {
			t.Error("a shortcut acted while typing")
		}
	})
}

func TestQuestionMarkShowsTheShortcutsAndTheirSwitch(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards"))
		p.press("?")
		p.until(`document.querySelector("#keys").matches(":popover-open")`)
		p.wantText("#keys h2", l.in("Keyboard shortcuts", "键盘快捷键"))
		p.press(kb.Escape)
		p.until(`!document.querySelector("#keys").matches(":popover-open")`)

		p.click(".tools [popovertarget=keys]")
		p.click("#keys-on")
		p.click("#keys button")
		p.until(`!document.querySelector("#keys").matches(":popover-open")`)
		wantNoShortcuts(p)
		p.visit(l.path("/cards?vendor=AMD"))
		wantNoShortcuts(p)

		p.click(".tools [popovertarget=keys]")
		p.click("#keys-on")
		p.click("#keys button")
		p.press("j")
		if got := focused(p, `e.closest("#cards tr")?.rowIndex + ""`); got != "1" {
			t.Errorf("got row %q after j with the shortcuts on again, want 1", got)
		}
	})
}

// wantNoShortcuts fails the test when a shortcut acts.
func wantNoShortcuts(p *tab) {
	p.t.Helper()
	js[chromedp.Void](p, `document.activeElement.blur()`)
	p.press("j/?")
	if got := focused(p, "e.tagName"); got != "BODY" {
		p.t.Errorf("got the focus on %s with the shortcuts off, want none", got)
	}
	if p.count("#keys:popover-open") > 0 {
		p.t.Error("the help opened with the shortcuts off")
	}
}

// clipboard lets the site write to the clipboard and read it.
func (p *tab) clipboard() {
	p.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		c := chromedp.FromContext(p.ctx)
		_, err := cdp.Call(p.ctx, c.Browser, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name},
			Setting:    browser.PermissionSettingGranted, Origin: site, BrowserContextID: c.BrowserContextID,
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// copied clicks a copy button and returns what is on the clipboard then.
func (p *tab) copied(button string) string {
	p.t.Helper()
	said := js[string](p, `document.querySelector(`+quote(button)+`).dataset.done`)
	js[chromedp.Void](p, `document.querySelector("#toast").textContent = ""`)
	p.click(button)
	p.until(`document.querySelector("#toast").textContent !== ""`)
	p.wantText("#toast", said)
	text, err := try(p, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("read the clipboard: %v", err)
	}
	return text
}

// Tabs share one clipboard, so the languages take turns.
func TestCopyButtonsPutTheTableOnTheClipboard(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			p := newTab(t)
			p.clipboard()
			p.visit(l.path("/cards?q=4090"))
			name := l.in("Card", "加速卡")

			tsv := lines(p.copied("[data-copy-table]"))
			rows := p.count("#cards tr")
			if len(tsv) != rows || !strings.HasPrefix(tsv[0], name+"\t") {
				t.Fatalf("got %d lines starting %q, want %d starting with %s", len(tsv), tsv[0], rows, name)
			}
			columns := p.count("#cards thead th")
			for _, line := range tsv {
				if got := strings.Count(line, "\t") + 1; got != columns {
					t.Errorf("got %d columns in %q, want %d", got, line, columns)
				}
			}
			if !strings.Contains(tsv[1], "GeForce RTX 4090") {
				t.Errorf("got %q as the first row, want a GeForce RTX 4090", tsv[1])
			}

			markdown := p.copied(".export [data-copy]")
			if !strings.HasPrefix(markdown, "| "+name+" |") || strings.Count(markdown, "GeForce RTX 4090") < 1 {
				t.Errorf("got %q as Markdown, want a table of the cards", markdown)
			}

			p.visit(l.path("/cards/" + rtx4090))
			if card := p.copied(".cardhead [data-copy]"); !strings.Contains(card, "GeForce RTX 4090") ||
				!strings.Contains(card, "| --") {
				t.Errorf("got %q as Markdown of a card, want its name and a table", card)
			}
		})
	}
}

func lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

func TestTheThemeIsToggledAndRemembered(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/"))
		const paper = `getComputedStyle(document.documentElement).backgroundColor`
		light := js[string](p, paper)
		p.click("[data-theme-toggle]")
		dark := js[string](p, paper)
		if dark == light {
			t.Fatalf("got background %s in both themes", dark)
		}
		p.visit(l.path("/cards"))
		if got := js[string](p, paper); got != dark {
			t.Errorf("got background %s on the next page, want %s as chosen", got, dark)
		}
		p.click("[data-theme-toggle]")
		p.visit(l.path("/sources"))
		if got := js[string](p, paper); got != light {
			t.Errorf("got background %s after switching back, want %s", got, light)
		}
	})
}

func TestTheLanguageSwitchKeepsPathAndQuery(t *testing.T) {
	p := open(t, "/cards?vendor=AMD&memory_gb=>=100&sort=-tdp_w")
	rows := p.texts("#cards tbody th a")
	p.follow(".tools [hreflang=zh-Hans]")
	p.wantAddress("/zh/cards?vendor=AMD&memory_gb=>=100&sort=-tdp_w")
	p.wantText("h1", "加速卡目录")
	if got := p.texts("#cards tbody th a"); strings.Join(got, ",") != strings.Join(rows, ",") {
		t.Errorf("got cards %q in Chinese, want %q", got, rows)
	}
	p.follow(".tools [hreflang=en]")
	p.wantAddress("/cards?vendor=AMD&memory_gb=>=100&sort=-tdp_w")

	p.visit(compareThree(languages[0]))
	p.follow(".tools [hreflang=zh-Hans]")
	p.wantAddress(compareThree(languages[1]))
}
