package exportcontrol_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/exportcontrol"
)

// destinations are those of twelve kinds: in every group, under embargoes, in none, and at home.
var destinations = []string{"CN", "HK", "MO", "RU", "BY", "IR", "SY", "CU", "AE", "VN", "DE", "US"}

// strict is how strict a verdict is: 0 is the mildest.
func strict(v exportcontrol.Status) int {
	return len(exportcontrol.Verdicts) - 1 - slices.Index(exportcontrol.Verdicts, v)
}

// TestNothingChangesBetweenTurningPoints: the days that other tests look at stand for all days.
func TestNothingChangesBetweenTurningPoints(t *testing.T) {
	s := shared(t)
	var items []*exportcontrol.Item
	for _, id := range []string{"nvidia-geforce-rtx-4090", "nvidia-l40", "nvidia-h20-sxm5-96gb",
		"nvidia-h100-sxm5-80gb",
		"huawei-ascend-910c", "intel-arc-b580"} {
		items = append(items, itemOf(t, s, id))
	}
	points := exportcontrol.TurningPoints(today)
	last := map[string]string{}
	for day := "2022-12-01"; day <= today; day = shifted(t, day, 1) {
		for _, to := range destinations {
			for _, it := range items {
				res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: day, Destination: to})
				key := it.ID + " to " + to
				now := fmt.Sprint(res.Verdict, res.Exception, res.Likely, res.Disputed, ids(res.Because))
				if was, ok := last[key]; ok && was != now && !slices.Contains(points, day) {
					t.Fatalf("%s changes on %s, which is no turning point:\nwas %s\nnow %s", key, day, was, now)
				}
				last[key] = now
			}
		}
	}
}

// ruled are days on which, between them, every rule that counts is in force.
var ruled = []string{
	"2022-12-01",
	"2023-08-15",
	"2023-11-01",
	"2024-01-01",
	"2024-06-01",
	"2025-02-01",
	"2025-06-01",
	"2026-03-01",
	today,
}

// raised are figures with one of them multiplied.
type raised struct {
	catalog.Figures
	id string
	by float64
}

func (f raised) Number(id string) (float64, bool) {
	v, ok := f.Figures.Number(id)
	if id == f.id {
		v *= f.by
	}
	return v, ok
}

// faster are the questions that raised figures are asked.
func faster() []exportcontrol.Question {
	var out []exportcontrol.Question
	for _, day := range ruled {
		for _, to := range []string{"CN", "VN", "AE", "DE"} {
			out = append(out, exportcontrol.Question{AsOf: day, Destination: to})
		}
	}
	return out
}

// isRate reports whether a figure may be raised: a dense rate, the published TPP, memory or links.
func isRate(q *catalog.Quantity) bool {
	return q.Group == "compute" && !strings.Contains(q.ID, "sparse") ||
		slices.Contains([]string{"published_tpp", "memory_bandwidth_gb_s", "interconnect_gb_s"}, q.ID)
}

// TestAFasterCardIsNeverBetterOff raises every rate of every card, and its memory and links.
func TestAFasterCardIsNeverBetterOff(t *testing.T) {
	s, questions, stricter := shared(t), faster(), 0
	for row := range s.Len() {
		f := s.Figures(row)
		verdicts := func(f catalog.Figures) []exportcontrol.Status {
			it := exportcontrol.ItemOf(f)
			it.ID = s.Card(row).ID
			var out []exportcontrol.Status
			for _, q := range questions {
				out = append(out, exportcontrol.Evaluate(&it, q).Verdict)
			}
			return out
		}
		slow := verdicts(f)
		for _, q := range catalog.Quantities() {
			if _, ok := f.Number(q.ID); !ok || !isRate(q) {
				continue
			}
			for i, fast := range verdicts(raised{f, q.ID, []float64{1.4, 6}[row%2]}) {
				if strict(fast) < strict(slow[i]) {
					t.Errorf("%s, %+v: %s, with a faster %s %s", s.Card(row).ID, questions[i], slow[i], q.ID, fast)
				}
				if strict(fast) > strict(slow[i]) {
					stricter++
				}
			}
		}
	}
	if t.Logf("%d verdicts became stricter", stricter); stricter < 1000 {
		t.Errorf("only %d verdicts became stricter", stricter)
	}
}

// corners are values that an amount may have: its ends, and both sides of the bounds of rules.
func corners(a exportcontrol.Amount, bounds ...float64) []exportcontrol.Amount {
	if a.Known != exportcontrol.AtLeast && a.Known != exportcontrol.Missing {
		return []exportcontrol.Amount{a}
	}
	most := a.Most
	if most == 0 {
		most = math.Inf(1)
	}
	out := []exportcontrol.Amount{exact(a.Value)}
	for _, b := range append(bounds, most) {
		for _, v := range []float64{b - 0.001, b} {
			if v >= a.Value && v <= most && !math.IsInf(v, 1) {
				out = append(out, exact(v))
			}
		}
	}
	return out
}

