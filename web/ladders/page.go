package ladders

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/filterform"
	"tianti/web/site"
	"tianti/web/ui"
)

// page is the ladder as HTML.
func (b *ladderBuilder) page() (site.Answer, error) {
	v := b.view()
	return site.Rendered(v.Page())
}

// embedded is the ladder for a frame in a page of another site.
func (b *ladderBuilder) embedded() (site.Answer, error) {
	v := b.view()
	v.Canonical = ladderAddress(b.l, &b.t.params)
	return site.Rendered(v.Embedded())
}

// cited are the sources of the values of the places.
func (b *ladderBuilder) cited() display.Cited {
	t, out := b.t, display.Cited{}
	for i := range t.Places {
		switch row := t.Places[i].Row; {
		case t.basis.Benchmark != nil:
			v := t.reached[row]
			if src := t.snap.SourceOf(v.Result.In, v.Result.Source); src != nil && !v.Estimated {
				out[src] = true
			}
		case t.basis.Quantity != nil:
			out.Figures(t.snap, row, t.basis.Quantity.ID)
		}
	}
	return out
}

func (b *ladderBuilder) view() ladderData {
	t, l := b.t, b.l
	query := t.encode()
	v := ladderData{
		Layout:  site.WithAlternates(b.s.site.Layout(b.r, b.st, ui.NavLadders, query), b.r, query),
		Heading: b.finding(),
		Method:  b.method(),
		Mine:    b.mineText(),
		Foot:    b.footNotes(),
		Formula: t.basis.Formula,
		Ladders: l.Path("/ladders"),
	}
	v.Title, v.Description = v.Heading, cmp.Or(b.describe(), v.Method)
	v.NoIndex = !b.indexed()
	v.Canonical = b.r.Address(l, site.HTML, query)
	other := t.params
	other.cards = site.Elsewhere(other.cards, t.snap.Pricing().Currency, l.Other())
	v.OtherPath = ladderAddress(l.Other(), &other)
	v.Image = b.image()
	v.Matched = l.T("ladders.matched", len(t.Places), t.total)
	if day := display.DataDay(b.l, b.st.Snap); day != "" {
		v.Dated = l.T("foot.asof", day)
	}
	v.Export = ui.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.SVG, v.PNG, v.PDF = b.r.Address(
		l,
		site.AsSVG,
		query,
	), b.r.Address(
		l,
		site.AsPNG,
		query,
	), b.r.Address(
		l,
		site.AsPDF,
		query,
	)
	if len(t.Places) > 0 {
		drawing, labels := b.drawing()
		v.Drawing = string(drawing.SVG(chart.InPage))
		b.listed = min(len(t.Places), (nodesMost-nodesOfLabel*labels)/nodesOfRow)
	}
	v.OnPaper = b.cited().Lines(t.snap, l)
	v.Notes = b.notes()
	v.Bands, v.Unplaced, v.Others, v.Segments = b.list(), b.unplaced(), b.otherBases(), b.segmentLinks()
	for g := range chart.Generations {
		if text := b.legend(g, namedPage); text != "" {
			v.Legend = append(v.Legend, generationName{Class: "g" + strconv.Itoa(g), Text: text})
		}
	}
	cards := b.cards()
	v.Chips, v.ClearURL = cards.Chips()
	v.Form = b.form()
	v.Share = ui.Share{Page: v.Path, Frame: l.Path("/embed") + strings.TrimPrefix(v.Path, l.Path("")), Title: v.Heading}
	return v
}

// indexed reports whether search engines should keep the page: a ladder of a segment
// as it is without further choices.
func (b *ladderBuilder) indexed() bool {
	path := "/ladders/" + b.t.basis.ID
	if query := b.t.encode(); query != "" {
		path += "?" + query
	}
	return slices.Contains(LadderPaths(b.st.Snap, true), path)
}

// image is the address of the picture for sharing.
func (b *ladderBuilder) image() string {
	if b.s.site.Origin == "" || len(b.t.Places) == 0 {
		return ""
	}
	address := b.l.Path("/og/ladders/"+b.t.basis.ID) + ".png"
	if query := b.t.encode(); query != "" {
		address += "?" + query
	}
	return address
}

// notes say what is not as the reader may expect.
func (b *ladderBuilder) notes() []string {
	t, l := b.t, b.l
	var out []string
	if t.Replaced && t.reference != "" {
		row, _ := t.snap.Find(t.reference)
		out = append(out, l.T("ladders.replaced", b.name(row), b.name(t.Reference.Row)))
	}
	if t.total > ladderMost {
		out = append(out, l.T("ladders.cut", ladderMost, t.total))
	}
	if len(t.Places) > b.listed {
		out = append(out, l.T("ladders.listed", b.listed, len(t.Places)))
	}
	return out
}

