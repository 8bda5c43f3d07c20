package prices

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/chart"
	"tianti/web/display"
)

// A pricePanel is one picture of the history: the prices to buy in a currency, or one
// kind of prices to rent in a currency.
type pricePanel struct {
	title  string
	rents  bool
	series []priceSeries
}

// A priceSeries is what has a sign of its own: a kind to buy, or a seller.
type priceSeries struct {
	name   string
	look   int
	hold   int // days; 0 draws no line
	offers [][]pricePoint
}

// A pricePoint is an observation of one card in its own currency.
type pricePoint struct {
	day    int
	value  float64
	hollow bool
	title  string
}

// panelKey tells panels apart.
type panelKey struct {
	kind     catalog.PriceKind // "": all kinds to buy
	currency string
}

// pricePanels arranges the observations of a card: to buy first, then each kind to
// rent, the currency with the most observations first. A panel shows at most so many one by
// one, and is left out below the least.
func pricePanels(l *locale.Locale, all []catalog.PriceInfo, most, least int) []pricePanel {
	looks := sellerLooks(all)
	byKey := map[panelKey][]catalog.PriceInfo{}
	var keys []panelKey
	for _, p := range all {
		key := panelKey{currency: p.Amount.Currency}
		if p.Kind.Rents() {
			key.kind = p.Kind
		}
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], p)
	}
	rents := catalog.ByHour()
	sorting.Func(keys, func(a, b panelKey) int {
		return cmp.Or(
			cmp.Compare(slices.Index(rents, a.kind), slices.Index(rents, b.kind)),
			cmp.Compare(len(byKey[b]), len(byKey[a])),
		)
	})
	var out []pricePanel
	for _, key := range keys {
		p := pricePanel{rents: key.kind != "", title: l.T("prices.chart.buy", key.currency)}
		if p.rents {
			p.title = l.T("prices.chart.rent", l.T("prices.kinds."+string(key.kind)), key.currency)
		}
		infos, many := byKey[key], len(byKey[key]) > most
		if many {
			infos, p.title = cheapestOfMonths(infos), l.T("prices.chart.cheapest", p.title)
		}
		p.series = seriesOf(l, infos, looks, many)
		if n, _, _ := dates([]pricePanel{p}); n >= least {
			out = append(out, p)
		}
	}
	return withoutLone(out)
}

// A page draws panels of at least so many observations, as fewer are read faster in its
// table, and one by one at most so many.
const leastInPage, mostInPage = 3, 24

// mostDrawn is how many observations a panel shows one by one: more make it a smear.
const mostDrawn = 1000

// cheapestOfMonths keeps of each kind and seller the cheapest observation of each
// month.
func cheapestOfMonths(infos []catalog.PriceInfo) []catalog.PriceInfo {
	type month struct {
		kind          catalog.PriceKind
		seller, month string
	}
	at := map[month]int{}
	var out []catalog.PriceInfo
	for _, info := range infos {
		key := month{info.Kind, info.Seller, string(info.Date[:min(len(info.Date), len("2006-01"))])}
		n, known := at[key]
		if !known {
			n = len(out)
			at[key] = n
			out = append(out, info)
		}
		each, _ := info.Each()
		if least, _ := out[n].Each(); each.Micros < least.Micros {
			out[n] = info
		}
	}
	return out
}

// withoutLone leaves out panels that hold launch prices alone, unless there is nothing
// else to buy: then the first stays.
func withoutLone(panels []pricePanel) []pricePanel {
	alone := func(p pricePanel) bool { return !p.rents && len(p.series) == 1 && p.series[0].hold == 0 }
	first := slices.IndexFunc(panels, func(p pricePanel) bool { return !p.rents && !alone(p) })
	if first < 0 {
		first = slices.IndexFunc(panels, alone)
	}
	var out []pricePanel
	for i, p := range panels {
		if i == first || !alone(p) {
			out = append(out, p)
		}
	}
	return out
}

