package exportcontrol_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"tianti/exportcontrol"
)

// crowded are days on which, between them, every rule with outcomes is shown.
var crowded = []string{"2022-10-21", "2023-10-23", "2025-05-13", "2026-08-01"}

// near are values about the bounds of every quantity.
var near = map[exportcontrol.Quantity][]float64{
	exportcontrol.TPP: {
		1,
		1599.999,
		1600,
		2399.999,
		2400,
		4799.999,
		4800,
		4800.001,
		13999,
		14000,
		15840,
		17500,
		20800,
		20999.999,
		21000,
		21100,
		60000,
	},
	exportcontrol.PerformanceDensity: {0.5, 1.599, 1.6, 3.199, 3.2, 5.919, 5.92, 20},
	exportcontrol.IO:                 {0, 64, 400, 599.999, 600, 1000, 1099.999, 1100, 1800},
	exportcontrol.Memory: {
		0,
		300,
		1300,
		1399.999,
		1400,
		4099.999,
		4100,
		4500,
		4750,
		5000,
		5800,
		6000,
		6200,
		6499.999,
		6500,
		8000,
	},
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.Intn(len(list))] }

func someAmount(r *rand.Rand, q exportcontrol.Quantity) exportcontrol.Amount {
	switch r.Intn(6) {
	case 0:
		return exportcontrol.Amount{}
	case 1:
		return exportcontrol.Amount{Known: exportcontrol.NotApplicable}
	case 2:
		return atLeast(pick(r, near[q]))
	}
	return exact(pick(r, near[q]))
}

func someItem(r *rand.Rand) *exportcontrol.Item {
	return &exportcontrol.Item{
		Amounts: exportcontrol.Amounts{
			TPP:                someAmount(r, exportcontrol.TPP),
			PerformanceDensity: someAmount(r, exportcontrol.PerformanceDensity),
			IO:                 someAmount(r, exportcontrol.IO),
			Memory:             someAmount(r, exportcontrol.Memory),
			Datacenter:         pick(r, []exportcontrol.Amount{{}, exact(0), exact(1)}),
		},
	}
}

// learned is what an amount may turn out to be.
func learned(r *rand.Rand, q exportcontrol.Quantity, a exportcontrol.Amount) exportcontrol.Amount {
	switch a.Known {
	case exportcontrol.Missing:
		if q == exportcontrol.Datacenter {
			return exact(float64(r.Intn(2)))
		}
		return exact(pick(r, near[q]))
	case exportcontrol.AtLeast:
		return exact(max(a.Value, pick(r, near[q])))
	}
	return a
}

func learnedItem(r *rand.Rand, it *exportcontrol.Item) *exportcontrol.Item {
	return &exportcontrol.Item{
		Amounts: exportcontrol.Amounts{
			TPP:                learned(r, exportcontrol.TPP, it.TPP),
			PerformanceDensity: learned(r, exportcontrol.PerformanceDensity, it.PerformanceDensity),
			IO:                 learned(r, exportcontrol.IO, it.IO),
			Memory:             learned(r, exportcontrol.Memory, it.Memory),
			Datacenter:         learned(r, exportcontrol.Datacenter, it.Datacenter),
		},
	}
}

func amountsOf(it *exportcontrol.Item) string {
	return fmt.Sprintf(
		"TPP %v, density %v, links %v, memory %v, data centre %v",
		it.TPP,
		it.PerformanceDensity,
		it.IO,
		it.Memory,
		it.Datacenter,
	)
}

// TestWhatIsLearnedLaterOverturnsNothing replaces what is not known of random items
// by what it may be: a class that was given stays, and one that was left open
// becomes one of those that were called possible.
func TestWhatIsLearnedLaterOverturnsNothing(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	settled, open := map[string]int{}, map[string]int{}
	for range 1200 {
		before := someItem(r)
		q := exportcontrol.Question{
			AsOf:         pick(r, crowded),
			Destination:  pick(r, []string{"CN", "VN", "AE", "JP"}),
			Headquarters: pick(r, []string{"", "CN"}),
		}
		was := exportcontrol.Evaluate(before, q)
		for range 4 {
			after := learnedItem(r, before)
			is := exportcontrol.Evaluate(after, q)
			if was.Verdict == exportcontrol.NotControlled && is.Verdict != exportcontrol.NotControlled {
				t.Fatalf("%v: not controlled with %s, %s with %s", q, amountsOf(before), is.Verdict, amountsOf(after))
			}
			for i, e := range was.Evaluations {
				id, class := e.Rule.ID, is.Evaluations[i].Class
				switch {
				case e.Class == exportcontrol.Unknown:
					open[id]++
					if class != exportcontrol.Unknown && !slices.Contains(e.Possible, class) {
						t.Fatalf(
							"%s: may be %v with %s, is %s with %s",
							id,
							e.Possible,
							amountsOf(before),
							class,
							amountsOf(after),
						)
					}
					if len(e.Missing) == 0 {
						t.Fatalf("%s: unknown with %s, and nothing is missing", id, amountsOf(before))
					}
				case e.Class != class:
					t.Fatalf("%s: %s with %s, %s with %s", id, e.Class, amountsOf(before), class, amountsOf(after))
				default:
					settled[id]++
				}
			}
		}
	}
	for _, rule := range exportcontrol.Rules() {
		if len(rule.Outcomes) > 0 && !rule.Embargo && (settled[rule.ID] == 0 || open[rule.ID] == 0) {
			t.Errorf("%s: %d settled and %d open cases, want some of both", rule.ID, settled[rule.ID], open[rule.ID])
		}
	}
}

