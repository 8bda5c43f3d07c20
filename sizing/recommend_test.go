package sizing

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing/sample"
)

var everythingOnce = sync.OnceValues(func() (*Estimator, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	files := seed.Sizing()
	if raceEnabled {
		files = sample.Few(files, 6)
	}
	return New(files, catalog.NewSnapshot(1, d))
})

// all is for tests that need every case, which make test runs without the race
// detector.
func all(t testing.TB) *Estimator {
	t.Helper()
	if raceEnabled {
		t.Skip("with the race detector there are few cases")
	}
	return everything(t)
}

// everything is the estimator of the built-in data.
func everything(t testing.TB) *Estimator {
	t.Helper()
	a, err := everythingOnce()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(t testing.TB, a *Estimator, s string) Request {
	t.Helper()
	r, errs := a.ParseRequest(query(t, s))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", s, errs)
	}
	return r
}

func TestEveryCardIsAnOptionOrRejectedWithAReason(t *testing.T) {
	a := everything(t)
	for _, s := range []string{
		"model=llama-3.1-8b", "model=llama-3.1-8b&task=qlora", "params=70&task=full&cards=8&context=4096",
		"params=14&task=lora&min_rate=1000&tokens=1e9&budget=10000", "params=7&weights=q4_k_m&cards=1",
		"model=mixtral-8x7b-v0.1&framework=vllm&cards=3",
	} {
		r, errs := a.ParseRequest(query(t, s))
		if len(errs) > 0 {
			t.Logf("%s: %v", s, errs)
			continue
		}
		answer := a.Recommend(r, a.Cards)
		seen := map[string]int{}
		for _, o := range answer.Options {
			seen[o.Card.ID] |= 1
			if o.Memory.Verdict == TooBig || o.Memory.PerCard.Expected > o.Card.Usable {
				t.Errorf("%s: %d × %s is an option but does not fit", s, o.Workload.Cards, o.Card.ID)
			}
		}
		reasons := map[string]int{}
		for _, j := range answer.Rejected {
			seen[j.Card.ID] |= 2
			reasons[j.Reason]++
			if j.Reason == "" {
				t.Errorf("%s: %s was rejected without a reason", s, j.Card.ID)
			}
			if j.Reason == "does_not_fit" && (j.Missing <= 0 || math.Abs(j.Memory.Expected-j.Usable-j.Missing) > 1) {
				t.Errorf("%s: %s misses %g of %g", s, j.Card.ID, j.Missing, j.Memory.Expected)
			}
			for _, m := range j.Remedies {
				if m.Memory.Expected > j.Usable {
					t.Errorf("%s: the remedy %v leaves %s short", s, m.Changes, j.Card.ID)
				}
			}
		}
		if len(seen) != len(a.Cards) || answer.Looked != len(a.Cards) {
			t.Errorf("%s: %d cards have an answer of %d looked at, want %d", s, len(seen), answer.Looked, len(a.Cards))
		}
		for id, v := range seen {
			if v == 3 {
				t.Errorf("%s: %s is both an option and rejected", s, id)
			}
		}
		t.Logf("%s: %d options, rejected %v", s, len(answer.Options), reasons)
	}
}

func TestOptionsAreInTheOrderOfTheGoal(t *testing.T) {
	a := everything(t)
	for _, g := range Goals {
		r := ask(t, a, "model=llama-3.1-8b&task=lora&tokens=1e8&tariff=0.1&goal="+string(g))
		r.Today = "2026-11-01"
		answer := a.Recommend(r, a.Cards)
		if len(answer.Options) == 0 {
			t.Fatal("no options")
		}
		for i := range answer.Options[1:] {
			p, q := &answer.Options[i], &answer.Options[i+1]
			class := r.place(0, p).class(r.place(0, q))
			compared := i+1 < comparedOptions || p.Brief && q.Brief && i >= comparedOptions
			// the cheapest of those as fast
			if g == Fastest && i == 0 && class == 0 && r.score(p) > r.score(q)*(1+1e-9) {
				for j := range answer.Options[1:] {
					o := &answer.Options[1+j]
					if near := r.score(o) <= slower*r.score(q); near && r.place(0, o).class(r.place(0, p)) == 0 &&
						j < comparedOptions-1 && r.hourly(o) < r.hourly(p) || r.score(p) > slower*r.score(q) {
						t.Errorf("fastest: %s (%g an hour) leads %s (%g)", p.Card.ID, r.hourly(p),
							o.Card.ID, r.hourly(o))
					}
				}
				continue
			}
			if g == BestValue && i == 0 && p.Card.Usable > q.Card.Usable && r.score(p) <= dearer*r.score(q) {
				continue // the roomiest of those that do as much for the money
			}
			if class > 0 || class == 0 && compared && r.score(p) > r.score(q)*(1+1e-9) {
				t.Errorf("%s: %d × %s (%g) before %d × %s (%g)", g, p.Workload.Cards, p.Card.ID, r.score(p),
					q.Workload.Cards, q.Card.ID, r.score(q))
			}
		}
	}
}

