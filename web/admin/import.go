package admin

import "tianti/web/ui"

// importStart is the page where a file is handed in.
type importStart struct {
	ui.Layout
	Crumbs  []ui.Link
	Action  string // where the form goes
	Most    string // the largest file that is taken: "1 GiB"
	Formats []formatRow
	Drafts  []draftRowData
	Pager   ui.Pager         // of the drafts
	Problem *fileProblemData // of the file that was just handed in
	Text    string           // that was pasted, to be fixed
}

// formatRow is a format that is known.
type formatRow struct {
	ID, Title, About, Holds string
}

// draftRowData is a preview that waits for a decision.
type draftRowData struct {
	File    ui.Link
	Dataset string
	When    string
	By      string
	Holds   string
}

// fileProblemData says why a file cannot be taken.
type fileProblemData struct {
	Text  string
	Place string // "vms.csv:3:14"; may be empty
	Raw   string // the cause in English, where there are no words of our own; may be empty
}

// importDraft is what an import would change, or, of a revision, has changed.
type importDraft struct {
	ui.Layout
	Crumbs  []ui.Link
	File    string
	Facts   []namedText // of the file and the draft: format, size, SHA-256, who, when
	Base    string      // address of the draft, to which its forms go; empty for a revision
	Verdict importVerdict
	Totals  []ui.Total

	Problems    []importProblemData
	Needs       []string // what must be chosen before the file can be read, where no field shows it
	Unclear     []unclearName
	MoreUnclear []unclearName // folded away
	Matches     []nameMatch
	MoreMatches string
	Near        []nearName // cards that would be made, and what they are like
	Unused      string     // choices that nothing in the file bears
	Columns     []columnChoice
	Choices     []choiceFieldData
	Groups      []groupBox
	OpenChoices bool   // the choices are not folded away
	Ignored     string // which columns of a table nothing is taken from

	Filter        diffFilterData
	Changes       []ui.Link // kinds of change, with counts
	Cards         []cardDiffData
	Pager         ui.Pager
	Conflicts     []conflictRow
	MoreConflicts string
	Prices        []priceDelta
	Examples      []priceExample // a few of those that are added
	Left          []leftGroup
	Downloads     []ui.Link
	Revisions     ui.Link // of the dataset
}

// ChangeFilter narrows the cards of a preview.
type diffFilterData struct {
	Action, Text, Kind string
	Show               bool // there is something to narrow
}

// namedText is a name and what stands for it.
type namedText struct {
	Label, Value string
	Code         bool // the value is an identifier
}

// importVerdict says whether the draft can be applied.
type importVerdict struct {
	Word string
	Kind string // "good", "bad", "unsure" or "dim"
	Text string
	Can  bool
}

// importProblemData is a rule that keeps a draft from being applied.
type importProblemData struct {
	Place, Rule, RuleURL, Text string
}

// unclearName is a name of the file that means several cards, or none.
type unclearName struct {
	Field   string // of the form
	Name    string
	Rows    string
	Why     string
	Options []ui.Option
}

// nameMatch is which card a name was taken for, and why.
type nameMatch struct {
	Name, Offers string
	Card         ui.Link
	Why, Sure    string
	Rows         string
}

// nearName is a card that the import would make and what it may be the same as.
type nearName struct {
	Name string
	Like []ui.Link
}

// columnChoice is a column of a table and what it is taken for.
type columnChoice struct {
	Field, Column string
	Options       []ui.Option
}

// choiceFieldData is a choice of the form.
type choiceFieldData struct {
	ID, Label, Help string
	Value           string
	Options         []ui.Option // nil: a line of text
	Date            bool
	Invalid         string // what is wrong with the value
	English         bool   // Invalid has no words but the program's own
}

// groupBox is a part of the file that may be left out.
type groupBox struct {
	ID, Label, Count string
	Checked          bool
}

// CardChange is what changes of a card.
type cardDiffData struct {
	Card    ui.Link
	Kind    string // "added", "changed", "removed"
	Word    string
	Fields  []fieldDiff
	Figures []figureDiff
	More    string // how many figures are not listed
}

// FieldChange is a part of a card's identity.
type fieldDiff struct {
	Label, Old, New string
}

