//go:build race

package advisor

// With the race detector, linear algebra is some fifty times slower.
const raceEnabled = true
