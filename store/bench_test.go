package store

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"tianti/catalog"
)

// BenchmarkLoad100k loads 100,000 cards with 20 facts each; first-ms is when the
// partial snapshot is there, live-MB what the snapshot holds.
func BenchmarkLoad100k(b *testing.B) {
	s := newStore(b)
	ds := synthetic(100_000, 20)
	start := time.Now()
	importTest(b, s, ds)
	ds.Cards = nil // not part of what is measured
	b.Logf("import: %.0f facts/s", 2e6/time.Since(start).Seconds())
	if info, err := os.Stat(s.path); err == nil {
		b.Logf("file: %d MB", info.Size()>>20)
	}
	var snap *catalog.Snapshot
	var first time.Duration
	base := liveMB()
	for b.Loop() {
		start, first, snap = time.Now(), 0, nil
		var err error
		snap, err = s.Load(context.Background(), func(*catalog.Snapshot) { first = time.Since(start) })
		if err != nil || snap.Len() != 100_000 || first == 0 {
			b.Fatal(snap.Len(), first, err)
		}
	}
	b.ReportMetric(float64(first.Milliseconds()), "first-ms")
	b.ReportMetric(liveMB()-base, "live-MB")
	b.ReportMetric(2e6*float64(b.N)/b.Elapsed().Seconds(), "facts/s")
	runtime.KeepAlive(snap)
}

func liveMB() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkOpen opens a database that is up to date.
func BenchmarkOpen(b *testing.B) {
	s := newStore(b)
	importTest(b, s, sample())
	for b.Loop() {
		again, err := Open(context.Background(), addressOf(s), testOptions())
		if err != nil {
			b.Fatal(err)
		}
		if err := again.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCatalogueRevision(b *testing.B) {
	s := newStore(b)
	for b.Loop() {
		if _, err := s.CatalogueRevision(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
