package ladder

import (
	"math"
	"slices"
)

// NamedStep is the usual ratio of a named band.
const NamedStep = 2

// bandNames are the ids of named bands, the best first.
var bandNames = []string{"s", "a", "b", "c", "d"}

// A NamedBand is one of the five levels that people speak of: "s" is the best and open upwards, "d" is
// what lies below the others and open downwards. Between them a band is of one ratio.
type NamedBand struct {
	ID           string  // "s" to "d"
	Low, High    float64 // times as good as the reference; 0 and +Inf where the band is open
	First, Count int     // of its places in Ladder.Places
}

// TopShare is the least share of a well-known flagship that the top band asks for.
const TopShare = 0.75

// Top is where the top band begins, as a ratio to the reference: three quarters of the flagship, where
// there is a well-known one and more is better. Otherwise the card in the middle stands in the middle of
// the third band, and the top band is never emptier than the factor below the best card; so one card far
// ahead of all others does not push them into the last band.
func (l *Ladder) Top(flagship Entry, known bool, step float64) float64 {
	if len(l.Places) == 0 {
		return 1
	}
	if known && !l.Lower && flagship.Placeable() {
		return TopShare * l.ratio(flagship.Value)
	}
	middle := l.Places[(len(l.Places)-1)/2].Ratio
	return min(middle*math.Pow(step, 1.5), l.Places[0].Ratio/step)
}

// Named parts the places into named bands, of which the top one begins at a ratio. All five are there,
// with or without cards.
func (l *Ladder) Named(top, step float64) []NamedBand {
	out := make([]NamedBand, len(bandNames))
	high, first := math.Inf(1), 0
	for i, id := range bandNames {
		low := top / math.Pow(step, float64(i))
		if i == len(bandNames)-1 {
			low = 0
		}
		n := slices.IndexFunc(l.Places[first:], func(p Place) bool { return p.Ratio < low })
		if n < 0 {
			n = len(l.Places) - first
		}
		out[i] = NamedBand{ID: id, Low: low, High: high, First: first, Count: n}
		high, first = low, first+n
	}
	return out
}
