package compare

import (
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/display"
	webplot "tianti/web/plot"
	"tianti/web/site"
	"tianti/web/ui"
)

func (h *Handler) comparePage(st *site.State, r *site.Request, c Comparison) (site.Answer, error) {
	b := compareBuilder{CompareWords: CompareWords{c, r.Loc}, s: h, r: r}
	v := compareData{Layout: h.site.Layout(r, st, ui.NavCompare, c.encode()), Full: len(c.Rows) == catalog.MaxCompared}
	v.OtherPath = r.Address(r.Loc.Other(), site.HTML, c.in(r.Loc.Other()).encode())
	v.Title, v.Description = r.Loc.T("compare.title"), r.Loc.T("compare.description")
	present := h.live.Here(r.Context(), c.Snap, 0)
	for i, row := range c.Rows {
		v.Cards = append(v.Cards, b.head(i, row))
		v.Cards[i].Here = present.Badge(r.Loc, row)
	}
	v.Keep = site.ParamsOf(c.encode())
	v.Unknown, v.Taken, v.Suggestions = b.unknownCards(), b.takenCards(), b.suggestions()
	if len(c.Rows) >= 2 {
		b.compared(&v)
	}
	a, err := site.Rendered(v.Page())
	a = h.live.OfHere(a, present)
	if len(c.Unknown) > 0 {
		a.Status, a.Uncached = http.StatusNotFound, true
	}
	a.Uncached = a.Uncached || len(c.Taken) > 0 // its address is that of the cards themselves
	return a, err
}

// compareBuilder makes the parts of the comparison page.
type compareBuilder struct {
	CompareWords
	s *Handler
	r *site.Request
}

// compared fills in what there is with two cards and more.
func (b *compareBuilder) compared(v *compareData) {
	b.names(v)
	v.Layout = site.WithAlternates(v.Layout, b.r, b.files())
	lines, only, hidden := b.lines()
	if shown := b.Comparison; only {
		shown.rowsMode = "differences"
		v.Alternates.JSON = b.r.Address(b.L, site.AsJSON, shown.files())
	}
	v.OnlyDifferences, v.Hidden = only, hidden
	v.ToggleURL = b.url(func(c *Comparison) { c.rowsMode = map[bool]string{true: "all", false: "differences"}[only] })
	v.Groups, v.Verdict = b.groups(lines), b.verdict()
	v.Axes = b.axesView()
	v.Prices = display.PriceChoices(b.L, b.pricing)
	plain := b.Comparison
	plain.chosen = catalog.Pricing{}
	v.PriceKeep = site.ParamsOf(plain.encode())
	v.Roofline = b.rooflines()
}

// rooflines are those of the cards in the precision of the address.
func (b *compareBuilder) rooflines() *webplot.Roofline {
	p := b.precision
	if p.ID == "" {
		p, _ = plot.LookupPrecision(plot.DefaultPrecision)
	}
	return webplot.Rooflines(b.L, b.Snap, b.Rows, p, func(p plot.Precision) string {
		return b.url(func(c *Comparison) {
			if c.precision = p; p.ID == plot.DefaultPrecision {
				c.precision = plot.Precision{}
			}
		}) + "#roofline"
	})
}

// names puts the cards into title and description. What search engines keep is the
// comparison with its usual baseline, rows and prices.
func (b *compareBuilder) names(v *compareData) {
	var names []string
	for i := range b.Rows {
		names = append(names, b.name(i))
	}
	v.Baseline = names[b.baseline]
	plain := Comparison{Snap: b.Snap, Rows: b.Rows}.encode()
	v.Canonical, v.NoIndex = b.r.Address(b.L, site.HTML, plain), plain != b.encode()
	v.Title = b.L.T("compare.titleof", strings.Join(names, b.L.T("compare.versus")))
	v.Image = b.L.Path("/og/compare.png") + "?" + plain
}

func (b *compareBuilder) url(change func(*Comparison)) string {
	c := b.Comparison
	c.Rows = slices.Clone(c.Rows)
	change(&c)
	return b.r.Address(b.L, site.HTML, c.encode())
}

