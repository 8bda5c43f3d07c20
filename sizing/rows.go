package sizing

import "slices"

// rowsByKey lists rows by keys, most of which have one row: with many cards they take a good part of the memory.
type rowsByKey struct {
	first map[string]int32
	more  map[string][]int32 // behind the first
}

func newRowsByKey(n int) rowsByKey {
	return rowsByKey{first: make(map[string]int32, n), more: map[string][]int32{}}
}

func (m rowsByKey) add(key string, row int32) {
	if key == "" {
		return
	}
	first, known := m.first[key]
	switch {
	case !known:
		m.first[key] = row
	case first != row && !slices.Contains(m.more[key], row):
		m.more[key] = append(m.more[key], row)
	}
}

// takeOver adds the keys of another that are not known.
func (m rowsByKey) takeOver(other rowsByKey) {
	for key, row := range other.first {
		if _, known := m.first[key]; known {
			continue
		}
		m.first[key] = row
		if more := other.more[key]; more != nil {
			m.more[key] = more
		}
	}
}

// rows is a copy.
func (m rowsByKey) rows(key string) []int {
	first, known := m.first[key]
	if !known {
		return nil
	}
	out := []int{int(first)}
	for _, row := range m.more[key] {
		out = append(out, int(row))
	}
	return out
}
