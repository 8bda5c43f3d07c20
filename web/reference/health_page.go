package reference

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// dataHealth answers /data-health.
func (h *Handler) dataHealth(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/data-health" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	asked, err := readPart(r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, asked.encode()), Render: func() (site.Answer, error) {
		v := healthView(st.Snap, r, asked)
		v.Layout = h.site.Layout(r, st, ui.NavSources, asked.encode())
		v.Title, v.Description = r.Loc.T(
			"health.title",
		), r.Loc.T(
			"health.description",
			st.Snap.Len(),
			st.Snap.FigureCount(),
		)
		if h.site.Follows == nil {
			return site.Rendered(v.Page())
		}
		v.follow(h.site.Follows(), h.site.Now())
		a, err := site.Rendered(v.Page())
		a.Uncached, a.Unstored = true, true // it tells how old the snapshot is
		return a, err
	}}, nil
}

// conflictsAtOnce is how many values that sources do not agree on a page lists.
const conflictsAtOnce = 12

func healthView(s *catalog.Snapshot, r *site.Request, asked part) health {
	h, l := s.Health(), r.Loc
	v := health{Text: asked.text, Accepted: len(h.Exceptions), Figures: s.FigureCount()}
	v.AcceptedShare = l.Percent(float64(v.Accepted) / float64(max(1, v.Figures)))
	v.Totals = healthTotals(s, h, l)
	v.Vendors = vendorViews(h, l)
	v.Columns, v.Groups = coverageViews(s, h, l)
	v.Years = yearViews(h, l)
	v.PriceYear, v.Priced = pricedViews(s, l)
	var conflicts []catalog.Disagreement
	for _, d := range h.Disagreements {
		c := s.Card(d.Row)
		if asked.text == "" || asked.has(c.Vendor+" "+c.Name+"\n"+display.Pick(l, d.Shown.Quantity.Label)) {
			conflicts = append(conflicts, d)
		}
	}
	from, to, pages := asked.of(r, len(conflicts), conflictsAtOnce, "#conflicts")
	for _, d := range conflicts[from:to] {
		v.Conflicts = append(v.Conflicts, conflictView(s, d, l))
	}
	v.Disagreements, v.Found, v.Pages = len(h.Disagreements), len(conflicts), pages
	for _, p := range h.Problems {
		row := problemRow{Rule: p.Rule, Text: p.Msg}
		if i, ok := s.Find(p.Card); ok {
			row.Card = factLink(s, l, i, p.Field)
		}
		v.Problems = append(v.Problems, row)
	}
	for _, e := range h.Exceptions {
		v.Exceptions = append(
			v.Exceptions,
			exceptionRow{
				Rule:     e.Rule,
				Card:     factLink(s, l, e.Row, e.Quantity.ID),
				Quantity: display.QuantityLink(l, e.Quantity),
				Reason:   display.Pick(l, e.Reason),
			},
		)
	}
	return v
}

func healthTotals(s *catalog.Snapshot, h *catalog.Health, l *locale.Locale) []ui.Total {
	measured := 0
	for _, v := range h.Vendors {
		measured += v.Measured
	}
	total := func(key string, n int, href string) ui.Total {
		return ui.Total{Label: l.T(key), Value: l.Count(n), Href: href}
	}
	return []ui.Total{
		total(
			"health.cards",
			s.Len(),
			l.Path("/cards"),
		), total("health.figures", s.FigureCount(), ""), total("health.measured", measured, ""),
		total(
			"health.sources",
			len(s.Sources()),
			l.Path("/sources"),
		), total("health.problems", len(h.Problems), "#problems"),
		total("health.disagreements", len(h.Disagreements), "#conflicts"), total("health.explained", h.Explained, ""),
		total("health.agreeing", h.Agreeing, ""), total("health.independent", h.Independent, ""),
		total("health.physics", h.Physics, ""), total("health.exceptions", len(h.Exceptions), "#exceptions"),
	}
}

func vendorViews(h *catalog.Health, l *locale.Locale) []vendorHealth {
	out := make([]vendorHealth, len(h.Vendors))
	for i, v := range h.Vendors {
		out[i] = vendorHealth{Vendor: vendorLink(l, v.Vendor), Cards: v.Cards, Figures: v.Facts,
			PerCard: strconv.FormatFloat(
				float64(v.Shown)/float64(v.Cards),
				'f',
				1,
				64,
			), Measured: v.Measured, Disagreeing: v.Disagreeing}
	}
	return out
}

