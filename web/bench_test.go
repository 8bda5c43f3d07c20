//go:build unix

package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/seed"
	"tianti/sizing"
	"tianti/web/site"
)

// catalogueOf is a synthetic catalogue, made once a size.
var catalogueOf = func() func(n int) *catalog.Snapshot {
	var mu sync.Mutex
	made := map[int]*catalog.Snapshot{}
	return func(n int) *catalog.Snapshot {
		mu.Lock()
		defer mu.Unlock()
		if made[n] == nil {
			made[n] = catalog.NewSnapshot(1, sample.Dataset("synthetic", n))
		}
		return made[n]
	}
}()

func benchServer(b *testing.B, cards int) *Server {
	b.Helper()
	s := New(
		Config{
			Log:          slog.New(slog.NewJSONHandler(new(bytes.Buffer), &slog.HandlerOptions{Level: slog.LevelWarn})),
			MissesPerMin: 1 << 40,
		},
	)
	s.Swap(catalogueOf(cards))
	b.Cleanup(s.Close)
	return s
}

// sink is a client that throws answers away.
type sink struct {
	header        http.Header
	status, bytes int
}

func (w *sink) Header() http.Header { return w.header }

func (w *sink) WriteHeader(status int) { w.status = status }

func (w *sink) Write(p []byte) (int, error) { w.bytes += len(p); return len(p), nil }

// ask sends a request and returns the length of the answer.
func ask(b *testing.B, s *Server, address, accept string) int {
	b.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	r.RemoteAddr = "127.0.0.1:1"
	w := sink{header: http.Header{}}
	if s.ServeHTTP(&w, r); w.status != 0 && w.status != http.StatusOK {
		b.Fatalf("%s: status %d", address, w.status)
	}
	return w.bytes
}

// reportCPU reports the time that the process computes for one operation, garbage
// collection included; on a busy machine it is steadier than the time that passes.
func reportCPU(b *testing.B) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	b.Cleanup(func() { b.ReportMetric(float64((used()-start).Nanoseconds())/1000/float64(b.N), "cpu-µs/op") })
}

// BenchmarkCardsPage500 renders and compresses the page of 500 cards with its
// default columns, which nobody asked for before.
func BenchmarkCardsPage500(b *testing.B) {
	s := benchServer(b, 500)
	page := func() {
		st := s.site.State.Load()
		httpReq, err := http.NewRequest(http.MethodGet, "/cards", nil)
		if err != nil {
			b.Fatal(err)
		}
		r := site.NewRequest(httpReq)
		pl, err := s.pageAt("/cards")(st, r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := pl.Render(); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("render", func(b *testing.B) {
		b.ReportAllocs()
		reportCPU(b)
		for b.Loop() {
			page()
		}
	})
	for _, coding := range []string{"zstd", "gzip"} {
		b.Run("whole/"+coding, func(b *testing.B) {
			b.ReportAllocs()
			reportCPU(b)
			for n := 0; b.Loop(); n++ {
				ask(b, s, fmt.Sprintf("/cards?tdp_w=..%d", 2000+n), coding)
			}
		})
	}
}

// BenchmarkCompare8 renders and compresses comparisons of eight cards with estimates, of which each is
// another order: nobody asked for it before.
func BenchmarkCompare8(b *testing.B) {
	d, err := seed.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	s := New(Config{Log: slog.New(slog.DiscardHandler), MissesPerMin: 1 << 40,
		NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizing.New(seed.Sizing(), s) }})
	b.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, d))
	ids := []string{
		"nvidia-geforce-rtx-4090",
		"nvidia-geforce-rtx-4090-d",
		"nvidia-geforce-rtx-5090-d",
		"nvidia-a800-sxm4-80gb",
		"nvidia-h20-sxm5-96gb",
		"huawei-ascend-910b1",
		"nvidia-h100-sxm5-80gb",
		"amd-instinct-mi300x",
	}
	r := rand.New(rand.NewPCG(1, 2))
	page := func() {
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ask(b, s, "/compare?card="+strings.Join(ids, "&card="), "gzip")
	}
	page() // what estimates have in common
	b.ResetTimer()
	b.ReportAllocs()
	reportCPU(b)
	for b.Loop() {
		page()
	}
}

// shape is a kind of question; query makes one that was not asked before.
type shape struct {
	name  string
	query func(r *rand.Rand) string
}

func between(r *rand.Rand, lo, hi float64) string {
	return fmt.Sprintf("%.4f..%.4f", lo+(hi-lo)*r.Float64()/2, hi-(hi-lo)*r.Float64()/2)
}

