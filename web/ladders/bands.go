package ladders

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/display"
)

// namedStep is the ratio of a named band: that of the address, or two.
func (t *tierChart) namedStep() float64 {
	if t.step > 0 {
		return t.step
	}
	return ladder.NamedStep
}

// bands are the named bands of the ladder.
func (b *ladderBuilder) bands() []ladder.NamedBand {
	step := b.t.namedStep()
	return b.t.Named(b.t.Top(b.t.flagship, b.t.flagshipKnown, step), step)
}

// bandNames are the bands that hold a card, with their limits and how many.
func (b *ladderBuilder) bandNames() []FrontBand {
	var out []FrontBand
	for _, n := range b.bands() {
		if n.Count > 0 {
			out = append(out, FrontBand{
				ID: strings.ToUpper(n.ID), Name: b.l.T("ladders.bandname." + n.ID), Shares: b.shares(&n),
				Count: b.l.T("count.cards", n.Count),
			})
		}
	}
	return out
}

// percent is a ratio in per cent: whole, and with two digits below ten.
func (b *ladderBuilder) percent(ratio float64) string {
	if ratio >= 0.1 {
		return b.l.Percent(math.Round(ratio*100) / 100)
	}
	return b.l.Percent(display.Significant(ratio, 2))
}

// shares are the limits of a band as shares of the reference: "≥ 75 %", "38–75 %", "< 9 %".
func (b *ladderBuilder) shares(band *ladder.NamedBand) string {
	switch {
	case math.IsInf(band.High, 1):
		return "≥ " + b.percent(band.Low)
	case band.Low == 0:
		return "< " + b.percent(band.High)
	}
	return strings.TrimRight(b.percent(band.Low), "%\u00a0\u202f ") + "–" + b.percent(band.High)
}

// finding is what the ladder shows, as a sentence: who leads and by how much. It is the plain title where
// values do not say so: estimates, prices, and what only communities state.
func (b *ladderBuilder) finding() string {
	t := b.t
	if len(t.Places) < 2 || t.speeds != nil || t.Lower || t.basis.Priced() || !t.Places[0].Confirmed {
		return t.title(b.l)
	}
	first := &t.Places[0]
	label := display.Pick(b.l, t.basis.Label)
	if t.basis.Benchmark == nil {
		label = b.l.T("ladders.rated", label)
	}
	text := label + b.l.T("colon") + b.leads(first)
	if other := b.bestOfOthers(first); other != "" {
		return b.l.T("ladders.sentences", text, other)
	}
	return b.l.T("ladders.sentence", text)
}

// leads says who is first. Cards within five per cent of the first lead with it.
func (b *ladderBuilder) leads(first *ladder.Place) string {
	t := b.t
	name := func(p *ladder.Place) string { return b.shortName(t.snap.Card(p.Row), true) }
	switch n := first.To - first.From; {
	case n == 1:
		return b.l.T("ladders.lead.two", name(first), name(&t.Places[1]))
	case n > 1:
		return b.l.T("ladders.lead.many", n+1, name(first))
	}
	than, ratio := b.shortName(t.snap.Card(t.Reference.Row), true), first.Ratio
	if t.Reference.ID == first.ID {
		than, ratio = name(&t.Places[1]), first.Value/t.Places[1].Value
	}
	if ratio < 2 {
		return b.l.T("ladders.lead.percent", name(first), b.percent(ratio-1), than)
	}
	times := b.l.T("ladders.lead.fold", b.l.Number(display.Significant(ratio, 2)))
	return b.l.T("ladders.lead.times", name(first), times, than)
}

// bestOfOthers says where the first card of another vendor stands.
func (b *ladderBuilder) bestOfOthers(first *ladder.Place) string {
	t := b.t
	vendor := t.snap.Card(first.Row).Vendor
	i := slices.IndexFunc(t.Places, func(p ladder.Place) bool { return t.snap.Card(p.Row).Vendor != vendor })
	if i < 0 || !t.Places[i].Confirmed || t.Places[i].From <= first.To {
		return ""
	}
	c := t.snap.Card(t.Places[i].Row)
	return b.l.T(
		"ladders.lead.vendor",
		display.Vendor(b.l, c.Vendor),
		b.shortName(c, false),
		b.percent(t.Places[i].Ratio),
	)
}

