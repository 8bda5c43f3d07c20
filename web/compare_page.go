package web

import (
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/view"
)

func (s *Server) comparePage(st *state, r *request, c comparison) (answer, error) {
	b := compareBuilder{compareWords: compareWords{c, r.loc}, s: s, r: r}
	v := view.Compare{Layout: s.layout(r, st, view.NavCompare, c.encode()), Full: len(c.rows) == catalog.MaxCompared}
	v.OtherPath = r.address(r.loc.Other(), html, c.in(r.loc.Other()).encode())
	v.Title, v.Description = r.loc.T("compare.title"), r.loc.T("compare.description")
	present := s.here(r.Context(), c.snap, 0)
	for i, row := range c.rows {
		v.Cards = append(v.Cards, b.head(i, row))
		v.Cards[i].Here = present.badge(r.loc, row)
	}
	v.Keep, v.Picker = paramsOf(c.encode()), b.picker()
	v.Unknown, v.Suggestions = b.unknownCards(), b.suggestions()
	if len(c.rows) >= 2 {
		b.compared(&v)
	}
	a, err := rendered(v.Page())
	a = s.ofHere(a, present)
	if len(c.unknown) > 0 {
		a.status, a.uncached = http.StatusNotFound, true
	}
	return a, err
}

// compareBuilder makes the parts of the comparison page.
type compareBuilder struct {
	compareWords
	s *Server
	r *request
}

// compared fills in what there is with two cards and more.
func (b *compareBuilder) compared(v *view.Compare) {
	b.names(v)
	v.Layout = withAlternates(v.Layout, b.r, b.files())
	lines, only, hidden := b.lines()
	v.OnlyDifferences, v.Hidden = only, hidden
	v.ToggleURL = b.url(func(c *comparison) { c.rowsMode = map[bool]string{true: "all", false: "differences"}[only] })
	v.Groups, v.Verdict = b.groups(lines), b.verdict()
	v.Axes = b.axesView()
	v.Prices = priceChoices(b.l, b.pricing)
	plain := b.comparison
	plain.chosen = catalog.Pricing{}
	v.PriceKeep = paramsOf(plain.encode())
	v.Roofline = b.rooflines()
}

// rooflines are those of the cards in the precision of the address.
func (b *compareBuilder) rooflines() *view.Roofline {
	p := b.precision
	if p.ID == "" {
		p, _ = plot.LookupPrecision(plot.DefaultPrecision)
	}
	return rooflines(b.l, b.snap, b.rows, p, func(p plot.Precision) string {
		return b.url(func(c *comparison) {
			if c.precision = p; p.ID == plot.DefaultPrecision {
				c.precision = plot.Precision{}
			}
		}) + "#roofline"
	})
}

// names puts the cards into title and description. What search engines keep is the
// comparison with its usual baseline, rows and prices.
func (b *compareBuilder) names(v *view.Compare) {
	var names []string
	for i := range b.rows {
		names = append(names, b.name(i))
	}
	v.Baseline = names[b.baseline]
	plain := comparison{snap: b.snap, rows: b.rows}.encode()
	v.Canonical, v.NoIndex = b.r.address(b.l, html, plain), plain != b.encode()
	v.Title = b.l.T("compare.titleof", strings.Join(names, b.l.T("compare.versus")))
	v.Image = b.l.Path("/og/compare.png") + "?" + plain
}

func (b *compareBuilder) url(change func(*comparison)) string {
	c := b.comparison
	c.rows = slices.Clone(c.rows)
	change(&c)
	return b.r.address(b.l, html, c.encode())
}

func (b *compareBuilder) head(i, row int) view.CompareCard {
	c := b.snap.Card(row)
	var sub []string
	for _, id := range []string{"form_factor", "launched"} {
		if text, ok := display(b.l, b.snap, mustQuantity(id), row); ok {
			sub = append(sub, text)
		}
	}
	return view.CompareCard{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Sub: strings.Join(sub, " · "), Href: b.l.Path("/cards/" + c.ID),
		Baseline:    i == b.baseline,
		BaselineURL: b.url(func(c *comparison) { c.baseline = i }),
		RemoveURL: b.url(func(c *comparison) {
			c.rows = slices.Delete(c.rows, i, i+1)
			switch {
			case c.baseline == i:
				c.baseline = 0
			case c.baseline > i:
				c.baseline--
			}
		})}
}