// TestAVerdictIsNeverBetterThanItsBoundsAllow puts every value that the bounds of a card leave in
// the place of what is not known: none may be stricter than the verdict.
func TestAVerdictIsNeverBetterThanItsBoundsAllow(t *testing.T) {
	s := shared(t)
	free := []exportcontrol.Status{exportcontrol.NotControlled, exportcontrol.NotEnforced, exportcontrol.CaseByCase,
		exportcontrol.PresumptionOfDenial}
	checked := 0
	for row := range s.Len() {
		it := exportcontrol.CardItem(s, row)
		if it.TPP.Known != exportcontrol.AtLeast && it.IO.Known != exportcontrol.AtLeast &&
			it.PerformanceDensity.Known != exportcontrol.AtLeast &&
			it.PerformanceDensity.Known != exportcontrol.Missing {
			continue
		}
		for _, day := range ruled {
			for _, to := range []string{"CN", "VN", "DE"} {
				q := exportcontrol.Question{AsOf: day, Destination: to}
				res := exportcontrol.Evaluate(it, q)
				given := res.Verdict
				if !slices.Contains(free, given) || byItsECCN(res) {
					continue
				}
				for _, may := range mayBe(it) {
					checked++
					if is := exportcontrol.Evaluate(may, q).Verdict; strict(is) > strict(given) {
						t.Fatalf("%s to %s on %s: %s, but %s with %s", it.ID, to, day, given, is, amountsOf(may))
					}
				}
			}
		}
	}
	if t.Logf("%d corners", checked); checked < 5000 {
		t.Errorf("only %d corners were looked at", checked)
	}
}

// byItsECCN reports whether the vendor's classification decided among those that the bounds allow.
func byItsECCN(res exportcontrol.Result) bool {
	alone := *res.Item
	alone.ECCN = ""
	return exportcontrol.Evaluate(&alone, res.Question).Verdict != res.Verdict
}

// mayBe are the items that an item may turn out to be.
func mayBe(it *exportcontrol.Item) []*exportcontrol.Item {
	var out []*exportcontrol.Item
	for _, tpp := range corners(it.TPP, 1600, 2400, 4800, 21000) {
		density := it.PerformanceDensity
		if it.Area.Known == exportcontrol.Exact && it.TPP.Known == exportcontrol.AtLeast {
			density = exact(tpp.Value / it.Area.Value)
		}
		for _, d := range corners(density, 1.6, 3.2, 5.92) {
			for _, io := range corners(it.IO, 600, 1100) {
				other := *it
				other.TPP, other.PerformanceDensity, other.IO = tpp, d, io
				out = append(out, &other)
			}
		}
	}
	return out
}

// TestWhatIsOnlyInTheTextIsNeverFree: 3A090.a items need a licence by the text wherever they go, and BIS
// says that it does not enforce that.
func TestWhatIsOnlyInTheTextIsNeverFree(t *testing.T) {
	s := shared(t)
	for _, test := range []struct {
		card, day, to, hq string
		want              exportcontrol.Status
		exception         string
	}{
		{"nvidia-b200-sxm6-180gb", today, "DE", "", exportcontrol.NotEnforced, ""},
		{"nvidia-geforce-rtx-4090", today, "DE", "", exportcontrol.NotEnforced, "ACA"},
		{"nvidia-geforce-rtx-4090", "2025-01-12", "DE", "", exportcontrol.NotControlled, ""},
		{"nvidia-geforce-rtx-4090", "2025-01-13", "DE", "", exportcontrol.NotEnforced, "ACA"},
		{"nvidia-b200-sxm6-180gb", today, "DE", "CN", exportcontrol.PresumptionOfDenial, ""},
		{"nvidia-b200-sxm6-180gb", today, "US", "", exportcontrol.NotControlled, ""},
		{"nvidia-b200-sxm6-180gb", today, "SA", "", exportcontrol.LicenceRequired, ""},
		{"nvidia-l40", today, "DE", "", exportcontrol.NotControlled, ""}, // 3A090.b
		{"nvidia-h20-sxm5-96gb", today, "DE", "", exportcontrol.NotControlled, ""},
		{"google-tpu-v5p", today, "DE", "", exportcontrol.CloudOnly, ""},
	} {
		res := exportcontrol.Evaluate(itemOf(t, s, test.card),
			exportcontrol.Question{AsOf: test.day, Destination: test.to, Headquarters: test.hq})
		if res.Verdict != test.want || res.Exception != test.exception {
			t.Errorf("%s to %s (%s) on %s: %s %s, want %s %s", test.card, test.to, test.hq, test.day, res.Verdict,
				res.Exception, test.want, test.exception)
		}
	}
}

// TestTheReviewOfNotifiedItemsIsDisputed since 744.23(d)(3)(i) and 742.6(b)(10) differ.
func TestTheReviewOfNotifiedItemsIsDisputed(t *testing.T) {
	gaming, server := described(5285, 8.7, 64, 1008, 0), described(15840, 19, 600, 1000, 1)
	for _, test := range []struct {
		it      *exportcontrol.Item
		day, to string
		want    bool
	}{
		{gaming, "2024-04-03", "CN", false}, {gaming, "2024-04-04", "CN", true}, {gaming, today, "CN", false},
		{gaming, today, "VE", true}, {gaming, today, "VN", false}, {gaming, today, "RU", false},
		{server, "2024-06-01", "CN", false}, {server, today, "VE", false},
	} {
		res := exportcontrol.Evaluate(test.it, exportcontrol.Question{AsOf: test.day, Destination: test.to})
		if res.Disputed != test.want {
			t.Errorf("TPP %s to %s on %s: %s, disputed %v", test.it.TPP, test.to, test.day, res.Verdict, res.Disputed)
		}
	}
}

// TestALetterToUnknownCustomersLeavesItOpen: nobody published whom the letter of 2023 is about.
func TestALetterToUnknownCustomersLeavesItOpen(t *testing.T) {
	it := itemOf(t, shared(t), "nvidia-h100-sxm5-80gb")
	for to, want := range map[string]exportcontrol.Status{"SA": exportcontrol.Unknown,
		"VN": exportcontrol.NotControlled,
		"CN": exportcontrol.LicenceRequired} {
		if got := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: "2023-09-01",
			Destination: to}).Verdict; got != want {
			t.Errorf("to %s: %s, want %s", to, got, want)
		}
	}
}
