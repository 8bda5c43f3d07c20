package browser

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// evil is text that runs when it is taken for markup, and as a formula; what it
// stands in tells which field it is.
func evil(field string) string {
	return `=1+1"'><img src=x onerror="window.pwned='` + field + `'"><script>window.pwned='` + field +
		`'</script> ` + field
}

// hostile is a data file of which every text is evil.
func hostile(t *testing.T) string {
	t.Helper()
	text := func(field string) map[string]string { return map[string]string{"en": evil(field), "zh": evil(field)} }
	price := func(kind, unit string) map[string]any {
		return map[string]any{"card": "evil", "kind": kind, "amount": "2.5", "currency": "USD", "unit": unit,
			"date": "2026-11-01", "source": "evil",
			"seller": evil("seller"), "instance": evil("instance"), "region": evil("region"),
			"note": text("price note")}
	}
	parts := []struct {
		name  string
		items []any
	}{
		{"sources", []any{map[string]any{"id": "evil", "publisher": evil("publisher"), "title": evil("title"),
			"url": `https://example.com/?"><img src=x onerror=alert(1)>`, "kind": "datasheet", "published": "2024"}}},
		{"cards", []any{map[string]any{"id": "evil", "name": evil("name"), "vendor": evil("vendor"), "kind": "gpu",
			"segment": "datacenter", "architecture": evil("architecture"), "aliases": []string{evil("alias")},
			"facts": []any{
				map[string]any{"quantity": "memory_gb", "number": 96, "source": "evil", "note": text("fact note")},
				map[string]any{"quantity": "memory_bandwidth_gb_s", "number": 900, "source": "evil"},
				map[string]any{"quantity": "bf16_matrix_dense_tflops", "number": 100, "source": "evil"},
				map[string]any{"quantity": "form_factor", "text": evil("form factor"), "source": "evil"},
			}}}},
		{"claims", []any{map[string]any{"id": "evil", "cards": []string{"evil"}, "by": text("claimant"),
			"source": "evil", "text": text("claim")}}},
		{"prices", []any{price("street", "card"), price("on_demand", "hour")}},
	}
	var b strings.Builder
	for i, part := range parts { // sources come before what names them
		items, err := json.Marshal(part.items)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%c%q: %s", "{,,,"[i], part.name, items)
	}
	return b.String() + "}"
}

// shownTo are pages where what was imported is shown, with fields that must be seen there.
var shownTo = []struct {
	path   string
	fields []string
	both   bool // looked at in both languages
}{
	{path: "/"},
	{path: "/cards", fields: []string{"name"}},
	{path: "/cards?q=name", fields: []string{"name", "vendor"}},
	{path: "/cards/evil", fields: []string{"name", "vendor", "alias", "form factor", "fact note", "claim", "claimant",
		"title", "publisher"}, both: true},
	{path: "/compare?card=evil&card=acme-x1-40gb", fields: []string{"name"}, both: true},
	{path: "/prices", fields: []string{"name"}},
	{path: "/prices/evil", fields: []string{"name", "seller", "instance", "region", "price note"}, both: true},
	{path: "/sources", fields: []string{"title", "publisher"}},
	{path: "/nowhere/evil", fields: []string{"name"}}, // which offers what there is
	{path: "/ladders/memory_gb", fields: []string{"name"}},
	{path: "/plot?x=memory_gb&y=memory_bandwidth_gb_s", fields: []string{"name"}},
	{path: "/data-health"},
	{path: "/architectures"},
	{path: "/admin/import"},
	{path: "/admin/datasets", fields: []string{"title of the dataset"}},
	{path: "/admin/datasets/evil", fields: []string{"title of the dataset", "note"}, both: true},
	{path: "/admin/log", both: true},
	{path: "/admin/cards/evil/figures", fields: []string{"name"}},
	{path: "/admin/cards/evil/figures/form_factor", fields: []string{"form factor"}, both: true},
}

// harmless fails the test when a page has made anything of what was imported.
func harmless(p *tab, where string) {
	p.t.Helper()
	if js[bool](p, `"pwned" in window`) {
		p.t.Errorf("%s: the text of %s has run", where, js[string](p, `String(window.pwned)`))
	}
	if found := js[[]string](p,
		`[...document.querySelectorAll("img[src=x], script:not([src]), [onerror], [href^='javascript:' i], [action^='javascript:' i]")].map(e => e.outerHTML.slice(0, 200))`); len(found) > 0 {
		p.t.Errorf("%s: the text has become %q", where, found)
	}
}

// all is the text of an element with what is folded away; empty when there is none.
func (p *tab) all(css string) string {
	p.t.Helper()
	return js[string](p, `(document.querySelector(`+quote(css)+`)?.textContent ?? "").replace(/\s+/g, " ").trim()`)
}

func TestImportedTextIsNeverMarkup(t *testing.T) {
	p := newTabAt(t, newEditable(t))
	if err := chromedp.Listen(p.ctx, func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok {
			t.Errorf("a dialog says %q", e.Message)
		}
	}); err != nil {
		t.Fatal(err)
	}
	p.signIn(languages[0])
	p.handIn(languages[0], `evil"><img src=x onerror=alert(1)>.json`, hostile(t))
	harmless(p, "preview")
	p.put(`[name="dataset"]`, "evil")
	p.put(`[name="title_en"]`, evil("title of the dataset"))
	p.put(`[name="title_zh"]`, evil("title of the dataset"))
	p.follow("#choices button")
	if word := p.text(".verdictline .word"); word != "Ready." {
		t.Fatalf("%s %s", word, p.all("#problems"))
	}
	if left := p.all("#left"); left != "" {
		t.Fatalf("left out: %s", left)
	}
	harmless(p, "preview with choices")
	draft := p.address()
	p.put(`[name="note"]`, evil("note"))
	p.follow(".decide .primary")
	p.wantAddress("/admin/datasets/evil?done=applied")
	wantTaken(p)
	for _, l := range languages {
		for _, page := range shownTo {
			if l == languages[0] || page.both {
				wantShown(p, l.path(page.path), page.fields...)
			}
		}
		wantShown(p, strings.Replace(draft, "/admin", l.path("/admin"), 1), "name", "form factor")
	}
}

