package ladders

import (
	"strconv"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// reachedKey is where a catalogue has the values of a measured basis.
type reachedKey struct{ basis string }

// reachedIn are the values of a measured basis, computed once for each catalogue.
func reachedIn(st *site.State, b *ladder.Basis) map[int]ladder.MeasuredValue {
	return reached(st.Snap, b)
}

func reached(s *catalog.Snapshot, b *ladder.Basis) map[int]ladder.MeasuredValue {
	return catalog.Derived(s, reachedKey{b.ID}, b.MeasuredValues)
}

// reachedEntry is what a card reached, or what it is estimated to reach.
func (t *tierChart) reachedEntry(e ladder.Entry) ladder.Entry {
	v, ok := t.reached[e.Row]
	switch {
	case ok && v.Disagree():
		e.Reason = ladder.Disagree
	case ok:
		src := t.snap.SourceOf(v.Result.In, v.Result.Source)
		e.Value, e.Confirmed = v.Value, !v.Estimated && src != nil && src.Kind != catalog.Community
	case !t.snap.OnSale(e.Row):
		e.Reason = ladder.NotSold
	default:
		e.Reason = ladder.NotMeasured
	}
	return e
}

// reachedSource says of how many runs a value is, and how far they are apart.
func (t *tierChart) reachedSource(l *locale.Locale, row int) ui.Link {
	v := t.reached[row]
	if v.Estimated {
		return ui.Link{Label: estimatedFrom(l, t.snap, &v), Href: l.Path("/methodology") + "#ladders"}
	}
	src := t.snap.SourceOf(v.Result.In, v.Result.Source)
	if src == nil {
		return ui.Link{}
	}
	in := &t.snap.Datasets()[src.Dataset]
	return ui.Link{Label: runsText(l, &v.Result), Note: src.Title, Href: display.SourceHref(l, in, src)}
}

// estimatedFrom says what a value is estimated from.
func estimatedFrom(l *locale.Locale, s *catalog.Snapshot, v *ladder.MeasuredValue) string {
	if v.Kin == 0 {
		return l.T("ladders.estimatedchip", s.Card(v.Sibling).Name)
	}
	return l.T("ladders.estimatedfrom", v.Kin)
}

// runsText is of what runs a result is: "OptiX, median of 120 runs, 3 400–3 600".
func runsText(l *locale.Locale, r *catalog.ResultInfo) string {
	text := l.T("ladders.runs", r.Runs)
	if r.With != "" {
		text = r.With + l.T("comma") + text
	}
	if r.Low > 0 {
		text += l.T("comma") + l.Number(display.Significant(r.Low, 4)) + "–" +
			l.Number(display.Significant(r.High, 4))
	}
	return text
}

// reachedJSON is what the API tells of a value beyond its place.
func (t *tierChart) reachedJSON(row int) *api.LadderRuns {
	v, ok := t.reached[row]
	if !ok {
		return nil
	}
	if v.Estimated {
		return &api.LadderRuns{Estimated: true, Kin: max(1, v.Kin)}
	}
	out := &api.LadderRuns{Runs: v.Result.Runs, With: v.Result.With, Date: string(v.Result.Date),
		Source: v.Result.Source}
	if v.Result.Low > 0 {
		out.Spread = &api.LadderSpread{Low: v.Result.Low, High: v.Result.High}
	}
	return out
}

// runsColumns are those of files of a measured ladder.
func (b *ladderBuilder) runsColumns() []site.Column[line] {
	of := func(write func(*catalog.BenchmarkResult) string) func(line) string {
		return func(r line) string {
			v, ok := b.t.reached[r.row]
			if !ok || v.Estimated {
				return ""
			}
			return write(v.Result.BenchmarkResult)
		}
	}
	spread := func(v float64) string {
		if v == 0 {
			return ""
		}
		return api.Number(v)
	}
	return []site.Column[line]{
		site.Exact("n", of(func(r *catalog.BenchmarkResult) string { return strconv.Itoa(r.Runs) })),
		site.Exact("low", of(func(r *catalog.BenchmarkResult) string { return spread(r.Low) })),
		site.Exact("high", of(func(r *catalog.BenchmarkResult) string { return spread(r.High) })),
		site.Exact("with", of(func(r *catalog.BenchmarkResult) string { return r.With })),
		site.Exact("estimated", func(r line) string { return strconv.FormatBool(b.t.reached[r.row].Estimated) }),
	}
}

// A MeasuredPlace is where a card stands on a measured ladder, among its neighbours.
type MeasuredPlace struct {
	Ladder ui.Link // with the value in its note
	Place  string
	Detail string     // of what runs the value is
	Near   []NearCard // five above and five below, with the card itself
	Best   *Best      // what it is of the best; nil where that cannot be said
	First  bool       // it alone was measured best
}

// MeasuredPlaces are the places of a card on all measured ladders, among all their cards.
func MeasuredPlaces(l *locale.Locale, s *catalog.Snapshot, row int) []MeasuredPlace {
	var out []MeasuredPlace
	for _, b := range ladder.Measured(s) {
		whole := func(s *catalog.Snapshot) ladder.Ladder { return wholeLadder(s, &b) }
		chart := catalog.Derived(s, placesKey{b.ID}, whole)
		if i, ok := chart.Find(s.Card(row).ID); ok {
			out = append(out, measuredPlace(l, s, &b, &chart, i))
		}
	}
	return out
}

// placesKey is where a catalogue has the ladder of a measured basis.
type placesKey struct{ basis string }

func wholeLadder(s *catalog.Snapshot, b *ladder.Basis) ladder.Ladder {
	var entries []ladder.Entry
	for row, v := range reached(s, b) {
		if v.Disagree() {
			continue
		}
		entries = append(entries, ladder.Entry{Row: row, ID: s.Card(row).ID, Value: v.Value})
	}
	return ladder.Make(entries, ladder.Options{Lower: b.Lower})
}

func measuredPlace(l *locale.Locale, s *catalog.Snapshot, b *ladder.Basis, chart *ladder.Ladder, i int) MeasuredPlace {
	p := &chart.Places[i]
	v := reached(s, b)[p.Row]
	out := MeasuredPlace{Place: l.T("ladders.placeof", rank(p), len(chart.Places)),
		Near: near(l, s, b, chart, i), Best: best(l, s, b, chart, i),
		Ladder: ui.Link{Label: display.Pick(l, b.Label), Href: l.Path("/ladders/"+b.ID) + "?reference=" + p.ID,
			Note: l.Number(p.Value) + " " + basisUnit(l, s, b)}}
	out.First = p.From == 1 && p.To == 1 && !v.Estimated && len(chart.Places) > 1
	if v.Estimated {
		out.Detail = estimatedFrom(l, s, &v)
	} else {
		out.Detail = runsText(l, &v.Result)
	}
	return out
}
