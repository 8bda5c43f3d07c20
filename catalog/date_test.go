package catalog_test

import (
	"slices"
	"testing"
	"time"

	"tianti/catalog"
)

func FuzzDatesAreThoseThatExist(f *testing.F) {
	for _, s := range []string{"", "2024", "2024-02", "2024-02-29", "2023-02-29", "2024-13", "2024-00", "2024-1-01",
		"1899-12-31", "1900-01-01", "9999-12-31", "20x4", "2024-02-2 ", "２０２４", "2024/02/29", "2024-04-31",
		"2000-02-29", "1900-02-29"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		exists := slices.ContainsFunc([]string{"2006-01-02", "2006-01", "2006"}, func(layout string) bool {
			at, err := time.Parse(layout, s)
			return err == nil && len(s) == len(layout) && at.Year() >= 1900
		})
		d, err := catalog.ParseDate(s)
		if exists != (err == nil) || exists && string(d) != s {
			t.Errorf("%q: got %q, %v; want a date: %v", s, d, err, exists)
		}
	})
}

func TestDayNumbersAreThoseOfTheCalendar(t *testing.T) {
	for _, year := range []int{0, 1, 4, 1600, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2026, 2100, 9999} {
		first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		for at := first; at.Year() == year; at = at.AddDate(0, 0, 1) {
			want := int(at.Unix() / (24 * 60 * 60))
			if got, ok := catalog.Date(at.Format(time.DateOnly)).DayNumber(); got != want || !ok {
				t.Fatalf("%s: got day %d, %v, want %d", at.Format(time.DateOnly), got, ok, want)
			}
		}
	}
	for _, s := range []string{"", "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-01", "2024-01-00"} {
		if got, ok := catalog.Date(s).DayNumber(); ok {
			t.Errorf("%q: got day %d, want none", s, got)
		}
	}
}
