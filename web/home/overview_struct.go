package home

import (
	"tianti/web/recommend"
	"tianti/web/ui"
)

// overview is the first page: what there is and the doors to it.
type overview struct {
	ui.Layout

	// Counts are the headline figures, four at best: cards, vendors, figures, sources.
	Counts []count

	Job       recommend.SizingForm // of the recommender; without an action where there is none
	Strongest topListData
	Presets   []ui.Link // filters people ask for: "Training flagships", "≤ 75 W"
	Newest    []newCard
	Vendors   []ui.Option // Value is the address of the vendor's cards, Count their number
	Pairs     []ui.Link   // comparisons people ask for: "H20 against H800"
}

// count is a headline figure: "214 cards".
type count struct {
	Value string // "214"
	Label string // "cards"
	Href  string // what it counts; may be empty
}

// topListData ranks cards by one quantity, the strongest first.
type topListData struct {
	Title string // "Strongest by dense BF16"
	Unit  string // "TFLOPS"
	Basis string // one sentence: what the number means
	Href  string // the catalogue sorted the same way
	Rows  []ui.TopRow
}

// newCard is a recently announced card.
type newCard struct {
	Name   string
	Vendor string
	Href   string
	Date   string // "2026-03-16", "2026-03" or "2026"
	Detail string // "288 GB HBM4 · 2 300 W"
}
