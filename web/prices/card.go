package prices

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// cardParams is what the address of /prices/{id} asks for.
type cardParams struct {
	row       int
	pricing   catalog.Pricing // currency and day
	chosen    string          // the currency, where it is not the usual one
	tenure    tenureQuestion
	offers    offersQuestion
	standings map[catalog.PriceKind]catalog.Standing
}

// encode is the canonical query.
func (q *cardParams) encode() string {
	var parts []string
	if q.chosen != "" {
		parts = append(parts, "currency="+q.chosen)
	}
	parts = append(parts, q.tenure.encode()...)
	return strings.Join(append(parts, q.offers.encode()...), "&")
}

// elsewhere is the question in another language, whose usual currency may be another:
// amounts of the asker keep their meaning.
func (q cardParams) elsewhere(l *locale.Locale) cardParams {
	if q.tenure.ownMoney() {
		q.chosen = q.pricing.Currency
	}
	if q.chosen == display.UsualCurrency(l) {
		q.chosen = ""
	}
	return q
}

// pricesOfCard answers /prices/{id} in all formats.
func (h *Handler) pricesOfCard(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/prices/")
	if !ok {
		return h.site.NotFound(st, r)
	}
	known := append([]string{"currency"}, tenureParams...)
	if r.Format == site.HTML {
		known = append(known, offerParams...)
	}
	if err := r.Only(known...); err != nil {
		return site.Plan{}, err
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	q := cardParams{row: row}
	pricing, chosen, errs := h.currency(r)
	q.pricing, q.chosen = pricing, chosen.Currency
	q.standings = StandingsOf(st.Snap, row, q.pricing)
	tenure, more := parseTenure(r.Values, st.Snap.Card(row), q.standings)
	q.tenure = tenure
	q.tenure.fill(st.Snap, row)
	offers, bad := parseOffers(r.Values)
	q.offers = offers
	if errs = append(append(errs, more...), bad...); len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	b := &cardPricesBuilder{s: h, st: st, r: r, l: r.Loc, q: &q}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     b.page,
		site.AsJSON:   b.json,
		site.AsCSV:    func() (site.Answer, error) { return b.csv(), nil },
		site.Markdown: func() (site.Answer, error) { return b.markdown(), nil },
	}[r.Format]
	if r.Format == site.AsSVG || r.Format == site.AsPNG {
		drawn, err := b.picture()
		if err != nil {
			return site.Plan{}, err
		}
		render = drawn
	} else if render != nil {
		render = b.reading(render)
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render, Dated: true}, nil
}

// Standings are what each kind of price of a card comes to.
type Standings map[catalog.PriceKind]catalog.Standing

// StandingsOf sums up the offers of a card, of which it may have many thousands.
func StandingsOf(s *catalog.Snapshot, row int, p catalog.Pricing) Standings {
	out := Standings{}
	for _, kind := range catalog.PriceKinds() {
		out[kind] = s.Stand(row, kind, p, nil)
	}
	return out
}

// currency reads the currency alone: buy and rent mean something else here.
func (h *Handler) currency(r *site.Request) (all, chosen catalog.Pricing, errs []catalog.ParamError) {
	if v := strings.TrimSpace(r.Values.Get("currency")); v != "" {
		if err := chosen.Set("currency", v); err != nil {
			errs = append(errs, *err)
		}
	}
	all, chosen = h.site.ResolvePricing(r.Loc, chosen)
	return all, chosen, errs
}

// mostListed is how many observations of a kind the page lists, the latest first. The
// files and the API have all.
const mostListed = 200

// listedFirst is how many of a kind it lists before all are asked for.
const listedFirst = 5

// historyDays is from which age on a price is history.
const historyDays = 180

// cardPricesBuilder makes the parts of the page.
type cardPricesBuilder struct {
	s  *Handler
	st *site.State
	r  *site.Request
	l  *locale.Locale
	q  *cardParams

	all []catalog.PriceInfo // of the card, by kind, the latest first; see reading
}

// reading reads the prices of the card before an answer is made of them.
func (b *cardPricesBuilder) reading(answer func() (site.Answer, error)) func() (site.Answer, error) {
	return func() (a site.Answer, err error) {
		if b.all, err = b.st.Snap.History(b.q.row); err != nil {
			return a, err
		}
		return answer()
	}
}

func (b *cardPricesBuilder) json() (site.Answer, error) {
	return site.JSONAnswer(api.PricesOfCard(b.st.Snap, b.q.row, b.all, b.q.standings,
		b.q.tenure.contract(), b.q.pricing))
}

func (b *cardPricesBuilder) page() (site.Answer, error) {
	v := b.view()
	return site.Rendered(v.Page())
}

