package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/sorting"
)

// MaxCompared is how many cards a comparison holds at most.
const MaxCompared = 8

// A CompareLine is one quantity over the cards of a comparison.
type CompareLine struct {
	Quantity *Quantity
	Cells    []CompareCell
	Differs  bool // the known values are not all alike, or some are unknown
	// Apart are the places of cards that state the same rate on other bases only than
	// some card here: with them a line has no best.
	Apart []int
}

// A CompareCell is one card's value in a CompareLine.
type CompareCell struct {
	Known  bool
	Number float64 // of numbers
	Text   string  // of anything else
	Ratio  float64 // to the baseline's number; NaN where there is none
	// the best number of a line whose numbers are not all alike; of prices only of those that can be had
	// today, all of one month
	Best  bool
	Stale bool   // follows from a price that is too old: never the best
	month string // of the price that it follows from; empty for what follows from none
}

// Compare sets cards side by side; ratios are to the card at baseline, a place in
// rows. Lines
// that no card has a value for are left out. Different bases are different
// quantities, so a line never mixes them.
func (s *Snapshot) Compare(rows []int, baseline int) []CompareLine {
	var lines []CompareLine
	for _, q := range registry {
		if q.Kind == Name {
			continue
		}
		line := CompareLine{Quantity: q, Cells: make([]CompareCell, len(rows))}
		known := 0
		for i, row := range rows {
			line.Cells[i] = s.compareCell(q, row)
			known += btoi(line.Cells[i].Known)
		}
		if known == 0 {
			continue
		}
		line.finish(baseline)
		lines = append(lines, line)
	}
	keepApart(lines)
	return lines
}

func (s *Snapshot) compareCell(q *Quantity, row int) CompareCell {
	cell := CompareCell{Ratio: missing}
	if q.Kind == Number {
		cell.Number, cell.Known = s.Number(q, row)
		quote, priced := s.QuoteBehind(q, row)
		if cell.Stale = priced && !quote.Freshness.Current(); priced && quote.Kind != LaunchPrice {
			cell.month = string(quote.Date[:min(len(quote.Date), len("2006-01"))])
		}
	} else {
		cell.Text, cell.Known = s.Text(q, row)
	}
	return cell
}

// finish computes ratios, the best and whether the line differs.
func (l *CompareLine) finish(baseline int) {
	first, base := l.Cells[0], l.Cells[baseline]
	best, current, alike := missing, 0, true
	mixed, month := false, "" // prices of different months have no best
	for i := range l.Cells {
		c := &l.Cells[i]
		l.Differs = l.Differs || c.Known != first.Known || c.Text != first.Text || c.Known && c.Number != first.Number
		if l.Quantity.Kind != Number || !c.Known {
			continue
		}
		if base.Known && i != baseline {
			c.Ratio = c.Number / base.Number
		}
		if c.Stale {
			continue
		}
		alike = alike && (current == 0 || c.Number == best)
		if current == 0 {
			month = c.month
		}
		mixed = mixed || c.month != month
		if current++; current == 1 || l.Quantity.better(c.Number, best) {
			best = c.Number
		}
	}
	if current < 2 || alike || mixed || l.Quantity.Better == "none" || l.ofThePast(month) {
		return
	}
	for i := range l.Cells {
		c := &l.Cells[i]
		c.Best = c.Known && !c.Stale && c.Number == best
	}
}

// ofThePast reports whether a line is of prices at launch, which nobody can pay today.
func (l *CompareLine) ofThePast(month string) bool {
	return l.Quantity.Priced() && month == "" || l.Quantity.ID == "launch_price_usd" ||
		l.Quantity.ID == "launch_price_cny"
}

// better reports whether a buyer prefers a to b.
func (q *Quantity) better(a, b float64) bool {
	switch q.Better {
	case "higher":
		return a > b
	case "lower":
		return a < b
	}
	return false
}

// HasPCIID reports whether the card has that PCI id, with or without subsystem.
func (c *Card) HasPCIID(id string) bool {
	id = strings.ToLower(strings.TrimSpace(id))
	return slices.ContainsFunc(c.PCIIDs, func(own string) bool {
		own = strings.ToLower(own)
		return own == id || pciDevice(own) == id || own == pciDevice(id)
	})
}

// nearBy are the quantities in which cards are near each other or not.
var nearBy = []string{"memory_gb", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops",
	"fp32_vector_tflops", "tdp_w"}

// Neighbours returns up to most cards of the same segment that are nearest to
// card i: by the mean logarithm of the ratios of what both state, at least two
// quantities. The nearest comes first.
func (s *Snapshot) Neighbours(i, most int) []int {
	type near struct {
		row int
		far float64
	}
	var found []near
	for row := range s.cards {
		if row == i || s.cards[row].Segment != s.cards[i].Segment {
			continue
		}
		sum, n := 0.0, 0
		for _, id := range nearBy {
			q := registryByID[id].index
			if ratio := math.Abs(math.Log(s.number(q, row) / s.number(q, i))); !math.IsNaN(ratio) {
				sum, n = sum+ratio, n+1
			}
		}
		if n >= 2 {
			found = append(found, near{row, sum / float64(n)})
		}
	}
	sorting.Func(found, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	out := make([]int, 0, most)
	for _, f := range found[:min(most, len(found))] {
		out = append(out, f.row)
	}
	return out
}
