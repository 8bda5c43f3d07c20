package catalog

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A Result is the answer to a query.
type Result struct {
	Total int    // cards that match, on all pages
	Rows  []int  // the cards of this page, in order
	Next  string // the cursor of the next page; empty on the last one
	// Before is how many cards stand on the pages before; with a cursor it is not
	// known and 0.
	Before int

	parts []bitset // what each filter leaves, and last the text search
	query *Query
}

// Select answers a query; limit is used when the query names none.
func (s *Snapshot) Select(q *Query, limit int) Result {
	if q.Limit > 0 {
		limit = q.Limit
	}
	r := Result{query: q}
	for _, f := range q.Filters {
		r.parts = append(r.parts, s.filter(f))
	}
	if q.Text != "" {
		r.parts = append(r.parts, s.haystack.search(q.Text, len(s.cards)))
	}
	match := s.intersect(r.parts, -1)
	r.Total = match.count()
	after := -1
	if q.Cursor != "" {
		if row, ok := s.rowOf[q.Cursor]; ok {
			after = int(row)
		}
	}
	skip := min(max(0, q.Page-1)*limit, r.Total)
	r.Rows = s.first(match, r.Total, q.Order(), after, skip+limit+1)[skip:]
	r.Before = skip
	if len(r.Rows) > limit {
		r.Rows = r.Rows[:limit]
		r.Next = s.cards[r.Rows[limit-1]].ID
	}
	return r
}

func (s *Snapshot) intersect(parts []bitset, except int) bitset {
	var all bitset
	for i, p := range parts {
		switch {
		case i == except:
		case all == nil:
			all = slices.Clone(p)
		default:
			all.and(p)
		}
	}
	if all == nil {
		return fullBitset(len(s.cards))
	}
	return all
}

// filter returns the cards that pass; the caller must not change the set.
func (s *Snapshot) filter(f Filter) bitset {
	if len(f.Terms) == 1 && !f.Terms[0].Not {
		return s.term(f.Quantity, f.Terms[0])
	}
	keep, positive := newBitset(len(s.cards)), false
	for _, t := range f.Terms {
		if !t.Not {
			keep.or(s.term(f.Quantity, t))
			positive = true
		}
	}
	if !positive {
		keep = s.known(f.Quantity)
	}
	for _, t := range f.Terms {
		if t.Not && t.word == noValue {
			keep.and(s.known(f.Quantity))
		} else if t.Not {
			keep.andNot(s.term(f.Quantity, t))
		}
	}
	return keep
}

func (s *Snapshot) term(q *Quantity, t Term) bitset {
	switch {
	case t.word == anyValue:
		return s.known(q)
	case t.word == noValue:
		set := fullBitset(len(s.cards))
		set.andNot(s.known(q))
		return set
	case q.Numeric():
		return s.between(q.index, t.interval)
	}
	return s.codes[q.index].bits()[t.code]
}

// first returns the first k members of set in the order of keys, beginning after
// the given row (-1: from the start). When the set is large it goes through the
// rows in the order of the first key and stops early; when it is small it picks
// from the set.
func (s *Snapshot) first(set bitset, count int, keys []SortKey, after, k int) []int {
	early := count > 0 && len(s.cards)*k/count < 4*count
	if early && len(keys) == 1 && keys[0].Quantity.Numeric() {
		return s.walk(set, keys[0], after, k)
	}
	less := s.comparer(keys)
	var out []int
	top := topK{k: k, less: less}
	consider := func(row int) {
		if after < 0 || less(row, after) > 0 {
			top.add(row)
		}
	}
	endGroup := func() (more bool) {
		out = append(out, top.sorted()...)
		top.begin(k - len(out))
		return len(out) < k
	}
	if early {
		s.groups(set, keys[0], consider, endGroup)
	} else {
		set.each(consider)
	}
	endGroup()
	return out
}

// topK keeps the first k of the rows that it is given.
type topK struct {
	k    int
	less func(a, b int) int
	rows []int // up to twice k; those after the first k are thrown away together
	full bool  // rows[k-1] is an upper bound
}

func (t *topK) begin(k int) { t.k, t.rows, t.full = k, t.rows[:0], false }

func (t *topK) add(row int) {
	if t.full && t.less(row, t.rows[t.k-1]) > 0 {
		return
	}
	if t.rows = append(t.rows, row); len(t.rows) >= 2*t.k+16 {
		t.sorted()
		t.full = true
	}
}

func (t *topK) sorted() []int {
	if len(t.rows) > 1 {
		slices.SortFunc(t.rows, t.less)
	}
	t.rows = t.rows[:min(t.k, len(t.rows))]
	return t.rows
}

// groups visits members of set in groups of equal values of one key, in its order,
// as long as more, called after each group, says so.
func (s *Snapshot) groups(set bitset, key SortKey, visit func(int), more func() bool) {
	q := key.Quantity
	switch {
	case q.Kind == Name:
		s.groupsByName(set, key.Descending, visit, more)
	case q.Numeric():
		s.groupsByNumber(set, key, visit, more)
	case s.codes[q.index].codes == nil:
		set.each(visit)
	default:
		sets := s.codes[q.index].bits()
		for i := range sets {
			code := (i + 1) % len(sets) // 0, absent, comes last
			if key.Descending && code > 0 {
				code = len(sets) - code
			}
			group := slices.Clone(set)
			group.and(sets[code])
			if group.each(visit); !more() {
				return
			}
		}
	}
}

