package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"tianti/sizing"
)

// told is what an answer of any kind says of a job on a number of a card.
type told struct {
	Card  struct{ ID string }
	Cards int
	Job   struct {
		Framework, Weights, Precision, Attention, Checkpointing, Optimizer string

		Batch, Context int
	}
	Sharding any
	Memory   struct {
		Per_card toldRange
		Verdict  string
	}
	Decode, Training *struct{ Rate toldRange }
	Refusals         []struct{ Reason string }
	Brief            bool
}

type toldRange struct{ Low, Expected, High float64 }

func (r toldRange) like(other toldRange) bool {
	near := func(a, b float64) bool { return a == 0 || b == 0 || math.Abs(a-b) <= 1e-6*math.Abs(b) }
	return near(r.Low, other.Low) && near(r.Expected, other.Expected) && (r.Expected == 0) == (other.Expected == 0) &&
		near(r.High, other.High)
}

// differences from another answer about the same job; a brief one has no ends of ranges.
func (t *told) differences(from *told) string {
	var out []string
	say := func(what string, got, want any) { out = append(out, fmt.Sprintf("%s %v, not %v", what, got, want)) }
	if t.Job != from.Job {
		say("job", t.Job, from.Job)
	}
	if got, want := fmt.Sprint(t.Sharding), fmt.Sprint(from.Sharding); got != want {
		say("sharding", got, want)
	}
	if t.Memory.Verdict != from.Memory.Verdict {
		say("verdict", t.Memory.Verdict, from.Memory.Verdict)
	}
	if !t.Memory.Per_card.like(from.Memory.Per_card) {
		say("memory", t.Memory.Per_card, from.Memory.Per_card)
	}
	for _, s := range []struct {
		name      string
		got, want *struct{ Rate toldRange }
	}{{"decode", t.Decode, from.Decode}, {"training", t.Training, from.Training}} {
		switch {
		case s.got == nil && s.want == nil:
		case s.got == nil || s.want == nil || !s.got.Rate.like(s.want.Rate):
			say(s.name, s.got, s.want)
		}
	}
	return strings.Join(out, "; ")
}

// agreedCards are of several makers, generations and sizes.
var agreedCards = []string{"nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3060-12gb", "nvidia-a100-sxm4-80gb",
	"nvidia-h100-sxm5-80gb", "nvidia-h200-sxm5-141gb", "nvidia-tesla-v100-sxm2-32gb", "nvidia-l40s",
	"amd-instinct-mi300x",
	"amd-radeon-rx-7900-xtx", "nvidia-t4", "huawei-ascend-910b2", "apple-m3-max", "nvidia-geforce-rtx-5090"}

// agreedJobs are jobs of all tasks and common sizes on 1 to 8 cards.
func agreedJobs() []string {
	var out []string
	for _, model := range []string{"7B", "llama-3.1-8b", "qwen2.5-14b", "qwen2.5-32b", "70B"} {
		for _, task := range []string{"qlora", "lora", "full", "inference"} {
			for _, cards := range []int{1, 2, 4, 8} {
				out = append(out, fmt.Sprintf("model=%s&task=%s&cards=%d", model, task, cards))
			}
		}
	}
	return append(out, "model=7B&task=lora&cards=4&context=8192&batch=2",
		"model=llama-3.1-8b&cards=2&batch=32&weights=fp8",
		"model=llama-3.1-8b&weights=q4_k_m&cards=2", "model=7B&task=full&cards=8&optimizer=adamw-8bit",
		"model=mixtral-8x7b&cards=4", "model=qwen3-30b-a3b&task=qlora&cards=2")
}

// Every way to ask for a job on a card gives the same figures.
func TestAllWaysToAskAgree(t *testing.T) {
	s := sizedServer(t)
	compared, rejected := 0, 0
	for _, job := range agreedJobs() {
		for _, card := range agreedCards {
			var ranked struct {
				Options  []told
				Rejected []struct {
					Cards  int
					Reason string
					Need   *toldRange
				}
			}
			read(t, s, "/api/v1/recommend?limit=100&card="+card+"&"+job, &ranked)
			estimate := func(cards int) (alone told) {
				v, err := url.ParseQuery(job)
				if err != nil {
					t.Fatal(err)
				}
				v.Set("card", card)
				v.Set("cards", strconv.Itoa(cards))
				read(t, s, "/api/v1/estimate?"+v.Encode(), &alone)
				return alone
			}
			for _, x := range ranked.Rejected {
				if x.Reason != "does_not_fit" {
					continue
				}
				rejected++
				if alone := estimate(x.Cards); !x.Need.like(alone.Memory.Per_card) || alone.Memory.Verdict == "fits" {
					t.Errorf("%s on %d × %s: rejected for %v, alone %v %s", job, x.Cards, card, *x.Need,
						alone.Memory.Per_card,
						alone.Memory.Verdict)
				}
			}
			for i := range ranked.Options {
				o := &ranked.Options[i]
				alone := estimate(o.Cards)
				compared++
				if alone.Job.Framework == "" || alone.Memory.Per_card.Expected == 0 {
					t.Errorf("%s on %d × %s: nothing is estimated", job, o.Cards, card)
				}
				if d := o.differences(&alone); d != "" {
					t.Errorf("%s on %d × %s: ranked with %s", job, o.Cards, card, d)
				}
			}
		}
	}
	if compared < 1000 || rejected < 100 {
		t.Errorf("only %d options and %d rejections were compared", compared, rejected)
	}
}

