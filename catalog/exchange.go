package catalog

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
)

// maxRateAge is how many days a rate may lie from the day of an amount.
const maxRateAge = 62

// An exchange holds the rates of a snapshot by day and base currency.
type exchange struct{ days []rateDay }

// A rateDay is the rates of one base on one day.
type rateDay struct {
	day    int // since 1970
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

func decimal(s string) *big.Rat {
	numerator, denominator, ok := strings.Cut(s, "/")
	x, valid := new(big.Rat).SetString(numerator)
	if !valid {
		return nil
	}
	if ok {
		return x.Quo(x, decimal(denominator))
	}
	return x
}

func rateOK(s string) bool {
	if len(s) > 20 || strings.Trim(s, "0123456789.") != "" {
		return false
	}
	x := decimal(s)
	return x != nil && x.Sign() > 0
}

// dayNumber is a date as the number of days since 1970; of a month or a year it is
// the middle.
func dayNumber(d Date) (int, bool) {
	switch len(d) {
	case len("2006"):
		d += "-07-01"
	case len("2006-01"):
		d += "-15"
	}
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return 0, false
	}
	return int(t.Unix() / (24 * 60 * 60)), true
}

// newExchange arranges rates; those of the dataset with the higher rank come first
// among those of one day.
func newExchange(s *Snapshot) exchange {
	var x exchange
	at := map[string]int{}
	for _, d := range s.byRank() {
		for i := range s.rates[d] {
			r := &s.rates[d][i]
			day, ok := dayNumber(r.Date)
			if !ok || !rateOK(r.Rate) {
				continue
			}
			key := string(r.Date) + r.Base
			n, known := at[key]
			if !known {
				n = len(x.days)
				at[key] = n
				x.days = append(x.days, rateDay{day, r.Date, r.Base, map[string]*big.Rat{}, s.SourceOf(In{d}, r.Source)})
			}
			if x.days[n].quotes[r.Quote] == nil {
				x.days[n].quotes[r.Quote] = decimal(r.Rate)
			}
		}
	}
	slices.SortStableFunc(x.days, func(a, b rateDay) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.base, b.base)) })
	return x
}

// rate is what one unit of from is worth in to by the rates of a day.
func (d *rateDay) rate(from, to string) *big.Rat {
	of := func(currency string) *big.Rat {
		if currency == d.base {
			return big.NewRat(1, 1)
		}
		return d.quotes[currency]
	}
	a, b := of(from), of(to)
	if a == nil || b == nil {
		return nil
	}
	return new(big.Rat).Quo(b, a)
}

// near returns the rate of the day nearest to a date, the earlier of two as near.
func (x exchange) near(from, to string, on Date) (*big.Rat, *rateDay) {
	want, ok := dayNumber(on)
	if !ok {
		return nil, nil
	}
	above, _ := slices.BinarySearchFunc(x.days, want, func(d rateDay, day int) int { return cmp.Compare(d.day, day) })
	below := above - 1
	for below >= 0 || above < len(x.days) {
		i := below
		if below < 0 || above < len(x.days) && x.days[above].day-want < want-x.days[below].day {
			i = above
			above++
		} else {
			below--
		}
		if d := &x.days[i]; max(d.day-want, want-d.day) > maxRateAge {
			return nil, nil
		} else if r := d.rate(from, to); r != nil {
			return r, d
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
	rate, day := s.exchange.near(m.Currency, to, on)
	if rate == nil {
		return Money{}, nil, false
	}
	f, _ := rate.Float64()
	return Money{times(m.Micros, rate), to}, &Conversion{day.date, day.base, f, day.source}, true
}
