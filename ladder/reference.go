package ladder

import (
	"cmp"
	"slices"

	"tianti/sorting"
)

// wellKnown are the cards that others are measured against, by segment, in the order in which they are
// tried as the reference: the flagships first.
var wellKnown = []struct {
	segment string
	ids     []string
}{
	{"desktop", []string{"nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-4060", "nvidia-geforce-rtx-3060-12gb"}},
	{
		"laptop",
		[]string{"nvidia-geforce-rtx-4090-laptop", "nvidia-geforce-rtx-4060-laptop", "nvidia-geforce-rtx-3060-laptop"},
	},
	{"workstation", []string{"nvidia-rtx-6000-ada", "nvidia-rtx-a6000", "nvidia-rtx-a4000"}},
	{"mobile-workstation", []string{"nvidia-rtx-a3000-laptop", "nvidia-rtx-3000-ada-laptop"}},
	{"datacenter", []string{"nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb", "nvidia-t4"}},
	{"cloud", []string{"google-tpu-v4", "google-tpu-v5e"}},
	{"edge", []string{"nvidia-jetson-agx-orin-64gb", "nvidia-jetson-orin-nx-16gb"}},
}

// ofAll is the reference of a ladder of all segments.
var ofAll = []string{
	"nvidia-h100-sxm5-80gb",
	"nvidia-geforce-rtx-4090",
	"nvidia-a100-sxm4-80gb",
	"nvidia-geforce-rtx-4060",
}

// Usual returns the default reference of a ladder: a well-known card of the segments
// (none means all) that has a value, or else the card in the middle. known reports
// which of the two it is; the entry is zero when no card has a value.
func Usual(entries []Entry, segments []string, lower bool) (e Entry, known bool) {
	for _, id := range candidates(segments) {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.ID == id })
		if i >= 0 && entries[i].Placeable() {
			return entries[i], true
		}
	}
	return Middle(entries, lower), false
}

func candidates(segments []string) []string {
	if len(segments) == 0 {
		return ofAll
	}
	var out []string
	for _, w := range wellKnown {
		if slices.Contains(segments, w.segment) {
			out = append(out, w.ids...)
		}
	}
	return out
}

// Middle is the entry in the middle of those that have a value, the better of two;
// zero when none has.
func Middle(entries []Entry, lower bool) Entry {
	var placed []Entry
	for _, e := range entries {
		if e.Placeable() {
			placed = append(placed, e)
		}
	}
	if len(placed) == 0 {
		return Entry{}
	}
	l := Ladder{Lower: lower}
	sorting.Func(placed, func(a, b Entry) int {
		return cmp.Or(l.compare(a.Value, b.Value), cmp.Compare(a.ID, b.ID))
	})
	return placed[(len(placed)-1)/2]
}
