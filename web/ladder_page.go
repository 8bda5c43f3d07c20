package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/view"
)

// ladderFacets are the categories that the form of a ladder chooses by.
var ladderFacets = []string{"segment", "vendor", "architecture"}

// page is the ladder as HTML.
func (b *ladderBuilder) page() (answer, error) {
	t, l := b.t, b.l
	query := t.encode()
	v := view.Ladder{Layout: withAlternates(b.s.layout(b.r, b.st, view.NavLadders, query), b.r, query), Heading: t.title(l), Method: b.method(), Notes: b.notes(),
		Definition: pick(l, t.basis.Definition), Formula: t.basis.Formula, Ladders: l.Path("/ladders")}
	v.Title, v.Description = v.Heading, cmp.Or(b.describe(), v.Method)
	v.NoIndex = !b.indexed()
	v.Canonical = b.r.address(l, html, query)
	other := t.ladderQuestion
	other.cards = elsewhere(other.cards, t.snap.Pricing().Currency, l.Other())
	v.OtherPath = ladderAddress(l.Other(), &other)
	v.Image = b.image()
	v.Matched = l.T("ladders.matched", len(t.Places), t.total)
	if day := b.st.snap.Newest(); day != "" {
		v.Dated = l.T("foot.asof", string(day))
	}
	v.Export = view.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.SVG, v.PNG = b.r.address(l, asSVG, query), b.r.address(l, asPNG, query)
	if len(t.Places) > 0 {
		v.Wide, v.Narrow = string(b.wide(false).SVG(chart.InPage)), string(b.narrow().SVG(chart.InPage))
	}
	v.Tiers, v.Unplaced, v.Others = b.tiers(), b.unplaced(), b.otherBases()
	cards := b.cards()
	v.Chips, v.ClearURL = cards.chips()
	v.Form = b.form(cards)
	return rendered(v.Page())
}

// indexed reports whether search engines should keep the page: a ladder of a segment
// as it is without further choices.
func (b *ladderBuilder) indexed() bool {
	query := b.t.encode()
	return query == "" || strings.HasPrefix(query, "segment=") && !strings.Contains(query, "&")
}

