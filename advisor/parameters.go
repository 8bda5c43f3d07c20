package advisor

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tianti/catalog"
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
	Only    string // "inference", "training", "adapters": the tasks that have it; empty is all
	Doc     string

	uses []Use
	set  func(p *parser, value string)
	get  func(r *Request) string // empty: not set
}

// A ParamError says what is wrong with a parameter.
type ParamError struct {
	Param   string
	Value   string
	Reason  string   // a key of the texts; see the Reason constants
	Allowed []string // values, a range ("1 … 1024"), or what the parameter contradicts ("task=qlora")
	Nearest []string // names that may have been meant
}

func (e ParamError) Error() string {
	s := e.Reason + ": " + e.Param
	if e.Value != "" {
		s += "=" + e.Value
	}
	if len(e.Allowed) > 0 {
		s += "; allowed: " + strings.Join(e.Allowed, ", ")
	}
	if len(e.Nearest) > 0 {
		s += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// What can be wrong with a parameter.
const (
	UnknownParameter = "unknown_parameter"
	Repeated         = "repeated"
	NotText          = "not_text" // not UTF-8, with control characters, or too long
	NotANumber       = "not_a_number"
	NotWhole         = "not_whole"
	OutOfRange       = "out_of_range" // Allowed is the range
	UnknownValue     = "unknown_value"
	Missing          = "missing"
	Contradicts      = "contradicts"  // Allowed is the other parameter with what would agree
	NotForTask       = "not_for_task" // Allowed are the tasks that have it
	NeedsQuantised   = "needs_quantised_weights"
	NeedsFullWeights = "needs_16_bit_weights"
	OneCard          = "one_card_shards_nothing"
	NotDivisible     = "not_divisible" // Allowed are the values that divide
	NotByFramework   = "not_by_framework"
	NoArchitecture   = "no_architecture" // of a model, so that nothing can be computed
	TooMany          = "too_many"
)

// Limits of what is asked.
const (
	maxCards       = 1024
	maxValueRunes  = 200
	maxListEntries = 50
)

var (
	always    = []Use{ForRecommend, ForEstimate}
	anywhere  = []Use{ForRecommend, ForEstimate, ForInverse}
	recommend = []Use{ForRecommend}
	inverse   = []Use{ForInverse}
)

// Parameters are those of a use, in the order of forms, with the names that they
// take.
func (a *Advisor) Parameters(u Use) []Parameter {
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
				p.Doc = "Id of the card. Needed."
			}
		}
		out = append(out, p)
	}
	return out
}

// synonyms are names that other programs give to parameters.
var synonyms = map[string]string{
	"concurrency": "batch", "batch_size": "batch", "micro_batch": "batch", "mbs": "batch", "users": "batch", "sequences": "batch",
	"seq_len": "context", "sequence_length": "context", "max_model_len": "context", "ctx": "context", "seqlen": "context", "max_length": "context",
	"gpus": "cards", "num_gpus": "cards", "n_gpus": "cards", "gpu": "card", "device": "card",
	"dtype": "precision", "quant": "weights", "quantization": "weights", "quantisation": "weights", "format": "weights",
	"tp": "tensor", "tensor_parallel": "tensor", "pp": "pipeline", "pipeline_parallel": "pipeline", "zero": "stage", "zero_stage": "stage",
	"gradient_checkpointing": "checkpointing", "recompute": "checkpointing", "gradient_accumulation": "accumulation",
	"lora_rank": "rank", "r": "rank", "lora_r": "rank", "target_modules": "targets", "liger": "fused_loss",
	"input_tokens": "prompt", "prompt_tokens": "prompt", "vocab": "vocabulary", "parameters": "params", "size": "params",
	"electricity": "tariff", "kwh_price": "tariff", "co2": "carbon", "utilization": "utilisation", "salvage": "residual",
}

type parser struct {
	a     *Advisor
	use   Use
	r     Request
	own   Own
	owned []Owned
	errs  []ParamError
	given map[string]bool
	param *Parameter

	amount float64 // of the budget, before its currency is known
}

// An Own is an architecture that somebody describes. Params alone, or all of
// Layers, Hidden, Heads, Intermediate and Vocabulary.
type Own struct {
	Params                                                   float64 // billions
	Layers, Hidden, Heads, KVHeads, Intermediate, Vocabulary int
	Experts, ExpertsPerToken                                 int
}

