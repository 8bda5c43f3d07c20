package exportcontrol

import (
	"math"

	"tianti/catalog"
)

// Bounds of a card that follow from others: where no source states a rate or a link, the
// cards of the same architecture, or the vendor's earlier ones, say what it cannot exceed.

// A Bound is an upper bound with the card that it was taken from.
type Bound struct {
	Value  float64 // TPP for each TFLOPS of FP32 on vector units, or GB/s of card-to-card links
	CardID string
}

func (b *Bound) raise(value float64, id string) {
	if value > b.Value {
		*b = Bound{value, id}
	}
}

// vendorLink is the fastest card-to-card link of a vendor up to a launch date.
type vendorLink struct {
	launched int // YYYYMMDD
	Bound
}

// limits are the bounds that the cards of a catalogue give.
type limits struct {
	perTFLOPS map[kinship]*Bound // of cards whose TPP is known exactly
	links     map[kinship]*Bound
	fastest   map[string][]vendorLink
}

type limitsKey struct{}

func limitsOf(s *catalog.Snapshot) *limits {
	return catalog.Derived(s, limitsKey{}, func(s *catalog.Snapshot) *limits {
		l := &limits{map[kinship]*Bound{}, map[kinship]*Bound{}, map[string][]vendorLink{}}
		for i := range s.Len() {
			l.learn(s, i)
		}
		return l
	})
}

func (l *limits) learn(s *catalog.Snapshot, i int) {
	f, id := s.Figures(i), s.Card(i).ID
	if p := catalog.PerformanceOf(f); p.Complete {
		if fp32, ok := f.Number("fp32_vector_tflops"); ok && fp32 > 0 {
			raise(l.perTFLOPS, f, p.TPP*p.ICs/fp32, id)
		}
	}
	link, ok := f.Number("interconnect_gb_s")
	if !ok {
		return
	}
	raise(l.links, f, link, id)
	if day, ok := s.Number(launched, i); ok {
		vendor := f.Text("vendor")
		l.fastest[vendor] = append(l.fastest[vendor], vendorLink{int(day), Bound{link, id}})
	}
}

// kin is the group of cards that say what another cannot exceed: of the same architecture, and
// like it for data centres or not, because chips for data centres have larger matrix units.
// Cards with the same chip are too few: of 169 whose rates are known, what the others with the
// chip allow is more than 2 % below the truth for five, by up to 21 %; of the architecture, for
// three, by up to 7 %. A module with a system on a chip (segment edge) has other units besides,
// so it has no kin.
func kin(f catalog.Figures) kinship {
	if f.Text("architecture") == "" || f.Text("segment") == "edge" {
		return kinship{}
	}
	return kinship{f.Text("vendor"), f.Text("architecture"), datacenter(f.Text("segment"))}
}

// A kinship is what such a group has in common; zero for cards without.
type kinship struct {
	vendor, architecture string
	datacenter           Amount
}

// boundMargin is put on the ratio of the kin: it covers every card whose rates are known.
const boundMargin = 1.1

func raise(m map[kinship]*Bound, f catalog.Figures, value float64, id string) {
	key := kin(f)
	if key == (kinship{}) {
		return
	}
	if m[key] == nil {
		m[key] = &Bound{}
	}
	m[key].raise(value, id)
}

// bound gives a card the upper bounds that others allow.
func (l *limits) bound(it *Item, s *catalog.Snapshot, i int) {
	f := s.Figures(i)
	if fp32, ok := f.Number("fp32_vector_tflops"); ok && it.TPP.Known == AtLeast && it.TPP.Most == 0 {
		if b := l.perTFLOPS[kin(f)]; b != nil {
			it.TPPBound, it.FP32 = *b, fp32/it.Performance.ICs
			it.TPP.Most = round(math.Max(b.Value*it.FP32*boundMargin, it.TPP.Value))
			if it.Area.Known == Exact {
				it.PerformanceDensity = it.TPP.over(it.Area.Value)
			}
		}
	}
	if !it.Links.LacksInterconnect {
		return
	}
	if b := l.links[kin(f)]; b != nil {
		it.LinkBound = *b
	} else if day, ok := s.Number(launched, i); ok {
		for _, v := range l.fastest[f.Text("vendor")] {
			if v.launched <= int(day) {
				it.LinkBound.raise(v.Value, v.CardID)
			}
		}
	}
	if it.LinkBound.CardID != "" {
		it.IO = linksWithin(it.Links, it.LinkBound.Value)
	}
}
