package plot

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/site"
)

// What a plot shows unless the address says otherwise.
const (
	plotX = catalog.DefaultBasis
	plotY = "memory_bandwidth_gb_s"
)

// plotParams are the parameters of /plot beside those that choose cards and prices.
var plotParams = []string{"x", "y", "xscale", "yscale", "best", "color", "labels"}

// tableParams are parameters of the catalogue that a plot has no use for.
var tableParams = []string{"basis", "fields", "sort", "limit", "cursor"}

// plotScales are the values of xscale and yscale, by [plot.Scale].
var plotScales = []string{"auto", "linear", "log"}

// plotLabels are the values of labels: what has its name beside it.
var plotLabels = []string{"auto", "front", "none"}

// params is what an address of /plot asks for.
type params struct {
	catalog.Query // which cards; of the pricing what is chosen

	x, y   plot.Axis // Better is as chosen, or the usual
	by     plot.Grouping
	labels string
	page   int             // of the table below the drawing, from 1
	all    catalog.Pricing // complete
	dated  bool            // the answer is of today
}

// parsePlot reads an address of /plot. What cannot be read is reported, and stands
// at its default.
func (h *Handler) parsePlot(st *site.State, r *site.Request) (params, *webexport.ExportFilter, []catalog.ParamError) {
	own, rest := url.Values{}, url.Values{}
	for key, given := range r.Values {
		if slices.Contains(plotParams, key) {
			own[key] = given
		} else {
			rest[key] = given
		}
	}
	rest, export, errs := h.exportcontrol.ExportFilter(st.Snap, rest)
	for _, name := range tableParams {
		if len(errs) >= catalog.MostErrors {
			break
		}
		if _, there := rest[name]; there {
			errs = append(errs, catalog.ParamError{Param: name, Code: catalog.UnknownParam,
				Nearest: catalog.Nearest(name, plotParams, 3)})
			delete(rest, name)
		}
	}
	var q params
	cards, more := st.Snap.ParseQuery(rest)
	q.Query, errs = cards, append(errs, mixedKinds(more)...)
	q.page, q.Query.Page = max(1, cards.Page), 0 // every point is drawn
	q.all, q.Pricing = h.site.ResolvePricing(r.Loc, q.Pricing)
	if export != nil {
		q.Keep = &export.Keep
	}
	p := plotParser{own: own, errs: errs}
	p.axes(&q)
	q.by = plot.Grouping(p.choice("color", groupingNames()))
	q.labels = p.choice("labels", plotLabels)
	q.dated = q.x.Quantity.Priced() || q.y.Quantity.Priced() || display.UsesPrices(q.Query) || export != nil &&
		webexport.OfToday(r.Values)
	return q, export, p.errs
}

// mixedKinds says of two kinds of price at once that they are not mixed.
func mixedKinds(errs []catalog.ParamError) []catalog.ParamError {
	for i, e := range errs {
		if (e.Param == "buy" || e.Param == "rent") && e.Code == catalog.UnknownValue && strings.Contains(e.Value, ",") {
			errs[i].Code = catalog.MixedBases
		}
	}
	return errs
}

// plotParser reads the parameters that only plots have.
type plotParser struct {
	own  url.Values
	errs []catalog.ParamError
}

// value is a parameter that may be given once.
func (p *plotParser) value(name string) string {
	given := slices.DeleteFunc(slices.Clone(p.own[name]), func(v string) bool { return strings.TrimSpace(v) == "" })
	switch {
	case len(given) > 1 && (name == "x" || name == "y"):
		p.fail(catalog.ParamError{Param: name, Value: strings.Join(given, ","), Code: catalog.MixedBases})
		return ""
	case len(given) > 1:
		p.fail(catalog.ParamError{Param: name, Code: catalog.Repeated})
		return ""
	case len(given) == 0:
		return ""
	}
	return strings.TrimSpace(given[0])
}

func (p *plotParser) fail(e catalog.ParamError) {
	e.Value = catalog.Clip(e.Value)
	p.errs = append(p.errs, e)
}

// choice is one of a few values, the first by default.
func (p *plotParser) choice(name string, allowed []string) string {
	v := p.value(name)
	if v == "" || slices.Contains(allowed, v) {
		return cmp.Or(v, allowed[0])
	}
	p.fail(catalog.ParamError{Param: name, Value: v, Code: catalog.UnknownValue, Allowed: strings.Join(allowed, ", ")})
	return allowed[0]
}

func (p *plotParser) axes(q *params) {
	q.x, q.y = p.axis("x", plotX), p.axis("y", plotY)
	v := p.value("best")
	if v == "" {
		return
	}
	for part := range strings.SplitSeq(v, ",") {
		name, direction, _ := strings.Cut(strings.TrimSpace(part), ":")
		better, ok := directionOf(direction)
		axis := map[string]*plot.Axis{"x": &q.x, "y": &q.y}[name]
		if axis == nil || !ok {
			p.fail(catalog.ParamError{Param: "best", Value: v, Code: catalog.UnknownValue,
				Allowed: "x:higher, x:lower, x:none, y:higher, y:lower, y:none"})
			return
		}
		axis.Better = better
	}
}

// axis reads a quantity and its scale.
func (p *plotParser) axis(name, usual string) plot.Axis {
	q := display.MustQuantity(usual)
	if v := p.value(name); strings.Contains(v, ",") {
		p.fail(catalog.ParamError{Param: name, Value: v, Code: catalog.MixedBases})
	} else if named, ok := catalog.LookupQuantity(v); ok && plot.Plottable(named) {
		q = named
	} else if v != "" {
		p.fail(catalog.Unknown(name, v, plottable()))
	}
	a := plot.Axis{Quantity: q, Better: plot.Usual(q)}
	a.Scale = plot.Scale(slices.Index(plotScales, p.choice(name+"scale", plotScales)))
	if a.Scale == plot.Log && q.Kind == catalog.Day {
		p.fail(catalog.ParamError{Param: name + "scale", Value: "log", Code: catalog.UnknownValue,
			Allowed: "auto, linear"})
		a.Scale = plot.Linear
	}
	return a
}

