package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/web"

	"tianti/test/slow"
)

// newServer serves n synthetic cards and a few with telling names.
func newServer(t testing.TB, n int, change func(*web.Config)) *web.Server {
	t.Helper()
	cfg := web.Config{}
	if change != nil {
		change(&cfg)
	}
	s := web.New(cfg)
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, sample.Dataset("synthetic", n), named))
	return s
}

// named holds cards to look up by name; its figures are made up.
var named = catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
	{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet",
		Published: "2024"},
	{ID: "list", Publisher: "Someone", Title: "A list", Kind: "community"},
}, Cards: []catalog.Card{
	{ID: "acme-x1-40gb", Name: "X1 40GB", Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Architecture: "Xenon",
		Aliases: []string{"ACME X1-40GB", "X1"}, PCIIDs: []string{"ab12:0001"}, Facts: []catalog.Fact{
			{Quantity: "bf16_matrix_dense_tflops", Number: 312, Source: "sheet",
				Note: catalog.Text{En: "a note", Zh: "注释"}},
			{Quantity: "bf16_matrix_dense_tflops", Number: 624, Source: "list",
				Superseded: catalog.Text{En: "sparse", Zh: "稀疏值"}},
			{Quantity: "memory_gb", Number: 40, Source: "sheet"}, {Quantity: "memory_gb", Number: 48, Source: "list"},
			{Quantity: "memory_bandwidth_gb_s", Number: 1555, Source: "sheet"},
			{Quantity: "bf16", Text: "true", Source: "sheet"},
			{Quantity: "launched", Text: "2024-05", Source: "sheet"}, {Quantity: "form_factor", Text: "=SUM(A1)",
				Source: "sheet"}}},
	{ID: "acme-x1-80gb", Name: "X1 80GB", Vendor: "Acme", Kind: "gpu", Segment: "datacenter",
		Aliases: []string{"ACME X1-80GB", "X1"},
		PCIIDs:  []string{"ab12:0002"}, Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 80, Source: "sheet"},
			{Quantity: "bf16", Text: "false", Source: "sheet"}}},
}}

