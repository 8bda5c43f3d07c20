package search

import (
	"net/url"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/site"
)

// Heads are what other pages say first, in one line; empty where they say nothing.
type Heads struct {
	Compare func(st *site.State, l *locale.Locale, s *catalog.Snapshot, rows []int, trains bool) string
	// Recommend also tells the id of the card that it chooses.
	Recommend func(st *site.State, r *site.Request, query url.Values) (text, card string)
	// Serve is of all cards where none is named.
	Serve func(st *site.State, r *site.Request, card string, query url.Values) string
}

// heads are those for one search.
type heads struct {
	*Heads
	st *site.State
	r  *site.Request
	s  *catalog.Snapshot
}

func (h *heads) compare(a *answer) string {
	return h.Compare(h.st, h.r.Loc, h.s, a.Cards, a.Task != "" && sizing.Task(a.Task).Trains())
}

// first is what the page of an answer says first. To choose among all cards takes as long as a page may: the first
// answer alone is chosen.
func (h *heads) first(place int, a *answer) string {
	switch {
	case a.Kind == "serve" && len(a.Cards) > 0:
		return h.Serve(h.st, h.r, h.s.Card(a.Cards[0]).ID, a.Query)
	}
	return ""
}
