package search

import (
	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// results is the page of a search.
type results struct {
	ui.Layout
	Query   string
	Answers []ui.Link // pages that answer what is asked besides a card
	Pending bool      // estimates are not there yet
	Rows    []hit
	Near    []hit  // names near to the text, when nothing has it
	All     string // the same search as a table
}

// hit is a card that a search found.
type hit struct {
	ID     string
	Name   string
	Vendor string
	Href   string
	Facts  string // "24 GB · 1 008 GB/s · 450 W"
	Tag    string // what a reader must know: "announced", "laptop"; may be empty
}

func hitsOf(s *catalog.Snapshot, l *locale.Locale, rows []int) []hit {
	out := make([]hit, 0, len(rows))
	for _, row := range rows {
		c := s.Card(row)
		h := hit{ID: c.ID, Name: c.Name, Vendor: display.Vendor(l, c.Vendor), Href: l.Path("/cards/" + c.ID),
			Facts: display.Facts(l, s, row, "memory_gb", "memory_bandwidth_gb_s", "tdp_w")}
		if !s.OnSale(row) {
			h.Tag = l.T("standing." + s.Standing(row))
		} else {
			h.Tag = display.ValueText(l, display.MustQuantity("segment"), c.Segment)
		}
		out = append(out, h)
	}
	return out
}
