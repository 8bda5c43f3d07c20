package prices

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// offerParams are what the address says of the table of offers. Files hold everything.
var offerParams = []string{"sort", "cards", "history"}

// offersQuestion is how the current offers of a card are shown.
type offersQuestion struct {
	sort    string // one of offerSorts; "": by price
	down    bool
	cards   int  // in one node; 0: any number
	history bool // all observations are listed, not the latest alone
}

// offerSorts are the columns by which offers are sorted.
var offerSorts = []string{"price", "seller", "cards", "region", "kind", "node", "date"}

// mostOffers is how many offers of a way to come by a card the page lists.
const mostOffers = 60

// maxNode bounds the number of cards of a node that is asked for.
const maxNode = 1024

func parseOffers(values url.Values) (q offersQuestion, errs []catalog.ParamError) {
	if v := strings.TrimSpace(values.Get("sort")); v != "" {
		name, down := strings.CutPrefix(v, "-")
		if !slices.Contains(offerSorts, name) {
			errs = append(errs, display.UnknownValue("sort", v, offerSorts))
		}
		if q.sort, q.down = name, down; name == "price" && !down {
			q.sort = ""
		}
	}
	if v := strings.TrimSpace(values.Get("cards")); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxNode {
			errs = append(errs, catalog.ParamError{Param: "cards", Value: catalog.Clip(v), Code: catalog.BadNumber,
				Allowed: "1 … " + strconv.Itoa(maxNode)})
		}
		q.cards = n
	}
	switch v := strings.TrimSpace(values.Get("history")); v {
	case "", "all":
		q.history = v != ""
	default:
		errs = append(errs, display.UnknownValue("history", v, []string{"all"}))
	}
	return q, errs
}

// encode is the question as parameters, without what is usual.
func (q offersQuestion) encode() []string {
	var parts []string
	if q.sort != "" {
		parts = append(parts, "sort="+map[bool]string{true: "-"}[q.down]+q.sort)
	}
	if q.cards > 0 {
		parts = append(parts, "cards="+strconv.Itoa(q.cards))
	}
	if q.history {
		parts = append(parts, "history=all")
	}
	return parts
}

// compare orders two offers by the chosen column, then by price.
func (q offersQuestion) compare(a, b *catalog.Quote) int {
	var c int
	switch q.sort {
	case "seller":
		c = cmp.Compare(strings.ToLower(a.Seller), strings.ToLower(b.Seller))
	case "cards":
		c = cmp.Compare(node(a), node(b))
	case "region":
		c = cmp.Compare(a.Region, b.Region)
	case "kind":
		c = cmp.Compare(slices.Index(catalog.PriceKinds(), a.Kind), slices.Index(catalog.PriceKinds(), b.Kind))
	case "node":
		c = cmp.Compare(a.In.Amount()*float64(node(a)), b.In.Amount()*float64(node(b)))
	case "date":
		c = cmp.Compare(a.Date, b.Date)
	case "price":
		c = cmp.Compare(a.In.Micros, b.In.Micros)
	}
	if q.down {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a.In.Micros, b.In.Micros))
}

// offersData is the table of current offers of one way to come by a card.
type offersData struct {
	ID, Title string
	Columns   []ui.Column
	Rows      []offerRow
	More      string // that there are more; empty otherwise
}

// offerRow is a current offer.
type offerRow struct {
	Seller ui.Link // with the instance in its note; leads to the source
	Cards  string
	Region string
	Kind   string
	Term   string
	Price  string // of one card
	Node   string // of the node; empty where it holds one card
	Date   string
	Aged   string
}

// current are the current offers of the kinds that the question keeps, sorted.
func (b *cardPricesBuilder) current(kinds []catalog.PriceKind, cards int) []catalog.Quote {
	var out []catalog.Quote
	for _, kind := range kinds {
		for _, q := range b.st.Snap.Offers(b.q.row, kind, b.q.pricing) {
			if q.Freshness.Current() && !q.In.IsZero() && (cards == 0 || node(&q) == cards) {
				out = append(out, q)
			}
		}
	}
	sorting.Func(out, func(x, y catalog.Quote) int { return b.q.offers.compare(&x, &y) })
	return out
}

// offers are the tables of current offers, to rent and to buy.
func (b *cardPricesBuilder) offers() []offersData {
	var out []offersData
	for _, way := range []catalog.PriceKind{byRent, byBuy} {
		found := b.current(nowKinds[way], b.q.offers.cards)
		if len(found) == 0 {
			continue
		}
		d := offersData{ID: string(way), Title: b.l.T("offers."+string(way), len(found)), Columns: b.offerColumns(way)}
		for i := range found[:min(mostOffers, len(found))] {
			d.Rows = append(d.Rows, b.offer(&found[i]))
		}
		if len(found) > mostOffers {
			d.More = b.l.T("offers.more", mostOffers, len(found))
		}
		out = append(out, d)
	}
	return out
}

