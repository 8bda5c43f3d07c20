// Package pricefile writes histories of prices as Parquet files that other programs read, and says what is in them.
package pricefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"tianti/catalog"
	"tianti/sorting"
	"tianti/tablefile"
)

// A Part is a file with some prices of a dataset.
type Part struct {
	Dataset   string       `json:"dataset"`
	SHA256    string       `json:"sha256"` // of the file, in hex
	Size      int64        `json:"size"`   // of the file, in bytes
	Prices    int          `json:"prices"`
	FirstCard string       `json:"first_card"` // ids of cards lie between these
	LastCard  string       `json:"last_card"`
	From      catalog.Date `json:"from"` // prices are of days between these
	To        catalog.Date `json:"to"`
	MadeOf    string       `json:"made_of"` // changes with the prices: equal ones need not be written again
}

// A Source is what a price is from.
type Source struct {
	Publisher string       `json:"publisher"`
	Title     string       `json:"title"`
	URL       string       `json:"url,omitempty"`
	Kind      string       `json:"kind"`
	Published catalog.Date `json:"published,omitempty"`
}

// A History lists the parts of all prices.
type History struct {
	Format  int                          `json:"format"`
	Parts   []Part                       `json:"parts"`
	Sources map[string]map[string]Source `json:"sources"` // by dataset and id
}

// Format is the version of what is written.
const Format = 1

// Prices is how many prices there are.
func (h *History) Prices() (n int) {
	for i := range h.Parts {
		n += h.Parts[i].Prices
	}
	return n
}

// Encode is the list as JSON; equal lists give equal bytes.
func (h *History) Encode() []byte {
	text, err := json.MarshalIndent(h, "", "\t")
	if err != nil {
		panic(err) // texts and numbers marshal
	}
	return append(text, '\n')
}

var isSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Parse reads what [History.Encode] wrote, or anybody.
func Parse(text []byte) (h History, err error) {
	if err := json.Unmarshal(text, &h); err != nil {
		return History{}, fmt.Errorf("the list of a history cannot be read: %w", err)
	}
	if h.Format != Format {
		return History{}, fmt.Errorf("the list of a history has format %d, want %d", h.Format, Format)
	}
	for i := range h.Parts {
		if p := &h.Parts[i]; !isSum.MatchString(p.SHA256) || p.Size < 1 || p.Prices < 1 || p.MadeOf == "" {
			return History{}, fmt.Errorf("part %d of a history has no hash, size or number of prices", i)
		}
	}
	return h, nil
}

// columns are those of a file.
var columns = [columnCount]tablefile.Column{
	ofCard:     {Name: "card"},
	ofKind:     {Name: "kind"},
	ofDate:     {Name: "date"}, // to the day or the month; of launch prices to the year
	ofAmount:   {Name: "amount", Kind: tablefile.Int64s, Scale: 6, Precision: 18},
	ofCurrency: {Name: "currency"},
	ofUnit:     {Name: "unit"},
	ofCards:    {Name: "cards", Kind: tablefile.Int32s},
	ofTerm:     {Name: "term_months", Kind: tablefile.Int32s},
	ofSeller:   {Name: "seller"},
	ofInstance: {Name: "instance"},
	ofRegion:   {Name: "region"},
	ofTax:      {Name: "tax"},
	ofSource:   {Name: "source"},
	ofNoteEn:   {Name: "note_en"},
	ofNoteZh:   {Name: "note_zh"},
	ofPlace:    {Name: "place", Kind: tablefile.Steps}, // earlier ones of a dataset came before
}

// A Writer writes a file: the prices of one card after the other. Equal prices give equal bytes.
type Writer struct {
	w    *tablefile.Columns
	card string
}

// NewWriter begins a file.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: tablefile.NewColumns(w, columns[:], ofCard, ofDate, ofPlace)}
}

// ErrOrder is a card that comes behind one with a greater id.
var ErrOrder = errors.New("cards are not in order")

// Write writes the prices of a card, whose id is greater than that of the card before, by day.
func (w *Writer) Write(card string, list []catalog.PlacedPrice) error {
	if card <= w.card {
		return fmt.Errorf("%q behind %q: %w", card, w.card, ErrOrder)
	}
	w.card = card
	sorting.Func(list, func(a, b catalog.PlacedPrice) int {
		switch {
		case a.Date < b.Date:
			return -1
		case a.Date > b.Date:
			return 1
		}
		return a.Place - b.Place
	})
	for i := range list {
		p := &list[i]
		w.w.Text(ofCard, card)
		w.w.Text(ofKind, string(p.Kind))
		w.w.Text(ofDate, string(p.Date))
		w.w.Int(ofAmount, p.Amount.Micros)
		w.w.Text(ofCurrency, p.Amount.Currency)
		w.w.Text(ofUnit, string(p.Unit))
		w.w.Int(ofCards, int64(p.Cards))
		w.w.Int(ofTerm, int64(p.Term))
		w.w.Text(ofSeller, p.Seller)
		w.w.Text(ofInstance, p.Instance)
		w.w.Text(ofRegion, p.Region)
		w.w.Text(ofTax, string(p.Tax))
		w.w.Text(ofSource, p.Source)
		w.w.Text(ofNoteEn, p.Note.En)
		w.w.Text(ofNoteZh, p.Note.Zh)
		w.w.Int(ofPlace, int64(p.Place))
	}
	return nil
}

// Close ends the file.
func (w *Writer) Close() error { return w.w.Close() }
