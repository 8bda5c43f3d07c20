package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// PriceCoverage says which cards that are, or were, sold to the public have a price of a year. ADR 74 says who counts.
type PriceCoverage struct {
	Year   int
	Sold   int      // cards that anybody can, or could, buy or rent, by themselves or in a computer
	Priced int      // of these, with a price to buy or to rent of the year
	Lack   []string // ids of the others, sorted

	Singly, SinglyPriced int // of Sold, those of which anybody can order one or rent it by the hour

	Segments []SegmentCoverage // by segment, sorted
}

// SegmentCoverage counts the cards of a segment, as [PriceCoverage] does.
type SegmentCoverage struct {
	Segment      string
	Sold, Priced int
}

// Share is the part of the cards with a price, 0 to 1.
func (c *PriceCoverage) Share() float64 { return float64(c.Priced) / float64(max(1, c.Sold)) }

// SinglyShare is the part with a price of those that are sold one by one, 0 to 1.
func (c *PriceCoverage) SinglyShare() float64 {
	return float64(c.SinglyPriced) / float64(max(1, c.Singly))
}

// soldSingly are the segments of cards that shops and clouds sell or rent one by one, as cards or in a computer.
// Accelerators for data centres are mostly sold by quotation, and the chips of laptops in hundreds of versions of them.
var soldSingly = []string{"desktop", "workstation", "edge", "cloud"}

// singlySince is the month from which a card that is sold one by one counts: that of Turing, the oldest architecture
// that CUDA 13 supports. Older cards are for collectors.
const singlySince = "2018-11"

// PricesOfYear counts the cards of a dataset that have a price of a year. Launch prices do not count: nobody can pay
// them any more. Cards that nobody outside could buy or rent do not either: those only announced, cancelled, used by
// their maker alone or sold only inside phones and cars.
func PricesOfYear(d *Dataset, year int) PriceCoverage {
	priced := map[string]bool{}
	for i := range d.Prices {
		if p := &d.Prices[i]; p.Kind != LaunchPrice && yearOf(p.Date) == year {
			priced[p.Card] = true
		}
	}
	return NewSnapshot(0, *d).coverage(year, priced)
}

// PriceCoverage counts the cards that have a price of the year of the newest price, as [PricesOfYear] does.
func (s *Snapshot) PriceCoverage() PriceCoverage {
	years, year := make([]int, len(s.cards)), 0 // of each card's newest price
	days := make([]int32, len(s.cards))
	for i := range s.prices {
		p := &s.prices[i]
		switch {
		case p.dated && p.day <= days[p.Row], p.Kind == LaunchPrice:
			continue // most prices are not a card's newest
		case p.dated:
			days[p.Row] = p.day
		}
		years[p.Row] = max(years[p.Row], yearOf(p.Date))
		year = max(year, years[p.Row])
	}
	priced := map[string]bool{}
	for row, y := range years {
		if y == year && y > 0 {
			priced[s.cards[row].ID] = true
		}
	}
	return s.coverage(year, priced)
}

func (s *Snapshot) coverage(year int, priced map[string]bool) PriceCoverage {
	out := PriceCoverage{Year: year}
	for row := range s.cards {
		if s.Standing(row) != Sold {
			continue
		}
		c := &s.cards[row]
		at, ok := slices.BinarySearchFunc(out.Segments, c.Segment, func(s SegmentCoverage, name string) int {
			return strings.Compare(s.Segment, name)
		})
		if !ok {
			out.Segments = slices.Insert(out.Segments, at, SegmentCoverage{Segment: c.Segment})
		}
		has := btoi(priced[c.ID])
		out.Sold++
		out.Priced += has
		out.Segments[at].Sold++
		out.Segments[at].Priced += has
		if s.soldSingly(row) {
			out.Singly++
			out.SinglyPriced += has
		}
		if has == 0 {
			out.Lack = append(out.Lack, c.ID)
		}
	}
	slices.Sort(out.Lack)
	return out
}

// soldSingly reports whether anybody can order one of a card that is sold, or rent it by the hour. It looks at segment
// and date alone, never at prices; a card without a date counts as new.
func (s *Snapshot) soldSingly(row int) bool {
	available, _ := s.Text(registryByID["available"], row)
	launched, _ := s.Text(registryByID["launched"], row)
	day := cmp.Or(available, launched)
	return slices.Contains(soldSingly, s.cards[row].Segment) && (day == "" || day >= singlySince)
}

// yearOf is the year of a day, 0 for none.
func yearOf(d Date) int {
	year, _, _ := strings.Cut(string(d), "-")
	n, _ := strconv.Atoi(year)
	return n
}
