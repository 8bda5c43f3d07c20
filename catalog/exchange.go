package catalog

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// maxRateAge is how many days a rate may lie from the day of an amount.
const maxRateAge = 62

// An exchange holds the rates of a snapshot by day.
type exchange struct{ days []*rateDay } // in order

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
func newExchange(s *Snapshot) exchange {
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
	return exchange{slices.SortedFunc(maps.Values(days), func(a, b *rateDay) int { return cmp.Compare(a.day, b.day) })}
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

// near returns the rate of the day nearest to a date, the earlier of two as near; nil
// when no day near enough has one.
func (x exchange) near(from, to string, on Date) (*big.Rat, *rateTable) {
	want, ok := on.DayNumber()
	if !ok {
		return nil, nil
	}
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

// Exchange converts an amount at the rate of a day, or of the nearest one that
// rates are known of, at most two months off; ok is false when there is none. The
// conversion is nil for an amount that is in the currency already.
func (s *Snapshot) Exchange(m Money, to string, on Date) (out Money, by *Conversion, ok bool) {
	if m.Currency == to {
		return m, nil, true
	}
	rate, table := s.exchange.near(m.Currency, to, on)
	if rate == nil {
		return Money{}, nil, false
	}
	micros := rounded(rate, m.Micros)
	if !micros.IsInt64() {
		return Money{}, nil, false // a rate that no bank would state
	}
	f, _ := rate.Float64()
	return Money{micros.Int64(), to}, &Conversion{table.date, table.base, f, table.source}, true
}
