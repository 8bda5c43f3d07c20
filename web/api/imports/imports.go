// Package imports has the shapes in which the JSON API and the commands tell administrators of imports, datasets and
// the audit log. It stands apart from those of everybody, which need no reader of files.
package imports

import (
	"encoding/json"
	"strconv"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/diff"
	"tianti/format"
	"tianti/importer"
)

// Import is a preview of what an import would change, or, of an applied revision,
// what it has changed.
type Import struct {
	ID        int64            `json:"id" doc:"number of the revision that it is or will be"`
	State     string           `json:"state" enum:"ready,applied"`
	File      importFile       `json:"file"`
	Dataset   importDataset    `json:"dataset" doc:"as it is now"`
	By        string           `json:"by" doc:"account that handed the file in"`
	Created   time.Time        `json:"created"`
	Base      int64            `json:"base" doc:"revision that it was compared with; 0: none"`
	Moved     bool             `json:"moved" doc:"another revision is active by now: make another preview"`
	Options   importer.Options `json:"options" doc:"as used"`
	Summary   importer.Summary `json:"summary"`
	Cards     map[string]int   `json:"cards" doc:"numbers of cards added, changed, removed, untouched"`
	Figures   map[string]int   `json:"figures" doc:"the same of figures"`
	Changes   importChanges    `json:"changes"`
	Conflicts []conflict       `json:"conflicts" doc:"figures that other datasets contradict by more than rounding; at most 1000"`
	Revision  *Revision        `json:"revision,omitempty" doc:"what it has become, when it was applied by this request"`
}

// importFile is a file that was handed in.
type importFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size" doc:"bytes"`
}

// importDataset is the dataset of an import.
type importDataset struct {
	ID     string `json:"id"`
	Rank   int    `json:"rank"`
	Active int64  `json:"active" doc:"revision; 0: none"`
}

// importChanges is a page of the cards that differ.
type importChanges struct {
	Items []CardChange `json:"items"`
	Total int          `json:"total"`
	Next  *string      `json:"next"`
}

// CardChange is what changes of a card.
type CardChange struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind" enum:"added,changed,removed,untouched" doc:"untouched: of its own figures none differs, but others are shown"`
	New      bool           `json:"new" doc:"no dataset has the card yet"`
	Identity []fieldChange  `json:"identity"`
	Figures  []figureChange `json:"figures"`
}

// fieldChange is a part of a card's identity.
type fieldChange struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// figureChange is a figure before and after.
type figureChange struct {
	Quantity     string       `json:"quantity"`
	Kind         string       `json:"kind" enum:"added,changed,removed,untouched"`
	Old          *string      `json:"old"`
	New          *string      `json:"new"`
	Source       string       `json:"source" doc:"title"`
	SourceBefore string       `json:"source_before,omitempty" doc:"title, where another source gave the old value"`
	Shown        *shownChange `json:"shown" doc:"what the catalogue shows before and after; null when that stays"`
}

// shownChange is what the catalogue shows of a quantity.
type shownChange struct {
	Before        string `json:"before"`
	After         string `json:"after"`
	BeforeDataset string `json:"before_dataset"`
	AfterDataset  string `json:"after_dataset"`
}

// conflict is a figure that another dataset contradicts.
type conflict struct {
	Card         string `json:"card"`
	Quantity     string `json:"quantity"`
	Value        string `json:"value"`
	Other        string `json:"other"`
	OtherDataset string `json:"other_dataset"`
	OtherSource  string `json:"other_source"`
	Wins         bool   `json:"wins" doc:"the figure of this import is the one shown"`
}

// maxConflicts bounds the conflicts of an answer.
const maxConflicts = 1000

