package web_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/web"
)

// TestHistoriesAreStreamedWhole holds the lines and the table against the pages.
func TestHistoriesAreStreamedWhole(t *testing.T) {
	s := marketServer(t)
	for _, query := range []string{"", "card=acme-x1", "from=2026-05-01&to=2026-06-01", "kind=street,used&currency=CNY",
		"from=2027-01-01"} {
		var page struct {
			Items   []map[string]any
			Sources map[string]any
		}
		if err := json.NewDecoder(get(t, s, "/api/v1/prices?limit=1000&"+query).Body).Decode(&page); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for _, item := range page.Items {
			want[fmt.Sprint(item)]++
		}
		r := get(t, s, "/api/v1/prices.jsonl?"+query)
		if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-ndjson") ||
			r.Header.Get("Tianti-Revision") != "7" {
			t.Errorf("%s: %d %v", query, r.StatusCode, r.Header)
		}
		lines, cards := 0, []string{}
		for scan := bufio.NewScanner(r.Body); scan.Scan(); lines++ {
			var line map[string]any
			if err := json.Unmarshal(scan.Bytes(), &line); err != nil {
				t.Fatalf("%s: %q: %v", query, scan.Text(), err)
			}
			named := line["sources"].(map[string]any)
			if key := line["source"].(string); fmt.Sprint(named[key]) != fmt.Sprint(page.Sources[key]) ||
				named[key] == nil {
				t.Errorf("%s: source %q is %v, want %v", query, key, named[key], page.Sources[key])
			}
			if id := line["card"].(string); !slices.Contains(cards, id) {
				cards = append(cards, id)
			} else if cards[len(cards)-1] != id {
				t.Errorf("%s: %s comes again after %v", query, id, cards)
			}
			delete(line, "sources")
			want[fmt.Sprint(line)]--
		}
		for item, n := range want {
			if n != 0 {
				t.Errorf("%s: %d too few of %s", query, n, item)
			}
		}
		table, err := csv.NewReader(get(t, s, "/api/v1/prices.csv?"+query).Body).ReadAll()
		if err != nil || len(table) != 1+lines || table[0][0] != "card" {
			t.Errorf("%s: %v, %d rows, want a head and %d", query, err, len(table), lines)
		}
	}
	whole := bodyOf(t, get(t, s, "/api/v1/prices.csv"))
	packed := get(t, s, "/api/v1/prices.csv", "Accept-Encoding", "br, gzip")
	z, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal(err, packed.Header)
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != whole || strings.Contains(whole, ",=EVIL") {
		t.Errorf("compressed: %v, %d bytes, want %d without formulas", err, len(body), len(whole))
	}
	if plain := get(t, s, "/api/v1/prices.csv", "Accept-Encoding", "gzip;q=0"); plain.Header.Get(
		"Content-Encoding") != "" {
		t.Error("gzip is refused and sent")
	}
}

// longHistory has so many prices of a card, made as they are asked for.
type longHistory struct {
	prices int
	passed atomic.Int64 // of them
	fail   error        // after the last
	wait   func()
}

func (h *longHistory) PricesOf(string) ([]catalog.PlacedPrice, error) {
	return nil, errors.New("the whole history is read")
}

func (h *longHistory) Each(
	ctx context.Context, card string, _ catalog.Days, fn func(*catalog.PlacedPrice) error,
) error {
	if h.wait != nil {
		h.wait()
	}
	for i := range h.prices {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.passed.Store(int64(i) + 1)
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%2000).Format(time.DateOnly)
		p := catalog.PlacedPrice{Price: catalog.Price{Card: card, Kind: "street",
			Amount: catalog.MoneyOf(float64(1+i), "USD"),
			Unit:   "card", Cards: 1, Seller: "Shop", Date: catalog.Date(day), Source: "s"}, Place: i}
		if err := fn(&p); err != nil {
			return err
		}
	}
	return h.fail
}

