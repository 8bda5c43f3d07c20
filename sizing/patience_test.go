package sizing

import (
	"slices"
	"testing"
)

// first are the options of a request, the best first.
func first(t *testing.T, a *Estimator, job string) []Estimate {
	t.Helper()
	out := a.Advise(ask(t, a, job), a.Cards).Options
	if len(out) == 0 {
		t.Fatalf("%s: no options", job)
	}
	return out
}

func TestNobodyWaitsYearsWhereMoreCardsAreAllowed(t *testing.T) {
	a := everything(t)
	options := first(t, a, "model=tinyllama-1.1b&task=pretrain&cards=16&acquire=rent&tokens=3e12")
	if hours := options[0].Hours.Expected; hours == 0 || hours > patience {
		t.Errorf("%d × %s lead, which take %.0f hours", options[0].Workload.Cards, options[0].Card.ID, hours)
	}
	longer := 0
	for i := range options {
		if options[i].Hours.Expected > 2*patience {
			longer++
		}
	}
	if longer == 0 {
		t.Error("no option takes long: nothing is ordered by it")
	}
}

func TestAClusterIsNotOfPCs(t *testing.T) {
	a := everything(t)
	for _, job := range []string{"model=llama-3.1-70b&task=pretrain&cards=256&tokens=1e12",
		"model=qwen2.5-72b&task=full&cards=64&destination=CN"} {
		options := first(t, a, job)
		if isOfPCs(&options[0]) {
			t.Errorf("%s: %d × %s lead", job, options[0].Workload.Cards, options[0].Card.ID)
		}
		if !slices.ContainsFunc(options, func(e Estimate) bool { return isOfPCs(&e) }) {
			t.Errorf("%s: no option is of PCs", job)
		}
	}
}

func TestPreTrainingRunsOnAscend(t *testing.T) {
	a := everything(t)
	options := first(t, a, "model=qwen2.5-7b&task=pretrain&cards=256&vendor=Huawei&tokens=1e12")
	if f := options[0].Workload.Framework; f != "mindspeed" || options[0].Hours.Expected == 0 {
		t.Errorf("%s with %s takes %v hours", options[0].Card.ID, f, options[0].Hours)
	}
}

func TestPreTrainingFillsTheCard(t *testing.T) {
	a := everything(t)
	for _, test := range []struct {
		job  string
		want int
	}{
		{"model=tinyllama-1.1b&task=pretrain&cards=8&card=nvidia-h100-sxm5-80gb", 8},
		{"model=tinyllama-1.1b&task=pretrain&cards=8&card=nvidia-h100-sxm5-80gb&context=1024", 16},
		{"model=tinyllama-1.1b&task=pretrain&cards=8&card=nvidia-h100-sxm5-80gb&batch=1", 1},
		{"model=tinyllama-1.1b&task=full&cards=8&card=nvidia-h100-sxm5-80gb", 1},
	} {
		e := first(t, a, test.job)[0]
		if e.Workload.Batch != test.want {
			t.Errorf("%s: %d sequences, want %d", test.job, e.Workload.Batch, test.want)
		}
		said := slices.IndexFunc(a.Advise(ask(t, a, test.job), a.Cards).Assumptions, fillsCard) >= 0
		if filled := test.want > 1; said != filled {
			t.Errorf("%s: that the batch fills the card is said: %v", test.job, said)
		}
		w := e.Workload
		w.Batch, w.Sharding = ask(t, a, test.job).Workload.Batch, Sharding{}
		if same := a.Estimate(w, e.Card, Request{}); same.Workload.Batch != test.want {
			t.Errorf("%s: the estimate has %d sequences, not %d", test.job, same.Workload.Batch, test.want)
		}
	}
}

func TestABudgetTrainsWithLessMemoryBeforeItBuysADevice(t *testing.T) {
	a := everything(t)
	for _, test := range []struct{ job, field, value string }{
		{"model=llama-3.2-3b&task=full&budget=1000&currency=USD&acquire=buy", "optimizer", "adamw-8bit"},
		{"model=llama-3.3-70b&task=qlora&framework=fsdp-qlora&cards=2&budget=4000&currency=USD&acquire=buy", "offload",
			"parameters"},
	} {
		r := ask(t, a, test.job)
		r.Today = "2026-11-20"
		out := a.Advise(r, a.Cards)
		if !slices.Equal(out.Otherwise, []Change{{test.field, test.value}}) || !out.isSound() ||
			out.Options[0].Card.backend() != "cuda" || out.Options[0].Card.Segment == "edge" {
			t.Errorf("%s: %v, %s leads", test.job, out.Otherwise, out.Options[0].Card.ID)
		}
	}
	for _, job := range []string{
		"model=llama-3.2-3b&task=full&optimizer=adamw&budget=1000&currency=USD&acquire=buy",   // asked for
		"model=llama-2-7b&task=galore&budget=2500&currency=USD&acquire=buy",                   // has no such offload
		"model=llama-3.1-405b&task=full&cards=1024&budget=100000000&currency=USD&acquire=buy", // is no PC
	} {
		for _, c := range a.Advise(ask(t, a, job), a.Cards).Otherwise {
			if c.Field == "optimizer" || c.Field == "offload" {
				t.Errorf("%s: %v", job, c)
			}
		}
	}
}

// Who has money for two cards, or a host that holds the parameters, does not train on the slow memory of a computer.
func TestABudgetTrainsOnTwoCardsWhereOneSharesItsMemory(t *testing.T) {
	a := everything(t)
	for _, test := range []struct {
		job     string
		changed []Change
	}{
		{"model=qwen2.5-72b&task=qlora&budget=60000&currency=CNY&acquire=buy", []Change{{"cards", "2"}}},
		{"model=llama-3.3-70b&task=qlora&budget=6000&currency=USD&acquire=buy", []Change{{"offload", "parameters"}}},
		{"model=llama-3.3-70b&task=lora&budget=6000&currency=USD&acquire=buy",
			[]Change{{"task", "qlora"}, {"offload", "parameters"}}},
		{"model=qwen2.5-72b&task=qlora&budget=60000&currency=CNY&acquire=buy&cards=1&offload=none", nil}, // asked for
		{"model=qwen2.5-72b&task=qlora&budget=60000&currency=CNY&acquire=buy&goal=cheapest", nil},
	} {
		r := ask(t, a, test.job)
		r.Today = "2026-11-20"
		out := a.Advise(r, a.Cards)
		if !slices.Equal(out.Otherwise, test.changed) || !out.isSound() {
			t.Errorf("%s: %v, not %v", test.job, out.Otherwise, test.changed)
			continue
		}
		if before := a.Recommend(r, a.Cards); out.Options[0].Card.Unified != (test.changed == nil) ||
			test.changed != nil && before.isSound() && rateOf(&out.Options[0]) < 2*rateOf(&before.Options[0]) {
			t.Errorf("%s: %s leads", test.job, out.Options[0].Card.ID)
		}
	}
}
