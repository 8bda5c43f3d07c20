package importer

import (
	"context"
	"hash/maphash"

	"tianti/catalog"
)

// base is the active revision of the dataset, as far as the import is compared with it.
type base struct {
	number  int64
	dataset catalog.Dataset // without prices
	cards   map[string]*catalog.Card
	rates   map[rateKey]string
	prices  map[uint64]struct{} // those that the file has not named, by hash
	counts  map[catalog.PriceKind]int
	sum     uint64 // of all prices, whatever their order
}

type rateKey struct {
	date        catalog.Date
	base, quote string
}

func keyOfRate(x *catalog.ExchangeRate) rateKey { return rateKey{x.Date, x.Base, x.Quote} }

// readBase reads a revision; each sees its prices.
func (in *Importer) readBase(ctx context.Context, number int64, each func(*catalog.Price)) (*base, error) {
	b := &base{number: number, cards: map[string]*catalog.Card{}, rates: map[rateKey]string{},
		prices: map[uint64]struct{}{}, counts: map[catalog.PriceKind]int{}}
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
	return b, in.revisions.EachPrice(ctx, number, func(p *catalog.Price) error {
		b.prices[hashOfPrice(p)] = struct{}{}
		b.counts[p.Kind]++
		b.sum += fullHash(p)
		each(p)
		return nil
	})
}

// take reports whether a price stood and the file had not named it before.
func (b *base) take(p *catalog.Price) bool {
	if len(b.prices) == 0 {
		return false
	}
	hash := hashOfPrice(p)
	_, stood := b.prices[hash]
	delete(b.prices, hash)
	return stood
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
