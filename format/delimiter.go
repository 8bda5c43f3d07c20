package format

import (
	"slices"
	"strings"
)

// delimiters are the possible delimiters of a table; on a tie the first is taken.
var delimiters = []rune{',', ';', '\t', '|'}

// delimiterOf finds the delimiter of a table by its first rows: the one that splits the first row into the most cells,
// and most of the others into as many. It returns 0 when the text is no table.
func delimiterOf(text string, whole bool) (rune, []string) {
	var best rune
	var columns []string
	for _, d := range delimiters {
		if c := columnsBy(text, whole, d); len(c) > max(1, len(columns)) {
			best, columns = d, c
		}
	}
	if best == 0 {
		return 0, nil
	}
	return best, headerOf(columns)
}

// columnsBy returns the first row's cells, if the sign separates the rows of a table.
func columnsBy(text string, whole bool, d rune) []string {
	const most = 50
	f := &File{Name: "head", Text: strings.NewReader(text), limits: Limits{Line: len(text), Columns: len(text) + 1}}
	r := newRecords(f, d)
	var first []string
	var alike, others int
	for n := 0; n < most; {
		cells, _, err := r.next()
		if err != nil {
			break // the end, or a cell that the head cuts off
		}
		if len(cells) == 0 {
			continue
		}
		if n++; first == nil {
			first = slices.Clone(cells)
			continue
		}
		if cut := !whole && r.eof && r.from == len(r.buf); cut {
			break
		}
		if len(cells) == len(first) {
			alike++
		} else {
			others++
		}
	}
	if alike < others {
		return nil
	}
	return first
}
