package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tianti/web"
	"tianti/web/webhooks"
	"tianti/webhook"
)

// loopback may be told in these tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// withWebhooks sends messages while somebody waits for the answer to the form.
func withWebhooks(t *testing.T, c *web.Config) {
	store := c.Datasets.(webhook.Store)
	sender := webhook.New(webhook.Config{Store: store, Private: loopback})
	c.Webhooks = webhooks.Config{Store: store, Private: loopback, Poke: func() {
		if _, err := sender.Once(context.Background()); err != nil {
			t.Error(err)
		}
	}}
}

// TestAWebhookIsAdministeredByKeyboard adds an address, has it told, reads its answer and removes it, with keys alone
// and without JavaScript, wide and narrow, in both languages.
func TestAWebhookIsAdministeredByKeyboard(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "noted")
	}))
	t.Cleanup(receiver.Close)
	home := newEditable(t)
	inTurn(t, func(t *testing.T, l language) {
		p := noScripts(t).at(home)
		p.signIn(l)
		p.tabTo(`main a[href$="/admin/webhooks"]`)
		p.leave("Enter", typed(kb.Enter))
		p.tabTo("#url")
		p.press("http://192.168.0.1/hook")
		p.leave("Enter in the field", typed(kb.Enter))
		if got := p.text("[role=alert]"); !strings.Contains(got, "--webhook-allow") {
			t.Fatalf("a bad address: got %q, want the flag that allows it", got)
		}
		p.tabTo("#url")
		phone := emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 1}
		call(p, emulation.SetDeviceMetricsOverride, phone)
		p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		p.press(receiver.URL + "/hook")
		p.tabTo("main .primary")
		p.leave("Enter on the button", typed(kb.Enter))
		if p.count("#secret") != 1 {
			t.Fatalf("no secret: %s", p.text("main"))
		}
		p.shot("webhook-new", l)
		p.tabTo("main .primary")
		p.leave("Enter on the button", typed(kb.Enter))
		if got := p.texts("td .word"); len(got) != 1 || got[0] != l.in("accepted", "已送达") {
			t.Errorf("the message is %q: %s", got, p.text("main"))
		}
		if out := js[[]string](p, sideways); len(out) > 0 {
			t.Errorf("wider than a phone: %q", out)
		}
		p.tabTo(`form[action$="/remove"] button`)
		p.leave("Enter on the button", typed(kb.Enter))
		p.wantAddress(l.path("/admin/webhooks?done=remove"))
	})
}

// TestPagesOfWebhooksLookRight: at each size and in both schemes nothing sticks out and axe finds nothing.
func TestPagesOfWebhooksLookRight(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the queue is full, ask again later", http.StatusServiceUnavailable)
	}))
	t.Cleanup(receiver.Close)
	p := axeTab(t).at(newEditable(t))
	p.signIn(languages[0])
	p.visit("/admin/webhooks")
	p.fill("#url", receiver.URL+"/a-rather-long-address/of-a-program-that-tells-the-others?of=something")
	p.fill("#note", "chat of the people who order")
	p.leave("the button", typed(kb.Enter))
	p.follow(`form[action$="/test"] button`)
	one := p.address()
	for _, l := range languages {
		for _, path := range []string{"/admin/webhooks", one} {
			p.visit(l.path(path))
			for _, width := range []int64{narrow, 390, 1440} {
				size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1}
				call(p, emulation.SetDeviceMetricsOverride, size)
				for _, scheme := range schemes {
					p.scheme(scheme)
					if out := js[[]string](p, sideways); len(out) > 0 {
						t.Errorf("%s at %d px: %q", p.address(), width, out)
					}
					p.shot(fmt.Sprintf("webhooks-%d-%s-%d", len(path), scheme, width), l)
				}
			}
			for i, scheme := range schemes {
				p.scheme(scheme)
				rules := axeContrast
				if i == 0 {
					rules = fmt.Sprintf(axeRules, l == languages[0])
				} else if l != languages[0] {
					continue // Chinese pages have the colours of English ones
				}
				wantAccessible(p, p.address()+" ("+scheme+")", rules)
			}
		}
	}
}