// read reads an answer in JSON; what is wrong with it fails the test.
func read(t *testing.T, s interface {
	ServeHTTP(http.ResponseWriter, *http.Request)
}, address string, out any) {
	t.Helper()
	r := get(t, s, address)
	if r.StatusCode != 200 {
		t.Fatalf("%s: %d %s", address, r.StatusCode, bodyOf(t, r))
	}
	if err := json.Unmarshal([]byte(bodyOf(t, r)), out); err != nil {
		t.Fatal(address, err)
	}
}

// The grid of a card and the page of owned cards lead to estimates that say the same.
func TestTheGridAndOwnedCardsAgreeWithEstimates(t *testing.T) {
	adv, err := sized()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range agreedCards {
		c := adv.Card(id)
		if c == nil {
			t.Fatalf("there is no %s", id)
		}
		for _, cell := range adv.Grid(c) {
			r := cell.Request
			r.Workload.Cards = 1
			e := adv.Estimate(r.Workload, c, r)
			x := sizing.Fit{Workload: cell.Workload, Memory: cell.Memory, Verdict: cell.Verdict,
				Refusals: cell.Refusals}
			if d := fitDiffers(&x, &e, false); d != "" {
				t.Errorf("grid of %s, %s %s: %s", id, cell.Size, cell.Task, d)
			}
			if r.Workload.Cards = cell.Cards; cell.Cards > 0 {
				if e := adv.Estimate(r.Workload, c, r); e.Memory.PerCard.Expected > c.Usable {
					t.Errorf("grid of %s, %s %s: %d cards are not enough", id, cell.Size, cell.Task, cell.Cards)
				}
			}
		}
		for _, n := range []int{1, 2, 4, 8} {
			for _, f := range adv.WhatFits([]sizing.Owned{{Card: c, Count: n}}, sizing.Workload{}, nil) {
				w := f.Workload
				asked := sizing.Workload{Model: w.Model, Task: w.Task, Weights: w.Weights, Context: w.Context,
					Batch: w.Batch, Cards: n}
				e := adv.Estimate(asked, c, sizing.Request{Workload: asked})
				if d := fitDiffers(&f, &e, f.LikelyBatch > 0); d != "" {
					t.Errorf("%d × %s owned, %s %s %s: %s", n, id, w.Model.ID, w.Task, w.Weights, d)
				}
			}
		}
	}
}

// fitDiffers says in what a row differs from the estimate of its job.
func fitDiffers(f *sizing.Fit, e *sizing.Estimate, fast bool) string {
	if len(f.Refusals) > 0 || len(e.Refusals) > 0 {
		if fmt.Sprint(f.Refusals) != fmt.Sprint(e.Refusals) {
			return fmt.Sprintf("refused for %v, estimated %v", f.Refusals, e.Refusals)
		}
		return ""
	}
	var out []string
	got, want := &f.Workload, &e.Workload
	if got.Framework != want.Framework || got.Weights != want.Weights || got.Compute != want.Compute ||
		got.Sharding != want.Sharding ||
		got.Context != want.Context || got.Batch != want.Batch {
		out = append(out, fmt.Sprintf("%s %s [%s], estimated %s %s [%s]", got.Framework, got.Weights, got.Sharding,
			want.Framework,
			want.Weights, want.Sharding))
	}
	if f.Verdict != e.Memory.Verdict && (fast || f.Verdict != sizing.TooBig ||
		e.Memory.PerCard.Expected <= e.Memory.Usable) {
		out = append(out, fmt.Sprintf("%s, estimated %s", f.Verdict, e.Memory.Verdict))
	}
	if !toldRange(f.Memory).like(toldRange(e.Memory.PerCard)) {
		out = append(out, fmt.Sprintf("%v bytes, estimated %v", f.Memory, e.Memory.PerCard))
	}
	s := e.Rate()
	if fast && ((s == nil) != (f.Speed == nil) || s != nil && (!toldRange(s.Rate).like(toldRange(f.Speed.Rate)) ||
		s.Evidence.Tier != f.Speed.Evidence.Tier)) {
		out = append(out, fmt.Sprintf("speed %v, estimated %v", f.Speed, s))
	}
	return strings.Join(out, "; ")
}
