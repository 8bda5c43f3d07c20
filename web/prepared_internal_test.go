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

// TestOtherCardsAreShownWithTheirFirstPages: cards that were imported are shown once what pages of cards rest on is
// there, so that their first visitor has nothing computed but the page.
func TestOtherCardsAreShownWithTheirFirstPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 3 * time.Second
		var made atomic.Int64
		server := New(Config{Ahead: true, NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) {
			if made.Add(1) > 1 { // that of the first catalogue is there at once
				time.Sleep(takes)
			}
			return sizing.New(seed.Sizing(), s)
		}})
		defer server.Close()
		server.Swap(catalog.NewSnapshot(1, sample.Dataset("synthetic", 20)))
		server.Settle()
		began := time.Now()
		server.Swap(catalog.NewSnapshot(2, sample.Dataset("synthetic", 40)))
		before := server.site.Stats.Misses.Load()
		w := httptest.NewRecorder()
		r, _ := http.NewRequestWithContext(site.Unlimited(context.Background()), http.MethodGet,
			"/cards/synthetic-000033", nil)
		server.ServeHTTP(w, r)
		if misses := server.site.Stats.Misses.Load() - before; w.Code != http.StatusOK || misses != 1 ||
			made.Load() != 2 || time.Since(began) != takes {
			t.Errorf("a card that nobody asked for: status %d, %d answers made anew, %d estimators, after %s", w.Code,
				misses, made.Load(), time.Since(began)-takes)
		}
	})
}
