package sizing

import (
	"math"
	"strings"
	"testing"
)

func TestOwnedCardsAreNotPooled(t *testing.T) {
	a := everything(t)
	own, w, errs := a.ParseInverse(query(t, "own=nvidia-geforce-rtx-4090:4,nvidia-a100-sxm4-80gb"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	fits := a.WhatFits(own, w, nil)
	seen := map[string]int{}
	for _, f := range fits {
		seen[f.Owned.Card.ID]++
		if f.Workload.Cards != f.Owned.Count && len(f.Refusals) == 0 {
			t.Errorf("%s uses %d cards of %d", f.Owned.Card.ID, f.Workload.Cards, f.Owned.Count)
		}
		if f.Batch > f.LikelyBatch || f.Context > f.LikelyContext || (f.Batch > 0) != (f.Verdict == Fits) ||
			f.Batch > 0 && (f.Workload.Batch != f.Batch || f.Memory.High > f.Usable || f.Context < f.Workload.Context) {
			t.Errorf("%s %s %s on %d × %s: batch %d, context %d of %d, %g of %g bytes", f.Workload.Model.ID,
				f.Workload.Task, f.Workload.Weights, f.Owned.Count, f.Owned.Card.ID, f.Batch, f.Context,
				f.Workload.Context, f.Memory.Expected, f.Usable)
		}
	}
	if len(seen) != 2 || seen["nvidia-geforce-rtx-4090"] < 20 {
		t.Errorf("got %v", seen)
	}
}

func TestBadInverseIsRefused(t *testing.T) {
	a := everything(t)
	for q, param := range map[string]string{
		"": "own", "own=nvidia-rtx-9999": "own", "own=nvidia-geforce-rtx-4090:0": "own",
		"own=nvidia-geforce-rtx-4090:x":                        "own",
		"own=nvidia-geforce-rtx-4090&task=lora&framework=vllm": "framework",
		"own=nvidia-geforce-rtx-4090&task=full&rank=4":         "rank",
		"own=nvidia-geforce-rtx-4090&goal=fastest":             "goal",
	} {
		if _, _, errs := a.ParseInverse(query(t, q)); len(errs) != 1 || errs[0].Param != param {
			t.Errorf("%q: got %v, want one error of %s", q, errs, param)
		}
	}
}

func TestAnInverseIsTheSameAfterItsLink(t *testing.T) {
	a := everything(t)
	for _, q := range []string{"own=nvidia-geforce-rtx-4090:4,nvidia-a100-sxm4-80gb",
		"own=nvidia-geforce-rtx-4090&task=qlora&rank=8&context=4096&weights=nf4",
		"own=nvidia-geforce-rtx-4090&task=inference&weights=q4_k_m"} {
		own, w, errs := a.ParseInverse(query(t, q))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		again, v, errs := a.ParseInverse(a.InverseValues(own, w))
		if len(errs) > 0 || len(again) != len(own) || again[0] != own[0] || v != w {
			t.Errorf("%s → %s: %v", q, a.InverseValues(own, w).Encode(), errs)
		}
	}
}

func TestOneMoreSequenceDoesNotFit(t *testing.T) {
	a := everything(t)
	c := a.Card("nvidia-geforce-rtx-4090")
	m := a.Models.Find("llama-3.1-8b")
	for _, f := range a.WhatFits([]Owned{{c, 1}}, Workload{Context: 1024}, []*Model{m}) {
		if f.LikelyBatch == 0 || f.LikelyBatch == largestBatch {
			continue
		}
		w := f.Workload
		w.Batch = f.LikelyBatch + 1
		if got, ok := a.Memory(&w, c); !ok || got.PerCard.Expected <= c.Usable {
			t.Errorf("%s %s: batch %d is likely to fit as well", w.Task, w.Weights, w.Batch)
		}
	}
}

func TestGridKnowsWhatIsCommonlyKnown(t *testing.T) {
	a := everything(t)
	verdicts := map[string]Verdict{}
	cells := a.Grid(a.Card("nvidia-geforce-rtx-4090"))
	if len(cells) != 16 {
		t.Fatalf("got %d cells", len(cells))
	}
	for _, c := range cells {
		verdicts[c.Size+" "+string(c.Task)] = c.Verdict
		if c.Verdict == Fits && c.Cards != 1 || c.Verdict == TooBig && c.Cards == 1 {
			t.Errorf("%s %s: %s on one card, but it takes %d", c.Size, c.Task, c.Verdict, c.Cards)
		}
		link := a.Values(ForEstimate, c.Request)
		if _, errs := a.ParseEstimate(link); len(errs) > 0 {
			t.Errorf("%s %s: link %s: %v", c.Size, c.Task, link.Encode(), errs)
		}
	}
	for job, want := range map[string]Verdict{"7B full": TooBig, "70B inference": TooBig, "70B qlora": TooBig,
		"7B qlora": Fits, "7B inference": Fits, "32B inference": TooBig} {
		if verdicts[job] != want {
			t.Errorf("%s on a 4090: got %s, want %s", job, verdicts[job], want)
		}
	}
}

func TestLargestFindsTheEdge(t *testing.T) {
	for name, of := range map[string]func(n, edge float64) float64{
		"straight": func(n, edge float64) float64 { return edge - n },
		"bent":     func(n, edge float64) float64 { return edge*edge - n*n },
		"in steps": func(n, edge float64) float64 { return math.Floor(edge/7) - math.Floor(n/7) },
		"unknown":  func(n, edge float64) float64 { return room(n <= edge, edge-n+1) },
	} {
		for _, high := range []int{1, 2, 64, 1 << 20} {
			for edge := 0; edge < 70; edge++ {
				calls, want := 0, 0
				for n := 1; n <= min(high, 70); n++ {
					if of(float64(n), float64(edge)) >= 0 {
						want = n
					}
				}
				got := largest(1, high, func(n int) float64 { calls++; return of(float64(n), float64(edge)) })
				if got != want {
					t.Errorf("%s, edge %d of %d: got %d, want %d", name, edge, high, got, want)
				}
				if calls > 62 || name == "straight" && calls > 6 {
					t.Errorf("%s, edge %d of %d took %d calls", name, edge, high, calls)
				}
			}
		}
	}
}

func TestCommandsHaveTheNumbersOfTheJob(t *testing.T) {
	a := everything(t)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"model=llama-3.1-8b&card=nvidia-h100-sxm5-80gb&cards=4&context=4096&prompt=1024&batch=32",
			[]string{"vllm bench", "--tensor-parallel-size 4", "--max-num-seqs 32", "--input-len 1024",
				"--output-len 3072"}},
		{"model=llama-3.1-8b&weights=q4_k_m&card=nvidia-geforce-rtx-4090&prompt=512",
			[]string{"llama-bench", "-p 512", "Q4_K_M.gguf"}},
		{"model=llama-3.1-8b&task=qlora&rank=32&card=nvidia-geforce-rtx-4090&optimizer=paged-adamw-8bit",
			[]string{"--lora_r 32", "--load_in_4bit", "--optim paged_adamw_8bit", "--gradient_checkpointing true"}},
		{"model=qwen2.5-7b&task=full&framework=ms-swift&cards=8&stage=3&card=nvidia-h100-sxm5-80gb",
			[]string{"NPROC_PER_NODE=8", "--deepspeed zero3"}},
		{"model=qwen2.5-7b&task=lora&framework=torchtune&cards=2&card=nvidia-h100-sxm5-80gb",
			[]string{"--nproc_per_node 2 lora_finetune_distributed"}},
	} {
		r, errs := a.ParseEstimate(query(t, c.query))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.query, errs)
			continue
		}
		e := a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
		v, ok := a.Verify(&e)
		if !ok {
			t.Errorf("%s: no command", c.query)
		}
		for _, want := range c.want {
			if !strings.Contains(v.Command, want) {
				t.Errorf("%s: %s\nlacks %q", c.query, v.Command, want)
			}
		}
		if strings.ContainsAny(v.Command, "{}") {
			t.Errorf("%s: %s has places left", c.query, v.Command)
		}
	}
}

