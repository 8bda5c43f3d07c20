package view

// Architectures shows generations: all of them by line and on a timeline, or the
// chosen ones side by side.
type Architectures struct {
	Layout

	Timeline Timeline
	Lines    []ArchitectureLine
	Chosen   []Architecture // side by side; none: the list of all
	Rows     []ArchitectureRow
	Most     int // how many can stand side by side
}

// ArchitectureLine is a line of generations, the latest first.
type ArchitectureLine struct {
	ID          string // anchor
	Name        string
	Generations []Architecture
}

// Architecture is one generation.
type Architecture struct {
	ID         string
	Name       string
	Vendor     string
	Href       string // the generation alone
	Announced  string
	Chip       string
	Process    string
	Transistor string // in billions
	Die        string
	Introduced []SourcedText
	Unit       []SourcedText
	Chips      []ArchitectureChip
	Cards      []Link
}

// ArchitectureChip is a chip of the cards of a generation.
type ArchitectureChip struct {
	Name       string
	Process    string
	Transistor string // in billions
	Die        string
	Cards      int
}

// ArchitectureRow is a quantity of the chosen generations.
type ArchitectureRow struct {
	Label string
	Unit  string
	Cells []ArchitectureCell
}

// ArchitectureCell is the value of one generation, with what other sources say.
type ArchitectureCell struct {
	SourcedValue
	Also   []Link        // sources that say the same
	Others []OtherSource // other values
}

// OtherSource is a value that is not the one shown.
type OtherSource struct {
	SourcedValue
	Superseded string
}

// SourcedText is a sentence with who says so.
type SourcedText struct {
	Text   string
	Source Link
}

// Timeline is a chart of generations by the date of their announcement: a lane for
// each line. Coordinates are in the units of the view box.
type Timeline struct {
	Width, Height int
	Ticks         []TimelineTick
	Lanes         []TimelineLane
}

// TimelineTick is the begin of a year.
type TimelineTick struct {
	X     int
	Label string
}

// TimelineLane is a line of generations.
type TimelineLane struct {
	Label  string
	Y      int // of its upper edge
	Height int
	Marks  []TimelineMark
}

// TimelineMark is a generation.
type TimelineMark struct {
	X, Y  int
	Label string
	Title string
	Href  string
}

// Ecosystem shows what the vendors call the same thing.
type Ecosystem struct {
	Layout

	Vendors []string
	Rows    []EquivalentRow
}

// EquivalentRow is one role.
type EquivalentRow struct {
	ID    string
	Role  string
	Names []SourcedText // by Ecosystem.Vendors; empty where nothing is known
}

// Glossary shows the terms of the field.
type Glossary struct {
	Layout

	Terms []GlossaryTerm
}

// GlossaryTerm is an abbreviation and what it stands for.
type GlossaryTerm struct {
	ID       string
	Term     string
	Meanings []GlossaryMeaning
}

// GlossaryMeaning is one of the things that a term stands for.
type GlossaryMeaning struct {
	Name   string
	Text   string
	Source Link
}
