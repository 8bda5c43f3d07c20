package cards

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/display"
	"tianti/web/filterform"
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
	for _, id := range []string{"fp32_vector_tflops", "memory_gb", "memory_type", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w", "architecture", "launched"} {
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

// A table makes the table of the catalogue, below the form that chooses its cards.
type table struct {
	filterform.Form
	columns []*catalog.Quantity
}

func (b *table) rows() []ui.Row {
	formFactor := display.MustQuantity("form_factor")
	rows := make([]ui.Row, len(b.Result.Rows))
	cells := make([]ui.Cell, len(b.Result.Rows)*len(b.columns))
	notStated := b.Request.Loc.T("missing.notstated")
	for i, row := range b.Result.Rows {
		c := b.Snap.Card(row)
		sub := c.Vendor
		if form, ok := b.Snap.Text(formFactor, row); ok {
			sub += " · " + form
		}
		own := cells[i*len(b.columns) : (i+1)*len(b.columns) : (i+1)*len(b.columns)]
		for j, q := range b.columns {
			if text, ok := display.Display(b.Request.Loc, b.Snap, q, row); ok {
				own[j].Text = text
				if tooOld(b.Snap, q, row) {
					own[j].Note = b.Request.Loc.T("prices.freshness.stale")
				}
			} else {
				own[j].Missing = notStated
			}
		}
		rows[i] = ui.Row{ID: c.ID, Name: c.Name, Sub: sub, Cells: own}
	}
	return rows
}

// column is the head of a column with the link to its next order: best first,
// then the other way round, then the default.
func (b *table) column(q *catalog.Quantity) ui.Column {
	c := ui.Column{ID: q.ID, Label: display.Pick(b.Request.Loc, q.Label), Unit: display.UnitIn(b.Request.Loc, b.Snap, q), Title: display.Pick(b.Request.Loc, q.Definition), Text: q.Kind != catalog.Number}
	firstDown := q.Better == "higher" || q.Kind == catalog.Day || q.Kind == catalog.Number && q.Better == "none"
	order := b.Query.Order()
	current := order[0].Quantity == q
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
		groups[i].Options = append(groups[i].Options, ui.Option{Value: q.ID, Label: display.Pick(b.Request.Loc, q.Label), Selected: slices.Contains(b.columns, q)})
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
			out = append(out, ui.Option{Value: value, Label: display.Pick(b.Request.Loc, q.Label), Selected: q == b.Query.Basis})
		}
	}
	return out
}
