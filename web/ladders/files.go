package ladders

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// fileName is what files of the ladder are called.
func (b *ladderBuilder) fileName() string {
	name := "tianti-ladder-" + b.t.basis.ID
	for _, s := range b.t.segments() {
		name += "-" + s
	}
	return name
}

// json is the ladder as the API has it.
func (b *ladderBuilder) json() (site.Answer, error) {
	t := b.t
	out := api.LadderOf(t.snap, &t.basis, &t.Ladder)
	out.Segments, out.Total = append([]string{}, t.segments()...), t.total
	if t.basis.Priced() {
		p := t.snap.Pricing()
		out.Currency, out.AsOf = p.Currency, string(p.Today)
		out.Unit = display.CurrencyIn(out.Unit, p)
	}
	return site.JSONAnswer(out)
}

// csv is the ladder as a table: first the placed cards, then the others. One of prices
// says their currency.
func (b *ladderBuilder) csv() (site.Answer, error) {
	t := b.t
	rows := [][]string{{"tier", "rank_from", "rank_to", "id", "vendor", "name", "segment", t.basis.ID, "ratio", "confirmed", "source", "reason"}}
	exact := func(v float64) string { return string(api.AppendNumber(nil, v)) }
	for i := range t.Places {
		p := &t.Places[i]
		c := t.snap.Card(p.Row)
		rows = append(rows, []string{strconv.Itoa(t.Bands[p.Band].Number), strconv.Itoa(p.From), strconv.Itoa(p.To), c.ID, c.Vendor, c.Name, c.Segment,
			exact(p.Value), exact(math.Round(p.Ratio*1e6) / 1e6), strconv.FormatBool(p.Confirmed), t.source(b.l, p.Row).Label, ""})
	}
	for _, e := range b.byReason() {
		c := t.snap.Card(e.Row)
		rows = append(rows, []string{"", "", "", c.ID, c.Vendor, c.Name, c.Segment, "", "", "", "", strings.Join(append([]string{string(e.Reason)}, e.Missing...), " ")})
	}
	if t.basis.Priced() {
		rows = site.WithCurrency(rows, t.snap.Pricing())
	}
	return site.CSVAnswer(rows, b.fileName()), nil
}

// markdown is the ladder as a table for people.
func (b *ladderBuilder) markdown() (site.Answer, error) {
	t, l := b.t, b.l
	var out strings.Builder
	out.WriteString("# " + site.EscapeMarkdown(t.title(l)) + "\n\n" + site.EscapeMarkdown(b.method()) + "\n\n")
	if len(t.Places) == 0 {
		out.WriteString(l.T("ladders.empty") + "\n\n")
	} else {
		rows := [][]string{{l.T("ladders.tier1"), l.T("ladders.rank"), l.T("ladders.card"), display.Pick(l, t.basis.Label) + " (" + b.unit() + ")", l.T("ladders.ratio"), l.T("ladders.source")}}
		for i := range t.Places {
			p := &t.Places[i]
			value := b.number(p.Value)
			if !p.Confirmed {
				value += " (" + l.T("ladders.unconfirmed") + ")"
			}
			rows = append(rows, []string{l.Count(t.Bands[p.Band].Number), rank(p), b.name(p.Row), value, l.Ratio(p.Ratio), t.source(l, p.Row).Label})
		}
		site.MarkdownTable(&out, rows, []bool{true, true, false, true, true, false})
		out.WriteString("\n")
	}
	for _, u := range b.unplaced() {
		var names []string
		for _, c := range u.Cards {
			names = append(names, c.Label)
		}
		out.WriteString("- " + site.EscapeMarkdown(u.Reason+l.T("colon")+strings.Join(names, l.T("list.separator"))) + "\n")
	}
	out.WriteString("\n" + l.T("ladders.footer", api.Snapshot(t.snap)) + "\n")
	return site.MarkdownAnswer(out.String()), nil
}

// drawable refuses a picture of nothing.
func (b *ladderBuilder) drawable() error {
	if len(b.t.Places) == 0 {
		return api.NewProblem(http.StatusNotFound, "No card of this selection has a value of %s: there is nothing to draw. The page without .svg or .png says why.", b.t.basis.ID)
	}
	return nil
}

func (b *ladderBuilder) svg() (site.Answer, error) {
	if err := b.drawable(); err != nil {
		return site.Answer{}, err
	}
	return site.SVGAnswer(b.wide(true), b.fileName()), nil
}

func (b *ladderBuilder) png() (site.Answer, error) {
	if err := b.drawable(); err != nil {
		return site.Answer{}, err
	}
	return b.s.site.PNGAnswer(b.drawn().wide(true), b.fileName(), pngScale(len(b.t.Places)))
}

// drawn is the ladder in the language of pictures.
func (b *ladderBuilder) drawn() *ladderBuilder { return b.in(b.s.site.PaintedIn(b.l)) }

// pngScale makes pictures of few cards sharper than those of many, which are large
// enough.
func pngScale(cards int) float64 {
	switch {
	case cards > ladderMany:
		return 1
	case cards > 60:
		return 1.25
	}
	return 2
}