func (p *parser) fail(e ParamError) {
	e.Value = clip(e.Value)
	p.errs = append(p.errs, e)
}

func number(name string, unit string, low, high float64, standard, only, doc string, uses []Use, at func(*parser) *float64) Parameter {
	return Parameter{Name: name, Kind: Number, Unit: unit, Low: low, High: high, Default: standard, Only: only, Doc: doc, uses: uses,
		set: func(p *parser, v string) { *at(p) = p.number(v) },
		get: func(r *Request) string { return formatNumber(*at(&parser{r: *r, own: r.own()})) }}
}

func whole(name string, unit string, low, high float64, standard, only, doc string, uses []Use, at func(*parser) *int) Parameter {
	return Parameter{Name: name, Kind: Whole, Unit: unit, Low: low, High: high, Default: standard, Only: only, Doc: doc, uses: uses,
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
		set: func(p *parser, v string) { *at(p) = p.choice(v, yes) == "yes" },
		get: func(r *Request) string {
			if *at(&parser{r: *r}) {
				return "yes"
			}
			return "no"
		}}
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
	case m == nil || m.ID != ownID && m.CompletedFrom == "":
		return Own{}
	case m.CompletedFrom != "":
		return Own{Params: m.Parameters / 1e9}
	}
	return Own{m.Parameters / 1e9, m.Layers, m.Hidden, m.Heads, m.KVHeads, m.Intermediate, m.Vocabulary, m.Experts, m.ExpertsPerToken}
}

// The values that choices take.
var (
	precisions     = []string{"bf16", "fp16", "fp32", "fp8", "nvfp4"}
	optimizers     = []string{"adamw", "adamw-8bit", "paged-adamw", "paged-adamw-8bit", "adafactor", "sgd", "galore", "galore-8bit"}
	checkpointings = []string{"none", "selective", "full"}
	attentions     = []string{"eager", "sdpa", "flash"}
	adapterTargets = []string{"q", "k", "v", "o", "gate", "up", "down", "head"} // the order of Workload.Targets
	allLinear      = "q,k,v,o,gate,up,down"
	offloads       = []string{"none", "optimizer", "parameters"}
	acquisitions   = []string{"buy", "rent"}
)