// PreviewOf gives a preview its shape, with the cards from the from-th on; next is
// the address of those after them.
func PreviewOf(p *importer.Preview, from, limit int, next func(from int) string) Import {
	d := &p.Draft
	out := Import{
		ID: d.ID, State: string(d.State), File: importFile(d.File), By: d.By.Name, Created: d.Created, Base: d.Base,
		Options: d.Options, Summary: d.Summary,
		Dataset: importDataset{p.Dataset.ID, p.Dataset.Rank, p.Dataset.Active}, Moved: d.State != importer.Applied &&
			p.Dataset.Active != d.Base,
		Cards: kindCounts(p.Report.Counts), Figures: kindCounts(p.Report.Figures), Conflicts: []conflict{},
		Changes: importChanges{Items: []CardChange{}, Total: len(p.Report.Cards)},
	}
	from = min(max(from, 0), len(p.Report.Cards))
	to := min(from+limit, len(p.Report.Cards))
	for i := range p.Report.Cards[from:to] {
		out.Changes.Items = append(out.Changes.Items, cardChange(&p.Report.Cards[from+i]))
	}
	if to < len(p.Report.Cards) && next != nil {
		at := next(to)
		out.Changes.Next = &at
	}
	for _, c := range p.Report.Conflicts[:min(maxConflicts, len(p.Report.Conflicts))] {
		out.Conflicts = append(out.Conflicts, conflict(c))
	}
	return out
}

func kindCounts(counts map[diff.Kind]int) map[string]int {
	out := map[string]int{}
	for _, k := range []diff.Kind{diff.Added, diff.Changed, diff.Removed, diff.Untouched} {
		out[string(k)] = counts[k]
	}
	return out
}

func cardChange(c *diff.Card) CardChange {
	out := CardChange{ID: c.ID, Name: c.Name, Kind: string(c.Kind), New: c.New, Identity: []fieldChange{},
		Figures: []figureChange{}}
	for _, f := range c.Identity {
		out.Identity = append(out.Identity, fieldChange{f.Name, f.Old, f.New})
	}
	for i := range c.Figures {
		f := &c.Figures[i]
		v := figureChange{Quantity: f.Quantity, Kind: string(f.Kind), Source: f.Source, SourceBefore: f.Before,
			Old: FactText(f.Old), New: FactText(f.New)}
		if f.Shown != nil {
			v.Shown = &shownChange{f.Shown.Before, f.Shown.After, f.Shown.BeforeDataset, f.Shown.AfterDataset}
		}
		out.Figures = append(out.Figures, v)
	}
	return out
}

// FactText is the value of a fact as data files have it; nil for none.
func FactText(f *catalog.Fact) *string {
	if f == nil {
		return nil
	}
	text := f.Text
	if text == "" {
		text = strconv.FormatFloat(f.Number, 'f', -1, 64)
	}
	return &text
}

// LeftOut is a page of the rows that an import leaves out.
type LeftOut struct {
	Items []leftRow `json:"items"`
	Total int       `json:"total"`
	Next  *string   `json:"next"`
}

// leftRow is a row that is not taken, or a part of one.
type leftRow struct {
	Line    int    `json:"line" doc:"of the file, from 1; 0: the file as a whole"`
	Name    string `json:"name" doc:"of the card, as the file has it"`
	Field   string `json:"field"`
	Reason  string `json:"reason" doc:"not-accelerator, no-price, no-value, bad-value, ambiguous, unknown, chosen, duplicate, invalid, part or placeholder"`
	Message string `json:"message"`
}

// LeftRows gives rows that are left out their shape.
func LeftRows(list []format.Skipped) []leftRow {
	out := make([]leftRow, len(list))
	for i, l := range list {
		out[i] = leftRow{l.Line, l.Name, l.Field, string(l.Reason), l.Message}
	}
	return out
}

// DatasetList lists the datasets.
type DatasetList struct {
	Items []DatasetItem `json:"items" doc:"the highest rank first"`
}

// DatasetItem is a dataset without its facts.
type DatasetItem struct {
	ID        string       `json:"id"`
	Title     catalog.Text `json:"title"`
	Rank      int          `json:"rank" doc:"of several values the highest rank's is shown"`
	Active    int64        `json:"active" doc:"revision; 0: none"`
	Revisions int          `json:"revisions"`
}