var shapes = []shape{
	{"range", func(r *rand.Rand) string { return "memory_bandwidth_gb_s=" + between(r, 30, 32000) }},
	{"three ranges", func(r *rand.Rand) string {
		return "tdp_w=" + between(
			r,
			70,
			1000,
		) + "&die_mm2=" + between(
			r,
			100,
			800,
		) + "&boost_clock_mhz=" + between(
			r,
			900,
			2900,
		) + "&sort=-fp32_vector_tflops"
	}},
	{"narrow", func(r *rand.Rand) string {
		v := 70 + 900*r.Float64()
		return fmt.Sprintf("tdp_w=%.3f..%.3f&sort=die_mm2", v, v+3)
	}},
	{"vendor, multi-key", func(r *rand.Rand) string {
		return "vendor=Contoso,Litware&tdp_w=" + between(r, 70, 1000) + "&sort=memory_gb,-tdp_w,name"
	}},
	{"sort by text", func(r *rand.Rand) string {
		return "tdp_w=" + between(r, 70, 1000) + "&sort=-architecture,vendor,-memory_gb,name"
	}},
	{"sort by name", func(r *rand.Rand) string { return "tdp_w=" + between(r, 70, 1000) + "&sort=-name" }},
	{"sort, mostly absent", func(r *rand.Rand) string {
		return "interconnect_gb_s=none&tdp_w=" + between(r, 70, 1000) + "&sort=interconnect_gb_s,-launched"
	}},
	{"search, frequent", func(r *rand.Rand) string { return "q=accelerator&tdp_w=" + between(r, 70, 1000) }},
	{"search, rare", func(r *rand.Rand) string {
		return fmt.Sprintf("q=contoso+%05d&tdp_w=%.4f..", r.IntN(100_000), 70*r.Float64())
	}},
	{
		"search, short",
		func(r *rand.Rand) string { return "q=a+1&tdp_w=" + between(r, 70, 1000) + "&sort=-memory_gb,name" },
	},
	{"negated", func(r *rand.Rand) string {
		return "vendor=!Contoso&form_factor=!Laptop&tdp_w=" + between(r, 70, 1000) + "&sort=launched"
	}},
	{"last page", func(r *rand.Rand) string { return "page=150&tdp_w=.." + fmt.Sprintf("%.4f", 990+9*r.Float64()) }},
}

// BenchmarkFirstPage100k asks for pages of 100,000 cards that nobody asked for
// before, and reports the 99th percentile of the time that one takes.
func BenchmarkFirstPage100k(b *testing.B) {
	s := benchServer(b, 100_000)
	seed := uint64(0)
	for _, path := range []string{"/cards", "/api/v1/cards"} {
		for _, sh := range shapes {
			b.Run(strings.Trim(path, "/")+"/"+sh.name, func(b *testing.B) {
				seed++
				r := rand.New(rand.NewPCG(seed, 7))
				var took []time.Duration
				b.ReportAllocs()
				reportCPU(b)
				for b.Loop() {
					start := time.Now()
					ask(b, s, path+"?"+sh.query(r), "gzip, br, zstd")
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
			})
		}
	}
}

// BenchmarkNeverSeenJSON is what make bench measures from outside: 50 cards as
// JSON at an address that nobody asked for before.
func BenchmarkNeverSeenJSON(b *testing.B) {
	for _, cards := range []int{500, 100_000} {
		for _, accept := range []string{"", "gzip", "gzip, deflate, br, zstd"} {
			b.Run(fmt.Sprintf("%d/%s", cards, accept), func(b *testing.B) {
				s := benchServer(b, cards)
				r := rand.New(rand.NewPCG(uint64(cards), 3))
				n := 0
				b.ReportAllocs()
				reportCPU(b)
				for b.Loop() {
					n++
					q := fmt.Sprintf(
						"tdp_w=%.4f..&memory_bandwidth_gb_s=..%.3f&sort=-die_mm2,memory_gb&vendor=Contoso,Fabrikam,Tailspin,Litware&limit=50",
						70+90*r.Float64(),
						28000+4000*r.Float64(),
					)
					ask(b, s, "/api/v1/cards?"+q, accept)
				}
			})
		}
	}
}

// BenchmarkExportControlOfANewDay asks for a day and destination that no page was made for;
// the catalogue has answered before.
func BenchmarkExportControlOfANewDay(b *testing.B) {
	d, err := seed.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	servers := map[string]*Server{"built-in": benchServer(b, 1), "100000": benchServer(b, 100_000)}
	servers["built-in"].Swap(catalog.NewSnapshot(1, d))
	for name, s := range servers {
		for _, format := range []string{"", ".json", ".csv"} {
			if name == "100000" && format != "" {
				continue // it holds all cards
			}
			b.Run(name+format, func(b *testing.B) {
				ask(b, s, "/export-control"+format, "")
				n := 0
				b.ReportAllocs()
				reportCPU(b)
				for b.Loop() {
					day := time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC).
						AddDate(0, 0, n*41%1700)
						// all years, in few steps
					place := []string{"CN", "VN", "DE", "AE", "RU", "SG"}[n/1700%6]
					ask(b, s, "/export-control"+format+"?as_of="+day.Format(time.DateOnly)+"&destination="+place, "")
					n++
				}
			})
		}
	}
}

// BenchmarkCached asks for a page in the cache.
func BenchmarkCached(b *testing.B) {
	s := benchServer(b, 500)
	for _, path := range []string{"/cards", "/api/v1/cards?limit=50"} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			reportCPU(b)
			for b.Loop() {
				ask(b, s, path, "gzip, deflate, br, zstd")
			}
		})
	}
}

// BenchmarkMine is the page of somebody with as many kinds of cards as it takes, which nobody asked for before.
func BenchmarkMine(b *testing.B) {
	d, err := seed.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	snap := catalog.NewSnapshot(1, d)
	adv, err := sizing.New(seed.Sizing(), snap)
	if err != nil {
		b.Fatal(err)
	}
	s := New(Config{Log: slog.New(slog.DiscardHandler), MissesPerMin: 1 << 40, CacheBytes: 1,
		NewEstimator: func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }})
	s.Swap(snap)
	b.Cleanup(s.Close)
	address := "/recommend/mine?own="
	for i := range 16 { // of more it answers 400
		address += fmt.Sprintf("%s:%d,", adv.Cards[i*5].ID, 1+i%2)
	}
	address = strings.TrimSuffix(address, ",")
	page := func() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Code != http.StatusOK || w.Body.Len() < 5e4 {
			b.Fatalf("%d, %d bytes", w.Code, w.Body.Len())
		}
	}
	page() // the fields of the measured cases are conditioned once
	b.ReportAllocs()
	reportCPU(b)
	for b.Loop() {
		page()
	}
}
