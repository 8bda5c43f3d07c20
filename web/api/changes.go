package api

// A ChangeList is what changed after one day, up to another one, or between two revisions of a dataset.
type ChangeList struct {
	Envelope
	From      string          `json:"from" doc:"the day after which, or the revision since which"`
	To        string          `json:"to" doc:"the day up to which, or the revision until which"`
	Recorded  bool            `json:"recorded" doc:"whether this server has a record of figures: readers of published snapshots have none"`
	Steps     []ChangeStep    `json:"steps" doc:"which revisions of which datasets were shown instead of others"`
	Announced []AnnouncedCard `json:"announced" doc:"cards announced between the days"`
	Cards     []ChangedCard   `json:"cards" doc:"cards whose figures or names differ, of which limit are on a page"`
	Total     int             `json:"total" doc:"how many such cards there are"`
	Prices    int             `json:"prices" doc:"how many offers have their latest price between the days"`
	Latest    []ChangedPrice  `json:"latest" doc:"the newest of those"`
	Counts    map[string]int  `json:"figures" doc:"how many figures were added, changed and removed"`
}

// A ChangeStep is a moment at which another revision of a dataset began to be shown.
type ChangeStep struct {
	At      string `json:"at" doc:"time, RFC 3339"`
	Dataset string `json:"dataset"`
	From    int64  `json:"from_revision" doc:"0: none was shown"`
	To      int64  `json:"to_revision" doc:"0: none is shown"`
}

// An AnnouncedCard is a card with the day of its announcement.
type AnnouncedCard struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Date string `json:"date"`
}

// A ChangedCard is a card that differs.
type ChangedCard struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Dataset string          `json:"dataset"`
	Kind    string          `json:"kind" enum:"added,changed,removed,untouched"`
	Names   []ChangedName   `json:"identity"`
	Figures []ChangedFigure `json:"figures"`
}

// A ChangedName is a part of what a card is called, or counts as.
type ChangedName struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// A ChangedFigure is a figure that differs.
type ChangedFigure struct {
	Metric       string `json:"metric"`
	Kind         string `json:"kind" enum:"added,changed,removed,untouched"`
	Before       any    `json:"before" doc:"null: there was none"`
	After        any    `json:"after" doc:"null: there is none"`
	SourceBefore string `json:"source_before,omitempty" doc:"title, where another source gave the value before"`
	Source       string `json:"source" doc:"title of the source"`
}

// A ChangedPrice is the latest price of an offer.
type ChangedPrice struct {
	Card     string `json:"card"`
	Kind     string `json:"kind"`
	Seller   string `json:"seller"`
	Amount   string `json:"amount" doc:"decimal, of one card, for an hour where it is rented"`
	Currency string `json:"currency"`
	Date     string `json:"date"`
}
