package exportcontrol_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/exportcontrol"
)

// Rules as the tests call them.
const (
	letter2022 = "US-LETTER-2022-08-26"
	first3A090 = "US-BIS-2022-3A090"
	letter2023 = "US-LETTER-2023-10-23"
	middleEast = "US-LETTER-2023-MIDDLE-EAST"
	now3A090   = "US-BIS-2023-3A090"
	diffusion  = "US-BIS-2025-01-DIFFUSION"
	letter2025 = "US-LETTER-2025-04"
	designers  = "US-BIS-2025-05-GP10"
	caseByCase = "US-BIS-2026-01-15-CN"
	tariff     = "US-232-2026-01-15"
	parents    = "US-BIS-2026-05-31-HQ"
	safeChips  = "US-BILL-SAFE-CHIPS"
)

func exact(v float64) exportcontrol.Amount {
	return exportcontrol.Amount{Value: v, Known: exportcontrol.Exact}
}

func atLeast(v float64) exportcontrol.Amount {
	return exportcontrol.Amount{Value: v, Known: exportcontrol.AtLeast}
}

// described is an item of nobody, all of whose amounts are known.
func described(tpp, density, io, memory, datacenter float64) *exportcontrol.Item {
	return &exportcontrol.Item{
		Amounts: exportcontrol.Amounts{
			TPP:                exact(tpp),
			PerformanceDensity: exact(density),
			IO:                 exact(io),
			Memory:             exact(memory),
			Datacenter:         exact(datacenter),
		},
	}
}

func mustFind(tb testing.TB, id string) *exportcontrol.Rule {
	tb.Helper()
	r, ok := exportcontrol.Find(id)
	if !ok {
		tb.Fatalf("no rule %s", id)
	}
	return r
}

// firstDay is the first day on which a rule is shown.
func firstDay(r *exportcontrol.Rule) string {
	if r.Kind == exportcontrol.Proposed {
		return r.Announced
	}
	return r.Effective
}

func shifted(tb testing.TB, day string, by int) string {
	tb.Helper()
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		tb.Fatal(err)
	}
	return t.AddDate(0, 0, by).Format(time.DateOnly)
}

func evaluationOf(res exportcontrol.Result, id string) (exportcontrol.Evaluation, bool) {
	for _, e := range res.Evaluations {
		if e.Rule.ID == id {
			return e, true
		}
	}
	return exportcontrol.Evaluation{}, false
}

func mustEvaluate(
	tb testing.TB,
	it *exportcontrol.Item,
	q exportcontrol.Question,
	rule string,
) exportcontrol.Evaluation {
	tb.Helper()
	e, ok := evaluationOf(exportcontrol.Evaluate(it, q), rule)
	if !ok {
		tb.Fatalf("%s is not shown on %s", rule, q.AsOf)
	}
	return e
}

type bound struct {
	rules                                  []string
	tpp, density, io, memory, inDatacenter float64
	want                                   exportcontrol.Status
}

