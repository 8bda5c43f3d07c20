package ladders

import (
	"slices"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// previewed is how many cards of a ladder the overview shows.
const previewed = 6

// ladderSegments are the columns of the table of all ladders; "" is all cards.
var ladderSegments = []string{"desktop", "laptop", "workstation", "mobile-workstation", "datacenter", "edge", ""}

// usualLadders are those that the overview begins with. Desktop and laptop cards from
// before 2014 and 2018 are so far below that they would push the others together; the
// filter is in the address, and goes with a click.
var usualLadders = []struct {
	id      string
	ladders []struct{ basis, query string }
}{
	{"usual", []struct{ basis, query string }{
		{"fp32_vector_tflops", "segment=desktop&launched=2014..,none"},
		{"fp32_vector_tflops", "segment=workstation"},
		{"fp32_vector_tflops", "segment=laptop,desktop&launched=2018..,none&columns=segment"},
		{"fp32_vector_tflops", "segment=mobile-workstation"},
	}},
	{"learning", []struct{ basis, query string }{
		{"bf16_matrix_dense_tflops", "segment=datacenter"},
		{"bf16_tflops_per_w", "segment=datacenter"},
		{"decode_8b", ""},
		{"lora_7b", ""},
	}},
}

// ladders answers /ladders.
func (h *Handler) ladders(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/ladders" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
		l := r.Loc
		v := laddersData{Layout: h.site.Layout(r, st, ui.NavLadders, "")}
		v.Title, v.Description = l.T("ladders.title"), l.T("ladders.lede")
		if group := h.measuredGroup(st, r); len(group.Previews) > 0 {
			v.Groups = append(v.Groups, group)
		}
		for _, g := range usualLadders {
			group := ladderGroup{ID: g.id, Title: l.T("ladders.group." + g.id), Note: l.T("ladders.groupnote." + g.id)}
			for _, x := range g.ladders {
				if p, ok := h.ladderPreview(st, r, x.basis, x.query); ok {
					group.Previews = append(group.Previews, p)
				}
			}
			if len(group.Previews) > 0 {
				v.Groups = append(v.Groups, group)
			}
		}
		for _, segment := range ladderSegments {
			v.Segments = append(v.Segments, segmentName(l, segment))
		}
		v.Bases = h.basisTable(st, l)
		return site.Rendered(v.Page())
	}}, nil
}

// measuredGroup is the ladders of what cards do, which come before those of what is rated.
func (h *Handler) measuredGroup(st *site.State, r *site.Request) ladderGroup {
	l := r.Loc
	group := ladderGroup{ID: "measured", Title: l.T("ladders.group.measured"), Note: l.T("ladders.groupnote.measured")}
	for _, basis := range ladder.Measured(st.Snap) {
		if p, ok := h.ladderPreview(st, r, basis.ID, ""); ok {
			p.Title = display.Pick(l, basis.Label)
			p.Basis = basisUnit(l, st.Snap, &basis)
			group.Previews = append(group.Previews, p)
		}
	}
	return group
}

// ladderPreview is a ladder that the program itself asks for; false where no card of
// the catalogue has a place.
func (h *Handler) ladderPreview(st *site.State, r *site.Request, basis, query string) (ladderPreviewData, bool) {
	asked := *r
	asked.Values = site.ParseQuery(query)
	q, errs := h.readParams(st, &asked, basis)
	if len(errs) > 0 {
		return ladderPreviewData{}, false // a catalogue without such cards
	}
	t, err := h.tierChart(st, q)
	if err != nil || len(t.Places) == 0 {
		return ladderPreviewData{}, false
	}
	b := &ladderBuilder{s: h, st: st, r: &asked, l: r.Loc, t: t}
	out := ladderPreviewData{
		Title: q.where(r.Loc),
		Basis: display.Pick(r.Loc, q.basis.Label),
		Href:  ladderAddress(r.Loc, &q),
		Cards: r.Loc.T("count.cards", len(t.Places)),
	}
	if u := b.unit(); u != "" {
		out.Basis += r.Loc.T("comma") + u
	}
	out.Bands = b.bandNames()
	for i := range t.Places[:min(previewed, len(t.Places))] {
		p := &t.Places[i]
		c := t.snap.Card(p.Row)
		out.Rows = append(
			out.Rows,
			ui.TopRow{
				Rank:   rank(p),
				Name:   b.shortName(c, false),
				Vendor: c.Vendor,
				Href:   b.href(p.Row),
				Value:  b.number(p.Value),
				Share:  p.Ratio / t.Places[0].Ratio,
				Detail: c.Vendor,
			},
		)
	}
	return out, true
}

// basisTable has a row for each basis that any card has a value of.
func (h *Handler) basisTable(st *site.State, l *locale.Locale) []ladderBasesData {
	snap := st.Snap.Priced(h.site.UsualPricing(l))
	var out []ladderBasesData
	for _, basis := range slices.Concat(ladder.Measured(st.Snap), ladder.Bases()) {
		counts := h.placedBySegment(st, snap, &basis)
		if counts[len(counts)-1] == 0 {
			continue
		}
		row := ladderBasis{
			Label: display.Pick(l, basis.Label),
			Title: display.Pick(l, basis.Definition),
			Unit:  basisUnit(l, snap, &basis),
		}
		for i, n := range counts {
			cell := ui.Link{}
			if n > 0 {
				cell = ui.Link{
					Label: l.Count(n),
					Note:  l.T("ladders.celllabel", row.Label, segmentName(l, ladderSegments[i]), n),
					Href:  l.Path("/ladders/" + basis.ID),
				}
				if ladderSegments[i] != "" {
					cell.Href += "?segment=" + ladderSegments[i]
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		label := groupLabel(l, basis.Group)
		if len(out) == 0 || out[len(out)-1].Label != label {
			out = append(out, ladderBasesData{Label: label})
		}
		out[len(out)-1].Rows = append(out[len(out)-1].Rows, row)
	}
	return out
}

// placedBySegment counts the cards that have a place, in the order of ladderSegments.
func (h *Handler) placedBySegment(st *site.State, snap *catalog.Snapshot, basis *ladder.Basis) []int {
	counts := make([]int, len(ladderSegments))
	count := func(segment string, n int) {
		counts[len(counts)-1] += n
		if i := slices.Index(ladderSegments, segment); i >= 0 {
			counts[i] += n
		}
	}
	if basis.Quantity != nil {
		q, _ := snap.ParseQuery(map[string][]string{basis.ID: {">0"}})
		for _, c := range snap.Facet(snap.Select(&q, 1), display.MustQuantity("segment")) {
			count(c.Value, c.Cards)
		}
		return counts
	}
	if basis.Benchmark != nil {
		for row := range reachedIn(st, basis) {
			count(snap.Card(row).Segment, 1)
		}
		return counts
	}
	speeds, err := h.speedsOf(st, basis)
	if err != nil {
		return counts
	}
	for row := range speeds {
		if speeds[row].value > 0 {
			count(snap.Card(row).Segment, 1)
		}
	}
	return counts
}
