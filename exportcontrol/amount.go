package exportcontrol

import (
	"fmt"
	"math"

	"tianti/catalog"
)

// Quantity is what rules set bounds on.
type Quantity string

const (
	// total processing performance, in tera-operations per second × bits
	TPP                Quantity = "tpp"
	PerformanceDensity Quantity = "performance_density" // TPP for each mm² of non-planar logic die
	// all inputs and outputs but memory, both directions, PCIe included
	IO          Quantity = "interconnect_gb_s"
	Memory      Quantity = "memory_bandwidth_gb_s" // DRAM bandwidth, on the package or off it
	MemoryAndIO Quantity = "memory_and_interconnect_gb_s"
	Datacenter  Quantity = "datacenter" // 1 for an item designed or marketed for data centres, 0 for another
)

// Knowledge says how much is known of an [Amount].
type Knowledge uint8

const (
	Missing       Knowledge = iota
	Exact                   // the amount is Value
	AtLeast                 // it is Value or more, up to Most where that is known
	NotApplicable           // there is none: the density of an item without a non-planar die
)

// An Amount is the value of a [Quantity], as far as it is known.
type Amount struct {
	Value float64
	Known Knowledge
	Most  float64 // an upper bound of what is AtLeast Value; 0 is none
}

func exactly(v float64) Amount { return Amount{Value: v, Known: Exact} }

// between is an amount that lies between two values.
func between(low, most float64) Amount { return Amount{Value: low, Known: AtLeast, Most: most} }

// most is the upper bound of an amount: infinite when there is none.
func (a Amount) most() float64 {
	if a.Known == Exact {
		return a.Value
	}
	if a.Known == AtLeast && a.Most > 0 {
		return a.Most
	}
	return math.Inf(1)
}

// plus adds two amounts that are never negative, so what is known of one is a lower
// bound of the sum.
func (a Amount) plus(b Amount) Amount {
	least, most := round(a.Value+b.Value), round(a.most()+b.most())
	if a.Known == Exact && b.Known == Exact {
		return exactly(least)
	}
	if !math.IsInf(most, 1) {
		return between(least, most)
	}
	if least > 0 {
		return between(least, 0)
	}
	return Amount{}
}

// over divides by an exact area.
func (a Amount) over(area float64) Amount {
	if a.Known == Missing || area <= 0 {
		return Amount{}
	}
	return Amount{round(a.Value / area), a.Known, round(a.Most / area)}
}

// round drops the noise of binary fractions, so that 312.5 × 15.36 meets a bound
// of 4,800: a millionth is far less than figures are known to.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Truth is the answer to a comparison.
type Truth uint8

const (
	No Truth = iota
	Maybe
	Yes
)

// Op is a comparison.
type Op string

const (
	AtOrAbove Op = "≥"
	Above     Op = ">"
	Below     Op = "<"
	Is        Op = "="
)

// A Condition compares a quantity with a bound.
type Condition struct {
	Quantity Quantity
	Op       Op
	Bound    float64
}

// Holds compares the amount with the bound. Limits of an amount decide when they leave
// only one answer.
func (c Condition) Holds(a Amount) Truth {
	switch a.Known {
	case Missing:
		return Maybe
	case NotApplicable:
		return No
	}
	least, most := a.Value, a.most()
	switch c.Op {
	case AtOrAbove:
		return truth(least >= c.Bound, most >= c.Bound)
	case Above:
		return truth(least > c.Bound, most > c.Bound)
	case Below:
		return truth(most < c.Bound, least < c.Bound)
	}
	return truth(least == c.Bound && most == c.Bound, least <= c.Bound && most >= c.Bound)
}

// truth is the answer where a comparison holds for all values that an amount may have,
// for some of them, or for none.
func truth(all, some bool) Truth {
	if all {
		return Yes
	}
	if some {
		return Maybe
	}
	return No
}

// Amounts are the quantities of an item that rules set bounds on.
type Amounts struct{ TPP, PerformanceDensity, IO, Memory, Datacenter Amount }

// An Item is what the rules are applied to: a card, or a description. Rules speak of
// integrated circuits; a card is judged by one of those on it, which are alike. Performance,
// density and memory are of one circuit. IO is that of the whole card: the share of each, and
// what joins them, are seldom stated.
type Item struct {
	ID     string // of the card; empty for a description
	Vendor string // empty when not known: then rules for any vendor apply
	Amounts

	Performance catalog.Performance
	Links       catalog.LinkBandwidth
	Area        Amount    // mm² of non-planar logic die
	SRAM        bool      // the memory bandwidth that is known is of SRAM, which does not count
	OtherMemory []float64 // memory bandwidths that other sources give
	ECCN        string    // as the vendor publishes it; may be empty
	CloudOnly   bool      // it is not sold: a cloud rents it, or its maker keeps it
	// Bounds of what no source states, from other cards: TPPBound × FP32, and the links.
	TPPBound, LinkBound Bound
	FP32                float64 // TFLOPS on vector units
	Launched            string  // the first day that its launch date may mean, YYYY-MM-DD; may be empty
}

