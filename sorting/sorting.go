// Package sorting sorts slices of structs with one sort for all of them.
//
// slices.SortFunc and slices.SortStableFunc are compiled once more for each kind of struct that they sort, 7 to 25 KB
// each time with their tables. Here places in the slice are sorted, which are numbers whatever they are places of, and
// each struct is moved once at the end. Pointers, strings and numbers may be sorted by slices: all pointers share one
// sort there, and so do all texts and all numbers of one size.
package sorting

// Func sorts s in ascending order, as compare says, and keeps equal elements in the order they have, as
// slices.SortStableFunc does. compare returns a negative number where a comes before b, a positive one where b comes
// before a, and 0 where they are equal. Nothing is moved before all is compared: compare may look into s.
func Func[E any](s []E, compare func(a, b E) int) {
	var room [2 * few]int32 // on the stack
	order := places(len(s), room[:], func(i, j int32) int { return compare(s[i], s[j]) })
	for i, from := range order {
		if int(from) == i {
			continue
		}
		// The elements of a cycle move on by one: to each place comes the one that belongs there.
		first, to := s[i], i
		for int(from) != i {
			s[to] = s[from]
			order[to] = int32(to)
			to, from = int(from), order[from]
		}
		s[to] = first
		order[to] = int32(to)
	}
}

const (
	few   = 32 // elements that are sorted without memory from the heap
	short = 6  // elements that are put in one by one
)

// places returns the numbers below n in the order that compare gives them, equal ones in ascending order. They lie in
// room where it has space for twice n.
func places(n int, room []int32, compare func(i, j int32) int) []int32 {
	if len(room) < 2*n {
		room = make([]int32, 2*n)
	}
	order, spare := room[:n], room[n:2*n]
	for i := range order {
		order[i] = int32(i)
	}
	sort(order, spare, compare)
	return order
}

// sort sorts places. spare has space for half of them.
func sort(order, spare []int32, compare func(i, j int32) int) {
	if len(order) <= short {
		putIn(order, compare)
		return
	}
	half := len(order) / 2
	sort(order[:half], spare, compare)
	sort(order[half:], spare, compare)
	merge(order, half, spare, compare)
}

// putIn sorts a few places: each is put in among those before it.
func putIn(order []int32, compare func(i, j int32) int) {
	for k := 1; k < len(order); k++ {
		x := order[k]
		at := k
		for ; at > 0 && compare(x, order[at-1]) < 0; at-- {
			order[at] = order[at-1]
		}
		order[at] = x
	}
}

// merge makes one sorted list of two, of which the second begins at half. spare holds the first meanwhile.
func merge(order []int32, half int, spare []int32, compare func(i, j int32) int) {
	if compare(order[half-1], order[half]) <= 0 {
		return // the usual case where s was sorted before
	}
	left, right := spare[:half], order[half:]
	copy(left, order)
	at := 0
	for len(left) > 0 && len(right) > 0 {
		if compare(left[0], right[0]) <= 0 {
			order[at], left = left[0], left[1:]
		} else {
			order[at], right = right[0], right[1:]
		}
		at++
	}
	copy(order[at:], left) // what is left of the second is in its place
}
