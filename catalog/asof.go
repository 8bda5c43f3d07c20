package catalog

import (
	"context"
	"fmt"
	"slices"
)

// AsOf is the catalogue as of a day: the cards that were announced by then, with the observations up to then (prices,
// exchange rates, results of benchmarks). A card of which no source says when it was announced is there from the first
// price or dated source that speaks of it. Figures are those of the same revision: what a card is does not change, and
// documents about it are often later than it. What is known to the month or the year counts from its last day.
//
// The error is a [NotYetError] for a day before [Snapshot.FirstDay].
func (s *Snapshot) AsOf(day Date) (*Snapshot, error) {
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
		until := historyUntil{s.histories[d], until}
		list, err := until.offers(s.summed[d], out.rowOf)
		if err != nil {
			return nil, err
		}
		offers, out.histories = append(offers, list), append(out.histories, until)
	}
	out.finish(offers)
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

// offers sums up the prices up to the day of the cards that are there. It reads those of cards that have later ones,
// too.
func (h historyUntil) offers(all []*CardOffers, there map[string]int32) ([]*CardOffers, error) {
	var out []*CardOffers
	for _, c := range all {
		if _, ok := there[c.Card]; !ok {
			continue
		}
		later := func(o Offer) bool { return o.Newest.LastOrdinal() > h.until }
		if !slices.ContainsFunc(c.Offers, later) {
			out = append(out, c)
			continue
		}
		if !slices.ContainsFunc(c.Offers, func(o Offer) bool { return o.Oldest.LastOrdinal() <= h.until }) {
			continue
		}
		prices, err := h.PricesOf(c.Card)
		if err != nil {
			return nil, fmt.Errorf("prices of %s: %w", c.Card, err)
		}
		sum := &CardOffers{Card: c.Card}
		for i := range prices {
			o := OfferOf(&prices[i])
			sum.Add(&o)
			sum.Cite(prices[i].Source, 1)
		}
		sum.Done()
		if len(sum.Offers) > 0 {
			out = append(out, sum)
		}
	}
	return out, nil
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
