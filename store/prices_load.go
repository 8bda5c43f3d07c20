package store

import (
	"context"
	"database/sql"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tianti/catalog"
)

// knownPrices is what is summed up of the prices of a dataset. It does not change.
type knownPrices struct {
	line   []int64
	byCard map[string]*catalog.CardOffers
	list   []*catalog.CardOffers // by card
}

func (k *knownPrices) arrange() {
	k.list = make([]*catalog.CardOffers, 0, len(k.byCard))
	for _, c := range k.byCard {
		k.list = append(k.list, c)
	}
	slices.SortFunc(k.list, func(a, b *catalog.CardOffers) int { return strings.Compare(a.Card, b.Card) })
}

// summing sums up parts by card.
type summing struct {
	held   *interner
	part   decodedPart
	byCard map[string]*catalog.CardOffers
	offers []partOffer // of a part, by its numbers
	cited  []int       // likewise

	// Offers are found by numbers of what they are made of: to compare seven texts takes longer than all else.
	at               map[string]map[offerKey]int // by card, the places of its offers
	terms            numbered[terms]
	words            numbered[string]
	termsOf, wordsOf []int // of a part, by its numbers

	most          int // offers of a card: as many are too many; 0 is no limit
	shares, share int // of how many shares of the offers of a card which is summed up; 0 and 0 is all of them
}

// inShare reports whether an offer of the part is in the share that is summed up.
func (s *summing) inShare(of *offerKey) bool {
	d := &s.part
	return s.shares <= 1 || shareOf(s.shares, string(d.terms[of.terms].kind), d.words[of.seller], d.words[of.instance],
		d.words[of.region]) == s.share
}

// forget lets go of the offers of a card, but keeps the room that they took, and the numbers of their words.
func (s *summing) forget(c *catalog.CardOffers) {
	c.Offers = c.Offers[:0]
	clear(s.at[c.Card])
}

// partOffer sums up what a part says of an offer.
type partOffer struct {
	count, latest  int // latest is a row
	low, high      int // amounts
	oldest, newest int // codes of dates
}

func newSumming() *summing {
	return &summing{held: newInterner(), byCard: map[string]*catalog.CardOffers{}, at: map[string]map[offerKey]int{}}
}

// add adds a part of a card.
func (s *summing) add(card, data []byte) error {
	d := &s.part
	if err := d.decode(data, s.held); err != nil {
		return err
	}
	c := s.byCard[string(card)]
	if c == nil {
		c = &catalog.CardOffers{Card: string(card)}
		s.byCard[c.Card] = c
	}
	at := s.at[c.Card]
	if at == nil {
		at = make(map[offerKey]int, len(c.Offers))
		for i := range c.Offers {
			p := &c.Offers[i].Latest.Price
			at[offerKey{s.terms.number(soldBy(termsOf(p))), s.words.number(p.Seller), s.words.number(p.Instance),
				s.words.number(p.Region)}] = i
		}
		s.at[c.Card] = at
	}
	s.sumUpPart()
	s.number()
	for i := range s.offers {
		o := &s.offers[i]
		if o.count == 0 {
			continue
		}
		of := &d.offers[i]
		if !s.inShare(of) {
			continue
		}
		key := s.keyOf(of)
		var latest catalog.PlacedPrice
		d.price(&latest, c.Card, o.latest)
		sum := catalog.OfferOver(latest, o.count, d.dates[o.oldest], d.dates[o.newest], int64(o.low), int64(o.high))
		if place, known := at[key]; known {
			c.Offers[place].Add(&sum)
			continue
		}
		if at[key] = len(c.Offers); at[key]+1 == s.most {
			return errManyOffers
		}
		c.Offers = append(c.Offers, sum)
	}
	for i, n := range s.cited {
		if n > 0 && s.share == 0 {
			c.Cite(d.words[i], n)
		}
	}
	return nil
}

// number numbers what the part is made of, as all parts do.
func (s *summing) number() {
	s.termsOf, s.wordsOf = s.termsOf[:0], s.wordsOf[:0]
	for _, t := range s.part.terms {
		s.termsOf = append(s.termsOf, s.terms.number(soldBy(t)))
	}
	for _, w := range s.part.words {
		s.wordsOf = append(s.wordsOf, s.words.number(w))
	}
}

// keyOf is an offer of the part in the numbers of all parts.
func (s *summing) keyOf(of *offerKey) offerKey {
	return offerKey{s.termsOf[of.terms], s.wordsOf[of.seller], s.wordsOf[of.instance], s.wordsOf[of.region]}
}

// soldBy is what tells offers apart of terms: an offer may be priced by another unit once.
func soldBy(t terms) terms {
	t.unit = ""
	return t
}

// sumUpPart sums up the part, which is in the order of places, as numbers.
func (s *summing) sumUpPart() {
	d := &s.part
	s.offers = append(s.offers[:0], make([]partOffer, len(d.offers))...)
	s.cited = append(s.cited[:0], make([]int, len(d.words))...)
	for i := range d.n {
		o, code, amount := &s.offers[d.columns[0][i]], d.columns[1][i], d.columns[2][i]
		s.cited[d.columns[3][i]]++
		if o.count++; o.count == 1 {
			*o = partOffer{1, i, amount, amount, code, code}
			continue
		}
		o.low, o.high = min(o.low, amount), max(o.high, amount)
		if d.later(o.oldest, code, catalog.EndsLater) {
			o.oldest = code
		}
		if d.later(code, o.newest, catalog.EndsLater) {
			o.newest = code
		}
		if d.later(code, d.columns[1][o.latest], catalog.LaterDate) {
			o.latest = i
		}
	}
}