func (b *compareBuilder) groups(lines []catalog.CompareLine) []view.CompareGroup {
	var groups []view.CompareGroup
	for _, group := range append([]string{"identity", "price"}, groupOrder...) {
		g := view.CompareGroup{Label: b.l.T("group." + group)}
		for i := range lines {
			if lines[i].Quantity.Group == group {
				g.Rows = append(g.Rows, b.row(&lines[i]))
			}
		}
		if len(g.Rows) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func (b *compareBuilder) row(line *catalog.CompareLine) view.CompareRow {
	q := line.Quantity
	row := view.CompareRow{ID: q.ID, Label: pick(b.l, q.Label), Unit: unitIn(b.l, b.snap, q), Definition: pick(b.l, q.Definition), Note: b.apart(line)}
	largest := 0.0
	for _, cell := range line.Cells {
		if cell.Known {
			largest = max(largest, cell.Number)
		}
	}
	for i, cell := range line.Cells {
		out := view.CompareCell{Best: cell.Best}
		if text, ok := b.value(q, i); ok {
			out.Value, out.Note = text, b.priceNote(q, i)
		} else {
			out.Missing = b.missing(line, i)
		}
		if cell.Stale {
			out.Old = b.l.T("compare.stale")
		}
		if cell.Ratio == cell.Ratio { // not NaN
			out.Ratio = b.l.Ratio(cell.Ratio)
		}
		if q.Kind == catalog.Number && q.Better != "none" && cell.Known && largest > 0 {
			out.Share = cell.Number / largest
		}
		row.Cells = append(row.Cells, out)
	}
	return row
}

// missing says why a cell is empty.
func (b *compareBuilder) missing(line *catalog.CompareLine, i int) string {
	switch {
	case slices.Contains(line.Apart, i):
		return b.l.T("compare.apartcell", b.basesOf(line.Quantity.RateClass(), i))
	case line.Quantity.Priced():
		return b.l.T("prices.none")
	}
	return b.l.T("missing.notstated")
}

// pickable bounds the list of cards to add; a larger catalogue is searched instead.
const pickable = 1000

func (b *compareBuilder) picker() []view.OptionGroup {
	if len(b.rows) == catalog.MaxCompared || b.snap.Len() > pickable {
		return nil
	}
	byVendor := map[string]int{}
	var groups []view.OptionGroup
	for row := range b.snap.Len() {
		if slices.Contains(b.rows, row) {
			continue
		}
		c := b.snap.Card(row)
		i, ok := byVendor[c.Vendor]
		if !ok {
			i = len(groups)
			byVendor[c.Vendor] = i
			groups = append(groups, view.OptionGroup{Label: c.Vendor})
		}
		groups[i].Options = append(groups[i].Options, view.Option{Value: c.ID, Label: c.Name})
	}
	slices.SortFunc(groups, func(a, b view.OptionGroup) int { return strings.Compare(a.Label, b.Label) })
	return groups
}

func (b *compareBuilder) unknownCards() []view.UnknownCard {
	var out []view.UnknownCard
	for _, id := range b.comparison.unknown {
		u := view.UnknownCard{ID: catalog.Clip(id)}
		for _, row := range b.snap.Suggest(id, 4) {
			c := b.snap.Card(row)
			u.Nearest = append(u.Nearest, view.Link{Label: c.Vendor + " " + c.Name, Href: b.url(func(n *comparison) { n.rows = append(n.rows, row) })})
		}
		out = append(out, u)
	}
	return out
}

// pairs are comparisons that people ask for.
var pairs = [][]string{
	{"nvidia-h20-sxm5-96gb", "nvidia-h800-sxm5-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-geforce-rtx-4090", "nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-a100-sxm4-80gb", "nvidia-a800-sxm4-80gb"},
	{"nvidia-geforce-rtx-5090", "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"},
	{"nvidia-b200-sxm6-180gb", "amd-instinct-mi355x", "google-tpu-v7"},
	{"huawei-ascend-910b1", "huawei-ascend-910c", "nvidia-a100-sxm4-80gb"},
	{"nvidia-l40s", "nvidia-rtx-6000-ada", "nvidia-rtx-a6000"},
}

func (b *compareBuilder) suggestions() []view.Link {
	if len(b.rows) > 1 {
		return nil
	}
	return pairLinks(b.snap, b.l)
}

// pairLinks are the ready comparisons of which the catalogue has every card.
func pairLinks(s *catalog.Snapshot, l *locale.Locale) []view.Link {
	var out []view.Link
	for _, ids := range pairs {
		var names []string
		for _, id := range ids {
			if row, ok := s.Find(id); ok {
				names = append(names, s.Card(row).Name)
			}
		}
		if len(names) == len(ids) {
			out = append(out, view.Link{Label: strings.Join(names, l.T("compare.versus")), Href: l.Path("/compare") + "?card=" + strings.Join(ids, "&card=")})
		}
	}
	return out
}