// bounds has every condition of every rule at its bound, just below and just above.
var bounds = []bound{
	{[]string{letter2022, first3A090}, 4800, 0, 600, 0, 0, exportcontrol.Controlled},
	{[]string{letter2022, first3A090}, 4800.001, 0, 600.001, 0, 0, exportcontrol.Controlled},
	{[]string{letter2022, first3A090}, 4799.999, 9, 600, 9000, 1, exportcontrol.NotControlled},
	{[]string{letter2022, first3A090}, 4800, 9, 599.999, 9000, 1, exportcontrol.NotControlled},

	{[]string{letter2023}, 4800, 0, 0, 0, 1, exportcontrol.ControlledNow},
	{[]string{letter2023}, 4800.001, 0, 0, 0, 1, exportcontrol.ControlledNow},
	{[]string{letter2023}, 4799.999, 9, 9000, 9000, 1, exportcontrol.NotInLetter},
	{[]string{letter2023}, 4800, 9, 9000, 9000, 0, exportcontrol.NotInLetter},

	// Note 2.
	{[]string{now3A090}, 4799.999, 20, 9000, 9000, 0, exportcontrol.Not3A090},
	{[]string{now3A090}, 4800, 0, 0, 0, 0, exportcontrol.A},
	{[]string{now3A090}, 4800.001, 0, 0, 0, 0, exportcontrol.A},
	// a.1
	{[]string{now3A090}, 4800, 0, 0, 0, 1, exportcontrol.A},
	{[]string{now3A090}, 4800.001, 1.7, 0, 0, 1, exportcontrol.A},
	{[]string{now3A090}, 4799.999, 1.599, 9000, 9000, 1, exportcontrol.Not3A090},
	// a.2
	{[]string{now3A090}, 1600, 5.92, 0, 0, 1, exportcontrol.A},
	{[]string{now3A090}, 1600.001, 5.921, 0, 0, 1, exportcontrol.A},
	{[]string{now3A090}, 1599.999, 5.92, 9000, 9000, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 1599.999, 5.919, 9000, 9000, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 4799.999, 5.92, 0, 0, 1, exportcontrol.A},
	// b.1
	{[]string{now3A090}, 2400, 1.6, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 2400.001, 1.601, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 2399.999, 1.6, 0, 0, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 2400, 1.599, 0, 0, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 4799.999, 1.6, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 4799.999, 5.919, 0, 0, 1, exportcontrol.B},
	// b.2
	{[]string{now3A090}, 1600, 3.2, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 1600.001, 3.201, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 1599.999, 3.2, 0, 0, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 1600, 3.199, 0, 0, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 1600, 5.919, 0, 0, 1, exportcontrol.B},
	{[]string{now3A090}, 2399.999, 3.199, 0, 0, 1, exportcontrol.Not3A090},
	{[]string{now3A090}, 2399.999, 3.2, 0, 0, 1, exportcontrol.B},

	{[]string{diffusion}, 4800, 0, 0, 0, 1, exportcontrol.NotEnforced},
	{[]string{diffusion}, 4800.001, 0, 0, 0, 0, exportcontrol.NotEnforced},
	{[]string{diffusion}, 4799.999, 5.919, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{diffusion}, 1600, 5.92, 0, 0, 1, exportcontrol.NotEnforced},
	{[]string{diffusion}, 1600.001, 5.921, 0, 0, 1, exportcontrol.NotEnforced},
	{[]string{diffusion}, 1600, 5.919, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{diffusion}, 1599.999, 5.92, 0, 0, 1, exportcontrol.Inapplicable},
	{[]string{diffusion}, 4799.999, 5.92, 0, 0, 0, exportcontrol.Inapplicable},

	{[]string{letter2025}, 0, 0, 0, 1400, 1, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 0, 0, 0, 1400.001, 0, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 99999, 99, 0, 1399.999, 1, exportcontrol.NotCaught},
	{[]string{letter2025}, 0, 0, 1100, 0, 1, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 0, 0, 1100.001, 0, 1, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 99999, 99, 1099.999, 0, 1, exportcontrol.NotCaught},
	{[]string{letter2025}, 0, 0, 400, 1300, 1, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 0, 0, 400.001, 1300, 1, exportcontrol.LicenceRequired},
	{[]string{letter2025}, 99999, 99, 399.999, 1300, 1, exportcontrol.NotCaught},

	{[]string{designers}, 4800, 0, 0, 0, 1, exportcontrol.Controlled},
	{[]string{designers}, 2400, 1.6, 0, 0, 1, exportcontrol.Controlled},
	{[]string{designers}, 2400, 1.599, 9000, 9000, 1, exportcontrol.Inapplicable},

	{[]string{caseByCase}, 20999.999, 9, 9000, 6499.999, 1, exportcontrol.CaseByCase},
	{[]string{caseByCase}, 21000, 9, 0, 6499.999, 1, exportcontrol.PresumptionOfDenial},
	{[]string{caseByCase}, 21000.001, 9, 0, 0, 1, exportcontrol.PresumptionOfDenial},
	{[]string{caseByCase}, 20999.999, 9, 0, 6500, 1, exportcontrol.PresumptionOfDenial},
	{[]string{caseByCase}, 4800, 0, 0, 6500.001, 0, exportcontrol.PresumptionOfDenial},
	{[]string{caseByCase}, 1600, 3.2, 0, 6499.999, 1, exportcontrol.CaseByCase},
	{[]string{caseByCase}, 1600, 3.199, 9000, 9000, 1, exportcontrol.Inapplicable},

	{[]string{tariff}, 13999.999, 0, 0, 4750, 1, exportcontrol.None},
	{[]string{tariff}, 14000, 0, 0, 4750, 1, exportcontrol.None},
	{[]string{tariff}, 14000.001, 0, 0, 4750, 1, exportcontrol.Band1},
	{[]string{tariff}, 17499.999, 0, 0, 4750, 1, exportcontrol.Band1},
	{[]string{tariff}, 17500, 0, 0, 4750, 1, exportcontrol.None},
	{[]string{tariff}, 17500.001, 0, 0, 4750, 1, exportcontrol.None},
	{[]string{tariff}, 15840, 0, 0, 4499.999, 1, exportcontrol.None},
	{[]string{tariff}, 15840, 0, 0, 4500, 1, exportcontrol.None},
	{[]string{tariff}, 15840, 0, 0, 4500.001, 1, exportcontrol.Band1},
	{[]string{tariff}, 15840, 0, 0, 4999.999, 1, exportcontrol.Band1},
	{[]string{tariff}, 15840, 0, 0, 5000, 1, exportcontrol.None},
	{[]string{tariff}, 15840, 0, 0, 5000.001, 1, exportcontrol.None},
	{[]string{tariff}, 20799.999, 0, 0, 6000, 1, exportcontrol.None},
	{[]string{tariff}, 20800, 0, 0, 6000, 1, exportcontrol.None},
	{[]string{tariff}, 20800.001, 0, 0, 6000, 1, exportcontrol.Band2},
	{[]string{tariff}, 21099.999, 0, 0, 6000, 1, exportcontrol.Band2},
	{[]string{tariff}, 21100, 0, 0, 6000, 1, exportcontrol.None},
	{[]string{tariff}, 21100.001, 0, 0, 6000, 1, exportcontrol.None},
	{[]string{tariff}, 20918, 0, 0, 5799.999, 1, exportcontrol.None},
	{[]string{tariff}, 20918, 0, 0, 5800, 1, exportcontrol.None},
	{[]string{tariff}, 20918, 0, 0, 5800.001, 1, exportcontrol.Band2},
	{[]string{tariff}, 20918, 0, 0, 6199.999, 1, exportcontrol.Band2},
	{[]string{tariff}, 20918, 0, 0, 6200, 1, exportcontrol.None},
	{[]string{tariff}, 20918, 0, 0, 6200.001, 1, exportcontrol.None},

	{[]string{parents}, 4800, 0, 0, 0, 1, exportcontrol.LicenceRequired},
	{[]string{parents}, 1600, 3.2, 0, 0, 1, exportcontrol.LicenceRequired},
	{[]string{parents}, 1600, 3.199, 9000, 9000, 1, exportcontrol.Inapplicable},

	{[]string{safeChips}, 99999, 99, 9000, 9000, 0, exportcontrol.NotControlled},
	{[]string{safeChips}, 4800, 0, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 4800.001, 0, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 4799.999, 1.599, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 2400, 1.6, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 2400.001, 1.601, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 2399.999, 1.6, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 2399.999, 3.199, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 1600, 3.2, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 1600.001, 3.201, 0, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 1600, 3.199, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 1599.999, 3.2, 0, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 0, 0, 0, 4100, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 0, 4100.001, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 0, 4099.999, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 0, 0, 1100, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 1100.001, 0, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 1099.999, 0, 1, exportcontrol.NotControlled},
	{[]string{safeChips}, 0, 0, 1000, 4000, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 1000.001, 4000, 1, exportcontrol.Controlled},
	{[]string{safeChips}, 0, 0, 999.999, 4000, 1, exportcontrol.NotControlled},
}

