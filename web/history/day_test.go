package history_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/web/history"
	"tianti/web/site"
)

// TestADayThatIsNeverShownIsNotPromised: who asks for a day of too large a catalogue is not told to come again; who
// asks for one of a catalogue that is being loaded is.
func TestADayThatIsNeverShownIsNotPromised(t *testing.T) {
	d := sample.Dataset("synthetic", 6)
	loading := catalog.NewSnapshot(1, d)
	loading.Total = loading.Loaded + 1
	for _, c := range []struct {
		most   int
		snap   *catalog.Snapshot
		status int
		again  string
		says   string
	}{
		{5, catalog.NewSnapshot(1, d), http.StatusNotFound, "", "up to 5 cards"},
		{6, loading, http.StatusServiceUnavailable, "1", "being loaded"},
		{6, catalog.NewSnapshot(1, d), http.StatusOK, "", "made of 6"},
	} {
		s := site.New(site.Config{Now: func() time.Time { return time.Date(2035, 1, 1, 0, 0, 0, 0, time.UTC) }})
		h := history.New(s, history.Config{MostCards: c.most,
			Make: func(*catalog.Snapshot, string, bool) (http.Handler, func()) {
				return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = w.Write([]byte("made of 6"))
				}), nil
			}})
		s.Swap(c.snap)
		w := httptest.NewRecorder()
		h.Serve(w, httptest.NewRequest(http.MethodGet, "/api/v1/cards?as_of=2034-12-31", nil))
		if w.Code != c.status || w.Header().Get("Retry-After") != c.again ||
			!strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%d of %d cards: got %d, Retry-After %q, %s; want %d, %q, %q", c.snap.Len(), c.most, w.Code,
				w.Header().Get("Retry-After"), w.Body, c.status, c.again, c.says)
		}
		h.Close()
		s.Close()
	}
}
