package serving_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
)

// attended asks for DeepSeek-R1 on eight H200, as published, for so many users who do not wait.
func attended(t testing.TB, engine string, users int) serving.Request {
	r := ask(t, "deepseek-r1", "nvidia-h200-sxm5-141gb")
	r.Engine, r.Tensor = engine, 8
	r.Load = serving.Load{Prompt: 1000, Output: 1000, Concurrency: users}
	r.Target = serving.Target{Unattended: true}
	return r
}

// Few users are served faster where all cards attend to each of them; many where the latent keys and values of each,
// which all cards would keep otherwise, lie on one card.
func TestCardsAttendApartWhereItPays(t *testing.T) {
	for _, engine := range []string{"vllm", "sglang", "tensorrt-llm"} {
		with := func(users int, attention string) serving.Plan {
			r := attended(t, engine, users)
			r.Attention = attention
			return mustMake(t, r)
		}
		last := false
		for _, users := range []int{1, 2, 4, 8, 16, 64, 256, 1024} {
			best, shared := with(users, ""), with(users, serving.AttentionTensor)
			apart := with(users, serving.AttentionData)
			if shared.Division.AttentionData || !apart.Division.AttentionData {
				t.Fatalf("%s: asked for one, %+v and %+v", engine, shared.Division, apart.Division)
			}
			if best.Cards > min(shared.Cards, apart.Cards) || best.Cards == shared.Cards && best.Cards == apart.Cards &&
				best.Expected.Throughput.Expected < max(shared.Expected.Throughput.Expected,
					apart.Expected.Throughput.Expected) {
				t.Errorf("%s, %d users: %d cards and %g tokens/s of %d, %g and %d, %g", engine, users, best.Cards,
					best.Expected.Throughput.Expected, shared.Cards, shared.Expected.Throughput.Expected, apart.Cards,
					apart.Expected.Throughput.Expected)
			}
			if last && !best.Division.AttentionData {
				t.Errorf("%s: fewer than %d users are attended to apart, and so many are not", engine, users)
			}
			if last = best.Division.AttentionData; users <= 16 && last {
				t.Errorf("%s: %d users are attended to by a card each", engine, users)
			}
		}
		if !last {
			t.Errorf("%s: 1024 users are attended to by all cards, which keep eight copies of their cache", engine)
		}
	}
}

// A dense model has nothing left to share where cards attend apart, and one with as many heads as cards keeps no
// copies.
func TestCardsThatKeepNoCopiesShareAttention(t *testing.T) {
	for _, model := range []string{"llama-3.1-70b", "gpt-oss-120b"} {
		r := ask(t, model, "nvidia-h100-sxm5-80gb")
		r.Load = serving.Load{Prompt: 1000, Output: 1000, Concurrency: 2000}
		if p := mustMake(t, r); p.Division.AttentionData {
			t.Errorf("%s: %+v", model, p.Division)
		}
	}
	r := ask(t, "llama-3.1-70b", "nvidia-h100-sxm5-80gb")
	r.Attention = serving.AttentionData
	if _, errs := serving.Make(estimator(t), r); len(errs) != 1 || errs[0].Param != "attention" ||
		errs[0].Code != catalog.Contradicts {
		t.Errorf("a dense model whose experts are to be shared: %v", errs)
	}
	r.Attention = "experts"
	if _, errs := serving.Make(estimator(t), r); len(errs) != 1 || errs[0].Param != "attention" ||
		errs[0].Code != catalog.UnknownValue {
		t.Errorf("attention=experts: %v", errs)
	}
	r = ask(t, "deepseek-r1", "google-tpu-v6e")
	r.Attention = serving.AttentionData
	if p, errs := serving.Make(estimator(t), r); len(errs) > 0 || p.Outcome != serving.DoesNotFit {
		t.Errorf("on hardware of which no document says so: %s %v", p.Outcome, errs)
	}
}

