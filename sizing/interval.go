package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sorting"
)

// z90 is the number of standard deviations that hold 90 % of a normal distribution.
const z90 = 1.6448536269514722

// A Class is what estimates have in common whose intervals are judged together.
type Class struct {
	Aspect Aspect `json:"aspect"`
	Tier   Tier   `json:"tier"`
	Known  bool   `json:"known,omitempty"` // the framework has constants of its own, from its own runs
	Load   Load   `json:"load,omitempty"`  // of serving; bursts that fit and others are one class
	New    bool   `json:"new,omitempty"`   // in training: nobody ran anything on the card
}

// classOf is the class of an estimate on a card.
func (q *field) classOf(w *Workload, c *Card, t Tier) Class {
	out := Class{Aspect: aspectOf(q.Quantity, w), Tier: t, Known: q.knows(w), Load: loadOf(q.Quantity, w)}
	if q.Quantity == TrainingSpeed && c != nil {
		q.look()
		out.New = len(q.byCard[c.ID]) == 0
	}
	return out
}

func knownFirst(known bool) int {
	if known {
		return 0
	}
	return 1
}

// A Width makes the intervals of a class cover 90 %: an interval reaches Factor
// deviations up and down from log(expected).
type Width struct {
	Class
	Factor float64 `json:"factor"`
	Cases  int     `json:"cases"` // estimates of cases held back that it was found from
}

// Widths are those of all classes that cases were held back from.
type Widths []Width

// Of is the factor of a class: its own, or else the widest of its aspect, or else that
// of the normal distribution.
func (ws Widths) Of(c Class) float64 {
	widest := 0.0
	for i := range ws {
		switch {
		case ws[i].Class == c:
			return ws[i].Factor
		case ws[i].Aspect == c.Aspect:
			widest = max(widest, ws[i].Factor)
		}
	}
	return cmp.Or(widest, z90)
}

// deviationOf is that of log(measured) where the cases leave so much unknown, of a run whose noise is a multiple of
// what runs have.
func (c *Calibration) deviationOf(unknown, noise float64) float64 {
	return math.Hypot(c.Reach*unknown, c.Noise*noise)
}

// A rough gauge has cases whose own noise is known to be larger than that of others, see [gauge.noise]: they are judged
// by intervals as much wider, and do not widen those of others.
type rough interface {
	rough(c *Case) float64
}

func roughOf(g gauge, c *Case) float64 {
	if g, ok := g.(rough); ok {
		return g.rough(c)
	}
	return 1
}

// A heldBack is how one way of leaving out estimates the cases.
type heldBack struct {
	way         LeaveOut
	by          By
	fields      map[string]*field // of a group, the one that has not seen it; empty for OutItself
	predictions []Prediction      // of the trusted cases
}

// foldsOfGroups is how many folds groups of cases are dealt into.
const foldsOfGroups = 8

// holdBack estimates cases from the others in every way. Where groups are left out,
// the constants are fitted without them too; the field's deviations are not.
func holdBack(cal *Calibration, cases []*Case) []heldBack {
	q := &field{gauge: gauges[cal.Quantity], Calibration: cal, cases: cases}
	var out []heldBack
	for _, way := range LeaveOuts {
		h := heldBack{way: way, by: q.groupsOf(way), fields: map[string]*field{}}
		if way == OutItself {
			h.predictions = slices.DeleteFunc(q.leaveOut(h.by), func(p Prediction) bool { return !p.Case.Trusted })
		} else {
			h.predictions = Refit(cal, cal.joint, h.by, foldsOfGroups)
			for _, p := range h.predictions {
				h.fields[h.by(p.Case)] = p.by
			}
		}
		out = append(out, h)
	}
	return out
}

// fitSpread finds the factor on what the field does not know, and the share of the
// deviation that counts for what is sure, with which the errors of cases held back are the
// most likely, as those of a Laplace distribution, which a few large ones do not sway.
func fitSpread(held []heldBack, cal *Calibration) (reach, sure float64) {
	best := math.Inf(-1)
	reach, sure = 1, 1
	for _, r := range reaches {
		for _, s := range shares {
			at := Calibration{Reach: r, Sure: s, Noise: cal.Noise}
			sum := 0.0
			for _, h := range held {
				if !h.way.widens(cal.Quantity) {
					continue
				}
				for _, p := range h.predictions {
					d := p.scaleAt(s) * at.deviationOf(p.evidence.unknown, roughOf(gauges[cal.Quantity], p.Case))
					sum -= math.Log(d) + math.Sqrt2*p.off()/d
				}
			}
			if sum > best {
				best, reach, sure = sum, r, s
			}
		}
	}
	return reach, sure
}

// scaleAt is [field.scale] with another share for what is sure.
func (p *Prediction) scaleAt(sure float64) float64 { return p.doubt + sure*(1-p.doubt) }

// reaches that are tried: a quarter to four, in steps of a tenth of an octave.
var reaches = func() (out []float64) {
	for i := -20; i <= 20; i++ {
		out = append(out, math.Exp2(float64(i)/10))
	}
	return out
}()

// shares that are tried.
var shares = []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1}

