package catalog

import (
	"fmt"
	"hash/maphash"
	"math"
)

// A PriceChecker checks prices one after another by the rules that [Check] has for
// those of a whole dataset. It keeps some 40 bytes of a price, however long its
// texts are. It is not safe for concurrent use.
type PriceChecker struct {
	sources map[string]*Source
	known   func(card string) bool
	seed    maphash.Seed
	asked   map[uint64]int64 // by hash of an offer, kind, term and day: what is asked, see mark
	dearest map[uint64]int64 // by hash of what would be asked on demand, and is not known: the dearest spot or reserved price, in micros for one card
}

// NewPriceChecker returns a checker of prices with sources of that map, which may
// grow, of cards that known reports.
func NewPriceChecker(sources map[string]*Source, known func(card string) bool) *PriceChecker {
	return &PriceChecker{sources, known, maphash.MakeSeed(), map[uint64]int64{}, map[uint64]int64{}}
}

// Check says what is wrong with a price, given those before it; nil when nothing is.
// A price that is wrong is forgotten. same reports that this very price stood before,
// but for source and note: it is not to be taken again, and nothing is wrong with it.
func (c *PriceChecker) Check(p *Price) (problem *Problem, same bool) {
	if err := p.Validate(c.sources); err != nil {
		return problemOf(p, "identity", "price", err.Error()), false
	}
	if !c.known(p.Card) {
		return problemOf(p, "identity", "card", fmt.Sprintf("the dataset has no card %q", p.Card)), false
	}
	if msg := implausible(p, float64(roughEach(p))/micro); msg != "" {
		return problemOf(p, "price-range", string(p.Kind), msg), false
	}
	key := c.hash(p, p.Kind, p.Term)
	if before, twice := c.asked[key]; twice && before == mark(p) {
		return nil, true
	} else if twice {
		return problemOf(p, "price-twice", string(p.Kind), fmt.Sprintf("%s: the same offer of that day stands before with %s", p.Amount, Money{before >> 1, p.Amount.Currency})), false
	}
	if problem := c.checkOrder(p, key); problem != nil {
		return problem, false
	}
	c.Stand(p)
	return nil, false
}

func problemOf(p *Price, rule, field, msg string) *Problem {
	return &Problem{Pos: p.Pos, Card: p.Card, Field: field, Rule: rule, Msg: msg}
}

// mark tells amounts of one offer apart.
func mark(p *Price) int64 {
	m := p.Amount.Micros << 1
	if p.Unit == PerMonth {
		m |= 1
	}
	return m
}

func (c *PriceChecker) hash(p *Price, kind PriceKind, term int) uint64 {
	return maphash.Comparable(c.seed, keyOf(p, kind, term))
}

// checkOrder compares what is asked on demand with what is asked otherwise,
// whichever comes first.
func (c *PriceChecker) checkOrder(p *Price, key uint64) *Problem {
	each := roughEach(p)
	switch p.Kind {
	case OnDemand:
		if other := c.dearest[key]; other > each {
			return problemOf(p, "price-order", string(p.Kind), fmt.Sprintf("%s on demand is less than the same seller asks for spot or reserved capacity on the same day, %s for a card", p.Amount, Money{other, p.Amount.Currency}))
		}
	case Spot, Reserved:
		group := c.hash(p, OnDemand, 0)
		onDemand, known := c.asked[group]
		if known && each > perCard(onDemand>>1, p.Cards) {
			return problemOf(p, "price-order", string(p.Kind), fmt.Sprintf("%s is more than %s on demand from the same seller on the same day", p.Amount, Money{onDemand >> 1, p.Amount.Currency}))
		}
	}
	return nil
}

// roughEach is the price of one card in micros, for an hour where it is rented: what
// [Price.Each] says, without its exact arithmetic, which takes longer than all else.
func roughEach(p *Price) int64 {
	cards := 1
	if p.Cards > 1 || p.Unit == PerNode {
		cards = p.Cards
	}
	each := perCard(p.Amount.Micros, cards)
	if p.Unit == PerMonth {
		each = int64(math.Round(float64(each) / HoursPerMonth))
	}
	return each
}

func perCard(micros int64, cards int) int64 {
	return int64(math.Round(float64(micros) / float64(cards)))
}

// Stand notes a price that stands already and is right, for those that follow.
func (c *PriceChecker) Stand(p *Price) {
	key := c.hash(p, p.Kind, p.Term)
	c.asked[key] = mark(p)
	if p.Kind == Spot || p.Kind == Reserved {
		group := c.hash(p, OnDemand, 0)
		if _, known := c.asked[group]; !known {
			c.dearest[group] = max(c.dearest[group], roughEach(p))
		}
	}
}