// plottable are the ids of quantities that can be on an axis.
func plottable() []string {
	var ids []string
	for _, q := range catalog.Quantities() {
		if plot.Plottable(q) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

func groupingNames() []string {
	var names []string
	for _, by := range plot.Groupings {
		names = append(names, string(by))
	}
	return names
}

// directions are the words of the parameter best.
var directions = map[plot.Direction]string{plot.Higher: "higher", plot.Lower: "lower", plot.Neither: "none"}

func directionOf(word string) (plot.Direction, bool) {
	for d, w := range directions {
		if w == word {
			return d, true
		}
	}
	return plot.Neither, false
}

// encode is the canonical query.
func (q params) encode() string {
	parts := url.Values{}
	add := func(name, value, usual string) {
		if value != usual {
			parts.Set(name, value)
		}
	}
	add("x", q.x.Quantity.ID, plotX)
	add("y", q.y.Quantity.ID, plotY)
	add("xscale", plotScales[q.x.Scale], plotScales[plot.Auto])
	add("yscale", plotScales[q.y.Scale], plotScales[plot.Auto])
	add("color", string(q.by), string(plot.Groupings[0]))
	add("labels", q.labels, plotLabels[0])
	var best []string
	for i, a := range []plot.Axis{q.x, q.y} {
		if a.Better != plot.Usual(a.Quantity) {
			best = append(best, []string{"x", "y"}[i]+":"+directions[a.Better])
		}
	}
	add("best", strings.Join(best, ","), "")
	var out []string
	for _, name := range plotParams {
		if v := parts.Get(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	if cards := q.Query.Encode(); cards != "" {
		out = append(out, cards)
	}
	if q.page > 1 {
		out = append(out, "page="+strconv.Itoa(q.page))
	}
	return strings.Join(out, "&")
}

// elsewhere is the query in another language, whose usual currency is another:
// filters by prices keep their meaning.
func (q params) elsewhere(l *locale.Locale) string {
	q.Query = site.Elsewhere(q.Query, q.all.Currency, l)
	return q.encode()
}

// plot answers /plot in all formats.
func (h *Handler) plot(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/plot" {
		return h.site.NotFound(st, r)
	}
	q, export, errs := h.parsePlot(st, r)
	if len(errs) > 0 && r.Format != site.HTML {
		return site.Plan{}, api.BadParams(errs)
	}
	if len(errs) > 0 { // the page shows what it understood and says what it did not
		return site.Plan{Render: func() (site.Answer, error) {
			a, err := h.plotPage(st, r, q, export, errs)
			a.Status, a.Uncached = http.StatusBadRequest, true
			return a, err
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { return h.plotPage(st, r, q, export, nil) },
		site.AsJSON:   func() (site.Answer, error) { return plotJSON(plotted(st, r.Loc, q)) },
		site.AsCSV:    func() (site.Answer, error) { return plotCSV(plotted(st, r.Loc, q)), nil },
		site.Markdown: func() (site.Answer, error) { return plotMarkdown(plotted(st, r.Loc, q)), nil },
		site.AsSVG:    func() (site.Answer, error) { return h.plotPicture(st, r, q) },
		site.AsPNG:    func() (site.Answer, error) { return h.plotPicture(st, r, q) },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render, Dated: q.dated}, nil
}

// plotBuilder makes the parts of a plot.
type plotBuilder struct {
	snap *catalog.Snapshot // priced
	l    *locale.Locale
	q    params
	p    *plot.Plot
	// tooMany is how many cards were chosen where these are too many to draw; 0 otherwise.
	tooMany int
}

func plotted(st *site.State, l *locale.Locale, q params) *plotBuilder {
	b := &plotBuilder{snap: st.Snap.Priced(q.all), l: l, q: q}
	chosen := b.snap.Select(&q.Query, plot.MaxPoints)
	if chosen.Total > plot.MaxPoints {
		b.tooMany, chosen.Rows = chosen.Total, nil
	}
	b.p = plot.New(b.snap, chosen.Rows, q.x, q.y, q.by)
	return b
}

// plotPicture is the plot as a file.
func (h *Handler) plotPicture(st *site.State, r *site.Request, q params) (site.Answer, error) {
	l := r.Loc
	if r.Format == site.AsPNG {
		l = h.site.PaintedIn(l)
	}
	b := plotted(st, l, q)
	if len(b.p.Points) == 0 {
		return site.Answer{}, api.NewProblem(http.StatusNotFound, "%s", b.empty(locale.Of("en")))
	}
	d, err := b.drawing(fileCanvas)
	if err != nil {
		return site.Answer{}, err
	}
	if r.Format == site.AsPNG {
		return h.site.PNGAnswer(d, "tianti-plot", 1)
	}
	return site.SVGAnswer(d, "tianti-plot"), nil
}

// PlotOfCards is the address of the plot of the cards that a page of the catalogue
// lists.
func PlotOfCards(r *site.Request, q catalog.Query) string {
	path := r.Loc.Path("/plot")
	cards := catalog.Query{Text: q.Text, Filters: q.Filters, Pricing: q.Pricing, Keep: q.Keep}
	if query := cards.Encode(); query != "" {
		path += "?" + query
	}
	return path
}
