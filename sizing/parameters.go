package sizing

import (
	"slices"
	"strconv"
	"strings"
)

// A Use is a question that takes parameters.
type Use string

// The uses of parameters.
const (
	ForRecommend Use = "recommend" // which cards do a job
	ForEstimate  Use = "estimate"  // one job on given cards
	ForInverse   Use = "inverse"   // what given cards can do
)

// A Kind says what a parameter takes.
type Kind string

// The kinds of parameters.
const (
	Number Kind = "number"
	Whole  Kind = "integer"
	Choice Kind = "choice"
	Flag   Kind = "flag" // "yes" or "no"
	Text   Kind = "text"
	List   Kind = "list" // parted by commas, or the parameter repeated
)

// A Parameter is one parameter of an address.
type Parameter struct {
	Name    string
	Kind    Kind
	Unit    string
	Default string   // empty: none, or chosen by the job, which Doc tells
	Allowed []string // of choices and lists; empty: any
	Low     float64  // of numbers, inclusive
	High    float64
	// the tasks that have it: "inference", "writing", "training", "adapters", "preference", "rollouts"; empty is all
	Only string
	Doc  string

	uses []Use
	set  func(p *parser, value string)
	get  func(r *Request) string // empty: not set
}

// MaxCards is the most cards that a job is asked for with. DeepSeek-V3 was trained on 2,048, Llama 3.1 405B on 16,384.
const MaxCards = 16384

// Limits of what is asked.
const (
	maxValueRunes  = 200
	maxListEntries = 50
)

var (
	always    = []Use{ForRecommend, ForEstimate}
	anywhere  = []Use{ForRecommend, ForEstimate, ForInverse}
	recommend = []Use{ForRecommend}
	inverse   = []Use{ForInverse}
	estimates = []Use{ForEstimate}
)

// Parameters are those of a use, in the order of forms, with the names that they
// take.
func (a *Estimator) Parameters(u Use) []Parameter {
	var out []Parameter
	for _, p := range parameters {
		if !slices.Contains(p.uses, u) {
			continue
		}
		switch p.Name {
		case "model":
			for i := range a.Models.All {
				p.Allowed = append(p.Allowed, a.Models.All[i].ID)
			}
		case "framework":
			p.Allowed = a.frameworks()
		case "weights", "kv_cache":
			for i := range a.Formats.All {
				p.Allowed = append(p.Allowed, a.Formats.All[i].ID)
			}
		case "cards":
			if u == ForEstimate {
				p.Default, p.Doc = "1", "Number of cards that share the job."
			}
		case "card":
			if u == ForEstimate {
				p.Doc = "Id or name of the card, or all cards of a machine as people write them: 4090 + 2x3090. Needed."
			}
		}
		out = append(out, p)
	}
	return out
}

func number(name string, unit string, low, high float64, standard, only, doc string, uses []Use,
	at func(*parser) *float64) Parameter {
	return Parameter{Name: name, Kind: Number, Unit: unit, Low: low, High: high, Default: standard, Only: only,
		Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.number(v) },
		get: func(r *Request) string { return formatNumber(*at(&parser{r: *r, own: r.own()})) }}
}

func whole(name string, unit string, low, high float64, standard, only, doc string, uses []Use,
	at func(*parser) *int) Parameter {
	return Parameter{Name: name, Kind: Whole, Unit: unit, Low: low, High: high, Default: standard, Only: only,
		Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.whole(v) },
		get: func(r *Request) string { return formatNumber(float64(*at(&parser{r: *r, own: r.own()}))) }}
}

func choice(name, standard string, allowed []string, only, doc string, uses []Use, at func(*parser) *string) Parameter {
	return Parameter{Name: name, Kind: Choice, Default: standard, Allowed: allowed, Only: only, Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.choice(v, allowed) },
		get: func(r *Request) string { return *at(&parser{r: *r}) }}
}

func flag(name, standard, only, doc string, uses []Use, at func(*parser) *bool) Parameter {
	yes := []string{"yes", "no"}
	return Parameter{Name: name, Kind: Flag, Default: standard, Allowed: yes, Only: only, Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.choice(asYes(v), yes) == "yes" },
		get: func(r *Request) string {
			if *at(&parser{r: *r}) {
				return "yes"
			}
			return "no"
		}}
}

// asYes is how other programs say yes and no, in our words.
func asYes(v string) string {
	switch strings.ToLower(v) {
	case "true", "1", "on":
		return "yes"
	case "false", "0", "off":
		return "no"
	}
	return v
}

