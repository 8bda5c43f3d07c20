//go:build unix

package web_test

import (
	"compress/flate"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/seed"
	"tianti/sizing"
	"tianti/test/slow"
	"tianti/web"
)

// many is a query of n parameters, as far as an address goes; each is format with its number.
func many(path string, n int, format string) string {
	var b strings.Builder
	b.WriteString(path + "?")
	for i := range n {
		part := fmt.Sprintf(format, i)
		if b.Len()-len(path)+len(part) > 8000 {
			break
		}
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(part)
	}
	return b.String()
}

// builtinData are the built-in data.
var builtinData = sync.OnceValue(func() catalog.Dataset {
	d, err := seed.Builtin()
	if err != nil {
		panic(err)
	}
	return d
})

// cardsOf is a query that names cards of the built-in catalogue.
func cardsOf(path, format string, from, n int) string {
	d := builtinData()
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(format, d.Cards[(from+i)%len(d.Cards)].ID))
	}
	return path + "?" + strings.Join(parts, "&")
}

// dearest are the addresses of each route that cost the most, good and bad: what review-security found, what each
// parameter does at its bound, and every format.
func dearest() []string {
	const h100 = "nvidia-h100-sxm5-80gb"
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	list := []string{
		"/", "/api", "/api/openapi.json", "/robots.txt", "/cite/csl?page=%2Fcards%3Flimit%3D1000", "/citation.cff",
		"/llms.txt", "/llms-full.txt", "/accuracy", "/accuracy.csv", "/accuracy.json", "/accuracy.md",
		"/calculator?model=deepseek-v3&context=1000000&cards=4096", "/ecosystem", "/glossary", "/methodology",
		"/data-health", "/live", "/live.json", "/sources", "/sources/wikipedia-nvidia-gpus",
		"/sources/builtin/wikipedia-nvidia-gpus",
		"/ladders", "/licenses", "/licenses.csv", "/licenses.md",
		many("/cards", 700, "memry%d=1"), many("/cards", 900, "vendor=zz%d"), "/cards?q=" + long("h100+", 1500),
		"/cards?fields=" + long("zzz,", 2000), "/cards?sort=" + long("zzz,", 2000), "/cards?limit=1000",
		"/cards?currency=CNY&buy=used", "/cards?export=licence_required&destination=CN&as_of=2026-01-15",
		"/cards.json?limit=1000&currency=EUR", "/cards.csv?limit=1000&currency=GBP",
		"/cards.md?limit=1000&currency=JPY",
		"/cards/" + long("a", 4000), "/cards/" + h100 + "?destination=CN&currency=EUR", "/cards/" + h100 + ".json",
		"/cards/nvidia-geforce-rtx-4090?better=memory_gb&better=fp32_vector_tflops&buy=used&currency=EUR",
		"/og/cards/" + h100 + ".png", "/nope/" + long("h100-", 800),
		"/compare?card=a&card=b&card=c&card=d&card=e&card=f&card=g&card=h&card=i", many("/compare", 900, "card=zz%d"),
		many("/compare", 900, "card=a%d"), cardsOf("/compare", "card=%s", 200, 8) + "&rows=all&currency=CNY",
		cardsOf("/compare.json", "card=%s", 100, 8) + "&rows=all", cardsOf("/compare.csv", "card=%s", 100,
			8) + "&rows=all",
		cardsOf("/compare.md", "card=%s", 100, 8) + "&rows=all", cardsOf("/og/compare.png", "card=%s", 200, 8),
		cardsOf("/embed/compare", "card=%s", 200, 8),
		"/ladders/decode_8b.png", "/ladders/decode_8b.pdf", "/ladders/decode_8b.svg", "/ladders/decode_8b.csv",
		"/ladders/fp32_vector_tflops.png?columns=vendor", "/ladders/fp32_vector_tflops.png?columns=generation",
		"/ladders/fp32_vector_tflops?band=1.1&columns=generation&segment=all", "/ladders/rent_price?currency=JPY",
		"/ladders/price_per_gb.png?currency=CNY", many("/ladders/memory_gb", 900, "zz%d=1"),
		"/ladders/" + long("z", 4000),
		"/ladders/measured/desktop", "/ladders/measured/blender-4.5.png", "/og/ladders/decode_8b.png",
		"/og/ladders/measured/desktop.png", "/ladders/measured/desktop?segment=all",
		"/plot?color=series", "/plot.png?color=series", "/plot.svg?color=series", "/plot.json", "/plot.csv", "/plot.md",
		"/plot?x=rent_price&currency=CNY", "/plot?x=buy_price&buy=used&currency=EUR", many("/plot", 900, "zz%d=1"),
		"/plot?x=" + long("z", 7000),
		"/prices?currency=EUR", "/prices.csv?currency=EUR", "/prices.json?currency=GBP", "/prices.md?currency=JPY",
		"/prices?sort=used&currency=CNY", many("/prices", 900, "seller=zz%d"), "/prices/" + h100 + "?currency=CNY",
		"/prices/" + h100 + ".png?currency=CNY", "/prices/" + h100 + ".svg", "/prices/" + h100 + ".csv",
		"/export-control?destination=CN&headquarters=CN", "/export-control.md?destination=CN", "/export-control.csv",
		"/export-control.json?destination=AE", many("/export-control", 900, "vendor=zz%d"),
		"/export-control/US-BIS-2023-3A090?destination=RU", many("/export-control/worksheet", 900, "zz%d=1"),
		"/recommend?model=1B&task=full&cards=16384&batch=4096",
		"/recommend?model=72B&task=qlora&budget=60000&currency=CNY&acquire=buy",
		"/recommend?model=70B&task=lora&budget=6000&currency=USD&cards=1&acquire=buy",
		"/recommend.csv?model=deepseek-v3&cards=16384&context=131072",
		"/recommend?model=70B&task=pretrain&cards=16384&tokens=1000000000000&max_hours=1",
		"/recommend.json?model=deepseek-v3&task=full&cards=16384",
		"/recommend.md?cards=4&model=70B&task=qlora&currency=CNY",
		"/recommend?model=qwen3-235b-a22b&budget=100&currency=USD",
		"/recommend?model=qwen3-235b-a22b&budget=5000&currency=USD",
		"/recommend?model=70B&task=lora&budget=90&currency=EUR",
		"/recommend?model=llama-3.3-70b&budget=100&currency=CNY", "/recommend?model=kimi-k2&task=full",
		"/recommend?cards=8&model=7B&task=full&optimizer=adamw-8bit&checkpointing=full",
		many("/recommend", 900, "zz%d=1"),
		"/og/recommend.png?model=1B&task=full&cards=16384&batch=4096",
		many("/recommend", 900, "model=zz%d"), "/recommend/" + h100 + "?model=deepseek-v3&cards=16384&task=full",
		many("/recommend/mine", 900, "has=x%d"), many("/recommend/mine", 390, "has=x%d"),
		many("/recommend/mine", 16, "has=x%d"),
		cardsOf("/recommend/mine", "own=%s:9", 0, 50), cardsOf("/recommend/mine", "own=%s:9", 150, 16),
		cardsOf("/recommend/mine.md", "own=%s:8", 0, 16), "/recommend/mine?own=" + long("a,", 4000),
		"/serve?model=llama-3.1-8b&concurrency=100000&prompt=10000&output=10000",
		"/serve?model=deepseek-v3&concurrency=100000&prompt=100000&output=100000&ttft_ms=10&user_speed=1000",
		"/serve?model=qwen3-235b-a22b&concurrency=100&prompt=4000&output=1000&user_speed=20",
		"/serve.csv?model=qwen3-32b&concurrency=500&prompt=1000&output=500&ttft_ms=1000&user_speed=20",
		"/serve/" + h100 + "?model=deepseek-v3&concurrency=100000&prompt=100000&output=100000",
		"/serve/nvidia-b200-sxm6-180gb?model=deepseek-r1&concurrency=1000&prompt=1000&output=1000&user_speed=50",
		"/changes?from=1990-01-01&limit=1000", "/api/v1/changes?from=1990-01-01&limit=1000", "/feed.xml", "/feed.json",
		"/recommend/nvidia-geforce-rtx-4090?with=2x3090,3080,4080,4070,P40,T4,V100&model=llama-3.1-70b",
		"/recommend/mine?own=4090%2B2x3090%2B4080%2B4070%2BP40%2BT4",
		"/feed.xml?vendor=NVIDIA", "/feed.xml?below=1000000000&currency=CNY", "/feed.xml?card=" + h100,
		many("/architectures", 900, "id=zz%d"), "/architectures?id=nvidia-hopper&id=nvidia-blackwell&id=amd-cdna-3",
		"/r/1", "/r/1/cards?q=" + long("h100+", 1500), "/r/1/ladders", "/cards?as_of=2025-06-30",
		"/export-control?as_of=2025-06-29", "/prices?as_of=2025-06-28", "/ladders/memory_gb?as_of=2018-06-30",
		"/architectures.json", "/search?q=" + long("h100+", 1500), "/search?q=" + long("a", 8000),
		"/search/suggest?q=" + long("a+", 200), "/search/suggest?q=e", "/search/suggest?go=1&q=" + long("a+b+", 20),
		"/search?q=8x+h100+vs+mi300x+deepseek-v3+price+export", "/search?q=full+fine-tuning+kimi-k2",
		"/search?q=8x+h100+vs+mi300x+vs+b200+serve+deepseek-v3+1000+users", "/search?q=llama+70b+at+home",
		"/search?q=serve+qwen3-235b+for+500+users", "/search?q=how+many+h20+for+kimi-k2",
		"/search?q=" + long("h100,a1+b2+c3+d4+e5+f6+g7,", 3), "/search?q=" + long("q1+b2+m3+zz4+", 14),
		"/search?q=pretrain+kimi-k2+in+russia+on+1024+gpus", "/search?q=full+fine-tuning+deepseek-v3+in+iran",
		many("/api/v1/cards", 700, "memry%d=1"), "/api/v1/cards?limit=1000&currency=CNY", "/api/v1/cards/" + h100,
		many("/api/v1/compare", 900, "card=zz%d"), cardsOf("/api/v1/compare", "card=%s", 30, 8),
		"/api/v1/ladders/decode_8b",
		"/api/v1/ladders/measured/desktop", "/api/v1/metrics", "/api/v1/sources", "/api/v1/architectures",
		"/api/v1/peak?device=" + long("nvidia+h100+", 600), "/api/v1/peak?device=" + long("a", 8000),
		"/api/v1/export-control?card=" + h100 + "&destination=CN", "/api/v1/prices?currency=EUR&limit=1000",
		"/api/v1/offers?currency=GBP&limit=1000",
		"/api/v1/recommend?model=deepseek-v3&task=full&cards=16384&limit=1000",
		"/api/v1/estimate?model=deepseek-v3&card=" + h100 + "&cards=16384",
		"/api/v1/serve?model=deepseek-v3&concurrency=100000&prompt=100000&output=1000&limit=1000",
		"/api/v1/serve/plan?card=" + h100 + "&model=deepseek-v3&concurrency=100000", "/api/v1/search?q=" +
			long("a", 8000),
		"/embed/plot?color=series", "/embed/prices/" + h100 + "?currency=CNY", "/embed/ladders/decode_8b",
		"/embed/ladders/measured/desktop", "/badge/" + h100 + ".svg", "/badge/" + h100,
		"/api/v1/models?limit=1000", "/api/v1/models/config", "/api/v1/live",
	}
	return list
}