// vendorColumns is how many vendors have a column of their own.
const vendorColumns = 8

func coverageViews(
	s *catalog.Snapshot,
	h *catalog.Health,
	l *locale.Locale,
) (columns []string, groups []coverageGroup) {
	for _, v := range h.Vendors[:min(vendorColumns, len(h.Vendors))] {
		columns = append(columns, display.Vendor(l, v.Vendor))
	}
	for _, group := range display.GroupOrder {
		g := coverageGroup{Label: l.T("group." + group)}
		for _, m := range h.Metrics {
			if m.Quantity.Group != group {
				continue
			}
			share := float64(m.Cards) / float64(max(1, s.Len()))
			row := coverageRow{
				Quantity: display.QuantityLink(l, m.Quantity),
				Cards:    m.Cards,
				Share:    share,
				Percent:  l.Percent(share),
			}
			others := m.Cards
			for _, c := range columns {
				row.Counts = append(row.Counts, strconv.Itoa(m.ByVendor[c]))
				others -= m.ByVendor[c]
			}
			row.Counts = append(row.Counts, strconv.Itoa(others))
			g.Rows = append(g.Rows, row)
		}
		if len(g.Rows) > 0 {
			groups = append(groups, g)
		}
	}
	return columns, groups
}

func yearViews(h *catalog.Health, l *locale.Locale) []yearHealth {
	most := 1
	for _, y := range h.Years {
		most = max(most, y.Facts)
	}
	var out []yearHealth
	for _, y := range h.Years {
		row := yearHealth{
			Year:    strconv.Itoa(y.Year),
			Sources: y.Sources,
			Figures: y.Facts,
			Share:   float64(y.Facts) / float64(most),
		}
		if y.Year == 0 {
			row.Year = l.T("health.ages.undated")
		}
		out = append(out, row)
	}
	return out
}

// pricedViews counts the cards that have a price of the year of the newest one.
func pricedViews(s *catalog.Snapshot, l *locale.Locale) (year string, rows []pricedRow) {
	c := s.PriceCoverage()
	if c.Year == 0 {
		return "", nil
	}
	add := func(label, note string, sold, priced int) {
		share := float64(priced) / float64(max(1, sold))
		rows = append(rows, pricedRow{label, sold, priced, share, l.Percent(share), note})
	}
	add(l.T("health.priced.singly"), l.T("health.priced.singlynote"), c.Singly, c.SinglyPriced)
	add(l.T("health.priced.all"), l.T("health.priced.allnote"), c.Sold, c.Priced)
	for _, g := range c.Segments {
		add(l.T("segment."+g.Segment), "", g.Sold, g.Priced)
	}
	return strconv.Itoa(c.Year), rows
}

func conflictView(s *catalog.Snapshot, d catalog.Disagreement, l *locale.Locale) conflictRow {
	q := d.Shown.Quantity
	row := conflictRow{
		Card:     factLink(s, l, d.Row, q.ID),
		Quantity: display.QuantityLink(l, q),
		Unit:     display.Unit(l, q),
		Shown:    display.Sourced(l, d.Shown),
	}
	for _, o := range d.Others {
		row.Others = append(row.Others, display.Sourced(l, o))
	}
	return row
}

func vendorLink(l *locale.Locale, vendor string) ui.Link {
	return ui.Link{Label: display.Vendor(l, vendor), Href: l.Path("/cards") + "?vendor=" + url.QueryEscape(vendor)}
}

func factLink(s *catalog.Snapshot, l *locale.Locale, row int, quantity string) ui.Link {
	link := display.CardLink(s, l, row)
	if _, ok := catalog.LookupQuantity(quantity); ok {
		link.Href += "#" + quantity
	}
	return link
}

// source answers /sources/{id} and /sources/{dataset}/{id}.
func (h *Handler) source(st *site.State, r *site.Request) (site.Plan, error) {
	row, ok := findSource(st.Snap, r.Path)
	if !ok || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	asked, err := readPart(r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, asked.encode()), Render: func() (site.Answer, error) {
		v, err := sourceView(st.Snap, r, row, asked)
		if err != nil {
			return site.Answer{}, err
		}
		v.Layout = h.site.Layout(r, st, ui.NavSources, asked.encode())
		v.Layout.Title, v.Description = v.SourceRow.Title, r.Loc.T(
			"source.description",
			v.SourceRow.Title,
			v.Publisher,
			v.Figures,
		)
		return site.Rendered(v.Page())
	}}, nil
}

