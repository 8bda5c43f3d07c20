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

// ladderFacets are the categories that the form of a ladder chooses by.
var ladderFacets = []string{"segment", "vendor", "architecture", "standing"}

// page is the ladder as HTML.
func (b *ladderBuilder) page() (site.Answer, error) {
	t, l := b.t, b.l
	query := t.encode()
	v := ladderData{Layout: site.WithAlternates(b.s.site.Layout(b.r, b.st, ui.NavLadders, query), b.r, query), Heading: t.title(l), Method: b.method(), Notes: b.notes(),
		Definition: display.Pick(l, t.basis.Definition), Formula: t.basis.Formula, Ladders: l.Path("/ladders")}
	v.Title, v.Description = v.Heading, cmp.Or(b.describe(), v.Method)
	v.NoIndex = !b.indexed()
	v.Canonical = b.r.Address(l, site.HTML, query)
	other := t.params
	other.cards = site.Elsewhere(other.cards, t.snap.Pricing().Currency, l.Other())
	v.OtherPath = ladderAddress(l.Other(), &other)
	v.Image = b.image()
	v.Matched = l.T("ladders.matched", len(t.Places), t.total)
	if day := b.st.Snap.Newest(); day != "" {
		v.Dated = l.T("foot.asof", string(day))
	}
	v.Export = ui.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.SVG, v.PNG = b.r.Address(l, site.AsSVG, query), b.r.Address(l, site.AsPNG, query)
	if len(t.Places) > 0 {
		v.Wide, v.Narrow = string(b.wide(false).SVG(chart.InPage)), string(b.narrow().SVG(chart.InPage))
	}
	v.Tiers, v.Unplaced, v.Others = b.tiers(), b.unplaced(), b.otherBases()
	cards := b.cards()
	v.Chips, v.ClearURL = cards.Chips()
	v.Form = b.form(cards)
	return site.Rendered(v.Page())
}

// indexed reports whether search engines should keep the page: a ladder of a segment
// as it is without further choices.
func (b *ladderBuilder) indexed() bool {
	query := b.t.encode()
	return query == "" || strings.HasPrefix(query, "segment=") && !strings.Contains(query, "&")
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
	if len(t.Places) > drawnMost {
		out = append(out, l.T("ladders.drawn", drawnMost))
	}
	return out
}

// tiers are the bands that have cards.
func (b *ladderBuilder) tiers() []ladderTier {
	t, l := b.t, b.l
	var out []ladderTier
	for i := range t.Bands {
		band := &t.Bands[i]
		if band.Count == 0 {
			continue
		}
		tier := ladderTier{ID: "tier-" + strconv.Itoa(band.Number), Name: l.T("ladders.tier", band.Number)}
		tier.Values, tier.Shares = b.limits(band)
		for j := range t.Of(band) {
			tier.Rows = append(tier.Rows, b.row(band.First+j))
		}
		out = append(out, tier)
	}
	return out
}