// computed is the processor time of this process so far.
func computed(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// usualWork is how long the work of [slowness] takes on a core that does nothing else.
const usualWork = 16 * time.Millisecond

// words are what [slowness] works on.
var words = sync.OnceValue(func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]string, 50_000)
	for i := range out {
		out[i] = strconv.FormatUint(r.Uint64()%1e9, 36)
	}
	return out
})

// slowness is how many times as long a piece of work takes at the moment as on such a core, 1 to 2: text is compressed,
// words are sorted. Two processors of a host are often one core, and each is half as slow again while the other works.
func slowness(t testing.TB) float64 {
	t.Helper()
	list := slices.Clone(words())
	before := computed(t)
	w, err := flate.NewWriter(io.Discard, 5)
	if err == nil {
		_, err = io.WriteString(w, strings.Join(list, " "))
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return max(1, min(2, float64(computed(t)-before)/float64(usualWork)))
}

// alone is what a cost beyond a limit would be on a core that does nothing else.
func alone(t testing.TB, cost, most time.Duration) time.Duration {
	if cost > most {
		cost = time.Duration(float64(cost) / slowness(t))
	}
	return cost
}

// costs asks each address until it has cost less than most on a core of its own, see [slowness], or five times, and
// fails for those that never did.
func costs(t *testing.T, s *web.Server, most time.Duration, report bool) {
	t.Helper()
	for _, address := range dearest() {
		least := time.Hour
		var status, length int
		again := false
		for n := 0; n < 5 && least > most || report && n < 2; n++ {
			r, err := http.NewRequest(http.MethodGet, "http://x"+address, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr = "127.0.0.1:1"
			w := httptest.NewRecorder()
			if n > 0 || report { // most are cheap at once, whatever is collected meanwhile
				runtime.GC()
			}
			before := computed(t)
			s.ServeHTTP(w, r)
			if w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "" && !again {
				again = true // a past day is put together beside requests, with as long a rest after each
				s.Settle()
				n--
				continue
			}
			least = min(least, alone(t, computed(t)-before, most))
			status, length = w.Code, w.Body.Len()
		}
		if report {
			t.Logf("%7.1f ms %d %7d %.100s", float64(least.Microseconds())/1000, status, length, address)
		}
		if status >= 500 && !strings.Contains(address, "live") {
			t.Errorf("%.200s: got %d, want an answer", address, status)
		}
		if least > most {
			t.Errorf("%.200s took %v of CPU, want %v at most", address, least.Round(time.Millisecond), most)
		}
	}
}

func TestEveryRouteHasItsDearestAddress(t *testing.T) {
	s := newEmpty(t, nil).web
	asked := map[string]bool{}
	for _, address := range dearest() {
		path, _, _ := strings.Cut(address, "?")
		asked[s.Routes().Find(chi.NewRouteContext(), http.MethodGet, path)] = true
	}
	for _, r := range routesOf(t, s) {
		switch {
		case r.method != http.MethodGet, r.isAdmin(), strings.HasPrefix(r.pattern, "/zh"), // the same handlers
			strings.HasPrefix(r.pattern, "/static/"), strings.HasSuffix(r.pattern, "/stream"),
			strings.HasPrefix(r.pattern, "/api/v1/imports"), strings.HasPrefix(r.pattern, "/api/v1/datasets"),
			// refused before anything is done
			strings.HasPrefix(r.pattern, "/api/v1/log"), strings.HasPrefix(r.pattern, "/api/v1/webhooks"):
		case strings.HasPrefix(r.pattern, "/catalogue."): // made once a revision and day, and kept
		case strings.HasPrefix(r.pattern, "/api/v1/prices."): // as long as the history; few run at a time
		case r.pattern == "/healthz", r.pattern == "/readyz", r.pattern == "/metrics", r.pattern == "/favicon.ico",
			r.pattern == "/sitemap.xml": // there is none without an origin
		case !asked[r.pattern]:
			t.Errorf("no dearest address has the route %s", r.pattern)
		}
	}
}

// mostCPU is what a request may cost with the built-in catalogue, mostCPUOfMillion with ten thousand cards and a
// million prices; beside other tests, which share caches and cores, the clock counts up to a quarter more.
const (
	mostCPU          = 60 * time.Millisecond * 5 / 4
	mostCPUOfMillion = 150 * time.Millisecond * 5 / 4
)

func TestNoRequestCostsMuch(t *testing.T) {
	s := settledServer(t, func(c *web.Config) { c.CacheBytes = 1 })
	costs(t, s, mostCPU, testing.Verbose())
}

// settledServer serves the built-in catalogue with what sizing needs.
func settledServer(t *testing.T, change func(*web.Config)) *web.Server {
	t.Helper()
	adv, err := sized()
	if err != nil {
		t.Fatal(err)
	}
	s := builtinServer(t, func(c *web.Config) {
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }
		c.Ahead = true
		change(c)
	})
	s.Settle()
	return s
}

// largeCatalogue is the built-in one with synthetic cards and prices beside it.
func largeCatalogue(t *testing.T, cards, prices int) *catalog.Snapshot {
	t.Helper()
	d := builtinData()
	more := sample.Dataset("synthetic", cards-len(d.Cards))
	kinds := []catalog.PriceKind{catalog.StreetPrice, catalog.UsedPrice, catalog.OnDemand, catalog.Spot,
		catalog.Reserved}
	currencies := []string{"USD", "CNY", "EUR", "JPY"}
	for i := range prices {
		p := catalog.Price{Card: more.Cards[i%len(more.Cards)].ID, Kind: kinds[i/7%len(kinds)], Cards: 1,
			Seller: fmt.Sprintf("seller %d", i%200), Region: fmt.Sprintf("region-%d", i%40),
			Date: catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+i%10, 1+i%28)), Source: more.Sources[0].ID}
		p.Unit, p.Amount = catalog.PerCard, catalog.Money{Micros: int64(1e9 + i),
			Currency: currencies[i/3%len(currencies)]}
		if p.Kind != catalog.StreetPrice && p.Kind != catalog.UsedPrice {
			p.Unit, p.Amount.Micros = catalog.PerHour, int64(1e6+i)
		}
		more.Prices = append(more.Prices, p)
	}
	return catalog.NewSnapshot(1, d, more)
}

