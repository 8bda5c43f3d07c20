package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/importer"
	"tianti/web"
)

// An office is a site whose catalogue follows its database, with a browser in which
// its administrator has signed in.
type office struct {
	*site
	*browser
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{}
	o.site = newSite(t, func(c *web.Config) {
		c.Changed = func() { o.reload(t) }
		c.Importer = importer.New(
			importer.Config{
				Store:    c.Datasets.(importer.Store),
				Snapshot: func() *catalog.Snapshot { return o.web.Snapshot() },
				Today:    func() catalog.Date { return "2026-11-21" },
				MaxBytes: 1 << 20,
			},
		)
	})
	if _, err := o.db.Import(context.Background(), named, importer.FileInfo{}, "test"); err != nil {
		t.Fatal(err)
	}
	o.reload(t)
	o.browser = o.signedIn(t, "anna", annasPassword)
	return o
}

func (o *office) reload(t *testing.T) {
	t.Helper()
	snap, err := o.db.Load(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.web.Swap(snap)
}

// upload hands a file in, as a browser does.
func (o *office) upload(t *testing.T, name, text string, header ...string) reply {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("format", "")
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte(text))
	_ = form.Close()
	return o.send(o.URL+"/admin/import", form.FormDataContentType(), b.String(), header...)
}

// draft hands in a file that can be read and returns the address of its preview.
func (o *office) draft(t *testing.T, name, text string) string {
	t.Helper()
	r := o.upload(t, name, text)
	at := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(at, "/admin/import/") {
		t.Fatalf("upload of %s: status %d, location %q\n%s", name, r.StatusCode, at, visible(r.body))
	}
	return at
}

// dated hands in a file of prices and says of which day they are.
func (o *office) dated(t *testing.T, name, text string) string {
	t.Helper()
	at := o.draft(t, name, text)
	if !strings.Contains(o.get(at).body, "Something must be chosen.") {
		return at // it was said before
	}
	r := o.post(at, url.Values{"reading.date": {"2026-11-20"}})
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("choose a date: status %d\n%s", r.StatusCode, visible(r.body))
	}
	return r.Header.Get("Location")
}

var (
	tags  = regexp.MustCompile(`(?s)<(script|style|select)[ >].*?</(script|style|select)>|<[^>]*>`)
	space = regexp.MustCompile(`\s+`)
)

// visible is the text of a page.
func visible(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	return strings.TrimSpace(space.ReplaceAllString(tags.ReplaceAllString("<main"+main, " "), " "))
}

func wantText(t *testing.T, r reply, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(visible(r.body), text) {
			t.Errorf("%s %s: the page lacks %q:\n%s", r.Request.Method, r.Request.URL.Path, text, visible(r.body))
		}
	}
}

const rentals = `InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice
cpu_4x,,,4,16,0.2,us-east-1,,
gpu_8x,X1 40GB,8,88,448,6.32,us-east-1,,3.20
gpu_1x,X1,1,14,100,1.09,us-east-1,,
gpu_2x,X9,2,14,100,2.18,us-east-1,,
`

func TestAnImportIsPreviewedAppliedAndTakenBack(t *testing.T) {
	o := newOffice(t)
	at := o.dated(t, "vms.csv", rentals)

	page := o.get(at)
	wantText(
		t,
		page,
		"Preview: vms.csv",
		"Ready.",
		"prices added 2",
		"Names that are not clear",
		"ambiguous name",
		"no card bears it",
		"Not an accelerator",
	)
	if n := o.web.Snapshot().PriceCountOf(0); n != 0 {
		t.Fatalf("a preview has put %d prices into the catalogue", n)
	}

	r := o.post(at+"/apply", url.Values{"note": {"first prices"}})
	done := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || done != "/admin/datasets/skypilot?done=applied" {
		t.Fatalf("apply: status %d, location %q\n%s", r.StatusCode, done, visible(r.body))
	}
	page = o.get(done)
	wantText(t, page, "is active.", "Undo: switch the dataset off again", "vms.csv", "first prices", "anna", "2 prices")
	if n := o.web.Snapshot().PriceCountOf(0); n != 2 {
		t.Errorf("the catalogue has %d prices of the card, want 2", n)
	}

	r = o.post("/admin/datasets/skypilot/activate", url.Values{"revision": {"0"}})
	if r.StatusCode != http.StatusSeeOther || o.web.Snapshot().PriceCountOf(0) != 0 {
		t.Errorf("undo: status %d; the catalogue still has %d prices", r.StatusCode, o.web.Snapshot().PriceCountOf(0))
	}
	log := o.get("/admin/log?q=skypilot")
	wantText(t, log, "import.apply", "anna", "page")
}

