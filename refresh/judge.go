package refresh

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"tianti/catalog"
	"tianti/importer"
)

// A series is an offer: what is the same in prices of different days.
type series struct {
	card     string
	kind     catalog.PriceKind
	unit     catalog.PriceUnit
	currency string
	term     int

	// those of an offer alone
	cards                    int
	seller, instance, region string
	tax                      catalog.Tax
}

func seriesOf(p *catalog.Price) series {
	return series{p.Card, p.Kind, p.Unit, p.Amount.Currency, p.Term, p.Cards, p.Seller, p.Instance, p.Region, p.Tax}
}

// of is the series of all offers of a card of that kind.
func (s series) of() series {
	return series{card: s.card, kind: s.kind, unit: s.unit, currency: s.currency, term: s.term}
}

// A span is between which amounts prices of a card lie, in millionths of their currency.
type span struct {
	low, high float64
	newest    catalog.Date
}

func (s *span) add(amount float64, day catalog.Date, newestAlone bool) {
	switch {
	case s.newest == "" || newestAlone && day > s.newest:
		*s = span{amount, amount, day}
	case newestAlone && day < s.newest:
	default:
		s.low, s.high = min(s.low, amount), max(s.high, amount)
	}
}

// away is how many times an amount is above the highest or below the lowest; 1 for one between them.
func (s *span) away(amount float64) float64 { return max(amount/s.high, s.low/amount, 1) }

// standing are the prices that a draft is held against.
type standing struct {
	offers map[series]*span // of the dataset, each of its newest day
	cards  map[series]*span // of the dataset, of all offers of a card
	others map[series]*span // the same of the catalogue
	same   map[sameKey]bool
}

type sameKey struct {
	series
	amount float64
	day    catalog.Date
}

func newStanding(shown *catalog.Snapshot) *standing {
	s := &standing{map[series]*span{}, map[series]*span{}, map[series]*span{}, map[sameKey]bool{}}
	if shown == nil {
		return s
	}
	latest := shown.LatestPrices()
	for i := range latest {
		addRange(s.others, &latest[i])
	}
	return s
}

// addRange adds all prices of the offer of which one is the latest.
func addRange(spans map[series]*span, p *catalog.PriceInfo) {
	key := seriesOf(p.Price).of()
	at := spans[key]
	if at == nil {
		at = &span{}
		spans[key] = at
	}
	low, high := p.Range()
	at.add(float64(low), p.Date, false)
	at.add(float64(high), p.Date, false)
}

// addShown adds the prices of a dataset as the catalogue sums them up; false when it shows another revision.
func (s *standing) addShown(shown *catalog.Snapshot, dataset string, revision int64) bool {
	if shown == nil || !slices.ContainsFunc(shown.Datasets(), func(d catalog.DatasetInfo) bool {
		return d.ID == dataset && d.Revision == revision
	}) {
		return false
	}
	latest := shown.LatestPrices()
	for i := range latest {
		if p := &latest[i]; p.Dataset.ID == dataset {
			addTo(s.offers, seriesOf(p.Price), p.Price, true)
			addRange(s.cards, p)
		}
	}
	return true
}

func addTo(spans map[series]*span, key series, p *catalog.Price, newestAlone bool) {
	at := spans[key]
	if at == nil {
		at = &span{}
		spans[key] = at
	}
	at.add(amountOf(p), p.Date, newestAlone)
}

// amountOf is the price of one card.
func amountOf(p *catalog.Price) float64 {
	each, _ := p.Each()
	v, _ := new(big.Float).SetInt64(each.Micros).Float64()
	return v
}

func (s *standing) add(p *catalog.Price) error {
	key := seriesOf(p)
	addTo(s.offers, key, p, true)
	addTo(s.cards, key.of(), p, false)
	s.same[sameKey{key, amountOf(p), p.Date}] = true
	return nil
}

// A judgement is what a draft's prices are to those that stand.
type judgement struct {
	*standing
	seen      map[series]bool // cards and kinds
	news      int
	unlike    int // new ones without any to compare with
	away      float64
	fell      bool
	furthest  string // card
	unlikeFor string // the first card
}

func (j *judgement) add(p *catalog.Price) error {
	key, amount := seriesOf(p), amountOf(p)
	j.seen[key.of()] = true
	if j.same[sameKey{key, amount, p.Date}] {
		return nil
	}
	j.news++
	at := j.offers[key]
	if at == nil {
		at = j.cards[key.of()]
	}
	if at == nil {
		at = j.others[key.of()]
	}
	switch {
	case at == nil:
		if j.unlike++; j.unlikeFor == "" {
			j.unlikeFor = p.Card
		}
	case at.away(amount) > j.away:
		j.away, j.furthest, j.fell = at.away(amount), p.Card, amount < at.low
	}
	return nil
}

// judge says what is to become of a draft.
func (r *Refresher) judge(ctx context.Context, f *Feed, d *importer.Draft) (Result, error) {
	shown := r.cfg.Snapshot()
	j := &judgement{standing: newStanding(shown), seen: map[series]bool{}, away: 1}
	if err := r.read(ctx, j, shown, d); err != nil {
		return Result{}, err
	}
	result := Result{Outcome: Drafted, Draft: d.ID, Prices: j.news}
	why, detail := j.against(d, 1+*f.Change/100)
	switch {
	case why == Problems, *f.Apply && why != "":
		result.Outcome, result.Why, result.Detail = Held, why, detail
	case *f.Apply:
		result.Outcome = Applied
	}
	return result, nil
}

// read reads the prices that stand and those of the draft. What is added to a revision that is shown takes no longer
// however much stands: that is summed up, and the prices of the draft alone are new.
func (r *Refresher) read(ctx context.Context, j *judgement, shown *catalog.Snapshot, d *importer.Draft) error {
	if d.Base != 0 && d.Options.Mode == importer.Add && j.addShown(shown, d.Options.Dataset, d.Base) {
		for key := range j.cards {
			j.seen[key] = true
		}
		return r.cfg.Store.EachNewPrice(ctx, d.ID, j.add)
	}
	if d.Base != 0 {
		if err := r.cfg.Store.EachPrice(ctx, d.Base, j.standing.add); err != nil {
			return err
		}
	}
	return r.cfg.Store.EachPrice(ctx, d.ID, j.add)
}

// mostGone is which share of the cards and kinds that had a price may lose it at once.
const mostGone = 0.5

// against says what speaks against applying a draft unseen; "" when nothing does.
func (j *judgement) against(d *importer.Draft, most float64) (why Why, detail string) {
	s, gone := &d.Summary, 0
	for key := range j.cards {
		if !j.seen[key] {
			gone++
		}
	}
	switch {
	case len(s.Problems) > 0:
		return Problems, fmt.Sprintf("%d, the first: %s", len(s.Problems), oneLine(s.Problems[0].Message))
	case s.Cards+s.Facts+s.Rates.Added+s.Rates.Removed+s.Groups[importer.Annotations] > 0:
		return NotPrices, ""
	case d.Base == 0:
		return FirstTime, ""
	case j.away > most:
		sign := "×"
		if j.fell {
			sign = "÷"
		}
		return Moved, j.furthest + ": " + sign + factor(j.away)
	case j.unlike > 0:
		return NewPrice, fmt.Sprintf("%d, %s", j.unlike, j.unlikeFor)
	case float64(gone) > mostGone*float64(len(j.cards)):
		return Vanished, fmt.Sprintf("%d / %d", gone, len(j.cards))
	}
	return "", ""
}
