package web

import (
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/view"
)

// cardPrices is what the address of /prices/{id} asks for.
type cardPrices struct {
	row       int
	pricing   catalog.Pricing // currency and day
	chosen    string          // the currency, where it is not the usual one
	tenure    tenureQuestion
	standings map[catalog.PriceKind]catalog.Standing
}

// encode is the canonical query.
func (q *cardPrices) encode() string {
	var parts []string
	if q.chosen != "" {
		parts = append(parts, "currency="+q.chosen)
	}
	return strings.Join(append(parts, q.tenure.encode()...), "&")
}

// elsewhere is the question in another language, whose usual currency may be another:
// amounts of the asker keep their meaning.
func (q cardPrices) elsewhere(l *locale.Locale) cardPrices {
	if q.tenure.ownMoney() {
		q.chosen = q.pricing.Currency
	}
	if q.chosen == usualCurrency(l) {
		q.chosen = ""
	}
	return q
}

// pricesOfCard answers /prices/{id} in all formats.
func (s *Server) pricesOfCard(st *state, r *request) (plan, error) {
	id, ok := strings.CutPrefix(r.path, "/prices/")
	if !ok {
		return s.notFound(st, r)
	}
	if err := r.only(append([]string{"currency"}, tenureParams...)...); err != nil {
		return plan{}, err
	}
	row, ok := st.snap.Find(id)
	if !ok {
		return plan{}, api.UnknownCard(st.snap, id)
	}
	q := cardPrices{row: row}
	pricing, chosen, errs := s.currency(r)
	q.pricing, q.chosen = pricing, chosen.Currency
	q.standings = standingsOf(st.snap, row, q.pricing)
	tenure, more := parseTenure(r.values, q.standings)
	q.tenure = tenure
	q.tenure.fill(st.snap, row)
	if errs = append(errs, more...); len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	b := &cardPricesBuilder{s: s, st: st, r: r, l: r.loc, q: &q}
	render := map[format]func() (answer, error){
		html:     b.page,
		asJSON:   b.json,
		asCSV:    func() (answer, error) { return b.csv(), nil },
		markdown: func() (answer, error) { return b.markdown(), nil },
	}[r.format]
	if r.format == asSVG || r.format == asPNG {
		render = b.picture()
	}
	return plan{key: r.address(r.loc, r.format, q.encode()), render: render, dated: true}, nil
}

// standingsOf is what each kind of price of a card comes to.
func standingsOf(s *catalog.Snapshot, row int, p catalog.Pricing) map[catalog.PriceKind]catalog.Standing {
	out := map[catalog.PriceKind]catalog.Standing{}
	for _, kind := range catalog.PriceKinds() {
		out[kind] = s.Stand(row, kind, p, nil)
	}
	return out
}

// currency reads the currency alone: buy and rent mean something else here.
func (s *Server) currency(r *request) (all, chosen catalog.Pricing, errs []catalog.ParamError) {
	if v := strings.TrimSpace(r.values.Get("currency")); v != "" {
		if err := chosen.Set("currency", v); err != nil {
			errs = append(errs, *err)
		}
	}
	all, chosen = s.settle(r.loc, chosen)
	return all, chosen, errs
}

// mostListed is how many observations of a kind the page lists, the latest first. The
// files and the API have all.
const mostListed = 200

// cardPricesBuilder makes the parts of the page.
type cardPricesBuilder struct {
	s  *Server
	st *state
	r  *request
	l  *locale.Locale
	q  *cardPrices
}

func (b *cardPricesBuilder) json() (answer, error) {
	return jsonAnswer(api.PricesOfCard(b.st.snap, b.q.row, b.q.standings, b.q.tenure.contract(), b.q.pricing))
}

func (b *cardPricesBuilder) page() (answer, error) {
	v := b.view()
	return rendered(v.Page())
}

