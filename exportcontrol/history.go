package exportcontrol

import (
	"slices"
)

// A Change is a day from which the verdict is another.
type Change struct {
	Day  string
	Last string // the last day that it holds; empty while it does
	Result
}

// History is how the verdict on an item changed for a destination, from its launch
// or the first rule on, up to the day asked for. Only days on which a verdict, an
// exception or the rules behind it changed are listed.
func History(it *Item, q Question) []Change {
	var out []Change
	for _, day := range turningPoints(it.Launched, q.AsOf) {
		res := Evaluate(it, Question{day, q.Destination, q.Headquarters})
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Verdict == res.Verdict && last.Exception == res.Exception &&
				last.Disputed == res.Disputed && slices.Equal(last.Because, res.Because) {
				continue
			}
			last.Last = dayBefore(day)
		}
		out = append(out, Change{Day: day, Result: res})
	}
	return out
}
