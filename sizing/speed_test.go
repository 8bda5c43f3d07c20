package sizing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Speeds obey physics whatever the cases say. Each law is tried on jobs and cards that
// are drawn at random.

const drawn = 150

// slack is what rounding may take.
const slack = 1e-9

// A draw is a job of inference on a card of which all figures are known.
type draw struct {
	w Workload
	c *Card
}

// drawJobs draws jobs with formats that their frameworks read.
func drawJobs(t *testing.T, seed uint64) []draw {
	t.Helper()
	a := everything(t)
	r := rand.New(rand.NewPCG(seed, 7))
	var out []draw
	for len(out) < drawn {
		m := &a.Models.All[r.IntN(len(a.Models.All))]
		c := a.Cards[r.IntN(len(a.Cards))]
		framework := pick(r, "vllm", "sglang", "llama.cpp", "ollama", "mlx", "transformers", "tgi")
		weights := pick(r, "fp16", "q4_k_m", "gptq-int4")
		if framework != "llama.cpp" && framework != "ollama" && weights == "q4_k_m" {
			weights = "awq-int4"
		}
		w := Workload{Model: m, Task: Inference, Framework: framework, Weights: weights, Batch: 1, Cards: 1,
			Context:  2048,
			Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 1}}
		w.Prepare(a.Profiles, a.Formats)
		if m.WritesText() && known(&w, c) {
			out = append(out, draw{w, c})
		}
	}
	return out
}

// speedOf is the expected speed of a job.
func speedOf(t *testing.T, q Quantity, w Workload, c *Card) float64 {
	t.Helper()
	a := everything(t)
	w.Prepare(a.Profiles, a.Formats)
	v := a.fields[q].quick(&w, c)
	if !(v > 0) {
		t.Fatalf("no %s of %s on %s", q, w.Model.ID, c.ID)
	}
	return v
}

func TestLongerContextsNeverDecodeFaster(t *testing.T) {
	for _, d := range drawJobs(t, 1) {
		last := math.Inf(1)
		for context := 128; context <= 1<<17; context *= 2 {
			d.w.Context, d.w.Prompt = context, context/2
			v := speedOf(t, DecodeSpeed, d.w, d.c)
			if v > last*(1+slack) {
				t.Errorf("%s in %s on %s with %s: %d tokens at %.2f tokens/s, half as many at %.2f", d.w.Model.ID,
					d.w.Weights, d.c.ID, d.w.Framework, context, v, last)
			}
			last = v
		}
	}
}

func TestMoreCardsNeverGainMoreThanTheirNumber(t *testing.T) {
	for _, d := range drawJobs(t, 2) {
		for _, q := range []Quantity{DecodeSpeed, PrefillSpeed} {
			one := speedOf(t, q, d.w, d.c)
			for _, n := range []int{2, 4, 8} {
				for _, s := range []Sharding{{Data: 1, Tensor: n, Pipeline: 1}, {Data: n, Tensor: 1, Pipeline: 1},
					{Data: 1, Tensor: 1, Pipeline: n, Layers: true}} {
					w := d.w
					w.Cards, w.Sharding, w.Batch = n, s, s.Data
					if v := speedOf(t, q, w, d.c); v > one*float64(n)*(1+slack) {
						t.Errorf("%s of %s in %s on %d %s as %+v: %.2f tokens/s, on one %.2f", q, w.Model.ID, w.Weights,
							n,
							d.c.ID, s, v, one)
					}
				}
			}
		}
	}
}

func TestMoreRequestsGetMoreTogetherAndLessEach(t *testing.T) {
	for _, d := range drawJobs(t, 3) {
		one := speedOf(t, DecodeSpeed, d.w, d.c)
		last := 0.0
		for batch := 1; batch <= 256; batch *= 2 {
			d.w.Batch = batch
			v := speedOf(t, DecodeSpeed, d.w, d.c)
			if v < last*(1-slack) || v > one*float64(batch)*(1+slack) {
				t.Errorf("%s on %s with %s: %d requests get %.2f tokens/s, half as many %.2f, one %.2f", d.w.Model.ID,
					d.c.ID, d.w.Framework, batch, v, last, one)
			}
			last = v
		}
	}
}

func TestMoreCardsNeverTrainMoreThanLinearly(t *testing.T) {
	a := everything(t)
	for _, d := range drawJobs(t, 4) {
		if d.c.Link+d.c.PCIe == 0 {
			continue
		}
		w := Workload{Model: d.w.Model, Task: LoRA, Framework: "torchtune", Weights: "bf16", Compute: "bf16",
			Batch: 1, Context: 2048, Cards: 1, Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 1}}
		w.Prepare(a.Profiles, a.Formats)
		one := a.fields[TrainingSpeed].quick(&w, d.c)
		for _, n := range []int{2, 8, 64} {
			for _, stage := range []int{0, 3} {
				w.Cards, w.Sharding = n, Sharding{Data: n, Tensor: 1, Pipeline: 1, Stage: stage}
				if v := a.fields[TrainingSpeed].quick(&w, d.c); v > one*float64(n)*(1+slack) {
					t.Errorf("%s on %d %s: %.1f tokens/s, on one %.1f", w.Model.ID, n, d.c.ID, v, one)
				}
			}
		}
	}
}