// ItemOf reads an item from the figures of a card.
func ItemOf(f catalog.Figures) Item {
	segment := f.Text("segment")
	it := Item{Vendor: f.Text("vendor"), ECCN: f.Text("eccn"), CloudOnly: segment == "cloud",
		Performance: catalog.PerformanceOf(f), Links: catalog.LinkBandwidthOf(f)}
	it.Datacenter = datacenter(segment)
	it.TPP = performanceAmount(it.Performance)
	it.Area = areaOf(f)
	it.PerformanceDensity = it.TPP.over(it.Area.Value)
	if it.Area.Known == NotApplicable {
		it.PerformanceDensity = it.Area
	}
	it.IO = linksOf(it.Links)
	if v, ok := f.Number("memory_bandwidth_gb_s"); ok {
		it.Memory = exactly(round(v / it.Performance.ICs))
	}
	if it.SRAM = f.Text("memory_type") == "SRAM"; it.SRAM {
		it.Memory = Amount{} // the rules count DRAM, and what it has beside the chip is not known
	}
	return it
}

// Described is the item that somebody describes by figures. A rate alone settles nothing:
// narrower formats may be faster, so that the performance is exact only with rates of 16
// and of 8 bits, or as the vendor publishes it.
func Described(f catalog.Figures) Item {
	it := ItemOf(f)
	wide, narrow := false, false
	for _, r := range it.Performance.Rates {
		wide, narrow = wide || r.Bits == 16, narrow || r.Bits == 8
	}
	if it.TPP.Known == Exact && it.Performance.Published == 0 && !(wide && narrow) {
		it.TPP = between(it.TPP.Value, 0)
		it.PerformanceDensity = it.TPP.over(it.Area.Value)
		if it.Area.Known == NotApplicable {
			it.PerformanceDensity = it.Area
		}
	}
	return it
}

// CardItem is the item that card i of a catalogue is.
func CardItem(s *catalog.Snapshot, i int) *Item {
	f := s.Figures(i)
	it := ItemOf(f)
	it.ID = s.Card(i).ID
	if v, ok := s.Number(launched, i); ok {
		it.Launched = dayOf(int(v))
	}
	for v := range s.Others(memoryBandwidth, i) {
		it.OtherMemory = append(it.OtherMemory, round(v/it.Performance.ICs))
	}
	limitsOf(s).bound(&it, s, i)
	return &it
}

var memoryBandwidth, _ = catalog.LookupQuantity("memory_bandwidth_gb_s")

var launched, _ = catalog.LookupQuantity("launched")

func dayOf(ordinal int) string {
	return fmt.Sprintf("%04d-%02d-%02d", ordinal/10000, ordinal/100%100, ordinal%100)
}

func performanceAmount(p catalog.Performance) Amount {
	if p.TPP == 0 {
		return Amount{}
	}
	if p.Complete {
		return exactly(p.TPP)
	}
	return between(p.TPP, p.Most)
}

func areaOf(f catalog.Figures) Amount {
	switch area, applies, ok := catalog.NonPlanarDie(f); {
	case !ok:
		return Amount{}
	case !applies:
		return Amount{Known: NotApplicable}
	default:
		return exactly(area)
	}
}

// fastestPCIe is the rate of 16 lanes of generation 6 in both directions, in GB/s:
// no card has more, so a link that is not known adds no more than that.
const fastestPCIe = 256

func linksOf(l catalog.LinkBandwidth) Amount { return linksWithin(l, 0) }

// linksWithin adds links up; most is a bound of those between cards where they are not
// known, and 0 where there is none.
func linksWithin(l catalog.LinkBandwidth, most float64) Amount {
	links, pcie := exactly(l.Interconnect), exactly(l.PCIe)
	switch {
	case l.LacksInterconnect && most > 0:
		links = between(0, most)
	case l.LacksInterconnect:
		links = Amount{}
	}
	if l.LacksPCIe {
		pcie = between(0, fastestPCIe)
	}
	return links.plus(pcie)
}

// datacenter derives the market from the segment of a card. Cards that are only rented
// in clouds are made for data centres.
func datacenter(segment string) Amount {
	switch segment {
	case "datacenter", "cloud":
		return exactly(1)
	case "", "research":
		return Amount{}
	}
	return exactly(0)
}

// Amount returns the amount of a quantity.
func (a *Amounts) Amount(q Quantity) Amount {
	switch q {
	case TPP:
		return a.TPP
	case PerformanceDensity:
		return a.PerformanceDensity
	case IO:
		return a.IO
	case Memory:
		return a.Memory
	case MemoryAndIO:
		return a.Memory.plus(a.IO)
	case Datacenter:
		return a.Datacenter
	}
	return Amount{}
}

// withTPP is the item as another claim of its performance makes it.
func (it *Item) withTPP(tpp float64) *Item {
	other := *it
	other.TPP = exactly(tpp)
	if it.Area.Known == Exact {
		other.PerformanceDensity = other.TPP.over(it.Area.Value)
	}
	return &other
}