// FigureChange is a value before and after.
type figureDiff struct {
	Quantity     ui.Link
	Unit         string
	Old, New     string // empty: there is none
	Source       string
	SourceBefore string // where the old value is from another one
	Shown        string // what changes of what the catalogue shows; may be empty
}

// ConflictChange is a figure that another dataset contradicts.
type conflictRow struct {
	Card, Quantity     ui.Link
	Value, Other, Unit string
	From               string // the other one's source
	Dataset            string // the other one's
	Wins               string // which one is shown
}

// priceDelta counts the prices of a kind.
type priceDelta struct {
	Label, Added, Same, Removed string
}

// priceExample is one of the prices of an import.
type priceExample struct {
	Kind   string
	Card   ui.Link // Href is empty while the catalogue does not have the card
	Amount string
	Unit   string
	Cards  string // that it is for, when several
	Offer  string // who asks it, for what and where
	Date   string
}

// leftGroup is rows that are left out for one reason.
type leftGroup struct {
	Reason, Count, About string
	Rows                 []leftRow
	More                 ui.Link
}

// leftRow is a row that is left out.
type leftRow struct {
	Line, Name, Field, Text string
}

// datasets is the list of datasets.
type datasets struct {
	ui.Layout
	Crumbs  []ui.Link
	Rows    []datasetState
	Offer   *draftRowData // newer built-in data
	Feeds   []feedRow
	Every   string // how often feeds are looked at
	Problem string
}

// feedRow is a feed and what became of its last look.
type feedRow struct {
	ID, Address string
	Dataset     ui.Link
	Checked     string
	Taken       string // when its last usable file was read; may be empty
	Next        string // may be empty
	Tone        string // of the outcome, a class: good, unsure, bad or nothing
	Outcome     string
	Why         string  // may be empty
	Look        ui.Link // at the draft or revision; may be empty
}

// datasetState is a dataset.
type datasetState struct {
	Name    ui.Link
	ID      string
	Rank    string
	RankURL string // where its rank goes
	Active  string // of its active revision; empty: none
	Holds   string
	Updated string
}

// datasetPage is a dataset with its revisions.
type datasetPage struct {
	ui.Layout
	ID, Name  string
	Crumbs    []ui.Link
	Done      string // what has just been done
	Undo      *undoForm
	Base      string // address, to which its forms go
	Revisions []revisionRowData
	Pager     ui.Pager
	CanOff    bool
}

// undoForm takes the last import back.
type undoForm struct {
	To    string // number of the revision; "0" for none
	Label string
}

// revisionRowData is an applied import.
type revisionRowData struct {
	Number, When, By, Note string
	File                   ui.Link // to have it; Href is empty when it is not kept
	SHA                    string
	Holds                  string
	Changes                ui.Link
	Active                 bool
}

// correctionData is the form for a figure of a card.
type correctionData struct {
	ui.Layout
	Crumbs   []ui.Link
	Card     string
	Quantity string
	Unit     string
	Note     string // the quantity's definition
	Action   string
	Current  []ui.SourcedValue
	Fields   []choiceFieldData
	Problem  string
	Remove   bool // there is a correction, which may be taken away
}

// corrections lists the quantities of a card that can be corrected.
type corrections struct {
	ui.Layout
	Crumbs []ui.Link
	Card   string
	Groups []correctionGroup
}

// correctionGroup is a group of quantities.
type correctionGroup struct {
	ID, Label string
	Rows      []correctionRowData
}

// correctionRowData is a quantity with what is shown of it.
type correctionRowData struct {
	Quantity ui.Link // to the form
	Value    string
	Unit     string
	Own      bool // it was corrected here
}

// Log is the audit log.
type auditLogData struct {
	ui.Layout
	Crumbs  []ui.Link
	Action  string
	Text    string
	Kinds   []ui.Option
	Rows    []auditEntry
	Pager   ui.Pager
	Total   string
	Exports []ui.Link
}

// LogEntry is a line of the record.
type auditEntry struct {
	When, Who, Channel, Did, What, Subject string // Did is What in words; empty where there are none
	Fields                                 []auditField
}

// LogField is a detail of a line of the record.
type auditField struct{ Name, Value string }
