//go:build !race

// The built-in cases are hundreds of measured runs: with the race detector it takes long to
// learn from all of them.

package sizing_test

import (
	"fmt"
	"net/url"
	"sync"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

// builtin is the estimator of the built-in cards, models, frameworks and measured runs.
var builtin = sync.OnceValue(func() *sizing.Estimator {
	cards, err := seed.Builtin()
	if err != nil {
		panic(err)
	}
	a, err := sizing.New(seed.Sizing(), catalog.NewSnapshot(1, cards))
	if err != nil {
		panic(err)
	}
	return a
})

const gb = 1e9

// The memory of a job is a ledger: each line has its formula, its inputs and its source.
func ExampleEstimator_Memory() {
	a := builtin()
	model, _ := a.Models.FindModel("Llama-2-7B")
	job := sizing.Workload{
		Model:     model,
		Task:      sizing.LoRA,
		Framework: "litgpt",
		Weights:   "bf16",
		Batch:     1,
		Context:   1024,
	}
	for _, name := range []string{"RTX 4060", "RTX 4090"} {
		card := a.FindCards(name)[0]
		w := job
		a.Complete(&w, card) // fills in what is left open, and says what it chose
		memory, _ := a.Memory(&w, card)
		weights := memory.Lines[0]
		fmt.Printf("%s: %s; %s: %s = %.1f GB\n", name, memory.Verdict, weights.Part, weights.Formula, weights.Value/gb)
	}
	// Output:
	// RTX 4060: does_not_fit; weights: P · bits ÷ 8 ÷ n = 13.5 GB
	// RTX 4090: fits; weights: P · bits ÷ 8 ÷ n = 13.5 GB
}

// A speed comes with its 90 % interval and with the measured runs that it rests on.
func ExampleEstimator_Decode() {
	a := builtin()
	model, _ := a.Models.FindModel("Llama-3.1-8B")
	card := a.FindCards("RTX 4090")[0]
	w := sizing.Workload{
		Model:     model,
		Task:      sizing.Inference,
		Framework: "llama.cpp",
		Weights:   "q4_k_m",
		Batch:     1,
		Context:   1024,
		Prompt:    512,
	}
	a.Complete(&w, card)
	speed, _ := a.Decode(&w, card)
	fmt.Println("limited by", speed.Limit)
	fmt.Println("within its interval:", speed.Rate.Low < speed.Rate.Expected && speed.Rate.Expected < speed.Rate.High)
	fmt.Println("corrected by measured runs:", len(speed.Evidence.Supports) > 0)
	// Output:
	// limited by bandwidth
	// within its interval: true
	// corrected by measured runs: true
}

// A recommendation ranks the cards that do a job, and says of every other one why not.
func ExampleEstimator_Recommend() {
	a := builtin()
	request, errs := a.ParseRequest(
		url.Values{"model": {"llama-3.1-70b"}, "weights": {"q4_k_m"}, "framework": {"llama.cpp"}, "goal": {"fastest"},
			"card": {"nvidia-h100-sxm5-80gb,nvidia-a100-sxm4-80gb,nvidia-geforce-rtx-4090"}},
	)
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	answer := a.Recommend(request, a.Cards)
	for _, option := range answer.Options {
		fmt.Println(option.Card.Name, option.Memory.Verdict)
	}
	for _, rejected := range answer.Rejected {
		fmt.Println(rejected.Card.Name, rejected.Reason)
	}
	// Output:
	// H100 SXM5 80GB fits
	// A100 SXM4 80GB fits
	// GeForce RTX 4090 does_not_fit
}
