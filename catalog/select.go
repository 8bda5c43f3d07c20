package catalog

import (
	"math"
	"sync"

	"tianti/sorting"
)

// A Result is the answer to a query.
type Result struct {
	Total int    // cards that match, on all pages
	Rows  []int  // the cards of this page, in order
	Next  string // the cursor of the next page; empty on the last one
	// Before is how many cards stand on the pages before; with a cursor it is not
	// known and 0.
	Before int

	match bitset
	text  bitset // what the text search leaves; nil without one
	query *Query
}

// Select answers a query; limit is used when the query names none.
func (s *Snapshot) Select(q *Query, limit int) Result {
	if q.Limit > 0 {
		limit = q.Limit
	}
	r := Result{query: q}
	var found []match
	if q.Text != "" {
		found = s.found(q.Text)
		r.text = s.setOf(found)
	}
	r.match = s.matching(&r, nil)
	r.Total = r.match.count()
	after := -1
	if q.Cursor != "" {
		if row, ok := s.rowOf[q.Cursor]; ok {
			after = int(row)
		}
	}
	r.Before = min(max(0, q.Page-1)*limit, r.Total)
	if len(found) <= mostRanked && q.Relevant() {
		r.Rows = s.nearest(found, r.match, after)
		r.Rows = r.Rows[min(r.Before, len(r.Rows)):min(r.Before+limit+1, len(r.Rows))]
	} else {
		r.Rows = s.first(r.match, r.Total, q.Order(), after, r.Before+limit+1)[r.Before:]
	}
	if len(r.Rows) > limit {
		r.Rows = r.Rows[:limit]
		r.Next = s.cards[r.Rows[limit-1]].ID
	}
	return r
}

// matching returns the cards that pass the search and all filters but the one on a
// quantity (nil: all).
func (s *Snapshot) matching(r *Result, except *Quantity) bitset {
	all := newBitset(len(s.cards))
	if r.text != nil {
		copy(all, r.text)
	} else {
		all.fill(len(s.cards))
	}
	if keep := r.query.Keep; keep != nil {
		for i, kept := range keep.Rows {
			if !kept {
				all.clear(i)
			}
		}
	}
	scratch := s.borrow()
	defer s.scratch.Put(scratch)
	for i := range r.query.Filters {
		if f := &r.query.Filters[i]; f.Quantity != except {
			s.filter(f, *scratch)
			all.and(*scratch)
		}
	}
	return all
}

// borrow returns a set of any content for a moment; it goes back into s.scratch.
func (s *Snapshot) borrow() *bitset {
	if set, ok := s.scratch.Get().(*bitset); ok {
		return set
	}
	set := newBitset(len(s.cards))
	return &set
}

// filter makes set the cards that pass.
func (s *Snapshot) filter(f *Filter, set bitset) {
	if len(f.Terms) == 1 && !f.Terms[0].Not {
		s.term(f.Quantity, f.Terms[0], set)
		return
	}
	scratch := s.borrow()
	defer s.scratch.Put(scratch)
	clear(set)
	positive := false
	for _, t := range f.Terms {
		if !t.Not {
			s.term(f.Quantity, t, *scratch)
			set.or(*scratch)
			positive = true
		}
	}
	if !positive {
		s.known(f.Quantity, set)
	}
	for _, t := range f.Terms {
		if t.Not {
			s.term(f.Quantity, t, *scratch)
			set.andNot(*scratch)
		}
	}
}

// term makes set the cards for which the term, without its "not", is true.
func (s *Snapshot) term(q *Quantity, t Term, set bitset) {
	switch {
	case t.word == anyValue:
		s.known(q, set)
	case t.word == noValue:
		scratch := s.borrow()
		s.known(q, *scratch)
		set.fill(len(s.cards))
		set.andNot(*scratch)
		s.scratch.Put(scratch)
	case q.Numeric():
		s.between(q.index, t.interval, set)
	default:
		copy(set, s.codes[q.index].bits()[t.code])
	}
}

// A Count is one value of a facet and how many cards have it.
type Count struct {
	Value    string
	Cards    int
	Selected bool // the query's filter names it
}

// Facet counts the values of a category among the cards that match everything
// but the query’s filter on that category, the most frequent first. Values that
// no such card has are there with a count of 0.
func (s *Snapshot) Facet(r Result, q *Quantity) []Count {
	column := &s.codes[q.index]
	if column.codes == nil {
		return nil
	}
	filtered, selected := false, map[string]bool{}
	for _, f := range r.query.Filters {
		if f.Quantity == q {
			filtered = true
			for _, t := range f.Terms {
				selected[t.Text] = !t.Not
			}
		}
	}
	base := r.match
	if filtered {
		base = s.matching(&r, q)
	}
	var out []Count
	for code, set := range column.bits() {
		if v := column.values[code]; code > 0 {
			out = append(out, Count{v, base.countAnd(set), selected[v]})
		}
	}
	sorting.Func(out, func(a, b Count) int { return b.Cards - a.Cards })
	return out
}

// Extent returns the least and greatest value of a numeric quantity among all cards.
func (s *Snapshot) Extent(q *Quantity) (lo, hi float64, ok bool) {
	e := s.extents()[q.index]
	return e.lo, e.hi, q.Numeric() && e.cards > 0
}

// Coverage is the number of cards that have a value of the quantity.
func (s *Snapshot) Coverage(q *Quantity) int {
	if q.Kind == Name {
		return len(s.cards)
	}
	return s.extents()[q.index].cards
}

// extent is between which values a quantity lies, and of how many cards; the
// catalogue page asks it of every quantity.
type extent struct {
	lo, hi float64
	cards  int
}

func newExtents(s *Snapshot) func() []extent {
	return sync.OnceValue(func() []extent {
		all := make([]extent, len(registry))
		for q := range all {
			e := extent{lo: math.Inf(1), hi: math.Inf(-1)}
			for _, v := range s.numbers[q] {
				if v == v { // not missing
					e.lo, e.hi, e.cards = min(e.lo, v), max(e.hi, v), e.cards+1
				}
			}
			for _, code := range s.codes[q].codes {
				e.cards += int(min(code, 1))
			}
			all[q] = e
		}
		return all
	})
}