func get(t testing.TB, s http.Handler, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryPageAnswersInBothLanguages(t *testing.T) {
	s := newServer(t, 30, nil)
	for _, path := range []string{"/", "/cards", "/cards/acme-x1-40gb", "/compare",
		"/compare?card=acme-x1-40gb&card=acme-x1-80gb", "/sources", "/sources/sheet",
		"/sources/synthetic/synthetic-datasheet", "/data-health", "/architectures", "/architectures?id=northwind-alder",
		"/ecosystem", "/glossary", "/methodology", "/api"} {
		for prefix, lang := range map[string]string{"": "en", "/zh": "zh-Hans"} {
			r := get(t, s, prefix+path)
			body := bodyOf(t, r)
			if r.StatusCode != 200 || !strings.Contains(body, `<html lang="`+lang+`"`) {
				t.Errorf("%s%s: status %d, lang=%q missing: %v", prefix, path, r.StatusCode, lang,
					!strings.Contains(body, lang))
			}
			if n := strings.Count(body, "<h1"); n != 1 {
				t.Errorf("%s%s: %d h1", prefix, path, n)
			}
			if strings.Contains(body, `src="http`) || strings.Contains(body, " style=") ||
				strings.Contains(body, "<style") {
				t.Errorf("%s%s: loads from another host or has inline style", prefix, path)
			}
		}
	}
}

func TestBadInputIsRefusedByName(t *testing.T) {
	s := newServer(t, 30, nil)
	long := strings.Repeat("a", 100<<10)
	for target, want := range map[string]struct {
		status int
		says   string
	}{
		"/api/v1/cards?memry_gb=1":                                    {400, "memory_gb"},
		"/api/v1/cards?limit=5&limit=6":                               {400, "limit"},
		"/api/v1/cards?limit=0":                                       {400, "1 … 1000"},
		"/api/v1/cards?limit=-1":                                      {400, "limit"},
		"/api/v1/cards?limit=1000000000":                              {400, "limit"},
		"/api/v1/cards?sort=-memory":                                  {400, "sort"},
		"/api/v1/cards?fields=nope":                                   {400, "fields"},
		"/api/v1/cards?memory_gb=80..24":                              {400, "24..80"},
		"/api/v1/cards?cursor=zzz":                                    {400, "cursor"},
		"/api/v1/cards?q=" + long:                                     {414, "longer"},
		"/api/v1/cards?q=%zz":                                         {400, "percent"},
		"/api/v1/cards?a=1;b=2":                                       {400, "percent"},
		"/api/v1/cards/nope":                                          {404, "nope"},
		"/api/v1/cards/acme-x1-40gb?x=1":                              {400, "x"},
		"/api/v1/cards/%2e%2e%2fetc":                                  {404, "no"},
		"/api/v1/metrics?x=1":                                         {400, "x"},
		"/api/v1/compare":                                             {400, "card"},
		"/api/v1/compare?card=acme-x1-40gb":                           {400, "2 … 8"},
		"/api/v1/compare?card=acme-x1-40gb&card=nope":                 {404, "nope"},
		"/api/v1/compare?card=acme-x1-40gb&card=acme-x1-80gb&lang=fr": {400, "lang"},
		"/api/v1/peak":                                                {400, "device"},
		"/api/v1/peak?device=acme-x1-40gb&precision=fp17":             {400, "fp16"},
		"/api/v1/peak?device=Voodoo2":                                 {404, "Voodoo2"},
		"/api/v1/peak?device=X1":                                      {409, "acme-x1-80gb"},
		"/api/v1/peak?device=acme-x1-80gb":                            {404, "BF16"},
		"/api/v1/nothing":                                             {404, "nothing"},
		"/cards.json?memory_gb=lots":                                  {400, "memory_gb"},
		"/cards.csv?sort=nope":                                        {400, "sort"},
		"/cards.xml":                                                  {404, "cards.xml"},
		"/cards/nope.json":                                            {404, "nope"},
		"/fr/cards":                                                   {404, "/fr/cards"},
		"//evil.example/":                                             {404, "evil"},
		"/compare.json?card=acme-x1-40gb":                             {400, "2 … 8"},
	} {
		r := get(t, s, target)
		body := bodyOf(t, r)
		if r.StatusCode != want.status || !strings.Contains(body, want.says) {
			t.Errorf("%.80s: got %d %.300s, want %d with %q", target, r.StatusCode, body, want.status, want.says)
		}
		ct := r.Header.Get("Content-Type")
		isPage := !strings.Contains(target, "/api/") && !strings.Contains(target, ".json") &&
			!strings.Contains(target, ".csv")
		if isPage != strings.HasPrefix(ct, "text/html") || !isPage && ct != "application/problem+json" {
			t.Errorf("%.80s: Content-Type %q", target, ct)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%.80s: an error may be cached", target)
		}
	}
}

func TestBadRangeOnThePageKeepsTheRestAndMarksTheField(t *testing.T) {
	s := newServer(t, 30, nil)
	r := get(t, s, "/zh/cards?memory_gb=lots&vendor=Acme&nonsense=1")
	body := bodyOf(t, r)
	if r.StatusCode != 400 {
		t.Errorf("got %d, want 400", r.StatusCode)
	}
	for _, want := range []string{`value="lots"`, `aria-invalid="true"`, "没有参数“nonsense”", "X1 40GB"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(body, "Accelerator 0000") {
		t.Error("the vendor filter was lost")
	}
}

func TestComparisonsOfNineAreRefused(t *testing.T) {
	s := newServer(t, 30, nil)
	query := "?"
	for i := range 9 {
		query += fmt.Sprintf("card=synthetic-%06d&", i)
	}
	for _, path := range []string{"/compare", "/zh/compare", "/compare.json", "/api/v1/compare"} {
		if r := get(t, s, path+query); r.StatusCode != 400 || !strings.Contains(bodyOf(t, r), "2 … 8") {
			t.Errorf("%s: got %d", path, r.StatusCode)
		}
	}
}

func TestMethods(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/cards", 200}, {"HEAD", "/api/v1/cards", 200}, {"HEAD", "/nope", 404},
		{"OPTIONS", "/api/v1/cards", 204},
		{"GET", "/cards/?q=x", 308}, {"GET", "/zh", 308}, {"GET", "//evil.example/", 404},
		{"POST", "/cards", 405}, {"DELETE", "/api/v1/cards", 405}, {"PATCH", "/", 405},
		{"HEAD", "/static/nope.css", 404},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status {
			t.Errorf("%s %s: got %d, want %d", c.method, c.path, w.Code, c.status)
		}
		if c.method == "HEAD" && w.Body.Len() > 0 && !strings.HasPrefix(c.path, "/static") {
			t.Errorf("HEAD %s: has a body of %d bytes", c.path, w.Body.Len())
		}
		if c.status == 405 && w.Header().Get("Allow") == "" {
			t.Errorf("%s %s: no Allow header", c.method, c.path)
		}
	}
}

func TestSecurityHeadersAreOnEveryAnswer(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, path := range []string{"/", "/cards", "/nope", "/api/v1/cards", "/api/v1/nope", "/healthz", "/readyz",
		"/static/nope", "/cards.csv", "/favicon.ico"} {
		h := get(t, s, path).Header
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"),
			"default-src 'none'") {
			t.Errorf("%s: got %v", path, h)
		}
		if h.Get("Location") == "" && strings.HasPrefix(h.Get("Content-Type"), "text/html") &&
			(h.Get("Referrer-Policy") == "" || !strings.Contains(h.Get("Content-Security-Policy"),
				"script-src 'self';")) {
			t.Errorf("%s: a page with %v", path, h)
		}
	}
}