// Each card holds an eighth of the experts and all of the rest; a request lies on one of them.
func TestMemoryOfCardsThatAttendApart(t *testing.T) {
	r := attended(t, "vllm", 1024)
	r.Attention = serving.AttentionTensor
	r.Load.Concurrency = 16
	shared := mustMake(t, r)
	r.Attention = serving.AttentionData
	apart := mustMake(t, r)
	m := r.Model
	experts := 58 * 256 * 3 * float64(m.ExpertIntermediate) * float64(m.Hidden) // of one byte
	whole := shared.Memory.Weights * 8
	if want := experts/8 + (whole - experts); math.Abs(apart.Memory.Weights/want-1) > 0.02 {
		t.Errorf("weights of a card: %.1f GB, want %.1f of %.1f in all", apart.Memory.Weights/1e9, want/1e9, whole/1e9)
	}
	if got, want := apart.Memory.OfRequest*8, shared.Memory.OfRequest; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("a request keeps %g bytes, of which eight copies are %g and not %g", got/8, got, want)
	}
	if apart.Memory.Cache >= shared.Memory.Cache || apart.Memory.Requests < 4*shared.Memory.Requests {
		t.Errorf("%g bytes for %g requests, and %g for %g with copies", apart.Memory.Cache, apart.Memory.Requests,
			shared.Memory.Cache, shared.Memory.Requests)
	}
	part := func(p *serving.Plan, name string) float64 {
		for _, l := range p.Memory.Lines {
			if l.Part == name {
				return l.Value
			}
		}
		return 0
	}
	if part(&shared, "dense") != 0 || part(&apart, "dense") <= 0 {
		t.Error("the ledger does not tell what is on every card")
	}
}

func TestCommandsOfAttentionDataParallelism(t *testing.T) {
	for _, c := range []struct {
		engine    string
		has, lack []string
	}{
		{"vllm", []string{"--data-parallel-size 8 --enable-expert-parallel", "--max-num-seqs 128 "},
			[]string{"--tensor-parallel-size"}},
		{"sglang", []string{"--tp-size 8", "--dp-size 8 --enable-dp-attention", "--max-running-requests 1024 "}, nil},
		{"tensorrt-llm", []string{"--tp_size 8", "--ep_size 8", "--max_batch_size 128 ", "enable_attention_dp: true\n",
			"  max_batch_size: 128\n"}, nil},
	} {
		r := attended(t, c.engine, 1024)
		r.Attention = serving.AttentionData
		p := mustMake(t, r)
		first := p.Commands[0]
		text := strings.ReplaceAll(first.Text, "\\\n", "") + first.Content
		for _, s := range c.has {
			if !strings.Contains(text, s) {
				t.Errorf("%s lacks %q: %s", c.engine, s, text)
			}
		}
		for _, s := range c.lack {
			if strings.Contains(text, s) {
				t.Errorf("%s has %q: %s", c.engine, s, text)
			}
		}
		if p.AtOnce.Requests != 1024 || !first.Current || len(first.Sources) < 2 {
			t.Errorf("%s: %+v, %v", c.engine, p.AtOnce, first.Sources)
		}
		r.Attention = serving.AttentionTensor
		p = mustMake(t, r)
		if text := p.Commands[0].Text + p.Commands[0].Content; strings.Contains(text, "dp") ||
			strings.Contains(text, "data-parallel") {
			t.Errorf("%s, shared: %s", c.engine, text)
		}
	}
	r := attended(t, "vllm", 1024)
	r.Attention, r.Settings.MaxSequences = serving.AttentionData, 100
	p := mustMake(t, r)
	if text := p.Commands[0].Text; p.AtOnce.Requests != 100 || !strings.Contains(text, "--max-num-seqs 13 ") {
		t.Errorf("100 requests at once of eight cards: %+v %s", p.AtOnce, text)
	}
	if slices.ContainsFunc(p.Commands, func(c serving.Command) bool { return c.Engine == "mindie" }) {
		t.Error("MindIE is started, of which it is not known how")
	}
}

// More load never lowers throughput where cards attend apart, and no card reads more than its bandwidth.
func TestMoreLoadOfCardsThatAttendApart(t *testing.T) {
	a := estimator(t)
	for _, engine := range []string{"vllm", "sglang", "tensorrt-llm"} {
		w := sizing.Workload{Model: a.Models.Find("deepseek-r1"), Framework: engine, Weights: "fp8", Cards: 8,
			Prompt: 4000, Output: 200, Sharding: sizing.Sharding{Data: 1, Tensor: 8, Pipeline: 1, AttentionData: true}}
		s, ok := a.Server(w, a.Card("nvidia-b200-sxm6-180gb"), sizing.Tuning{})
		if !ok {
			t.Fatal("no server")
		}
		last := 0.0
		for b := 1; b <= 4096; b *= 2 {
			x := s.At(0, 0, b)
			if x.Throughput.Expected < last*0.9999 {
				t.Errorf("%s: %d at once give %g tokens/s, half as many %g", engine, b, x.Throughput.Expected, last)
			}
			last = x.Throughput.Expected
		}
	}
}