func (b *compareBuilder) head(i, row int) compareCard {
	c := b.Snap.Card(row)
	var sub []string
	for _, id := range []string{"form_factor", "launched"} {
		if text, ok := display.Display(b.L, b.Snap, display.MustQuantity(id), row); ok {
			sub = append(sub, text)
		}
	}
	return compareCard{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Sub: strings.Join(sub, " · "), Unsold: display.Standing(b.L, b.Snap, row), Href: b.L.Path("/cards/" + c.ID),
		Baseline:    i == b.baseline,
		BaselineURL: b.url(func(c *Comparison) { c.baseline = i }),
		RemoveURL: b.url(func(c *Comparison) {
			c.Rows = slices.Delete(c.Rows, i, i+1)
			switch {
			case c.baseline == i:
				c.baseline = 0
			case c.baseline > i:
				c.baseline--
			}
		})}
}

func (b *compareBuilder) groups(lines []catalog.CompareLine) []compareGroup {
	var groups []compareGroup
	for _, group := range append([]string{"identity", "price"}, display.GroupOrder...) {
		g := compareGroup{Label: b.L.T("group." + group)}
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

func (b *compareBuilder) row(line *catalog.CompareLine) compareRowData {
	q := line.Quantity
	row := compareRowData{ID: q.ID, Label: display.Pick(b.L, q.Label), Unit: display.UnitIn(b.L, b.Snap, q), Definition: display.Pick(b.L, q.Definition), Note: b.apart(line)}
	largest := 0.0
	for _, cell := range line.Cells {
		if cell.Known {
			largest = max(largest, cell.Number)
		}
	}
	for i, cell := range line.Cells {
		out := compareCellData{Best: cell.Best}
		if text, ok := b.value(q, i); ok {
			out.Value, out.Note = text, b.priceNote(q, i)
		} else {
			out.Missing = b.missing(line, i)
		}
		if cell.Stale {
			out.Old = b.L.T("compare.stale")
		}
		if cell.Ratio == cell.Ratio { // not NaN
			out.Ratio = b.L.Ratio(cell.Ratio)
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
		return b.L.T("compare.apartcell", b.basesOf(line.Quantity.RateClass(), i))
	case line.Quantity.Priced():
		return b.L.T("prices.none")
	}
	return b.L.T("missing.notstated")
}

func (b *compareBuilder) unknownCards() []unknownCard {
	var out []unknownCard
	for _, id := range b.Comparison.Unknown {
		u := unknownCard{ID: catalog.Clip(id)}
		for _, row := range b.Snap.Suggest(id, 4) {
			c := b.Snap.Card(row)
			u.Nearest = append(u.Nearest, ui.Link{Label: c.Vendor + " " + c.Name, Href: b.url(func(n *Comparison) { n.Rows = append(n.Rows, row) })})
		}
		out = append(out, u)
	}
	return out
}

// takenCards says what names that several cards bear were taken for, and what else they may mean.
func (b *compareBuilder) takenCards() []takenCard {
	var out []takenCard
	for _, t := range b.Taken {
		row := t.rows[0]
		v := takenCard{Asked: t.name, Name: b.Snap.Card(row).Name}
		for _, other := range t.rows[1:] {
			if slices.Contains(b.Rows, other) {
				continue
			}
			v.Others = append(v.Others, ui.Link{Label: b.Snap.Card(other).Name, Href: b.url(func(n *Comparison) {
				n.Rows[slices.Index(n.Rows, row)] = other
			})})
		}
		out = append(out, v)
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

func (b *compareBuilder) suggestions() []ui.Link {
	if len(b.Rows) > 1 {
		return nil
	}
	return PairLinks(b.Snap, b.L)
}

// PairLinks are the ready comparisons of which the catalogue has every card.
func PairLinks(s *catalog.Snapshot, l *locale.Locale) []ui.Link {
	var out []ui.Link
	for _, rows := range Pairs(s) {
		var names, ids []string
		for _, row := range rows {
			names, ids = append(names, s.Card(row).Name), append(ids, s.Card(row).ID)
		}
		out = append(out, ui.Link{Label: strings.Join(names, l.T("compare.versus")), Href: l.Path("/compare") + "?card=" + strings.Join(ids, "&card=")})
	}
	return out
}

// Pairs are the cards of the ready comparisons, in the order of [PairLinks].
func Pairs(s *catalog.Snapshot) [][]int {
	var out [][]int
	for _, ids := range pairs {
		var rows []int
		for _, id := range ids {
			if row, ok := s.Find(id); ok {
				rows = append(rows, row)
			}
		}
		if len(rows) == len(ids) {
			out = append(out, rows)
		}
	}
	return out
}
