package exportcontrol_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/exportcontrol"
)

// plain is a summary without the arithmetic, in words that compare.
func plain(s *exportcontrol.Summary) string {
	out := fmt.Sprint(s.Verdict, s.Exception, s.Likely)
	for _, r := range s.Because {
		out += " " + r.ID
	}
	for _, e := range s.Evaluations {
		out += fmt.Sprint(
			"; ",
			e.Rule.ID,
			e.Status,
			e.Class,
			e.Possible,
			e.Missing,
			e.Ground,
			e.Group,
			e.Reason,
			e.Verdict,
			e.Exception,
		)
	}
	return out
}

func TestCardsOfAClassAreJudgedAsEachAlone(t *testing.T) {
	made := catalog.NewSnapshot(1, sample.Dataset("made", 400))
	for name, s := range map[string]*catalog.Snapshot{"built-in": builtin(t), "made": made} {
		for _, q := range []exportcontrol.Question{
			{AsOf: "2022-09-01", Destination: "CN"}, {AsOf: "2023-01-01", Destination: "CN"},
			{AsOf: "2023-10-24", Destination: "CN"},
			{AsOf: "2024-06-01", Destination: "VN"}, {AsOf: "2025-05-01", Destination: "MO"},
			{AsOf: "2026-02-01", Destination: "CN"},
			{AsOf: "2026-08-01", Destination: "AE"}, {AsOf: "2026-08-01", Destination: "SG", Headquarters: "CN"},
			{AsOf: today, Destination: "RU"}, {AsOf: today, Destination: "DE"},
		} {
			all := exportcontrol.EvaluateAll(s, q)
			for row := range s.Len() {
				it := exportcontrol.CardItem(s, row)
				alone := exportcontrol.Evaluate(it, q)
				if got, want := plain(all.Of(row)), plain(&alone.Summary); got != want {
					t.Fatalf("%s, %s, %+v:\ngot  %s\nwant %s", name, it.ID, q, got, want)
				}
				if *all.Amounts(row) != it.Amounts {
					t.Fatalf("%s, %s: amounts %+v, want %+v", name, it.ID, *all.Amounts(row), it.Amounts)
				}
			}
		}
	}
}

func TestASurveyListsTheStrictestFirst(t *testing.T) {
	s := builtin(t)
	all := exportcontrol.EvaluateAll(s, exportcontrol.Question{AsOf: "2026-02-01", Destination: "CN"})
	rows := slices.Collect(all.Rows())
	seen := map[int]bool{}
	counts := map[exportcontrol.Status]int{}
	for i, row := range rows {
		seen[row] = true
		counts[all.Of(row).Verdict]++
		if i == 0 {
			continue
		}
		before := rows[i-1]
		was, is := slices.Index(
			exportcontrol.Verdicts,
			all.Of(before).Verdict,
		), slices.Index(
			exportcontrol.Verdicts,
			all.Of(row).Verdict,
		)
		if was > is || was == is && all.Amounts(before).TPP.Value < all.Amounts(row).TPP.Value {
			t.Errorf("%s before %s", s.Card(before).ID, s.Card(row).ID)
		}
	}
	if len(seen) != s.Len() {
		t.Errorf("%d of %d cards", len(seen), s.Len())
	}
	if diff := cmp.Diff(counts, all.Counts()); diff != "" {
		t.Error(diff)
	}
	for range all.Rows() {
		break // a reader may stop early
	}
}

func TestTheRulesOfASurveyAreThoseInForce(t *testing.T) {
	all := exportcontrol.EvaluateAll(builtin(t), exportcontrol.Question{AsOf: "2023-01-01", Destination: "CN"})
	var ids []string
	for _, r := range all.Rules() {
		ids = append(ids, r.ID)
	}
	if diff := cmp.Diff([]string{"US-BIS-2022-3A090"}, ids); diff != "" {
		t.Error(diff)
	}
	if e := all.Of(0).Under(mustFind(t, now3A090)); e.Rule != nil {
		t.Errorf("a rule that is not in force: %+v", e)
	}
	if rules := exportcontrol.EvaluateAll(catalog.NewSnapshot(1),
		exportcontrol.Question{AsOf: today, Destination: "CN"}).Rules(); rules != nil {
		t.Errorf("rules of no cards: %v", rules)
	}
}

func TestACardIsJudgedByOneOfItsICs(t *testing.T) {
	s := builtin(t)
	for _, test := range []struct {
		card        string
		ics         float64
		tpp, memory float64
	}{
		{"qualcomm-cloud-ai-100-ultra", 4, 1740, 137}, {"huawei-atlas-300i-duo", 2, 1120, 204},
		{"tenstorrent-wormhole-n300", 2, 1864, 288},
		{"nvidia-a16", 4, 287.2, 200}, {"nvidia-tesla-k80", 2, 139.68, 240}, {"nvidia-tesla-m60", 2, 154.4, 160},
		{"nvidia-tesla-m10", 4, 53.504, 83}, {"cambricon-mlu370-x8", 2, 1024, 307.2},
		{"iluvatar-bi-v150", 2, 1536, 600},
		{"amd-instinct-mi250x", 1, 6128, 3276.8}, {"nvidia-a100-sxm4-80gb", 1, 4992, 2039},
	} {
		it := itemOf(t, s, test.card)
		if it.Performance.ICs != test.ics || it.TPP.Value != test.tpp || it.Memory.Value != test.memory {
			t.Errorf(
				"%s: %v ICs, TPP %v, memory %v; want %v, %v, %v",
				test.card,
				it.Performance.ICs,
				it.TPP.Value,
				it.Memory.Value,
				test.ics,
				test.tpp,
				test.memory,
			)
		}
	}
}
