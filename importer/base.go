package importer

import (
	"context"
	"hash/maphash"

	"tianti/catalog"
	"tianti/hashes"
)

// base is the active revision of the dataset, as far as the import is compared with it.
type base struct {
	number   int64
	dataset  catalog.Dataset // without prices
	cards    map[string]*catalog.Card
	rates    map[rateKey]string
	standing StandingPrices // in mode add: prices are read where the file has some
	numbers  *hashes.Table  // by hash of a price that was read: stands or named
	left     int            // how many stand that the file has not named
	counts   map[catalog.PriceKind]int
	sum      uint64 // of all prices, whatever their order
}

// What is known of a price that stands: the file has not named it, or has.
const (
	stands = 1 + iota
	named
)

type rateKey struct {
	date        catalog.Date
	base, quote string
}

func keyOfRate(x *catalog.ExchangeRate) rateKey { return rateKey{x.Date, x.Base, x.Quote} }

// readBase reads a revision; in mode add without its prices. It remembers prices in numbers.
func (in *Importer) readBase(ctx context.Context, number int64, mode Mode, numbers *hashes.Table) (*base, error) {
	b := &base{number: number, cards: map[string]*catalog.Card{}, rates: map[rateKey]string{}, numbers: numbers,
		counts: map[catalog.PriceKind]int{}}
	if number == 0 {
		return b, nil
	}
	var err error
	if b.dataset, err = in.revisions.Revision(ctx, number); err != nil {
		return nil, err
	}
	for i := range b.dataset.Cards {
		b.cards[b.dataset.Cards[i].ID] = &b.dataset.Cards[i]
	}
	for i := range b.dataset.Rates {
		b.rates[keyOfRate(&b.dataset.Rates[i])] = b.dataset.Rates[i].Rate
	}
	if mode == Add {
		b.standing, err = in.revisions.StandingPrices(ctx, number)
		return b, err
	}
	return b, in.revisions.EachPrice(ctx, number, func(p *catalog.Price) error {
		b.note(p)
		b.counts[p.Kind]++
		b.sum += fullHash(p)
		return nil
	})
}

// look reads what stands of the card of a price from its day on, and passes it to each; an import costs what its file
// costs, however much stands.
func (b *base) look(ctx context.Context, p *catalog.Price, each func(*catalog.Price)) error {
	if b.standing == nil || p.Date.Ordinal() == 0 { // it is wrong, and said to be
		return nil
	}
	return b.standing.Since(ctx, p.Card, p.Date, func(p *catalog.Price) {
		b.note(p)
		each(p)
	})
}

func (b *base) note(p *catalog.Price) {
	if hash := hashOfPrice(p); b.numbers.At(hash) == 0 {
		b.numbers.Raise(hash, stands)
		b.left++
	}
}

// stood reports whether a price of a hash stood and the file has not named it.
func (b *base) stood(hash uint64) bool { return b.left > 0 && b.numbers.At(hash) == stands }

// take reports whether a price stood and the file had not named it before.
func (b *base) take(p *catalog.Price) bool {
	if b.left == 0 {
		return false
	}
	hash := hashOfPrice(p)
	if !b.stood(hash) {
		return false
	}
	b.numbers.Raise(hash, named)
	b.left--
	return true
}

var hashSeed = maphash.MakeSeed()

// hashOfPrice tells prices apart but for their source and note. Among a hundred million prices, one pair with equal
// hashes is unlikely.
func hashOfPrice(p *catalog.Price) uint64 {
	q := *p
	q.Source, q.Note, q.Pos = "", catalog.Text{}, catalog.Pos{}
	return maphash.Comparable(hashSeed, q)
}

func fullHash(p *catalog.Price) uint64 {
	q := *p
	q.Pos = catalog.Pos{}
	return maphash.Comparable(hashSeed, q)
}
