package webhook_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/webhook"
)

// waiting is a store with messages that are due at some times; it counts who asks.
type waiting struct {
	webhook.Store
	mu    sync.Mutex
	due   []time.Time
	fails bool
	asked []time.Time
}

func (w *waiting) Webhooks(context.Context) ([]webhook.Endpoint, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, time.Now())
	if w.fails {
		return nil, http.ErrServerClosed
	}
	return nil, nil
}

func (w *waiting) Due(context.Context) (time.Time, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.due) == 0 {
		return time.Time{}, false, nil
	}
	if !w.due[0].After(time.Now()) {
		w.due = w.due[1:] // it is sent
	}
	if len(w.due) == 0 {
		return time.Time{}, false, nil
	}
	return w.due[0], true, nil
}

// TestRunWaitsForWhatIsDue: it sleeps until then, at most for half a minute, wakes when it is poked, and ends at once.
func TestRunWaitsForWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		w := &waiting{due: []time.Time{begin.Add(7 * time.Second), begin.Add(10 * time.Minute)}}
		s := webhook.New(webhook.Config{Store: w})
		ctx, cancel := context.WithCancel(t.Context())
		var ran sync.WaitGroup
		ran.Go(func() { s.Run(ctx) })
		time.Sleep(39 * time.Second) // at 0, 7 and 37
		synctest.Wait()
		s.Poke()
		synctest.Wait()
		w.mu.Lock()
		w.fails = true
		w.mu.Unlock()
		s.Poke()
		synctest.Wait()
		time.Sleep(31 * time.Second) // it goes on after an error
		cancel()
		ran.Wait()
		var got []time.Duration
		for _, at := range w.asked {
			got = append(got, at.Sub(begin))
		}
		want := []time.Duration{0, 7 * time.Second, 37 * time.Second, 39 * time.Second, 39 * time.Second,
			69 * time.Second}
		if len(got) != len(want) {
			t.Fatalf("asked at %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("asked at %v, want %v", got, want)
			}
		}
	})
}