// mineText says where the reader's card stands; empty where none is asked for.
func (b *ladderBuilder) mineText() string {
	t := b.t
	if t.mine == "" {
		return ""
	}
	row, _ := t.snap.Find(t.mine)
	if i, ok := t.Find(t.mine); ok {
		p := &t.Places[i]
		bands := b.bands()
		at := slices.IndexFunc(bands, func(n ladder.NamedBand) bool { return p.Ratio >= n.Low })
		return b.l.T(
			"ladders.here",
			b.name(row),
			b.withUnit(p.Value),
			b.percent(p.Ratio),
			b.name(t.Reference.Row),
			rank(p),
			len(t.Places),
			b.l.T("ladders.bandname."+bands[at].ID),
		)
	}
	e := t.entry(row)
	if e.Placeable() && len(t.Places) > 0 {
		ratio := e.Value / t.Reference.Value
		if t.Lower {
			ratio = 1 / ratio
		}
		return b.l.T("ladders.elsewhere", b.name(row), b.withUnit(e.Value), b.percent(ratio), b.name(t.Reference.Row))
	}
	return b.l.T("ladders.nowhere", b.name(row), b.why(&e))
}

// runsText of all: how many runs stand behind the ladder; empty where it is not measured.
func (b *ladderBuilder) allRuns() string {
	runs, cards := 0, 0
	for i := range b.t.Places {
		if v := b.t.reached[b.t.Places[i].Row]; v.Result.BenchmarkResult != nil {
			runs, cards = runs+v.Result.Runs, cards+1
		}
	}
	if cards == 0 {
		return ""
	}
	if runs == cards {
		return b.l.T("ladders.singleruns", b.l.Count(cards))
	}
	return b.l.T("ladders.allruns", b.l.Count(runs), b.l.Count(cards))
}

// disagreeing names the cards whose runs are too far apart.
func (b *ladderBuilder) disagreeing() string {
	var names []string
	for _, e := range b.t.Unplaced {
		if e.Reason == ladder.Disagree {
			names = append(names, b.name(e.Row))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return b.l.T("ladders.disagree", strings.Join(names, b.l.T("list.separator")))
}

// notes at the foot of drawings: runs, method, what is estimated, whom runs give no place.
func (b *ladderBuilder) footNotes() []string {
	texts := []string{b.allRuns(), display.Pick(b.l, b.t.basis.Definition), b.disagreeing(), b.footer()}
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// footLines are the notes in lines as wide as a sheet, at most four.
func (b *ladderBuilder) footLines() []string {
	var out []string
	for _, text := range b.footNotes() {
		out = append(out, wrapped(text, posterWidth-90, 11.5)...)
	}
	return out[:min(4, len(out))]
}

// wrapped breaks a text into lines: at spaces, and between characters where there is none.
func wrapped(text string, width, size float64) []string {
	var out []string
	runes := []rune(text)
	for len(runes) > 0 {
		n, space := 0, 0
		for w := 0.0; n < len(runes); n++ {
			if w += chart.TextWidth(string(runes[n]), size); w > width {
				break
			}
			if runes[n] == ' ' {
				space = n
			}
		}
		if n < len(runes) && space > n/2 {
			n = space
		}
		n = max(n, 1)
		out = append(out, strings.TrimSpace(string(runes[:n])))
		runes = runes[n:]
	}
	return out
}

// resolveCard is the card that a reader means: a name, or the best match of the search.
func resolveCard(s *catalog.Snapshot, param, text string) (id string, err *catalog.ParamError) {
	row, err := s.FindNamed(param, text)
	if err != nil {
		found := s.Ranked(text, 1)
		if len(found) == 0 {
			return "", err
		}
		row = found[0]
	}
	return s.Card(row).ID, nil
}

// segmentName is a segment in the reader's language.
func segmentName(l *locale.Locale, segment string) string {
	if segment == "" {
		return l.T("ladders.allcards")
	}
	return display.ValueText(l, display.MustQuantity("segment"), segment)
}
