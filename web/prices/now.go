package prices

import (
	"cmp"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// Columns of the table that hold what a card costs now, whatever the kind.
const (
	byRent catalog.PriceKind = "rent"
	byBuy  catalog.PriceKind = "buy"
)

// noneNow is the class of a card without a current price, after all kinds.
const noneNow = 10

// mostRows is how many cards a page of the table holds.
const mostRows = 50

// mostSellers is how many sellers it counts, those with the most prices.
const mostSellers = 20

// nowKinds are the kinds that say what a card costs now, the first that has a current
// offer before the others. A launch price says nothing of today.
var nowKinds = map[catalog.PriceKind][]catalog.PriceKind{
	byRent: {catalog.OnDemand, catalog.Reserved, catalog.MonthlyPrice, catalog.Spot},
	byBuy:  {catalog.StreetPrice, catalog.ServerPrice, catalog.UsedPrice, catalog.ComputerPrice},
}

// A NowPrice is what renting or buying one card costs now.
type NowPrice struct {
	Label  string // "Rent", "Buy"
	Value  string // "USD 1.88", with its currency; empty where there is no current price
	Bare   string // without the currency
	Unit   string // "/h"
	Kind   string // "on demand"
	Seller string
	Date   string
	Aged   string // "ageing"; empty otherwise
	Offers string // "31 offers"; empty for one
	Last   string // the last known price with kind and date, where none is current; may be empty
}

// Detail says of which kind, from whom and of which day a price is.
func (n NowPrice) Detail() string {
	var parts []string
	for _, s := range []string{n.Kind, n.Seller, n.Date} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// Now are renting and buying one card, of what its kinds of prices stand at.
func Now(l *locale.Locale, standings map[catalog.PriceKind]catalog.Standing) []NowPrice {
	return []NowPrice{now(l, standings, byRent), now(l, standings, byBuy)}
}

func now(l *locale.Locale, standings map[catalog.PriceKind]catalog.Standing, way catalog.PriceKind) NowPrice {
	out := NowPrice{Label: l.T("prices.ways." + string(way))}
	if way == byRent {
		out.Unit = l.T("ladders.perhour", "")
	}
	var last *catalog.Quote
	for _, kind := range nowKinds[way] {
		st := standings[kind]
		if st.Current > 0 {
			q := st.Best
			out.Value, out.Bare, out.Date = display.QuoteMoney(l, q), display.BareMoney(l, q), string(q.Date)
			out.Kind, out.Seller = l.T("prices.kinds."+string(kind)), q.Seller
			if kind == catalog.ComputerPrice && q.Instance != "" { // which of its computers, with how much memory
				out.Seller = strings.TrimSpace(q.Seller+" "+q.Instance) + condition(l, &q)
			}
			if q.Freshness == catalog.Ageing {
				out.Aged = l.T("prices.freshness.ageing")
			}
			if st.Current > 1 {
				out.Offers = l.T("prices.offers", st.Current)
			}
			return out
		}
		if st.Priced && (last == nil || st.Last.Date > last.Date) {
			last = &st.Last
		}
	}
	if launch := standings[catalog.LaunchPrice]; way == byBuy && last == nil && launch.Priced {
		q := launch.Shown()
		last = &q
	}
	if last != nil {
		out.Last = l.T(
			"prices.lastknown",
			display.QuoteMoney(l, *last)+out.Unit,
			l.T("prices.kinds."+string(last.Kind)),
			cmp.Or(string(last.Date), l.T("compare.undated")),
		)
	}
	return out
}

// columns are the ways to come by a card, or the kinds that are asked for.
func (q *params) columns() []catalog.PriceKind {
	if len(q.filter.kinds) > 0 {
		return q.filter.kinds
	}
	return []catalog.PriceKind{byRent, byBuy}
}

// nowCell is what renting or buying a card costs now.
func (b *pricesBuilder) nowCell(row int, way catalog.PriceKind) priceCellData {
	n := now(b.Request.Loc, b.standings(row), way)
	if n.Value == "" {
		return priceCellData{None: b.Request.Loc.T("prices.nonow"), Last: n.Last}
	}
	return priceCellData{Text: n.Bare, Date: n.Detail(), Ageing: n.Aged, Offers: n.Offers}
}

// finding is how many cards can be rented and bought at a current price, of those that
// pass the filters.
func (b *pricesBuilder) finding() string {
	l := b.Request.Loc
	counted := *b.params
	counted.query.Limit, counted.query.Page, counted.sort = 0, 0, ""
	rows := counted.snap.Select(&counted.query, counted.snap.Len()+1).Rows
	n := map[catalog.PriceKind]int{}
	for _, row := range rows {
		for way, kinds := range nowKinds {
			if counted.placeNow(row, kinds).class < noneNow {
				n[way]++
			}
		}
	}
	return l.T("prices.finding", l.Count(n[byRent]), l.Count(n[byBuy]), string(b.pricing.Today))
}

// selects choose a seller and a region: one each, or those of the address together.
func (b *pricesBuilder) selects() []ui.Facet {
	l := b.Request.Loc
	counts := b.snap.PriceStats()
	var out []ui.Facet
	for _, s := range []struct {
		param         string
		names, chosen []string
	}{{"seller", counts.SellerNames(), b.filter.sellers}, {"region", counts.RegionNames(), b.filter.regions}} {
		if len(s.names) == 0 {
			continue
		}
		f := ui.Facet{Param: s.param, Label: l.T("prices." + s.param), Options: []ui.Option{{Label: l.T("prices.any")}}}
		if len(s.chosen) > 1 {
			all := strings.Join(s.chosen, ",")
			f.Options = append(
				f.Options,
				ui.Option{Value: all, Label: strings.Join(s.chosen, l.Pick(", ", "、")), Selected: true},
			)
		}
		for _, name := range s.names {
			f.Options = append(
				f.Options,
				ui.Option{Value: name, Label: name, Selected: len(s.chosen) == 1 && s.chosen[0] == name},
			)
		}
		out = append(out, f)
	}
	return out
}
