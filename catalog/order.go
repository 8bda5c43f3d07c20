package catalog

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
)

// first returns the first k members of set, which has count, in the order of keys,
// beginning after the given row (-1: from the start). When the set is large it
// goes through the catalogue in the order of the first key, group of equal values
// by group, and stops early; when it is small it picks from the set.
func (s *Snapshot) first(set bitset, count int, keys []SortKey, after, k int) []int {
	switch {
	case count == 0:
		return nil
	case len(keys) == 0: // rows are in order of the name
		return set.next(after, k)
	case keys[0].Quantity.Kind == Name && keys[0].Descending:
		return set.previous(after, k)
	case keys[0].Quantity.Kind == Name:
		return set.next(after, k)
	case pickingIsCheaper(len(s.cards), k, count):
		return s.pick(set, s.comparer(keys), after, k)
	}
	out := make([]int, 0, min(k, count))
	compare, rest := s.compareBy(keys[0]), s.comparer(keys[1:])
	for g := range s.groups(set, keys[0], after) {
		from := -1
		if after >= 0 {
			place := compare(g.member, after)
			if place < 0 {
				continue
			}
			if place == 0 {
				from = after
			}
		}
		if g.set != nil {
			out = append(out, s.first(g.set, g.set.count(), keys[1:], from, k-len(out))...)
		} else {
			out = append(out, pickFew(g.rows, rest, from, k-len(out))...)
		}
		if len(out) >= k {
			break
		}
	}
	return out
}

// pickingIsCheaper reports whether to compare the members of a set rather than to walk
// through the catalogue, which passes about cards·k÷count rows before it has met k of
// them; to compare a member costs about as much as to pass four rows.
func pickingIsCheaper(cards, k, count int) bool { return cards*k/count >= 4*count }

// pick returns the first k members of a set by comparing them.
func (s *Snapshot) pick(set bitset, compare func(a, b int) int, after, k int) []int {
	var rows []int // up to twice k; those after the first k are thrown away together
	bound := -1    // row k of those so far
	set.each(func(row int) {
		if after >= 0 && compare(row, after) <= 0 || bound >= 0 && compare(row, bound) > 0 {
			return
		}
		if rows = append(rows, row); len(rows) >= 2*k+16 {
			slices.SortFunc(rows, compare)
			rows, bound = rows[:k], rows[k-1]
		}
	})
	slices.SortFunc(rows, compare)
	return rows[:min(k, len(rows))]
}

// pickFew is pick for few rows, which it changes.
func pickFew(rows []int, compare func(a, b int) int, after, k int) []int {
	if after >= 0 {
		rows = slices.DeleteFunc(rows, func(row int) bool { return compare(row, after) <= 0 })
	}
	slices.SortFunc(rows, compare)
	return rows[:min(k, len(rows))]
}

// group is the members of a set with one value: in rows when they are few.
type group struct {
	member int // any of them
	rows   []int
	set    bitset
}

// fewRows is up to how many rows are compared one by one.
const fewRows = 256

// groups yields the groups of a key in its order. It may leave out some before the
// group of the row after, which is -1 for none.
func (s *Snapshot) groups(set bitset, key SortKey, after int) iter.Seq[group] {
	if key.Quantity.Numeric() {
		return s.groupsByNumber(set, key, after)
	}
	return func(yield func(group) bool) {
		column := &s.codes[key.Quantity.index]
		if column.codes == nil {
			yield(group{set: set, member: set.member()})
			return
		}
		sets := column.bits()
		for i := range sets {
			code := (i + 1) % len(sets) // 0, absent, comes last
			if key.Descending && code > 0 {
				code = len(sets) - code
			}
			g := slices.Clone(set)
			g.and(sets[code])
			if !g.empty() && !yield(group{set: g, member: g.member()}) {
				return
			}
		}
	}
}

func (s *Snapshot) groupsByNumber(set bitset, key SortKey, after int) iter.Seq[group] {
	return func(yield func(group) bool) {
		if s.numbers[key.Quantity.index] == nil {
			yield(group{set: set, member: set.member()})
			return
		}
		o := s.order(key.Quantity.index)
		skip := 0
		if after >= 0 {
			skip = o.before(s.number(key.Quantity.index, after), key.Descending)
		}
		var few []int
		for lo, hi := range o.ties(key.Descending, skip) {
			g := group{member: int(o.rows[lo])}
			if hi-lo > fewRows {
				g.set = newBitset(len(s.cards))
				o.slice(lo, hi, g.set)
				g.set.and(set)
			} else {
				few = few[:0]
				for _, row := range o.rows[lo:hi] {
					if set.has(int(row)) {
						few = append(few, int(row))
					}
				}
				g.rows = few
			}
			if (len(g.rows) > 0 || g.set != nil) && !yield(g) {
				return
			}
		}
		absent := newBitset(len(s.cards))
		s.known(key.Quantity, absent)
		absent.invert(set)
		if !absent.empty() {
			yield(group{set: absent, member: absent.member()})
		}
	}
}

// before returns how many rows, in a direction, have values before v; a value that
// is absent comes after all.
func (o *order) before(v float64, descending bool) int {
	switch {
	case math.IsNaN(v):
		return len(o.rows)
	case descending:
		return len(o.rows) - sort.Search(len(o.rows), func(i int) bool { return o.values[i] > v })
	}
	return sort.SearchFloat64s(o.values, v)
}

// ties yields the ranges of equal values in the order, without the first skip rows
// in the direction of the walk.
func (o *order) ties(descending bool, skip int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		if !descending {
			for lo := skip; lo < len(o.rows); {
				hi := lo + o.tied(lo, 1, len(o.rows)-lo)
				if !yield(lo, hi) {
					return
				}
				lo = hi
			}
			return
		}
		for hi := len(o.rows) - skip; hi > 0; {
			lo := hi - o.tied(hi-1, -1, hi)
			if !yield(lo, hi) {
				return
			}
			hi = lo
		}
	}
}

// tied returns how many of n values, from one on in a direction, are equal to it.
func (o *order) tied(at, direction, n int) int {
	v, step := o.values[at], 1
	for step < n && o.values[at+direction*step] == v {
		step *= 2
	}
	from := step / 2
	return from + sort.Search(min(step, n)-from, func(i int) bool { return o.values[at+direction*(from+i)] != v })
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
