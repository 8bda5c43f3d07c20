package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tianti/catalog"
)

// Date reads a date to the day, the month or the year; a time of day is cut off. Day and month in figures are told
// apart by their size or Options.DayOrder, and refused where neither does. ok is false where the cell says that nothing
// is known.
func (f *File) Date(cell string) (d catalog.Date, ok bool, err error) {
	if Absent(cell) {
		return "", false, nil
	}
	if d, err := catalog.ParseDate(cell); err == nil {
		return d, true, nil
	}
	if len(cell) > 10 && (cell[10] == 'T' || cell[10] == ' ') {
		if d, err := catalog.ParseDate(cell[:10]); err == nil && isTime(cell[11:]) {
			return d, true, nil
		}
	}
	if d, ok := parseNamedMonth(cell); ok {
		return d, true, nil
	}
	d, err = f.parseNumericDate(cell)
	return d, err == nil, err
}

// isTime reports whether a text looks like what follows a day: a time, perhaps with a zone.
func isTime(s string) bool {
	return len(s) >= 4 && strings.Trim(s, "0123456789:.+-Z UTC") == "" && strings.Contains(s, ":")
}

// dateLayouts are the layouts of dates with the name of the month, and their precision.
var dateLayouts = []struct{ layout, as string }{
	{"Jan 2006", "2006-01"}, {"January 2006", "2006-01"}, {"Jan-2006", "2006-01"}, {"Jan, 2006", "2006-01"},
	{"January, 2006", "2006-01"}, {"2006 Jan", "2006-01"},
	{"2 Jan 2006", time.DateOnly}, {"2 January 2006", time.DateOnly}, {"2-Jan-2006", time.DateOnly},
	{"Jan 2, 2006", time.DateOnly}, {"January 2, 2006", time.DateOnly},
	{"Jan 2 2006", time.DateOnly}, {"January 2 2006", time.DateOnly}, {"Mon, 02 Jan 2006 15:04:05 MST", time.DateOnly},
	{"2006年1月2日", time.DateOnly}, {"2006年1月", "2006-01"}, {"2006年", "2006"},
}

func parseNamedMonth(cell string) (catalog.Date, bool) {
	cell = strings.ReplaceAll(cell, "Sept ", "Sep ")
	for _, w := range dateLayouts {
		if t, err := time.Parse(w.layout, cell); err == nil && t.Year() >= 1900 {
			return catalog.Date(t.Format(w.as)), true
		}
	}
	return "", false
}

// parseNumericDate reads 2024/3/22, 22.3.2024 and 03/22/2024.
func (f *File) parseNumericDate(cell string) (catalog.Date, error) {
	bad := fmt.Errorf("%q is not a date: want YYYY-MM-DD, YYYY-MM, YYYY or such as Mar 2024", clip(cell))
	date, clock, timed := strings.Cut(cell, " ")
	if timed && !isTime(clock) {
		return "", bad
	}
	var n [3]int
	parts := strings.FieldsFunc(date, func(r rune) bool { return r == '/' || r == '.' || r == '-' })
	if len(parts) != 3 || len(date) != len(parts[0])+len(parts[1])+len(parts[2])+2 {
		return "", bad
	}
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return "", bad
		}
		n[i] = int(v)
	}
	year, month, day := n[0], n[1], n[2]
	if len(parts[0]) != 4 {
		var err error
		if year = n[2]; len(parts[2]) != 4 {
			return "", bad
		}
		if month, day, err = f.order(cell, n[0], n[1]); err != nil {
			return "", err
		}
	}
	d, err := catalog.ParseDate(fmt.Sprintf("%04d-%02d-%02d", year, month, day))
	if err != nil {
		return "", bad
	}
	return d, nil
}

// order tells month and day apart.
func (f *File) order(cell string, a, b int) (month, day int, err error) {
	switch {
	case a > 12 || a == b:
		return b, a, nil
	case b > 12:
		return a, b, nil
	case f.Options.DayOrder == "dmy":
		return b, a, nil
	case f.Options.DayOrder == "mdy":
		return a, b, nil
	}
	return 0, 0, fmt.Errorf("%q may be two days: say whether the day or the month stands first", clip(cell))
}
