package home

import (
	"tianti/web/jobform"
	"tianti/web/ladders"
	"tianti/web/ui"
)

// overview is the first page: the job, the ladder, and what is new.
type overview struct {
	ui.Layout

	// Counts are the headline figures: cards, vendors, figures, prices, sources.
	Counts []count

	Job    jobform.Form // of the recommender; without an action where there is none
	Quick  []ui.Link    // jobs that people come with
	Ladder ladders.Front
	Rents  []rentedCard
	Newest []newCard
	Pairs  []ui.Link // comparisons people ask for: "H20 against H800"
}

// count is a headline figure: "214 cards".
type count struct {
	Value string // "214"
	Label string // "cards"
	Href  string // what it counts; may be empty
}

// rentedCard is the lowest rent of a card today.
type rentedCard struct {
	Name   string
	Href   string
	Price  string // "CNY 1.88/h"
	Detail string // seller and date
}

// newCard is a card that came out lately.
type newCard struct {
	Name   string
	Vendor string
	Href   string
	Date   string // "2026-03-16", "2026-03" or "2026"
	Detail string // "288 GB HBM4 · 2 300 W"
}
