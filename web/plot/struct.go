package plot

import "tianti/web/ui"

// plotPage is a picture of cards as points of two quantities, with what led to it.
type plotPage struct {
	ui.Layout

	Heading string // what is drawn
	Lede    string // what there is to see, in numbers
	Caveat  string // of the export filter; empty where it is not set

	Presets []ui.Link
	Axes    []plotAxisData // what is drawn upwards, then what to the right
	Choices []plotField    // colour, labels
	Prices  ui.PriceChoices

	Query  string // the text search
	Facets []ui.Facet
	Ranges []ui.Range
	Keep   []ui.Param // filters that no control of the form shows
	Chips  []ui.Chip
	Clear  string

	Problems    []string  // what of the address cannot be read
	Empty       string    // why nothing is drawn; empty when something is
	Suggestions []ui.Link // how to get out of an empty plot

	Chart string // SVG, already escaped
	Tips  string // what the script of the page says of each point
	Share ui.Share
	SVG   string // addresses of the picture as files
	PNG   string

	FrontNote string    // what the line is, or why there is none
	Turns     []ui.Link // ways to choose other directions
	Front     []ui.Link

	XHead, YHead, GroupHead string
	Points                  int
	Rows                    []plotRow // of the part of the table
	Pages                   ui.Pager
	Marked                  bool // a row is not confirmed
	Left                    []plotLeftData
	CardsURL                string // the same cards in the catalogue
}

// plotField is a choice of the form.
type plotField struct {
	Name    string
	Label   string
	Options []ui.Option
}

// plotAxisData is the choices for one axis.
type plotAxisData struct {
	Name   string // parameter: "x"
	Label  string
	Groups []ui.OptionGroup // of quantities
	Scale  plotField
}

// plotRow is one point in words.
type plotRow struct {
	Card        ui.Link
	Vendor      string
	Group       string
	X, Y        string
	Front       bool
	Unconfirmed bool
	Unsold      string    // that the card is announced and not sold; may be empty
	By          []ui.Link // the nearest cards that are better
	More        int       // further ones
}

// plotLeftData is how many cards are not drawn, for one reason.
type plotLeftData struct {
	Reason string
	Count  int
	Cards  []ui.Link // the first of them
	More   int
}

// Roofline is the section on what rates are attainable at which intensity.
type Roofline struct {
	ID      string // of the section
	Chart   string // SVG, already escaped
	Note    string
	Choices []ui.Link // of the precision, where cards are compared
	Works   []rooflineWork
	Rows    []rooflineRow
	Left    []string // cards without a roof, with the reason
	Source  ui.Link
}

// rooflineWork is a mark of the chart: what is computed, and how its intensity
// follows.
type rooflineWork struct {
	Name    string
	Formula string
}

// rooflineRow is one roof in numbers.
type rooflineRow struct {
	Name  ui.Link // of the card, where there are several; without Href it is a precision
	Basis string  // of the rate
	Peak  string
	Unit  string
	Ridge string
	Marks []rooflineMark // in the order of the works
}

// rooflineMark is what is attainable for one work.
type rooflineMark struct {
	Rate    string
	Percent string
}
