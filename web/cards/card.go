package cards

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/ladders"
	webplot "tianti/web/plot"
	"tianti/web/prices"
	"tianti/web/site"
	"tianti/web/ui"
)

// card answers /cards/{id} in all formats.
func (h *Handler) card(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/cards/")
	if !ok {
		return h.site.NotFound(st, r)
	}
	if err := onlyOfCard(r); err != nil {
		return site.Plan{}, err
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	q, err := h.readCardParams(st, r, row)
	if err != nil {
		return site.Plan{}, err
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { return h.cardPage(st, r, row, q) },
		site.AsJSON:   h.detail(st, r, row),
		site.AsCSV:    func() (site.Answer, error) { return factTable(st.Snap, row).CSV(id), nil },
		site.Markdown: func() (site.Answer, error) { return h.cardMarkdown(st, r, row, q) },
	}[r.Format]
	if r.Format != site.HTML && r.Format != site.Markdown {
		return site.Plan{Key: r.Address(r.Loc, r.Format, ""), Render: render, Dated: r.Format == site.AsJSON}, nil
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, joinQuery(q.exportQuery, q.better.Encode())), Render: render, Dated: true}, nil // prices are judged as of today
}

// onlyOfCard checks the parameters of a card's page and of its document. Its other
// formats have none.
func onlyOfCard(r *site.Request) error {
	switch r.Format {
	case site.HTML:
		return r.WithoutParam("better").Only(slices.Concat(webexport.QuestionParams, webplot.BetterParams)...)
	case site.Markdown:
		return r.WithoutParam("better").Only(webplot.BetterParams...)
	}
	return r.Only()
}

// cardParams is what the sections of a card's page are asked.
type cardParams struct {
	export      exportcontrol.Question
	exportQuery string // empty where it is the usual one
	better      webplot.BetterChoice
}

func (h *Handler) readCardParams(st *site.State, r *site.Request, row int) (cardParams, error) {
	var q cardParams
	var errs, more []catalog.ParamError
	q.export, errs = h.Export.Question(r.Values)
	q.better, more = h.Plot.Better(st, r, row)
	if errs = append(errs, more...); len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	if q.exportQuery = webexport.QuestionQuery(q.export); h.Export.Usual(q.exportQuery) {
		q.exportQuery = ""
	}
	return q, nil
}

// joinQuery joins parts of a query of which some may be empty.
func joinQuery(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "&")
}

func (h *Handler) cardPage(st *site.State, r *site.Request, row int, q cardParams) (site.Answer, error) {
	v := h.cardView(st, r, row, q)
	present := h.Live.Here(r.Context(), st.Snap, 0)
	v.Here = present.Link(r.Loc, row)
	a, err := site.Rendered(v.Page())
	a.Uncached = v.away
	return h.Live.OfHere(a, present), err
}

