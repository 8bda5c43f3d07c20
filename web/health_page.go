package web

import (
	"cmp"
	"net/url"
	"strconv"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// dataHealth answers /data-health.
func (s *Server) dataHealth(st *state, r *request) (plan, error) {
	if r.path != "/data-health" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := healthView(st.snap, r.loc)
		v.Layout = s.layout(r, st, view.NavSources, "")
		v.Title, v.Description = r.loc.T("health.title"), r.loc.T("health.description", st.snap.Len(), st.snap.FigureCount())
		return rendered(v.Page())
	}}, nil
}

func healthView(s *catalog.Snapshot, l *locale.Locale) view.Health {
	h := s.Health()
	v := view.Health{Accepted: len(h.Exceptions), Figures: s.FigureCount()}
	v.AcceptedShare = l.Percent(float64(v.Accepted) / float64(max(1, v.Figures)))
	v.Totals = healthTotals(s, h, l)
	v.Vendors = vendorViews(h, l)
	v.Columns, v.Groups = coverageViews(s, h, l)
	v.Years = yearViews(h, l)
	for _, d := range h.Disagreements {
		v.Conflicts = append(v.Conflicts, conflictView(s, d, l))
	}
	for _, p := range h.Problems {
		row := view.ProblemRow{Rule: p.Rule, Text: p.Msg}
		if i, ok := s.Find(p.Card); ok {
			row.Card = factLink(s, l, i, p.Field)
		}
		v.Problems = append(v.Problems, row)
	}
	for _, e := range h.Exceptions {
		v.Exceptions = append(v.Exceptions, view.ExceptionRow{Rule: e.Rule, Card: factLink(s, l, e.Row, e.Quantity.ID), Quantity: quantityLink(l, e.Quantity), Reason: pick(l, e.Reason)})
	}
	return v
}

func healthTotals(s *catalog.Snapshot, h *catalog.Health, l *locale.Locale) []view.Total {
	measured := 0
	for _, v := range h.Vendors {
		measured += v.Measured
	}
	total := func(key string, n int, href string) view.Total {
		return view.Total{Label: l.T(key), Value: l.Count(n), Href: href}
	}
	return []view.Total{
		total("health.cards", s.Len(), l.Path("/cards")), total("health.figures", s.FigureCount(), ""), total("health.measured", measured, ""),
		total("health.sources", len(s.Sources()), l.Path("/sources")), total("health.problems", len(h.Problems), "#problems"),
		total("health.disagreements", len(h.Disagreements), "#conflicts"), total("health.explained", h.Explained, ""), total("health.exceptions", len(h.Exceptions), "#exceptions"),
	}
}

func vendorViews(h *catalog.Health, l *locale.Locale) []view.VendorHealth {
	out := make([]view.VendorHealth, len(h.Vendors))
	for i, v := range h.Vendors {
		out[i] = view.VendorHealth{Vendor: vendorLink(l, v.Vendor), Cards: v.Cards, Figures: v.Facts,
			PerCard: strconv.FormatFloat(float64(v.Shown)/float64(v.Cards), 'f', 1, 64), Measured: v.Measured, Disagreeing: v.Disagreeing}
	}
	return out
}

// vendorColumns is how many vendors have a column of their own.
const vendorColumns = 8