func TestNamesThatAreNotClearAreChosenAndRemembered(t *testing.T) {
	o := newOffice(t)
	at := o.dated(t, "vms.csv", rentals)
	form := url.Values{}
	fields := regexp.MustCompile(`name="(name\.\d+)\.name" value="([^"]*)"`).FindAllStringSubmatch(o.get(at).body, -1)
	if len(fields) != 2 {
		t.Fatalf("got %d names to choose for, want 2", len(fields))
	}
	for _, f := range fields {
		form.Set(f[1]+".name", f[2])
		form.Set(f[1], map[string]string{"X1": "acme-x1-80gb", "X9": ""}[f[2]])
	}
	r := o.post(at, form)
	again := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || again == at {
		t.Fatalf("choose again: status %d, location %q\n%s", r.StatusCode, again, visible(r.body))
	}
	wantText(t, o.get(again), "prices added 3")
	if gone := o.get(at); gone.StatusCode != http.StatusNotFound {
		t.Errorf("the draft before: status %d, want 404", gone.StatusCode)
	}
	if r := o.post(again+"/apply", nil); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("apply: status %d", r.StatusCode)
	}
	next := o.draft(t, "vms.csv", strings.ReplaceAll(rentals, "1.09", "1.19"))
	wantText(t, o.get(next), "Something must be chosen.") // of which day it is, is asked each time
	r = o.post(next, url.Values{"reading.date": {"2026-11-21"}})
	wantText(t, o.get(r.Header.Get("Location")), "prices added 3")
}

func TestTheSameFileAgainChangesNothing(t *testing.T) {
	o := newOffice(t)
	if r := o.post(o.dated(t, "vms.csv", rentals)+"/apply", nil); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("apply: status %d", r.StatusCode)
	}
	page := o.get(o.dated(t, "vms.csv", rentals))
	wantText(t, page, "No change.")
	if !regexp.MustCompile(`<button class="btn primary" disabled>`).MatchString(page.body) {
		t.Error("what changes nothing can be applied")
	}
}

func TestADraftOfADatasetThatMovedIsNotApplied(t *testing.T) {
	o := newOffice(t)
	first, second := o.dated(t, "vms.csv", rentals), o.dated(t, "vms.csv", strings.ReplaceAll(rentals, "6.32", "6.40"))
	if r := o.post(first+"/apply", nil); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("apply: status %d", r.StatusCode)
	}
	r := o.post(second+"/apply", nil)
	if r.StatusCode != http.StatusConflict {
		t.Fatalf("apply of the other: status %d, want 409", r.StatusCode)
	}
	wantText(t, r, "Outdated.")
}

func TestAFileThatCannotBeReadIsRefusedWithItsPlace(t *testing.T) {
	o := newOffice(t)
	for name, c := range map[string]struct {
		file, text string
		status     int
		want       []string
	}{
		"unknown": {"notes.txt", "just some words\n", http.StatusUnprocessableEntity,
			[]string{"The file cannot be read.", "notes.txt", "format is not known"}},
		"broken": {"mine.yaml", "sources:\n  a: {publisher: P, title: [}\n", http.StatusUnprocessableEntity,
			[]string{"mine.yaml:2"}},
		"NUL": {"a.csv", "a,b\n1,\x00\n", http.StatusUnprocessableEntity, []string{"a.csv"}},
		"too large": {"big.csv", strings.Repeat("a,b\n", 1<<19), http.StatusRequestEntityTooLarge,
			[]string{"larger than 1 MiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := o.upload(t, c.file, c.text)
			if r.StatusCode != c.status {
				t.Fatalf("status %d, want %d\n%s", r.StatusCode, c.status, visible(r.body))
			}
			wantText(t, r, c.want...)
		})
	}
}

func TestTextMayBePasted(t *testing.T) {
	o := newOffice(t)
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("text", rentals)
	_ = form.Close()
	r := o.send(o.URL+"/admin/import", form.FormDataContentType(), b.String())
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d\n%s", r.StatusCode, visible(r.body))
	}
	r = o.send(o.URL+"/admin/import", form.FormDataContentType(), "--"+form.Boundary()+"--\r\n")
	if r.StatusCode != http.StatusUnprocessableEntity {
		t.Fatalf("an empty form: status %d, want 422", r.StatusCode)
	}
	wantText(t, r, "Choose a file or paste text.")
}

