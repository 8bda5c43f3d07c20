package ladder

import (
	"math"
	"testing"
)

func TestNamedBandsHoldEveryPlaceOnce(t *testing.T) {
	ladders(t, func(t *testing.T, l *Ladder, _ []Entry) {
		for _, step := range []float64{1.05, NamedStep, MaxStep} {
			bands := l.Named(l.Top(Entry{}, false, step), step)
			next := 0
			for i, b := range bands {
				if b.First != next || i > 0 && b.High != bands[i-1].Low {
					t.Fatalf("band %s begins at %d, want %d: %+v", b.ID, b.First, next, b)
				}
				for _, p := range l.Places[b.First : b.First+b.Count] {
					if p.Ratio < b.Low || p.Ratio >= b.High {
						t.Fatalf("%v does not lie in %v … %v", p.Ratio, b.Low, b.High)
					}
				}
				next += b.Count
			}
			if next != len(l.Places) || !math.IsInf(bands[0].High, 1) || bands[len(bands)-1].Low != 0 {
				t.Fatalf("bands hold %d cards of %d: %+v", next, len(l.Places), bands)
			}
			if len(l.Places) > 0 && bands[0].Count == 0 {
				t.Fatal("nobody is in the top band")
			}
		}
	})
}

func TestTheTopBandBeginsAtThreeQuartersOfTheFlagship(t *testing.T) {
	l := Make(entries(200, 100, 74, 30), Options{Reference: entries(50)[0]})
	bands := l.Named(l.Top(entries(100)[0], true, NamedStep), NamedStep)
	if bands[0].Low != 1.5 || bands[0].Count != 2 || bands[1].Count != 1 || bands[2].Count != 1 {
		t.Errorf("got %+v", bands)
	}
}

// One card that is a thousand times as good leaves the others where they were.
func TestAnOutlierDoesNotPushTheOthersDown(t *testing.T) {
	l := Make(entries(100000, 100, 90, 80, 70), Options{})
	if bands := l.Named(l.Top(Entry{}, false, NamedStep), NamedStep); bands[0].Count != 1 || bands[2].Count != 4 {
		t.Errorf("got %+v", bands)
	}
}
