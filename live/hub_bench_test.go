package live

import (
	"context"
	"testing"
	"time"
)

func BenchmarkTick(b *testing.B) {
	s := &station{devices: 8}
	h := NewHub(HubConfig{Open: s.open})
	h.Close() // the benchmark is its poller
	h.closed = false
	for range 300 {
		w := h.Subscribe()
		defer w.Close()
		go func() {
			for range w.C {
				h.View()
			}
		}()
	}
	p := &poller{h: h, started: time.Now()}
	h.ctx = context.Background()
	f := s.frame()
	b.ReportAllocs()
	for b.Loop() {
		p.started = p.started.Add(time.Second)
		f.Taken = time.Now()
		p.take(outcome{frame: sanitize(f, f.Taken, 4096), read: true})
	}
}

func BenchmarkSeriesOfEightDevices(b *testing.B) {
	s := &station{devices: 8}
	h := NewHub(HubConfig{Open: s.open})
	defer h.Close()
	f := s.frame()
	for i := range HistoryPoints {
		h.history.put(f.Taken.Add(time.Duration(i)*time.Second), &f, func(*Host, Reading) bool { return false })
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range f.Hosts[0].Devices {
			for _, m := range HistoryMetrics {
				h.Series(d.UUID, m)
			}
		}
	}
}
