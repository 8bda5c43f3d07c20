package web

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
	"tianti/web/view"
)

// card answers /cards/{id} in all formats.
func (s *Server) card(st *state, r *request) (plan, error) {
	id, ok := strings.CutPrefix(r.path, "/cards/")
	if !ok {
		return s.notFound(st, r)
	}
	if err := r.onlyOfCard(); err != nil {
		return plan{}, err
	}
	row, ok := st.snap.Find(id)
	if !ok {
		return plan{}, api.UnknownCard(st.snap, id)
	}
	q, err := s.cardQuestion(st, r, row)
	if err != nil {
		return plan{}, err
	}
	render := map[format]func() (answer, error){
		html:     func() (answer, error) { return s.cardPage(st, r, row, q) },
		asJSON:   func() (answer, error) { return jsonAnswer(api.Detail(st.snap, row, s.usualPricing(r.loc))) },
		asCSV:    func() (answer, error) { return csvAnswer(factRows(st.snap, row), id), nil },
		markdown: func() (answer, error) { return s.cardMarkdown(st, r, row, q) },
	}[r.format]
	if r.format != html && r.format != markdown {
		return plan{key: r.address(r.loc, r.format, ""), render: render, dated: r.format == asJSON}, nil
	}
	return plan{key: r.address(r.loc, r.format, joinQuery(q.exportQuery, q.better.encode())), render: render, dated: true}, nil // prices are judged as of today
}

// onlyOfCard checks the parameters of a card's page and of its document. Its other
// formats have none.
func (r *request) onlyOfCard() error {
	switch r.format {
	case html:
		return r.besides("better").only(slices.Concat(questionParams, betterParams)...)
	case markdown:
		return r.besides("better").only(betterParams...)
	}
	return r.only()
}

// cardQuestion is what the sections of a card's page are asked.
type cardQuestion struct {
	export      exportcontrol.Question
	exportQuery string // empty where it is the usual one
	better      betterChoice
}

func (s *Server) cardQuestion(st *state, r *request, row int) (cardQuestion, error) {
	var q cardQuestion
	var errs, more []catalog.ParamError
	q.export, errs = s.question(r.values)
	q.better, more = s.better(st, r, row)
	if errs = append(errs, more...); len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	if q.exportQuery = questionQuery(q.export); s.usual(q.exportQuery) {
		q.exportQuery = ""
	}
	return q, nil
}

// joinQuery joins parts of a query of which some may be empty.
func joinQuery(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "&")
}

func jsonAnswer(v any) (answer, error) {
	return answer{contentType: "application/json", body: api.Encode(v)}, nil
}

func (s *Server) cardPage(st *state, r *request, row int, q cardQuestion) (answer, error) {
	v := s.cardView(st, r, row, q)
	present := s.here(r.Context(), st.snap, 0)
	v.Here = present.link(r.loc, row)
	a, err := rendered(v.Page())
	return s.ofHere(a, present), err
}

func (s *Server) cardView(st *state, r *request, row int, q cardQuestion) view.Card {
	c := st.snap.Card(row)
	b := &cardBuilder{s: st.snap, loc: r.loc, row: row, card: c, facts: st.snap.Facts(row), numbers: map[string]int{}}
	v := view.Card{Layout: withAlternates(s.layout(r, st, view.NavCards, joinQuery(q.exportQuery, q.better.encode())), r, ""), ID: c.ID, Name: c.Name, Vendor: c.Vendor,
		Aliases: c.Aliases, PCIIDs: c.PCIIDs, CompareURL: r.loc.Path("/compare") + "?card=" + c.ID}
	if s.cfg.Intake != nil && s.administered() && !s.cfg.ReadOnly {
		v.CorrectURL = r.loc.Path("/admin/cards/" + c.ID + "/figures")
	}
	v.Summary = b.summary()
	v.Title, v.Description = c.Vendor+" "+c.Name, c.Vendor+" "+c.Name+r.loc.T("colon")+v.Summary
	v.Crumbs = b.crumbs()
	v.Tags = b.tags()
	v.Grid = b.grid()
	v.Groups = b.groups()
	v.Tiles = b.tiles()
	v.Image = r.loc.Path("/og/cards/" + c.ID + ".png")
	v.Export = s.cardExport(st, r, row, q.export)
	v.Fits = s.cardFits(st, r.loc, c.ID)
	v.Roofline = cardRoofline(r.loc, st.snap, row)
	v.NoIndex = q.exportQuery+q.better.encode() != ""
	v.Quotes = b.quotes(q.better.pricing)
	v.Better = b.better(&q.better, q.exportQuery)
	v.Measured = b.measured()
	v.Claims = b.claims()
	v.Sources = b.citations
	v.Neighbours = b.neighbours()
	v.Ladders = cardLadders(r.loc, st.snap, row)
	return v
}

