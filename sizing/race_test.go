//go:build race

package sizing

// With the race detector, linear algebra is some fifty times slower.
const raceEnabled = true
