package catalog

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"tianti/sorting"
)

// mostDated is how many bytes the index of prices by day takes at most: two million prices, about. What is beyond is
// read again for each day.
const mostDated = 16 << 20

// datedPrices are prices by card, offer and day, a few bytes each, so that to sum up those until a day nothing has to
// be read. A card is added when it is first asked for.
type datedPrices struct {
	mu    sync.Mutex
	cards []map[string]*datedCard // by dataset
	bytes int
}

// datedCard are the prices of a card in a dataset.
type datedCard struct {
	offers [][]byte // of each of [CardOffers.Offers], the earliest first; see datedPrice
	ways   []way
}

// A way is what prices of an offer may differ in besides day and amount.
type way struct {
	unit   PriceUnit
	source string
	note   Text
}

// datedPrice is what is kept of a price.
type datedPrice struct {
	day    int // YYYYMMDD; of a month or year 00 for what is not known
	micros int64
	place  int
	way    int
}

// dayCode is a date as a number that gives it back; ok is false where none does.
func dayCode(d Date) (code int, ok bool) {
	code = d.Ordinal()
	switch len(d) {
	case len("2006"):
		code = code / 10000 * 10000
	case len("2006-01"):
		code = code / 100 * 100
	}
	return code, code > 0 && dateOfCode(code) == d
}

func dateOfCode(code int) Date {
	switch {
	case code%10000 == 0:
		return Date(fmt.Sprintf("%04d", code/10000))
	case code%100 == 0:
		return Date(fmt.Sprintf("%04d-%02d", code/10000, code/100%100))
	}
	return Date(fmt.Sprintf("%04d-%02d-%02d", code/10000, code/100%100, code%100))
}

// lastDay is [Date.LastOrdinal] of a code.
func lastDay(code int) int {
	if code%100 != 0 {
		return code
	}
	return dateOfCode(code).LastOrdinal()
}

// until sums up the prices of a card of dataset d until a day.
func (s *Snapshot) until(ctx context.Context, d int, c *CardOffers, day int) (*CardOffers, error) {
	dated, err := s.dated.card(ctx, d, s.histories[d], c)
	if err != nil {
		return nil, err
	}
	if dated != nil {
		return dated.until(c, day), nil
	}
	sum := &CardOffers{Card: c.Card}
	err = s.histories[d].Each(ctx, c.Card, Days{To: day}, func(p *PlacedPrice) error {
		if p.Date.LastOrdinal() <= day {
			o := OfferOf(p)
			sum.Add(&o)
			sum.Cite(p.Source, 1)
		}
		return ctx.Err()
	})
	sum.Done()
	return sum, err
}

// has reports whether a card is in the index.
func (t *datedPrices) has(d int, c *CardOffers) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return d < len(t.cards) && t.cards[d][c.Card] != nil
}

// card is a card of the index; nil where there is no room for it. Nobody waits while it is read.
func (t *datedPrices) card(ctx context.Context, d int, h History, c *CardOffers) (*datedCard, error) {
	t.mu.Lock()
	for d >= len(t.cards) {
		t.cards = append(t.cards, map[string]*datedCard{})
	}
	known, full := t.cards[d][c.Card], t.bytes >= mostDated
	t.mu.Unlock()
	if known != nil || full {
		return known, nil
	}
	made, err := dateCard(ctx, h, c)
	if made == nil || err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.cards[d][c.Card]; other != nil {
		return other, nil
	}
	t.cards[d][c.Card] = made
	for _, list := range made.offers {
		t.bytes += len(list) + 24
	}
	return made, nil
}

