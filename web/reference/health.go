package reference

import "tianti/web/ui"

// health shows what the catalogue covers and where it contradicts itself.
type health struct {
	ui.Layout

	Snapshot   []string // sentences on the published snapshot that is shown; none with a database
	Problem    string   // of its store; may be empty
	Writer     ui.Link  // where it is changed; may be empty
	Totals     []ui.Total
	Vendors    []vendorHealth
	Columns    []string // vendors with a column of their own in Metrics
	Groups     []coverageGroup
	Years      []yearHealth
	PriceYear  string // that of the newest price; "" without prices
	Priced     []pricedRow
	Conflicts  []conflictRow // of the part
	Problems   []problemRow
	Exceptions []exceptionRow

	Accepted, Figures int    // exceptions and figures
	AcceptedShare     string // of the figures

	Disagreements, Found int      // all, and those that the filter leaves
	Text                 string   // that the filter looks for
	Pages                ui.Pager // of Conflicts
}

// finding says in a sentence how sound the figures are.
func (p health) finding() string {
	checks := p.T("health.allhold")
	if n := len(p.Problems); n > 0 {
		checks = p.T("health.fail", n)
	}
	return p.T("health.finding", checks, p.Disagreements, p.Figures,
		p.Locale.Percent(float64(p.Disagreements)/float64(max(1, p.Figures))))
}

// vendorHealth is what the catalogue has of one vendor.
type vendorHealth struct {
	Vendor      ui.Link
	Cards       int
	Figures     int
	PerCard     string // different quantities shown, on average
	Measured    int
	Disagreeing int
}

// coverageGroup is a group of quantities with how many cards have each.
type coverageGroup struct {
	Label string
	Rows  []coverageRow
}

// coverageRow is one quantity.
type coverageRow struct {
	Quantity ui.Link
	Cards    int
	Share    float64
	Percent  string
	Counts   []string // by Health.Columns and, last, all others
}

// yearHealth counts what rests on the documents of one year.
type yearHealth struct {
	Year    string
	Sources int
	Figures int
	Share   float64 // of the largest number of figures, for the bar
}

// pricedRow says how many cards of a kind have a price of the year.
type pricedRow struct {
	Label         string
	Sold, Priced  int
	Share         float64
	Percent, Note string // the note may be empty
}

// conflictRow is a figure about which sources disagree.
type conflictRow struct {
	Card     ui.Link
	Quantity ui.Link
	Unit     string
	Shown    ui.SourcedValue
	Others   []ui.SourcedValue
}

// problemRow is a rule that figures break.
type problemRow struct {
	Rule string
	Card ui.Link
	Text string
}

// exceptionRow is a rule that a figure may break.
type exceptionRow struct {
	Rule     string
	Card     ui.Link
	Quantity ui.Link
	Reason   string
}