// TestWhatIsFullyKnownIsNeverUnknown keeps the engine from hiding behind "unknown".
func TestWhatIsFullyKnownIsNeverUnknown(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 1000 {
		it := described(pick(r, near[exportcontrol.TPP]), pick(r, near[exportcontrol.PerformanceDensity]),
			pick(r, near[exportcontrol.IO]), pick(r, near[exportcontrol.Memory]), float64(r.Intn(2)))
		res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: pick(r, crowded), Destination: "CN"})
		for _, e := range res.Evaluations {
			if e.Class == exportcontrol.Unknown || len(e.Missing)+len(e.Possible) > 0 {
				t.Fatalf("%s: %s, missing %v, with %s", e.Rule.ID, e.Class, e.Missing, amountsOf(it))
			}
		}
		if res.Verdict == exportcontrol.Unknown {
			t.Fatalf("the verdict is unknown with %s", amountsOf(it))
		}
	}
}

// mild are the classes that clear an item.
var mild = []exportcontrol.Status{
	exportcontrol.NotControlled,
	exportcontrol.Not3A090,
	exportcontrol.NotCaught,
	exportcontrol.NotInLetter,
	exportcontrol.None,
}

func TestNothingKnownIsNeverCleared(t *testing.T) {
	for _, vendor := range []string{"NVIDIA", ""} {
		it := &exportcontrol.Item{Vendor: vendor}
		for day := "2022-08-26"; day <= "2026-12-31"; day = shifted(t, day, 1) {
			res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: day, Destination: "CN"})
			if res.Verdict == exportcontrol.NotControlled {
				t.Errorf("%q on %s: %s", vendor, day, res.Verdict)
			}
			for _, e := range res.Evaluations {
				if len(e.Rule.Outcomes) > 0 && e.Reason != exportcontrol.OtherAddressee &&
					(slices.Contains(mild, e.Class) || e.Class == exportcontrol.Inapplicable) {
					t.Errorf("%s on %s: class %s", e.Rule.ID, day, e.Class)
				}
			}
		}
	}
}

func TestEveryPlaceInScopeLeavesNothingKnownOpen(t *testing.T) {
	it := &exportcontrol.Item{Vendor: "NVIDIA"}
	for _, day := range crowded {
		for _, country := range exportcontrol.Countries() {
			res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: day, Destination: country})
			want := exportcontrol.NotControlled
			for _, e := range res.Evaluations {
				switch {
				case e.Rule.Embargo && !e.Rule.Of3A090:
					want = e.Verdict // whatever the item is
				case want == exportcontrol.NotControlled && e.Rule.Counted() && len(e.Rule.Outcomes) > 0 &&
					e.Ground != exportcontrol.OutOfScope &&
					e.Reason != exportcontrol.OtherAddressee:
					want = exportcontrol.Unknown
				}
			}
			if res.Verdict != want {
				t.Errorf("%s on %s: %s, want %s", country, day, res.Verdict, want)
			}
		}
	}
}