// Elements of a page: it holds no more than browsers lay out at once, so that a list of many cards is cut.
const (
	nodesMost    = 1800
	nodesOfLabel = 5
	nodesOfRow   = 4
)

// list are the bands that have cards, in words.
func (b *ladderBuilder) list() []ladderBand {
	var out []ladderBand
	for _, n := range b.bands() {
		places := b.t.Places[n.First : n.First+n.Count]
		if n.First+len(places) > b.listed {
			places = places[:max(0, b.listed-n.First)]
		}
		if len(places) == 0 {
			continue
		}
		band := ladderBand{ID: n.ID, Name: b.l.T("ladders.bandname." + n.ID), Shares: b.shares(&n), Folded: n.Low == 0,
			Count: b.l.T("count.cards", n.Count)}
		for j := range places {
			band.Rows = append(band.Rows, b.row(n.First+j))
		}
		out = append(out, band)
	}
	return out
}

func (b *ladderBuilder) row(i int) ladderRowData {
	p := &b.t.Places[i]
	c := b.t.snap.Card(p.Row)
	name := c.Name
	if !strings.HasPrefix(name, c.Vendor) && c.Vendor != "NVIDIA" && c.Vendor != "AMD" {
		name = display.Vendor(b.l, c.Vendor) + " " + name
	}
	out := ladderRowData{
		Class: "g" + strconv.Itoa(b.generation(p.Row)),
		Name:  name,
		Href:  b.href(p.Row),
		Value: b.number(p.Value),
	}
	if p.ID == b.t.Reference.ID {
		out.Class += " base"
	}
	if p.ID == b.t.mine {
		out.Class += " mine"
	}
	details := []string{b.percent(p.Ratio), "#" + rank(p)}
	if b.t.reached[p.Row].Estimated {
		details = append(details, b.l.T("ladders.estimated"))
	} else if !p.Confirmed {
		details = append(details, b.l.T("ladders.unconfirmed"))
	}
	if !p.Confirmed {
		out.Class += " hollow"
	}
	details = append(details, display.Standing(b.l, b.t.snap, p.Row), b.t.source(b.l, p.Row).Label)
	out.Detail = strings.Join(slices.DeleteFunc(details, func(s string) bool { return s == "" }), " · ")
	return out
}

// switchSegments are the segments that a ladder is switched between, "" is all.
var switchSegments = []string{"", "desktop", "laptop", "workstation", "datacenter"}

// segmentLinks lead to the same ladder of another segment.
func (b *ladderBuilder) segmentLinks() []ui.Link {
	if b.t.basis.Estimates {
		return nil
	}
	now := strings.Join(b.t.segments(), ",")
	known := b.t.snap.Values(display.MustQuantity("segment"))
	var out []ui.Link
	for _, s := range switchSegments {
		if s != "" && !slices.Contains(known, s) {
			continue
		}
		out = append(
			out,
			ui.Link{
				Label:  segmentName(b.l, s),
				Active: s == now,
				Href:   b.address(func(q *params) { q.cards = ofSegment(q, s) }),
			},
		)
	}
	return out
}

// ofSegment are the cards of a question in another segment.
func ofSegment(q *params, segment string) catalog.Query {
	cards := q.cards
	cards.Filters = slices.DeleteFunc(
		slices.Clone(cards.Filters),
		func(f catalog.Filter) bool { return f.Quantity.ID == "segment" },
	)
	if segment != "" {
		only, _ := q.snap.ParseQuery(map[string][]string{"segment": {segment}})
		cards.Filters = append(cards.Filters, only.Filters...)
	}
	return cards
}

// unplaced are the cards without a place by reason.
func (b *ladderBuilder) unplaced() []ladderUnplacedData {
	var out []ladderUnplacedData
	entries := b.byReason()
	for i := range entries {
		reason := b.why(&entries[i])
		at := slices.IndexFunc(out, func(u ladderUnplacedData) bool { return u.Reason == reason })
		if at < 0 {
			at = len(out)
			out = append(out, ladderUnplacedData{Reason: reason})
		}
		out[at].Cards = append(out[at].Cards, b.name(entries[i].Row))
	}
	for i := range out {
		out[i].Count = b.l.T("count.cards", len(out[i].Cards))
		out[i].Names = strings.Join(out[i].Cards, b.l.T("list.separator"))
	}
	return out
}

