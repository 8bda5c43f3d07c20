package plot

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/filterform"
	"tianti/web/site"
	"tianti/web/ui"
)

// plotPreset is a plot that many ask for.
type plotPreset struct{ key, query string }

// gamers are the cards of the charts that compare series.
const gamers = "&color=series&vendor=NVIDIA&segment=desktop&architecture=Ada+Lovelace,Ampere,Blackwell,Maxwell,Pascal,Turing"

var plotPresets = []plotPreset{
	{"plot.preset.price", "x=buy_price&y=fp32_vector_tflops&xscale=log&yscale=log" + gamers},
	{"plot.preset.power", "x=fp32_vector_tflops&y=tdp_w&xscale=linear&yscale=linear" + gamers},
	{"plot.preset.bandwidth", ""},
	{"plot.preset.memory", "x=buy_price&y=memory_gb&color=segment"},
	{"plot.preset.efficiency", "x=launched&y=fp32_gflops_per_w&yscale=log&best=x:lower&color=segment"},
	{"plot.preset.cores", "x=launched&y=shader_cores&yscale=log&best=x:lower&color=segment&vendor=NVIDIA"},
	{"plot.preset.tpp", "x=performance_density&y=tpp&xscale=log&yscale=log"},
}

// PlotLinks are the presets that the catalogue has cards for.
func (h *Handler) PlotLinks(st *site.State, r *site.Request, current string) []ui.Link {
	var out []ui.Link
	for _, preset := range plotPresets {
		asked := &site.Request{Request: r.Request, Loc: r.Loc, Path: "/plot", Values: site.ParseQuery(preset.query)}
		q, _, errs := h.parsePlot(st, asked)
		if len(errs) > 0 {
			continue // no card of that vendor, say
		}
		query := q.encode()
		out = append(out, ui.Link{Label: r.Loc.T(preset.key), Href: asked.Address(r.Loc, site.HTML, query),
			Active: query == current})
	}
	return out
}

// rowsAtOnce is how many points a part of the table holds.
const rowsAtOnce = 50

func (h *Handler) plotPage(st *site.State, r *site.Request, q params, export *webexport.ExportFilter,
	errs []catalog.ParamError) (site.Answer, error) {
	v, err := h.plotView(st, r, q, export, errs)
	if err != nil {
		return site.Answer{}, err
	}
	return site.Rendered(v.Page())
}

// embed answers /embed/plot: the drawing, for a frame in a page of another site.
func (h *Handler) embed(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	q, export, errs := h.parsePlot(st, r)
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	q.page = 1
	return site.Plan{Key: r.Address(r.Loc, site.HTML, q.encode()), Dated: q.dated, Render: func() (site.Answer, error) {
		v, err := h.plotView(st, r, q, export, nil)
		if err != nil {
			return site.Answer{}, err
		}
		v.Canonical = r.Loc.Path("/plot")
		if query := q.encode(); query != "" {
			v.Canonical += "?" + query
		}
		return site.Rendered(ui.EmbeddedDrawing(v.Layout, v.Heading, v.Chart, v.Lede))
	}}, nil
}

