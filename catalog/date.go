package catalog

import "fmt"

// Date is a calendar date known to the day ("2022-03-22"), the month
// ("2022-03") or the year ("2022"); the empty Date is unknown. Dates of equal
// precision sort as strings.
type Date string

// ParseDate checks that s is a date that exists, in one of the three forms.
func ParseDate(s string) (Date, error) {
	if exists(s) {
		return Date(s), nil
	}
	return "", fmt.Errorf("%q is not a date: want YYYY, YYYY-MM or YYYY-MM-DD that exists", s)
}

// exists reports whether s is a date from 1900 on.
func exists(s string) bool {
	year, month, day, ok := parts(s)
	return ok && year >= 1900 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

// parts are the numbers of a date; what is not said is 1. A million prices have one
// each: time.Parse would take longer than all the rest of a price.
func parts(s string) (year, month, day int, ok bool) {
	month, day, ok = 1, 1, true
	switch len(s) {
	case len("2006-01-02"):
		day, ok = digits(s[8:])
		ok = ok && s[7] == '-'
		fallthrough
	case len("2006-01"):
		var is bool
		month, is = digits(s[5:7])
		ok = ok && is && s[4] == '-'
		fallthrough
	case len("2006"):
		var is bool
		year, is = digits(s[:4])
		return year, month, day, ok && is
	}
	return 0, 0, 0, false
}

// digits is the number that decimal digits are.
func digits(s string) (n int, ok bool) {
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int(d)
	}
	return n, true
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysSince1970 is the number of a day that exists, from the year 0 on. Years begin with March here, so that a leap day
// is the last of one, and the days before a month are a straight line, rounded down.
func daysSince1970(year, month, day int) int {
	if month < 3 {
		year, month = year-1, month+12
	}
	year += 400                      // so that none is below 0
	const before = 719_469 + 146_097 // days until 1970, those of 400 years, and one as months begin with a first
	return 365*year + year/4 - year/100 + year/400 + (153*month-457)/5 + day - before
}

// Ordinal returns the first day of the date as the number YYYYMMDD, for sorting
// and for range filters, and 0 for what is no date.
func (d Date) Ordinal() int {
	year, month, day, ok := parts(string(d))
	if !ok {
		return 0
	}
	return year*10000 + month*100 + day
}

// LastOrdinal is the number YYYYMMDD of the last day that the date may mean: 20221231 for "2022", 20240229 for
// "2024-02"; 0 for what is no date.
func (d Date) LastOrdinal() int {
	year, month, day, ok := parts(string(d))
	switch {
	case !ok:
		return 0
	case len(d) == len("2006"):
		month, day = 12, 31
	case len(d) == len("2006-01"):
		day = daysIn(year, month)
	}
	return year*10000 + month*100 + day
}

// DayNumber is the date as the number of days since 1970; of a month or a year it is
// the middle. ok is false for what is no date.
func (d Date) DayNumber() (day int, ok bool) {
	year, month, date, ok := parts(string(d))
	switch len(d) {
	case len("2006"):
		month = 7
	case len("2006-01"):
		date = 15
	}
	if !ok || month < 1 || month > 12 || date < 1 || date > daysIn(year, month) {
		return 0, false
	}
	return daysSince1970(year, month, date), true
}