func (b *cardPricesBuilder) view() view.CardPrices {
	c, snap, query := b.st.snap.Card(b.q.row), b.st.snap, b.q.encode()
	v := view.CardPrices{Layout: withAlternates(b.s.layout(b.r, b.st, view.NavPrices, query), b.r, query),
		Name: c.Name, Vendor: c.Vendor, CardURL: b.l.Path("/cards/" + c.ID), AsOf: string(b.q.pricing.Today),
		Currencies: currencyOptions(b.l, b.q.pricing.Currency), Currency: b.q.pricing.Currency}
	other := b.q.elsewhere(b.l.Other())
	v.OtherPath = b.r.address(b.l.Other(), html, other.encode())
	v.Alternates.CSV = b.r.address(b.l, asCSV, "") // exact amounts need no choice
	if b.q.chosen != "" {
		v.Alternates.CSV += "?currency=" + b.q.chosen
	}
	v.Crumbs = []view.Link{{Label: b.l.T("prices.title"), Href: b.l.Path("/prices")}, {Label: c.Vendor, Href: b.l.Path("/prices") + "?vendor=" + strings.ReplaceAll(c.Vendor, " ", "+")}}
	v.Title = b.l.T("prices.of", c.Vendor+" "+c.Name)
	all := snap.PricesOf(b.q.row)
	v.Description = b.l.T("prices.ofdescription", c.Vendor+" "+c.Name, len(all))
	v.Export = view.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.Tiles, v.Stats = priceTiles(b.l, b.q.standings), b.stats()
	of := map[catalog.PriceKind]int{}
	for i := range all {
		if of[all[i].Kind]++; of[all[i].Kind] <= mostListed {
			v.Rows = append(v.Rows, b.observation(i, all[i]))
		}
	}
	if len(v.Rows) < len(all) {
		v.Omitted = b.l.T("prices.latest", mostListed, len(all))
	}
	for _, size := range []historySize{wideHistory, narrowHistory} {
		if d := b.history(b.l, size); d != nil {
			v.Chart += string(d.SVG(chart.InPage))
			v.SVG, v.PNG = b.r.address(b.l, asSVG, ""), b.r.address(b.l, asPNG, "")
		}
	}
	v.Keep = b.q.tenure.params()
	v.Tenure = b.tenureView()
	return v
}

// priceTiles are the headline of each kind: the cheapest current offer, or what was
// seen last.
func priceTiles(l *locale.Locale, standings map[catalog.PriceKind]catalog.Standing) []view.PriceTile {
	var out []view.PriceTile
	for _, kind := range catalog.PriceKinds() {
		if st := standings[kind]; st.Offers > 0 {
			out = append(out, priceTile(l, kind, st))
		}
	}
	return out
}

// quotes is the section of a card's own page; nil without a price.
func (b *cardBuilder) quotes(p catalog.Pricing) *view.CardQuotes {
	tiles := priceTiles(b.loc, standingsOf(b.s, b.row, p))
	if len(tiles) == 0 {
		return nil
	}
	return &view.CardQuotes{Tiles: tiles, Href: b.loc.Path("/prices/" + b.card.ID)}
}

func priceTile(l *locale.Locale, kind catalog.PriceKind, st catalog.Standing) view.PriceTile {
	q := st.Shown()
	t := view.PriceTile{Kind: string(kind), Label: l.T("prices.kinds." + string(kind)), Value: quoteMoney(l, q), Date: string(q.Date), Offer: offerName(l, &q), How: derivation(l, &q)}
	if kind.Rents() {
		t.Unit = "/h"
	}
	switch {
	case st.Current > 0 && kind == catalog.LaunchPrice:
		t.Note = l.T("prices.announced")
	case st.Current > 0:
		t.Note = l.T("prices.bestof", st.Current)
		t.Freshness = freshnessText(l, q.Freshness)
	case !st.Priced:
		t.Note = l.T("prices.norate")
	default:
		t.Old, t.Note = true, l.T("prices.lastseen")
	}
	return t
}

// freshnessText names how current a price is; of a launch price it says nothing.
func freshnessText(l *locale.Locale, f catalog.Freshness) string {
	if f == catalog.Historic {
		return ""
	}
	return l.T("prices.freshness." + f.String())
}

// derivation says how the price of one card follows from what is asked for: "≈ a share
// of CNY 2 300 000 for 8 cards".
func derivation(l *locale.Locale, q *catalog.Quote) string {
	if q.How.IsZero() {
		return ""
	}
	text := exactMoney(q.Price.Amount)
	if q.How.Cards > 0 {
		text += " ÷ " + l.T("count.cards", q.How.Cards)
	}
	if q.How.Monthly {
		text += " ÷ " + l.Number(catalog.HoursPerMonth) + " h"
	}
	return text
}

