package exportcontrol

import (
	"slices"
	"time"
)

// TurningPoints are the days up to one on which some verdict may have changed.
func TurningPoints(until string) []string { return turningPoints("", until)[1:] }

// turningPoints are the days, from one to another, on which a rule begins or has
// ended, or a country group changes, in order. The first is when the item was
// launched, or the first day that can be asked for when that is later.
func turningPoints(launched, until string) []string {
	first := min(max(launched, FirstDay), until)
	days := []string{first}
	for _, r := range rules {
		if r.Kind == Proposed {
			continue
		}
		days = append(days, r.Effective)
		if r.End != "" {
			days = append(days, dayAfter(r.End))
		}
		for _, m := range r.Scope.Countries {
			days = append(days, m.From)
		}
	}
	for _, list := range groups {
		for _, m := range list {
			days = append(days, m.From)
			if m.To != "" {
				days = append(days, dayAfter(m.To))
			}
		}
	}
	days = slices.DeleteFunc(days, func(day string) bool { return day < first || day > until })
	slices.Sort(days)
	return slices.Compact(days)
}

func dayBefore(day string) string { return shift(day, -1) }
func dayAfter(day string) string  { return shift(day, 1) }

func shift(day string, by int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, by).Format(time.DateOnly)
}
