package web_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/web"
)

// slowHistory is prices that are read when they may be, or fail.
type slowHistory struct {
	price catalog.Price
	n     int
	read  chan error
}

// PricesOf implements [catalog.History].
func (h *slowHistory) PricesOf(string) ([]catalog.PlacedPrice, error) {
	return nil, errors.ErrUnsupported
}

// Each implements [catalog.History].
func (h *slowHistory) Each(ctx context.Context, _ string, _ catalog.Days, fn func(*catalog.PlacedPrice) error) error {
	select {
	case err := <-h.read:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	for i := range h.n {
		p := catalog.PlacedPrice{Price: h.price, Place: i}
		if p.Date = "2023-05-01"; i > h.n/2 {
			p.Date = "2024-05-01"
		}
		if err := fn(&p); err != nil {
			return err
		}
	}
	return nil
}

// aLongDay serves a card with so many prices that a day of them is no work for an answer.
func aLongDay(t *testing.T) (*web.Server, *slowHistory) {
	t.Helper()
	h := &slowHistory{n: 100_000, read: make(chan error),
		price: catalog.Price{Card: "c", Kind: catalog.StreetPrice, Unit: catalog.PerCard, Cards: 1,
			Seller: "shop", Source: "s", Amount: catalog.Money{Micros: 1e9, Currency: "USD"}}}
	latest := catalog.PlacedPrice{Price: h.price, Place: h.n - 1}
	latest.Date = "2024-05-01"
	s := web.New(web.Config{Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, catalog.Dataset{ID: "d", History: h,
		Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{{ID: "c", Name: "C", Vendor: "V", Kind: "gpu", Segment: "desktop",
			Facts: []catalog.Fact{{Quantity: "launched", Text: "2020-01-01", Source: "s"}}}},
		Offers: []*catalog.CardOffers{{Card: "c", Cited: map[string]int{"s": h.n},
			Offers: []catalog.Offer{catalog.OfferOver(latest, h.n, "2023-05-01", "2024-05-01", 1e9, 1e9)}}}}))
	return s, h
}

// TestADayThatIsMuchWorkIsMadeBesideRequests: they are told to come again, one after the other is made, and what says
// nothing of prices waits for none.
func TestADayThatIsMuchWorkIsMadeBesideRequests(t *testing.T) {
	s, h := aLongDay(t)
	for path, says := range map[string]string{"/cards?as_of=2023-06-01": "is being put together",
		"/zh/cards?as_of=2023-06-01":      "正在整理 2023-06-01",
		"/api/v1/prices?as_of=2023-06-01": "is being put together"} {
		r := get(t, s, path)
		if body := bodyOf(t, r); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" ||
			!strings.Contains(body, says) {
			t.Errorf("%s: got %d %v, want 503 with a time, that says %s", path, r.StatusCode, r.Header, says)
		}
	}
	if r := get(t, s, "/export-control?as_of=2023-06-01"); r.StatusCode != 200 {
		t.Errorf("export control: got %d, want an answer without prices", r.StatusCode)
	}
	for day := 2; day < 6; day++ {
		want := "is being put together"
		if day > 4 { // with the first, four
			want = "several other days"
		}
		if body := bodyOf(t, get(t, s, fmt.Sprintf("/cards?as_of=2023-06-%02d", day))); !strings.Contains(body, want) {
			t.Errorf("day %d: want that %s: %.200s", day, want, body)
		}
	}
	h.read <- errors.New("a disk fails")
	close(h.read)
	s.Settle()
	if r := get(t, s, "/prices?as_of=2023-06-02"); r.StatusCode != 200 ||
		!strings.Contains(bodyOf(t, r), "2023-05-01") {
		t.Errorf("a day that was made: got %d, want its prices", r.StatusCode)
	}
	for range 2 { // it failed, and is made again
		get(t, s, "/prices?as_of=2023-06-01")
		s.Settle()
	}
	if r := get(t, s, "/prices?as_of=2023-06-01"); r.StatusCode != 200 {
		t.Errorf("the day whose making failed: got %d, want that it was made again", r.StatusCode)
	}
}

// TestAServerThatEndsWaitsForNoDay: what is being made is broken off when the test closes the server.
func TestAServerThatEndsWaitsForNoDay(t *testing.T) {
	s, _ := aLongDay(t)
	if r := get(t, s, "/cards?as_of=2023-06-01"); r.StatusCode != 503 {
		t.Errorf("got %d, want that it is being made", r.StatusCode)
	}
}
