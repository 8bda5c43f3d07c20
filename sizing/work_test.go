package sizing

import (
	"math"
	"strings"
	"testing"
)

// estimateOf is the estimate of a query with a card.
func estimateOf(t testing.TB, a *Estimator, s string) Estimate {
	t.Helper()
	r, errs := a.ParseEstimate(query(t, s))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", s, errs)
	}
	return a.Estimate(r.Workload, mustCard(t, a, r.Cards[0]), r)
}

func TestLinesOfOtherWorkSum(t *testing.T) {
	a := all(t)
	for _, s := range []string{
		"model=flux.1-dev&task=lora", "model=sdxl-base&task=full", "model=flux.1-dev&task=qlora&cached=no",
		"model=sdxl-base",
		"model=wan2.1-t2v-1.3b", "model=flux.1-dev&offload=model", "model=bge-m3", "model=bge-m3&attention=eager",
		"model=whisper-large-v3", "model=qwen2.5-7b&task=dpo&cards=8", "model=qwen2.5-7b&task=dpo&tuning=lora",
		"model=qwen2.5-7b&task=grpo&cards=8", "model=qwen2.5-7b&task=grpo&cards=8&framework=trl",
		"model=qwen2.5-7b&task=grpo&cards=8&rollout_cards=4", "model=deepseek-r1&offload=experts",
		"model=llama-3.1-70b&offload_layers=60",
	} {
		e := estimateOf(t, a, s+"&card=nvidia-h200-sxm5-141gb")
		sum := 0.0
		for _, l := range e.Memory.Lines {
			if l.Formula == "" || l.Source == "" || len(l.Inputs) == 0 {
				t.Errorf("%s: %s without formula, source or inputs", s, l.Part)
			}
			sum += l.Value
		}
		m := e.Memory.PerCard
		if math.Abs(sum/m.Expected-1) > 1e-6 || !(m.Low > 0 && m.Low <= m.Expected && m.Expected <= m.High) {
			t.Errorf("%s: lines sum to %g of %+v", s, sum, m)
		}
		r := e.Rate()
		if r == nil || !(r.Rate.Low > 0 && r.Rate.Low <= r.Rate.Expected && r.Rate.Expected <= r.Rate.High) ||
			len(r.Lines) == 0 || r.Limit == "" {
			t.Errorf("%s: speed %+v", s, r)
		}
	}
}

// What asks for more never needs less or is done sooner.
func TestMoreOfOtherWorkIsNeverLess(t *testing.T) {
	a := all(t)
	for _, c := range []struct {
		job    string
		values []string
	}{
		{"model=flux.1-dev&resolution=", []string{"256", "512", "768", "1024", "1536", "2048", "4096"}},
		{"model=flux.1-dev&offload=model&resolution=", []string{"256", "512", "1024", "2048", "4096"}},
		{"model=sdxl-base&task=lora&resolution=", []string{"256", "512", "1024", "2048"}},
		{"model=flux.1-dev&steps=", []string{"1", "4", "20", "50", "100"}},
		{"model=cogvideox-5b&frames=", []string{"1", "9", "25", "49", "81"}},
		{"model=flux.1-dev&task=lora&rank=", []string{"4", "16", "64", "256"}},
		{"model=bge-m3&context=", []string{"64", "128", "512", "2048", "8192"}},
		{"model=qwen2.5-7b&task=grpo&cards=8&group=", []string{"4", "8", "16", "32"}},
		{"model=deepseek-r1&offload=experts&weights=", []string{"q2_k", "q3_k_m", "q4_k_m"}},
	} {
		memory, seconds := 0.0, 0.0
		for _, v := range c.values {
			e := estimateOf(t, a, c.job+v+"&card=nvidia-b300-sxm6-288gb")
			r := e.Rate()
			if r == nil {
				t.Fatalf("%s%s: no speed", c.job, v)
			}
			each := 1 / r.Rate.Expected
			if e.Workload.Task == GRPO { // tokens a second: a step has more of them
				each *= float64(e.Workload.Preference.Group)
			}
			if m := e.Memory.PerCard.Expected; m < memory*0.9999 || each < seconds*0.9999 {
				t.Errorf("%s%s: %g bytes after %g, %g s after %g", c.job, v, m, memory, each, seconds)
			}
			memory, seconds = e.Memory.PerCard.Expected, each
		}
	}
}

// The operations of a pass are those that the benchmarks of Diffusers count.
func TestPassesOfDenoisersAreAsPublished(t *testing.T) {
	a := tables(t)
	for _, c := range []struct {
		model  string
		media  Media
		tflops float64
	}{
		{"flux.1-dev", Media{Width: 1024, Height: 1024}, 59.52},
		{"ltx-video-13b", Media{Width: 704, Height: 512, Frames: 161}, 167.57},
		{"sdxl-base", Media{Width: 1024, Height: 1024}, 5.979},
	} {
		d := denoiserOf(&Workload{Model: a.Models.Find(c.model), Media: c.media})
		if got := d.linear() / 1e12; !near(got, c.tflops, 0.02) {
			t.Errorf("%s: %.4g TFLOP, published %.4g", c.model, got, c.tflops)
		}
	}
}

// Adapters have the reference in their base, and a sleeping engine takes turns with activations.
func TestReferencesAndEnginesAreCountedOnce(t *testing.T) {
	a := all(t)
	part := func(s, name string) float64 {
		for _, l := range estimateOf(t, a, s+"&card=nvidia-h200-sxm5-141gb").Memory.Lines {
			if l.Part == name {
				return l.Value
			}
		}
		return 0
	}
	if got := part("model=qwen2.5-7b&task=dpo&tuning=lora", "reference"); got != 0 {
		t.Errorf("adapters: a reference of %g bytes", got)
	}
	m := a.Models.Find("qwen2.5-7b")
	if got := part("model=qwen2.5-7b&task=dpo", "reference"); got != 2*m.Parameters {
		t.Errorf("reference: %g, want %g", got, 2*m.Parameters)
	}
	if got := part("model=qwen2.5-7b&task=dpo&reference=no", "reference"); got != 0 {
		t.Errorf("no reference: %g", got)
	}
	if part("model=qwen2.5-7b&task=grpo&cards=8&framework=trl", "engine_weights") != 2*m.Parameters {
		t.Error("an engine that does not sleep holds its weights beside training")
	}
}

func FuzzReadPipelines(f *testing.F) {
	f.Add("id,latent_scale,patch\nflux.1-dev,8,2\n")
	f.Add("id,unet_blocks\nsdxl-base,1:2\n")
	f.Fuzz(func(t *testing.T, s string) {
		m := &Models{All: []Model{{ID: "flux.1-dev", Kind: "diffusion", Hidden: 3072}}}
		_ = m.ReadPipelines(strings.NewReader(s))
	})
}