// findSource returns the index of the source whose page has that path.
func findSource(s *catalog.Snapshot, path string) (int, bool) {
	english := locale.Of("en")
	for i := range s.Sources() {
		if ref := &s.Sources()[i]; display.SourceHref(english, &s.Datasets()[ref.Dataset], ref) == path {
			return i, true
		}
	}
	return 0, false
}

// statedAtOnce is how many values and how many prices the page of a source lists.
const statedAtOnce = 100

func sourceView(s *catalog.Snapshot, r *site.Request, i int, asked part) (source, error) {
	l := r.Loc
	v := source{SourceRow: sourceRow(s, l, i, s.SourceUses()[i]), Asked: asked.text}
	named := func(row int) bool {
		c := s.Card(row)
		return asked.text == "" || asked.has(c.Vendor+" "+c.Name)
	}
	facts := slices.DeleteFunc(s.FactsOf(i), func(f catalog.SourcedFact) bool { return !named(f.Row) })
	prices := 0
	for p, err := range s.PricesFrom(i) {
		if err != nil {
			return v, err
		}
		if named(p.Row) {
			prices++
		}
	}
	from, to, pages := asked.of(r, max(len(facts), prices), statedAtOnce, "")
	v.Pages, v.Found = pages, len(facts)+prices
	last := -1
	for _, f := range facts[min(from, len(facts)):min(to, len(facts))] {
		v.Facts = append(v.Facts, statedFact(s, l, f, last))
		last = f.Row
	}
	at := 0
	for p, err := range s.PricesFrom(i) {
		if err != nil {
			return v, err
		}
		if !named(p.Row) {
			continue
		}
		if at >= from && at < to {
			v.PriceRows = append(v.PriceRows, statedPrice(s, l, p))
		}
		if at++; at == to {
			break
		}
	}
	return v, nil
}

// statedFact is a value that a source states; the card of the row before is not named again.
func statedFact(s *catalog.Snapshot, l *locale.Locale, f catalog.SourcedFact, before int) sourceFactData {
	out := sourceFactData{
		Quantity: display.QuantityLink(l, f.Quantity),
		Value:    display.ShownValue(l, f.Value),
		Unit:     display.Unit(l, f.Quantity),
		Shown:    f.Shown,
		Why:      display.Pick(l, f.Superseded),
	}
	out.Quantity.Href = factLink(s, l, f.Row, f.Quantity.ID).Href
	if f.Row != before {
		out.Card = display.CardLink(s, l, f.Row)
	}
	return out
}

func statedPrice(s *catalog.Snapshot, l *locale.Locale, p catalog.PriceInfo) sourcePrice {
	return sourcePrice{
		Card:   ui.Link{Label: s.Card(p.Row).Name, Href: l.Path("/prices/" + s.Card(p.Row).ID)},
		Kind:   l.T("pricekind." + string(p.Kind)),
		Amount: display.ExactMoney(p.Amount),
		Cards:  p.Cards,
		Unit:   l.T("priceunit." + string(p.Unit)),
		Date:   string(p.Date),
	}
}

func sourceRow(s *catalog.Snapshot, l *locale.Locale, i int, use catalog.SourceUse) SourceRow {
	ref := &s.Sources()[i]
	d := &s.Datasets()[ref.Dataset]
	row := SourceRow{
		ID:        ref.ID,
		Publisher: ref.Publisher,
		Title:     ref.Title,
		URL:       ref.URL,
		Kind:      string(ref.Kind),
		Published: string(ref.Published),
		Retrieved: string(
			ref.Retrieved,
		),
		Dataset:    cmp.Or(display.Pick(l, d.Title), d.ID),
		Figures:    use.Figures,
		Cards:      use.Cards,
		Statements: use.Annotations,
		Prices:     use.Prices,
		Rates:      use.Rates,
		Href:       display.SourceHref(l, d, ref),
	}
	if d.ID != "builtin" {
		row.ID = d.ID + "-" + row.ID
	}
	return row
}
