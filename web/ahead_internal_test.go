package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/seed"
	"tianti/sizing"
	"tianti/web/site"
)

// TestPagesOfACatalogueAreMadeBeforeItIsShown: what the page of a card rests on is there before the whole catalogue
// takes the place of its first cards, so its first visitor waits for nothing.
func TestPagesOfACatalogueAreMadeBeforeItIsShown(t *testing.T) {
	data := sample.Dataset("synthetic", 40)
	b := catalog.NewBuilder(1)
	at := b.AddDataset(data)
	for i := range data.Cards[:20] {
		b.AddCard(at, data.Cards[i])
	}
	b.SetProgress(20, 40)
	first := b.Build()
	for i := range data.Cards[20:] {
		b.AddCard(at, data.Cards[20+i])
	}
	b.SetProgress(40, 40)
	whole := b.Build()
	var shown atomic.Pointer[catalog.Snapshot]
	var server *Server
	server = New(Config{Ahead: true, NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) {
		shown.Store(server.Snapshot())
		return sizing.New(seed.Sizing(), s)
	}})
	t.Cleanup(server.Close)
	server.Swap(first)
	server.Swap(whole)
	if shown.Load() != first {
		t.Fatal("what sizing knows is made after the catalogue is shown")
	}
	fastest, most := "", 0.0
	rate, _ := catalog.LookupQuantity(catalog.DefaultBasis)
	for row := range whole.Len() {
		if v, ok := whole.Number(rate, row); ok && v > most {
			fastest, most = whole.Card(row).ID, v
		}
	}
	server.Settle()
	for _, path := range []string{"/cards/" + fastest, "/zh/cards/" + fastest, "/cards", "/zh/prices"} {
		before := server.site.Stats.Misses.Load()
		w := httptest.NewRecorder()
		r, _ := http.NewRequestWithContext(site.Unlimited(context.Background()), http.MethodGet, path, nil)
		server.ServeHTTP(w, r)
		if made := server.site.Stats.Misses.Load() - before; w.Code != http.StatusOK || made != 0 {
			t.Errorf("%s: status %d, made anew: %d", path, w.Code, made)
		}
	}
}

// TestVisitorsComeBeforeWhatIsComputedAhead: after a swap nothing is asked for ahead of visitors for a second, and then
// with pauses; at the start at once.
func TestVisitorsComeBeforeWhatIsComputedAhead(t *testing.T) {
	const each = 10 * time.Millisecond
	for _, gently := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			began, first, asked := time.Now(), time.Duration(-1), time.Duration(0)
			router := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				if asked++; first < 0 {
					first = time.Since(began)
				}
				time.Sleep(each)
			})
			var a ahead
			a.begin(router, gently)
			a.running.Wait()
			wantFirst, want := time.Duration(0), asked*each
			if gently {
				wantFirst, want = visitorsFirst, visitorsFirst+2*asked*each
			}
			if took := time.Since(began); asked == 0 || first != wantFirst || took != want {
				t.Errorf("gently %v: got the first of %d requests after %s, want %s, and all after %s, want %s", gently,
					asked, first, wantFirst, took, want)
			}
		})
	}
}
