package cards

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/filterform"
	"tianti/web/site"
	"tianti/web/ui"
)

// fewColumns is how many columns a wide window holds without scrolling
// sideways; the head of such a table sticks to the window.
const fewColumns = 10

// tableClass tells the style sheet which columns hold words ("l3": the third
// cell of each row, counted with the box) and whether the table is narrow.
func (p cards) tableClass() string {
	var b strings.Builder
	b.WriteString("cards")
	for i, c := range p.Columns {
		if c.Text {
			b.WriteString(" l" + strconv.Itoa(i+3))
		}
	}
	for i, c := range p.Columns {
		if c.Sort != ui.Unsorted {
			b.WriteString(" s" + strconv.Itoa(i+3))
		}
	}
	return b.String()
}

func (p cards) regionClass() string {
	if len(p.Columns) <= fewColumns {
		return "region fit"
	}
	return "region"
}

// defaultFields are the columns of the catalogue, with one compute basis.
func defaultFields(basis *catalog.Quantity) []*catalog.Quantity {
	fields := []*catalog.Quantity{basis}
	for _, id := range []string{"fp32_vector_tflops", "memory_gb", "memory_type", "memory_bandwidth_gb_s",
		"interconnect_gb_s", "tdp_w", "architecture", "launched"} {
		if q := display.MustQuantity(id); q != basis {
			fields = append(fields, q)
		}
	}
	return fields
}

// columnsOf are the columns that a query shows.
func columnsOf(q catalog.Query) []*catalog.Quantity {
	if q.Fields != nil {
		return q.Fields
	}
	return defaultFields(q.Basis)
}

// A table makes the table of the catalogue, from which the page and its files are
// written, below the form that chooses its cards.
type table struct {
	filterform.Form
	quantities []*catalog.Quantity
	export     *webexport.ExportFilter // nil when nobody asks
}

func newTable(snap *catalog.Snapshot, r *site.Request, q catalog.Query, export *webexport.ExportFilter) table {
	form := filterform.Form{
		Snap:    snap,
		Request: r,
		Query:   q,
		Result:  snap.Select(&q, site.PageLimit),
		Keeps:   export.KeptBy(r.Loc),
		At:      func(q catalog.Query) string { return r.Address(r.Loc, site.HTML, q.Encode()) },
	}
	return table{form, columnsOf(q), export}
}

// A column is one of the page, too.
type column struct {
	site.Column[int]
	head ui.Column
	cell func(row int) ui.Cell
}

// columns are those after the name of the card.
func (b *table) columns() []column {
	var out []column
	for _, q := range b.quantities {
		out = append(out, b.column(q))
	}
	if b.export == nil {
		return out
	}
	l := b.Request.Loc
	verdict := column{head: ui.Column{ID: "export", Label: l.T("export.title"), Title: b.export.Heading(l), Text: true}}
	verdict.Key, verdict.Label = "export_verdict", b.export.Heading(l)
	verdict.Value = func(row int) string { return string(b.export.Survey.Of(row).Verdict) }
	verdict.Text = func(row int) string { return display.WordText(b.export.Word(l, row)) }
	verdict.cell = func(row int) ui.Cell { return ui.Cell{Text: verdict.Text(row)} }
	return append(out, verdict)
}

func (b *table) column(q *catalog.Quantity) column {
	l, missing := b.Request.Loc, b.Request.Loc.T("missing.notstated")
	c := column{head: b.head(q)}
	c.Key, c.Label, c.Right = q.ID, site.LabelWithUnit(l, b.Snap, q), q.Kind == catalog.Number
	c.Value = func(row int) string { return site.Raw(b.Snap, q, row) }
	c.cell = func(row int) ui.Cell {
		text, ok := display.Display(l, b.Snap, q, row)
		switch {
		case !ok:
			return ui.Cell{Missing: missing}
		case tooOld(b.Snap, q, row):
			return ui.Cell{Text: text, Note: l.T("prices.freshness.stale")}
		}
		return ui.Cell{Text: text}
	}
	c.Text = func(row int) string { return cmp.Or(c.cell(row).Text, "—") }
	return c
}

// rows are those of the page.
func (b *table) rows(columns []column) []ui.Row {
	formFactor := display.MustQuantity("form_factor")
	rows := make([]ui.Row, len(b.Result.Rows))
	cells := make([]ui.Cell, len(rows)*len(columns))
	for i, row := range b.Result.Rows {
		c := b.Snap.Card(row)
		sub := display.Vendor(b.Request.Loc, c.Vendor)
		if form, ok := b.Snap.Text(formFactor, row); ok {
			sub += " · " + form
		}
		own := cells[i*len(columns) : (i+1)*len(columns) : (i+1)*len(columns)]
		for j := range columns {
			own[j] = columns[j].cell(row)
		}
		rows[i] = ui.Row{
			ID:     c.ID,
			Name:   c.Name,
			Sub:    sub,
			Unsold: display.Standing(b.Request.Loc, b.Snap, row),
			Cells:  own,
		}
	}
	return rows
}