func (b *cardPricesBuilder) view() cardPricesData {
	c, query := b.st.Snap.Card(b.q.row), b.q.encode()
	files := *b.q
	files.offers = offersQuestion{}
	v := cardPricesData{
		Layout:     site.WithAlternates(b.s.site.Layout(b.r, b.st, ui.NavPrices, query), b.r, files.encode()),
		ID:         c.ID,
		Name:       c.Name,
		Vendor:     display.Vendor(b.l, c.Vendor),
		CardURL:    b.l.Path("/cards/" + c.ID),
		AsOf:       string(b.q.pricing.Today),
		Currencies: currencyOptions(b.l, b.q.pricing.Currency),
		Currency:   b.q.pricing.Currency,
	}
	other := b.q.elsewhere(b.l.Other())
	v.OtherPath = b.r.Address(b.l.Other(), site.HTML, other.encode())
	v.Alternates.CSV = b.r.Address(b.l, site.AsCSV, "") // exact amounts need no choice
	if b.q.chosen != "" {
		v.Alternates.CSV += "?currency=" + b.q.chosen
	}
	v.Crumbs = []ui.Link{
		{Label: b.l.T("prices.title"), Href: b.l.Path("/prices")},
		{Label: v.Vendor, Href: b.l.Path("/prices") + "?vendor=" + strings.ReplaceAll(c.Vendor, " ", "+")},
	}
	v.Title = b.l.T("prices.of", v.Vendor+" "+c.Name)
	all := b.all
	v.NoIndex = v.NoIndex || len(all) == 0
	v.Description = b.l.T("prices.ofdescription", v.Vendor+" "+c.Name, len(all))
	v.Export = ui.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.Tiles, v.Stats = PriceTiles(b.l, b.q.standings), b.stats()
	v.Finding, v.Offers, v.Nodes = b.finding(), b.offers(), b.nodes()
	most := listedFirst
	if b.q.offers.history {
		most = mostListed
	}
	of := map[catalog.PriceKind]int{}
	for i := range all {
		if of[all[i].Kind]++; of[all[i].Kind] <= most {
			v.Rows = append(v.Rows, b.observation(i, all[i]))
		}
	}
	if len(v.Rows) < len(all) {
		v.Omitted = b.l.T("prices.latest", most, len(all))
		if every := b.q.offers; !every.history {
			every.history = true
			v.AllURL = b.with(every) + "#observations"
		}
	}
	for _, size := range []historySize{wideHistory, narrowHistory} {
		if d := b.history(b.l, size); d != nil {
			v.Chart += string(d.SVG(chart.InPage))
			v.SVG, v.PNG = b.r.Address(b.l, site.AsSVG, ""), b.r.Address(b.l, site.AsPNG, "")
		}
	}
	v.Keep = b.q.tenure.params()
	v.Tenure = b.tenureView()
	return v
}

// PriceTiles are the headline of each kind that cards are compared by: the cheapest current offer, or what was
// seen last.
func PriceTiles(l *locale.Locale, standings map[catalog.PriceKind]catalog.Standing) []priceTileData {
	var out []priceTileData
	for _, kind := range slices.Concat(catalog.BuyKinds, catalog.RentKinds) {
		if st := standings[kind]; st.Offers > 0 {
			out = append(out, priceTile(l, kind, st))
		}
	}
	return out
}

func priceTile(l *locale.Locale, kind catalog.PriceKind, st catalog.Standing) priceTileData {
	q := st.Shown()
	t := priceTileData{
		Kind:  string(kind),
		Label: l.T("prices.kinds." + string(kind)),
		Value: display.QuoteMoney(l, q),
		Date:  string(q.Date),
		Offer: offerName(l, &q),
		How:   derivation(l, &q),
	}
	if kind.Rents() {
		t.Unit = l.T("ladders.perhour", "")
	}
	switch {
	case st.Current > 0 && kind == catalog.LaunchPrice:
		t.Note = l.T("prices.announced")
	case st.Current > 0:
		t.Note = l.T("prices.bestof", st.Current)
		t.Freshness = display.FreshnessText(l, q.Freshness)
	case !st.Priced:
		t.Note = l.T("prices.norate")
	default:
		t.Old, t.Note = true, l.T("prices.lastseen")
	}
	return t
}

// derivation says how the price of one card follows from what is asked for: "≈ a share
// of CNY 2 300 000 for 8 cards".
func derivation(l *locale.Locale, q *catalog.Quote) string {
	if q.How.IsZero() {
		return ""
	}
	text := display.ExactMoney(q.Price.Amount)
	if q.How.Cards > 0 {
		text += " ÷ " + l.T("count.cards", q.How.Cards)
	}
	if q.How.Monthly {
		text += " ÷ " + l.Number(catalog.HoursPerMonth) + " h"
	}
	return text
}