// sumUp sums up all prices of some lines, by the key of their dataset. The transactions share the work.
func sumUp(ctx context.Context, txs []*sql.Tx, lines map[int64][]int64) (map[int64]*knownPrices, error) {
	lanes := make([]map[int64]*summing, len(txs))
	g, ctx := errgroup.WithContext(ctx)
	for i, tx := range txs {
		g.Go(func() (err error) {
			lanes[i], err = sumUpLane(ctx, tx, lines, i, len(txs))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := map[int64]*knownPrices{}
	for dataset, line := range lines {
		k := &knownPrices{line: line, byCard: map[string]*catalog.CardOffers{}}
		for _, lane := range lanes {
			if lane[dataset] != nil {
				merge(k.byCard, lane[dataset].byCard)
			}
		}
		k.arrange()
		out[dataset] = k
	}
	return out, nil
}

// merge adds what is summed up of other prices of the same datasets; both are used up.
func merge(to, from map[string]*catalog.CardOffers) {
	for card, c := range from {
		at := to[card]
		if at == nil {
			to[card] = c
			c.Done()
			continue
		}
		for i := range c.Offers {
			at.Add(&c.Offers[i])
		}
		for source, n := range c.Cited {
			at.Cite(source, n)
		}
		at.Done()
	}
}

// sumUpLane sums up one of so many shares of the parts.
func sumUpLane(
	ctx context.Context, tx *sql.Tx, lines map[int64][]int64, lane, lanes int,
) (map[int64]*summing, error) {
	out := map[int64]*summing{}
	var card, data sql.RawBytes
	for dataset, line := range lines {
		s := newSumming()
		err := eachAmong(ctx, tx, "SELECT card, data FROM price_parts WHERE revision IN () "+
			"AND (revision + part) % ? = ?", line, []any{lanes, lane}, []any{&card, &data}, func() error {
			runtime.Gosched() // who waits for a processor need not wait for all parts
			return s.add(card, data)
		})
		if err != nil {
			return nil, err
		}
		out[dataset] = s
	}
	return out, nil
}

// follow sums up the prices of a line of which the prices of another are known: those of cards that are the same in
// both are shared. It takes as long as the lines differ.
func (k *knownPrices) follow(ctx context.Context, tx *sql.Tx, dataset int64, line []int64) (*knownPrices, error) {
	common := len(commonLine(k.line, line))
	if common == len(k.line) && common == len(line) {
		return k, nil
	}
	s := newSumming()
	var gone map[string]bool // cards of which nothing may be left
	var err error
	if common == len(k.line) {
		err = s.goOn(ctx, tx, k, line[common:])
	} else if gone, err = cardsOf(ctx, tx, slices.Concat(k.line[common:], line[common:])); err == nil {
		err = s.ofCards(ctx, tx, dataset, slices.Collect(maps.Keys(gone)), line)
	}
	if err != nil {
		return nil, err
	}
	out := &knownPrices{line: line, byCard: make(map[string]*catalog.CardOffers, len(k.byCard)+len(s.byCard))}
	for card, c := range k.byCard {
		if s.byCard[card] == nil && !gone[card] {
			out.byCard[card] = c
		}
	}
	merge(out.byCard, s.byCard)
	out.arrange()
	return out, nil
}

// goOn adds what some revisions bring to what is known of their cards.
func (s *summing) goOn(ctx context.Context, q queryer, known *knownPrices, revisions []int64) error {
	var card string
	var data sql.RawBytes
	return eachAmong(ctx, q, "SELECT card, data FROM price_parts WHERE revision IN ()", revisions, nil,
		[]any{&card, &data}, func() error {
			if c := known.byCard[card]; c != nil && s.byCard[card] == nil {
				s.byCard[card] = c.Clone()
			}
			runtime.Gosched() // who waits for a processor need not wait for all parts
			return s.add([]byte(card), data)
		})
}

// cardsOf are the cards that some revisions bring prices of.
func cardsOf(ctx context.Context, q queryer, revisions []int64) (map[string]bool, error) {
	out := map[string]bool{}
	var card string
	err := eachAmong(ctx, q, "SELECT DISTINCT card FROM price_parts WHERE revision IN ()", revisions, nil, []any{&card},
		func() error {
			out[card] = true
			return nil
		})
	return out, err
}

// ofCards adds what a line has of some cards.
func (s *summing) ofCards(ctx context.Context, q queryer, dataset int64, cards []string, line []int64) error {
	var revision int64
	var card, data sql.RawBytes
	return eachAmong(ctx, q, "SELECT revision, card, data FROM price_parts WHERE card IN () AND dataset = ?", cards,
		[]any{dataset}, []any{&revision, &card, &data}, func() error {
			if !inLine(line, revision) {
				return nil
			}
			runtime.Gosched() // who waits for a processor need not wait for all parts
			return s.add(card, data)
		})
}
