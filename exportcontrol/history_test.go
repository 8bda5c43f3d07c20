package exportcontrol_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/exportcontrol"
)

// today is a day after every rule.
const today = "2026-11-20"

func lines(changes []exportcontrol.Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s to %s: %s", c.Day, c.Last, c.Verdict))
		if c.Exception != "" {
			out[len(out)-1] += " " + c.Exception
		}
		if c.Disputed {
			out[len(out)-1] += " disputed"
		}
	}
	return out
}

func TestHistoriesInChina(t *testing.T) {
	s := shared(t)
	for _, test := range []struct {
		card  string
		links float64 // nominal, with PCIe, which not every source gives
		want  []string
	}{
		{"nvidia-a800-sxm4-80gb", 464, []string{
			"2022-11-08 to 2023-10-22: not_controlled",
			"2023-10-23 to 2023-11-16: licence_required",
			"2023-11-17 to 2026-01-14: presumption_of_denial",
			"2026-01-15 to : case_by_case"}},
		{"nvidia-geforce-rtx-4090", 64, []string{
			"2022-09-20 to 2023-11-16: not_controlled",
			"2023-11-17 to 2024-04-03: presumption_of_denial NAC",
			"2024-04-04 to 2026-01-14: presumption_of_denial NAC disputed",
			"2026-01-15 to : case_by_case NAC"}},
		{"nvidia-h20-sxm5-96gb", 1028, []string{
			"2023-11-09 to 2025-04-08: not_controlled",
			"2025-04-09 to : licence_required"}},
		{"nvidia-h100-sxm5-80gb", 1028, []string{
			"2022-03-22 to 2022-08-25: not_controlled",
			"2022-08-26 to 2022-10-20: licence_required", // the letter
			"2022-10-21 to 2022-10-21: licence_required", // the letter and the rule
			"2022-10-22 to 2023-10-22: licence_required", // the rule
			"2023-10-23 to 2023-11-16: licence_required", // the rule and the next letter
			"2023-11-17 to 2026-01-14: presumption_of_denial",
			"2026-01-15 to : case_by_case"}},
	} {
		it := itemOf(t, s, test.card)
		it.IO = exact(test.links)
		got := lines(exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: "CN"}))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.card, diff)
		}
	}
}

func TestAHistoryFollowsTheEmirates(t *testing.T) {
	it := described(15840, 19, 1028, 3350, 1)
	it.Launched = "2026-01-01"
	got := lines(exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: "AE"}))
	if diff := cmp.Diff([]string{"2026-01-01 to : licence_required"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAHistoryFollowsTheSplitOfTheException(t *testing.T) {
	it := described(5284.8, 8.7, 64, 1008, 0)
	it.Launched = "2023-12-01"
	got := lines(exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: "VN"}))
	if diff := cmp.Diff([]string{"2023-12-01 to 2024-04-03: licence_required NAC", "2024-04-04 to : " +
		"licence_required ACA"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAHistoryEndsOnTheDayAskedFor(t *testing.T) {
	it := described(15840, 19, 1028, 3350, 1)
	for asOf, want := range map[string][2]string{
		"2026-01-14": {"2023-11-17", ""},
		"2026-01-15": {"2026-01-15", ""},
		"2022-08-26": {"2022-08-26", ""},
		"2022-08-25": {"2022-01-01", ""},
	} {
		changes := exportcontrol.History(it, exportcontrol.Question{AsOf: asOf, Destination: "CN"})
		last := changes[len(changes)-1]
		if got := [2]string{last.Day, last.Last}; got != want {
			t.Errorf("as of %s the last change is %v, want %v", asOf, got, want)
		}
	}
}

// TestHistoriesHaveNoGapsAndNoIdleEntries looks at every twelfth card.
func TestHistoriesHaveNoGapsAndNoIdleEntries(t *testing.T) {
	s := shared(t)
	for i := 0; i < s.Len(); i += 12 {
		it := exportcontrol.CardItem(s, i)
		for _, q := range []exportcontrol.Question{{today, "CN", ""}, {today, "MO", ""}, {today, "AE", ""},
			{today, "SG", "CN"}, {today, "JP", ""}} {
			changes := exportcontrol.History(it, q)
			for j, c := range changes {
				if c.Question != (exportcontrol.Question{AsOf: c.Day, Destination: q.Destination,
					Headquarters: q.Headquarters}) {
					t.Errorf("%s: asked %v on %s", it.ID, c.Question, c.Day)
				}
				if j == len(changes)-1 {
					if c.Last != "" {
						t.Errorf("%s: the last entry ends on %s", it.ID, c.Last)
					}
					continue
				}
				next := changes[j+1]
				if c.Last < c.Day || shifted(t, c.Last, 1) != next.Day {
					t.Errorf("%s in %s: %s to %s, then %s", it.ID, q.Destination, c.Day, c.Last, next.Day)
				}
				if c.Verdict == next.Verdict && c.Exception == next.Exception && slices.Equal(c.Because, next.Because) {
					t.Errorf("%s in %s: nothing changes on %s", it.ID, q.Destination, next.Day)
				}
			}
		}
	}
}

// TestAHistoryMissesNoDay evaluates every day for a few items and destinations.
func TestAHistoryMissesNoDay(t *testing.T) {
	items := []*exportcontrol.Item{described(15840, 19, 1028, 3350, 1), described(5284.8, 8.7, 64, 1008, 0)}
	for i, it := range items {
		for _, country := range []string{"CN", "MO", "AE", "VN"} {
			changes := exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: country})
			at := 0
			for day := changes[0].Day; day <= today; day = shifted(t, day, 1) {
				if changes[at].Last != "" && day > changes[at].Last {
					at++
				}
				res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: day, Destination: country})
				if c := changes[at]; c.Verdict != res.Verdict || c.Exception != res.Exception ||
					!slices.Equal(c.Because, res.Because) {
					t.Fatalf(
						"item %d in %s on %s: %s %s, the history has %s %s",
						i,
						country,
						day,
						res.Verdict,
						res.Exception,
						c.Verdict,
						c.Exception,
					)
				}
			}
		}
	}
}