// image is the address of the picture for sharing.
func (b *ladderBuilder) image() string {
	if b.s.cfg.Origin == "" || len(b.t.Places) == 0 {
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
func (b *ladderBuilder) tiers() []view.LadderTier {
	t, l := b.t, b.l
	var out []view.LadderTier
	for i := range t.Bands {
		band := &t.Bands[i]
		if band.Count == 0 {
			continue
		}
		tier := view.LadderTier{ID: "tier-" + strconv.Itoa(band.Number), Name: l.T("ladders.tier", band.Number)}
		tier.Values, tier.Shares = b.limits(band)
		for j := range t.Of(band) {
			tier.Rows = append(tier.Rows, b.row(band.First+j))
		}
		out = append(out, tier)
	}
	return out
}

func (b *ladderBuilder) row(i int) view.LadderRow {
	p := &b.t.Places[i]
	c := b.t.snap.Card(p.Row)
	out := view.LadderRow{Place: i + 1, Rank: rank(p), Name: c.Name, Vendor: c.Vendor, Href: b.href(p.Row), Value: b.withUnit(p.Value), Ratio: b.l.Ratio(p.Ratio),
		Unconfirmed: !p.Confirmed, Reference: p.ID == b.t.Reference.ID, Source: b.t.source(b.l, p.Row)}
	if n := p.To - p.From; n > 0 {
		out.Tied = b.l.T("ladders.tied", n)
	}
	return out
}

// unplaced are the cards without a place by reason.
func (b *ladderBuilder) unplaced() []view.LadderUnplaced {
	var out []view.LadderUnplaced
	entries := b.byReason()
	for i := range entries {
		reason := b.why(&entries[i])
		at := slices.IndexFunc(out, func(u view.LadderUnplaced) bool { return u.Reason == reason })
		if at < 0 {
			at = len(out)
			out = append(out, view.LadderUnplaced{Reason: reason})
		}
		out[at].Cards = append(out[at].Cards, view.Link{Label: b.name(entries[i].Row), Href: b.href(entries[i].Row)})
	}
	for i := range out {
		out[i].Count = b.l.T("count.cards", len(out[i].Cards))
	}
	return out
}

// cards makes the parts of the page that choose cards.
func (b *ladderBuilder) cards() *cardsBuilder {
	t := b.t
	return &cardsBuilder{s: t.snap, r: b.r, loc: b.l, q: t.cards, res: t.snap.Select(&t.cards, 1),
		at: func(q catalog.Query) string { return b.address(func(n *ladderQuestion) { n.cards = q }) }}
}

// address is that of the page after a change.
func (b *ladderBuilder) address(change func(*ladderQuestion)) string {
	q := b.t.ladderQuestion
	change(&q)
	return ladderAddress(b.l, &q)
}

func ladderAddress(l *locale.Locale, q *ladderQuestion) string {
	address := l.Path("/ladders/" + q.basis.ID)
	if query := q.encode(); query != "" {
		address += "?" + query
	}
	return address
}

func (b *ladderBuilder) form(cards *cardsBuilder) view.LadderForm {
	t, l := b.t, b.l
	f := view.LadderForm{Action: l.Path("/ladders"), Bases: basisOptions(l, t.snap, t.basis.ID), References: b.references(), Bands: b.bandOptions()}
	for _, facet := range cards.facets() {
		if slices.Contains(ladderFacets, facet.Param) {
			f.Facets = append(f.Facets, facet)
		}
	}
	slices.SortStableFunc(f.Facets, func(x, y view.Facet) int {
		return slices.Index(ladderFacets, x.Param) - slices.Index(ladderFacets, y.Param)
	})
	for i, c := range ladderColumns {
		o := view.Option{Value: c, Label: l.T("ladders.by." + c), Selected: t.columns == c || i == 0 && t.columns == byVendor}
		if i == 0 {
			o.Value = ""
		}
		f.Columns = append(f.Columns, o)
	}
	rest := t.cards
	rest.Filters = slices.DeleteFunc(slices.Clone(rest.Filters), func(x catalog.Filter) bool {
		return slices.Contains(ladderFacets, x.Quantity.ID) && cards.onlyPositive(x)
	})
	rest.Basis = nil
	if t.priced {
		f.Prices = priceChoices(l, t.snap.Pricing())
		rest.Pricing = catalog.Pricing{}
	}
	f.Keep = paramsOf(rest.Encode())
	return f
}

// basisOptions are the bases of which the catalogue knows a value, by group.
func basisOptions(l *locale.Locale, s *catalog.Snapshot, chosen string) []view.OptionGroup {
	var out []view.OptionGroup
	for _, basis := range ladder.Bases() {
		if basis.Quantity != nil && !basis.Priced() && s.Coverage(basis.Quantity) == 0 && basis.ID != chosen {
			continue
		}
		label := groupLabel(l, basis.Group)
		if len(out) == 0 || out[len(out)-1].Label != label {
			out = append(out, view.OptionGroup{Label: label})
		}
		g := &out[len(out)-1]
		g.Options = append(g.Options, view.Option{Value: basis.ID, Label: pick(l, basis.Label), Selected: basis.ID == chosen})
	}
	return out
}

func groupLabel(l *locale.Locale, group string) string {
	if group == "speed" {
		return l.T("ladders.speeds")
	}
	return l.T("group." + group)
}

// ladderPickable bounds the list of references.
const ladderPickable = 500

// references are the cards that can be 100 %: those on the ladder, by vendor.
func (b *ladderBuilder) references() []view.OptionGroup {
	t := b.t
	if len(t.Places) > ladderPickable {
		return nil
	}
	usual := view.Option{Label: b.l.T("ladders.usual"), Selected: t.reference == ""}
	out := []view.OptionGroup{{Options: []view.Option{usual}}}
	for i := range t.Places {
		c := t.snap.Card(t.Places[i].Row)
		at := slices.IndexFunc(out, func(g view.OptionGroup) bool { return g.Label == c.Vendor })
		if at < 0 {
			at = len(out)
			out = append(out, view.OptionGroup{Label: c.Vendor})
		}
		out[at].Options = append(out[at].Options, view.Option{Value: c.ID, Label: c.Name, Selected: c.ID == t.reference})
	}
	if row, ok := t.snap.Find(t.reference); ok && !b.placed(t.reference) {
		out[0].Options = append(out[0].Options, view.Option{Value: t.reference, Label: b.name(row), Selected: true})
	}
	return out
}

func (b *ladderBuilder) placed(id string) bool {
	_, ok := b.t.Find(id)
	return ok
}

func (b *ladderBuilder) bandOptions() []view.Option {
	var out []view.Option
	known := false
	for _, band := range bands {
		label := "×" + b.l.Number(significant(band.step, 3))
		if band.text == "" {
			label = b.l.T("ladders.sqrt2")
		}
		known = known || band.text == b.t.band
		out = append(out, view.Option{Value: band.text, Label: label, Selected: band.text == b.t.band})
	}
	if !known {
		out = append(out, view.Option{Value: b.t.band, Label: "×" + b.l.Number(b.t.step), Selected: true})
	}
	return out
}

// ladderBases are the bases that people ask for first.
var ladderBases = []string{"fp32_vector_tflops", "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "memory_bandwidth_gb_s", "memory_gb", "decode_8b", "prefill_8b", "lora_7b", "bf16_tflops_per_w", "price_per_bf16_tflops", "price_per_gb"}

// otherBases are ladders of the same cards.
func (b *ladderBuilder) otherBases() []view.Link {
	var out []view.Link
	for _, id := range ladderBases {
		basis, bad := ladder.Find(id)
		if bad != nil || basis.Quantity == nil && b.s.cfg.Advise == nil {
			continue
		}
		out = append(out, view.Link{Label: pick(b.l, basis.Label), Active: id == b.t.basis.ID, Href: b.address(func(q *ladderQuestion) { q.basis = basis })})
	}
	return out
}