func (h *Handler) cardView(st *site.State, r *site.Request, row int, q cardParams) cardData {
	c := st.Snap.Card(row)
	b := &cardBuilder{s: st.Snap, loc: r.Loc, row: row, card: c, facts: st.Snap.Facts(row), numbers: map[string]int{}}
	v := cardData{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavCards, joinQuery(q.exportQuery, q.better.Encode())), r, ""), ID: c.ID, Name: c.Name, Vendor: display.Vendor(r.Loc, c.Vendor),
		Aliases: c.Aliases, PCIIDs: c.PCIIDs}
	if h.Correct && h.site.SignIn && !h.site.ReadOnly {
		v.CorrectURL = r.Loc.Path("/admin/cards/" + c.ID + "/figures")
	}
	v.Summary = b.summary()
	v.Title, v.Description = v.Vendor+" "+c.Name, v.Vendor+" "+c.Name+r.Loc.T("colon")+v.Summary
	v.Crumbs = b.crumbs()
	v.Tags, v.Unsold = b.tags(), display.Standing(r.Loc, st.Snap, row)
	v.BeforeSale = catalog.BeforeSale(st.Snap.Standing(row))
	if v.UnsoldNote = r.Loc.T("unsold.kept"); v.BeforeSale {
		v.UnsoldNote = r.Loc.T("unsold.figures")
	}
	v.Plan = b.plan()
	v.Grid = b.grid()
	v.Groups = b.groups()
	v.Tiles = b.tiles()
	v.Image = r.Loc.Path("/og/cards/" + c.ID + ".png")
	v.Export = h.Export.CardExport(st, r, row, q.export)
	if v.Export != nil && q.exportQuery == "" {
		v.Export.Form.Action = "" // the usual question is changed where all cards are asked
	}
	v.Fits = h.cardFits(st, r.Loc, c.ID)
	v.Roofline = webplot.CardRoofline(r.Loc, st.Snap, row)
	v.NoIndex = q.exportQuery+q.better.Encode() != ""
	standings := prices.StandingsOf(st.Snap, row, q.better.Pricing)
	v.Quotes = b.quotes(standings, q.better.Pricing.Today)
	v.away = b.away
	v.Now = prices.Now(r.Loc, standings)
	v.OffersURL = r.Loc.Path("/prices/" + c.ID)
	v.Better = b.better(&q.better, q.exportQuery)
	v.Measured = b.measured()
	v.Places = ladders.MeasuredPlaces(r.Loc, st.Snap, row)
	v.Claims = b.claims()
	v.Sources = b.citations
	v.Neighbours = b.neighbours()
	v.Finding = b.finding(&v)
	v.Contents = v.contents()
	v.Ladders = ladders.CardLadders(r.Loc, st.Snap, row)
	v.Alternates.Feed = r.Loc.Path("/feed.xml") + "?card=" + c.ID
	v.Things = append(v.Things, b.product(&v, standings))
	return v
}

// cardBuilder makes the parts of a card's page.
type cardBuilder struct {
	s         *catalog.Snapshot
	loc       *locale.Locale
	row       int
	card      *catalog.Card
	facts     map[string]catalog.Figure
	citations []citation
	numbers   map[string]int // of citations, by source key
	away      bool           // the prices that were could not be had
}

func (b *cardBuilder) text(id string) (string, bool) {
	return display.Display(b.loc, b.s, display.MustQuantity(id), b.row)
}

// withUnit is a value with its unit: "80 GB".
func (b *cardBuilder) withUnit(id string) (string, bool) {
	text, ok := b.text(id)
	if unit := display.Unit(b.loc, display.MustQuantity(id)); ok && unit != "" {
		text += " " + unit
	}
	return text, ok
}

// summary is the card in one sentence, from its figures.
func (b *cardBuilder) summary() string {
	l := b.loc
	head := l.T("card.is", l.T("kind."+b.card.Kind), l.T("segment."+b.card.Segment))
	if b.card.Architecture != "" {
		head += l.T("card.ofarchitecture", b.card.Architecture)
	}
	if unsold := display.Standing(l, b.s, b.row); unsold != "" {
		head += l.T("comma") + unsold
	} else if date, ok := b.text("launched"); ok {
		head += l.T("card.announced", date)
	}
	if date, ok := b.text("available"); ok {
		head += l.T("card.available", date)
	}
	var parts []string
	if memory, ok := b.withUnit("memory_gb"); ok {
		if kind, ok := b.text("memory_type"); ok {
			memory += " " + kind
		}
		parts = append(parts, memory)
	}
	if bandwidth, ok := b.withUnit("memory_bandwidth_gb_s"); ok {
		parts = append(parts, l.T("card.bandwidth", bandwidth))
	}
	if rate := display.HeadlineRate(b.facts); rate != nil {
		value, _ := b.withUnit(rate.ID)
		parts = append(parts, l.T("card.rate", value, display.Pick(l, rate.Label)))
	}
	if power, ok := b.withUnit("tdp_w"); ok {
		parts = append(parts, power)
	}
	if len(parts) == 0 {
		return head + l.T("stop")
	}
	return head + l.T("colon") + strings.Join(parts, l.T("comma")) + l.T("stop")
}

