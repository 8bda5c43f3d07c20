package view

// ImportStart is the page where a file is handed in.
type ImportStart struct {
	Layout
	Crumbs  []Link
	Action  string // where the form goes
	Most    string // the largest file that is taken: "1 GiB"
	Formats []FormatRow
	Drafts  []DraftRow
	Pager   Pager        // of the drafts
	Problem *FileProblem // of the file that was just handed in
	Text    string       // that was pasted, to be mended
}

// FormatRow is a format that is known.
type FormatRow struct {
	ID, Title, About, Holds string
}

// DraftRow is a preview that waits for a decision.
type DraftRow struct {
	File    Link
	Dataset string
	When    string
	By      string
	Holds   string
}

// FileProblem says why a file cannot be taken.
type FileProblem struct {
	Text  string
	Place string // "vms.csv:3:14"; may be empty
	Raw   string // the cause in English, where there are no words of our own; may be empty
}

// ImportDraft is what an import would change, or, of a revision, has changed.
type ImportDraft struct {
	Layout
	Crumbs  []Link
	File    string
	Facts   []NamedText // of the file and the draft: format, size, SHA-256, who, when
	Base    string      // address of the draft, to which its forms go; empty for a revision
	Verdict ImportVerdict
	Totals  []Total

	Problems    []ImportProblem
	Needs       []string // what must be chosen before the file can be read, where no field shows it
	Unclear     []UnclearName
	MoreUnclear []UnclearName // folded away
	Columns     []ColumnChoice
	Choices     []ChoiceField
	Groups      []GroupBox
	OpenChoices bool   // the choices are not folded away
	Ignored     string // which columns of a table nothing is taken from

	Filter        ChangeFilter
	Changes       []Link // kinds of change, with counts
	Cards         []CardChange
	Pager         Pager
	Conflicts     []ConflictChange
	MoreConflicts string
	Prices        []PriceDelta
	Examples      []PriceExample // a few of those that are added
	Left          []LeftGroup
	Downloads     []Link
	Revisions     Link // of the dataset
}

// ChangeFilter narrows the cards of a preview.
type ChangeFilter struct {
	Action, Text, Kind string
	Show               bool // there is something to narrow
}

// NamedText is a name and what stands for it.
type NamedText struct {
	Label, Value string
	Code         bool // the value is an identifier
}

// ImportVerdict says whether the draft can be applied.
type ImportVerdict struct {
	Word string
	Kind string // "good", "bad", "unsure" or "dim"
	Text string
	Can  bool
}

// ImportProblem is a rule that keeps a draft from being applied.
type ImportProblem struct {
	Place, Rule, RuleURL, Text string
}

// UnclearName is a name of the file that means several cards, or none.
type UnclearName struct {
	Field   string // of the form
	Name    string
	Rows    string
	Why     string
	Options []Option
}

// ColumnChoice is a column of a table and what it is taken for.
type ColumnChoice struct {
	Field, Column string
	Options       []Option
}

// ChoiceField is a choice of the form.
type ChoiceField struct {
	ID, Label, Help string
	Value           string
	Options         []Option // nil: a line of text
	Date            bool
	Invalid         string // what is wrong with the value
	English         bool   // Invalid has no words but the program's own
}

// GroupBox is a part of the file that may be left out.
type GroupBox struct {
	ID, Label, Count string
	Checked          bool
}

// CardChange is what changes of a card.
type CardChange struct {
	Card    Link
	Kind    string // "added", "changed", "removed"
	Word    string
	Fields  []FieldChange
	Figures []FigureChange
	More    string // how many figures are not listed
}

// FieldChange is a part of a card's identity.
type FieldChange struct {
	Label, Old, New string
}

// FigureChange is a value before and after.
type FigureChange struct {
	Quantity     Link
	Unit         string
	Old, New     string // empty: there is none
	Source       string
	SourceBefore string // where the old value is from another one
	Shown        string // what changes of what the catalogue shows; may be empty
}

// ConflictChange is a figure that another dataset contradicts.
type ConflictChange struct {
	Card, Quantity     Link
	Value, Other, Unit string
	From               string // the other one's source
	Dataset            string // the other one's
	Wins               string // which one is shown
}

// PriceDelta counts the prices of a kind.
type PriceDelta struct {
	Label, Added, Same, Removed string
}

// PriceExample is one of the prices of an import.
type PriceExample struct {
	Kind   string
	Card   Link // Href is empty while the catalogue does not have the card
	Amount string
	Unit   string
	Cards  string // that it is for, when several
	Offer  string // who asks it, for what and where
	Date   string
}

// LeftGroup is rows that are left out for one reason.
type LeftGroup struct {
	Reason, Count, About string
	Rows                 []LeftRow
	More                 Link
}

// LeftRow is a row that is left out.
type LeftRow struct {
	Line, Name, Field, Text string
}

// Datasets is the list of datasets.
type Datasets struct {
	Layout
	Crumbs  []Link
	Rows    []DatasetState
	Offer   *DraftRow // newer built-in data
	Problem string
}

// DatasetState is a dataset.
type DatasetState struct {
	Name    Link
	ID      string
	Rank    string
	RankURL string // where its rank goes
	Active  string // of its active revision; empty: none
	Holds   string
	Updated string
}

// DatasetPage is a dataset with its revisions.
type DatasetPage struct {
	Layout
	ID, Name  string
	Crumbs    []Link
	Done      string // what has just been done
	Undo      *UndoForm
	Base      string // address, to which its forms go
	Revisions []RevisionRow
	Pager     Pager
	CanOff    bool
}

// UndoForm takes the last import back.
type UndoForm struct {
	To    string // number of the revision; "0" for none
	Label string
}

// RevisionRow is an applied import.
type RevisionRow struct {
	Number, When, By, Note string
	File                   Link // to have it; Href is empty when it is not kept
	SHA                    string
	Holds                  string
	Changes                Link
	Active                 bool
}

// Correction is the form for a figure of a card.
type Correction struct {
	Layout
	Crumbs   []Link
	Card     string
	Quantity string
	Unit     string
	Note     string // the quantity's definition
	Action   string
	Current  []SourcedValue
	Fields   []ChoiceField
	Problem  string
	Remove   bool // there is a correction, which may be taken away
}

// Corrections lists the quantities of a card that can be corrected.
type Corrections struct {
	Layout
	Crumbs []Link
	Card   string
	Groups []CorrectionGroup
}

// CorrectionGroup is a group of quantities.
type CorrectionGroup struct {
	ID, Label string
	Rows      []CorrectionRow
}

// CorrectionRow is a quantity with what is shown of it.
type CorrectionRow struct {
	Quantity Link // to the form
	Value    string
	Unit     string
	Own      bool // it was corrected here
}

// Log is the record of changes.
type Log struct {
	Layout
	Crumbs  []Link
	Action  string
	Text    string
	Kinds   []Option
	Rows    []LogRow
	Pager   Pager
	Total   string
	Exports []Link
}

// LogRow is a line of the record.
type LogRow struct {
	When, Who, Via, Did, What, Subject string // Did is What in words; empty where there are none
	Fields                             []LogField
}

// LogField is a detail of a line of the record.
type LogField struct{ Name, Value string }