func TestANewRevisionIsSeenAtOnce(t *testing.T) {
	s := newServer(t, 3, nil)
	before := get(t, s, "/api/v1/cards?q=X1")
	s.Swap(catalog.NewSnapshot(8, sample.Dataset("synthetic", 3)))
	after := get(t, s, "/api/v1/cards?q=X1", "If-None-Match", before.Header.Get("Etag"))
	if after.StatusCode != 200 || !strings.Contains(bodyOf(t, after), `"snapshot":"8"`) {
		t.Errorf("got %d, want the answer of revision 8", after.StatusCode)
	}
}

func TestUntilTheFirstSnapshotTheServerSaysSo(t *testing.T) {
	s := web.New(web.Config{})
	defer s.Close()
	for path, want := range map[string]int{"/": 503, "/api/v1/cards": 503, "/readyz": 503, "/healthz": 200} {
		if r := get(t, s, path); r.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, r.StatusCode, want)
		}
	}
}

func TestAPartialCatalogueIsMarkedAndNotCached(t *testing.T) {
	s := web.New(web.Config{})
	defer s.Close()
	b := catalog.NewBuilder(1)
	d := sample.Dataset("synthetic", 10)
	h := b.AddDataset(d)
	for i, c := range d.Cards {
		if b.AddCard(h, c); i == 4 {
			b.SetProgress(5, 10)
			s.Swap(b.Build())
		}
	}
	if body := bodyOf(t, get(t, s, "/api/v1/cards")); !strings.Contains(body, `"loading":{"loaded":5,"total":10}`) {
		t.Errorf("the partial answer does not say so: %.200s", body)
	}
	if body := bodyOf(t, get(t, s, "/zh/cards")); !strings.Contains(body, "正在载入") {
		t.Error("the partial page does not say so")
	}
	b.SetProgress(10, 10)
	s.Swap(b.Build())
	if body := bodyOf(t, get(t, s, "/api/v1/cards")); strings.Contains(body, "loading") ||
		!strings.Contains(body, `"total":10`) {
		t.Errorf("after loading: %.200s", body)
	}
}

func TestUnexpectedErrorsShowOnlyAnID(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, 3, func(c *web.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		c.Healthy = func(*http.Request) error { panic("secret detail") }
	})
	r := get(t, s, "/readyz")
	var p struct{ Instance, Detail string }
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != 500 || p.Instance == "" || strings.Contains(p.Detail, "secret") {
		t.Errorf("got %d %+v", r.StatusCode, p)
	}
	if !strings.Contains(log.String(), p.Instance) || !strings.Contains(log.String(), "secret detail") {
		t.Errorf("the log lacks the id or the cause: %s", log.String())
	}
}

func TestTheLimitCountsMissesByClient(t *testing.T) {
	s := newServer(t, 30, func(c *web.Config) {
		c.MissesPerMin = 2
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's peer is 192.0.2.1
	})
	ask := func(client, path string) int {
		return get(t, s, path, "X-Forwarded-For", "8.8.8.8, "+client).StatusCode
	}
	for i, want := range []int{200, 200, 429} {
		if got := ask("198.51.100.1", fmt.Sprintf("/api/v1/cards?limit=%d", 1+i/2)); got != want {
			t.Errorf("request %d: got %d, want %d", i+1, got, want)
		}
	}
	if got := ask("198.51.100.1", "/api/v1/cards?limit=1"); got != 200 {
		t.Errorf("a cached page: got %d, want 200", got)
	}
	if got := ask("198.51.100.2", "/api/v1/cards?limit=9"); got != 200 {
		t.Errorf("another client: got %d, want 200", got)
	}
	if r := get(t, s, "/cards?limit=8", "X-Forwarded-For", "198.51.100.1"); r.StatusCode != 429 ||
		r.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q", r.StatusCode, r.Header.Get("Retry-After"))
	}
}