// dateCard reads the prices of a card; it is nil where a date is none.
func dateCard(ctx context.Context, h History, c *CardOffers) (*datedCard, error) {
	at := make(map[offerOfKind]int, len(c.Offers))
	rows := make([][]datedPrice, len(c.Offers))
	for i := range c.Offers {
		p := &c.Offers[i].Latest.Price
		at[offerOfKind{p.Kind, offerOf(p)}] = i
		rows[i] = make([]datedPrice, 0, c.Offers[i].Count)
	}
	out, ways, usual := &datedCard{offers: make([][]byte, len(c.Offers))}, map[way]int{}, true
	err := h.Each(ctx, c.Card, Days{}, func(p *PlacedPrice) error {
		i, known := at[offerOfKind{p.Kind, offerOf(&p.Price)}]
		code, ok := dayCode(p.Date)
		usual = usual && known && ok
		if !usual {
			return ctx.Err()
		}
		how := way{p.Unit, p.Source, p.Note}
		n, known := ways[how]
		if !known {
			n = len(out.ways)
			ways[how], out.ways = n, append(out.ways, how)
		}
		rows[i] = append(rows[i], datedPrice{code, p.Amount.Micros, p.Place, n})
		return ctx.Err()
	})
	if err != nil || !usual {
		return nil, err
	}
	var buffer []byte
	for i, list := range rows {
		sorting.Func(list, func(a, b datedPrice) int {
			return cmp.Or(cmp.Compare(lastDay(a.day), lastDay(b.day)), cmp.Compare(a.day, b.day))
		})
		buffer = buffer[:0]
		var before datedPrice
		for _, p := range list {
			buffer = binary.AppendVarint(buffer, int64(p.day-before.day))
			buffer = binary.AppendVarint(buffer, p.micros-before.micros)
			buffer = binary.AppendVarint(buffer, int64(p.place-before.place))
			buffer = binary.AppendUvarint(buffer, uint64(p.way))
			before = p
		}
		out.offers[i] = slices.Clone(buffer)
	}
	return out, nil
}

// until sums up the prices until a day.
func (t *datedCard) until(c *CardOffers, day int) *CardOffers {
	out, cited := &CardOffers{Card: c.Card}, make([]int, len(t.ways))
	for i := range c.Offers {
		if o, ok := t.offer(i, &c.Offers[i].Latest.Price, day, cited); ok {
			out.Offers = append(out.Offers, o)
		}
	}
	for i, n := range cited {
		if n > 0 {
			out.Cite(t.ways[i].source, n)
		}
	}
	out.Done()
	return out
}

// offer sums up offer i, of which one price is known; ok is false where it has none until the day.
func (t *datedCard) offer(i int, like *Price, day int, cited []int) (out Offer, ok bool) {
	var p, latest datedPrice
	sum := amounts{price: *like, ways: t.ways, way: -1}
	first, newest, n := 0, 0, 0
	for list := t.offers[i]; len(list) > 0; {
		p.next(&list)
		if lastDay(p.day) > day {
			break
		}
		if n == 0 {
			first, latest = p.day, p
		} else if p.later(&latest) {
			latest = p
		}
		newest = p.day
		n++
		cited[p.way]++
		sum.add(&p)
	}
	if n == 0 {
		return out, false
	}
	sum.close()
	at := *like
	how := &t.ways[latest.way]
	at.Date, at.Amount.Micros = dateOfCode(latest.day), latest.micros
	at.Unit, at.Source, at.Note = how.unit, how.source, how.note
	return Offer{Latest: PlacedPrice{at, latest.place}, Count: n, Oldest: dateOfCode(first), Newest: dateOfCode(newest),
		Low: sum.low, High: sum.high}, true
}

// next reads a price that follows another.
func (p *datedPrice) next(list *[]byte) {
	day, n := binary.Varint(*list)
	micros, m := binary.Varint((*list)[n:])
	place, k := binary.Varint((*list)[n+m:])
	w, l := binary.Uvarint((*list)[n+m+k:])
	p.day, p.micros, p.place, p.way = p.day+int(day), p.micros+micros, p.place+int(place), int(w)
	*list = (*list)[n+m+k+l:]
}

// later reports whether a price is later than another of the offer, or came before it on the same day.
func (p *datedPrice) later(q *datedPrice) bool {
	switch {
	case p.day == q.day:
		return p.place < q.place
	case p.day%100 != 0 && q.day%100 != 0:
		return p.day > q.day
	}
	return LaterDate(dateOfCode(p.day), dateOfCode(q.day))
}

// amounts finds the lowest and the highest price of one card among prices of an offer. How many cards a price is for is
// the same for all, by what unit it is may change.
type amounts struct {
	price       Price
	ways        []way
	way         int // of the prices that are not looked at yet; -1: none
	least, most int64
	low, high   int64
	known       bool
}

func (a *amounts) add(p *datedPrice) {
	if p.way != a.way {
		a.close()
		a.way, a.least, a.most = p.way, p.micros, p.micros
		return
	}
	a.least, a.most = min(a.least, p.micros), max(a.most, p.micros)
}

func (a *amounts) close() {
	if a.way < 0 {
		return
	}
	a.price.Unit = a.ways[a.way].unit
	a.price.Amount.Micros = a.least
	low := roughEach(&a.price)
	a.price.Amount.Micros = a.most
	high := roughEach(&a.price)
	if !a.known {
		a.low, a.high, a.known = low, high, true
	}
	a.low, a.high = min(a.low, low), max(a.high, high)
}
