package view

// Cards is the catalogue: filters, the table and what can be done with it.
type Cards struct {
	Layout

	Query   string // the text search (parameter q)
	Total   int    // cards in the catalogue
	Matched int    // cards that pass all filters
	From    int    // first row shown, counted from 1; 0 when there is none
	To      int    // last row shown

	Presets []Link
	Facets  []Facet
	Ranges  []Range

	// Bases are the choices for the basis of compute columns (parameter
	// "basis"): one precision, vector or matrix, dense or sparse at a time.
	Bases []Option

	Here     bool // some of the cards are in this host or fleet
	OnlyHere bool // and only those are shown

	Shippable Shippable
	Prices    PriceChoices

	Chips    []Chip
	ClearURL string // the table without any filter; empty when there is none

	// Problems are sentences about parameters that no control of the page
	// shows, such as an unknown sort key. Ranges carry their own Error.
	Problems []string

	Columns []Column // of the table, without the card's name
	Name    Column   // the first column, which is always there
	Rows    []Row

	// ColumnGroups are the choices of the column chooser (parameter "fields",
	// repeated). ColumnsCustom reports whether the address chooses them.
	ColumnGroups    []ColumnGroup
	ColumnsCustom   bool
	ResetColumnsURL string

	// FilterKeep goes with the filter form: sort and, when chosen, columns.
	// ColumnKeep goes with the column chooser: everything else.
	FilterKeep []Param
	ColumnKeep []Param

	Export Export
	Pages  Pager

	// Suggestions say how to get out of an empty table: which filter to drop
	// and how many cards that gives (Note: "12 cards").
	Suggestions []Link
}

// Shippable is the filter by what export rules say.
type Shippable struct {
	Destinations []Option
	Headquarters string   // kept when the address has one
	AsOf         string   // empty is today
	Verdicts     []Option // parameter "export"
}

// Facet is a group of checkboxes with counts.
type Facet struct {
	Param   string // name of the parameter: "vendor"
	Label   string
	Options []Option // in the order shown: selected ones first, then by count
	Open    bool     // shown open though nothing is selected
}

// Range is a text field that takes an expression such as "24..80".
type Range struct {
	Param string // "memory_gb"
	Label string
	Unit  string
	Value string // as the user typed it
	Hint  string // the span of the catalogue: "8 – 288"
	Error string // what is wrong with Value and what is allowed; empty when it is fine
}

// Chip is one active filter.
type Chip struct {
	Label     string // "Vendor"
	Value     string // "AMD"
	RemoveURL string
}

// Sort is the direction in which the table is sorted by a column.
type Sort string

// The directions of [Column.Sort], as aria-sort wants them.
const (
	Unsorted   Sort = ""
	Ascending  Sort = "ascending"
	Descending Sort = "descending"
)

// Column is the head of one column.
type Column struct {
	ID      string // quantity id
	Label   string
	Unit    string
	Title   string // the definition
	Text    bool   // holds words, aligned left; numbers are aligned right
	Sort    Sort
	SortURL string // the next state: descending, ascending, unsorted for numbers
}

// ColumnGroup is one group of the column chooser; Value is the quantity id.
type ColumnGroup struct {
	Label   string
	Options []Option
}

// Row is one card of the table.
type Row struct {
	ID       string // also the last element of the card's address
	Name     string
	Sub      string // vendor and form factor, shown small under the name
	Here     string // what those of this host or fleet do; empty: there is none
	Selected bool   // its box is ticked when the page opens
	Cells    []Cell // as many as Cards.Columns
}

// Cell is one value of the table.
type Cell struct {
	Text    string // formatted, without unit; empty when the figure is missing
	Missing string // why it is missing: "No source states it."
	Note    string // a warning beside the figure: "too old"
}

// Export holds the addresses of the table as it is on the screen in other
// formats.
type Export struct {
	Ladder   string // the cards as a ladder; empty: there is none
	Plot     string // the same cards as points
	CSV      string
	JSON     string
	Markdown string
}

// Pager leads to the other pages of a long table.
type Pager struct {
	Label    string // of the navigation, where a page has several; may be empty
	Previous string // empty on the first page
	Next     string // empty on the last
	Pages    []Link // Label is the number; an empty Href is a gap or the current page
}