func coverageViews(s *catalog.Snapshot, h *catalog.Health, l *locale.Locale) (columns []string, groups []view.CoverageGroup) {
	for _, v := range h.Vendors[:min(vendorColumns, len(h.Vendors))] {
		columns = append(columns, v.Vendor)
	}
	for _, group := range groupOrder {
		g := view.CoverageGroup{Label: l.T("group." + group)}
		for _, m := range h.Metrics {
			if m.Quantity.Group != group {
				continue
			}
			share := float64(m.Cards) / float64(max(1, s.Len()))
			row := view.CoverageRow{Quantity: quantityLink(l, m.Quantity), Cards: m.Cards, Share: share, Percent: l.Percent(share)}
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

func yearViews(h *catalog.Health, l *locale.Locale) []view.YearHealth {
	most := 1
	for _, y := range h.Years {
		most = max(most, y.Facts)
	}
	var out []view.YearHealth
	for _, y := range h.Years {
		row := view.YearHealth{Year: strconv.Itoa(y.Year), Sources: y.Sources, Figures: y.Facts, Share: float64(y.Facts) / float64(most)}
		if y.Year == 0 {
			row.Year = l.T("health.ages.undated")
		}
		out = append(out, row)
	}
	return out
}

func conflictView(s *catalog.Snapshot, d catalog.Disagreement, l *locale.Locale) view.ConflictRow {
	q := d.Shown.Quantity
	row := view.ConflictRow{Card: factLink(s, l, d.Row, q.ID), Quantity: quantityLink(l, q), Unit: unit(l, q), Shown: sourced(l, d.Shown)}
	for _, o := range d.Others {
		row.Others = append(row.Others, sourced(l, o))
	}
	return row
}

func sourced(l *locale.Locale, v catalog.Value) view.SourcedValue {
	return view.SourcedValue{Value: shownValue(l, v), Note: pick(l, v.Note), Source: view.Link{Label: v.Source.Publisher, Href: sourceHref(l, v.Dataset, v.Source), Note: v.Source.Title}}
}

// shownValue is a value as people read it, without its unit.
func shownValue(l *locale.Locale, v catalog.Value) string {
	switch v.Quantity.Kind {
	case catalog.Number:
		return l.Number(v.Number)
	case catalog.Flag:
		return flagText(l, v.Text)
	}
	return valueText(l, v.Quantity, v.Text)
}

func vendorLink(l *locale.Locale, vendor string) view.Link {
	return view.Link{Label: vendor, Href: l.Path("/cards") + "?vendor=" + url.QueryEscape(vendor)}
}

func quantityLink(l *locale.Locale, q *catalog.Quantity) view.Link {
	return view.Link{Label: pick(l, q.Label), Href: l.Path("/methodology") + "#" + q.ID}
}

// cardLink leads to a card, factLink to one of its figures.
func cardLink(s *catalog.Snapshot, l *locale.Locale, row int) view.Link {
	c := s.Card(row)
	return view.Link{Label: c.Vendor + " " + c.Name, Href: l.Path("/cards/" + c.ID)}
}

func factLink(s *catalog.Snapshot, l *locale.Locale, row int, quantity string) view.Link {
	link := cardLink(s, l, row)
	if _, ok := catalog.LookupQuantity(quantity); ok {
		link.Href += "#" + quantity
	}
	return link
}

// sourceHref is the page of a source. Those of the built-in data go by their own
// ids, others by that of their dataset too.
func sourceHref(l *locale.Locale, d *catalog.DatasetInfo, src *catalog.SourceRef) string {
	id := src.ID
	if d.ID != "builtin" {
		id = d.ID + "/" + id
	}
	return l.Path("/sources/" + id)
}

// source answers /sources/{id} and /sources/{dataset}/{id}.
func (s *Server) source(st *state, r *request) (plan, error) {
	row, ok := findSource(st.snap, r.path)
	if !ok || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := sourceView(st.snap, r.loc, row)
		v.Layout = s.layout(r, st, view.NavSources, "")
		v.Layout.Title, v.Description = v.SourceRow.Title, r.loc.T("source.description", v.SourceRow.Title, v.Publisher, v.Figures)
		return rendered(v.Page())
	}}, nil
}

// findSource returns the index of the source whose page has that path.
func findSource(s *catalog.Snapshot, path string) (int, bool) {
	english := locale.Of("en")
	for i := range s.Sources() {
		if ref := &s.Sources()[i]; sourceHref(english, &s.Datasets()[ref.Dataset], ref) == path {
			return i, true
		}
	}
	return 0, false
}

// mostStated is how many prices the page of a source lists.
const mostStated = 500

func sourceView(s *catalog.Snapshot, l *locale.Locale, i int) view.Source {
	v := view.Source{SourceRow: sourceRow(s, l, i, s.SourceUses()[i])}
	last := -1
	for _, f := range s.FactsOf(i) {
		out := view.SourceFact{Quantity: quantityLink(l, f.Quantity), Value: shownValue(l, f.Value), Unit: unit(l, f.Quantity), Shown: f.Shown, Why: pick(l, f.Superseded)}
		out.Quantity.Href = factLink(s, l, f.Row, f.Quantity.ID).Href
		if f.Row != last {
			out.Card = cardLink(s, l, f.Row)
		}
		last = f.Row
		v.Facts = append(v.Facts, out)
	}
	for p := range s.PricesFrom(i) {
		if len(v.PriceRows) == mostStated {
			v.Omitted = l.T("source.firstprices", mostStated, v.Prices)
			break
		}
		v.PriceRows = append(v.PriceRows, view.SourcePrice{Card: view.Link{Label: s.Card(p.Row).Name, Href: l.Path("/prices/" + s.Card(p.Row).ID)},
			Kind: l.T("pricekind." + string(p.Kind)), Amount: exactMoney(p.Amount), Cards: p.Cards, Unit: l.T("priceunit." + string(p.Unit)), Date: string(p.Date)})
	}
	return v
}

func sourceRow(s *catalog.Snapshot, l *locale.Locale, i int, use catalog.SourceUse) view.SourceRow {
	ref := &s.Sources()[i]
	d := &s.Datasets()[ref.Dataset]
	row := view.SourceRow{ID: ref.ID, Publisher: ref.Publisher, Title: ref.Title, URL: ref.URL, Kind: string(ref.Kind), Published: string(ref.Published),
		Retrieved: string(ref.Retrieved), Dataset: cmp.Or(pick(l, d.Title), d.ID), Figures: use.Figures, Cards: use.Cards, Statements: use.Annotations, Prices: use.Prices, Rates: use.Rates,
		Href: sourceHref(l, d, ref)}
	if d.ID != "builtin" {
		row.ID = d.ID + "-" + row.ID
	}
	return row
}
