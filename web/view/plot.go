package view

// PlotPage is a picture of cards as points of two quantities, with what led to it.
type PlotPage struct {
	Layout

	Heading string // what is drawn
	Lede    string // what there is to see, in numbers

	Presets []Link
	Axes    []PlotAxis  // what is drawn upwards, then what to the right
	Choices []PlotField // colour, labels
	Prices  PriceChoices

	Query  string // the text search
	Facets []Facet
	Ranges []Range
	Keep   []Param // filters that no control of the form shows
	Chips  []Chip
	Clear  string

	Problems    []string // what of the address cannot be read
	Empty       string   // why nothing is drawn; empty when something is
	Suggestions []Link   // how to get out of an empty plot

	Chart string // SVG, already escaped
	SVG   string // addresses of the picture as files
	PNG   string

	FrontNote string // what the line is, or why there is none
	Turns     []Link // ways to choose other directions
	Front     []Link

	XHead, YHead, GroupHead string
	Rows                    []PlotRow
	Marked                  bool // a row is not confirmed
	Left                    []PlotLeft
	CardsURL                string // the same cards in the catalogue
}

// PlotField is a choice of the form.
type PlotField struct {
	Name    string
	Label   string
	Options []Option
}

// PlotAxis is the choices for one axis.
type PlotAxis struct {
	Name   string // parameter: "x"
	Label  string
	Groups []OptionGroup // of quantities
	Scale  PlotField
}

// PlotRow is one point in words.
type PlotRow struct {
	Card        Link
	Vendor      string
	Group       string
	X, Y        string
	Front       bool
	Unconfirmed bool
	By          []Link // the nearest cards that are better
	More        int    // further ones
}

// PlotLeft is how many cards are not drawn, for one reason.
type PlotLeft struct {
	Reason string
	Count  int
	Cards  []Link // the first of them
	More   int
}

// Roofline is the section on what rates are attainable at which intensity.
type Roofline struct {
	ID      string // of the section
	Chart   string // SVG, already escaped
	Note    string
	Choices []Link // of the precision, where cards are compared
	Works   []RooflineWork
	Rows    []RooflineRow
	Left    []string // cards without a roof, with the reason
	Source  Link
}

// RooflineWork is a mark of the chart: what is computed, and how its intensity
// follows.
type RooflineWork struct {
	Name    string
	Formula string
}

// RooflineRow is one roof in numbers.
type RooflineRow struct {
	Name  Link   // of the card, where there are several; without Href it is a precision
	Basis string // of the rate
	Peak  string
	Unit  string
	Ridge string
	Marks []RooflineMark // in the order of the works
}

// RooflineMark is what is attainable for one work.
type RooflineMark struct {
	Rate    string
	Share   float64 // of the peak
	Percent string
}
