// Package ladder puts cards on a scale of ratios: a tier chart of one basis.
//
// The scale is logarithmic, so that an equal distance is an equal ratio. Bands of
// one ratio lie around a reference card, which stands in the middle of its own.
// Values that differ by 5 % at most are ties. Nothing is placed by guess: a card
// without a value is listed apart with the reason.
package ladder

import (
	"cmp"
	"math"
	"slices"

	"tianti/sorting"
)

// Tie is the largest ratio of the better value to the worse of two tied cards.
const Tie = 1.05

// Limits of the ratio of a band.
const (
	MinStep     = 1.05
	MaxStep     = 10
	DefaultStep = math.Sqrt2
)

// A Reason says why a card has no place.
type Reason string

// The reasons.
const (
	NotStated    Reason = "not_stated"    // no source gives the figure
	NotSupported Reason = "not_supported" // the card does not compute in the format
	Underivable  Reason = "not_derivable" // a figure that the value is computed from is not stated
	NotSold      Reason = "not_sold"      // the card is announced and has no price to buy or rent
	NoPrice      Reason = "no_price"      // no price of the kind is known
	OldPrice     Reason = "old_price"     // the price is too old to count among those of today
	IsZero       Reason = "zero"          // 0 has no place on a scale of ratios
	TooBig       Reason = "does_not_fit"  // the job needs more memory than the card has
	CannotRun    Reason = "cannot_run"    // the job does not run on the card at all
	NotMeasured  Reason = "not_measured"  // nobody has measured the card in it
	NoEstimate   Reason = "no_estimate"   // too little is known for an estimate
	Disagree     Reason = "runs_disagree" // the runs of the card are more than a factor of two apart
)

// An Entry is a card to be ranked.
type Entry struct {
	Row       int // in the snapshot
	ID        string
	Value     float64  // more than 0 and finite; anything else has no place
	Confirmed bool     // the value is from a trusted source, see catalog.Confirmed
	Reason    Reason   // of an entry without a value; empty is NotStated
	Missing   []string // ids of the quantities that the value lacks
}

// extreme bounds the values that have a place, so that their ratios are finite.
const extreme = 1e30

// Placeable reports whether the value has a place on a scale of ratios.
func (e *Entry) Placeable() bool { return e.Value >= 1/extreme && e.Value <= extreme }

// Options of a ladder.
type Options struct {
	Lower bool    // less is better
	Step  float64 // ratio of a band; 0 is DefaultStep
	// Reference is the card that is 100 %; it need not be among the entries. Without
	// a value the best card takes its place.
	Reference Entry
}

// A Ladder is ranked cards, and the bands that they lie in.
type Ladder struct {
	Lower     bool
	Step      float64
	Reference Entry   // zero when no card has a place
	Replaced  bool    // the reference that was asked for has no value: this is the best card
	Bands     []Band  // from the best card's to the worst's, with the empty ones between
	Places    []Place // the best first, then by id
	Unplaced  []Entry // in the order given
}

// A Place is a card on the ladder.
type Place struct {
	Entry
	Ratio    float64 // how many times as good as the reference
	Band     int     // in Ladder.Bands
	From, To int     // ranks that the card shares with its ties, from 1
}

// A Band is a tier: the cards from Low up to, not including, High.
type Band struct {
	Number    int     // from the top, from 1
	Low, High float64 // times as good as the reference
	From, To  float64 // the same limits as values, From < To
	First     int     // of its places in Ladder.Places
	Count     int
}

// Make builds the ladder of entries.
func Make(entries []Entry, o Options) Ladder {
	l := Ladder{Lower: o.Lower, Step: cmp.Or(o.Step, DefaultStep), Reference: o.Reference}
	for _, e := range entries {
		if e.Placeable() {
			l.Places = append(l.Places, Place{Entry: e})
			continue
		}
		e.Reason = cmp.Or(e.Reason, NotStated)
		l.Unplaced = append(l.Unplaced, e)
	}
	sorting.Func(l.Places, func(a, b Place) int {
		return cmp.Or(l.compare(a.Value, b.Value), cmp.Compare(a.ID, b.ID))
	})
	if len(l.Places) == 0 {
		l.Reference = Entry{}
		return l
	}
	if !l.Reference.Placeable() {
		l.Reference, l.Replaced = l.Places[0].Entry, true
	}
	for i := range l.Places {
		l.Places[i].Ratio = l.ratio(l.Places[i].Value)
	}
	l.rank()
	l.divide()
	return l
}

// compare orders values, the better first.
func (l *Ladder) compare(a, b float64) int {
	if l.Lower {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

// ratio is how many times as good as the reference a value is.
func (l *Ladder) ratio(v float64) float64 {
	if l.Lower {
		return l.Reference.Value / v
	}
	return v / l.Reference.Value
}

// value is the value of a ratio.
func (l *Ladder) value(ratio float64) float64 {
	if l.Lower {
		return l.Reference.Value / ratio
	}
	return l.Reference.Value * ratio
}

// Tied reports whether two values are ties, in either order.
func Tied(a, b float64) bool { return max(a, b) <= Tie*min(a, b) }

// rank gives each place the ranks that it shares: From is one more than the number
// of cards that are more than 5 % better, To is the number of cards that are not
// more than 5 % worse. Ties lie next to each other, because places are sorted.
func (l *Ladder) rank() {
	from, to := 0, 0
	for i := range l.Places {
		p := &l.Places[i]
		for !Tied(l.Places[from].Value, p.Value) {
			from++
		}
		for to < len(l.Places) && Tied(l.Places[to].Value, p.Value) {
			to++
		}
		p.From, p.To = from+1, to
	}
}

// Ties are the places that share their rank with place i, without it.
func (l *Ladder) Ties(i int) []int {
	var out []int
	for j := l.Places[i].From - 1; j < l.Places[i].To; j++ {
		if j != i {
			out = append(out, j)
		}
	}
	return out
}

// divide makes the bands and puts every place into one.
func (l *Ladder) divide() {
	top, bottom := l.bandOf(l.Places[0].Ratio), l.bandOf(l.Places[len(l.Places)-1].Ratio)
	for k := top; k >= bottom; k-- {
		b := Band{Number: top - k + 1, Low: l.limit(k), High: l.limit(k + 1)}
		b.From, b.To = l.value(b.Low), l.value(b.High)
		if l.Lower {
			b.From, b.To = b.To, b.From
		}
		l.Bands = append(l.Bands, b)
	}
	for i := range l.Places {
		p := &l.Places[i]
		p.Band = top - l.bandOf(p.Ratio)
		b := &l.Bands[p.Band]
		if b.Count == 0 {
			b.First = i
		}
		b.Count++
	}
}

// limit is the lower limit of band k, of which 0 is the reference's.
func (l *Ladder) limit(k int) float64 { return math.Pow(l.Step, float64(k)-0.5) }

// bandOf is the band that a ratio lies in. The logarithm may be rounded across a limit:
// it only says where to begin.
func (l *Ladder) bandOf(ratio float64) int {
	k := int(math.Round(math.Log(ratio)/math.Log(l.Step))) - 1
	for ratio >= l.limit(k+1) {
		k++
	}
	return k
}

// Of are the places of a band.
func (l *Ladder) Of(b *Band) []Place { return l.Places[b.First : b.First+b.Count] }

// Find returns the place of a card.
func (l *Ladder) Find(id string) (int, bool) {
	i := slices.IndexFunc(l.Places, func(p Place) bool { return p.ID == id })
	return i, i >= 0
}