func TestAScriptIsToldHowFarReadingHasCome(t *testing.T) {
	o := newOffice(t)
	r := o.upload(t, "vms.csv", rentals, "Accept", "application/x-ndjson")
	lines := strings.Split(strings.TrimSpace(r.body), "\n")
	var last struct{ Location string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil ||
		!strings.HasPrefix(last.Location, "/admin/import/") {
		t.Errorf("the last line is %q (%v), want a location", lines[len(lines)-1], err)
	}
	r = o.upload(t, "notes.txt", "just some words\n", "Accept", "application/x-ndjson")
	if !strings.Contains(r.body, `"error"`) || !strings.Contains(r.body, "notes.txt") {
		t.Errorf("a file that cannot be read: %q, want an error that names it", r.body)
	}
}

func TestImportedTextIsNeverMarkup(t *testing.T) {
	o := newOffice(t)
	const evil = `<script>alert(1)</script>`
	at := o.dated(t, evil+".csv", strings.ReplaceAll(rentals, "X9", `"`+evil+`"`))
	for _, path := range []string{at, "/admin/import", "/zh" + at} {
		r := o.get(path)
		if r.StatusCode != http.StatusOK || strings.Contains(r.body, evil) || !strings.Contains(r.body, "script&gt;") {
			t.Errorf("%s: status %d; the name is not shown as text", path, r.StatusCode)
		}
	}
}

func TestWrongChoicesAreToldInTheLanguageOfTheReader(t *testing.T) {
	o := newOffice(t)
	at := o.draft(t, "vms.csv", rentals)
	for _, test := range []struct {
		choice url.Values
		want   string
	}{
		{url.Values{"dataset": {"Prices of H100"}}, "请使用小写字母"},
		{url.Values{"dataset": {"builtin"}}, "此数据集是程序自带的"},
		{url.Values{"reading.date": {"2026-13-01"}}, "日期须真实存在"},
		{url.Values{"title_en": {"Prices"}, "title_zh": {""}}, "标题须同时有两种语言"},
		{url.Values{"rank": {"many"}}, "优先级须为"},
	} {
		r := o.post("/zh"+at, test.choice)
		if r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%v: status %d, want 422", test.choice, r.StatusCode)
		}
		wantText(t, r, test.want)
	}
}

func TestAFigureIsCorrectedAndTheCorrectionTakenAway(t *testing.T) {
	o := newOffice(t)
	const at = "/admin/cards/acme-x1-40gb/figures/memory_gb"
	wantText(t, o.get(at), "What is said of it now", "40 GB Acme")

	form := url.Values{
		"value":        {"42"},
		"source_title": {"Our own measurement"},
		"publisher":    {"We"},
		"url":          {"https://example.com/we"},
		"source_kind":  {"measured"},
		"published":    {"2026-11"},
	}
	bad := o.post(at, url.Values{"value": {"many"}})
	if bad.StatusCode != http.StatusUnprocessableEntity {
		t.Fatalf("a value that is no number: status %d, want 422", bad.StatusCode)
	}
	wantText(t, bad, "Want a number above zero", "This is needed.", "Give the address of the document")
	early := url.Values{
		"value":        {"42"},
		"source_title": {"Ours"},
		"publisher":    {"We"},
		"source_kind":  {"community"},
		"published":    {"2026-13"},
	}
	wantText(t, o.post(at, early), "Use a day, month or year that exists")
	wantText(t, o.post("/zh"+at, url.Values{"value": {"0"}}), "请填写大于零的数", "此项必填")
	if r := o.post(at, url.Values{"value": {"42"}, "source_kind": {"measured"}}); r.StatusCode !=
		http.StatusUnprocessableEntity {
		t.Fatalf("a value without a source: status %d, want 422\n%s", r.StatusCode, visible(r.body))
	}
	r := o.post(at, form)
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("correct: status %d\n%s", r.StatusCode, visible(r.body))
	}
	if v := memoryOf(o); v != 42 {
		t.Errorf("the catalogue shows %v GB, want 42", v)
	}
	form.Set("do", "remove")
	if r := o.post(at, form); r.StatusCode != http.StatusSeeOther || memoryOf(o) != 40 {
		t.Errorf("take the correction away: status %d, the catalogue shows %v GB, want 40", r.StatusCode, memoryOf(o))
	}
}

func memoryOf(o *office) float64 {
	s := o.web.Snapshot()
	row, _ := s.Find("acme-x1-40gb")
	q, _ := catalog.LookupQuantity("memory_gb")
	v, _ := s.Number(q, row)
	return v
}

func TestRanksAreSetWithinTheirLimits(t *testing.T) {
	o := newOffice(t)
	if r := o.post("/admin/datasets/builtin/rank", url.Values{"rank": {"5000"}}); r.StatusCode !=
		http.StatusUnprocessableEntity {
		t.Errorf("a rank of 5000: status %d, want 422", r.StatusCode)
	}
	if r := o.post("/admin/datasets/builtin/rank", url.Values{"rank": {"50"}}); r.StatusCode != http.StatusSeeOther {
		t.Errorf("a rank of 50: status %d, want 303", r.StatusCode)
	}
	wantText(t, o.get("/admin/datasets/builtin?done=ranked"), "The rank is set.")
	if r := o.post("/admin/datasets/nobody/rank", url.Values{"rank": {"50"}}); r.StatusCode != http.StatusNotFound {
		t.Errorf("a dataset that does not exist: status %d, want 404", r.StatusCode)
	}
}

// send posts a body of any type.
func (o *office) send(address, contentType, body string, header ...string) reply {
	o.browser.t.Helper()
	t := o.browser.t
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := o.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp, string(text)}
}
