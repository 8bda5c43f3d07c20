package plot

import (
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/plot"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// plotAnswer is a plot for programs.
type plotAnswer struct {
	Snapshot string       `json:"snapshot"`
	X        plotAxis     `json:"x"`
	Y        plotAxis     `json:"y"`
	Color    string       `json:"color"`
	Currency string       `json:"currency,omitempty"` // of prices, where an axis has some
	Points   []plotPoint  `json:"points"`
	Front    []string     `json:"front"` // ids of cards that no other is better than in both; null without directions
	LeftOut  []plotAbsent `json:"left_out"`
}

type plotAxis struct {
	Quantity string `json:"quantity"`
	Unit     string `json:"unit,omitempty"`
	Scale    string `json:"scale"`
	Better   string `json:"better"`
	Price    string `json:"price,omitempty"` // kind of price
}

type plotPoint struct {
	ID          string   `json:"id"`
	Vendor      string   `json:"vendor"`
	Name        string   `json:"name"`
	Group       string   `json:"group,omitempty"`
	X           any      `json:"x"` // a number, or a date
	Y           any      `json:"y"`
	Confirmed   bool     `json:"confirmed"`
	Standing    string   `json:"standing"` // sold, announced or cancelled
	Front       bool     `json:"front"`
	Dominated   int      `json:"dominated"`              // by how many cards
	DominatedBy []string `json:"dominated_by,omitempty"` // the nearest of them
}

type plotAbsent struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func plotJSON(b *plotBuilder) (site.Answer, error) {
	out := plotAnswer{Snapshot: api.Snapshot(b.snap), X: b.axisJSON(&b.p.X), Y: b.axisJSON(&b.p.Y),
		Color: string(b.q.by), Points: []plotPoint{}, LeftOut: []plotAbsent{}}
	if b.q.x.Quantity.Priced() || b.q.y.Quantity.Priced() {
		out.Currency = b.q.all.Currency
	}
	if b.p.HasFront() {
		out.Front = []string{}
	}
	for _, i := range b.byRank() {
		pt := &b.p.Points[i]
		c := b.snap.Card(pt.Row)
		point := plotPoint{ID: c.ID, Vendor: c.Vendor, Name: c.Name, Group: pt.Kin, X: b.exact(b.p.X.Quantity, pt.Row),
			Y:         b.exact(b.p.Y.Quantity, pt.Row),
			Confirmed: b.confirmed(pt.Row), Standing: b.snap.Standing(pt.Row), Front: pt.Front, Dominated: pt.Beaten,
			DominatedBy: b.ids(pt.By)}
		out.Points = append(out.Points, point)
	}
	out.Front = append(out.Front, b.ids(b.p.Front)...)
	for _, a := range b.p.Absents {
		out.LeftOut = append(out.LeftOut, plotAbsent{b.snap.Card(a.Row).ID, string(a.Reason)})
	}
	return site.JSONAnswer(out)
}

// ids are those of the cards of points.
func (b *plotBuilder) ids(points []int) []string {
	var out []string
	for _, i := range points {
		out = append(out, b.snap.Card(b.p.Points[i].Row).ID)
	}
	return out
}

func (b *plotBuilder) axisJSON(a *plot.Axis) plotAxis {
	out := plotAxis{Quantity: a.Quantity.ID, Unit: display.CurrencyIn(a.Quantity.Unit, b.q.all),
		Scale: plotScales[a.Scale], Better: directions[a.Better]}
	if a.Quantity.Priced() {
		out.Price = string(b.kind(a.Quantity))
	}
	return out
}

// exact is a number, or a date as its source gives it.
func (b *plotBuilder) exact(q *catalog.Quantity, row int) any {
	if q.Kind == catalog.Day {
		return site.Raw(b.snap, q, row)
	}
	v, _ := b.snap.Number(q, row)
	return v
}

func plotCSV(b *plotBuilder) site.Answer { return b.table().CSV("tianti-plot") }

// table is the points for files, by index.
func (b *plotBuilder) table() site.Table[int] {
	l, points := b.l, b.p.Points
	card := func(i int) *catalog.Card { return b.snap.Card(points[i].Row) }
	axis := func(a *plot.Axis) site.Column[int] {
		return site.Column[int]{Key: b.column(a.Quantity), Value: func(i int) string {
			return site.Raw(b.snap, a.Quantity, points[i].Row)
		},
			Label: b.axisName(a), Right: true, Text: func(i int) string { return b.text(a.Quantity, points[i].Row) }}
	}
	return site.Table[int]{Rows: b.byRank(), Columns: []site.Column[int]{
		site.Exact("id", func(i int) string { return card(i).ID }),
		site.Exact("vendor", func(i int) string { return card(i).Vendor }),
		site.Exact("name", func(i int) string { return card(i).Name }),
		site.Words(l.T("plot.card"), func(i int) string { return display.NameAndStanding(l, b.snap, points[i].Row) }),
		{Key: "group", Value: func(i int) string { return points[i].Kin },
			Label: l.T("plot.by." + string(b.q.by)), Text: func(i int) string { return b.groupName(points[i].Kin) }},
		axis(&b.p.Y),
		axis(&b.p.X),
		site.Exact("confirmed", func(i int) string { return strconv.FormatBool(b.confirmed(points[i].Row)) }),
		site.Exact("front", func(i int) string { return strconv.FormatBool(points[i].Front) }),
		site.Exact("dominated", func(i int) string { return strconv.Itoa(points[i].Beaten) }),
		{Key: "dominated_by", Value: func(i int) string { return strings.Join(b.ids(points[i].By), " ") },
			Label: l.T("plot.beatenby"), Text: func(i int) string { return b.beatenText(&points[i]) }},
		site.Exact("standing", func(i int) string { return b.snap.Standing(points[i].Row) }),
	}}
}

// column heads the values of a quantity for machines; a price names its currency.
func (b *plotBuilder) column(q *catalog.Quantity) string {
	if q.Priced() {
		return q.ID + "_" + strings.ToLower(b.q.all.Currency)
	}
	return q.ID
}

func plotMarkdown(b *plotBuilder) site.Answer {
	l := b.l
	var out strings.Builder
	out.WriteString("# " + site.EscapeMarkdown(b.heading()) + "\n\n")
	if len(b.p.Points) == 0 {
		out.WriteString(site.EscapeMarkdown(b.empty(l)) + "\n")
		return site.MarkdownAnswer(out.String())
	}
	out.WriteString(site.EscapeMarkdown(b.lede()) + "\n\n")
	b.table().Markdown(&out)
	out.WriteString("\n" + site.EscapeMarkdown(b.frontNote()) + "\n")
	for _, left := range b.left() {
		out.WriteString("\n" + site.EscapeMarkdown(left.Reason) + "\n")
	}
	out.WriteString("\n" + l.T("export.footer", len(b.p.Points), api.Snapshot(b.snap)) + "\n")
	return site.MarkdownAnswer(out.String())
}

// beatenText says which cards are better than a point, or that none is.
func (b *plotBuilder) beatenText(pt *plot.Point) string {
	if pt.Front {
		return b.l.T("plot.onfront")
	}
	var names []string
	for _, j := range pt.By[:min(nearestNamed, len(pt.By))] {
		names = append(names, b.snap.Card(b.p.Points[j].Row).Name)
	}
	text := strings.Join(names, b.l.T("list.separator"))
	if more := pt.Beaten - len(names); more > 0 {
		text += " " + b.l.T("plot.more", more)
	}
	return text
}