// No interval is a point, and none reaches above what the card has.
func TestIntervalsOfSpeedsHaveWidthAndKeepTheBound(t *testing.T) {
	a := everything(t)
	for _, d := range drawJobs(t, 5) {
		for _, q := range []Quantity{DecodeSpeed, PrefillSpeed} {
			r, _, _, ok := a.fields[q].estimate(&d.w, d.c, false, nil)
			if !ok || !(r.Low > 0) || r.Low >= r.Expected || r.High < r.Expected {
				t.Errorf("%s of %s on %s with %s: %+v", q, d.w.Model.ID, d.c.ID, d.w.Framework, r)
			}
			if most := a.fields[q].ceiling(&d.w, d.c); r.High > most*(1+slack) {
				t.Errorf("%s of %s on %s: %.1f, the bound is %.1f", q, d.w.Model.ID, d.c.ID, r.High, most)
			}
		}
	}
}

func TestSmallModelsReachASmallerShareOfTheBandwidth(t *testing.T) {
	a := everything(t)
	for _, d := range drawJobs(t, 6) {
		share := func(id string) float64 {
			d.w.Model, _ = a.Models.FindModel(id)
			s, _ := a.Decode(&d.w, d.c)
			return s.Efficiency
		}
		small := share("qwen2.5-0.5b")
		for _, id := range []string{"qwen2.5-7b", "qwen2.5-72b"} {
			if large := share(id); !(small < large*1.03) { // near the bound they are alike
				t.Errorf("%s in %s on %s with %s reaches %.2f of the bandwidth, one of half a billion %.2f", id,
					d.w.Weights,
					d.c.ID, d.w.Framework, large, small)
			}
		}
	}
}

// A card nobody measured, faster than another of its architecture in every figure, is
// not slower.
func TestFasterCardsAreNotSlower(t *testing.T) {
	for _, d := range drawJobs(t, 8) {
		slow, fast := *d.c, *d.c
		slow.ID, fast.ID = "slow", "fast"
		for _, v := range []*float64{&fast.Bandwidth, &fast.FP32, &fast.TF32, &fast.FP16, &fast.BF16, &fast.FP8,
			&fast.INT8,
			&fast.FP4} {
			*v *= 1.3
		}
		for _, q := range []Quantity{DecodeSpeed, PrefillSpeed} {
			if a, b := speedOf(t, q, d.w, &slow), speedOf(t, q, d.w, &fast); b < a*(1-slack) {
				t.Errorf("%s of %s in %s with %s: %.2f tokens/s on a card like %s, %.2f on one 1.3 times as fast", q,
					d.w.Model.ID, d.w.Weights, d.w.Framework, a, d.c.ID, b)
			}
		}
	}
}

func TestWhatDoesNotFitHasNoSpeed(t *testing.T) {
	a := everything(t)
	tried := 0
	for _, d := range drawJobs(t, 9) {
		e := a.Estimate(d.w, d.c, Request{})
		if e.Memory.Verdict != TooBig {
			continue
		}
		tried++
		if e.Decode != nil || e.Prefill != nil || e.Training != nil {
			t.Errorf("%s does not fit on %s and has a speed", d.w.Model.ID, d.c.ID)
		}
	}
	if tried < 10 {
		t.Errorf("only %d jobs do not fit", tried)
	}
}

// Engines run on hardware that nobody measured them on: the formula alone with an interval
// that says how little is known.
func TestEnginesHaveAWideIntervalOnHardwareNobodyMeasured(t *testing.T) {
	a := everything(t)
	model, _ := a.Models.FindModel("llama-3.1-8b")
	width := func(card string) float64 {
		cards := a.FindCards(card)
		if len(cards) != 1 {
			t.Fatalf("%q means %d cards", card, len(cards))
		}
		w := Workload{Model: model, Task: Inference, Framework: "vllm", Weights: "bf16", Batch: 1, Cards: 1,
			Context: 2048}
		w.Prepare(a.Profiles, a.Formats)
		s, ok := a.Decode(&w, cards[0])
		if !ok {
			t.Fatalf("no speed on %s", card)
		}
		if p, ok := a.Prefill(&w, cards[0]); !ok || !(p.Rate.Expected > s.Rate.Expected) {
			t.Errorf("%s reads the prompt at %+v", card, p.Rate)
		}
		if card != "A100 SXM 80GB" && card != "Ascend 910C" && s.Evidence.Tier != Formula {
			t.Errorf("vLLM on %s is %s", card, s.Evidence.Tier)
		}
		return s.Rate.High / s.Rate.Low
	}
	known := width("A100 SXM 80GB")
	for _, card := range []string{"Ascend 910C", "MTT S4000", "TPU v6e"} {
		if w := width(card); w < 1.15*known || w < 1.5 {
			t.Errorf("vLLM on %s: the interval is of %.2f, on an A100 of %.2f", card, w, known)
		}
	}
}
