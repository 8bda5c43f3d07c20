package locale

import (
	"math"
	"strconv"
	"strings"
)

// thin separates thousands: a narrow no-break space, the thin space that does
// not let a line end inside a number.
const thin = '\u202f'

// Group writes a whole number with its thousands separated by thin spaces.
func Group(n int) string { return group(strconv.Itoa(n)) }

// GroupDecimal does so in a decimal number.
func GroupDecimal(s string) string { return group(s) }

// Number writes a figure: whole numbers exactly, others with four significant
// digits (never rounding off whole digits), without exponent or trailing zeros.
// A value that is not finite is "—".
func (l *Locale) Number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "—"
	case v == math.Trunc(v):
		return group(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return group(significant(v, 4))
}

// Ratio writes how many times as much something is, "×1.76", with three
// significant digits.
func (l *Locale) Ratio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "—"
	}
	return "×" + group(significant(v, 3))
}

// Percent writes a share, 0.802 as "80.2 %", with three significant digits.
func (l *Locale) Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "—"
	}
	text := group(significant(100*share, 3))
	if l.code == "zh" {
		return text + "%"
	}
	return text + string(thin) + "%"
}

// Count writes a whole number.
func (l *Locale) Count(n int) string { return Group(n) }

// significant rounds to so many significant digits after any whole digits.
func significant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	magnitude := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	s := strconv.FormatFloat(v, 'f', max(digits-magnitude, 0), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// group separates the thousands of the whole part of a decimal number.
func group(s string) string {
	whole, fraction, hasFraction := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if len(whole) <= 3 {
		return s
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteRune(thin)
		}
		b.WriteRune(d)
	}
	if hasFraction {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}