func (b *cardPricesBuilder) stats() []view.PriceStat {
	var out []view.PriceStat
	total := map[catalog.PriceKind]int{}
	for _, p := range b.st.snap.PricesOf(b.q.row) {
		total[p.Kind]++
	}
	for _, kind := range catalog.PriceKinds() {
		st := b.q.standings[kind]
		if st.Offers == 0 {
			continue
		}
		row := view.PriceStat{Label: b.l.T("prices.kinds." + string(kind)), Unit: priceUnit(b.q.pricing.Currency, kind), Offers: b.l.Count(st.Current),
			Observations: b.l.Count(total[kind]), Newest: string(st.Newest)}
		if st.Current > 0 {
			row.Min, row.Median = bareMoney(b.l, st.Best), "≈\u00a0"+reckoned(b.l, st.Median.Amount())
			if st.Current == 1 {
				row.Median = row.Min
			}
		}
		if st.Few() && kind != catalog.LaunchPrice {
			row.Few = b.l.T("prices.few")
		}
		out = append(out, row)
	}
	return out
}

// observation is a row of the table of all prices.
func (b *cardPricesBuilder) observation(i int, info catalog.PriceInfo) view.PriceObservation {
	l := b.l
	q := b.st.snap.Reckon(info, b.q.pricing)
	out := view.PriceObservation{Kind: l.T("prices.kinds." + string(q.Kind)), Date: string(q.Date), Freshness: freshnessText(l, q.Freshness), Stale: q.Freshness == catalog.Stale,
		Amount: exactMoney(q.Price.Amount), Unit: l.T("prices.units." + string(q.Unit)), How: derivation(l, &q), Seller: q.Seller, Instance: q.Instance, Region: q.Region,
		Note: pick(l, q.Note), First: i == 0 || b.st.snap.PricesOf(b.q.row)[i-1].Kind != q.Kind}
	if q.Cards > 1 {
		out.Unit = l.T("prices.unitsof."+string(q.Unit), q.Cards)
	}
	if q.Term > 0 {
		out.Term = l.T("prices.term", q.Term)
	}
	if q.Tax != catalog.TaxUnknown {
		out.Tax = l.T("prices.tax." + string(q.Tax))
	}
	out.Each = each(l, &q)
	switch {
	case q.In.IsZero():
		out.In, out.Rate = "", l.T("prices.norate")
	case q.By != nil:
		out.In, out.Rate = aboutMoney(l, q.In), l.T("prices.rate", q.Each.Currency, rateText(q.By.Rate), q.In.Currency, string(q.By.Date))
		out.RateSource = view.Link{Label: q.By.Source.Publisher, Href: b.sourceHref(q.By.Source)}
	}
	src := q.PriceInfo.Source
	out.Source = view.Link{Label: src.Publisher, Href: b.sourceHref(src), Note: src.Title}
	out.Address = src.URL
	return out
}

// rateText is a rate with six significant digits.
func rateText(rate float64) string {
	return locale.GroupDecimal(strconv.FormatFloat(significant(rate, 6), 'f', -1, 64))
}

// each is the price of one card in its own currency, where it is not the amount
// itself.
func each(l *locale.Locale, q *catalog.Quote) string {
	if q.How.IsZero() {
		return ""
	}
	unit := ""
	if q.Kind.Rents() {
		unit = "/h"
	}
	return aboutMoney(l, q.Each) + unit
}

func (b *cardPricesBuilder) sourceHref(src *catalog.SourceRef) string {
	return sourceHref(b.l, &b.st.snap.Datasets()[src.Dataset], src)
}

// history draws the observations; nil when none has a date.
func (b *cardPricesBuilder) history(l *locale.Locale, size historySize) *chart.Drawing {
	return priceHistory(l, b.st.snap.Card(b.q.row).Name, b.st.snap.PricesOf(b.q.row), b.q.pricing.Today, size)
}

// picture renders the history as a file; nil when there is none. A picture that cannot
// hold Chinese texts has English ones.
func (b *cardPricesBuilder) picture() func() (answer, error) {
	l, name := b.l, "tianti-prices-"+b.st.snap.Card(b.q.row).ID
	if b.r.format == asPNG {
		l = b.s.paintedIn(l)
	}
	d := b.history(l, fileHistory)
	switch {
	case d == nil:
		return nil
	case b.r.format == asSVG:
		return func() (answer, error) { return svgAnswer(d, name), nil }
	}
	return func() (answer, error) { return b.s.pngAnswer(d, name, 2) }
}