// dates counts the observations of panels, with the first and the last day.
func dates(panels []pricePanel) (n, first, last int) {
	first = math.MaxInt
	for _, p := range panels {
		for _, s := range p.series {
			for _, o := range s.offers {
				n, first, last = n+len(o), min(first, o[0].day), max(last, o[len(o)-1].day)
			}
		}
	}
	return n, first, last
}

// sellerLooks gives the sellers with the most prices to rent looks of their own, the
// same in all panels; the others share the last.
func sellerLooks(all []catalog.PriceInfo) map[string]int {
	counts := map[string]int{}
	var names []string
	for _, p := range all {
		if p.Kind.Rents() {
			if counts[p.Seller]++; counts[p.Seller] == 1 {
				names = append(names, p.Seller)
			}
		}
	}
	slices.SortStableFunc(
		names,
		func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) },
	)
	looks := map[string]int{}
	for i, name := range names {
		looks[name] = min(i, chart.MaxSeries-1)
		if len(names) > chart.MaxSeries && i >= chart.MaxSeries-1 {
			looks[name] = othersLook
		}
	}
	return looks
}

// othersLook is the look of the sellers that have none of their own.
const othersLook = chart.MaxSeries - 1

// seriesOf arranges the observations of a panel by look, then by offer, the earliest
// first; bySeller takes what a seller asks for a kind as one offer. What has no date is
// not drawn.
func seriesOf(l *locale.Locale, infos []catalog.PriceInfo, looks map[string]int, bySeller bool) []priceSeries {
	type offer struct {
		kind                     catalog.PriceKind
		seller, instance, region string
		cards, term              int
		tax                      catalog.Tax
	}
	byLook := map[int]*priceSeries{}
	at := map[offer]int{}
	shared := map[int]string{}
	for _, info := range slices.Backward(infos) {
		day, ok := info.Date.DayNumber()
		each, _ := info.Each()
		if !ok || each.IsZero() {
			continue
		}
		look, name, hold := looks[info.Seller], cmp.Or(info.Seller, l.T("prices.nobody")), info.Kind.HoldDays()
		if !info.Kind.Rents() {
			look, name = slices.Index(catalog.BuyKinds, info.Kind), l.T("prices.kinds."+string(info.Kind))
			if info.Kind == catalog.LaunchPrice {
				hold = 0
			}
		} else if had, ok := shared[look]; ok && had != name {
			name = l.T("prices.chart.others")
		}
		s := byLook[look]
		if s == nil {
			s = &priceSeries{look: look, hold: hold}
			byLook[look] = s
		}
		s.name, shared[look] = name, name
		key := offer{kind: info.Kind, seller: info.Seller}
		if !bySeller {
			key = offer{info.Kind, info.Seller, info.Instance, info.Region, info.Cards, info.Term, info.Tax}
		}
		n, known := at[key]
		if !known {
			n = len(s.offers)
			at[key] = n
			s.offers = append(s.offers, nil)
		}
		s.offers[n] = append(s.offers[n], pointOf(l, info, day))
	}
	var out []priceSeries
	for look := range chart.MaxSeries {
		if s := byLook[look]; s != nil {
			for _, o := range s.offers {
				sorting.Func(o, func(a, b pricePoint) int { return cmp.Compare(a.day, b.day) })
			}
			out = append(out, *s)
		}
	}
	return out
}

func pointOf(l *locale.Locale, info catalog.PriceInfo, day int) pricePoint {
	q := catalog.Quote{PriceInfo: info}
	q.Each, q.How = info.Each()
	title := string(info.Date) + l.T("colon") + display.ExactMoney(q.Each)
	if !q.How.IsZero() {
		title = string(info.Date) + l.T("colon") + display.AboutMoney(l, q.Each) + " = " + derivation(l, &q)
	}
	if name := offerName(l, &q); name != "" {
		title += " · " + name
	}
	return pricePoint{day, q.Each.Amount(), info.Source.Kind == catalog.Community, title}
}
