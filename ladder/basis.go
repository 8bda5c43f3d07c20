package ladder

import (
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

// A Basis is what a ladder ranks by: one quantity of the catalogue, the estimated speed of
// one job, or what was measured in one benchmark.
type Basis struct {
	ID         string
	Quantity   *catalog.Quantity      // nil for a job and a benchmark
	Job        Job                    // zero for a quantity
	Benchmark  *catalog.BenchmarkInfo // what cards were measured in; nil for what is not measured
	Estimates  bool                   // cards that were not measured have estimated places
	Lower      bool                   // less is better
	Unit       string
	Group      string // of the quantity; "speed" for a job
	Label      catalog.Text
	Definition catalog.Text
	Formula    string // of derived values
}

// Priced reports whether the values depend on the pricing of the snapshot.
func (b *Basis) Priced() bool { return b.Quantity != nil && b.Quantity.Priced() }

// A Job is a workload, on one card, whose speed is a basis.
type Job struct {
	Model   string // id of the model
	Task    string // "inference" or "lora"
	Weights string // id of their format; empty is the usual one
	Batch   int
	Context int    // tokens of a sequence
	Prompt  int    // inference: tokens of the prompt, out of Context
	Speed   string // the rate that counts: "decode", "prefill", "training"
}

// jobs are the bases that are speeds.
var jobs = []Basis{
	{ID: "decode_8b", Unit: "tokens/s", Job: Job{Model: "llama-3.1-8b", Task: "inference", Weights: "q4_k_m", Batch: 1,
		Context: 1024, Prompt: 512, Speed: "decode"},
		Label: catalog.Text{En: "8B decode speed", Zh: "8B 模型生成速度"},
		Definition: catalog.Text{En: "Llama 3.1 8B in Q4_K_M on one card, one request, 512 tokens of prompt and 512 " +
			"generated: tokens generated a second, as measured runs and the recommender’s formula give it",
			Zh: "单卡运行 Llama 3.1 8B（Q4_K_M），单请求，512 token 提示词、生成 512 token：每秒生成的 token 数，由实测与推荐器公式得出"}},
	{ID: "prefill_8b", Unit: "tokens/s", Job: Job{Model: "llama-3.1-8b", Task: "inference", Weights: "q4_k_m", Batch: 1,
		Context: 1024, Prompt: 512, Speed: "prefill"},
		Label: catalog.Text{En: "8B prefill speed", Zh: "8B 模型预填充速度"},
		Definition: catalog.Text{En: "Llama 3.1 8B in Q4_K_M on one card, a prompt of 512 tokens: tokens of the " +
			"prompt read a second, as measured runs and the recommender’s formula give it",
			Zh: "单卡运行 Llama 3.1 8B（Q4_K_M），512 token 提示词：每秒处理的提示词 token 数，由实测与推荐器公式得出"}},
	{ID: "lora_7b", Unit: "tokens/s", Job: Job{Model: "llama-2-7b", Task: "lora", Batch: 1, Context: 2048,
		Speed: "training"},
		Label: catalog.Text{En: "7B LoRA speed", Zh: "7B LoRA 微调速度"},
		Definition: catalog.Text{En: "LoRA of Llama 2 7B in 16 bits on one card, one sequence of 2,048 tokens: " +
			"tokens trained a second, as measured runs and the recommender’s formula give it; cards on which it does " +
			"not fit have no place", Zh: "单卡对 Llama 2 7B（16 位）做 LoRA 微调，单条 2048 token 序列：每秒训练的 token " +
			"数，由实测与推荐器公式得出；显存放不下的卡不排名"}},
}

var bases = loadBases()

// Bases lists everything that a ladder can rank by, in the registry's order, the
// speeds last. The caller must not change it.
func Bases() []Basis { return bases }

func loadBases() []Basis {
	var out []Basis
	for _, q := range catalog.Quantities() {
		if q.Kind == catalog.Number && q.Better != "none" {
			out = append(out, Basis{ID: q.ID, Quantity: q, Lower: q.Better == "lower", Unit: q.Unit, Group: q.Group,
				Label: q.Label, Definition: q.Definition, Formula: q.Formula})
		}
	}
	for _, b := range jobs {
		b.Group = "speed"
		out = append(out, b)
	}
	return out
}

// Find returns the basis with that id. err says why another id is none: a ladder has
// exactly one basis, and a quantity needs a direction in which it is better.
func Find(id string) (b Basis, err *catalog.ParamError) {
	i := slices.IndexFunc(bases, func(b Basis) bool { return b.ID == id })
	if i >= 0 {
		return bases[i], nil
	}
	unknown := catalog.Unknown("basis", id, ids())
	err = &unknown
	if parts := strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune(",+ *;|", r) }); len(parts) > 1 {
		err.Code, err.Allowed, err.Nearest = catalog.MixedBases, "", knownOf(parts)
	} else if _, known := catalog.LookupQuantity(id); known {
		err.Code, err.Allowed = catalog.NoDirection, ""
	}
	return Basis{}, err
}

func ids() []string {
	out := make([]string, len(bases))
	for i := range bases {
		out[i] = bases[i].ID
	}
	return out
}

func knownOf(parts []string) []string {
	var out []string
	for _, p := range parts {
		if slices.Contains(ids(), p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// formats are the number formats of rates: each is a word in the id of a rate, and the
// id of the feature that the rate needs.
var formats = []string{"fp64", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4"}

// Feature is the quantity that says whether a card supports the number format of the
// basis; nil for a basis without one.
func (b *Basis) Feature() *catalog.Quantity {
	if b.Quantity == nil || b.Quantity.Group != "compute" && b.ID != "bf16_tflops_per_w" &&
		b.ID != "price_per_bf16_tflops" && b.ID != "rent_per_bf16_tflops_hour" {
		return nil
	}
	words := strings.Split(b.ID, "_")
	for _, f := range formats {
		if slices.Contains(words, f) {
			q, _ := catalog.LookupQuantity(f)
			return q
		}
	}
	return nil
}

// word matches the id of a quantity in a formula.
var word = regexp.MustCompile(`[a-z0-9_]+`)

// Inputs are the quantities that the formula of a derived basis names.
func (b *Basis) Inputs() []*catalog.Quantity {
	var out []*catalog.Quantity
	for _, w := range word.FindAllString(b.Formula, -1) {
		if q, ok := catalog.LookupQuantity(w); ok && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}