func serverOf(t *testing.T, h *longHistory) *web.Server {
	t.Helper()
	p := catalog.PlacedPrice{Price: catalog.Price{Card: "a", Kind: "street", Amount: catalog.MoneyOf(1, "USD"),
		Unit: "card", Cards: 1,
		Seller: "Shop", Date: "2025-06-22", Source: "s"}}
	o := catalog.OfferOf(&p)
	o.Count, o.Oldest = h.prices, "2020-01-01"
	s := web.New(web.Config{})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(3, catalog.Dataset{ID: "d",
		Sources: []catalog.Source{{ID: "s", Publisher: "P", Kind: "press"}},
		Cards:   []catalog.Card{{ID: "a", Name: "A", Vendor: "V", Kind: "gpu", Segment: "datacenter"}},
		Offers:  []*catalog.CardOffers{{Card: "a", Offers: []catalog.Offer{o}, Cited: map[string]int{"s": h.prices}}},
		History: h}))
	return s
}

// firstWrite notes how much of a history was read when the first bytes were written.
type firstWrite struct {
	*httptest.ResponseRecorder
	h     *longHistory
	after int
}

func (w *firstWrite) Write(b []byte) (int, error) {
	if w.after == 0 {
		w.after = int(w.h.passed.Load())
	}
	return len(b), nil
}

func TestAHistoryIsWrittenWhileItIsRead(t *testing.T) {
	h := &longHistory{prices: 30_000}
	s := serverOf(t, h)
	for _, path := range []string{"/api/v1/prices.jsonl", "/api/v1/prices.csv?from=2020-01-01"} {
		w := &firstWrite{httptest.NewRecorder(), h, 0}
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != 200 || h.passed.Load() != int64(h.prices) || w.after == 0 || w.after > 2000 {
			t.Errorf("%s: %d; of %d prices %d were read at the first write", path, w.Code, h.passed.Load(), w.after)
		}
	}
	var page priceItems
	if err := json.NewDecoder(get(t, s, "/api/v1/prices?from=2020-01-01&limit=7").Body).Decode(&page); err != nil ||
		page.Total != h.prices || len(page.Items) != 7 || page.Items[0].Date != "2025-06-22" || page.Next == nil {
		t.Errorf("the first page: %v %+v", err, page)
	}
}

func TestAHistoryThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	h := &longHistory{prices: 2000, fail: errors.New("the disk is gone")}
	server := httptest.NewServer(serverOf(t, h))
	defer server.Close()
	for _, coding := range []string{"identity", "gzip"} {
		req, err := http.NewRequest(http.MethodGet, server.URL+"/api/v1/prices.jsonl", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", coding)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil || res.StatusCode != 200 {
			t.Errorf("%s: %d and %d bytes, as if that were all", coding, res.StatusCode, len(body))
		}
	}
}

func TestFewHistoriesAreDownloadedAtOnce(t *testing.T) {
	waiting, on := make(chan struct{}), make(chan struct{})
	h := &longHistory{prices: 1}
	h.wait = func() { waiting <- struct{}{}; <-on }
	s := serverOf(t, h)
	done := make(chan int)
	for range 2 {
		go func() { done <- get(t, s, "/api/v1/prices.csv").StatusCode }()
		<-waiting
	}
	r := get(t, s, "/api/v1/prices.csv")
	if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("the third of a client: %d, Retry-After %q", r.StatusCode, r.Header.Get("Retry-After"))
	}
	close(on)
	for range 2 {
		if status := <-done; status != 200 {
			t.Errorf("got %d", status)
		}
	}
	go func() { <-waiting }()
	if status := get(t, s, "/api/v1/prices.csv").StatusCode; status != 200 {
		t.Errorf("afterwards: got %d", status)
	}
}

// away is a database that does not answer, as packages below say it.
type away struct{}

func (away) Error() string     { return "database cards has no connection left" }
func (away) Unavailable() bool { return true }

func TestADatabaseThatDoesNotAnswerIsNoMistakeOfOurs(t *testing.T) {
	h := &longHistory{prices: 2, fail: fmt.Errorf("read prices: %w", away{})}
	s := serverOf(t, h)
	for _, path := range []string{"/api/v1/prices", "/api/v1/prices?from=2020-01-01"} {
		r := get(t, s, path)
		if body := bodyOf(t, r); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" ||
			!strings.Contains(body, "does not answer") || strings.Contains(body, "cards has no") {
			t.Errorf("%s: %d, Retry-After %q, %.200s", path, r.StatusCode, r.Header.Get("Retry-After"), body)
		}
	}
}
