// Package format parses files of third-party formats and of Tianti's own, one record after another, so that a file of
// any size needs little memory.
//
// A [Format] recognizes its files by their content ([Detect]) and reads them into a [Sink]. It reports what the file
// states; a [Matcher] decides afterwards, by exact names alone, which card of the catalogue a [Subject] is. A row that
// is irrelevant or cannot be parsed is skipped with its line and a reason; nothing is repaired by guessing.
package format

import (
	"context"

	"tianti/catalog"
)

// Holds is the kind of records in the files of a format.
type Holds string

// Kinds of records.
const (
	Facts  Holds = "facts"  // what cards are: unknown cards are created unless told otherwise
	Prices Holds = "prices" // what they cost: prices of unknown cards are left out unless told otherwise
)

// A Format is a kind of file.
type Format struct {
	ID    string // "skypilot"
	Title catalog.Text
	About catalog.Text // a sentence: whose files these are and what is imported from them
	Holds Holds

	// Detect reports whether a file is of this format, from its beginning. No two formats may claim the same file.
	Detect func(Head) bool
	// Read reads a file. It returns an error when the file as a whole cannot be read (a *FileError says where), or what
	// the sink or ctx returned; rows with other errors are skipped one by one.
	Read func(ctx context.Context, f *File, s Sink) error

	// Asks are the options that the format needs or understands; the others do nothing.
	Asks []Ask
}

// An Ask is an option of reading.
type Ask string

// Options that formats may ask for; see [Options].
const (
	AskDate     Ask = "date"
	AskCurrency Ask = "currency"
	AskKind     Ask = "kind"
	AskSeller   Ask = "seller"
	AskSource   Ask = "source"
	AskColumns  Ask = "columns"
	AskOrder    Ask = "day_order"
	AskDecimal  Ask = "decimal"
	AskPart     Ask = "part" // of every format, where a file holds several tables
)

// Options supply what a file does not state. The zero value takes the defaults of the format.
type Options struct {
	Date     catalog.Date      `json:"date,omitempty"`      // of prices that bear none
	Currency string            `json:"currency,omitempty"`  // of amounts without one
	Kind     catalog.PriceKind `json:"kind,omitempty"`      // of prices of a generic table
	Seller   string            `json:"seller,omitempty"`    // of prices that name none
	Source   *catalog.Source   `json:"source,omitempty"`    // in place of the format's own: where the file is from
	Columns  map[string]string `json:"columns,omitempty"`   // generic table: column of the file → field (see Fields)
	DayOrder string            `json:"day_order,omitempty"` // "dmy" or "mdy", for 03/04/2024; empty: reject
	Decimal  string            `json:"decimal,omitempty"`   // "," or "."; empty: reject 1,234 and 1.234
	// of a file that holds several tables: which (see File.Parts)
	Part string `json:"part,omitempty"`
}

// A Head is the beginning of a file, as text.
type Head struct {
	Name      string   // of the file, without its folder
	Text      string   // up to 64 KiB, decoded to UTF-8
	Whole     bool     // Text is the whole file
	Delimiter rune     // of a table; 0 when the file is none
	Columns   []string // of a table's first row, trimmed
}

// A Sink receives the records of a file, in order. An error ends the reading.
type Sink interface {
	Source(catalog.Source) error // before the first record that names it; once for each id
	Card(Card) error
	Price(Price) error
	Rate(catalog.ExchangeRate) error
	Annotations(catalog.Annotations) error // of our own format alone
	Skip(Skipped) error
	// Row counts a record of the file as read, whatever becomes of it, for progress; line is where it begins.
	Row(line int)
}

// A Subject is how a file names a card.
type Subject struct {
	Name string   // as the file has it: "A100-80GB"
	Also []string // what else it is called there, the surest first: a card id, PCI id, "NVIDIA A100 80GB PCIe"
	// where the file says it, as a marketing size (80, not 79.6): tells apart what the names leave open; 0 unknown
	MemoryGB float64
	// of an offer: its own name, and who makes it; they tell which card it is where the name leaves that open
	Offer, Cloud string
}

// Card is a card as a file describes it.
type Card struct {
	Subject
	catalog.Card // identity for a card that has to be created, and the facts; ID is empty where the file has none
}

// Price is a price of a card; its Card field is empty unless the file gives our ids.
type Price struct {
	Subject
	catalog.Price
}

// Skipped is a row, or part of one, that is not imported.
type Skipped struct {
	Line    int    // 1-based; 0 for the file as a whole
	Name    string // of the card, as the file has it
	Field   string // column or field; may be empty
	Reason  Reason
	Message string // one English sentence with the value and what is allowed
}

// Reason is why something is skipped, for counting and for translation ("import.left.<reason>").
type Reason string

// Reasons.
const (
	NotAccelerator Reason = "not-accelerator" // an instance without a card, or a CPU
	NoPrice        Reason = "no-price"
	NoValue        Reason = "no-value"    // no value to import in this row
	BadValue       Reason = "bad-value"   // a cell that cannot be read
	Ambiguous      Reason = "ambiguous"   // several cards bear the name
	Unknown        Reason = "unknown"     // no card does
	Chosen         Reason = "chosen"      // the options exclude it
	Duplicate      Reason = "duplicate"   // an earlier record is the same
	Invalid        Reason = "invalid"     // it breaks a rule of the catalogue
	Part           Reason = "part"        // a part of a card, whose price is not that of one
	Placeholder    Reason = "placeholder" // a price that stands for none
)