func TestWhatMayDecideIsNamedAsMissing(t *testing.T) {
	for _, test := range []struct {
		name, rule string
		change     func(*exportcontrol.Item)
		class      exportcontrol.Status
		missing    []exportcontrol.Quantity
	}{
		{"links of the A100", first3A090, func(it *exportcontrol.Item) { it.IO = exportcontrol.Amount{} },
			exportcontrol.Unknown, []exportcontrol.Quantity{exportcontrol.IO}},
		{"links below the bound so far", first3A090, func(it *exportcontrol.Item) { it.IO = atLeast(599.999) },
			exportcontrol.Unknown, []exportcontrol.Quantity{exportcontrol.IO}},
		{"links at the bound so far", first3A090, func(it *exportcontrol.Item) { it.IO = atLeast(600) },
			exportcontrol.Controlled, nil},
		{"links that cannot matter", first3A090, func(it *exportcontrol.Item) {
			it.IO, it.TPP = exportcontrol.Amount{},
				exact(4799)
		}, exportcontrol.NotControlled, nil},
		{"density that cannot matter", now3A090, func(it *exportcontrol.Item) {
			it.PerformanceDensity = exportcontrol.Amount{}
		}, exportcontrol.A, nil},
		{"density of the middle", now3A090, func(it *exportcontrol.Item) {
			it.TPP, it.PerformanceDensity = exact(2000),
				exportcontrol.Amount{}
		}, exportcontrol.Unknown, []exportcontrol.Quantity{exportcontrol.PerformanceDensity}},
		{"no density at all", now3A090, func(it *exportcontrol.Item) {
			it.TPP, it.PerformanceDensity = exact(2000), exportcontrol.Amount{Known: exportcontrol.NotApplicable}
		}, exportcontrol.Not3A090, nil},
		{"market of the middle", now3A090, func(it *exportcontrol.Item) {
			it.TPP, it.Datacenter = exact(4799),
				exportcontrol.Amount{}
		}, exportcontrol.Unknown, []exportcontrol.Quantity{exportcontrol.Datacenter}},
		{"market that cannot matter", now3A090, func(it *exportcontrol.Item) { it.Datacenter = exportcontrol.Amount{} },
			exportcontrol.A, nil},
		{"lower bound of TPP", now3A090, func(it *exportcontrol.Item) {
			it.TPP, it.PerformanceDensity = atLeast(4799),
				atLeast(1)
		}, exportcontrol.Unknown,
			[]exportcontrol.Quantity{exportcontrol.TPP, exportcontrol.PerformanceDensity}},
	} {
		it := described(4992, 6, 664, 2039, 1)
		test.change(it)
		e := mustEvaluate(
			t,
			it,
			exportcontrol.Question{AsOf: firstDay(mustFind(t, test.rule)), Destination: "CN"},
			test.rule,
		)
		if e.Class != test.class || !slices.Equal(e.Missing, test.missing) {
			t.Errorf("%s: %s, missing %v; want %s, missing %v", test.name, e.Class, e.Missing, test.class, test.missing)
		}
	}
}

// strictness orders the classes of every rule from the mildest.
var strictness = map[string][]exportcontrol.Status{
	letter2022: {exportcontrol.NotControlled, exportcontrol.Controlled},
	first3A090: {exportcontrol.NotControlled, exportcontrol.Controlled},
	letter2023: {exportcontrol.NotInLetter, exportcontrol.ControlledNow},
	now3A090:   {exportcontrol.Not3A090, exportcontrol.B, exportcontrol.A},
	diffusion:  {exportcontrol.Inapplicable, exportcontrol.NotControlled, exportcontrol.NotEnforced},
	letter2025: {exportcontrol.NotCaught, exportcontrol.LicenceRequired},
	designers:  {exportcontrol.Inapplicable, exportcontrol.Controlled},
	caseByCase: {exportcontrol.Inapplicable, exportcontrol.CaseByCase, exportcontrol.PresumptionOfDenial},
	parents:    {exportcontrol.Inapplicable, exportcontrol.LicenceRequired},
	safeChips:  {exportcontrol.NotControlled, exportcontrol.Controlled},
}

var severity = []exportcontrol.Status{
	exportcontrol.NotControlled,
	exportcontrol.LicenceRequired,
	exportcontrol.CaseByCase,
	exportcontrol.PresumptionOfDenial,
}

// TestMoreComputeIsNeverMilder gives random items more performance, and some more
// links, memory or a data centre too. Tariffs are bands, so they are left out.
func TestMoreComputeIsNeverMilder(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	stricter := map[string]int{}
	for range 3000 {
		less, area := pick(r, near[exportcontrol.TPP]), pick(r, []float64{100, 300, 500, 750, 826, 1000, 1600, 3000})
		more := max(less, pick(r, near[exportcontrol.TPP]))
		io, memory, dc := pick(r, near[exportcontrol.IO]), pick(r, near[exportcontrol.Memory]), float64(r.Intn(2))
		small := described(less, less/area, io, memory, dc)
		if r.Intn(2) == 0 {
			io, memory, dc = max(
				io,
				pick(r, near[exportcontrol.IO]),
			), max(
				memory,
				pick(r, near[exportcontrol.Memory]),
			), max(
				dc,
				float64(r.Intn(2)),
			)
		}
		large := described(more, more/area, io, memory, dc)
		q := exportcontrol.Question{AsOf: pick(r, crowded), Destination: "CN"}
		was, is := exportcontrol.Evaluate(small, q), exportcontrol.Evaluate(large, q)
		for i, e := range was.Evaluations {
			if len(e.Rule.Outcomes) == 0 || e.Rule.ID == tariff {
				continue
			}
			order := strictness[e.Rule.ID]
			a, b := slices.Index(order, e.Class), slices.Index(order, is.Evaluations[i].Class)
			if a < 0 || b < a {
				t.Fatalf(
					"%s: %s with %s, %s with %s",
					e.Rule.ID,
					e.Class,
					amountsOf(small),
					is.Evaluations[i].Class,
					amountsOf(large),
				)
			}
			if a < b {
				stricter[e.Rule.ID]++
			}
		}
		if slices.Index(severity, was.Verdict) > slices.Index(severity, is.Verdict) {
			t.Fatalf("%s: %s with %s, %s with %s", q.AsOf, was.Verdict, amountsOf(small), is.Verdict, amountsOf(large))
		}
	}
	for id := range strictness {
		if stricter[id] == 0 {
			t.Errorf("%s never became stricter: the items do not cross its bounds", id)
		}
	}
}