// parameters is the one table of what an address may say, in the order of forms.
var parameters = func() []Parameter {
	w := func(p *parser) *Workload { return &p.r.Workload }
	return []Parameter{
		{Name: "model", Kind: Choice, Doc: "Model: id or name of a preset, or a bare size such as 7B, which takes the shape of the nearest dense preset, scaled. Needed, unless params or an architecture is given.", uses: always,
			set: (*parser).model, get: func(r *Request) string {
				if m := r.Workload.Model; m != nil && m.ID != ownID && m.CompletedFrom == "" {
					return m.ID
				}
				return ""
			}},
		number("params", "10^9", 0.02, 10000, "", "", "Parameters of your own model, in billions. Alone: the shape of the nearest dense preset, scaled. With an architecture: the number that it really has, within 25 % of what the architecture gives.", always, func(p *parser) *float64 { return &p.own.Params }),
		whole("layers", "", 1, 1000, "", "", "Layers of your own architecture, with hidden, heads, intermediate and vocabulary.", always, func(p *parser) *int { return &p.own.Layers }),
		whole("hidden", "", 8, 1e6, "", "", "Width of the layers.", always, func(p *parser) *int { return &p.own.Hidden }),
		whole("heads", "", 1, 1e4, "", "", "Query heads; they divide hidden.", always, func(p *parser) *int { return &p.own.Heads }),
		whole("kv_heads", "", 1, 1e4, "", "", "Key and value heads; they divide heads. As many as heads when not given.", always, func(p *parser) *int { return &p.own.KVHeads }),
		whole("intermediate", "", 1, 1e7, "", "", "Width of the gated MLP, of one expert where there are experts.", always, func(p *parser) *int { return &p.own.Intermediate }),
		whole("vocabulary", "tokens", 1, 1e7, "", "", "Size of the vocabulary; input and output embeddings are not tied.", always, func(p *parser) *int { return &p.own.Vocabulary }),
		whole("experts", "", 2, 1e5, "", "", "Experts of each layer.", always, func(p *parser) *int { return &p.own.Experts }),
		whole("experts_per_token", "", 1, 1e5, "", "", "Experts that a token passes; fewer than experts.", always, func(p *parser) *int { return &p.own.ExpertsPerToken }),

		choice("task", string(Inference), taskNames(), "", "What is done with the model.", anywhere, func(p *parser) *string { return (*string)(&w(p).Task) }),
		{Name: "framework", Kind: Choice, Doc: "Software that runs the job. Chosen by task and weights when not given.", uses: anywhere, set: (*parser).framework, get: func(r *Request) string { return r.Workload.Framework }},
		{Name: "weights", Kind: Choice, Doc: "Format of the model's weights. bf16 when not given, nf4 for QLoRA.", uses: anywhere, set: formatOf(func(p *parser) *string { return &w(p).Weights }), get: func(r *Request) string { return r.Workload.Weights }},
		choice("precision", "", precisions, "", "Format of the arithmetic. bf16 when not given, fp16 on cards without it.", always, func(p *parser) *string { return &w(p).Compute }),
		{Name: "kv_cache", Kind: Choice, Only: "inference", Doc: "Format of cached keys and values. 16 bits when not given.", uses: always, set: formatOf(func(p *parser) *string { return &w(p).KVCache }), get: func(r *Request) string { return r.Workload.KVCache }},
		whole("batch", "sequences", 1, 1e5, "", "", "Sequences at once. Inference: requests in flight (concurrency). Training: of one card and micro-step. 1 when not given.", anywhere, func(p *parser) *int { return &w(p).Batch }),
		whole("context", "tokens", 1, 1e8, "", "", "Tokens of a sequence; in inference prompt and output together. When not given 2048 in training, 4096 in inference, or the most that the model takes if that is less.", anywhere, func(p *parser) *int { return &w(p).Context }),
		whole("prompt", "tokens", 1, 1e8, "", "inference", "Tokens of context that are read at once. Half of context when not given.", always, func(p *parser) *int { return &w(p).Prompt }),

		choice("optimizer", "", optimizers, "training", "Optimiser. adamw when not given; GaLore: galore.", always, func(p *parser) *string { return &w(p).Optimizer }),
		choice("checkpointing", "", checkpointings, "training", "Activations that are computed again rather than kept. full when not given.", always, func(p *parser) *string { return &w(p).Checkpointing }),
		flag("fused_loss", "no", "training", "The loss is computed in pieces, so that the logits are never whole in memory.", always, func(p *parser) *bool { return &w(p).FusedLoss }),
		choice("attention", "", attentions, "", "Implementation of attention. The framework's own when not given; sdpa on cards without FlashAttention 2.", always, func(p *parser) *string { return &w(p).Attention }),
		flag("packing", "yes", "training", "Sequences are filled up to context; otherwise many are shorter.", always, func(p *parser) *bool { return &w(p).Packing }),
		whole("accumulation", "micro-steps", 1, 1e5, "", "training", "Micro-steps of one step of the optimiser. 1 when not given.", always, func(p *parser) *int { return &w(p).Accumulation }),
		whole("rank", "", 1, 65536, "", "adapters", "Rank of the adapters, or of GaLore's projection. 16 when not given, 128 for GaLore.", anywhere, func(p *parser) *int { return &w(p).Rank }),
		{Name: "targets", Kind: List, Only: "adapters", Allowed: append([]string{"all", "attention"}, adapterTargets...), Doc: "Matrices with adapters: of q, k, v, o, gate, up, down and head; attention is q,k,v,o, all is every matrix but head. all when not given.", uses: always, set: (*parser).targets, get: func(r *Request) string { return r.Workload.Targets }},

		whole("cards", "cards", 1, maxCards, "8", "", "Most cards that may share the job.", always, func(p *parser) *int { return &w(p).Cards }),
		{Name: "stage", Kind: Whole, Low: 0, High: 3, Only: "training", Doc: "ZeRO stage: 0 each card holds all, 1 optimiser states are divided, 2 and gradients, 3 and parameters. The least that fits when not given. With one card only together with offload.", uses: always,
			set: func(p *parser, v string) { w(p).Sharding.Stage = p.whole(v) },
			get: func(r *Request) string {
				if !slices.Contains(r.Given, "stage") {
					return ""
				}
				return strconv.Itoa(r.Workload.Sharding.Stage)
			}},
		whole("tensor", "cards", 1, maxCards, "", "", "Cards that share each layer; tensor · pipeline divides cards, tensor divides heads. Chosen when not given.", always, func(p *parser) *int { return &w(p).Sharding.Tensor }),
		whole("pipeline", "cards", 1, maxCards, "", "", "Cards that hold layers one after another. Chosen when not given.", always, func(p *parser) *int { return &w(p).Sharding.Pipeline }),
		choice("offload", "none", offloads, "training", "What lies in the host's memory: optimizer (stage 1 to 3), parameters (and optimiser; stage 3).", always, func(p *parser) *string { return &w(p).Sharding.Offload }),

		choice("goal", string(Cheapest), goalNames(), "", "What the best answer has least or most of.", recommend, func(p *parser) *string { return (*string)(&p.r.Goal) }),
		number("tokens", "tokens", 1, 1e18, "", "", "Tokens of the whole job: trained on, or generated. Without it there are rates only.", always, func(p *parser) *float64 { return &p.r.Tokens }),
		number("min_rate", "tokens/s", 1e-6, 1e12, "", "", "Least speed.", recommend, func(p *parser) *float64 { return &p.r.MinRate }),
		number("max_hours", "h", 1e-6, 1e7, "", "", "Most time for tokens.", recommend, func(p *parser) *float64 { return &p.r.MaxHours }),
		{Name: "budget", Kind: Number, Unit: "currency", Low: 0.01, High: 1e13, Doc: "Most money, in currency: to buy the cards, or for the rent of the whole job, which needs tokens.", uses: recommend,
			set: func(p *parser, v string) { p.amount = p.number(v) },
			get: func(r *Request) string { return formatNumber(r.Budget.Amount()) }},
		choice("currency", "USD", currencyNames(), "", "Currency (ISO 4217) of budget, tariff, buy_price, rent_price and of the answer.", always, func(p *parser) *string { return &p.r.Costs.Currency }),
		choice("acquire", "", acquisitions, "", "How the cards are come by. The cheaper when not given.", always, func(p *parser) *string { return &p.r.Acquire }),
		number("tariff", "currency/kWh", 0, 100, "", "", "Price of electricity. Without it, electricity is left out of the cost of bought cards.", always, func(p *parser) *float64 { return &p.r.Costs.Tariff }),
		number("pue", "", 1, 3, formatNumber(defaultPUE), "", "Power usage effectiveness: power of the building ÷ of its machines; 1 for a machine in an office.", always, func(p *parser) *float64 { return &p.r.Costs.PUE }),
		number("years", "years", 0.1, 30, formatNumber(defaultYears), "", "Time over which a bought card is written off, in a straight line.", always, func(p *parser) *float64 { return &p.r.Costs.Years }),
		number("residual", "", 0, 0.99, "", "", "Share of the price that is left after that time. 0 when not given.", always, func(p *parser) *float64 { return &p.r.Costs.Residual }),
		number("utilisation", "", 0.01, 1, "1", "", "Share of the hours of these years in which a bought card works. 1 is the least that owning can cost.", always, func(p *parser) *float64 { return &p.r.Costs.Utilisation }),
		number("carbon", "kg/kWh", 0, 5, "", "", "CO₂ of electricity. Without it CO₂ is left out.", always, func(p *parser) *float64 { return &p.r.Costs.Carbon }),
		number("buy_price", "currency", 0.01, 1e9, "", "", "Price of one card that you were offered, instead of the recorded ones.", always, func(p *parser) *float64 { return &p.r.Costs.BuyPrice }),
		number("rent_price", "currency/h", 0.0001, 1e6, "", "", "Rent of one card and hour that you were offered, instead of the recorded ones.", always, func(p *parser) *float64 { return &p.r.Costs.RentPrice }),

		words("vendor", nil, "Vendors to look at. All when not given.", recommend, func(p *parser) *[]string { return &p.r.Vendors }),
		words("segment", nil, "Segments to look at. All when not given.", recommend, func(p *parser) *[]string { return &p.r.Segments }),
		words("card", nil, "Ids of cards to look at. All when not given.", always, func(p *parser) *[]string { return &p.r.Cards }),
		{Name: "own", Kind: List, Doc: "Cards that you have: id, or id:number, parted by commas. Needed.", uses: inverse, set: (*parser).ownedCards, get: func(*Request) string { return "" }},
		{Name: "destination", Kind: Text, Doc: "Country (ISO 3166) that the cards go to: cards whose export is not free are left out with the reason. No check when not given.", uses: recommend, set: func(p *parser, v string) { p.r.Destination = v }, get: func(r *Request) string { return r.Destination }},
		{Name: "as_of", Kind: Text, Doc: "Day of that check, YYYY-MM-DD.", uses: recommend, set: func(p *parser, v string) { p.r.AsOf = v }, get: func(r *Request) string { return r.AsOf }},
	}
}()

