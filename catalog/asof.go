package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// AsOf is the catalogue as of a day: the cards that were announced by then, with the observations up to then (prices,
// exchange rates, results of benchmarks). A card of which no source says when it was announced is there from the first
// price or dated source that speaks of it. Figures are those of the same revision: what a card is does not change, and
// documents about it are often later than it. What is known to the month or the year counts from its last day.
//
// The error is a [NotYetError] for a day before [Snapshot.FirstDay], or that of reading prices or of ctx.
func (s *Snapshot) AsOf(ctx context.Context, day Date) (*Snapshot, error) {
	return s.asOf(ctx, day, true)
}

// CardsAsOf is [Snapshot.AsOf] without prices, of which it reads none. It has the same cards.
func (s *Snapshot) CardsAsOf(day Date) (*Snapshot, error) {
	return s.asOf(context.Background(), day, false)
}

func (s *Snapshot) asOf(ctx context.Context, day Date, priced bool) (*Snapshot, error) {
	until := day.Ordinal()
	from := s.since()
	var rows []int
	for row, at := range from {
		if at <= until {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, NotYetError{s.FirstDay()}
	}
	out := &Snapshot{base: &base{
		Revision: s.Revision, Loaded: len(rows), Total: len(rows), Day: day,
		datasets: s.datasets, sources: s.sources, sourceAt: s.sourceAt, texts: s.texts, accepts: s.accepts,
		annotations: annotationsUntil(s.annotations, until), rates: ratesUntil(s.rates, until),
		cards: make([]Card, len(rows)), facts: make([][]fact, len(rows)), rowOf: make(map[string]int32, len(rows)),
	}}
	for i, row := range rows {
		out.cards[i], out.facts[i] = s.cards[row], s.facts[row]
		out.rowOf[s.cards[row].ID] = int32(i)
	}
	out.slots = s.slots
	out.index()
	out.derives()
	var offers [][]*CardOffers
	for d := range s.datasets {
		var list []*CardOffers
		if priced {
			var err error
			if list, err = s.offersUntil(ctx, d, until, out.rowOf); err != nil {
				return nil, err
			}
		}
		offers, out.histories = append(offers, list), append(out.histories, historyUntil{s.histories[d], until})
	}
	out.finish(offers)
	return out, nil
}

// What parts of a past state take of a processor, about.
const (
	workOfCard  = 5 * time.Microsecond
	workOfOffer = 2 * time.Microsecond
	workOfPrice = 800 * time.Nanosecond // that is read
	workOfDated = 40 * time.Nanosecond  // that is in the index
)

// WorkAsOf is how much of a processor [Snapshot.AsOf] takes, about, or [Snapshot.CardsAsOf].
func (s *Snapshot) WorkAsOf(day Date, priced bool) time.Duration {
	work := time.Duration(len(s.cards)) * workOfCard
	if !priced {
		return work
	}
	until := day.Ordinal()
	for d := range s.summed {
		for _, c := range s.summed[d] {
			work += time.Duration(len(c.Offers)) * workOfOffer
			if whole, some := c.until(until); whole || !some {
				continue
			}
			each := workOfPrice
			if s.dated.has(d, c) {
				each = workOfDated
			}
			for i := range c.Offers {
				work += time.Duration(c.Offers[i].Count) * each
			}
		}
	}
	return work
}

// until reports whether all prices are until a day, and whether some may be.
func (c *CardOffers) until(day int) (whole, some bool) {
	whole = true
	for i := range c.Offers {
		o := &c.Offers[i]
		whole = whole && o.Newest.LastOrdinal() <= day
		some = some || o.Oldest.LastOrdinal() <= day
	}
	return whole, some
}

// offersUntil sums up the prices of dataset d up to a day, of the cards that are there.
func (s *Snapshot) offersUntil(ctx context.Context, d, day int, there map[string]int32) (out []*CardOffers, err error) {
	for _, c := range s.summed[d] {
		if _, ok := there[c.Card]; !ok {
			continue
		}
		whole, some := c.until(day)
		switch {
		case !some:
			continue
		case !whole:
			if c, err = s.until(ctx, d, c, day); err != nil {
				return nil, fmt.Errorf("prices until a day: %w", err)
			}
		}
		if len(c.Offers) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

// FirstDay is the day of the first card; empty where there is none.
func (s *Snapshot) FirstDay() Date {
	from := s.since()
	if len(from) == 0 {
		return ""
	}
	first := slices.Min(from)
	return Date(fmt.Sprintf("%04d-%02d-%02d", first/10000, first/100%100, first%100))
}

// A NotYetError says that a day is before the catalogue begins.
type NotYetError struct{ First Date }

func (e NotYetError) Error() string { return "the catalogue begins on " + string(e.First) }

// A historyUntil is the prices of a dataset up to a day.
type historyUntil struct {
	all   History
	until int // YYYYMMDD
}

// PricesOf implements [History].
func (h historyUntil) PricesOf(card string) ([]PlacedPrice, error) {
	all, err := h.all.PricesOf(card)
	if err != nil {
		return nil, err
	}
	out := make([]PlacedPrice, 0, len(all))
	for i := range all {
		if all[i].Date.LastOrdinal() <= h.until {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// Each implements [History].
func (h historyUntil) Each(ctx context.Context, card string, days Days, fn func(*PlacedPrice) error) error {
	if days.To == 0 || days.To > h.until {
		days.To = h.until
	}
	return h.all.Each(ctx, card, days, func(p *PlacedPrice) error {
		if p.Date.LastOrdinal() > h.until {
			return nil
		}
		return fn(p)
	})
}

// begins is from which day on each card is in the catalogue, see [base].
func (s *Snapshot) begins() []int {
	out := make([]int, len(s.cards))
	launched := registryByID["launched"]
	for row := range s.cards {
		if text, ok := s.Text(launched, row); ok {
			out[row] = Date(text).LastOrdinal()
			continue
		}
		earliest := 99991231
		for _, p := range s.Latest(row) {
			first := p.Date
			if p.offer != nil {
				first = p.offer.Oldest
			}
			if d := first.LastOrdinal(); d > 0 {
				earliest = min(earliest, d)
			}
		}
		for _, f := range s.facts[row] {
			if d := s.sources[s.sourceOf(&f)].Published.LastOrdinal(); d > 0 {
				earliest = min(earliest, d)
			}
		}
		out[row] = earliest
	}
	return out
}

// ratesUntil are the exchange rates of each dataset up to a day.
func ratesUntil(rates [][]ExchangeRate, until int) [][]ExchangeRate {
	out := make([][]ExchangeRate, len(rates))
	for i, list := range rates {
		for _, r := range list {
			if r.Date.LastOrdinal() <= until {
				out[i] = append(out[i], r)
			}
		}
	}
	return out
}

// annotationsUntil are the annotations of each dataset without results and claims of later days.
func annotationsUntil(all []Annotations, until int) []Annotations {
	out := slices.Clone(all)
	for i := range out {
		out[i].Claims = slices.DeleteFunc(slices.Clone(out[i].Claims), func(c Claim) bool {
			return c.Said.LastOrdinal() > until
		})
		out[i].Benchmarks = slices.Clone(out[i].Benchmarks)
		for j := range out[i].Benchmarks {
			b := &out[i].Benchmarks[j]
			b.Results = slices.DeleteFunc(slices.Clone(b.Results), func(r BenchmarkResult) bool {
				return r.Date.LastOrdinal() > until
			})
		}
	}
	return out
}