// cardBuilder makes the parts of a card's page.
type cardBuilder struct {
	s         *catalog.Snapshot
	loc       *locale.Locale
	row       int
	card      *catalog.Card
	facts     map[string]catalog.Figure
	citations []view.Citation
	numbers   map[string]int // of citations, by source key
}

func (b *cardBuilder) text(id string) (string, bool) {
	return display(b.loc, b.s, mustQuantity(id), b.row)
}

// withUnit is a value with its unit: "80 GB".
func (b *cardBuilder) withUnit(id string) (string, bool) {
	text, ok := b.text(id)
	if unit := unit(b.loc, mustQuantity(id)); ok && unit != "" {
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
	if date, ok := b.text("launched"); ok {
		head += l.T("card.announced", date)
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
	if rate := b.headlineRate(); rate != nil {
		value, _ := b.withUnit(rate.ID)
		parts = append(parts, l.T("card.rate", value, pick(l, rate.Label)))
	}
	if power, ok := b.withUnit("tdp_w"); ok {
		parts = append(parts, power)
	}
	if len(parts) == 0 {
		return head + l.T("stop")
	}
	return head + l.T("colon") + strings.Join(parts, l.T("comma")) + l.T("stop")
}

// headlineRate is the compute rate that stands for the card: dense BF16, or the
// nearest thing to it that a source states.
func (b *cardBuilder) headlineRate() *catalog.Quantity {
	for _, id := range []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "fp16_acc16_matrix_dense_tflops", "fp8_matrix_dense_tflops",
		"int8_matrix_dense_tops", "fp16_vector_tflops", "fp32_vector_tflops"} {
		if q := mustQuantity(id); b.facts[id].Shown.Quantity != nil {
			return q
		}
	}
	return nil
}

func (b *cardBuilder) tiles() []view.Tile {
	rate := b.headlineRate()
	if rate == nil {
		rate = mustQuantity(catalog.DefaultBasis)
	}
	memoryType, _ := b.text("memory_type")
	bus, _ := b.withUnit("memory_bus_bits")
	form, _ := b.text("form_factor")
	return []view.Tile{
		b.tile(mustQuantity("memory_gb"), memoryType), b.tile(mustQuantity("memory_bandwidth_gb_s"), bus),
		b.tile(rate, b.efficiency(rate)), b.tile(mustQuantity("tdp_w"), form),
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

func (b *cardBuilder) tile(q *catalog.Quantity, note string) view.Tile {
	t := view.Tile{Label: pick(b.loc, q.Label), Unit: unit(b.loc, q), Note: note, Fact: q.ID}
	var ok bool
	if t.Value, ok = b.text(q.ID); !ok {
		t.Missing = b.loc.T("missing.notstated")
	}
	return t
}

func (b *cardBuilder) crumbs() []view.Link {
	cards := b.loc.Path("/cards")
	crumbs := []view.Link{{Label: b.loc.T("cards.title"), Href: cards},
		{Label: b.card.Vendor, Href: cards + "?vendor=" + url.QueryEscape(b.card.Vendor)}}
	if a := b.card.Architecture; a != "" {
		crumbs = append(crumbs, view.Link{Label: a, Href: cards + "?vendor=" + url.QueryEscape(b.card.Vendor) + "&architecture=" + url.QueryEscape(a)})
	}
	return crumbs
}

func (b *cardBuilder) tags() []view.Link {
	var tags []view.Link
	for _, id := range []string{"kind", "segment", "architecture", "form_factor", "launched"} {
		q := mustQuantity(id)
		text, ok := b.text(id)
		if !ok {
			continue
		}
		tag := view.Link{Label: text}
		if value, _ := b.s.Text(q, b.row); q.Kind == catalog.Category {
			tag.Href = b.loc.Path("/cards") + "?" + id + "=" + url.QueryEscape(value)
		}
		tags = append(tags, tag)
	}
	return tags
}

// precisions are the rows of the compute grid: name and stem of the metric ids.
var precisions = []struct{ name, stem, flag string }{
	{"FP64", "fp64", "fp64"}, {"FP32", "fp32", ""}, {"TF32", "tf32", "tf32"}, {"FP16", "fp16", "fp16"}, {"FP16", "fp16_acc16", ""},
	{"BF16", "bf16", "bf16"}, {"FP8", "fp8", "fp8"}, {"FP8", "fp8_acc16", ""}, {"FP6", "fp6", "fp6"}, {"FP4", "fp4", "fp4"},
	{"INT8", "int8", "int8"}, {"INT4", "int4", "int4"},
}

// grid is the compute of the card by precision and unit.
func (b *cardBuilder) grid() view.Grid {
	g := view.Grid{Unit: "TFLOPS"}
	largest := b.largestRate()
	mark32, sparse := "", false
	for _, p := range precisions {
		unit := "tflops"
		row := view.GridRow{Precision: p.name}
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
func (b *cardBuilder) gridCell(id, flag string, largest float64) view.GridCell {
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		return view.GridCell{}
	}
	v, ok := b.s.Number(q, b.row)
	if ok {
		return view.GridCell{Value: b.loc.Number(v), Fact: id, Share: v / largest}
	}
	if b.facts[flag].Shown.Text == "false" {
		return view.GridCell{Missing: b.loc.T("missing.unsupported")}
	}
	return view.GridCell{Missing: b.loc.T("missing.notstated")}
}

// groupOrder is the order of the tables of facts.
var groupOrder = []string{"compute", "memory", "interconnect", "power", "chip", "form", "features", "export", "derived"}

func (b *cardBuilder) groups() []view.FactGroup {
	var groups []view.FactGroup
	for _, group := range groupOrder {
		g := view.FactGroup{ID: group, Label: b.loc.T("group." + group)}
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

func (b *cardBuilder) fact(q *catalog.Quantity, f catalog.Figure) view.Fact {
	out := view.Fact{ID: q.ID, Label: pick(b.loc, q.Label), Definition: pick(b.loc, q.Definition), Unit: unit(b.loc, q)}
	if f.Shown.Quantity == nil {
		out.Missing = b.loc.T("missing.superseded")
	} else {
		out.Value, out.Note = shownValue(b.loc, f.Shown), pick(b.loc, f.Shown.Note)
	}
	if q.Derived() {
		out.Formula = cmp.Or(b.exportFormula(q.ID), b.formula(q))
		return out
	}
	if f.Shown.Source != nil {
		out.Source = b.cite(f.Shown)
		out.Dataset = b.dataset(f.Shown.Dataset)
	}
	for _, o := range f.Others {
		out.Others = append(out.Others, view.OtherValue{Value: shownValue(b.loc, o), Unit: unit(b.loc, q), Source: b.cite(o), Dataset: b.dataset(o.Dataset),
			Note: pick(b.loc, o.Note), Superseded: pick(b.loc, o.Superseded)})
		out.Conflict = out.Conflict || o.Superseded.IsZero() && f.Shown.Quantity != nil && o.Disagrees(f.Shown)
	}
	return out
}

// dataset names a dataset, unless it is the built-in one.
func (b *cardBuilder) dataset(d *catalog.DatasetInfo) string {
	if d.ID == "builtin" {
		return ""
	}
	return pick(b.loc, d.Title)
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
		b.citations = append(b.citations, view.Citation{Number: n, Publisher: src.Publisher, Title: src.Title, URL: src.URL, Kind: string(src.Kind),
			Published: string(src.Published), Retrieved: string(src.Retrieved), Dataset: b.dataset(d), Href: sourceHref(b.loc, d, src)})
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
func (b *cardBuilder) neighbours() []view.Link {
	var out []view.Link
	for _, row := range b.s.Neighbours(b.row, 6) {
		c := b.s.Card(row)
		link := view.Link{Label: c.Vendor + " " + c.Name, Href: b.loc.Path("/compare") + "?card=" + b.card.ID + "&card=" + c.ID}
		if v, ok := b.s.Number(mustQuantity("memory_gb"), row); ok {
			link.Note = b.loc.Number(v) + " GB"
		}
		out = append(out, link)
	}
	return out
}

// measured are the rates that somebody reached on the card.
func (b *cardBuilder) measured() []view.Measured {
	var out []view.Measured
	for _, m := range b.s.Measured(b.row) {
		row := view.Measured{Label: pick(b.loc, m.Quantity.Label), Fact: m.Quantity.ID, Value: b.loc.Number(m.Number), Unit: unit(b.loc, m.Quantity),
			Conditions: pick(b.loc, m.Conditions), Note: pick(b.loc, m.Note), Source: b.cite(m.Value), Dataset: b.dataset(m.Dataset)}
		if m.Rated > 0 {
			row.Rated, row.Share, row.Percent = b.loc.Number(m.Rated), m.Share(), b.loc.Percent(m.Share())
		}
		out = append(out, row)
	}
	return out
}

// claims are what people say of the card in words.
func (b *cardBuilder) claims() []view.Claim {
	var out []view.Claim
	for _, c := range b.s.ClaimsOf(b.row) {
		v := view.Claim{ID: c.ID, Text: pick(b.loc, c.Text), By: pick(b.loc, c.By), Said: string(c.Said), Note: pick(b.loc, c.Note)}
		if src := b.s.SourceOf(c.In, c.Source); src != nil {
			v.Source, v.Dataset = b.citeSource(src), b.dataset(&b.s.Datasets()[c.Dataset])
		}
		for _, row := range c.Rows {
			if row != b.row {
				v.Others = append(v.Others, cardLink(b.s, b.loc, row))
			}
		}
		out = append(out, v)
	}
	return out
}