func (b bound) item() *exportcontrol.Item {
	return described(b.tpp, b.density, b.io, b.memory, b.inDatacenter)
}

func TestEveryBoundDecidesExactlyThere(t *testing.T) {
	for _, b := range bounds {
		for _, id := range b.rules {
			q := exportcontrol.Question{AsOf: firstDay(mustFind(t, id)), Destination: "CN", Headquarters: "CN"}
			e := mustEvaluate(t, b.item(), q, id)
			if e.Class != b.want || e.Status != b.want {
				t.Errorf("%s of TPP %v, density %v, links %v, memory %v, data centre %v: class %s, status %s, want %s",
					id, b.tpp, b.density, b.io, b.memory, b.inDatacenter, e.Class, e.Status, b.want)
			}
		}
	}
}

// TestEveryConditionHasABoundInTheTable fails when a rule gets a condition that
// the table does not look at from both sides.
func TestEveryConditionHasABoundInTheTable(t *testing.T) {
	type side struct {
		rule     string
		quantity exportcontrol.Quantity
		bound    float64
	}
	seen := map[side]map[int]bool{}
	for _, r := range exportcontrol.Rules() {
		for _, o := range r.Outcomes {
			for _, limb := range o.Any {
				for _, c := range limb.All {
					key := side{r.ID, c.Quantity, c.Bound}
					if seen[key] == nil {
						seen[key] = map[int]bool{}
					}
					if c.Op == exportcontrol.Is {
						seen[key][int(2*c.Bound)-1] = true // there is nothing beyond 0 and 1
					}
				}
			}
		}
	}
	for _, b := range bounds {
		for _, id := range b.rules {
			for key := range seen {
				v := b.item().Amount(key.quantity).Value
				near := math.Abs(v-key.bound) < 0.0015 || key.quantity == exportcontrol.Datacenter
				if key.rule == id && near {
					seen[key][int(math.Copysign(1, v-key.bound))*btoi(v != key.bound)] = true
				}
			}
		}
	}
	for key, sides := range seen {
		if len(sides) != 3 {
			t.Errorf(
				"%s: the table has %v of %s at %v, want below, at and above",
				key.rule,
				sides,
				key.quantity,
				key.bound,
			)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSumsMeetABoundDespiteBinaryFractions(t *testing.T) {
	it := described(0, 0, 0.2, 0.1, 1)
	if got := it.Amount(exportcontrol.MemoryAndIO); got != exact(0.3) {
		t.Errorf("0.1 + 0.2 = %v", got)
	}
}

func TestAConditionComparesWhatIsKnown(t *testing.T) {
	yes, no, maybe := exportcontrol.Yes, exportcontrol.No, exportcontrol.Maybe
	for _, c := range []struct {
		op                          exportcontrol.Op
		under, on, over             exportcontrol.Truth // exact
		fromUnder, fromOn, fromOver exportcontrol.Truth // or more
	}{
		{exportcontrol.AtOrAbove, no, yes, yes, maybe, yes, yes},
		{exportcontrol.Above, no, no, yes, maybe, maybe, yes},
		{exportcontrol.Below, yes, no, no, maybe, no, no},
	} {
		condition := exportcontrol.Condition{Quantity: exportcontrol.TPP, Op: c.op, Bound: 4800}
		got := []exportcontrol.Truth{
			condition.Holds(exact(4799.999)), condition.Holds(exact(4800)), condition.Holds(exact(4800.001)),
			condition.Holds(atLeast(4799.999)), condition.Holds(atLeast(4800)), condition.Holds(atLeast(4800.001)),
			condition.Holds(
				exportcontrol.Amount{},
			), condition.Holds(exportcontrol.Amount{Known: exportcontrol.NotApplicable}),
		}
		if diff := cmp.Diff([]exportcontrol.Truth{c.under, c.on, c.over, c.fromUnder, c.fromOn, c.fromOver, maybe, no},
			got); diff != "" {
			t.Errorf("%s: %s", c.op, diff)
		}
	}
	one := exportcontrol.Condition{Quantity: exportcontrol.Datacenter, Op: exportcontrol.Is, Bound: 1}
	if one.Holds(exact(1)) != yes || one.Holds(exact(0)) != no || one.Holds(exportcontrol.Amount{}) != maybe {
		t.Error("equality with 1 does not tell 1, 0 and nothing apart")
	}
}

// periods has the first and the last day of every rule that is law.
var periods = map[string][2]string{
	letter2022:               {"2022-08-26", "2022-10-21"},
	first3A090:               {"2022-10-21", "2023-11-16"},
	letter2023:               {"2023-10-23", "2023-11-16"},
	middleEast:               {"2023-07-30", "2023-11-16"},
	now3A090:                 {"2023-11-17", ""},
	"US-BIS-2024-04-04":      {"2024-04-04", ""},
	"US-BIS-2024-12-HBM":     {"2024-12-02", ""},
	diffusion:                {"2025-01-13", ""},
	"US-BIS-2025-01-FOUNDRY": {"2025-01-16", ""},
	letter2025:               {"2025-04-09", ""},
	designers:                {"2025-05-13", ""},
	"MY-STA-2025-07-14":      {"2025-07-14", ""},
	"CN-CAC-2025-09":         {"2025-09-17", ""},
	"US-AFFILIATES":          {"2025-09-29", "2025-11-09"},
	"CN-CUSTOMS-2026-01":     {"2026-01-14", ""},
	caseByCase:               {"2026-01-15", ""},
	tariff:                   {"2026-01-15", ""},
	"CN-CUSTOMS-2026-05":     {"2026-05-15", ""},
	parents:                  {"2026-05-31", ""},
	"CN-CAC-MICRON-2023":     {"2023-05-21", ""},
	"CN-MINERALS-2025":       {"2025-04-04", ""},
	"CN-CAC-2025-07":         {"2025-07-31", ""},
	"US-SHARE-2025-08":       {"2025-08-11", ""},
	"CN-STATE-DC-2025-11":    {"2025-11-05", ""},
	"US-AFFILIATES-2026":     {"2026-11-10", ""},
	"US-746-2-CU":            {exportcontrol.FirstDay, ""},
	"US-746-3-IQ":            {exportcontrol.FirstDay, ""},
	"US-746-4-KP":            {exportcontrol.FirstDay, ""},
	"US-746-6-CRIMEA":        {exportcontrol.FirstDay, ""},
	"US-746-7-IR":            {exportcontrol.FirstDay, ""},
	"US-746-9-SY":            {exportcontrol.FirstDay, "2025-09-01"},
	"US-746-8-RU":            {"2022-02-24", ""},
	"US-746-6-DNR-LNR":       {"2022-02-24", ""},
	"US-746-8-BY":            {"2022-03-02", ""},
	"US-746-9-SY-2025":       {"2025-09-02", ""},
	"US-BIS-2026-07-UAE":     {"2026-07-10", ""},
}

func TestARuleHoldsFromItsFirstDayToItsLast(t *testing.T) {
	it := described(15840, 19, 1028, 3350, 1)
	shown := func(r *exportcontrol.Rule, day string) bool {
		q := exportcontrol.Question{AsOf: day, Destination: "CN"}
		if r.Embargo { // shown for its own destinations only
			q.Destination = r.Scope.Countries[0].Country
		}
		_, ok := evaluationOf(exportcontrol.Evaluate(it, q), r.ID)
		return ok
	}
	for _, r := range exportcontrol.Rules() {
		if r.Kind == exportcontrol.Proposed {
			continue
		}
		p, ok := periods[r.ID]
		if !ok {
			t.Errorf("%s is not in the table", r.ID)
			continue
		}
		days := map[string]bool{shifted(t, p[0], -1): false, p[0]: true, shifted(t, p[0], 1): true}
		if p[1] == "" {
			days[farDay] = true
		} else {
			days[shifted(t, p[1], -1)], days[p[1]], days[shifted(t, p[1], 1)] = true, true, false
		}
		for day, want := range days {
			if got := r.InForce(day); got != want {
				t.Errorf("%s in force on %s: %v, want %v", r.ID, day, got, want)
			}
			if got := shown(r, day); got != want {
				t.Errorf("%s shown on %s: %v, want %v", r.ID, day, got, want)
			}
		}
	}
}

func TestBillsAreShownFromTheirDayAndNeverCounted(t *testing.T) {
	if (&exportcontrol.Rule{Kind: exportcontrol.Proposed, Effective: "2025-01-01"}).InForce("2026-01-01") {
		t.Error("a bill with a day is in force")
	}
	it := described(99999, 99, 9000, 9000, 1)
	for id, day := range map[string]string{safeChips: "2025-12-04", "US-BILL-AI-OVERWATCH": "2026-01-21",
		"US-BILL-CHIP-SECURITY": "2026-03-26"} {
		r := mustFind(t, id)
		for by, want := range map[int]bool{-1: false, 0: true, 1: true} {
			on := shifted(t, day, by)
			res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: on, Destination: "CN"})
			if _, got := evaluationOf(res, id); got != want {
				t.Errorf("%s shown on %s: %v, want %v", id, on, got, want)
			}
			for _, because := range res.Because {
				if because == r {
					t.Errorf("%s counts on %s", id, on)
				}
			}
			if r.InForce(on) || r.Counted() {
				t.Errorf("%s is in force or counted", id)
			}
		}
	}
}