func (b *ladderBuilder) row(i int) ladderRowData {
	p := &b.t.Places[i]
	c := b.t.snap.Card(p.Row)
	out := ladderRowData{Place: i + 1, Rank: rank(p), Name: c.Name, Vendor: c.Vendor, Href: b.href(p.Row), Value: b.withUnit(p.Value), Ratio: b.l.Ratio(p.Ratio),
		Unconfirmed: !p.Confirmed && !b.t.reached[p.Row].Estimated, Estimated: b.t.reached[p.Row].Estimated, Unsold: display.Standing(b.l, b.t.snap, p.Row), Reference: p.ID == b.t.Reference.ID, Source: b.t.source(b.l, p.Row)}
	if n := p.To - p.From; n > 0 {
		out.Tied = b.l.T("ladders.tied", n)
	}
	return out
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
		out[at].Cards = append(out[at].Cards, ui.Link{Label: b.name(entries[i].Row), Href: b.href(entries[i].Row)})
	}
	for i := range out {
		out[i].Count = b.l.T("count.cards", len(out[i].Cards))
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

func (b *ladderBuilder) form(cards *filterform.Form) ladderFormData {
	t, l := b.t, b.l
	f := ladderFormData{Action: l.Path("/ladders"), Bases: basisOptions(l, t.snap, t.basis.ID), References: b.references(), Bands: b.bandOptions()}
	for _, facet := range cards.Facets() {
		if slices.Contains(ladderFacets, facet.Param) {
			f.Facets = append(f.Facets, facet)
		}
	}
	slices.SortStableFunc(f.Facets, func(x, y ui.Facet) int {
		return slices.Index(ladderFacets, x.Param) - slices.Index(ladderFacets, y.Param)
	})
	for i, c := range ladderColumns {
		o := ui.Option{Value: c, Label: l.T("ladders.by." + c), Selected: t.columns == c || i == 0 && t.columns == byVendor}
		if i == 0 {
			o.Value = ""
		}
		f.Columns = append(f.Columns, o)
	}
	rest := t.cards
	rest.Filters = slices.DeleteFunc(slices.Clone(rest.Filters), func(x catalog.Filter) bool {
		return slices.Contains(ladderFacets, x.Quantity.ID) && cards.OnlyPositive(x)
	})
	rest.Basis = nil
	if t.priced {
		f.Prices = display.PriceChoices(l, t.snap.Pricing())
		rest.Pricing = catalog.Pricing{}
	}
	f.Keep = site.ParamsOf(rest.Encode())
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
		g.Options = append(g.Options, ui.Option{Value: basis.ID, Label: display.Pick(l, basis.Label), Selected: basis.ID == chosen})
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

// ladderPickable bounds the list of references.
const ladderPickable = 500

// references are the cards that can be 100 %: those on the ladder, by vendor.
func (b *ladderBuilder) references() []ui.OptionGroup {
	t := b.t
	if len(t.Places) > ladderPickable {
		return nil
	}
	usual := ui.Option{Label: b.l.T("ladders.usual"), Selected: t.reference == ""}
	out := []ui.OptionGroup{{Options: []ui.Option{usual}}}
	for i := range t.Places {
		c := t.snap.Card(t.Places[i].Row)
		at := slices.IndexFunc(out, func(g ui.OptionGroup) bool { return g.Label == c.Vendor })
		if at < 0 {
			at = len(out)
			out = append(out, ui.OptionGroup{Label: c.Vendor})
		}
		out[at].Options = append(out[at].Options, ui.Option{Value: c.ID, Label: c.Name, Selected: c.ID == t.reference})
	}
	if row, ok := t.snap.Find(t.reference); ok && !b.placed(t.reference) {
		out[0].Options = append(out[0].Options, ui.Option{Value: t.reference, Label: b.name(row), Selected: true})
	}
	return out
}

func (b *ladderBuilder) placed(id string) bool {
	_, ok := b.t.Find(id)
	return ok
}

func (b *ladderBuilder) bandOptions() []ui.Option {
	var out []ui.Option
	known := false
	for _, band := range bands {
		label := "×" + b.l.Number(display.Significant(band.step, 3))
		if band.text == "" {
			label = b.l.T("ladders.sqrt2")
		}
		known = known || band.text == b.t.band
		out = append(out, ui.Option{Value: band.text, Label: label, Selected: band.text == b.t.band})
	}
	if !known {
		out = append(out, ui.Option{Value: b.t.band, Label: "×" + b.l.Number(b.t.step), Selected: true})
	}
	return out
}

// ladderBases are the bases that people ask for first.
var ladderBases = []string{"fp32_vector_tflops", "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "memory_bandwidth_gb_s", "memory_gb", "decode_8b", "prefill_8b", "lora_7b", "bf16_tflops_per_w", "price_per_bf16_tflops", "price_per_gb"}

// otherBases are ladders of the same cards.
func (b *ladderBuilder) otherBases() []ui.Link {
	var out []ui.Link
	for _, basis := range ladder.Measured(b.t.snap) {
		out = append(out, ui.Link{Label: display.Pick(b.l, basis.Label), Active: basis.ID == b.t.basis.ID, Href: b.address(func(q *params) { q.basis = basis })})
	}
	for _, id := range ladderBases {
		basis, bad := ladder.Find(id)
		if bad != nil || basis.Quantity == nil && b.s.site.NewEstimator == nil {
			continue
		}
		out = append(out, ui.Link{Label: display.Pick(b.l, basis.Label), Active: id == b.t.basis.ID, Href: b.address(func(q *params) { q.basis = basis })})
	}
	return out
}