// ParseRequest reads which cards do a job. The request is complete; [Request.Given]
// names what the address said. It returns a zero request with errors.
func (a *Advisor) ParseRequest(v url.Values) (Request, []ParamError) {
	p := a.parse(ForRecommend, v)
	return p.finish()
}

// ParseEstimate reads one job on given cards: r.Cards is one card, r.Workload.Cards
// the number of them.
func (a *Advisor) ParseEstimate(v url.Values) (Request, []ParamError) {
	p := a.parse(ForEstimate, v)
	if len(p.r.Cards) == 0 && !p.failed("card") {
		p.fail(ParamError{Param: "card", Reason: Missing})
	} else if len(p.r.Cards) > 1 {
		p.fail(ParamError{Param: "card", Value: strings.Join(p.r.Cards, ","), Reason: TooMany, Allowed: []string{"1"}})
	}
	return p.finish()
}

// ParseInverse reads what somebody owns, and the job as far as it is given: the
// fields of the workload that are zero are to be tried.
func (a *Advisor) ParseInverse(v url.Values) ([]Owned, Workload, []ParamError) {
	p := a.parse(ForInverse, v)
	if len(p.owned) == 0 && !p.failed("own") {
		p.fail(ParamError{Param: "own", Reason: Missing})
	}
	if p.given["task"] {
		p.agree()
		p.errs = append(p.errs, a.Contradictions(&p.r)...)
	} else {
		p.r.Workload.Task = ""
	}
	if len(p.errs) > 0 {
		return nil, Workload{}, p.errs
	}
	return p.owned, p.r.Workload, nil
}