func (b *cardPricesBuilder) stats() []priceStat {
	var out []priceStat
	total := map[catalog.PriceKind]int{}
	for _, p := range b.all {
		total[p.Kind]++
	}
	for _, kind := range catalog.PriceKinds() {
		st := b.q.standings[kind]
		if st.Offers == 0 {
			continue
		}
		row := priceStat{
			Label:        b.l.T("prices.kinds." + string(kind)),
			Unit:         priceUnit(b.q.pricing.Currency, kind),
			Offers:       b.l.Count(st.Current),
			Observations: b.l.Count(total[kind]),
			Newest:       string(st.Newest),
		}
		if st.Current > 0 {
			row.Min, row.Median = display.BareMoney(
				b.l,
				st.Best,
			), "≈\u00a0"+display.RoundedMoney(
				b.l,
				st.Median.Amount(),
			)
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
func (b *cardPricesBuilder) observation(i int, info catalog.PriceInfo) priceObservation {
	l := b.l
	q := b.st.Snap.ComputeQuote(info, b.q.pricing)
	out := priceObservation{
		Kind:      l.T("prices.kinds." + string(q.Kind)),
		Date:      string(q.Date),
		Freshness: display.FreshnessText(l, q.Freshness),
		Stale:     q.Freshness == catalog.Stale,
		Amount: display.ExactMoney(
			q.Price.Amount,
		),
		Unit:     l.T("prices.units." + string(q.Unit)),
		How:      derivation(l, &q),
		Seller:   q.Seller,
		Instance: q.Instance,
		Region:   q.Region,
		Note:     display.Pick(l, q.Note),
		First:    i == 0 || b.all[i-1].Kind != q.Kind,
	}
	if q.Cards > 1 {
		out.Unit = l.T("prices.unitsof."+string(q.Unit), q.Cards)
	}
	if b.past(&q) {
		out.Freshness = l.T("prices.past")
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
		out.In, out.Rate = display.AboutMoney(
			l,
			q.In,
		), l.T(
			"prices.rate",
			q.Each.Currency,
			rateText(q.By.Rate),
			q.In.Currency,
			string(q.By.Date),
		)
		out.RateSource = ui.Link{Label: q.By.Source.Publisher, Href: b.sourceHref(q.By.Source)}
	}
	src := q.PriceInfo.Source
	out.Source = ui.Link{Label: src.Publisher, Href: b.sourceHref(src), Note: src.Title}
	out.Address = src.URL
	return out
}

// past reports whether a price is of more than [historyDays] ago.
func (b *cardPricesBuilder) past(q *catalog.Quote) bool {
	day, known := q.Date.DayNumber()
	today, dated := b.q.pricing.Today.DayNumber()
	return known && dated && q.Freshness == catalog.Stale && today-day > historyDays
}

// rateText is a rate with six significant digits.
func rateText(rate float64) string {
	return locale.GroupDecimal(strconv.FormatFloat(display.Significant(rate, 6), 'f', -1, 64))
}

// each is the price of one card in its own currency, where it is not the amount
// itself.
func each(l *locale.Locale, q *catalog.Quote) string {
	if q.How.IsZero() {
		return ""
	}
	unit := ""
	if q.Kind.Rents() {
		unit = l.T("ladders.perhour", "")
	}
	return display.AboutMoney(l, q.Each) + unit
}

func (b *cardPricesBuilder) sourceHref(src *catalog.SourceRef) string {
	return display.SourceHref(b.l, &b.st.Snap.Datasets()[src.Dataset], src)
}

// history draws the observations; nil when none has a date.
func (b *cardPricesBuilder) history(l *locale.Locale, size historySize) *chart.Drawing {
	return priceHistory(l, b.st.Snap.Card(b.q.row).Name, b.all, b.q.pricing.Today, size)
}

// picture renders the history as a file; nil when there is none. A picture that cannot
// hold Chinese texts has English ones.
func (b *cardPricesBuilder) picture() (answer func() (site.Answer, error), err error) {
	if b.all, err = b.st.Snap.History(b.q.row); err != nil {
		return nil, err
	}
	l, name := b.l, "tianti-prices-"+b.st.Snap.Card(b.q.row).ID
	if b.r.Format == site.AsPNG {
		l = b.s.site.PaintedIn(l)
	}
	d := b.history(l, fileHistory)
	switch {
	case d == nil:
		return nil, nil
	case b.r.Format == site.AsSVG:
		return func() (site.Answer, error) { return site.SVGAnswer(d, name), nil }, nil
	}
	return func() (site.Answer, error) { return b.s.site.PNGAnswer(d, name, 2) }, nil
}
