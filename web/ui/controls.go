package ui

// TimelineTick is the begin of a year.
type TimelineTick struct {
	X     int
	Label string
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
	Unsold   string // that it is announced and not sold; empty for what is sold
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

// ExportWord is a verdict or status in words. Tone is bad, warn, good or dim.
type ExportWord struct {
	Text string
	Note string // an exception, "likely"
	Tone string
}

// RuleBar is one rule; Width is 0 for a bill.
type RuleBar struct {
	X, Y, Width        int
	Label, Title, Href string
	Kind               string
}

// ScatterTick is a grid line.
type ScatterTick struct {
	At    int
	Label string
}

// Total is one of the numbers at the head of the page.
type Total struct {
	Label string
	Value string
	Href  string
}

// SourcedValue is a value with who says so.
type SourcedValue struct {
	Value  string
	Note   string
	Source Link
}

// TopRow is one card of a [TopList].
type TopRow struct {
	Rank   string // "4–5" where cards are tied; empty where places are enough
	Name   string
	Vendor string
	Href   string
	Value  string  // formatted, without the unit
	Share  float64 // of the first card's value, 0 to 1: the length of the bar
	Detail string  // "288 GB · 8 TB/s · 1 400 W"; may be empty
}

// label is the name of the navigation.
func (p Pager) label(l Layout) string {
	if p.Label != "" {
		return p.Label
	}
	return l.T("pager.label")
}

// ErrorPage says what went wrong and what to do about it.
type ErrorPage struct {
	Layout

	Status    int
	Detail    string   // what happened, with names and values; empty for the stock sentence
	Problems  []string // one sentence for each thing wrong with the address
	Elsewhere Link     // where it can be done; may be empty
	Nearest   []Link   // what may have been meant
	RequestID string   // shown when the failure is ours
}