// InverseValues are the parameters that ask again what cards can do.
func (a *Advisor) InverseValues(own []Owned, w Workload) url.Values {
	r := Request{Workload: w}
	v := url.Values{}
	for _, x := range parameters {
		if slices.Contains(x.uses, ForInverse) && (w.Task == "" || has(x.Only, w.Task)) {
			if s := x.get(&r); s != "" && (x.Name != "task" || w.Task != "") {
				v.Set(x.Name, s)
			}
		}
	}
	var cards []string
	for _, o := range own {
		cards = append(cards, o.Card.ID+":"+strconv.Itoa(o.Count))
	}
	v.Set("own", strings.Join(cards, ","))
	return v
}

func (a *Advisor) parse(u Use, v url.Values) *parser {
	p := &parser{a: a, use: u, given: map[string]bool{}}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	table := a.Parameters(u)
	var known []string
	for i := range table {
		known = append(known, table[i].Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			nearest := catalog.Nearest(name, known, 3)
			if s, ok := synonyms[strings.ToLower(name)]; ok && slices.Contains(known, s) {
				nearest = []string{s}
			}
			p.fail(ParamError{Param: clip(strings.ToValidUTF8(name, "�")), Reason: UnknownParameter, Nearest: nearest})
		}
	}
	for i := range table {
		p.param = &table[i]
		p.one(v[p.param.Name])
	}
	if p.r.Workload.Task == "" && !p.failed("task") {
		p.r.Workload.Task = Inference
	}
	return p
}

// one sets the parameter at hand. Empty values count as not given, as forms send them.
func (p *parser) one(values []string) {
	values = slices.DeleteFunc(slices.Clone(values), func(s string) bool { return strings.TrimSpace(s) == "" })
	text := strings.TrimSpace(strings.Join(values, ","))
	switch {
	case len(values) == 0:
		if p.param.Kind == Flag {
			p.param.set(p, p.param.Default)
		}
	case len(values) > 1 && p.param.Kind != List:
		p.fail(ParamError{Param: p.param.Name, Reason: Repeated})
	case !validText(text) || p.param.Kind != List && utf8.RuneCountInString(text) > maxValueRunes:
		p.fail(ParamError{Param: p.param.Name, Value: strings.ToValidUTF8(clip(text), "�"), Reason: NotText, Allowed: []string{fmt.Sprintf("≤ %d", maxValueRunes)}})
	default:
		p.given[p.param.Name] = true
		p.param.set(p, text)
	}
}