// few estimates of a class count half beside those of all classes of its aspect. Of fewer cards, what is said by the
// formula alone takes nothing from the others that would make it narrower.
const few = 20

// witness names what is independent of other runs: those of one framework on one card, mostly by one person, are off
// together.
func witness(c *Case) string {
	if c.Card == nil {
		return c.Workload.Framework
	}
	return c.Workload.Framework + " " + c.Card.ID
}

// fitWidths finds the factor of each class: of the cases held back, as many
// deviations as 90 % of them are off by at most (V. Vovk, A. Gammerman and
// G. Shafer, "Algorithmic Learning in a Random World", 2005, section 4.5: Mondrian
// conformal predictors). A case counts once in a class, however often it was held
// back. Where the job itself was not measured, a card or a framework is new, not a run: as many of them are covered as
// chance allows where 90 % are, see [ClassScore.Chance], however many runs each of them has; and of services of each
// load as many where the card is held back, since those that are held back alone would hide that a new card is not
// covered.
func fitWidths(held []heldBack, cal *Calibration) Widths {
	classes := map[Class][]weighed{}
	aspects := map[Aspect][]weighed{}
	byCard := map[Class][]weighed{}  // where a framework on a card counts once
	newCard := map[Class][]weighed{} // of those that are held back with their card
	bare := map[Class][]weighed{}    // as many deviations as are unknown without cases; those of cases that are near
	before := (&field{Calibration: cal}).before()
	times := map[Class]map[*Case]int{}
	cards := map[Class]map[string]int{} // how often each framework on a card was held back
	for pass := range 2 {
		for _, h := range held {
			if !h.way.widens(cal.Quantity) {
				continue
			}
			for _, p := range h.predictions {
				c := p.by.classOf(&p.Case.Workload, p.Case.Card, p.Tier)
				if pass == 0 {
					if times[c] == nil {
						times[c], cards[c] = map[*Case]int{}, map[string]int{}
					}
					times[c][p.Case]++
					cards[c][witness(p.Case)]++
					continue
				}
				deviation := cal.deviationOf(p.evidence.unknown, roughOf(gauges[cal.Quantity], p.Case))
				off := p.off() / (p.scaleAt(cal.Sure) * deviation)
				x := weighed{off, 1 / float64(times[c][p.Case])}
				classes[c], aspects[c.Aspect] = append(classes[c], x), append(aspects[c.Aspect], x)
				byCard[c] = append(byCard[c], weighed{off, 1 / float64(cards[c][witness(p.Case)])})
				if h.way == OutCard {
					newCard[c] = append(newCard[c], weighed{off, 1})
				}
				c.Tier = Formula
				alone := cal.deviationOf(before, roughOf(gauges[cal.Quantity], p.Case))
				bare[c] = append(bare[c], weighed{p.off() / (p.scaleAt(cal.Sure) * alone), x.weight})
			}
		}
	}
	var out Widths
	for c, xs := range classes {
		n := float64(len(times[c]))
		own, all := quantile90(xs), quantile90(aspects[c.Aspect])
		share := n / (n + few)
		factor := math.Exp(share*math.Log(own) + (1-share)*math.Log(all))
		if c.Tier != Measured {
			least, _ := (&ClassScore{Cards: len(cards[c])}).Chance()
			factor = max(factor, quantile(byCard[c], least))
		}
		if xs := newCard[c]; c.Load != "" && c.Tier != Measured && len(xs) >= few {
			least, _ := (&ClassScore{Cards: len(xs)}).Chance()
			factor = max(factor, quantile(xs, least))
		}
		if c.Tier == Formula { // no interval is wider than that of the formula, see reachOf
			factor = max(factor, quantile90(bare[c]))
			if len(cards[c]) < few { // so few do not say that they are as near as the others
				factor = max(factor, own)
			}
		}
		out = append(out, Width{c, factor, len(times[c])})
	}
	sorting.Func(out, func(x, y Width) int {
		return cmp.Or(cmp.Compare(slices.Index(Aspects, x.Aspect), slices.Index(Aspects, y.Aspect)),
			cmp.Compare(slices.Index(tiers, x.Tier), slices.Index(tiers, y.Tier)), cmp.Compare(knownFirst(x.Known),
				knownFirst(y.Known)), cmp.Compare(knownFirst(y.New), knownFirst(x.New)),
			cmp.Compare(slices.Index(Loads, x.Load), slices.Index(Loads, y.Load)))
	})
	return out
}

// tiers from what is known best.
var tiers = []Tier{Measured, Calibrated, Formula}

type weighed struct{ value, weight float64 }

func quantile90(xs []weighed) float64 { return quantile(xs, 0.9) }

// quantile is the least value that a share of the weight, and of one more value beyond all, does not exceed.
func quantile(xs []weighed, share float64) float64 {
	sorting.Func(xs, func(x, y weighed) int { return cmp.Compare(x.value, y.value) })
	total := 1.0
	for _, x := range xs {
		total += x.weight
	}
	sum := 0.0
	for _, x := range xs {
		if sum += x.weight; sum >= share*total {
			return x.value
		}
	}
	return xs[len(xs)-1].value
}