// wantTaken fails the test unless the whole of the file is in the catalogue.
func wantTaken(p *tab) {
	p.t.Helper()
	for path, want := range map[string]int{"/cards/evil.csv": 4, "/prices/evil.csv": 2} {
		r, err := http.Get(p.home + path)
		if err != nil {
			p.t.Fatal(err)
		}
		rows, err := csv.NewReader(r.Body).ReadAll()
		_ = r.Body.Close()
		if err != nil {
			p.t.Fatal(err)
		}
		from := 0 // the file: of what is derived no line names a source
		for _, row := range rows {
			if slices.Contains(row, "evil") && slices.Contains(row,
				`https://example.com/?"><img src=x onerror=alert(1)>`) {
				from++
			}
		}
		if from != want {
			p.t.Errorf("%s has %d lines of the file, want %d: %q", path, from, want, rows)
		}
	}
}

// wantShown visits a page that must show the fields as they stand in the file.
func wantShown(p *tab, path string, fields ...string) {
	p.t.Helper()
	p.visit(path)
	p.settle()
	harmless(p, path)
	text := p.all("main")
	for _, field := range fields {
		if !strings.Contains(text, evil(field)) {
			p.t.Errorf("%s does not show %s as it stands: %.3000s", path, field, text)
		}
	}
}

// TestExportsHoldNoFormulas looks at each form in which the catalogue is handed out.
func TestExportsHoldNoFormulas(t *testing.T) {
	p := newTabAt(t, newEditable(t))
	p.signIn(languages[0])
	p.handIn(languages[0], "evil.json", hostile(t))
	if p.follow(".decide .primary"); !strings.HasSuffix(p.address(), "?done=applied") {
		t.Fatalf("not applied: %s", p.all("main"))
	}
	for _, path := range []string{
		"/cards.csv", "/cards.md", "/cards/evil.csv", "/cards/evil.md", "/compare.csv?card=evil&card=acme-x1-40gb",
		"/compare.md?card=evil&card=acme-x1-40gb",
		"/prices.csv", "/prices.md", "/prices/evil.csv", "/prices/evil.md", "/ladders/memory_gb.csv",
		"/ladders/memory_gb.md", "/ladders/memory_gb.svg",
		"/plot.csv?x=memory_gb&y=memory_bandwidth_gb_s", "/plot.md?x=memory_gb&y=memory_bandwidth_gb_s",
		"/plot.svg?x=memory_gb&y=memory_bandwidth_gb_s",
	} {
		r, err := http.Get(p.home + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		switch text := string(body); {
		case err != nil || r.StatusCode != http.StatusOK || !strings.Contains(text, "evil") &&
			!strings.Contains(text, "pwned"):
			t.Errorf("%s: status %d, %v\n%.300s", path, r.StatusCode, err, text)
		case strings.Contains(path, ".csv") && (strings.Contains(text, "\n=") || strings.Contains(text, ",=") ||
			strings.Contains(text, `"=`)):
			t.Errorf("%s: a cell begins as a formula", path)
		case !strings.Contains(path, ".csv") && (strings.Contains(text, "<img") || strings.Contains(text, "<script")):
			at := max(strings.Index(text, "<img"), strings.Index(text, "<script"))
			t.Errorf("%s: markup in %q", path, text[max(at-100, 0):min(at+100, len(text))])
		}
	}
}

// TestAnAddressIsAWebAddress wherever one may be given.
func TestAnAddressIsAWebAddress(t *testing.T) {
	p := newTabAt(t, newEditable(t))
	p.signIn(languages[0])
	const address = "javascript:window.pwned=1"
	p.handIn(languages[0], "evil.json", strings.Replace(hostile(t), "https://example.com/", address+"//", 1))
	if text := p.all("main"); !strings.Contains(text, "is not a web address") {
		t.Errorf("a source with the address %s is taken: %s", address, text)
	}
	p.handIn(languages[0], "vms.csv", rentedX1)
	for field, value := range map[string]string{"reading.date": "2026-11-20", "source.title": "T",
		"source.publisher": "P", "source.url": address} {
		p.put(fmt.Sprintf(`[name=%q]`, field), value)
	}
	p.click("#choices button")
	p.until(`document.querySelector(".progress.failed")`)
	if text := p.text(".progress"); !strings.Contains(text, "web address") {
		t.Errorf("a source with the address %s is chosen: %s", address, text)
	}
	p.visit("/admin/cards/acme-x1-40gb/figures/memory_gb")
	for field, value := range map[string]string{"value": "41", "source_title": "T", "publisher": "P", "url": address} {
		p.put(fmt.Sprintf(`[name=%q]`, field), value)
	}
	p.follow(`[value="set"]`)
	if text := p.text("main form"); !strings.Contains(text, "with https:// or http://") {
		t.Errorf("a correction with the address %s: %s", address, text)
	}
	for _, problem := range p.watch.take() {
		if !strings.HasPrefix(problem, "not found: "+p.home+"/admin/import/") { // 422, which is meant
			t.Error(problem)
		}
	}
}
