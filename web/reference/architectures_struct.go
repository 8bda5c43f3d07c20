package reference

import "tianti/web/ui"

// architectures shows generations: all of them by line and on a timeline, or the
// chosen ones side by side.
type architectures struct {
	ui.Layout

	Timeline timelineData
	Lines    []architectureLineData
	Chosen   []architecture // side by side; none: the list of all
	Rows     []architectureRow
	Most     int // how many can stand side by side
}

// architectureLineData is a line of generations, the latest first.
type architectureLineData struct {
	ID          string // anchor
	Name        string
	Generations []architecture
}

// architecture is one generation.
type architecture struct {
	ID         string
	Name       string
	Vendor     string
	Href       string // the generation alone
	Announced  string
	Chip       string
	Process    string
	Transistor string // in billions
	Die        string
	Introduced []sourcedText
	Unit       []sourcedText
	Chips      []architectureChip
	Cards      []ui.Link
}

// architectureChip is a chip of the cards of a generation.
type architectureChip struct {
	Name       string
	Process    string
	Transistor string // in billions
	Die        string
	Cards      int
}

// architectureRow is a quantity of the chosen generations.
type architectureRow struct {
	Label string
	Unit  string
	Cells []architectureCellData
}

// architectureCellData is the value of one generation, with what other sources say.
type architectureCellData struct {
	ui.SourcedValue
	Also   []ui.Link     // sources that say the same
	Others []otherSource // other values
}

// otherSource is a value that is not the one shown.
type otherSource struct {
	ui.SourcedValue
	Superseded string
}

// sourcedText is a sentence with who says so.
type sourcedText struct {
	Text   string
	Source ui.Link
}

// timelineData is a chart of generations by the date of their announcement: a lane for
// each line. Coordinates are in the units of the view box.
type timelineData struct {
	Width, Height int
	Ticks         []ui.TimelineTick
	Lanes         []timelineLane
}

// timelineLane is a line of generations.
type timelineLane struct {
	Label  string
	Y      int // of its upper edge
	Height int
	Marks  []timelineMark
}

// timelineMark is a generation.
type timelineMark struct {
	X, Y  int
	Label string
	Title string
	Href  string
}

// ecosystemData shows what the vendors call the same thing.
type ecosystemData struct {
	ui.Layout

	Vendors []string
	Rows    []equivalentRow
}

// equivalentRow is one role.
type equivalentRow struct {
	ID    string
	Role  string
	Names []sourcedText // by Ecosystem.Vendors; empty where nothing is known
}

// glossaryData shows the terms of the field.
type glossaryData struct {
	ui.Layout

	Terms []glossaryTerm
}

// glossaryTerm is an abbreviation and what it stands for.
type glossaryTerm struct {
	ID       string
	Term     string
	Meanings []glossaryMeaning
}

// glossaryMeaning is one of the things that a term stands for.
type glossaryMeaning struct {
	Name   string
	Text   string
	Source ui.Link
}