func TestHostOfOneCard(t *testing.T) {
	a := everything(t)
	r, errs := a.ParseEstimate(query(t, "model=llama-2-7b&task=full&card=nvidia-geforce-rtx-4090"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	e := a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
	got := map[string]float64{}
	for _, x := range a.Host(&e) {
		got[x.Part] = x.Value
		if x.Reason == "" || x.Source == "" || x.Formula == "" {
			t.Errorf("%s: no reason, formula or source", x.Part)
		}
	}
	if got["system_memory"] != 48*gib || got["power_supply"] != 900 || got["disk"] != 30*6.738e9 {
		t.Errorf("got %v", got)
	}
}

func TestWhatFitsBesideOthersIsWhatFitsIntoSoMuch(t *testing.T) {
	a := everything(t)
	c := a.Card("nvidia-h100-sxm5-80gb")
	fitting := func(c *Card) (jobs, context int) {
		for _, f := range a.WhatFits([]Owned{{c, 1}}, Workload{}, nil) {
			if f.Verdict == Fits {
				jobs, context = jobs+1, context+f.Context
				if f.Memory.High > c.Usable {
					t.Errorf("%s %s takes %.1f of %.1f GiB", f.Workload.Model.ID, f.Workload.Task, f.Memory.High/gib,
						c.Usable/gib)
				}
			}
		}
		return jobs, context
	}
	jobs, context := fitting(c)
	few, short := fitting(c.WithFree(20 * gib))
	if few == 0 || few >= jobs || short >= context {
		t.Errorf("%d jobs with %d tokens in 20 GiB of a card on which %d with %d fit", few, short, jobs, context)
	}
	if none, _ := fitting(c.WithFree(0)); none != 0 {
		t.Errorf("%d jobs fit into nothing", none)
	}
	if c.WithFree(1e12) != c || c.Usable < 79*gib || c.WithFree(20*gib).ID != c.ID {
		t.Error("the card itself has changed, or more is free than it has")
	}
}

// What many cards share of the work changes no figure: each job is estimated for itself as well.
func TestWhatFitsIsWhatEachEstimateTells(t *testing.T) {
	a := everything(t)
	var own []Owned
	for i := 0; i < len(a.Cards); i += 7 {
		own = append(own, Owned{a.Cards[i], 1 << (i % 4)})
	}
	close := func(got, want Range) bool {
		same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
		return same(got.Low, want.Low) && same(got.Expected, want.Expected) && same(got.High, want.High)
	}
	edges := 0
	for _, f := range a.WhatFits(own, Workload{}, nil) {
		c, w := f.Owned.Card, f.Workload
		if len(f.Refusals) > 0 {
			continue
		}
		name := w.Model.ID + " " + string(w.Task) + " " + w.Weights + " on " + c.ID
		alone, ok := a.Memory(&w, c)
		if !ok || !close(f.Memory, alone.PerCard) || f.LikelyBatch > 0 && f.Verdict != alone.Verdict {
			t.Errorf("%s: %v %s, alone %v %s", name, f.Memory, f.Verdict, alone.PerCard, alone.Verdict)
		}
		if f.LikelyBatch > 0 {
			if s := a.speed(&w, c); (s == nil) != (f.Speed == nil) || s != nil && (!close(s.Rate, f.Speed.Rate) ||
				s.Evidence.Tier != f.Speed.Evidence.Tier) {
				t.Errorf("%s: %v, alone %v", name, f.Speed, s)
			}
		}
		job := w
		job.Sharding = Sharding{}
		x := a.recommendation(&Request{Workload: job})
		fits := func(batch, context int) bool {
			next := job
			next.Batch, next.Context, next.Prompt = batch, context, min(w.Prompt, max(1, context/2))
			next, need, ok := x.shard(next, c, f.Owned.Count)
			return ok && x.verdict(&next, c, need) == Fits
		}
		for _, at := range []struct{ batch, context int }{{f.Batch, w.Context}, {1, f.Context}} {
			batch, context := at.batch+1, at.context
			if at.batch == 1 && at.context == f.Context {
				batch, context = 1, at.context+1
			}
			if min(at.batch, at.context) == 0 || at.batch == largestBatch || context > largestContext || f.AtLimit &&
				batch == 1 {
				continue
			}
			edges++
			if !fits(at.batch, at.context) || fits(batch, context) {
				t.Errorf("%s: %d × %d is not the edge", name, at.batch, at.context)
			}
		}
	}
	if edges < 300 {
		t.Errorf("only %d edges were looked at", edges)
	}
}

func BenchmarkWhatFits(b *testing.B) {
	a := everything(b)
	own := []Owned{{a.Card("nvidia-h100-sxm5-80gb").WithFree(20 * gib), 2}}
	for b.Loop() {
		a.WhatFits(own, Workload{}, nil)
	}
}

// BenchmarkWhatFitsOfFifty is the page of somebody with fifty kinds of cards.
func BenchmarkWhatFitsOfFifty(b *testing.B) {
	a := everything(b)
	var own []Owned
	for i := 0; i < len(a.Cards) && len(own) < 50; i += 5 {
		own = append(own, Owned{a.Cards[i], 1 + i%2})
	}
	a.WhatFits(own, Workload{}, nil)
	for b.Loop() {
		a.WhatFits(own, Workload{}, nil)
	}
}