func (b *cardBuilder) tiles() []tile {
	rate := display.HeadlineRate(b.facts)
	if rate == nil {
		rate = display.MustQuantity(catalog.DefaultBasis)
	}
	memoryType, _ := b.text("memory_type")
	bus, _ := b.withUnit("memory_bus_bits")
	form, _ := b.text("form_factor")
	return []tile{
		b.tile(display.MustQuantity("memory_gb"), memoryType), b.tile(display.MustQuantity("memory_bandwidth_gb_s"), bus),
		b.tile(rate, b.efficiency(rate)), b.tile(display.MustQuantity("tdp_w"), form),
	}
}

// efficiency is the rate for each watt, where there is such a derived value.
func (b *cardBuilder) efficiency(rate *catalog.Quantity) string {
	if rate.ID != catalog.DefaultBasis {
		return ""
	}
	text, _ := b.withUnit("bf16_tflops_per_w")
	return text
}

func (b *cardBuilder) tile(q *catalog.Quantity, note string) tile {
	t := tile{Label: display.Pick(b.loc, q.Label), Unit: display.Unit(b.loc, q), Note: note, Fact: q.ID}
	var ok bool
	if t.Value, ok = b.text(q.ID); !ok {
		t.Missing = b.loc.T("missing.notstated")
	} else if catalog.BeforeSale(b.s.Standing(b.row)) {
		t.Note = strings.TrimPrefix(t.Note+" · "+b.loc.T("unsold.figure"), " · ")
	}
	t.Mark = b.mark(q, b.facts[q.ID])
	return t
}

func (b *cardBuilder) crumbs() []ui.Link {
	cards := b.loc.Path("/cards")
	crumbs := []ui.Link{{Label: b.loc.T("cards.title"), Href: cards},
		{Label: display.Vendor(b.loc, b.card.Vendor), Href: cards + "?vendor=" + url.QueryEscape(b.card.Vendor)}}
	if a := b.card.Architecture; a != "" {
		crumbs = append(crumbs, ui.Link{Label: a, Href: cards + "?vendor=" + url.QueryEscape(b.card.Vendor) + "&architecture=" + url.QueryEscape(a)})
	}
	return crumbs
}

func (b *cardBuilder) tags() []ui.Link {
	var tags []ui.Link
	for _, id := range []string{"kind", "segment", "architecture", "form_factor", "launched"} {
		q := display.MustQuantity(id)
		text, ok := b.text(id)
		if !ok {
			continue
		}
		tag := ui.Link{Label: text}
		if value, _ := b.s.Text(q, b.row); q.Kind == catalog.Category {
			tag.Href = b.loc.Path("/cards") + "?" + id + "=" + url.QueryEscape(value)
		}
		tags = append(tags, tag)
	}
	return tags
}

// plan is when a card that is not sold will be, in the words of the source of its announcement.
func (b *cardBuilder) plan() string {
	if b.s.OnSale(b.row) {
		return ""
	}
	return display.Pick(b.loc, b.facts["launched"].Shown.Note)
}

// precisions are the rows of the compute grid: name and stem of the metric ids.
var precisions = []struct{ name, stem, flag string }{
	{"FP64", "fp64", "fp64"}, {"FP32", "fp32", ""}, {"TF32", "tf32", "tf32"}, {"FP16", "fp16", "fp16"}, {"FP16", "fp16_acc16", ""},
	{"BF16", "bf16", "bf16"}, {"FP8", "fp8", "fp8"}, {"FP8", "fp8_acc16", ""}, {"FP6", "fp6", "fp6"}, {"FP4", "fp4", "fp4"},
	{"INT8", "int8", "int8"}, {"INT4", "int4", "int4"},
}

