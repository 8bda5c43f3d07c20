// Package slow marks the tests that make test leaves out and make test-slow runs: those whose names begin with
// TestFull, and which say at full size what a test beside them says at a smaller one.
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

// WithoutRace skips a test under the race detector, which makes it five times slower and finds nothing in code that
// does one thing after the other. make test runs its package a second time without the detector.
func WithoutRace(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("it runs without the race detector")
	}
}