func (h *Handler) plotView(st *site.State, r *site.Request, q params, export *webexport.ExportFilter,
	errs []catalog.ParamError) (plotPage, error) {
	b := plotted(st, r.Loc, q)
	b.q.page = min(q.page, max(1, (len(b.p.Points)+rowsAtOnce-1)/rowsAtOnce))
	part := b.q // of the table; what follows leads to other plots, or to all of this one
	b.q.page, q.page = 1, 1
	query := q.encode()
	v := plotPage{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavPlot, query), r, query)}
	v.SVG, v.PNG = r.Address(r.Loc, site.AsSVG, query), r.Address(r.Loc, site.AsPNG, query)
	v.OtherPath = r.Address(r.Loc.Other(), site.HTML, q.elsewhere(r.Loc.Other()))
	v.Heading = b.heading()
	v.Description = sentences(r.Loc, b.heading()+r.Loc.T("stop"), b.lede())
	v.Lede = b.lede()
	v.Presets = h.PlotLinks(st, r, query)
	for _, p := range v.Presets {
		if p.Active { // a plot that search engines may keep
			v.Canonical, v.NoIndex = v.Path, false
			v.Heading, v.Lede = p.Label, v.Description
		}
	}
	v.Title = v.Heading
	cards := filterform.Form{Snap: b.snap, Request: r, Query: q.Query, Result: b.snap.Select(&q.Query, 1),
		Keeps: export.KeptBy(r.Loc),
		At: func(cards catalog.Query) string {
			other := q
			other.Query = cards
			return r.Address(r.Loc, site.HTML, other.encode())
		}}
	v.Axes, v.Choices, v.Prices = b.axes(), b.choices(), display.PriceChoices(r.Loc, q.all)
	v.Query, v.Facets, v.Ranges, v.Keep = q.Text, cards.Facets(), cards.Ranges(errs), b.keep(&cards)
	v.Chips, v.Clear = cards.Chips()
	if export != nil {
		v.Caveat = strings.Join(webexport.ExportBuilder{L: r.Loc, Q: export.Question}.Caveats(), " ")
	}
	v.Problems = cards.Problems(errs, v.Ranges)
	v.CardsURL = r.Loc.Path("/cards")
	if chosen := q.Query.Encode(); chosen != "" {
		v.CardsURL += "?" + chosen
	}
	v.Left = b.left()
	if len(b.p.Points) == 0 {
		v.Lede = ""
		v.Empty, v.Suggestions = b.empty(r.Loc), cards.Suggestions()
		return v, nil
	}
	v.Image = v.PNG
	for _, c := range []canvas{wideCanvas, narrowCanvas} {
		d, err := b.drawing(c)
		if err != nil {
			return v, err
		}
		v.Chart += string(d.SVG(chart.InPage))
	}
	v.Tips = b.tips()
	v.FrontNote, v.Turns = b.frontNote(), b.turns(r)
	v.YHead, v.XHead, v.GroupHead = b.axisName(&b.p.Y), b.axisName(&b.p.X), r.Loc.T("plot.by."+string(q.by))
	for _, i := range b.p.Front {
		row := b.p.Points[i].Row
		v.Front = append(v.Front, ui.Link{Label: b.card(row).Label, Href: b.card(row).Href,
			Note: b.withUnitOf(&b.p.Y, row) + " · " + b.withUnitOf(&b.p.X, row)})
	}
	v.Points = len(b.p.Points)
	from := (part.page - 1) * rowsAtOnce
	for _, i := range b.byRank()[from:min(from+rowsAtOnce, v.Points)] {
		v.Rows = append(v.Rows, b.row(i))
	}
	v.Pages = ui.NewPager(r.Loc.T("pager.label"), part.page, (v.Points+rowsAtOnce-1)/rowsAtOnce, func(n int) string {
		part.page = n
		return r.Address(r.Loc, site.HTML, part.encode()) + "#points"
	})
	v.Marked = slices.ContainsFunc(v.Rows, func(row plotRow) bool { return row.Unconfirmed })
	v.Share = ui.Share{Page: v.Path, Frame: r.Loc.Path("/embed") + strings.TrimPrefix(v.Path, r.Loc.Path("")),
		Title: v.Heading}
	return v, nil
}

// heading names what is drawn.
func (b *plotBuilder) heading() string {
	return b.l.T("plot.against", b.quantityName(b.q.y.Quantity), b.quantityName(b.q.x.Quantity))
}

// lede counts what is drawn and what is not.
func (b *plotBuilder) lede() string {
	said := []string{b.l.T("plot.drawn", len(b.p.Points))}
	if n := len(b.p.Absents); n > 0 {
		said = append(said, b.l.T("plot.leftout", n))
	}
	return sentences(b.l, append(said, b.best()...)...)
}

// best says how many cards are on the front; nothing where there is none.
func (b *plotBuilder) best() []string {
	if len(b.p.Front) == 0 {
		return nil
	}
	return []string{b.l.T("plot.best", len(b.p.Front))}
}

// sentences stand one after another.
func sentences(l *locale.Locale, list ...string) string {
	if l.Code() == "zh" {
		return strings.Join(list, "")
	}
	return strings.Join(list, " ")
}

// quantityName is a quantity with the kind of price where it has one: "Launch price".
func (b *plotBuilder) quantityName(q *catalog.Quantity) string {
	if q.Priced() {
		return b.l.T("plot.ofkind", display.Pick(b.l, q.Label), b.l.T("pricekind."+string(b.kind(q))))
	}
	return display.Pick(b.l, q.Label)
}

// kind is the kind of price that a quantity follows from.
func (b *plotBuilder) kind(q *catalog.Quantity) catalog.PriceKind {
	if strings.HasPrefix(q.ID, "rent_") {
		return b.q.all.Rent
	}
	return b.q.all.Buy
}