// grid is the compute of the card by precision and unit.
func (b *cardBuilder) grid() gridData {
	g := gridData{Unit: "TFLOPS"}
	largest := b.largestRate()
	mark32, sparse := "", false
	for _, p := range precisions {
		unit := "tflops"
		row := gridRow{Precision: p.name}
		if strings.HasPrefix(p.stem, "int") {
			unit, row.Unit = "tops", "TOPS"
		}
		if strings.HasSuffix(p.stem, "_acc16") {
			row.Precision = b.loc.T("grid.acc16", p.name)
		}
		row.Vector = b.gridCell(p.stem+"_vector_"+unit, p.flag, largest)
		row.Dense = b.gridCell(p.stem+"_matrix_dense_"+unit, p.flag, largest)
		row.Sparse = b.gridCell(p.stem+"_matrix_sparse_"+unit, p.flag, largest)
		if row.Vector.Value+row.Dense.Value+row.Sparse.Value == "" && b.facts[p.flag].Shown.Text != "false" {
			continue
		}
		if (p.stem == "fp16" || p.stem == "fp8") && row.Dense.Value != "" {
			mark32 = "1"
			row.Dense.Mark = mark32
		}
		sparse = sparse || row.Sparse.Value != ""
		g.Rows = append(g.Rows, row)
	}
	if mark32 != "" {
		g.Notes = append(g.Notes, b.loc.T("grid.acc32"))
	}
	if sparse {
		g.Ratio = b.loc.T("grid.sparse")
	}
	return g
}

func (b *cardBuilder) largestRate() float64 {
	most := 0.0
	for _, q := range catalog.Bases() {
		if v, ok := b.s.Number(q, b.row); ok {
			most = max(most, v)
		}
	}
	return most
}

// gridCell is one rate. A basis that the registry does not know stays blank.
func (b *cardBuilder) gridCell(id, flag string, largest float64) gridCellData {
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		return gridCellData{}
	}
	v, ok := b.s.Number(q, b.row)
	if ok {
		return gridCellData{Value: b.loc.Number(v), Fact: id, Share: v / largest, Rests: b.mark(q, b.facts[id])}
	}
	if b.facts[flag].Shown.Text == "false" {
		return gridCellData{Missing: b.loc.T("missing.unsupported")}
	}
	return gridCellData{Missing: b.loc.T("missing.notstated")}
}