func (p *parser) failed(param string) bool {
	return slices.ContainsFunc(p.errs, func(e ParamError) bool { return e.Param == param })
}

func (p *parser) bounds() []string {
	return []string{formatBound(p.param.Low) + " … " + formatBound(p.param.High)}
}

func formatBound(v float64) string {
	if v >= 1e15 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (p *parser) number(v string) float64 {
	n, err := strconv.ParseFloat(v, 64)
	switch {
	case math.IsNaN(n) || err != nil && !math.IsInf(n, 0):
		p.fail(ParamError{Param: p.param.Name, Value: v, Reason: NotANumber, Allowed: p.bounds()})
	case n < p.param.Low || n > p.param.High:
		p.fail(ParamError{Param: p.param.Name, Value: v, Reason: OutOfRange, Allowed: p.bounds()})
	default:
		return n
	}
	return 0
}

func (p *parser) whole(v string) int {
	n := p.number(v)
	if n != math.Trunc(n) {
		p.fail(ParamError{Param: p.param.Name, Value: v, Reason: NotWhole, Allowed: p.bounds()})
		return 0
	}
	return int(n)
}

func (p *parser) choice(v string, allowed []string) string {
	for _, a := range allowed {
		if strings.EqualFold(a, v) {
			return a
		}
	}
	p.fail(ParamError{Param: p.param.Name, Value: v, Reason: UnknownValue, Allowed: allowed, Nearest: catalog.Nearest(v, allowed, 3)})
	return ""
}

func (p *parser) list(v string) []string {
	var out []string
	for s := range strings.SplitSeq(v, ",") {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) > maxListEntries {
		p.fail(ParamError{Param: p.param.Name, Reason: TooMany, Allowed: []string{strconv.Itoa(maxListEntries)}})
		return nil
	}
	known := p.a.listed(p.param.Name)
	for i, s := range out {
		at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, s) })
		if at < 0 {
			p.fail(ParamError{Param: p.param.Name, Value: s, Reason: UnknownValue, Nearest: catalog.Nearest(s, known, 3)})
			continue
		}
		out[i] = known[at]
	}
	slices.Sort(out)
	return out
}