// DatasetDetail is a dataset with its revisions.
type DatasetDetail struct {
	DatasetItem
	History []Revision `json:"history" doc:"the newest first"`
}

// Revision is an applied import.
type Revision struct {
	Number  int64     `json:"number"`
	Dataset string    `json:"dataset"`
	Created time.Time `json:"created"`
	By      string    `json:"by"`
	File    string    `json:"file" doc:"name; empty: there was none"`
	SHA256  string    `json:"sha256"`
	Format  string    `json:"format"`
	Note    string    `json:"note"`
	Cards   int       `json:"cards"`
	Figures int       `json:"figures"`
	Prices  int       `json:"prices"`
	Rates   int       `json:"rates"`
	Active  bool      `json:"active"`
	Kept    bool      `json:"kept" doc:"the file can be had"`
}

// DatasetOf and RevisionOf give what the store tells its shape.
func DatasetOf(d importer.Dataset) DatasetItem { return DatasetItem(d) }

// RevisionOf gives an applied import its shape.
func RevisionOf(r importer.Revision) Revision {
	return Revision{r.Number, r.Dataset, r.Created, r.Author, r.File, r.SHA256, r.Format, r.Note, r.Cards, r.Figures,
		r.Prices, r.Rates, r.Active, r.HasFile}
}

// ChangeLog is a page of the audit log.
type ChangeLog struct {
	Items []logEntry `json:"items" doc:"the newest first"`
	Total int        `json:"total"`
	Next  *string    `json:"next"`
}

// logEntry is a line of the audit log.
type logEntry struct {
	Number  int64          `json:"number"`
	At      time.Time      `json:"at"`
	Actor   string         `json:"actor"`
	Via     string         `json:"via" enum:"page,api,command,program"`
	Address string         `json:"address,omitempty"`
	Action  string         `json:"action"`
	Subject string         `json:"subject"`
	Detail  map[string]any `json:"detail"`
}

// LogEntries gives lines of the record their shape.
func LogEntries(list []audit.Entry) []logEntry {
	out := make([]logEntry, len(list))
	for i, e := range list {
		out[i] = logEntry{e.Number, e.At, e.Actor.Name, string(e.Actor.Channel), e.Actor.Address, e.Action,
			e.Subject, e.Detail}
		if out[i].Detail == nil {
			out[i].Detail = map[string]any{}
		}
	}
	return out
}

// LogColumns are those of the audit log as a table.
var LogColumns = []string{"number", "at", "actor", "via", "address", "action", "subject", "detail"}

// LogRow is a line of the record as a row of it.
func LogRow(e *audit.Entry) ([]string, error) {
	detail, err := json.Marshal(e.Detail)
	return []string{strconv.FormatInt(e.Number, 10), e.At.UTC().Format(time.RFC3339), e.Actor.Name,
		string(e.Actor.Channel), e.Actor.Address, e.Action, e.Subject, string(detail)}, err
}

// DraftList lists previews that wait for a decision.
type DraftList struct {
	Items []draftItem `json:"items" doc:"the newest first"`
}

// draftItem is a preview without its report.
type draftItem struct {
	ID       int64      `json:"id"`
	Dataset  string     `json:"dataset"`
	File     importFile `json:"file"`
	By       string     `json:"by"`
	Created  time.Time  `json:"created"`
	Problems int        `json:"problems" doc:"that keep it from being applied"`
	Nothing  bool       `json:"nothing" doc:"applying would change nothing"`
}

// DraftsOf gives drafts their shape.
func DraftsOf(list []importer.Draft) DraftList {
	out := DraftList{Items: []draftItem{}}
	for _, d := range list {
		out.Items = append(out.Items, draftItem{d.ID, d.Options.Dataset, importFile(d.File), d.By.Name, d.Created,
			len(d.Summary.Problems), d.Summary.Nothing})
	}
	return out
}
