// Package slow marks the tests that make test leaves out and make test-slow runs: those whose names begin with
// TestFull, and which say at full size what a test beside them says at a smaller one. It also marks what the race
// detector is to watch.
package slow

import (
	"os"
	"testing"
)

// Only skips a test unless the slow ones were asked for.
func Only(t testing.TB) {
	t.Helper()
	if os.Getenv("TIANTI_SLOW") == "" {
		t.Skip("make test-slow runs it")
	}
}

// Raced has the race detector watch a test of a package that it watches in part, though the test starts no goroutines
// itself. Files are those of its package whose goroutines the test runs. Test/goroutines reads the calls; here nothing
// is done.
func Raced(t testing.TB, files ...string) { t.Helper() }

// WithoutRace skips a test under the race detector, which makes it five times slower. It is for tests that start
// goroutines and take long; make test runs them without the detector.
func WithoutRace(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("it runs without the race detector")
	}
}