// file is the table for files: where it holds prices, CSV says their currency.
func (b *table) file() site.Table[int] {
	t := site.Table[int]{Rows: b.Result.Rows, Columns: []site.Column[int]{
		site.Exact("id", func(row int) string { return b.Snap.Card(row).ID }),
		site.Exact("vendor", func(row int) string { return b.Snap.Card(row).Vendor }),
		site.Exact("name", func(row int) string { return b.Snap.Card(row).Name }),
		site.Words(display.Pick(b.Request.Loc, display.MustQuantity("name").Label), func(row int) string {
			return display.NameAndStanding(b.Request.Loc, b.Snap, row)
		}),
	}}
	for _, c := range b.columns() {
		t.Columns = append(t.Columns, c.Column)
	}
	if b.export != nil {
		caveat := webexport.ExportBuilder{L: b.Request.Loc, Q: b.export.Question}.CaveatLine()
		t.Columns = append(
			t.Columns,
			site.Exact("export_exception", func(row int) string { return b.export.Survey.Of(row).Exception }),
			site.Exact("export_caveat", func(int) string { return caveat }),
		)
	}
	if slices.ContainsFunc(b.quantities, (*catalog.Quantity).Priced) {
		t.Columns = append(t.Columns, site.Exact("currency", func(int) string { return b.Snap.Pricing().Currency }))
	}
	return t
}

func (b *table) csv() site.Answer {
	a := b.file().CSV("tianti-cards")
	a.Link = site.NextLink(site.NextPage(b.Request, site.AsCSV, b.Query, b.Result))
	return a
}

func (b *table) markdown() site.Answer {
	var out strings.Builder
	b.file().Markdown(&out)
	if b.export != nil {
		out.WriteString("\n" + webexport.ExportBuilder{L: b.Request.Loc, Q: b.export.Question}.CaveatLine() + "\n")
	}
	out.WriteString("\n" + b.Request.Loc.T("export.footer", b.Result.Total, api.Snapshot(b.Snap)) + "\n")
	a := site.MarkdownAnswer(out.String())
	a.Link = site.NextLink(site.NextPage(b.Request, site.Markdown, b.Query, b.Result))
	return a
}

// head is the head of a column with the link to its next order: best first,
// then the other way round, then the default.
func (b *table) head(q *catalog.Quantity) ui.Column {
	c := ui.Column{
		ID:    q.ID,
		Label: display.Pick(b.Request.Loc, q.Label),
		Unit:  display.UnitIn(b.Request.Loc, b.Snap, q),
		Title: display.Pick(b.Request.Loc, q.Definition),
		Text:  q.Kind != catalog.Number,
	}
	firstDown := q.Better == "higher" || q.Kind == catalog.Day || q.Kind == catalog.Number && q.Better == "none"
	order := b.Query.Order()
	current := order[0].Quantity == q && !b.Query.Relevant()
	if current {
		c.Sort = ui.Ascending
		if order[0].Descending {
			c.Sort = ui.Descending
		}
	}
	c.SortURL = b.URL(func(n *catalog.Query) {
		switch {
		case !current:
			n.Sort = []catalog.SortKey{{Quantity: q, Descending: firstDown}}
		case order[0].Descending == firstDown:
			n.Sort = []catalog.SortKey{{Quantity: q, Descending: !firstDown}}
		default:
			n.Sort = nil
		}
		if q == n.Basis && len(n.Sort) > 0 && n.Sort[0].Descending {
			n.Sort = nil // it is the default
		}
	})
	return c
}

// columnGroups are the choices of the column chooser.
func (b *table) columnGroups() []ui.ColumnGroup {
	var groups []ui.ColumnGroup
	for _, q := range catalog.Quantities() {
		if q.Kind == catalog.Name || b.Snap.Coverage(q) == 0 {
			continue
		}
		label := b.Request.Loc.T("group." + q.Group)
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			if i := slices.IndexFunc(groups, func(g ui.ColumnGroup) bool { return g.Label == label }); i < 0 {
				groups = append(groups, ui.ColumnGroup{Label: label})
			}
		}
		i := slices.IndexFunc(groups, func(g ui.ColumnGroup) bool { return g.Label == label })
		groups[i].Options = append(
			groups[i].Options,
			ui.Option{
				Value:    q.ID,
				Label:    display.Pick(b.Request.Loc, q.Label),
				Selected: slices.Contains(b.quantities, q),
			},
		)
	}
	return groups
}

// bases are the choices for the basis of compute columns.
func (b *table) bases() []ui.Option {
	var out []ui.Option
	for _, q := range catalog.Bases() {
		if q == b.Query.Basis || b.Snap.Coverage(q) > 0 {
			value := q.ID
			if q.ID == catalog.DefaultBasis {
				value = "" // the default stays out of the address
			}
			out = append(
				out,
				ui.Option{Value: value, Label: display.Pick(b.Request.Loc, q.Label), Selected: q == b.Query.Basis},
			)
		}
	}
	return out
}