func (b *cardPricesBuilder) offer(q *catalog.Quote) offerRow {
	l := b.l
	out := offerRow{
		Seller: ui.Link{
			Label: cmp.Or(q.Seller, l.T("prices.nobody")), Href: b.sourceHref(q.Source),
			Note: q.Instance + condition(l, q),
		},
		Cards: l.Count(
			node(q),
		),
		Region: q.Region,
		Kind:   l.T("prices.kinds." + string(q.Kind)),
		Price:  evenMoney(l, q),
		Date:   string(q.Date),
	}
	if q.Term > 0 {
		out.Term = l.T("prices.term", q.Term)
	}
	if n := node(q); n > 1 {
		out.Node = "≈\u00a0" + display.RoundedMoney(l, q.In.Amount()*float64(n))
	}
	if q.Freshness == catalog.Ageing {
		out.Aged = display.FreshnessText(l, q.Freshness)
	}
	return out
}

// wholeCents rounds an amount to hundredths.
func wholeCents(v float64) float64 { return math.Round(v*100) / 100 }

// evenMoney is the price of one card with as many digits as those below and above it have, marked where it is
// converted, shared out or rounded.
func evenMoney(l *locale.Locale, q *catalog.Quote) string {
	if q.In.IsZero() {
		return display.BareMoney(l, *q)
	}
	text := display.RoundedMoney(l, q.In.Amount())
	if q.By != nil || !q.How.IsZero() || wholeCents(q.In.Amount()) != q.In.Amount() && q.In.Amount() >= 1 {
		text = "≈\u00a0" + text
	}
	return text
}

// offerColumns are the heads of a table with the links to its other orders.
func (b *cardPricesBuilder) offerColumns(way catalog.PriceKind) []ui.Column {
	unit := priceUnit(b.q.pricing.Currency, way)
	var out []ui.Column
	for _, id := range []string{"seller", "cards", "region", "kind", "price", "node", "date"} {
		c := ui.Column{
			ID:    id,
			Label: b.l.T("offers.columns." + id),
			Text:  id != "price" && id != "node" && id != "cards",
		}
		if id == "price" || id == "node" {
			c.Unit = unit
		}
		next := b.q.offers
		next.sort, next.down = id, false
		if cmp.Or(b.q.offers.sort, "price") == id {
			c.Sort, next.down = ui.Ascending, true
			if b.q.offers.down {
				c.Sort, next.down = ui.Descending, false
			}
		}
		if next.sort == "price" && !next.down {
			next.sort = ""
		}
		c.SortURL = b.with(next) + "#current"
		out = append(out, c)
	}
	return out
}

// with is the address of the page with another table of offers.
func (b *cardPricesBuilder) with(offers offersQuestion) string {
	q := *b.q
	q.offers = offers
	return b.r.Address(b.l, site.HTML, q.encode())
}

// nodes choose how many cards a node has, of those that are offered.
func (b *cardPricesBuilder) nodes() []ui.Link {
	all := append(slices.Clone(nowKinds[byRent]), nowKinds[byBuy]...)
	count := map[int]int{}
	for _, q := range b.current(all, 0) {
		count[node(&q)]++
	}
	if len(count) < 2 && b.q.offers.cards == 0 {
		return nil
	}
	var sizes []int
	for n := range count {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	link := func(n int, label string, offers int) ui.Link {
		next := b.q.offers
		next.cards = n
		return ui.Link{
			Label:  label,
			Note:   b.l.Count(offers),
			Href:   b.with(next) + "#current",
			Active: n == b.q.offers.cards,
		}
	}
	out := []ui.Link{link(0, b.l.T("offers.anynode"), len(b.current(all, 0)))}
	for _, n := range sizes {
		out = append(out, link(n, b.l.T("offers.innode", n), count[n]))
	}
	return out
}

// finding is the cheapest current offer of each way in words, of those that the filter
// keeps.
func (b *cardPricesBuilder) finding() string {
	var parts []string
	for _, way := range []catalog.PriceKind{byRent, byBuy} {
		for _, kind := range nowKinds[way] {
			found := b.st.Snap.Offers(b.q.row, kind, b.q.pricing)
			i := slices.IndexFunc(found, func(q catalog.Quote) bool {
				n := b.q.offers.cards
				return q.Freshness.Current() && !q.In.IsZero() && (n == 0 || node(&q) == n)
			})
			if i < 0 {
				continue
			}
			q := found[i]
			day := string(q.Date)
			if q.Freshness == catalog.Ageing {
				day += b.l.Pick(" (", "（") + display.FreshnessText(b.l, q.Freshness) + b.l.Pick(")", "）")
			}
			parts = append(parts, b.l.T("offers.cheapest."+string(way), display.QuoteMoney(b.l, q),
				b.l.T("pricekind."+string(kind)), cmp.Or(q.Seller, b.l.T("prices.nobody")), day))
			break
		}
	}
	if len(parts) == 0 {
		return b.l.T("offers.none")
	}
	return strings.Join(parts, b.l.Pick("; ", "；"))
}