// axisName is a quantity with its unit.
func (b *plotBuilder) axisName(a *plot.Axis) string {
	if u := display.UnitIn(b.l, b.snap, a.Quantity); u != "" {
		if a.Quantity.Priced() {
			return b.quantityName(a.Quantity) + b.l.T("comma") + u
		}
		return b.quantityName(a.Quantity) + " (" + u + ")"
	}
	return b.quantityName(a.Quantity)
}

// axes are the menus of quantities; what no card states is left out.
func (b *plotBuilder) axes() []plotAxisData {
	axis := func(name string, a *plot.Axis) plotAxisData {
		out := plotAxisData{Name: name, Label: b.l.T("plot." + name), Groups: b.quantities(a.Quantity)}
		out.Scale = b.field(name+"scale", "plot.scale", plotScales, plotScales[a.Scale])
		return out
	}
	return []plotAxisData{axis("y", &b.q.y), axis("x", &b.q.x)}
}

func (b *plotBuilder) quantities(chosen *catalog.Quantity) []ui.OptionGroup {
	var groups []ui.OptionGroup
	for _, id := range append([]string{"price"}, display.GroupOrder...) {
		g := ui.OptionGroup{Label: b.l.T("group." + id)}
		for _, q := range catalog.Quantities() {
			if q.Group == id && plot.Plottable(q) && (q == chosen || b.snap.Coverage(q) > 0) {
				g.Options = append(g.Options, ui.Option{Value: q.ID, Label: display.Pick(b.l, q.Label),
					Selected: q == chosen})
			}
		}
		if len(g.Options) > 0 && !slices.ContainsFunc(groups, func(o ui.OptionGroup) bool {
			return o.Label == g.Label
		}) {
			groups = append(groups, g)
		}
	}
	return groups
}

// field is a choice among words that messages name; the first one is not sent.
func (b *plotBuilder) field(name, key string, values []string, chosen string) plotField {
	f := plotField{Name: name, Label: b.l.T(key)}
	for i, v := range values {
		o := ui.Option{Value: v, Label: b.l.T(key + "s." + v), Selected: v == chosen}
		if i == 0 {
			o.Value = ""
		}
		f.Options = append(f.Options, o)
	}
	return f
}

func (b *plotBuilder) choices() []plotField {
	colour := plotField{Name: "color", Label: b.l.T("plot.color")}
	for i, by := range plot.Groupings {
		o := ui.Option{Label: b.l.T("plot.by." + string(by)), Selected: by == b.q.by}
		if i > 0 {
			o.Value = string(by)
		}
		colour.Options = append(colour.Options, o)
	}
	return []plotField{colour, b.field("labels", "plot.label", plotLabels, b.q.labels)}
}

// keep are the filters that the form carries on without a control.
func (b *plotBuilder) keep(cards *filterform.Form) []ui.Param {
	q := b.q.Query
	q.Text, q.Pricing = "", catalog.Pricing{}
	q.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f catalog.Filter) bool {
		return f.Quantity.Numeric() || slices.Contains(filterform.Facets, f.Quantity.ID) && cards.OnlyPositive(f)
	})
	keep := site.ParamsOf(q.Encode())
	other := params{Query: catalog.Query{}, x: b.q.x, y: b.q.y, by: plot.Groupings[0], labels: plotLabels[0]}
	for _, p := range site.ParamsOf(other.encode()) {
		if p.Name == "best" {
			keep = append(keep, p)
		}
	}
	return keep
}

// byRank are the points in the order of the table: the front first, then what fewest
// are better than; where there is no front, the highest first.
func (b *plotBuilder) byRank() []int {
	order := make([]int, len(b.p.Points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		p, q := &b.p.Points[i], &b.p.Points[j]
		return cmp.Or(cmp.Compare(p.Beaten, q.Beaten), cmp.Compare(q.Y, p.Y))
	})
	return order
}

// row is a point in words.
func (b *plotBuilder) row(i int) plotRow {
	pt := &b.p.Points[i]
	row := plotRow{Card: b.card(pt.Row), Group: b.groupName(pt.Kin), X: b.text(b.p.X.Quantity, pt.Row),
		Y:     b.text(b.p.Y.Quantity, pt.Row),
		Front: pt.Front, Unconfirmed: !b.confirmed(pt.Row), Unsold: display.Standing(b.l, b.snap, pt.Row)}
	for _, j := range pt.By[:min(nearestNamed, len(pt.By))] {
		row.By = append(row.By, b.card(b.p.Points[j].Row))
	}
	row.More = pt.Beaten - len(row.By)
	return row
}

// nearestNamed is how many of the better cards are named.
const nearestNamed = 3

