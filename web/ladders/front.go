package ladders

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// A Front is a ladder as the start page shows it: the first cards of each band.
type Front struct {
	Title    string // "Blender 4.5 rendering, measured"
	Method   string
	Segments []ui.Link
	Bands    []FrontBand
	Count    string  // "28 of 84 cards"
	Whole    ui.Link // the ladder itself
}

// A FrontBand is a named band.
type FrontBand struct {
	ID, Name, Shares string
	Count            string // "12 cards"
	Rows             []FrontRow
}

// Class is the name of the band in styles.
func (b FrontBand) Class() string { return strings.ToLower(b.ID) }

// A FrontRow is a card of a band.
type FrontRow struct {
	Class, Name, Href   string
	Value, Ratio, Facts string
	Share               float64 // of the best
}

// fronts are the ladders of the start page: measured where enough cards of the segment were, rated for data
// centres, whose cards do not render.
var fronts = []struct{ segment, basis string }{
	{"desktop", ladder.MeasuredPrefix + "blender-4.5"}, {"workstation", ladder.MeasuredPrefix + "blender-4.5"},
	{"datacenter", catalog.DefaultBasis}, {"laptop", ladder.MeasuredPrefix + "blender-4.5"},
}

// FrontSegments are the segments that the start page switches between, the usual one first.
func FrontSegments() []string {
	var out []string
	for _, f := range fronts {
		out = append(out, f.segment)
	}
	return out
}

// Front makes the ladder of a segment, one of [FrontSegments], with at most so many cards of a band. The
// newer cards of a crowded band come first into it, because old ones are not what people buy. It has no
// bands where no card of the segment has a value.
func (h *Handler) Front(st *site.State, r *site.Request, segment string, most int) Front {
	at := max(0, slices.IndexFunc(fronts, func(f struct{ segment, basis string }) bool { return f.segment == segment }))
	asked := *r
	asked.Values = site.ParseQuery("segment=" + fronts[at].segment)
	var out Front
	for _, f := range fronts {
		link := ui.Link{
			Label:  segmentName(r.Loc, f.segment),
			Href:   r.Loc.Path("/") + "?segment=" + f.segment,
			Active: f.segment == fronts[at].segment,
		}
		if f.segment == fronts[0].segment {
			link.Href = r.Loc.Path("/")
		}
		out.Segments = append(out.Segments, link)
	}
	q, errs := h.readParams(st, &asked, fronts[at].basis)
	if len(errs) > 0 {
		if q, errs = h.readParams(st, &asked, catalog.DefaultBasis); len(errs) > 0 {
			return out // a catalogue without such cards
		}
	}
	t, err := h.tierChart(st, q)
	if err != nil || len(t.Places) == 0 {
		return out
	}
	b := &ladderBuilder{s: h, st: st, r: &asked, l: r.Loc, t: t}
	kind := "ladders.rated"
	if t.basis.Benchmark != nil {
		kind = "ladders.measuredas"
	}
	out.Title = b.l.T(kind, display.Pick(b.l, t.basis.Label))
	out.Method = b.l.T("ladders.hundred", b.shortName(t.snap.Card(t.Reference.Row), false), b.unit())
	out.Whole = ui.Link{Label: b.l.T("ladders.whole"), Href: ladderAddress(b.l, &q)}
	b.frontBands(&out, most)
	return out
}

func (b *ladderBuilder) frontBands(out *Front, most int) {
	shown := 0
	for _, n := range b.bands() {
		if n.Count == 0 || n.Low == 0 && shown > 0 {
			continue // older cards are on the whole ladder
		}
		band := FrontBand{ID: strings.ToUpper(n.ID), Name: b.l.T("ladders.bandname." + n.ID), Shares: b.shares(&n)}
		for _, i := range b.newestOf(n, most) {
			band.Rows = append(band.Rows, b.frontRow(&b.t.Places[i]))
		}
		shown += len(band.Rows)
		out.Bands = append(out.Bands, band)
	}
	out.Count = b.l.T("ladders.shown", shown, len(b.t.Places))
}

// newestOf are at most so many places of a band, the best first: the reference, then those of the newest
// generations.
func (b *ladderBuilder) newestOf(n ladder.NamedBand, most int) []int {
	var places []int
	for i := n.First; i < n.First+n.Count; i++ {
		places = append(places, i)
	}
	order := func(i int) int {
		if b.t.Places[i].ID == b.t.Reference.ID {
			return -1
		}
		return b.generation(b.t.Places[i].Row)
	}
	slices.SortStableFunc(places, func(x, y int) int { return order(x) - order(y) })
	return slices.Sorted(slices.Values(places[:min(most, len(places))]))
}

func (b *ladderBuilder) frontRow(p *ladder.Place) FrontRow {
	c := b.t.snap.Card(p.Row)
	row := FrontRow{
		Class: "g" + strconv.Itoa(b.generation(p.Row)),
		Name:  b.shortName(c, c.Vendor != "NVIDIA" && c.Vendor != "AMD" && c.Vendor != "Intel"),
		Href:  b.href(p.Row),
		Value: b.number(p.Value),
		Ratio: b.percent(p.Ratio),
		Share: p.Ratio / b.t.Places[0].Ratio,
		Facts: display.Facts(b.l, b.t.snap, p.Row, "memory_gb"),
	}
	if p.ID == b.t.Reference.ID {
		row.Class += " base"
	}
	if !p.Confirmed {
		row.Class += " hollow"
	}
	priced := b.t.snap.Priced(b.s.site.UsualPricing(b.l))
	if q, ok := priced.Quote(p.Row, catalog.OnDemand, priced.Pricing()); ok && q.Freshness.Current() {
		row.Facts = strings.TrimPrefix(row.Facts+" · "+b.l.T("ladders.perhour", display.QuoteMoney(b.l, q)), " · ")
	}
	return row
}

// Against says in a sentence how two cards compare: in the first benchmark in which both were measured, or
// else by dense BF16 where both are rated. It is empty where neither is known.
func Against(l *locale.Locale, s *catalog.Snapshot, x, y int) string {
	short := func(row int) string { return shortNames.Replace(s.Card(row).Name) }
	for _, basis := range ladder.Measured(s) {
		values := reached(s, &basis)
		a, b := values[x], values[y]
		if basis.Estimates || basis.Lower || a.Result.BenchmarkResult == nil || b.Result.BenchmarkResult == nil ||
			a.Disagree() ||
			b.Disagree() {
			continue
		}
		label := display.Pick(l, basis.Label)
		if ladder.Tied(a.Value, b.Value) {
			return l.T("ladders.against.level", label)
		}
		first, second, ratio := short(x), short(y), a.Value/b.Value
		if ratio < 1 {
			first, second, ratio = second, first, 1/ratio
		}
		return l.T("ladders.against.times", label, first, l.Ratio(display.Significant(ratio, 3)), second)
	}
	q := display.MustQuantity(catalog.DefaultBasis)
	a, known := s.Number(q, x)
	b, also := s.Number(q, y)
	if !known || !also {
		return ""
	}
	return l.T("ladders.against.rated", short(x), l.Number(a), short(y), l.Number(b), display.Unit(l, q))
}
