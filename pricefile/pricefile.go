// Package pricefile writes histories of prices as Parquet files that other programs read, and says what is in them.
package pricefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"tianti/catalog"
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

// row is a price as a file has it.
type row struct {
	Card       string `parquet:"card,dict"`
	Kind       string `parquet:"kind,dict"`
	Date       string `parquet:"date,dict"` // to the day or the month; of launch prices to the year
	Amount     int64  `parquet:"amount,decimal(6:18)"`
	Currency   string `parquet:"currency,dict"`
	Unit       string `parquet:"unit,dict"`
	Cards      int32  `parquet:"cards"`
	TermMonths int32  `parquet:"term_months"`
	Seller     string `parquet:"seller,dict"`
	Instance   string `parquet:"instance,dict"`
	Region     string `parquet:"region,dict"`
	Tax        string `parquet:"tax,dict"`
	Source     string `parquet:"source,dict"`
	NoteEn     string `parquet:"note_en,dict"`
	NoteZh     string `parquet:"note_zh,dict"`
	Place      int64  `parquet:"place,delta"` // earlier ones of a dataset came before
}

// A Writer writes a file: the prices of one card after the other. Equal prices give equal bytes.
type Writer struct {
	w    *parquet.GenericWriter[row]
	rows []row
	card string
}

// codec is of all files: its encoders are large. A writer is not used again, as equal prices would give other bytes.
var codec = zstd.Codec{Level: zstd.DefaultLevel, Concurrency: 1}

// NewWriter begins a file.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: parquet.NewGenericWriter[row](w, parquet.Compression(&codec),
		parquet.CreatedBy("Tianti", "", ""), parquet.SortingWriterConfig(
			parquet.SortingColumns(parquet.Ascending("card"), parquet.Ascending("date"), parquet.Ascending("place"))))}
}

// ErrOrder is a card that comes behind one with a greater id.
var ErrOrder = errors.New("cards are not in order")

// Write writes the prices of a card, whose id is greater than that of the card before, by day.
func (w *Writer) Write(card string, list []catalog.PlacedPrice) error {
	if card <= w.card {
		return fmt.Errorf("%q behind %q: %w", card, w.card, ErrOrder)
	}
	w.card = card
	slices.SortFunc(list, func(a, b catalog.PlacedPrice) int {
		switch {
		case a.Date < b.Date:
			return -1
		case a.Date > b.Date:
			return 1
		}
		return a.Place - b.Place
	})
	w.rows = w.rows[:0]
	for i := range list {
		p := &list[i]
		w.rows = append(w.rows, row{Card: card, Kind: string(p.Kind), Date: string(p.Date), Amount: p.Amount.Micros,
			Currency: p.Amount.Currency, Unit: string(p.Unit), Cards: int32(p.Cards), TermMonths: int32(p.Term),
			Seller: p.Seller, Instance: p.Instance, Region: p.Region, Tax: string(p.Tax), Source: p.Source,
			NoteEn: p.Note.En, NoteZh: p.Note.Zh, Place: int64(p.Place)})
	}
	_, err := w.w.Write(w.rows)
	return err
}

// Close ends the file.
func (w *Writer) Close() error { return w.w.Close() }