func (b *plotBuilder) card(row int) ui.Link {
	c := b.snap.Card(row)
	return ui.Link{Label: display.CardName(b.l, c), Href: b.l.Path("/cards/" + c.ID)}
}

// groupName is a group in the reader's language.
func (b *plotBuilder) groupName(name string) string {
	if b.q.by == plot.BySegment && name != "" {
		return display.ValueText(b.l, display.MustQuantity("segment"), name)
	}
	if b.q.by == plot.ByVendor {
		return display.Vendor(b.l, name)
	}
	return name
}

// text is a value of a card as people read it, without its unit.
func (b *plotBuilder) text(q *catalog.Quantity, row int) string {
	if v, ok := b.snap.Number(q, row); ok && q.Priced() {
		return display.RoundedMoney(b.l, v)
	}
	text, _ := display.Display(b.l, b.snap, q, row)
	return text
}

// confirmed reports whether both values of a card are.
func (b *plotBuilder) confirmed(row int) bool {
	return b.snap.Confirmed(b.p.X.Quantity, row) && b.snap.Confirmed(b.p.Y.Quantity, row)
}

// empty says why nothing is drawn.
func (b *plotBuilder) empty(l *locale.Locale) string {
	if b.tooMany > 0 {
		return l.T("plot.toomany", b.tooMany, plot.MaxPoints)
	}
	if len(b.p.Absents) == 0 {
		return l.T("plot.nocards")
	}
	return l.T("plot.novalues", len(b.p.Absents))
}

// leftNamed is how many of the cards that are left out are named for each reason.
const leftNamed = 8

// left counts the cards that are not drawn, by reason.
func (b *plotBuilder) left() []plotLeftData {
	var out []plotLeftData
	for _, reason := range plot.Reasons {
		left := plotLeftData{}
		for _, a := range b.p.Absents {
			if a.Reason != reason {
				continue
			}
			if left.Count++; left.Count <= leftNamed {
				left.Cards = append(left.Cards, b.card(a.Row))
			}
		}
		if left.Count > 0 {
			left.More = left.Count - len(left.Cards)
			left.Reason = b.reason(reason, left.Count)
			out = append(out, left)
		}
	}
	return out
}

func (b *plotBuilder) reason(reason plot.Reason, cards int) string {
	x, y := b.quantityName(b.q.x.Quantity), b.quantityName(b.q.y.Quantity)
	switch reason {
	case plot.NoX:
		return b.l.T("plot.reasons.one", cards, x)
	case plot.NoY:
		return b.l.T("plot.reasons.one", cards, y)
	case plot.NoXY:
		return b.l.T("plot.reasons.both", cards, y, x)
	}
	return b.l.T("plot.reasons.notpositive", cards)
}

// frontNote says what the front is, or why there is none.
func (b *plotBuilder) frontNote() string {
	if b.p.HasFront() {
		return b.l.T("plot.frontnote", b.better(&b.p.Y), b.better(&b.p.X))
	}
	var names []string
	for _, a := range []*plot.Axis{&b.p.Y, &b.p.X} {
		if a.Better == plot.Neither {
			names = append(names, b.quantityName(a.Quantity))
		}
	}
	return b.l.T("plot.nofront", strings.Join(names, b.l.T("list.separator")))
}

// better says which values of an axis are: "more Memory".
func (b *plotBuilder) better(a *plot.Axis) string {
	key := map[plot.Direction]string{plot.Higher: "plot.more_of", plot.Lower: "plot.less_of"}[a.Better]
	if a.Quantity.Kind == catalog.Day {
		key = map[plot.Direction]string{plot.Higher: "plot.later", plot.Lower: "plot.earlier"}[a.Better]
	}
	return b.l.T(key, b.quantityName(a.Quantity))
}

// turns are the other ways to say what is better.
func (b *plotBuilder) turns(r *site.Request) []ui.Link {
	var out []ui.Link
	for _, y := range []plot.Direction{plot.Higher, plot.Lower} {
		for _, x := range []plot.Direction{plot.Higher, plot.Lower} {
			q := *b
			p := *b.p
			q.p = &p
			q.q.x.Better, q.q.y.Better, p.X.Better, p.Y.Better = x, y, x, y
			out = append(out, ui.Link{Label: q.better(&p.Y) + b.l.T("list.separator") + q.better(&p.X),
				Href:   r.Address(b.l, site.HTML, q.q.encode()) + "#front",
				Active: b.p.X.Better == x && b.p.Y.Better == y})
		}
	}
	return out
}
