package view

// Health shows what the catalogue covers and where it contradicts itself.
type Health struct {
	Layout

	Totals     []Total
	Vendors    []VendorHealth
	Columns    []string // vendors with a column of their own in Metrics
	Groups     []CoverageGroup
	Years      []YearHealth
	Conflicts  []ConflictRow
	Problems   []ProblemRow
	Exceptions []ExceptionRow

	Accepted, Figures int    // exceptions and figures
	AcceptedShare     string // of the figures
}

// Total is one of the numbers at the head of the page.
type Total struct {
	Label string
	Value string
	Href  string
}

// VendorHealth is what the catalogue has of one vendor.
type VendorHealth struct {
	Vendor      Link
	Cards       int
	Figures     int
	PerCard     string // different quantities shown, on average
	Measured    int
	Disagreeing int
}

// CoverageGroup is a group of quantities with how many cards have each.
type CoverageGroup struct {
	Label string
	Rows  []CoverageRow
}

// CoverageRow is one quantity.
type CoverageRow struct {
	Quantity Link
	Cards    int
	Share    float64
	Percent  string
	Counts   []string // by Health.Columns and, last, all others
}

// YearHealth counts what rests on the documents of one year.
type YearHealth struct {
	Year    string
	Sources int
	Figures int
	Share   float64 // of the largest number of figures, for the bar
}

// ConflictRow is a figure about which sources disagree.
type ConflictRow struct {
	Card     Link
	Quantity Link
	Unit     string
	Shown    SourcedValue
	Others   []SourcedValue
}

// SourcedValue is a value with who says so.
type SourcedValue struct {
	Value  string
	Note   string
	Source Link
}

// ProblemRow is a rule that figures break.
type ProblemRow struct {
	Rule string
	Card Link
	Text string
}

// ExceptionRow is a rule that a figure may break.
type ExceptionRow struct {
	Rule     string
	Card     Link
	Quantity Link
	Reason   string
}