func words(name string, allowed []string, doc string, uses []Use, at func(*parser) *[]string) Parameter {
	return Parameter{Name: name, Kind: List, Allowed: allowed, Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.list(v) },
		get: func(r *Request) string { return strings.Join(*at(&parser{r: *r}), ",") }}
}

func formatNumber(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func taskNames() []string {
	out := make([]string, len(Tasks))
	for i, t := range Tasks {
		out[i] = string(t)
	}
	return out
}

func goalNames() []string {
	out := make([]string, len(Goals))
	for i, g := range Goals {
		out[i] = string(g)
	}
	return out
}

// own describes the model of a request where it is not a preset.
func (r *Request) own() Own {
	m := r.Workload.Model
	switch {
	case m == nil || m.Config != "" || m.ID != ownID && m.CompletedFrom == "":
		return Own{}
	case m.CompletedFrom != "":
		return Own{Params: m.Parameters / 1e9}
	}
	return Own{m.Parameters / 1e9, m.Layers, m.Hidden, m.Heads, m.KVHeads, m.Intermediate, m.Vocabulary,
		m.Experts, m.ExpertsPerToken}
}

// The values that choices take.
var (
	precisions = []string{"bf16", "fp16", "fp32", "fp8", "nvfp4"}
	optimizers = []string{"adamw", "adamw-fused", "adamw-8bit", "paged-adamw", "paged-adamw-8bit",
		"adamw-in-backward", "adamw-8bit-in-backward", "paged-adamw-8bit-in-backward", "adafactor", "lion", "muon",
		"sgd", "galore", "galore-8bit", "galore-8bit-layerwise"}
	checkpointings = []string{"none", "selective", "full", "offload"}
	attentions     = []string{"eager", "sdpa", "flash", flash3}
	adapterTargets = []string{"q", "k", "v", "o", "gate", "up", "down", "head"} // the order of Workload.Targets
	allLinear      = "q,k,v,o,gate,up,down"
	// of the layers what is no MLP
	attentionTargets = "q,k,v,o"
	offloads         = []string{"none", "optimizer", "parameters", offloadExperts, "model", "blocks"}
	acquisitions     = []string{"buy", "rent"}
)

// parameters is the one table of what an address may say, in the order of forms.
var parameters = func() []Parameter {
	w := func(p *parser) *Workload { return &p.r.Workload }
	return []Parameter{
		{Name: "model", Kind: Choice, Doc: "Model: id or name of a preset, a bare size such as 7B, which takes the " +
			"shape of the nearest dense preset, scaled, or the text of a config.json of up to 6000 characters. A name " +
			"of a repository with a format, such as Qwen3-32B-AWQ, sets weights too in inference. Needed, unless " +
			"params or an architecture is given.",
			uses: always,
			set:  (*parser).model, get: func(r *Request) string {
				switch m := r.Workload.Model; {
				case m == nil || m.CompletedFrom != "":
					return ""
				case m.Config != "":
					return m.Config
				case m.ID == ownID:
					return ""
				default:
					return m.ID
				}
			}},
		number("params", "10^9", 0.02, 10000, "", "", "Parameters of your own model, in billions. Alone: the shape "+
			"of the nearest dense preset, scaled. With an architecture: the number that it really has, within 25 % "+
			"of what the architecture gives.", always, func(p *parser) *float64 { return &p.own.Params }),
		whole("layers", "", 1, 1000, "", "", "Layers of your own architecture, with hidden, heads, intermediate and "+
			"vocabulary.", always, func(p *parser) *int { return &p.own.Layers }),
		whole("hidden", "", 8, 1e6, "", "", "Width of the layers.", always, func(p *parser) *int {
			return &p.own.Hidden
		}),
		whole("heads", "", 1, 1e4, "", "", "Query heads; they divide hidden.", always, func(p *parser) *int {
			return &p.own.Heads
		}),
		whole("kv_heads", "", 1, 1e4, "", "", "Key and value heads; they divide heads. As many as heads "+
			"when not given.", always, func(p *parser) *int { return &p.own.KVHeads }),
		whole("intermediate", "", 1, 1e7, "", "", "Width of the gated MLP, of one expert where there are experts.",
			always, func(p *parser) *int { return &p.own.Intermediate }),
		whole("vocabulary", "tokens", 1, 1e7, "", "", "Size of the vocabulary; input and output embeddings "+
			"are not tied.", always, func(p *parser) *int { return &p.own.Vocabulary }),
		whole("experts", "", 2, 1e5, "", "", "Experts of each layer.", always, func(p *parser) *int {
			return &p.own.Experts
		}),
		whole("experts_per_token", "", 1, 1e5, "", "", "Experts that a token passes; fewer than experts.", always,
			func(p *parser) *int { return &p.own.ExpertsPerToken }),

		{Name: "task", Kind: Choice, Default: string(Inference), Allowed: taskNames(), Doc: "What is done with the " +
			"model. Inference may be called embed, rerank, transcribe or generate with models that do so.",
			uses: anywhere, set: (*parser).setTask, get: func(r *Request) string { return string(r.Workload.Task) }},
		{Name: "framework", Kind: Choice, Doc: "Software that runs the job. Chosen by task and weights when not given.",
			uses: anywhere, set: (*parser).framework, get: func(r *Request) string { return r.Workload.Framework }},
		{Name: "weights", Kind: Choice, Doc: "Format of the model's weights. bf16 when not given, nf4 for QLoRA.",
			uses: anywhere, set: formatOf(func(p *parser) *string {
				return &w(p).Weights
			}), get: func(r *Request) string { return r.Workload.Weights }},
		choice("precision", "", precisions, "", "Format of the arithmetic. bf16 when not given, fp16 on cards "+
			"without it.", always, func(p *parser) *string { return &w(p).Compute }),
		{Name: "kv_cache", Kind: Choice, Only: "writing",
			Doc: "KV cache dtype. 16 bits when not given.", uses: always,
			set: formatOf(func(p *parser) *string {
				return &w(p).KVCache
			}), get: func(r *Request) string { return r.Workload.KVCache }},
		whole("batch", "sequences", 1, 1e5, "", "", "Sequences at once. Inference: requests in flight (concurrency), "+
			"documents (32 when not given), images or clips. Training: of one card and micro-step, pairs in DPO. "+
			"1 when not given.", anywhere, func(p *parser) *int {
			return &w(p).Batch
		}),
		whole("context", "tokens", 1, 1e8, "", "", "Context length; in inference prompt and output together. "+
			"When not given 2048 in training, 4096 in inference, 512 of a document, 1024 in GRPO, or the most that the model takes if that is less. "+
			"More than that is refused, unless allow_long_context says yes.",
			anywhere, func(p *parser) *int { return &w(p).Context }),
		flag("allow_long_context", "no", "", "The context may be more than the model was made for, by RoPE "+
			"scaling or a release for longer contexts; otherwise it is refused.", anywhere, func(p *parser) *bool {
			return &w(p).LongContext
		}),
		whole("prompt", "tokens", 1, 1e8, "", "writing", "Tokens of context that are read at once. Half of context "+
			"when not given; 512 in GRPO.", always, func(p *parser) *int { return &w(p).Prompt }),

		choice("optimizer", "", optimizers, "training", "Optimiser. adamw when not given; GaLore: galore.", always,
			func(p *parser) *string { return &w(p).Optimizer }),
		choice("checkpointing", "", checkpointings, "training", "Activations that are computed again rather than "+
			"kept. full when not given.", always, func(p *parser) *string { return &w(p).Checkpointing }),
		flag("fused_loss", "no", "training", "The loss is computed in pieces, so that the logits are never "+
			"whole in memory.", always, func(p *parser) *bool { return &w(p).FusedLoss }),
		choice("attention", "", attentions, "", "Implementation of attention. The framework's own when not given; "+
			"sdpa on cards without FlashAttention 2. flash-3, of Hopper, is for speed of training; in memory it is "+
			"flash.", always, func(p *parser) *string { return &w(p).Attention }),
		flag("packing", "yes", "training", "Sequences are filled up to context; otherwise many are shorter.", always,
			func(p *parser) *bool { return &w(p).Packing }),
		whole("accumulation", "micro-steps", 1, 1e5, "", "training", "Micro-steps of one step of the optimiser. 1 "+
			"when not given.", always, func(p *parser) *int { return &w(p).Accumulation }),
		whole("rank", "", 1, 65536, "", "adapters", "Rank of the adapters, or of GaLore's projection. 16 when not "+
			"given, 128 for GaLore.", anywhere, func(p *parser) *int { return &w(p).Rank }),
		{Name: "targets", Kind: List, Only: "adapters", Allowed: append([]string{"all", "attention"},
			adapterTargets...), Doc: "Target modules: of q, k, v, o, gate, up, down and head; attention is " +
			"q,k,v,o, all is every matrix but head. all when not given.", uses: always, set: (*parser).targets,
			get: func(r *Request) string { return r.Workload.Targets }},
		flag("dora", "no", "adapters", "Adapters of direction with magnitudes beside them (DoRA). Their memory is "+
			"estimated, their speed is not: no runs are known.", always, func(p *parser) *bool { return &w(p).DoRA }),

		whole("cards", "cards", 1, MaxCards, "1", "", "Most cards that may share the job. 1, and up to 8 "+
			"where nothing surely does it on one, when not given.", always,
			func(p *parser) *int { return &w(p).Cards }),
		{Name: "stage", Kind: Whole, Low: 0, High: 3, Only: "training",
			Doc: "ZeRO stage: 0 each card holds all, 1 optimiser states are divided, 2 and gradients, 3 and " +
				"parameters. The least that fits when not given. With one card only together with offload.",
			uses: always,
			set:  func(p *parser, v string) { w(p).Sharding.Stage = p.whole(v) },
			get: func(r *Request) string {
				if !slices.Contains(r.Given, "stage") {
					return ""
				}
				return strconv.Itoa(r.Workload.Sharding.Stage)
			}},
		whole("tensor", "cards", 1, MaxCards, "", "", "Cards that share each layer; tensor · pipeline divides cards, "+
			"tensor divides heads. Chosen when not given.", always, func(p *parser) *int {
			return &w(p).Sharding.Tensor
		}),
		whole("pipeline", "cards", 1, MaxCards, "", "", "Cards that hold layers one after another. Chosen "+
			"when not given.", always, func(p *parser) *int { return &w(p).Sharding.Pipeline }),
		whole("context_parallel", "cards", 1, MaxCards, "", "training", "Cards that share the tokens of a sequence; "+
			"tensor · pipeline · context_parallel divides cards. 1 when not given.", always, func(p *parser) *int {
			return &w(p).Sharding.Sequence
		}),
		whole("expert_parallel", "cards", 1, MaxCards, "", "training", "Of the data-parallel cards, those that share "+
			"the experts of a layer; it divides cards ÷ (tensor · pipeline) and the experts. 1 when not given.", always,
			func(p *parser) *int { return &w(p).Sharding.Experts }),
		choice("offload", "none", offloads, "", "What lies in the host's memory. Training: optimizer (stage 1 to 3), "+
			"parameters (and optimiser; stage 3). Inference: experts, which the host computes; with models of "+
			"diffusion model, of which one component at a time is on the card, or blocks, which are moved to it one "+
			"after the other.", always,
			func(p *parser) *string { return &w(p).Sharding.Offload }),

		{Name: "resolution", Kind: Text, Unit: "pixels",
			Doc: "Width and height of images or clips, as 1024x768, or the " +
				"side of a square. The usual one of the model when not given.", uses: always,
			set: (*parser).setResolution,
			get: func(r *Request) string { return r.Workload.Media.resolution() }},
		whole("frames", "frames", 1, mostFrames, "", "", "Frames of a clip. As is usual with the model when not given.",
			always, func(p *parser) *int { return &w(p).Media.Frames }),
		whole("steps", "steps", 1, mostSteps, "", "inference",
			"Steps of denoising. As is usual with the model when not "+
				"given.", always, func(p *parser) *int { return &w(p).Media.Steps }),
		{Name: "cached", Kind: Flag, Default: "yes", Allowed: []string{"yes", "no"}, Only: "training",
			Doc: "Models of diffusion: latents and text embeddings are computed before training, so that text " +
				"encoders and VAE are not on the card.", uses: always,
			set: func(p *parser, v string) {
				w(p).Media.Uncached = p.choice(v, []string{"yes", "no"}) == "no"
			},
			get: func(r *Request) string {
				return map[bool]string{true: "no",
					false: "yes"}[r.Workload.Media.Uncached]
			}},

		choice("tuning", "", tunings, "preference", "What of the policy is trained. full when not given.", always,
			func(p *parser) *string { return (*string)(&w(p).Preference.Tuning) }),
		{Name: "reference", Kind: Flag, Default: "yes", Allowed: []string{"yes", "no"}, Only: "preference",
			Doc: "A frozen reference runs beside the policy; with adapters their base is the reference. no: its " +
				"probabilities are computed before, or not used.", uses: always,
			set: func(p *parser, v string) {
				w(p).Preference.NoReference = p.choice(v, []string{"yes", "no"}) == "no"
			},
			get: func(r *Request) string {
				return map[bool]string{true: "no", false: "yes"}[r.Workload.Preference.NoReference]
			}},
		whole("group", "answers", 2, 1024, "", "rollouts", "Answers of each prompt. 8 when not given.", always,
			func(p *parser) *int { return &w(p).Preference.Group }),
		whole("prompts", "prompts", 1, 1e6, "", "rollouts", "Prompts of a step. 1024 with verl, 128 with others, when "+
			"not given.", always, func(p *parser) *int { return &w(p).Preference.Prompts }),
		whole("rollouts", "answers", 1, 1e5, "", "rollouts", "Answers that engines write at once on each of their "+
			"cards. At most 256 when not given.", always, func(p *parser) *int { return &w(p).Preference.Rollouts }),
		whole("rollout_cards", "cards", 0, MaxCards, "", "rollouts",
			"Of cards, those of engines that do not train. 0: "+
				"engines share the cards that train.", always, func(p *parser) *int { return &w(p).Preference.Apart }),

		whole("offload_layers", "layers", 0, 1000, "", "inference",
			"Layers that lie in the host's memory and that the "+
				"host computes.", always, func(p *parser) *int { return &w(p).Host.Layers }),
		number("host_bandwidth", "GB/s", 1, 5000, "", "inference",
			"Bandwidth of the host's memory, where it computes. When not given 89.6, two channels of DDR5-5600; "+
				"307.2, eight of DDR5-4800, for more than the 256 GiB of a PC.", always, func(p *parser) *float64 {
				return &w(p).Host.Bandwidth
			}),

		choice("goal", "", goalNames(), "", "What the best answer has least or most of: value is by the "+
			"cost of a token; cheapest by the cost of the job, or of an hour when tokens is not given; fastest by the "+
			"low end of the speed. When not given value, within a budget fastest.", recommend, func(p *parser) *string {
			return (*string)(&p.r.Goal)
		}),
		number("tokens", "tokens", 1, 1e18, "", "", "Tokens of the whole job: trained on, or generated. Without it "+
			"there are no totals.", always, func(p *parser) *float64 { return &p.r.Tokens }),
		number("min_rate", "tokens/s", 1e-6, 1e12, "", "", "Least speed.", recommend, func(p *parser) *float64 {
			return &p.r.MinRate
		}),
		number("max_hours", "h", 1e-6, 1e7, "", "", "Most time for tokens.", recommend, func(p *parser) *float64 {
			return &p.r.MaxHours
		}),
		{Name: "budget", Kind: Number, Unit: "currency", Low: 0.01, High: 1e12, Doc: "Most money, in currency: to " +
			"buy the cards, or for the rent of the whole job, which needs tokens.", uses: recommend,
			set: func(p *parser, v string) { p.amount = p.number(v) },
			get: func(r *Request) string { return formatNumber(r.Budget.Amount()) }},
		choice("currency", "USD", currencyNames(), "", "Currency (ISO 4217) of budget, tariff, buy_price, rent_price "+
			"and of the answer.", always, func(p *parser) *string { return &p.r.Costs.Currency }),
		choice("acquire", "", acquisitions, "", "How the cards are come by. The cheaper when not given; rent "+
			"for what needs a server, unless there is a budget or it works around the clock.", always,
			func(p *parser) *string { return &p.r.Acquire }),
		{Name: "tariff", Kind: Number, Unit: "currency/kWh", Low: 0, High: 100, uses: always,
			Doc: "Price of electricity. Where it is not given, the average of the country of destination, or else of the " +
				"currency, which is known of the US, China and the EU; 0 leaves electricity out of the cost of bought cards.",
			set: func(p *parser, v string) { p.r.Costs.Tariff = p.number(v) },
			get: func(r *Request) string {
				if slices.Contains(r.Given, "tariff") && r.Costs.Tariff == 0 {
					return "0"
				}
				return formatNumber(r.Costs.Tariff)
			}},
		number("pue", "", 1, 3, "", "", "Power usage effectiveness: power of the building ÷ of its machines. Where it "+
			"is not given, 1 for at most two cards, in a PC, else 1.58, the average of data centres.", always,
			func(p *parser) *float64 { return &p.r.Costs.PUE }),
		number("years", "years", 0.1, 30, formatNumber(defaultYears), "", "Time over which a bought card is written "+
			"off, in a straight line.", always, func(p *parser) *float64 { return &p.r.Costs.Years }),
		number("residual", "", 0, 0.99, "", "", "Share of the price that is left after that time. 0 when not given.",
			always, func(p *parser) *float64 { return &p.r.Costs.Residual }),
		number("utilisation", "", 0.01, 1, "", "", "Share of the hours of these years in which a bought card works. "+
			"Where it is not given, 0.24 for at most two cards: 40 hours a week, an assumption; 0.54 for more, as "+
			"clusters are used; 1 for a service. 1 is the least that owning can cost.", always,
			func(p *parser) *float64 { return &p.r.Costs.Utilisation }),
		{Name: "host_share", Kind: Number, Low: 0, High: 10, Default: formatNumber(defaultHost), uses: always,
			Doc: "Price of the machine around bought cards, as a share of theirs: an assumption. 0 leaves it out.",
			set: func(p *parser, v string) { p.r.Costs.Host = p.number(v) },
			get: func(r *Request) string { return strconv.FormatFloat(r.Costs.Host, 'f', -1, 64) }},
		number("carbon", "kg/kWh", 0, 5, "", "", "CO₂ of electricity. Without it CO₂ is left out.", always,
			func(p *parser) *float64 { return &p.r.Costs.Carbon }),
		number("buy_price", "currency", 0.01, 1e9, "", "", "Price of one card that you were offered, instead of the "+
			"recorded ones.", always, func(p *parser) *float64 { return &p.r.Costs.BuyPrice }),
		number("rent_price", "currency/h", 0.0001, 1e6, "", "", "Rent of one card and hour that you were offered, "+
			"instead of the recorded ones.", always, func(p *parser) *float64 { return &p.r.Costs.RentPrice }),

		number("measured_gb", "GB", 0.001, 1e5, "", "", "Memory of the fullest card that you measured at the peak, to "+
			"stand beside the estimate. In GB of 10^9 bytes, or with a unit: 22.4 GiB, 22937 MiB.", estimates,
			func(p *parser) *float64 { return &p.r.Measured.MemoryGB }),
		choice(
			"measured_as",
			readDriver,
			memoryReadings,
			"",
			"What measured_gb counts: driver (what nvidia-smi shows), "+
				"reserved (by the framework's allocator) or allocated (by tensors).",
			estimates,
			func(p *parser) *string {
				return &p.r.Measured.Reading
			},
		),
		number("measured_tokens_per_s", "tokens/s", 1e-6, 1e12, "", "", "Speed that you measured, to stand beside the "+
			"estimate: of all cards and requests, generated or learnt from; of models that write no text in the unit "+
			"of the estimate.", estimates, func(p *parser) *float64 { return &p.r.Measured.Rate }),

		words("vendor", nil, "Vendors to look at. All when not given.", recommend, func(p *parser) *[]string {
			return &p.r.Vendors
		}),
		words("segment", nil, "Segments to look at. All when not given.", recommend, func(p *parser) *[]string {
			return &p.r.Segments
		}),
		{Name: "card", Kind: List, Doc: "Ids of cards to look at. All when not given.", uses: always,
			set: (*parser).cards, get: func(r *Request) string { return strings.Join(r.Cards, ",") }},
		{Name: "with", Kind: List, Doc: "Cards of other kinds in the same machine: name or id, id:number or 2 × name, " +
			"parted by commas.", uses: estimates, set: (*parser).beside, get: encodeWith},
		{
			Name: "own",
			Kind: List,
			Doc:  "Cards that you have: name or id, id:number or 4 × name, parted by commas. Needed.",
			uses: inverse,
			set:  (*parser).ownedCards,
			get:  func(*Request) string { return "" },
		},
		{Name: "destination", Kind: Text, Doc: "Country (ISO 3166) that the cards go to: cards that need a licence " +
			"are left out with the reason; those of which too little is known stay in and are marked. No check " +
			"when not given.", uses: recommend, set: func(p *parser, v string) {
			p.r.Destination = v
		}, get: func(r *Request) string { return r.Destination }},
		{Name: "as_of", Kind: Text, Doc: "Cards, prices and rules of that day, YYYY-MM-DD; estimates are by the method of " +
			"now. A day to come is that of the rules alone, and needs a destination.", uses: recommend,
			set: func(p *parser, v string) { p.r.AsOf = v }, get: func(r *Request) string { return r.AsOf }},
	}
}()
