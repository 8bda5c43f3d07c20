package sizing

import (
	"slices"
	"strconv"
	"testing"
)

func TestWhatNoCardDoesAsAskedIsAskedAsPeopleDoIt(t *testing.T) {
	a := everything(t)
	for _, test := range []struct {
		job     string
		changed []string // parameters
	}{
		{"model=llama-3.1-8b&task=qlora", nil},
		{"model=deepseek-r1&task=inference", []string{"cards"}},
		{"model=deepseek-r1&task=inference&cards=1", nil},
		{"model=deepseek-r1&task=inference&budget=10000&currency=USD", []string{"offload"}},
		{"model=deepseek-r1&task=inference&card=nvidia-h200-sxm5-141gb", nil},
	} {
		r := ask(t, a, test.job)
		r.Today = "2026-11-20"
		out := a.Advise(r, a.Cards)
		var changed []string
		for _, c := range out.Otherwise {
			changed = append(changed, c.Field)
		}
		if !slices.Equal(changed, test.changed) {
			t.Errorf("%s: changed %v, want %v", test.job, changed, test.changed)
		}
		if len(changed) > 0 && !out.isSound() {
			t.Errorf("%s: changed, and no option is sound", test.job)
		}
		if slices.Contains(changed, "cards") { // as who asks for so many is answered
			asked := ask(t, a, test.job+"&cards="+strconv.Itoa(out.Request.Workload.Cards))
			asked.Today = r.Today
			said := a.Recommend(asked, a.Cards)
			if said.Request.Costs != out.Request.Costs || !slices.EqualFunc(said.Options, out.Options, sameOption) {
				t.Errorf("%s: answered otherwise where the number is asked for: %+v, %+v", test.job, said.Request.Costs,
					out.Request.Costs)
			}
		}
		for _, name := range changed {
			if slices.Contains(r.Given, name) {
				t.Errorf("%s: %s was asked for", test.job, name)
			}
		}
	}
}

func sameOption(x, y Estimate) bool {
	same := func(x, y Expense) bool { return x.Acquire == y.Acquire && x.PerHour == y.PerHour }
	return x.Card == y.Card && x.Workload.Cards == y.Workload.Cards && rateOf(&x) == rateOf(&y) &&
		slices.EqualFunc(x.Expenses, y.Expenses, same)
}

func TestComponentsTakeTurnsWhereTheyDoNotFitTogether(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=flux.1-dev&task=inference")
	turning, unified := 0, 0
	for _, e := range a.Recommend(r, a.Cards).Options {
		turns := e.Workload.Sharding.Offload == "model"
		switch {
		case turns && e.Card.Unified:
			t.Errorf("%s: host and card share their memory", e.Card.ID)
		case turns:
			turning++
			if same := a.Estimate(e.Workload, e.Card, r); same.Memory.PerCard != e.Memory.PerCard {
				t.Errorf("%s: the estimate needs %v, not %v", e.Card.ID, same.Memory.PerCard, e.Memory.PerCard)
			}
		case e.Card.Unified:
			unified++
		}
	}
	if turning == 0 || unified == 0 {
		t.Errorf("%d cards move components, %d of one memory do not", turning, unified)
	}
}
