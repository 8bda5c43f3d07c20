package catalog

import (
	"fmt"
	"hash/maphash"
	"math"
)

// A PriceChecker checks prices one after another by the rules that [Check] has for
// those of a whole dataset. It keeps one or two numbers of a price, however long its
// texts are. It is not safe for concurrent use.
type PriceChecker struct {
	sources map[string]*Source
	known   func(card string) bool
	hash    maphash.Hash
	// By hash of an offer, kind, term and day: what is asked, see mark. By that of what would be asked on demand,
	// and is not known, see dearest: the highest spot or reserved price, in micros for one card.
	numbers Numbers
}

// Numbers holds numbers greater than 0 by hashes, as many as there are prices.
type Numbers interface {
	At(hash uint64) int64        // 0 when there is none
	Raise(hash uint64, to int64) // unless it has a greater one
}

// NewPriceChecker returns a checker of prices with sources of that map, which may
// grow, of cards that known reports. It remembers prices in numbers.
func NewPriceChecker(sources map[string]*Source, known func(card string) bool, numbers Numbers) *PriceChecker {
	return &PriceChecker{sources: sources, known: known, numbers: numbers}
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
	keys := c.keysOf(p)
	if before := c.numbers.At(keys.own); before == mark(p) {
		return nil, true
	} else if before != 0 {
		return problemOf(p, "price-twice", string(p.Kind), fmt.Sprintf("%s: the same offer of that day stands "+
			"before with %s", p.Amount, Money{before >> 1, p.Amount.Currency})), false
	}
	if problem := c.checkOrder(p, keys); problem != nil {
		return problem, false
	}
	c.stand(p, keys)
	return nil, false
}

func problemOf(p *Price, rule, field, msg string) *Problem {
	return &Problem{Pos: p.Pos, Card: p.Card, Field: field, Rule: rule, Msg: msg}
}

// mark tells amounts of one offer apart; it is never 0.
func mark(p *Price) int64 {
	m := p.Amount.Micros << 1
	if p.Unit == PerMonth {
		m |= 1
	}
	return m
}

// offerKeys are hashes of the offer that a price is of, with its day: as it is, and as
// it would be on demand. The texts of a price are hashed once.
type offerKeys struct{ own, onDemand uint64 }

// dearest is where the dearest price is that is not on demand, by the key of the offer on demand.
func dearest(onDemand uint64) uint64 { return scatter(onDemand + 1) }

func (c *PriceChecker) keysOf(p *Price) offerKeys {
	c.hash.Reset()
	for _, text := range [...]string{p.Card, p.Seller, p.Instance, p.Region, p.Amount.Currency,
		string(p.Tax), string(p.Date)} {
		c.hash.WriteString(text)
		c.hash.WriteByte('\n') // no text of a price has one
	}
	offer := c.hash.Sum64() + uint64(p.Cards)*0x9e3779b97f4a7c15
	return offerKeys{scatter(offer ^ uint64(kindNumbers[p.Kind])<<8 ^ uint64(p.Term)),
		scatter(offer ^ uint64(kindNumbers[OnDemand])<<8)}
}

// kindNumbers numbers the kinds of prices.
var kindNumbers = func() map[PriceKind]int {
	out := map[PriceKind]int{}
	for i, kind := range PriceKinds() {
		out[kind] = i
	}
	return out
}()

// scatter makes all bits depend on all bits (the finalizer of SplitMix64); different
// numbers stay different.
func scatter(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// checkOrder compares what is asked on demand with what is asked otherwise,
// whichever comes first.
func (c *PriceChecker) checkOrder(p *Price, keys offerKeys) *Problem {
	each := roughEach(p)
	switch p.Kind {
	case OnDemand:
		if other := c.numbers.At(dearest(keys.own)); other > each {
			return problemOf(p, "price-order", string(p.Kind),
				fmt.Sprintf("%s on demand is less than the same seller asks for spot or reserved capacity on the "+
					"same day, %s for a card", p.Amount, Money{other, p.Amount.Currency}))
		}
	case Spot, Reserved:
		onDemand := c.numbers.At(keys.onDemand)
		if onDemand != 0 && each > perCard(onDemand>>1, p.Cards) {
			return problemOf(p, "price-order", string(p.Kind), fmt.Sprintf("%s is more than %s on demand from the "+
				"same seller on the same day", p.Amount, Money{onDemand >> 1, p.Amount.Currency}))
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
func (c *PriceChecker) Stand(p *Price) { c.stand(p, c.keysOf(p)) }

func (c *PriceChecker) stand(p *Price, keys offerKeys) {
	c.numbers.Raise(keys.own, mark(p))
	if (p.Kind == Spot || p.Kind == Reserved) && c.numbers.At(keys.onDemand) == 0 {
		c.numbers.Raise(dearest(keys.onDemand), roughEach(p))
	}
}