func TestFullNoRequestCostsMuchWithAMillionPrices(t *testing.T) {
	slow.Only(t)
	snap := largeCatalogue(t, 10_000, 1_000_000)
	s := web.New(web.Config{CacheBytes: 1, Ahead: true,
		NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizing.New(seed.Sizing(), s) }})
	t.Cleanup(s.Close)
	s.Swap(snap)
	s.Settle()
	costs(t, s, mostCPUOfMillion, testing.Verbose())
}

func TestWorkEndsWhenTheClientHangsUp(t *testing.T) {
	log := &logBuffer{}
	s := settledServer(t, func(c *web.Config) {
		c.CacheBytes, c.Log = 1, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	for _, address := range []string{"/ladders/decode_8b.png", "/recommend?model=1B&task=full&cards=16384&batch=4096",
		cardsOf("/recommend/mine", "own=%s:9", 150, 16), "/cards?limit=1000",
		"/serve?model=llama-3.1-8b&concurrency=100000&prompt=10000&output=10000"} {
		least := time.Hour
		for n := 0; n < 5 && least > 20*time.Millisecond; n++ {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			hungUp := make(chan time.Time, 1)
			time.AfterFunc(2*time.Millisecond, func() { hungUp <- time.Now(); cancel() })
			s.ServeHTTP(httptest.NewRecorder(), r)
			ended := time.Now()
			least = min(least, ended.Sub(<-hungUp))
		}
		if least > 20*time.Millisecond {
			t.Errorf("%.80s went on for %v, want 20 ms at most", address, least)
		}
	}
	if log.b.Len() > 0 {
		t.Errorf("a client that hung up is logged:\n%s", log.b.String())
	}
}

func TestErrorsTakeOfTheLimitToo(t *testing.T) {
	s := newServer(t, 3, func(c *web.Config) { c.MissesPerMin = 2 })
	for i, want := range []int{400, 404, 429} {
		address := []string{"/cards?nope=1", "/cards/nope", "/cards?nope=2"}[i]
		if got := get(t, s, address).StatusCode; got != want {
			t.Errorf("%s: got %d, want %d", address, got, want)
		}
	}
}

func TestMoreParametersThanAFormHasAreRefusedUnread(t *testing.T) {
	s := settledServer(t, func(*web.Config) {})
	for _, address := range []string{many("/cards", 700, "memry%d=1"), many("/recommend/mine", 900, "has=x%d"),
		many("/api/v1/compare", 900, "card=zz%d")} {
		r := get(t, s, address)
		if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, "400") {
			t.Errorf("%.60s: got %d, want 400 that says how many there may be", address, r.StatusCode)
		}
	}
}

func TestBrowsersThatCameByTLSComeByNothingElse(t *testing.T) {
	for origin, want := range map[string]string{"https://cards.example": "max-age=31536000", "": ""} {
		s := newServer(t, 1, func(c *web.Config) {
			c.Origin = origin
			c.Accounts = nil
		})
		if got := get(t, s, "/cards").Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("origin %q: got %q, want %q", origin, got, want)
		}
	}
}
