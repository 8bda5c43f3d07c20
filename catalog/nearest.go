package catalog

import (
	"cmp"
	"slices"
	"strings"

	"tianti/sorting"
)

// longestName bounds the work that [Nearest] does for a name that somebody
// else wrote; no name of the catalogue is as long.
const longestName = 100

// Nearest returns at most max of the names among that a reader who wrote name
// may have meant, the likeliest first: those within a few typing errors, and
// those that hold every word of it (fp16_tflops → fp16_vector_tflops). Case
// does not count. Equally near names stay in the order of among. It returns
// none when nothing is near.
func Nearest(name string, among []string, max int) []string {
	if name == "" || len(name) > longestName {
		return nil
	}
	type near struct {
		name string
		far  int
	}
	var found []near
	wanted := []rune(strings.ToLower(name))
	words := nameWords(string(wanted))
	for _, candidate := range among {
		c := strings.ToLower(candidate)
		far, ok := typingErrors(wanted, []rune(c), 1+len(wanted)/4)
		if !ok {
			far, ok = extraWords(words, c)
		}
		if ok {
			found = append(found, near{candidate, far})
		}
	}
	sorting.Func(found, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, n := range found[:min(max, len(found))] {
		names = append(names, n.name)
	}
	return names
}

// typingErrors counts the letters to insert, delete, replace or swap with their
// neighbour to make b of a; it reports false when that takes more than limit.
func typingErrors(a, b []rune, limit int) (int, bool) {
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return 0, false
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			if a[i-1] == b[j-1] {
				row[j] = last[j-1]
			} else {
				row[j] = 1 + min(last[j-1], last[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], 1+before[j-2])
			}
		}
		if slices.Min(row) > limit {
			return 0, false
		}
		before, last, row = last, row, before
	}
	return last[len(b)], last[len(b)] <= limit
}

// extraWords counts the words of name beyond those wanted, all of which it
// must hold. It ranks behind typing errors of the same number.
func extraWords(wanted []string, name string) (int, bool) {
	words := nameWords(name)
	if len(wanted) == 0 {
		return 0, false
	}
	for _, w := range wanted {
		if !slices.Contains(words, w) {
			return 0, false
		}
	}
	return 1 + len(words) - len(wanted), true
}

func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
}

// fewNames is how many valid names an error lists in full, someNames how many it begins to list where none is near.
const fewNames, someNames = 12, 6

// Unknown is the error of a value that is none of those known: it lists them where they are few, and otherwise the
// nearest, or the first of them.
func Unknown(param, value string, known []string) ParamError {
	e := ParamError{Param: param, Value: Clip(value), Code: UnknownValue, Nearest: Nearest(value, known, 3)}
	switch {
	case len(known) <= fewNames:
		e.Allowed = strings.Join(known, ", ")
	case len(e.Nearest) == 0:
		e.Allowed = strings.Join(known[:someNames], ", ") + ", …"
	}
	return e
}
