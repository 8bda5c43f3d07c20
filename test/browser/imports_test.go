package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tianti/account"
	"tianti/catalog"
	"tianti/importer"
	"tianti/store"
	"tianti/web"
)

// twins are cards of which two bear the name X1.
var twins = catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
	{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet",
		Published: "2024"},
}, Cards: []catalog.Card{
	{ID: "acme-x1-40gb", Name: "X1 40GB", Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Aliases: []string{"X1"},
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 40, Source: "sheet"}}},
	{ID: "acme-x1-80gb", Name: "X1 80GB", Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Aliases: []string{"X1"},
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 80, Source: "sheet"}}},
}}

// newEditable serves twins from a database that an administrator, anna, can change.
func newEditable(t *testing.T) (home string) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keeper := account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil)
	if _, err := keeper.Create(ctx, "anna", account.Administrator, secretWords, true); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Import(ctx, twins, importer.FileInfo{}, "built-in"); err != nil {
		t.Fatal(err)
	}
	var server *web.Server
	show := func() {
		snap, err := db.Load(ctx, nil)
		if err != nil {
			t.Error(err)
			return
		}
		server.Swap(snap)
	}
	in := importer.New(importer.Config{Store: db, Snapshot: func() *catalog.Snapshot { return server.Snapshot() },
		Today: func() catalog.Date { return "2026-11-21" }})
	cfg := web.Config{Version: "test", Accounts: keeper, Record: db.Record, Importer: in, Datasets: db, Changed: show}
	withWebhooks(t, &cfg)
	server = web.New(cfg)
	t.Cleanup(server.Close)
	show()
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	return listener.URL
}

func (p *tab) signIn(l language) {
	p.t.Helper()
	p.visit(l.path("/admin/sign-in"))
	p.fill("#name", "anna")
	p.fill("#password", secretWords)
	p.leave("sign in", typed(kb.Enter))
	p.wantAddress(l.path("/admin"))
}

// handIn chooses a file and waits for its preview.
func (p *tab) handIn(l language, name, text string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.visit(l.path("/admin/import"))
	p.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{file}))
	p.tabTo("form.upload button")
	p.leave("the button", typed(kb.Enter))
	if !strings.HasPrefix(p.address(), l.path("/admin/import/")) {
		p.t.Fatalf("%s leads to %s: %s", name, p.address(), p.text("main"))
	}
}

// put sets the field of a form; it needs no script of the page.
func (p *tab) put(css, value string) {
	p.t.Helper()
	if got := js[string](p,
		fmt.Sprintf(
			`(e => { if (e.closest("details")) e.closest("details").open = true; e.value = %s; return e.value })(document.querySelector(%s))`, quote(value), quote(css))); got != value {
		p.t.Fatalf("%s cannot be %q", css, value)
	}
}

const rentedX1 = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n" +
	"gpu_1x,X1,1,14,100,1.09,us-east-1,,\n"

// TestAPriceIsImportedSeenAndTakenBack goes from a file to the page of a card and back.
func TestAPriceIsImportedSeenAndTakenBack(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			inTurn(t, func(t *testing.T, l language) {
				p := newTabAt(t, newEditable(t))
				call(p, emulation.SetScriptExecutionDisabled,
					emulation.SetScriptExecutionDisabledParams{Value: !scripts})
				p.signIn(l)
				p.handIn(l, "vms.csv", rentedX1)
				p.wantText(".verdictline .word", l.in("Something must be chosen.", "还需选择。"))
				p.put(`[name="reading.date"]`, "2026-11-20")
				p.follow("#choices button")
				if got := p.text("#names tbody th"); got != "X1" {
					t.Fatalf("got %q to choose for, want X1", got)
				}
				p.put(`[name="name.0"]`, "acme-x1-80gb")
				p.follow("#names .btn")
				p.wantText(".verdictline .word", l.in("Ready.", "可以应用。"))
				p.wantText("#prices tbody tr:first-child td", "1")
				draft := p.address()
				const card = "/prices/acme-x1-80gb"
				if p.visit(l.path(card)); strings.Contains(p.text("main"), "1.09") {
					t.Error("a preview is seen by everybody")
				}
				p.visit(draft)
				p.tabTo(".decide .primary")
				p.leave("apply", typed(kb.Enter))
				p.wantAddress(l.path("/admin/datasets/skypilot?done=applied"))
				if p.visit(l.path(card)); !strings.Contains(p.text("main"), "1.09") {
					t.Errorf("the price is not on the page of the card: %s", p.text("main"))
				}
				p.visit(l.path("/admin/datasets/skypilot?done=applied"))
				p.tabTo(".verdict .btn")
				p.leave("undo", typed(kb.Enter))
				if p.visit(l.path(card)); strings.Contains(p.text("main"), "1.09") {
					t.Error("the price stays after the import is taken back")
				}
			})
		})
	}
}

// TestAFileThatCannotBeReadIsRefusedInPlace with the words that a browser without scripts sees.
func TestAFileThatCannotBeReadIsRefusedInPlace(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTabAt(t, newEditable(t))
		p.signIn(l)
		p.visit(l.path("/admin/import"))
		p.click("form.upload button")
		p.until(`document.querySelector(".progress.failed")`)
		p.wantText(".progress", l.in("Choose a file or paste text.", "请选择文件或粘贴文本。"))
		file := filepath.Join(t.TempDir(), "mine.yaml")
		if err := os.WriteFile(file, []byte("sources:\n  a: {publisher: P, title: [}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{file}))
		p.click("form.upload button")
		p.until(`document.querySelector(".progress.failed span")?.textContent.includes("mine.yaml:2")`)
		for _, problem := range p.watch.take() {
			if problem != "not found: "+p.home+l.path("/admin/import") { // 422, which is meant
				t.Error(problem)
			}
		}
	})
}

// TestALargeFileArrives: the answer to a request does not begin before its end.
func TestALargeFileArrives(t *testing.T) {
	p := newTabAt(t, newEditable(t))
	l := languages[0]
	p.signIn(l)
	const rows = 40_000
	p.handIn(l, "vms.csv", rentedX1+strings.Repeat("cpu_1x,,,14,100,0.5,us-east-1,,\n", rows))
	p.put(`[name="reading.date"]`, "2026-11-20")
	p.follow("#choices button")
	if got := p.text(".counts dd"); strings.Join(strings.Fields(got), "") != strconv.Itoa(rows+1) {
		t.Errorf("got %s rows, want %d", got, rows+1)
	}
}