// listed are the values that a list may hold, as the cards have them.
func (a *Advisor) listed(param string) []string {
	var out []string
	for _, c := range a.Cards {
		s := c.ID
		switch param {
		case "vendor":
			s = c.Vendor
		case "segment":
			s = c.Segment
		}
		if param == "card" || !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (p *parser) model(v string) {
	m, like := p.a.Models.FindModel(v)
	if m == nil {
		ids := make([]string, len(p.a.Models.All))
		for i := range p.a.Models.All {
			ids[i] = p.a.Models.All[i].ID
		}
		if near := catalog.Nearest(v, ids, 3); len(near) > 0 {
			like = near
		}
		p.fail(ParamError{Param: "model", Value: v, Reason: UnknownValue, Nearest: like})
		return
	}
	p.r.Workload.Model = m
}

func (p *parser) framework(v string) {
	if f := p.a.Profiles.Find(v); f != nil {
		p.r.Workload.Framework = f.ID
		return
	}
	p.choice(v, p.param.Allowed)
}

// formatOf sets a field to the id of a format.
func formatOf(at func(*parser) *string) func(*parser, string) {
	return func(p *parser, v string) {
		f := p.a.Formats.Find(v)
		if f == nil {
			p.fail(ParamError{Param: p.param.Name, Value: v, Reason: UnknownValue, Allowed: p.param.Allowed, Nearest: catalog.Nearest(v, p.param.Allowed, 3)})
			return
		}
		*at(p) = f.ID
	}
}

func (p *parser) targets(v string) {
	on := map[string]bool{}
	for t := range strings.SplitSeq(v, ",") {
		switch t = p.choice(strings.TrimSpace(t), p.param.Allowed); t {
		case "":
			return
		case "all":
			t = allLinear
		case "attention":
			t = "q,k,v,o"
		}
		for m := range strings.SplitSeq(t, ",") {
			on[m] = true
		}
	}
	var out []string
	for _, m := range adapterTargets {
		if on[m] {
			out = append(out, m)
		}
	}
	p.r.Workload.Targets = strings.Join(out, ",")
}

func (p *parser) ownedCards(v string) {
	ids := p.a.listed("card")
	entries := strings.Split(v, ",")
	if len(entries) > maxListEntries {
		p.fail(ParamError{Param: "own", Reason: TooMany, Allowed: []string{strconv.Itoa(maxListEntries)}})
		return
	}
	for _, entry := range entries {
		id, count, counted := strings.Cut(strings.TrimSpace(entry), ":")
		n := 1
		if counted {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 1 || n > maxCards {
				p.fail(ParamError{Param: "own", Value: entry, Reason: OutOfRange, Allowed: []string{fmt.Sprintf("1 … %d", maxCards)}})
				continue
			}
		}
		at := slices.IndexFunc(ids, func(k string) bool { return strings.EqualFold(k, id) })
		switch {
		case id == "":
		case at < 0:
			p.fail(ParamError{Param: "own", Value: id, Reason: UnknownValue, Nearest: catalog.Nearest(id, ids, 3)})
		default:
			c := p.a.Cards[at]
			if had := slices.IndexFunc(p.owned, func(o Owned) bool { return o.Card == c }); had >= 0 {
				p.owned[had].Count = min(maxCards, p.owned[had].Count+n)
				continue
			}
			p.owned = append(p.owned, Owned{c, n})
		}
	}
}

// finish makes the model of an own architecture, refuses what does not go
// together, and completes the rest.
func (p *parser) finish() (Request, []ParamError) {
	r := &p.r
	for name := range p.given {
		r.Given = append(r.Given, name)
	}
	slices.Sort(r.Given)
	if r.Costs.Currency == "" {
		r.Costs.Currency = "USD"
	}
	if p.amount > 0 {
		r.Budget = MoneyOf(p.amount, r.Costs.Currency)
	}
	p.architecture()
	p.agree()
	if len(p.errs) > 0 {
		return Request{}, p.errs
	}
	if p.use == ForEstimate && r.Workload.Cards == 0 {
		r.Workload.Cards = 1
	}
	p.a.CompleteRequest(r)
	if p.errs = p.a.Contradictions(r); len(p.errs) > 0 {
		return Request{}, p.errs
	}
	return *r, nil
}

// ownID is the id of a model that the asker described.
const ownID = "own"

func (p *parser) architecture() {
	o := &p.own
	shape := []string{"layers", "hidden", "heads", "intermediate", "vocabulary"}
	more := []string{"kv_heads", "experts", "experts_per_token"}
	isGiven := func(name string) bool { return p.given[name] }
	described := slices.ContainsFunc(shape, isGiven) || slices.ContainsFunc(more, isGiven)
	switch {
	case p.given["model"] && (p.given["params"] || described):
		for _, name := range append(append([]string{"params"}, shape...), more...) {
			if p.given[name] {
				p.fail(ParamError{Param: name, Reason: Contradicts, Allowed: []string{"model"}})
			}
		}
	case p.given["model"]:
	case described:
		for _, name := range shape {
			if !p.given[name] {
				p.fail(ParamError{Param: name, Reason: Missing})
			}
		}
		if o.Experts > 0 != (o.ExpertsPerToken > 0) && !p.failed("experts") && !p.failed("experts_per_token") {
			missing := "experts"
			if o.Experts > 0 {
				missing = "experts_per_token"
			}
			p.fail(ParamError{Param: missing, Reason: Missing})
		}
		if len(p.errs) == 0 {
			p.ownModel()
		}
	case p.given["params"]:
		if p.failed("params") {
			return
		}
		if p.r.Workload.Model = p.a.Models.CompleteModel(o.Params * 1e9); p.r.Workload.Model == nil {
			p.fail(ParamError{Param: "params", Value: formatNumber(o.Params), Reason: OutOfRange, Allowed: []string{"0.02 … 10000"}})
		}
	default:
		p.fail(ParamError{Param: "model", Reason: Missing, Allowed: []string{"model", "params", strings.Join(shape, " + ")}})
	}
}

// ownModel is a decoder with gated MLPs and untied embeddings: what most open
// models of today are.
func (p *parser) ownModel() {
	o := &p.own
	if o.KVHeads == 0 {
		o.KVHeads = o.Heads
	}
	if o.Hidden%o.Heads != 0 {
		p.fail(ParamError{Param: "heads", Value: strconv.Itoa(o.Heads), Reason: NotDivisible, Allowed: []string{fmt.Sprintf("hidden=%d", o.Hidden)}})
	}
	if o.Heads%o.KVHeads != 0 {
		p.fail(ParamError{Param: "kv_heads", Value: strconv.Itoa(o.KVHeads), Reason: NotDivisible, Allowed: []string{fmt.Sprintf("heads=%d", o.Heads)}})
	}
	if o.Experts > 0 && o.ExpertsPerToken >= o.Experts {
		p.fail(ParamError{Param: "experts_per_token", Value: strconv.Itoa(o.ExpertsPerToken), Reason: OutOfRange, Allowed: []string{fmt.Sprintf("1 … %d", o.Experts-1)}})
	}
	if len(p.errs) > 0 {
		return
	}
	m := &Model{ID: ownID, Kind: "decoder", GatedMLP: true, Layers: o.Layers, Hidden: o.Hidden, Heads: o.Heads, KVHeads: o.KVHeads, HeadDim: o.Hidden / o.Heads,
		Intermediate: o.Intermediate, Vocabulary: o.Vocabulary}
	m.Parameters = m.dense()
	m.Active = m.Parameters
	if o.Experts > 0 {
		expert := 3 * float64(o.Hidden) * float64(o.Intermediate) * float64(o.Layers)
		router := float64(o.Hidden) * float64(o.Experts) * float64(o.Layers)
		m.Experts, m.ExpertsPerToken, m.ExpertIntermediate = o.Experts, o.ExpertsPerToken, o.Intermediate
		m.Parameters += expert*float64(o.Experts-1) + router
		m.Active += expert*float64(o.ExpertsPerToken-1) + router
	}
	if m.Parameters > 1e14 {
		p.fail(ParamError{Param: "layers", Value: strconv.Itoa(o.Layers), Reason: OutOfRange, Allowed: []string{"params=0.02 … 100000"}})
		return
	}
	if want := o.Params * 1e9; want > 0 {
		if math.Abs(want/m.Parameters-1) > 0.25 {
			p.fail(ParamError{Param: "params", Value: formatNumber(o.Params), Reason: Contradicts, Allowed: []string{"params=" + strconv.FormatFloat(m.Parameters/1e9, 'g', 4, 64)}})
			return
		}
		m.Active, m.Parameters = m.Active*want/m.Parameters, want
	}
	m.Name = strconv.FormatFloat(m.Parameters/1e9, 'g', 3, 64) + "B"
	p.r.Workload.Model = m
}

// agree refuses what the address says of tasks that do not have it, which the
// finished request no longer shows.
func (p *parser) agree() {
	task := p.r.Workload.Task
	if task == "" {
		return
	}
	for _, x := range p.a.Parameters(p.use) {
		if !p.given[x.Name] || p.failed(x.Name) || has(x.Only, task) || x.get(&p.r) == x.Default {
			continue
		}
		var tasks []string
		for _, t := range Tasks {
			if has(x.Only, t) {
				tasks = append(tasks, "task="+string(t))
			}
		}
		p.fail(ParamError{Param: x.Name, Value: x.get(&p.r), Reason: NotForTask, Allowed: tasks})
	}
}

// has reports whether a task is among those that a parameter is for.
func has(only string, t Task) bool {
	switch only {
	case "inference":
		return t == Inference
	case "training":
		return t.Trains()
	case "adapters":
		return t == LoRA || t == QLoRA || t == GaLore
	}
	return true
}

// Values are the parameters that make a request again, without those that have
// their default. They are what a link says.
func (a *Advisor) Values(u Use, r Request) url.Values {
	v := url.Values{}
	for _, x := range parameters {
		given := slices.Contains(r.Given, x.Name) || x.Name == "params" && slices.Contains(r.Given, "model") // "7B"
		if slices.Contains(x.uses, u) && has(x.Only, r.Workload.Task) && given {
			if s := x.get(&r); s != "" && (s != x.Default || x.Name == "cards") {
				v.Set(x.Name, s)
			}
		}
	}
	return v
}
