package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// absentBegins are the first bytes of the words for "unknown": a quick test for most cells.
const absentBegins = "-?[#nNuUtT\xe2\xe6"

// Absent reports whether a cell is empty or means "unknown".
func Absent(cell string) bool {
	if len(cell) > len("[not supported]") || cell != "" && strings.IndexByte(absentBegins, cell[0]) < 0 {
		return false
	}
	switch strings.ToLower(cell) {
	case "", "-", "--", "–", "—", "n/a", "na", "n.a.", "null", "none", "nil", "unknown", "tbd", "?", "[n/a]",
		"[not supported]", "#n/a", "无", "未知":
		return true
	}
	return false
}

// Number reads a number with or without thousands separators. ok is false when the value is absent.
func (f *File) Number(cell string) (v float64, ok bool, err error) {
	if Absent(cell) {
		return 0, false, nil
	}
	text, err := plainNumber(cell, f.Options.Decimal)
	if err != nil {
		return 0, false, err
	}
	if v, err = strconv.ParseFloat(text, 64); err != nil || math.IsInf(v, 0) {
		return 0, false, fmt.Errorf("%q is out of range: want a finite number", clip(cell))
	}
	return v, true, nil
}

// plainNumber returns a number with a point for decimals and nothing between the thousands. decimal is what separates
// decimals where the file's reader knows.
func plainNumber(cell, decimal string) (string, error) {
	if isPlain(cell) && decimal != "," {
		return cell, nil
	}
	sign, digits := "", strings.Map(withoutSpace, cell)
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	} else if rest, minus := strings.CutPrefix(digits, "−"); minus {
		sign, digits = "-", rest
	}
	exponent := ""
	if i := strings.IndexAny(digits, "eE"); i > 0 {
		digits, exponent = digits[:i], digits[i:]
		if _, err := strconv.Atoi(exponent[1:]); err != nil {
			return "", notNumber(cell)
		}
	}
	whole, fraction, err := split(cell, digits, decimal)
	if err != nil {
		return "", err
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + exponent, nil
}

// isPlain reports whether a cell is digits with at most one point and a minus before them.
func isPlain(cell string) bool {
	points, digits := 0, 0
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case c != '-' || i > 0:
			return false
		}
	}
	return digits > 0 && points <= 1
}

// withoutSpace removes thousands separators other than comma and point.
func withoutSpace(r rune) rune {
	switch r {
	case ' ', '\u00a0', '\u2009', '\u202f', '\'', '’':
		return -1
	}
	return r
}

// split parts the decimals off and takes the thousands together.
func split(cell, digits, decimal string) (whole, fraction string, err error) {
	if digits == "" || strings.Trim(digits, "0123456789.,") != "" || strings.Trim(digits, ".,") == "" {
		return "", "", notNumber(cell)
	}
	point, err := decimalOf(cell, digits, decimal)
	if err != nil {
		return "", "", err
	}
	whole = digits
	if i := strings.LastIndexByte(digits, point); point != 0 && i >= 0 {
		whole, fraction = digits[:i], digits[i+1:]
	}
	if strings.ContainsAny(fraction, ".,") || point != 0 && strings.IndexByte(whole, point) >= 0 {
		return "", "", notNumber(cell)
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	if strings.ContainsAny(whole, ".,") && !thousands(whole, groups) {
		return "", "", fmt.Errorf("%q is not a number: its thousands are not groups of three digits", clip(cell))
	}
	if whole = strings.Join(groups, ""); whole == "" {
		whole = "0"
	}
	return whole, fraction, nil
}

// decimalOf is what separates the decimals of a number; 0 when there are none.
func decimalOf(cell, digits, decimal string) (byte, error) {
	points, commas := strings.Count(digits, "."), strings.Count(digits, ",")
	switch {
	case decimal == "." || decimal == ",":
		return decimal[0], nil
	case points > 0 && commas > 0:
		return digits[strings.LastIndexAny(digits, ".,")], nil
	case points == 1:
		return '.', nil
	case points > 1 || commas > 1 || commas == 0:
		return 0, nil
	}
	before, after, _ := strings.Cut(digits, ",")
	if len(after) == 3 && before != "" && before[0] != '0' && len(before) <= 3 {
		return 0, fmt.Errorf("%q may be %s or %s.%s; say which sign separates decimals", clip(cell), before+after,
			before, after)
	}
	return ',', nil
}

// thousands reports whether groups of digits are those of a number: of three each, but for the first, and all with the
// same sign between.
func thousands(whole string, groups []string) bool {
	if strings.Contains(whole, ".") && strings.Contains(whole, ",") {
		return false
	}
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(g) > 3 {
			return false
		}
	}
	return len(groups) == 1+strings.Count(whole, ".")+strings.Count(whole, ",")
}

func notNumber(cell string) error {
	return fmt.Errorf("%q is not a number: want digits such as 1234.5", clip(cell))
}