func TestNothingOnTheFrontIsBeaten(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-8b&tokens=1e8")
	r.Today = "2026-11-01"
	answer := a.Recommend(r, a.Cards)
	if len(answer.Front) == 0 {
		t.Fatal("no front")
	}
	holds := func(e *Estimate) bool { x := r.expense(e); return x != nil && x.Current() }
	for _, f := range answer.Front {
		p := &answer.Options[f]
		if p.Brief {
			t.Errorf("%s on the front is brief", p.Card.ID)
		}
		if !holds(p) {
			t.Errorf("%s is on the front at a price that is too old", p.Card.ID)
		}
		for i := range answer.Options {
			q := &answer.Options[i]
			if q.Memory.Verdict == Fits && holds(q) && r.cost(q) < r.cost(p)*(1-1e-9) &&
				expectedRate(q) > expectedRate(p)*(1+1e-9) {
				t.Errorf("%d × %s on the front is beaten by %d × %s", p.Workload.Cards, p.Card.ID, q.Workload.Cards,
					q.Card.ID)
			}
		}
	}
}

func TestBriefEstimatesAgreeWithFullOnes(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=qwen2.5-14b&task=qlora&tokens=1e7")
	answer := a.Recommend(r, a.Cards)
	for _, o := range answer.Options {
		if !o.Brief {
			continue
		}
		e := a.Estimate(o.Workload, o.Card, r)
		if math.Abs(e.Memory.PerCard.Expected/o.Memory.PerCard.Expected-1) > 1e-6 ||
			e.Memory.Verdict != o.Memory.Verdict ||
			math.Abs(expectedRate(&e)-expectedRate(&o)) > 1e-6*expectedRate(&e) {
			t.Errorf("%d × %s: brief %g B %s %g tokens/s, full %g B %s %g tokens/s", o.Workload.Cards, o.Card.ID,
				o.Memory.PerCard.Expected, o.Memory.Verdict, expectedRate(&o), e.Memory.PerCard.Expected,
				e.Memory.Verdict, expectedRate(&e))
		}
	}
}

func TestABiggerJobNeverFitsWhereASmallerOneDoesNot(t *testing.T) {
	a := everything(t)
	fits := func(s string) map[string]bool {
		out := map[string]bool{}
		for _, o := range a.Recommend(ask(t, a, s), a.Cards).Options {
			out[o.Card.ID] = true
		}
		return out
	}
	for _, c := range [][2]string{
		{"params=7&task=full&cards=1", "params=13&task=full&cards=1"},
		{"model=llama-3.1-8b&cards=1", "model=llama-3.1-70b&cards=1"},
		{"model=llama-3.1-8b&task=lora&cards=1&context=1024", "model=llama-3.1-8b&task=lora&cards=1&context=16384"},
	} {
		small, large := fits(c[0]), fits(c[1])
		for id := range large {
			if !small[id] {
				t.Errorf("%s fits %q but not %q", id, c[1], c[0])
			}
		}
		if len(small) == len(large) {
			t.Errorf("%q and %q fit the same %d cards", c[0], c[1], len(small))
		}
	}
}

func TestV100IsToldToUseFP16(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "params=3&task=lora&precision=bf16&card=nvidia-tesla-v100-sxm2-32gb")
	answer := a.Recommend(r, a.Cards)
	if len(answer.Rejected) != 1 || answer.Rejected[0].Reason != "no_bf16" {
		t.Errorf("bf16: got %+v, want no_bf16", answer.Rejected)
	}
	answer = a.Recommend(ask(t, a, "params=3&task=lora&card=nvidia-tesla-v100-sxm2-32gb"), a.Cards)
	if len(answer.Options) == 0 || answer.Options[0].Workload.Compute != "fp16" ||
		!slices.Contains(answer.Options[0].Assumptions, Assumption{"precision", "fp16", "no_bf16_on_card"}) {
		t.Errorf("no precision given: got %+v", answer.Rejected)
	}
}

func TestAdmitKeepsCardsOutWithTheReason(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "params=7&vendor=NVIDIA")
	r.Permit = func(c *Card) (bool, string) { return c.Segment != "datacenter", "licence" }
	answer := a.Recommend(r, a.Cards)
	for _, o := range answer.Options {
		if o.Card.Segment == "datacenter" {
			t.Errorf("%s was not kept out", o.Card.ID)
		}
	}
	if !slices.ContainsFunc(answer.Rejected, func(j Rejection) bool {
		return j.Reason == "not_admitted" &&
			j.Detail == "licence"
	}) {
		t.Error("nothing was kept out")
	}
}

