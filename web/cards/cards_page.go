package cards

import "tianti/web/ui"

// cards is the catalogue: filters, the table and what can be done with it.
type cards struct {
	ui.Layout

	Query   string // the text search (parameter q)
	Total   int    // cards in the catalogue
	Matched int    // cards that pass all filters
	From    int    // first row shown, counted from 1; 0 when there is none
	To      int    // last row shown

	Presets []ui.Link
	Facets  []ui.Facet
	Ranges  []ui.Range

	// Bases are the choices for the basis of compute columns (parameter
	// "basis"): one precision, vector or matrix, dense or sparse at a time.
	Bases []ui.Option

	Here     bool // some of the cards are in this host or fleet
	OnlyHere bool // and only those are shown

	Shippable shippableData
	Prices    ui.PriceChoices

	Chips    []ui.Chip
	ClearURL string // the table without any filter; empty when there is none

	// Problems are sentences about parameters that no control of the page
	// shows, such as an unknown sort key. Ranges carry their own Error.
	Problems []string

	Columns []ui.Column // of the table, without the card's name
	Name    ui.Column   // the first column, which is always there
	Rows    []ui.Row

	// ColumnGroups are the choices of the column chooser (parameter "fields",
	// repeated). ColumnsCustom reports whether the address chooses them.
	ColumnGroups    []ui.ColumnGroup
	ColumnsCustom   bool
	ResetColumnsURL string

	// FilterKeep goes with the filter form: sort and, when chosen, columns.
	// ColumnKeep goes with the column chooser: everything else.
	FilterKeep []ui.Param
	ColumnKeep []ui.Param

	Export ui.Export
	Pages  ui.Pager

	// Suggestions say how to get out of an empty table: which filter to drop
	// and how many cards that gives (Note: "12 cards").
	Suggestions []ui.Link
}

// shippableData is the filter by what export rules say.
type shippableData struct {
	Destinations []ui.Option
	Headquarters string      // kept when the address has one
	AsOf         string      // empty is today
	Verdicts     []ui.Option // parameter "export"
	Caveat       string      // beside the verdicts of the table; empty where it has none
}
