package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// PriceCoverage says which cards that are, or were, sold to the public have a price of a year.
type PriceCoverage struct {
	Year   int
	Sold   int      // cards that anybody can, or could, buy or rent, by themselves or in a computer
	Priced int      // of these, with a price to buy or to rent of the year
	Lack   []string // ids of the others

	Segments []SegmentCoverage // by segment, sorted: cards for laptops are sold in laptops alone, and many accelerators on quotation
}

// SegmentCoverage counts the cards of a segment, as [PriceCoverage] does.
type SegmentCoverage struct {
	Segment      string
	Sold, Priced int
}

// Share is the part of the cards with a price, 0 to 1.
func (c *PriceCoverage) Share() float64 { return float64(c.Priced) / float64(max(1, c.Sold)) }

// PricesOfYear counts the cards of a dataset that have a price of a year. Launch prices do not count: nobody can pay
// them any more. Cards that nobody outside could buy or rent do not either: those only announced, cancelled, used by
// their maker alone or sold only inside phones and cars.
func PricesOfYear(d *Dataset, year int) PriceCoverage {
	out := PriceCoverage{Year: year}
	priced := map[string]bool{}
	for i := range d.Prices {
		p := &d.Prices[i]
		if p.Kind != LaunchPrice && len(p.Date) >= len("2006") && string(p.Date[:4]) == strconv.Itoa(year) {
			priced[p.Card] = true
		}
	}
	for i := range d.Cards {
		c := &d.Cards[i]
		if slices.ContainsFunc(c.Facts, func(f Fact) bool { return f.Quantity == standingID && f.Text != Sold }) {
			continue
		}
		i := slices.IndexFunc(out.Segments, func(s SegmentCoverage) bool { return s.Segment == c.Segment })
		if i < 0 {
			i, out.Segments = len(out.Segments), append(out.Segments, SegmentCoverage{Segment: c.Segment})
		}
		out.Sold++
		out.Segments[i].Sold++
		if priced[c.ID] {
			out.Priced++
			out.Segments[i].Priced++
		} else {
			out.Lack = append(out.Lack, c.ID)
		}
	}
	slices.Sort(out.Lack)
	slices.SortFunc(out.Segments, func(a, b SegmentCoverage) int { return strings.Compare(a.Segment, b.Segment) })
	return out
}