func (s *Snapshot) groupsByName(set bitset, descending bool, visit func(int), more func() bool) {
	for i := range s.cards {
		row := i
		if descending {
			row = len(s.cards) - 1 - i
		}
		if set.has(row) {
			if visit(row); !more() {
				return
			}
		}
	}
}

func (s *Snapshot) groupsByNumber(set bitset, key SortKey, visit func(int), more func() bool) {
	col := s.numbers[key.Quantity.index]
	if col != nil {
		last := missing
		unfinished := s.order(key.Quantity.index).walk(col, key.Descending, 0, func(row int) bool {
			if !set.has(row) {
				return true
			}
			if v := col[row]; v != last {
				if last = v; !more() {
					return false
				}
			}
			visit(row)
			return true
		})
		if !unfinished || !more() {
			return
		}
		set = slices.Clone(set)
		set.andNot(s.known(key.Quantity))
	}
	set.each(visit)
}

// comparer orders rows by the keys, absent values last, ties by name and id.
func (s *Snapshot) comparer(keys []SortKey) func(a, b int) int {
	compares := make([]func(a, b int) int, len(keys))
	for i, k := range keys {
		compares[i] = s.compareBy(k)
	}
	return func(a, b int) int {
		for _, c := range compares {
			if r := c(a, b); r != 0 {
				return r
			}
		}
		return a - b
	}
}

func (s *Snapshot) compareBy(k SortKey) func(a, b int) int {
	sign := 1
	if k.Descending {
		sign = -1
	}
	switch {
	case k.Quantity.Kind == Name:
		return func(a, b int) int { return sign * cmp.Compare(a, b) } // rows are in order of the name
	case k.Quantity.Numeric():
		return compareNumbers(s.numbers[k.Quantity.index], sign)
	}
	codes := s.codes[k.Quantity.index].codes
	if codes == nil {
		return func(a, b int) int { return 0 }
	}
	return func(a, b int) int {
		x, y := codes[a], codes[b]
		if x == 0 || y == 0 {
			return cmp.Compare(min(y, 1), min(x, 1))
		}
		return sign * cmp.Compare(x, y)
	}
}

func compareNumbers(col []float64, sign int) func(a, b int) int {
	if col == nil {
		return func(a, b int) int { return 0 }
	}
	return func(a, b int) int {
		x, y := col[a], col[b]
		switch {
		case x == y:
			return 0
		case math.IsNaN(x) || math.IsNaN(y):
			return btoi(math.IsNaN(x)) - btoi(math.IsNaN(y))
		case x < y:
			return -sign
		}
		return sign
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// walk collects members of set along one sorted column.
func (s *Snapshot) walk(set bitset, key SortKey, after, k int) []int {
	out := make([]int, 0, k)
	started := after < 0
	visit := func(row int) bool {
		if started && set.has(row) {
			out = append(out, row)
		}
		started = started || row == after
		return len(out) < k
	}
	col := s.numbers[key.Quantity.index]
	if col != nil {
		o := s.order(key.Quantity.index)
		from := 0
		if after >= 0 && !math.IsNaN(col[after]) {
			from, started = o.startAt(col, after, key.Descending), false
		} else if after >= 0 {
			from = len(o.rows) // only rows without a value are left
		}
		if !o.walk(col, key.Descending, from, visit) {
			return out
		}
	}
	for row := range s.cards {
		if (col == nil || math.IsNaN(col[row])) && !visit(row) {
			break
		}
	}
	return out
}

// startAt returns how many rows of the walk may be skipped before the one after
// which a page begins: those of strictly earlier values.
func (o *order) startAt(col []float64, row int, descending bool) int {
	v := col[row]
	if descending {
		above := sort.Search(len(o.rows), func(i int) bool { return col[o.rows[i]] > v })
		return len(o.rows) - above
	}
	return sort.Search(len(o.rows), func(i int) bool { return col[o.rows[i]] >= v })
}

// walk visits the rows from the from-th on until visit returns false; equal
// values are visited in order of the rows in both directions.
func (o *order) walk(col []float64, descending bool, from int, visit func(int) bool) bool {
	if !descending {
		for _, row := range o.rows[from:] {
			if !visit(int(row)) {
				return false
			}
		}
		return true
	}
	for end := len(o.rows) - from; end > 0; {
		start := end - 1
		for start > 0 && col[o.rows[start-1]] == col[o.rows[end-1]] {
			start--
		}
		for _, row := range o.rows[start:end] {
			if !visit(int(row)) {
				return false
			}
		}
		end = start
	}
	return true
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
	own, selected := -1, map[string]bool{}
	for i, f := range r.query.Filters {
		if f.Quantity == q {
			own = i
			for _, t := range f.Terms {
				selected[t.Text] = !t.Not
			}
		}
	}
	base := s.intersect(r.parts, own)
	var out []Count
	for code, set := range column.bits() {
		if v := column.values[code]; code > 0 {
			out = append(out, Count{v, base.countAnd(set), selected[v]})
		}
	}
	slices.SortStableFunc(out, func(a, b Count) int { return b.Cards - a.Cards })
	return out
}

// Extent returns the least and greatest value of a numeric quantity among all cards.
func (s *Snapshot) Extent(q *Quantity) (lo, hi float64, ok bool) {
	if !q.Numeric() || s.numbers[q.index] == nil {
		return 0, 0, false
	}
	o, col := s.order(q.index), s.numbers[q.index]
	return col[o.rows[0]], col[o.rows[len(o.rows)-1]], true
}
