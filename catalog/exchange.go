package catalog

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxRateAge is how many days a rate may lie from the day of an amount.
const maxRateAge = 62

// An exchange holds the rates of a snapshot by day.
type exchange struct {
	days []*rateDay // in order

	mu    sync.RWMutex
	pairs map[[2]string]*ratePair // those asked for so far
}

// A ratePair is what one currency is worth in another on the days of which anything is known.
type ratePair struct {
	first int // day of the first
	days  []atomic.Pointer[dayRate]
}

// A dayRate is the rate by which amounts of a day are converted; without one, by is nil.
type dayRate struct {
	rate     *big.Rat
	num, den uint64 // of the rate, where both are that small; otherwise 0
	by       *Conversion
}

// A rateDay is the rates of one day; the first table that has both currencies counts.
type rateDay struct {
	day    int // since 1970
	tables []*rateTable
}

// A rateTable is what one unit of a base was worth on a day, as one source says.
type rateTable struct {
	date   Date
	base   string
	quotes map[string]*big.Rat
	source *SourceRef
}

// A Conversion says by which rates an amount was converted.
type Conversion struct {
	Date   Date // of the rates
	Base   string
	Rate   float64 // units of the new currency for one of the old
	Source *SourceRef
}

// parseRate reads a decimal rate without sign or exponent, greater than zero; nil for
// anything else.
func parseRate(s string) *big.Rat {
	if len(s) > 20 || strings.Trim(s, "0123456789.") != "" {
		return nil
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok || x.Sign() <= 0 {
		return nil
	}
	return x
}

// newExchange arranges rates; those of the dataset with the higher rank come first
// among those of one day. Sources are not mixed: a conversion is by rates of one.
func newExchange(s *Snapshot) *exchange {
	type key struct {
		date   Date
		base   string
		source *SourceRef
	}
	tables := map[key]*rateTable{}
	days := map[int]*rateDay{}
	for _, d := range s.byRank() {
		for i := range s.rates[d] {
			r := &s.rates[d][i]
			day, ok := r.Date.DayNumber()
			rate, source := parseRate(r.Rate), s.SourceOf(In{d}, r.Source)
			if !ok || rate == nil || source == nil {
				continue
			}
			k := key{r.Date, r.Base, source}
			if tables[k] == nil {
				tables[k] = &rateTable{r.Date, r.Base, map[string]*big.Rat{}, source}
				if days[day] == nil {
					days[day] = &rateDay{day: day}
				}
				days[day].tables = append(days[day].tables, tables[k])
			}
			if tables[k].quotes[r.Quote] == nil {
				tables[k].quotes[r.Quote] = rate
			}
		}
	}
	return &exchange{pairs: map[[2]string]*ratePair{},
		days: slices.SortedFunc(maps.Values(days), func(a, b *rateDay) int { return cmp.Compare(a.day, b.day) })}
}

// rate is what one unit of from is worth in to by a table; nil when it lacks one.
func (t *rateTable) rate(from, to string) *big.Rat {
	of := func(currency string) *big.Rat {
		if currency == t.base {
			return big.NewRat(1, 1)
		}
		return t.quotes[currency]
	}
	a, b := of(from), of(to)
	if a == nil || b == nil {
		return nil
	}
	return new(big.Rat).Quo(b, a)
}

// near returns the rate of the day nearest to another, the earlier of two as near; nil
// when no day near enough has one.
func (x *exchange) near(from, to string, want int) (*big.Rat, *rateTable) {
	above, _ := slices.BinarySearchFunc(x.days, want, func(d *rateDay, day int) int { return cmp.Compare(d.day, day) })
	below := above - 1
	for below >= 0 || above < len(x.days) {
		i := below
		if below < 0 || above < len(x.days) && x.days[above].day-want < want-x.days[below].day {
			i = above
			above++
		} else {
			below--
		}
		d := x.days[i]
		if max(d.day-want, want-d.day) > maxRateAge {
			return nil, nil
		}
		for _, t := range d.tables {
			if r := t.rate(from, to); r != nil {
				return r, t
			}
		}
	}
	return nil, nil
}

// on is the rate of a day, computed once.
func (x *exchange) on(from, to string, day int) *dayRate {
	if len(x.days) == 0 {
		return &dayRate{}
	}
	key := [2]string{from, to}
	x.mu.RLock()
	pair := x.pairs[key]
	x.mu.RUnlock()
	if pair == nil {
		pair = x.pair(key)
	}
	if day < pair.first || day >= pair.first+len(pair.days) {
		return &dayRate{}
	}
	at := &pair.days[day-pair.first]
	kept := at.Load()
	if kept == nil {
		kept = x.rateOf(from, to, day)
		at.Store(kept)
	}
	return kept
}

// pair makes room for the rates of two currencies.
func (x *exchange) pair(key [2]string) *ratePair {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.pairs[key] == nil {
		first, last := x.days[0].day-maxRateAge, x.days[len(x.days)-1].day+maxRateAge
		x.pairs[key] = &ratePair{first, make([]atomic.Pointer[dayRate], last-first+1)}
	}
	return x.pairs[key]
}

func (x *exchange) rateOf(from, to string, day int) *dayRate {
	rate, table := x.near(from, to, day)
	if rate == nil {
		return &dayRate{}
	}
	f, _ := rate.Float64()
	out := &dayRate{rate: rate, by: &Conversion{table.date, table.base, f, table.source}}
	if num, den := rate.Num(), rate.Denom(); num.IsUint64() && den.IsUint64() {
		out.num, out.den = num.Uint64(), den.Uint64()
	}
	return out
}

// times multiplies an amount by the rate, rounded half to even; ok is false where that is beyond what an amount holds.
func (r *dayRate) times(micros int64) (out int64, ok bool) {
	if r.den != 0 && micros >= 0 {
		if high, low := bits.Mul64(uint64(micros), r.num); high < r.den {
			quotient, rest := bits.Div64(high, low, r.den)
			if left := r.den - rest; rest > left || rest == left && quotient%2 == 1 {
				quotient++
			}
			if quotient-1 < math.MaxInt64 {
				return int64(quotient), true
			}
		}
	}
	exact := rounded(r.rate, micros)
	return exact.Int64(), exact.IsInt64()
}

// Exchange converts an amount at the rate of a day, or of the nearest one that
// rates are known of, at most two months off; ok is false when there is none. The
// conversion is nil for an amount that is in the currency already; it is shared, and not to be changed.
func (s *Snapshot) Exchange(m Money, to string, on Date) (out Money, by *Conversion, ok bool) {
	if m.Currency == to {
		return m, nil, true
	}
	day, ok := on.DayNumber()
	if !ok {
		return Money{}, nil, false
	}
	return s.exchangeOn(m, to, day)
}

// exchangeOn is [Snapshot.Exchange] for the number of a day.
func (s *Snapshot) exchangeOn(m Money, to string, day int) (out Money, by *Conversion, ok bool) {
	if m.Currency == to {
		return m, nil, true
	}
	rate := s.exchange.on(m.Currency, to, day)
	if rate.by == nil {
		return Money{}, nil, false
	}
	micros, ok := rate.times(m.Micros)
	if !ok {
		return Money{}, nil, false // a rate that no bank would state
	}
	return Money{micros, to}, rate.by, true
}