func TestWhatIsNotSoldIsLeftOutUnlessAskedFor(t *testing.T) {
	a := everything(t)
	answer := a.Recommend(ask(t, a, "params=7&vendor=AMD"), a.Cards)
	for _, o := range answer.Options {
		if o.Card.Unsold() {
			t.Errorf("%s is an option", o.Card.ID)
		}
	}
	const id = "amd-instinct-mi455x"
	if !slices.ContainsFunc(answer.Rejected, func(j Rejection) bool {
		return j.Card.ID == id &&
			j.Reason == "not_sold"
	}) {
		t.Errorf("%s is not left out as not sold", id)
	}
	if answer = a.Recommend(ask(t, a, "params=7&card="+id), a.Cards); len(answer.Options) == 0 {
		t.Errorf("asked for by name: %+v", answer.Rejected)
	}
}

func TestALaptopHasOneCard(t *testing.T) {
	a := everything(t)
	answer := a.Recommend(ask(t, a, "model=llama-3.1-8b&weights=q4_k_m"), a.Cards)
	laptops := 0
	for _, o := range answer.Options {
		if o.Card.figures.Text("form_factor") == "Laptop" {
			laptops++
			if o.Workload.Cards > 1 {
				t.Errorf("%d × %s in a laptop", o.Workload.Cards, o.Card.ID)
			}
		}
	}
	if laptops == 0 {
		t.Error("no laptop runs 8B in 4 bits")
	}
}

func BenchmarkRecommend(b *testing.B) {
	a := everything(b)
	for _, s := range []string{"model=llama-3.1-8b", "model=llama-3.1-8b&task=qlora", "params=70&task=full&tokens=1e9",
		"params=14&weights=q4_k_m"} {
		r := ask(b, a, s)
		a.Recommend(r, a.Cards)
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			for b.Loop() {
				a.Recommend(r, a.Cards)
			}
		})
	}
}

func TestExtremesAreAnswered(t *testing.T) {
	a := everything(t)
	for _, s := range []string{
		"params=10000&task=full&context=100000000&batch=100000&cards=16384",
		"params=0.02&cards=1024&batch=100000",
		"layers=1&hidden=8&heads=8&intermediate=1&vocabulary=1&task=lora&rank=65536&cards=3",
		"layers=1000&hidden=1000000&heads=10000&intermediate=30000&vocabulary=10000000&experts=100000&experts_per_token=99999&cards=7",
		"model=llama-3.1-405b&task=qlora&context=131072&batch=64&checkpointing=none&cards=8&tensor=2",
		"model=llama-3.1-8b&tensor=4&pipeline=2&cards=8&framework=vllm",
		"model=llama-3.1-8b&task=galore&context=1&prompt=",
		"model=bert-base", "model=gpt-2&task=pretrain&tokens=1e18&max_hours=0.001",
	} {
		r, errs := a.ParseRequest(query(t, s))
		if len(errs) > 0 {
			t.Logf("%s: refused: %v", s, errs)
			continue
		}
		answer := a.Recommend(r, a.Cards)
		for _, o := range answer.Options {
			for _, v := range []float64{o.Memory.PerCard.Expected, rateOf(&o), o.Hours.Expected, o.KWhPerMillion} {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Errorf("%s: %s: %g", s, o.Card.ID, v)
				}
			}
		}
		for _, i := range answer.Front {
			a.Verify(&answer.Options[i])
			a.Host(&answer.Options[i])
		}
	}
}

// A model of experts that does not fit on a card, in whatever format, may fit with them in the host's memory, with the
// program that can where none was asked for.
func TestExpertsOnTheHostAreARemedy(t *testing.T) {
	a := everything(t)
	card := a.Card("nvidia-geforce-rtx-4090")
	has := func(query string) bool {
		r := ask(t, a, query)
		got := a.Recommend(r, []*Card{card})
		return len(got.Rejected) > 0 && slices.ContainsFunc(got.Rejected[0].Remedies, func(m Remedy) bool {
			return m.Changes[0] == Change{"offload", offloadExperts}
		})
	}
	if !has("model=gpt-oss-120b&task=inference") {
		t.Error("gpt-oss-120b on 24 GB: not offered")
	}
	if has("model=gpt-oss-120b&task=inference&framework=vllm") {
		t.Error("vLLM, which was asked for, leaves no experts on the host")
	}
	if has("model=llama-3.1-70b&task=inference") {
		t.Error("a dense model has no experts")
	}
}