// cards makes the parts of the page that choose cards.
func (b *ladderBuilder) cards() *filterform.Form {
	t := b.t
	return &filterform.Form{Snap: t.snap, Request: b.r, Query: t.cards, Result: t.snap.Select(&t.cards, 1),
		At: func(q catalog.Query) string { return b.address(func(n *params) { n.cards = q }) }}
}

// address is that of the page after a change.
func (b *ladderBuilder) address(change func(*params)) string {
	q := b.t.params
	change(&q)
	return ladderAddress(b.l, &q)
}

func ladderAddress(l *locale.Locale, q *params) string {
	address := l.Path("/ladders/" + q.basis.ID)
	if query := q.encode(); query != "" {
		address += "?" + query
	}
	return address
}

func (b *ladderBuilder) form() ladderFormData {
	t, l := b.t, b.l
	f := ladderFormData{
		Action:    l.Path("/ladders"),
		Bases:     basisOptions(l, t.snap, t.basis.ID),
		Mine:      b.cardName(t.mine),
		Reference: b.cardName(t.reference),
	}
	for i, c := range ladderColumns {
		o := ui.Option{
			Value:    c,
			Label:    l.T("ladders.by." + c),
			Selected: t.columns == c || i == 0 && t.columns == byVendor,
		}
		if i == 0 {
			o.Value = ""
		}
		f.Columns = append(f.Columns, o)
	}
	rest := t.cards
	rest.Basis = nil
	if t.priced {
		f.Prices = display.PriceChoices(l, t.snap.Pricing())
		rest.Pricing = catalog.Pricing{}
	}
	f.Keep = append(site.ParamsOf(rest.Encode()), site.ParamsOf(param("band", t.band))...)
	return f
}

// basisOptions are the bases of which the catalogue knows a value, by group.
func basisOptions(l *locale.Locale, s *catalog.Snapshot, chosen string) []ui.OptionGroup {
	var out []ui.OptionGroup
	for _, basis := range slices.Concat(ladder.Measured(s), ladder.Bases()) {
		if basis.Quantity != nil && !basis.Priced() && s.Coverage(basis.Quantity) == 0 && basis.ID != chosen {
			continue
		}
		label := groupLabel(l, basis.Group)
		if len(out) == 0 || out[len(out)-1].Label != label {
			out = append(out, ui.OptionGroup{Label: label})
		}
		g := &out[len(out)-1]
		g.Options = append(
			g.Options,
			ui.Option{Value: basis.ID, Label: display.Pick(l, basis.Label), Selected: basis.ID == chosen},
		)
	}
	return out
}

func groupLabel(l *locale.Locale, group string) string {
	switch group {
	case "measured":
		return l.T("ladders.group.measured")
	case "speed":
		return l.T("ladders.speeds")
	}
	return l.T("group." + group)
}

// cardName is the name of a card by its id, for fields.
func (b *ladderBuilder) cardName(id string) string {
	if row, ok := b.t.snap.Find(id); ok {
		return b.t.snap.Card(row).Name
	}
	return ""
}

// ladderBases are the bases that people ask for first.
var ladderBases = []string{
	"fp32_vector_tflops",
	"bf16_matrix_dense_tflops",
	"fp16_matrix_dense_tflops",
	"memory_bandwidth_gb_s",
	"memory_gb",
	"decode_8b",
	"prefill_8b",
	"lora_7b",
	"bf16_tflops_per_w",
	"price_per_bf16_tflops",
	"price_per_gb",
}

// tabBases are those of them that every ladder leads to; the others are in its form.
var tabBases = []string{
	"fp32_vector_tflops",
	"bf16_matrix_dense_tflops",
	"memory_bandwidth_gb_s",
	"memory_gb",
	"decode_8b",
	"lora_7b",
}

// otherBases are ladders of the same cards.
func (b *ladderBuilder) otherBases() []ui.Link {
	var out []ui.Link
	for _, basis := range ladder.Measured(b.t.snap) {
		out = append(
			out,
			ui.Link{
				Label:  display.Pick(b.l, basis.Label),
				Active: basis.ID == b.t.basis.ID,
				Href:   b.address(func(q *params) { q.basis = basis }),
			},
		)
	}
	for _, id := range tabBases {
		basis, bad := ladder.Find(id)
		if bad != nil || basis.Quantity == nil && b.s.site.NewEstimator == nil {
			continue
		}
		out = append(
			out,
			ui.Link{
				Label:  display.Pick(b.l, basis.Label),
				Active: id == b.t.basis.ID,
				Href:   b.address(func(q *params) { q.basis = basis }),
			},
		)
	}
	return out
}