func (b *cardBuilder) groups() []factGroupData {
	var groups []factGroupData
	for _, group := range display.GroupOrder {
		g := factGroupData{ID: group, Label: b.loc.T("group." + group)}
		if key := "groupnote." + group; b.loc.Has(key) {
			g.Note = b.loc.T(key)
		}
		for _, q := range catalog.Quantities() {
			if f, ok := b.facts[q.ID]; ok && q.Group == group {
				g.Facts = append(g.Facts, b.fact(q, f))
			}
		}
		if len(g.Facts) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func (b *cardBuilder) fact(q *catalog.Quantity, f catalog.Figure) factData {
	out := factData{ID: q.ID, Label: display.Pick(b.loc, q.Label), Definition: display.Pick(b.loc, q.Definition), Unit: display.Unit(b.loc, q)}
	out.Mark = b.mark(q, f)
	if f.Shown.Quantity == nil {
		out.Missing = b.loc.T("missing.superseded")
	} else {
		out.Value, out.Note = display.ShownValue(b.loc, f.Shown), display.Pick(b.loc, f.Shown.Note)
	}
	if q.Derived() {
		out.Formula = cmp.Or(b.exportFormula(q.ID), b.formula(q))
		return out
	}
	if f.Shown.Source != nil {
		out.Source = b.cite(f.Shown)
		out.Dataset = b.dataset(f.Shown.Dataset)
		out.Standing = b.standing(f.Shown)
		out.Agreement = b.agreement(f.Agreement())
		if p, ok := b.s.Physics(q, b.row); ok {
			out.Physics = b.loc.T("fact.physics", p.Formula, b.loc.Number(p.Value))
		}
	}
	for _, o := range f.Others {
		out.Others = append(out.Others, otherValue{Value: display.ShownValue(b.loc, o), Unit: display.Unit(b.loc, q), Source: b.cite(o), Dataset: b.dataset(o.Dataset),
			Note: display.Pick(b.loc, o.Note), Superseded: display.Pick(b.loc, o.Superseded),
			Standing: b.standing(o)})
	}
	out.Conflict = conflicts(f)
	return out
}

func (b *cardBuilder) standing(v catalog.Value) standingData {
	return standingData{b.loc.T("figurestanding." + string(v.Standing)),
		b.loc.T("figurestandingtext." + string(v.Standing))}
}

// agreement says how many sources give a value and which origins they have; nothing of
// one that stands alone.
func (b *cardBuilder) agreement(a catalog.Agreement) string {
	switch {
	case a.Sources < 2:
		return ""
	case len(a.Origins) == 1:
		return b.loc.T("fact.oneorigin", a.Sources, a.Of, a.Origins[0])
	}
	return b.loc.T("fact.agree", a.Sources, a.Of, strings.Join(a.Origins, b.loc.Pick(", ", "、")))
}

// dataset names a dataset, unless it is the built-in one.
func (b *cardBuilder) dataset(d *catalog.DatasetInfo) string {
	if d.ID == "builtin" {
		return ""
	}
	return display.Pick(b.loc, d.Title)
}

// cite returns the number of the value's source on this page.
func (b *cardBuilder) cite(v catalog.Value) int {
	n := b.citeSource(v.Source)
	b.citations[n-1].Figures++
	return n
}

func (b *cardBuilder) citeSource(src *catalog.SourceRef) int {
	d := &b.s.Datasets()[src.Dataset]
	key := d.ID + "/" + src.ID
	n, ok := b.numbers[key]
	if !ok {
		n = len(b.citations) + 1
		b.numbers[key] = n
		b.citations = append(b.citations, citation{Number: n, Publisher: src.Publisher, Title: src.Title, URL: src.URL, Kind: string(src.Kind),
			Published: string(src.Published), Retrieved: string(src.Retrieved), Dataset: b.dataset(d), Href: display.SourceHref(b.loc, d, src)})
	}
	return n
}

var quantityID = regexp.MustCompile(`[a-z][a-z0-9]*(_[a-z0-9]+)+`)

// formula is the arithmetic of a derived value with the card's numbers in it.
func (b *cardBuilder) formula(q *catalog.Quantity) string {
	return quantityID.ReplaceAllStringFunc(q.Formula, func(id string) string {
		if text, ok := b.withUnit(id); ok {
			return text
		}
		return id
	})
}

// neighbours are comparisons with the cards of the same segment that are nearest
// in memory, bandwidth and compute.
func (b *cardBuilder) neighbours() []ui.Link {
	var out []ui.Link
	for _, row := range b.s.Neighbours(b.row, 6) {
		c := b.s.Card(row)
		link := ui.Link{Label: display.CardName(b.loc, c), Href: b.loc.Path("/compare") + "?card=" + b.card.ID + "&card=" + c.ID}
		if v, ok := b.s.Number(display.MustQuantity("memory_gb"), row); ok {
			link.Note = b.loc.Number(v) + " GB"
		}
		out = append(out, link)
	}
	return out
}

// measured are the rates that somebody reached on the card.
func (b *cardBuilder) measured() []measuredData {
	var out []measuredData
	for _, m := range b.s.Measured(b.row) {
		row := measuredData{Label: display.Pick(b.loc, m.Quantity.Label), Fact: m.Quantity.ID, Value: b.loc.Number(m.Number), Unit: display.Unit(b.loc, m.Quantity),
			Conditions: display.Pick(b.loc, m.Conditions), Note: display.Pick(b.loc, m.Note), Source: b.cite(m.Value), Dataset: b.dataset(m.Dataset)}
		if m.Rated > 0 {
			row.Rated, row.Share, row.Percent = b.loc.Number(m.Rated), m.Share(), b.loc.Percent(m.Share())
		}
		out = append(out, row)
	}
	return out
}

// claims are what people say of the card in words.
func (b *cardBuilder) claims() []claim {
	var out []claim
	for _, c := range b.s.ClaimsOf(b.row) {
		v := claim{ID: c.ID, Text: display.Pick(b.loc, c.Text), By: display.Pick(b.loc, c.By), Said: string(c.Said), Note: display.Pick(b.loc, c.Note)}
		if src := b.s.SourceOf(c.In, c.Source); src != nil {
			v.Source, v.Dataset = b.citeSource(src), b.dataset(&b.s.Datasets()[c.Dataset])
		}
		for _, row := range c.Rows {
			if row != b.row {
				v.Others = append(v.Others, display.CardLink(b.s, b.loc, row))
			}
		}
		out = append(out, v)
	}
	return out
}
