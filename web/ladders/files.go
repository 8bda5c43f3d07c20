package ladders

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// fileName is what files of the ladder are called.
func (b *ladderBuilder) fileName() string {
	name := "tianti-ladder-" + strings.ReplaceAll(b.t.basis.ID, "/", "-")
	for _, s := range b.t.segments() {
		name += "-" + s
	}
	return name
}

// json is the ladder as the API has it.
func (b *ladderBuilder) json() (site.Answer, error) {
	t := b.t
	out := api.LadderOf(t.snap, &t.basis, &t.Ladder, b.bands(), t.reachedJSON)
	out.Segments, out.Total = append([]string{}, t.segments()...), t.total
	if t.basis.Priced() {
		p := t.snap.Pricing()
		out.Currency, out.AsOf = p.Currency, string(p.Today)
		out.Unit = display.CurrencyIn(out.Unit, p)
	}
	return site.JSONAnswer(out)
}

// A line of the files is a card with its place, or without one.
type line struct {
	row    int
	place  *ladder.Place // nil where there is none
	reason string        // why there is none
}

// table is the ladder for files: first the placed cards, then the others. Where it is
// of prices, CSV says their currency.
func (b *ladderBuilder) table() site.Table[line] {
	t, l := b.t, b.l
	placed := func(of func(p *ladder.Place) string) func(line) string {
		return func(r line) string {
			if r.place == nil {
				return ""
			}
			return of(r.place)
		}
	}
	card := func(r line) *catalog.Card { return t.snap.Card(r.row) }
	source := placed(func(p *ladder.Place) string { return t.source(l, p.Row).Label })
	file := site.Table[line]{Columns: []site.Column[line]{
		site.Exact("band", placed(func(p *ladder.Place) string {
			for _, n := range b.bands() {
				if p.Ratio >= n.Low {
					return n.ID
				}
			}
			return ""
		})),
		{Key: "tier", Value: placed(func(p *ladder.Place) string { return strconv.Itoa(t.Bands[p.Band].Number) }),
			Label: l.T(
				"ladders.tier1",
			), Right: true, Text: placed(func(p *ladder.Place) string { return l.Count(t.Bands[p.Band].Number) })},
		site.Exact("rank_from", placed(func(p *ladder.Place) string { return strconv.Itoa(p.From) })),
		site.Exact("rank_to", placed(func(p *ladder.Place) string { return strconv.Itoa(p.To) })),
		site.Numbers(l.T("ladders.rank"), placed(rank)),
		site.Exact("id", func(r line) string { return card(r).ID }),
		site.Exact("vendor", func(r line) string { return card(r).Vendor }),
		site.Exact("name", func(r line) string { return card(r).Name }),
		site.Words(l.T("ladders.card"), func(r line) string { return display.NameAndStanding(l, t.snap, r.row) }),
		site.Exact("segment", func(r line) string { return card(r).Segment }),
		{Key: t.basis.ID, Value: placed(func(p *ladder.Place) string { return api.Number(p.Value) }),
			Label: display.Pick(
				l,
				t.basis.Label,
			) + " (" + b.unit() + ")", Right: true, Text: placed(func(p *ladder.Place) string {
				if !p.Confirmed {
					return b.number(p.Value) + " (" + l.T("ladders.unconfirmed") + ")"
				}
				return b.number(p.Value)
			})},
		{Key: "ratio", Value: placed(func(p *ladder.Place) string { return api.Number(math.Round(p.Ratio*1e6) / 1e6) }),
			Label: l.T(
				"ladders.ratio",
			), Right: true, Text: placed(func(p *ladder.Place) string { return l.Ratio(p.Ratio) })},
		site.Exact("standing", func(r line) string { return t.snap.Standing(r.row) }),
		site.Exact("confirmed", placed(func(p *ladder.Place) string { return strconv.FormatBool(p.Confirmed) })),
		{Key: "source", Value: source, Label: l.T("ladders.source"), Text: source},
		site.Exact("reason", func(r line) string { return r.reason }),
	}}
	if t.reached != nil {
		file.Columns = append(file.Columns, b.runsColumns()...)
	}
	if t.basis.Priced() {
		file.Columns = append(
			file.Columns,
			site.Exact("currency", func(line) string { return t.snap.Pricing().Currency }),
		)
	}
	for i := range t.Places {
		file.Rows = append(file.Rows, line{row: t.Places[i].Row, place: &t.Places[i]})
	}
	for _, e := range b.byReason() {
		file.Rows = append(
			file.Rows,
			line{row: e.Row, reason: strings.Join(append([]string{string(e.Reason)}, e.Missing...), " ")},
		)
	}
	return file
}

func (b *ladderBuilder) csv() (site.Answer, error) { return b.table().CSV(b.fileName()), nil }

// markdown is the ladder for people: the cards without a place are sentences below the table.
func (b *ladderBuilder) markdown() (site.Answer, error) {
	t, l := b.t, b.l
	var out strings.Builder
	out.WriteString("# " + site.EscapeMarkdown(t.title(l)) + "\n\n" + site.EscapeMarkdown(b.method()) + "\n\n")
	if table := b.table(); len(t.Places) == 0 {
		out.WriteString(l.T("ladders.empty") + "\n")
	} else {
		table.Rows = table.Rows[:len(t.Places)]
		table.Markdown(&out)
	}
	out.WriteString("\n")
	for _, u := range b.unplaced() {
		out.WriteString("- " + site.EscapeMarkdown(u.Reason+l.T("colon")+u.Names) + "\n")
	}
	out.WriteString("\n" + l.T("ladders.footer", api.Snapshot(t.snap)) + "\n")
	return site.MarkdownAnswer(out.String()), nil
}

// drawable refuses a picture of nothing.
func (b *ladderBuilder) drawable() error {
	if len(b.t.Places) == 0 {
		return api.NewProblem(
			http.StatusNotFound,
			"No card of this selection has a value of %s: there is nothing to draw. The page without .svg or .png "+
				"says why.",
			b.t.basis.ID,
		)
	}
	return nil
}

func (b *ladderBuilder) svg() (site.Answer, error) {
	if err := b.drawable(); err != nil {
		return site.Answer{}, err
	}
	return site.SVGAnswer(b.poster(), b.fileName()), nil
}

// pngScale is how many pixels of a picture are a unit of the sheet: 165 to an inch of A4. Who prints takes the PDF.
const pngScale = 1.1

func (b *ladderBuilder) png() (site.Answer, error) {
	if err := b.drawable(); err != nil {
		return site.Answer{}, err
	}
	return b.s.site.PNGAnswer(b.drawn().poster(), b.fileName(), pngScale)
}

// pdf is the sheet of A2 for the wall.
func (b *ladderBuilder) pdf() (site.Answer, error) {
	if err := b.drawable(); err != nil {
		return site.Answer{}, err
	}
	return b.s.site.PDFAnswer(b.drawn().poster(), b.fileName(), posterMM)
}

// drawn is the ladder in the language of pictures.
func (b *ladderBuilder) drawn() *ladderBuilder { return b.in(b.s.site.PaintedIn(b.l)) }