func TestPeakAnswersExactlyOrNotAtAll(t *testing.T) {
	s := newServer(t, 3, nil)
	for device, match := range map[string]string{"acme-x1-40gb": "card_id", "ACME X1-40GB": "name",
		"acme x1 40gb": "name", "AB12:0001": "pci_id"} {
		var p struct {
			Card  struct{ ID string }
			Match string
			Value float64
			Ops   float64 `json:"ops_per_s"`
		}
		r := get(t, s, "/api/v1/peak?device="+url.QueryEscape(device))
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Card.ID != "acme-x1-40gb" || p.Match != match || p.Value != 312 || p.Ops != 312e12 {
			t.Errorf("%s: got %+v", device, p)
		}
	}
}

func TestACardShowsWhatEverySourceSays(t *testing.T) {
	s := newServer(t, 3, nil)
	var d struct {
		Figures map[string]struct {
			Value  float64
			Source string
			Others []struct {
				Value      float64
				Superseded *catalog.Text
			}
		}
		Features map[string]bool
	}
	if err := json.NewDecoder(get(t, s, "/api/v1/cards/acme-x1-40gb").Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	bf16 := d.Figures["bf16_matrix_dense_tflops"]
	if bf16.Value != 312 || len(bf16.Others) != 1 || bf16.Others[0].Value != 624 || bf16.Others[0].Superseded == nil ||
		!d.Features["bf16"] {
		t.Errorf("got %+v", d)
	}
	page := bodyOf(t, get(t, s, "/zh/cards/acme-x1-40gb"))
	for _, want := range []string{"312", "624", "稀疏值", "注释", "48", "https://example.com/a"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestRequestsWhileTheCatalogueIsSwapped(t *testing.T) {
	slow.Raced(t, "ahead.go")
	s := newServer(t, 50, func(c *web.Config) { c.Ahead = true })
	other := catalog.NewSnapshot(8, sample.Dataset("synthetic", 50), named)
	paths := []string{"/cards", "/cards.json?limit=5", "/zh/cards/acme-x1-40gb",
		"/compare?card=acme-x1-40gb&card=acme-x1-80gb", "/api/v1/cards?q=x1"}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				if i == 0 {
					s.Swap(other)
				}
				path := paths[(i+j)%len(paths)]
				if r := get(t, s, path, "Accept-Encoding", []string{"", "gzip", "br, zstd"}[j%3]); r.StatusCode != 200 {
					t.Errorf("%s: got %d", path, r.StatusCode)
				}
			}
		})
	}
	wg.Wait()
}

func TestTheAccessLogNamesTheRoute(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, 3, func(c *web.Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	for range 2 { // a miss, and a page from the cache
		get(t, s, "/zh/cards/acme-x1-40gb")
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for _, line := range lines {
		var e struct {
			Method, Pattern, Path string
			Status, Bytes         int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Method != "GET" || e.Pattern != "/zh/cards/{id}" || e.Path != "/zh/cards/acme-x1-40gb" ||
			e.Status != 200 || e.Bytes == 0 {
			t.Errorf("got %s", line)
		}
	}
	if len(lines) != 2 {
		t.Errorf("got %d lines, want 2", len(lines))
	}
}

func TestReadyComparisonsMayBeIndexed(t *testing.T) {
	s := builtinServer(t, func(c *web.Config) { c.Origin = "https://tianti.example" })
	const pair, other = "card=nvidia-a100-sxm4-80gb&card=nvidia-a800-sxm4-80gb", "card=nvidia-l40s&card=nvidia-l4"
	for query, indexed := range map[string]bool{pair: true, pair + "&rows=all": false,
		pair + "&baseline=nvidia-a800-sxm4-80gb": false, other: false} {
		body := bodyOf(t, get(t, s, "/zh/compare?"+query))
		if strings.Contains(body, "noindex") == indexed {
			t.Errorf("%s: may be indexed %v, want %v", query, !indexed, indexed)
		}
		if want := `<link rel="canonical" href="https://tianti.example/zh/compare?` + strings.ReplaceAll(pair, "&",
			"&amp;") + `">`; query != other && !strings.Contains(body, want) {
			t.Errorf("%s: the page lacks %s", query, want)
		}
	}
}
