package view

// Overview is the first page: what there is and the doors to it.
type Overview struct {
	Layout

	// Counts are the headline figures, four at best: cards, vendors, figures, sources.
	Counts []Count

	Job       SizingForm // of the recommender; without an action where there is none
	Strongest TopList
	Presets   []Link // filters people ask for: "Training flagships", "≤ 75 W"
	Newest    []NewCard
	Vendors   []Option // Value is the address of the vendor's cards, Count their number
	Pairs     []Link   // comparisons people ask for: "H20 against H800"
}

// Count is a headline figure: "214 cards".
type Count struct {
	Value string // "214"
	Label string // "cards"
	Href  string // what it counts; may be empty
}

// TopList ranks cards by one quantity, the strongest first.
type TopList struct {
	Title string // "Strongest by dense BF16"
	Unit  string // "TFLOPS"
	Basis string // one sentence: what the number means
	Href  string // the catalogue sorted the same way
	Rows  []TopRow
}

// TopRow is one card of a [TopList].
type TopRow struct {
	Rank   string // "4–5" where cards are tied; empty where places are enough
	Name   string
	Vendor string
	Href   string
	Value  string  // formatted, without the unit
	Share  float64 // of the first card's value, 0 to 1: the length of the bar
	Detail string  // "288 GB · 8 TB/s · 1 400 W"; may be empty
}

// NewCard is a recently announced card.
type NewCard struct {
	Name   string
	Vendor string
	Href   string
	Date   string // "2026-03-16", "2026-03" or "2026"
	Detail string // "288 GB HBM4 · 2 300 W"
}
