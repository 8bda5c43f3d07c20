package api

import (
	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
)

// ServeQuestion is what a service has to carry, complete.
type ServeQuestion struct {
	Model       string  `json:"model" example:"qwen3-32b"`
	Engine      string  `json:"engine,omitempty" doc:"absent: the usual one for each card" example:"vllm"`
	Weights     string  `json:"weights,omitempty" doc:"absent: as the model is published, or 16 bits"`
	KVCache     string  `json:"kv_cache,omitempty" doc:"absent: 16 bits"`
	Prompt      int     `json:"prompt" doc:"mean tokens of a request that are read"`
	Output      int     `json:"output" doc:"mean tokens of an answer"`
	RateRPS     float64 `json:"rate_rps,omitempty" doc:"requests per second that arrive"`
	Concurrency int     `json:"concurrency,omitempty" doc:"requests in flight, always as many"`
	Requests    int     `json:"requests,omitempty" doc:"sent at once"`
	TTFT        float64 `json:"ttft_ms,omitempty" doc:"milliseconds to the first token at most, at the percentile"`
	Percentile  float64 `json:"percentile" doc:"of requests, for ttft_ms"`
	TPOT        float64 `json:"tpot_ms,omitempty" doc:"milliseconds for each further token at most"`
	UserSpeed   float64 `json:"user_speed,omitempty" doc:"tokens per second of one user at least"`
	MaxSeconds  float64 `json:"max_seconds,omitempty" doc:"of a burst"`
	MaxCards    int     `json:"max_cards"`
	Attention   string  `json:"attention,omitempty" enum:"tensor,data" doc:"absent: the better"`
	// targets that the question leaves open
	Interactive bool     `json:"interactive" doc:"users wait for the answers: targets that are not given have a default"`
	Usual       []string `json:"default_targets,omitempty" doc:"the targets that have it: ttft_ms, tpot_ms"`

	Currency    string `json:"currency" example:"USD"`
	Destination string `json:"destination,omitempty" example:"CN"`
}

// ServeDivision says how the cards of one replica share the model.
type ServeDivision struct {
	Tensor   int `json:"tensor" doc:"cards that compute each layer together (TP)"`
	Pipeline int `json:"pipeline" doc:"groups of them, each with a part of the layers (PP)"`
	Cards    int `json:"cards" doc:"of one replica"`
	// of the cards of Tensor
	AttentionData bool `json:"attention_dp,omitempty" doc:"attention data parallelism"`
}

// ServeOption is a card that carries the load.
type ServeOption struct {
	Card       CardRef       `json:"card"`
	Cards      int           `json:"cards" doc:"of all replicas"`
	Replicas   int           `json:"replicas"`
	Division   ServeDivision `json:"division"`
	Weights    string        `json:"weights,omitempty" doc:"in place of the published"`
	Capacity   float64       `json:"capacity_rps" doc:"requests per second under which one replica keeps the targets"`
	Throughput float64       `json:"output_tokens_per_s" doc:"of all cards at the load"`
	TPOT       float64       `json:"tpot_ms" doc:"milliseconds per output token of a request, median"`
	UserSpeed  float64       `json:"user_speed" doc:"tokens per second of one user"`
	TTFT       float64       `json:"ttft_ms" doc:"milliseconds to the first token, median"`
	PerHour    float64       `json:"per_hour,omitempty" doc:"of all cards, in the currency of expense"`
	PerMillion float64       `json:"per_million_output_tokens,omitempty"`
	Current    bool          `json:"price_current" doc:"the price is none of the past; others rank behind those"`
	Awkward    bool          `json:"second_choice,omitempty" doc:"stands after the others: the software has something against the card, or it takes more than eight cards that are not made for servers"`
	Unsure     bool          `json:"unsure,omitempty" doc:"stands after the others: nobody measured the engine on such hardware, or no measured run is near and at the slow end of the 90 % interval a target is missed"`
	SlowSpeed  float64       `json:"user_speed_slow,omitempty" doc:"tokens per second of one user at the slow end of the interval; absent where a measured run is near and the card is not among the cheapest"`
	SlowCost   float64       `json:"per_million_output_tokens_slow,omitempty" doc:"the same at the slow end of the interval of throughput, by which sort=million compares; absent where a measured run is near"`
	Expense    *ExpenseItem  `json:"expense,omitempty" doc:"the cheaper way to come by the cards; absent without a price"`
	Export     string        `json:"export,omitempty" doc:"verdict of export rules, where the question names a destination"`
}

// ServeRejection says why a card does not carry the load.
type ServeRejection struct {
	Card   CardRef `json:"card"`
	Reason string  `json:"reason" doc:"does_not_fit, no_room_for_one, refused, no_speed, unreachable, too_many_cards, not_sold or not_admitted" example:"unreachable"`
	Detail string  `json:"detail,omitempty" doc:"verdict of export rules"`
	Cards  int     `json:"cards,omitempty" doc:"that it would take, of too_many_cards"`
}

// ServeAnswer ranks cards for a service.
type ServeAnswer struct {
	Envelope
	Question      ServeQuestion    `json:"question"`
	Sort          string           `json:"sort" enum:"cost,million,cards,tpot"`
	Looked        int              `json:"looked" doc:"cards that were looked at"`
	Options       []ServeOption    `json:"options" doc:"the best first, one for each card; see /api/v1/serve/plan for intervals"`
	OptionsTotal  int              `json:"options_total"`
	Cheaper       string           `json:"cheaper,omitempty" doc:"id of the card that costs least, where the first leads for its fewer cards or its surer answer and costs a quarter more at most"`
	Unsure        bool             `json:"first_unsure,omitempty" doc:"the first may miss a target by far at the slow end of its interval, and so may all that cost up to twice as much"`
	Rejected      []ServeRejection `json:"rejected"`
	RejectedTotal int              `json:"rejected_total"`
	Accuracy      string           `json:"accuracy" doc:"address of how far the estimates are from measured runs"`
}

// ServeMiss is a target that is not met.
type ServeMiss struct {
	Target  string  `json:"target" enum:"ttft,tpot,user_speed,max_seconds,cards"`
	Limit   float64 `json:"limit" doc:"seconds, tokens per second or cards"`
	Reached float64 `json:"reached"`
}

// ServeCapacity is the largest load under which one replica keeps the targets.
type ServeCapacity struct {
	RateRPS     float64 `json:"rate_rps" doc:"requests per second"`
	Concurrency float64 `json:"concurrency" doc:"requests in flight at this rate"`
	Limit       string  `json:"limit" doc:"what keeps it from more: ttft, tpot, user_speed, compute, bandwidth, cache, sequences, launch or communication"`
	Saturation  float64 `json:"saturation_rps" doc:"requests per second that it serves at all"`
}

// ServeAtOnce is how many requests an engine is told to compute at once at most.
type ServeAtOnce struct {
	Requests int    `json:"requests"`
	Limit    string `json:"limit" enum:"asked,load,tpot,user_speed,throughput,cache,sequences" doc:"what sets it"`
}

// ServePerformance is what users meet under the load.
type ServePerformance struct {
	RateRPS     float64       `json:"rate_rps" doc:"requests per second that are answered"`
	Throughput  RangeItem     `json:"output_tokens_per_s" doc:"of all cards"`
	Input       float64       `json:"input_tokens_per_s" doc:"of all cards"`
	TPOT        RangeItem     `json:"tpot_s" doc:"seconds per output token of a request, median"`
	UserSpeed   RangeItem     `json:"user_speed" doc:"tokens per second of one user"`
	TTFT        RangeItem     `json:"ttft_s" doc:"seconds to the first token, median"`
	TTFTAt      RangeItem     `json:"ttft_at_percentile_s" doc:"the same at the percentile of the question"`
	Latency     RangeItem     `json:"latency_s" doc:"of a whole request of mean length"`
	Seconds     *RangeItem    `json:"burst_s,omitempty" doc:"that a burst takes"`
	InFlight    float64       `json:"in_flight" doc:"requests of one replica on average"`
	Utilisation float64       `json:"utilisation" doc:"of the saturation of a replica, 0 to 1"`
	Pause       float64       `json:"pause_s" doc:"longest time between two tokens, while another prompt is read"`
	Prefill     float64       `json:"prefill_share" doc:"share of the time that is spent reading prompts"`
	Limit       string        `json:"limit,omitempty" doc:"what most of a step is spent on"`
	Overloaded  bool          `json:"overloaded,omitempty"`
	Parts       []lineItem    `json:"parts,omitempty" doc:"seconds of one step"`
	Evidence    *EvidenceItem `json:"evidence,omitempty" doc:"of tpot_s"`
}

// ServeMemory is that of the fullest card of a replica, in bytes.
type ServeMemory struct {
	Card        float64    `json:"card" doc:"that the driver reports"`
	Fraction    float64    `json:"fraction" doc:"of it that the engine takes"`
	Weights     float64    `json:"weights"`
	Activations float64    `json:"activations"`
	Graphs      float64    `json:"graphs" doc:"captured graphs and what the libraries keep"`
	KVCache     float64    `json:"kv_cache" doc:"left for keys and values"`
	OfRequest   float64    `json:"kv_cache_of_request" doc:"of one request at its end, over all cards of a replica"`
	Requests    float64    `json:"requests" doc:"of mean length that fit at once in a replica"`
	Ledger      []lineItem `json:"ledger,omitempty"`
}

// ServeCost is what the service costs one way.
type ServeCost struct {
	Expense    ExpenseItem `json:"expense"`
	PerHour    float64     `json:"per_hour"`
	Input      float64     `json:"per_million_input_tokens"`
	Output     float64     `json:"per_million_output_tokens"`
	PerMillion float64     `json:"per_million_tokens" doc:"input and output together"`
	Requests   float64     `json:"per_thousand_requests"`
	Lines      []lineItem  `json:"lines" doc:"of the split between input and output"`
}

// ServeEffect is what a change of the settings leaves.
type ServeEffect struct {
	CapacityRPS float64 `json:"capacity_rps" doc:"of one replica"`
	Cards       int     `json:"cards"`
	TTFT        float64 `json:"ttft_s"`
	TPOT        float64 `json:"tpot_s"`
	Pause       float64 `json:"pause_s"`
	Throughput  float64 `json:"output_tokens_per_s"`
	PerMillion  float64 `json:"per_million_output_tokens,omitempty"`
	KVCache     float64 `json:"kv_cache_of_request" doc:"bytes"`
}

// ServeChange is a change of the settings with what it changes.
type ServeChange struct {
	Kind     string       `json:"kind" enum:"chunked_prefill,prefix_caching,speculative,disaggregated,kv_cache_8_bit"`
	Value    string       `json:"value,omitempty"`
	Possible bool         `json:"possible"`
	Reason   string       `json:"reason,omitempty" doc:"why it is not possible"`
	In       bool         `json:"in" doc:"the plan has it: before is without, after with it"`
	Before   *ServeEffect `json:"before,omitempty"`
	After    *ServeEffect `json:"after,omitempty"`
	Formula  string       `json:"formula,omitempty"`
	Inputs   []inputItem  `json:"inputs,omitempty"`
	Source   string       `json:"source,omitempty"`
}

// ServeCommand starts an engine with the settings of a plan.
type ServeCommand struct {
	Engine  string   `json:"engine"`
	Name    string   `json:"name"`
	Command string   `json:"command" doc:"for a shell"`
	File    string   `json:"file,omitempty" doc:"name of the file that it reads"`
	Content string   `json:"content,omitempty" doc:"of the file"`
	Replace []string `json:"replace" doc:"names that stand for files of yours"`
	Current bool     `json:"current" doc:"the engine of the plan"`
	Sources []string `json:"sources"`
}

// ServePoint is one replica at a load.
type ServePoint struct {
	RateRPS    float64   `json:"rate_rps"`
	InFlight   float64   `json:"in_flight"`
	Throughput float64   `json:"output_tokens_per_s"`
	TTFT       RangeItem `json:"ttft_s"`
	TPOT       RangeItem `json:"tpot_s"`
}

// ServePlan is the plan of a service on one card.
type ServePlan struct {
	Envelope
	Question    ServeQuestion     `json:"question"`
	Card        CardRef           `json:"card"`
	Outcome     string            `json:"outcome" enum:"served,does_not_fit,refused,no_speed,unreachable,too_many_cards,no_room_for_one"`
	Misses      []ServeMiss       `json:"misses,omitempty"`
	Refusals    []refusalItem     `json:"refusals,omitempty"`
	Assumptions []assumptionItem  `json:"assumptions"`
	Otherwise   map[string]string `json:"otherwise,omitempty" doc:"left open and changed: weights"`
	Division    *ServeDivision    `json:"division,omitempty"`
	Replicas    int               `json:"replicas,omitempty"`
	Cards       int               `json:"cards,omitempty" doc:"of all replicas"`
	Reserve     int               `json:"cards_at_slow_end,omitempty" doc:"with which the speed that was asked for is kept at the slow end of the interval too; absent where cards do, and where no number up to four times as many does"`
	Capacity    *ServeCapacity    `json:"capacity,omitempty" doc:"of one replica"`
	AtOnce      *ServeAtOnce      `json:"at_once,omitempty" doc:"of one replica, as in the commands"`
	Expected    *ServePerformance `json:"expected,omitempty" doc:"at the load; without one, at the capacity of a replica"`
	Memory      *ServeMemory      `json:"memory,omitempty"`
	Costs       []ServeCost       `json:"costs" doc:"the cheaper way first; empty without a price"`
	Options     []ServeChange     `json:"options"`
	Commands    []ServeCommand    `json:"commands"`
	Load        []ServePoint      `json:"load" doc:"one replica from little load to near saturation"`
	Accuracy    string            `json:"accuracy" doc:"address of how far the estimates are from measured runs"`
}

func inputItems(list []sizing.Input) []inputItem {
	var out []inputItem
	for _, in := range list {
		out = append(out, inputItem{in.Symbol, in.Value, in.Unit})
	}
	return out
}

// ServeAsked is a question in the shape of the API.
func ServeAsked(r *serving.Request, destination string) ServeQuestion {
	q := ServeQuestion{Engine: r.Engine, Weights: r.Weights, KVCache: r.KVCache, Prompt: r.Load.Prompt,
		Output:  r.Load.Output,
		RateRPS: r.Load.RateRPS, Concurrency: r.Load.Concurrency, Requests: r.Load.Requests, TTFT: r.Target.TTFT * 1000,
		Percentile: r.Target.Percentile, TPOT: r.Target.TPOT * 1000, UserSpeed: r.Target.UserSpeed,
		MaxSeconds: r.Target.MaxSeconds, MaxCards: r.MaxCards, Attention: r.Attention,
		Currency: r.Costs.Currency, Destination: destination}
	if r.Model != nil {
		q.Model = r.Model.ID
	}
	q.Interactive = !r.Target.Unattended && r.Load.Requests == 0
	if r.Target.UsualTTFT {
		q.Usual = append(q.Usual, "ttft_ms")
	}
	if r.Target.UsualTPOT {
		q.Usual = append(q.Usual, "tpot_ms")
	}
	return q
}

func division(d serving.Division) ServeDivision {
	return ServeDivision{Tensor: d.Tensor, Pipeline: d.Pipeline, Cards: d.Cards, AttentionData: d.AttentionData}
}

// ServeCard is a card of a ranking, with what it costs (nil: no price is known) and what export rules say.
func ServeCard(b *serving.Brief, e *sizing.Expense, export string) ServeOption {
	out := ServeOption{Card: sizedCard(b.Card), Cards: b.Cards, Replicas: b.Replicas, Division: division(b.Division),
		Weights:  b.Lighter,
		Capacity: b.Capacity, Throughput: b.Throughput.Expected, TPOT: b.TPOT.Expected * 1000,
		TTFT:    b.TTFT.Expected * 1000,
		PerHour: b.PerHour, PerMillion: b.PerMillion, Export: export, Awkward: b.Awkward, Unsure: b.Unsure}
	if b.TPOT.Expected > 0 {
		out.UserSpeed = 1 / b.TPOT.Expected
		switch {
		case b.SlowSpeed > 0:
			out.SlowSpeed = b.SlowSpeed
		case b.Slow.TPOT > 1:
			out.SlowSpeed = 1 / (b.TPOT.Expected * b.Slow.TPOT)
		}
	}
	if b.Slow.Throughput > 1 {
		out.SlowCost = b.PerMillion * b.Slow.Throughput
	}
	if e != nil {
		item := expenseItem(e)
		out.Expense, out.Current = &item, e.Current()
	}
	return out
}

// ServeRefused is a card that does not carry the load.
func ServeRefused(b *serving.Brief, reason, detail string) ServeRejection {
	out := ServeRejection{Card: sizedCard(b.Card), Reason: reason, Detail: detail}
	if b.Outcome == serving.TooManyCards {
		out.Cards = b.Cards
	}
	return out
}

// Serve is a ranking; the caller fills in its options.
func Serve(s *catalog.Snapshot, q ServeQuestion) ServeAnswer {
	return ServeAnswer{Envelope: EnvelopeOf(s), Question: q, Options: []ServeOption{}, Rejected: []ServeRejection{},
		Accuracy: accuracyAddress}
}

// A ServeLoad is one replica at a rate of arrivals.
type ServeLoad struct {
	RateRPS float64
	sizing.Serving
}

// Plan is the plan of one card.
func Plan(s *catalog.Snapshot, p *serving.Plan, destination string, load []ServeLoad) ServePlan {
	out := ServePlan{Envelope: EnvelopeOf(s), Question: ServeAsked(&p.Request, destination),
		Card:    sizedCard(p.Request.Card),
		Outcome: string(p.Outcome), Assumptions: assumptionItems(p.Assumptions), Replicas: p.Replicas, Cards: p.Cards,
		Reserve: p.Reserve,
		Costs:   []ServeCost{}, Options: []ServeChange{}, Commands: []ServeCommand{}, Load: []ServePoint{},
		Accuracy: accuracyAddress}
	if p.Lighter != "" {
		out.Otherwise = map[string]string{"weights": p.Lighter}
	}
	for _, m := range p.Misses {
		out.Misses = append(out.Misses, ServeMiss(m))
	}
	for _, r := range p.Refusals {
		out.Refusals = append(out.Refusals, refusalItem{r.Field, r.Reason})
	}
	if p.Division.Cards > 0 {
		d := division(p.Division)
		out.Division = &d
	}
	if p.AtOnce.Requests > 0 {
		out.AtOnce = &ServeAtOnce{p.AtOnce.Requests, p.AtOnce.Limit}
	}
	if c := &p.Capacity; c.Saturation > 0 {
		out.Capacity = &ServeCapacity{RateRPS: c.RateRPS, Concurrency: c.Concurrency, Limit: c.Limit,
			Saturation: c.Saturation}
		out.Expected = servePerformance(&p.Expected)
	}
	if m := &p.Memory; m.Card > 0 {
		out.Memory = &ServeMemory{Card: m.Card, Fraction: m.Fraction, Weights: m.Weights, Activations: m.Activations,
			Graphs: m.Graphs, KVCache: m.Cache, OfRequest: m.OfRequest, Requests: m.Requests,
			Ledger: lineItems(m.Lines)}
	}
	for i := range p.Costs {
		c := &p.Costs[i]
		out.Costs = append(out.Costs, ServeCost{Expense: expenseItem(&c.Expense), PerHour: c.PerHour,
			Input:  c.PerMillionInput,
			Output: c.PerMillionOutput, PerMillion: c.PerMillion, Requests: c.PerThousandRequests,
			Lines: lineItems(c.Lines)})
	}
	for i := range p.Options {
		out.Options = append(out.Options, serveChange(&p.Options[i]))
	}
	for _, c := range p.Commands {
		item := ServeCommand{Engine: c.Engine, Name: c.Name, Command: c.Text, File: c.File, Content: c.Content,
			Current: c.Current, Replace: []string{}, Sources: c.Sources}
		for _, x := range c.Replace {
			item.Replace = append(item.Replace, x.Field)
		}
		out.Commands = append(out.Commands, item)
	}
	for _, l := range load {
		out.Load = append(out.Load, ServePoint{RateRPS: l.RateRPS, InFlight: l.InFlight,
			Throughput: l.Throughput.Expected,
			TTFT:       rangeItem(l.TTFT, false), TPOT: rangeItem(l.TPOT, false)})
	}
	return out
}

func servePerformance(e *serving.Performance) *ServePerformance {
	return &ServePerformance{RateRPS: e.RateRPS, Throughput: rangeItem(e.Throughput, false), Input: e.InputRate,
		TPOT: rangeItem(e.TPOT, false), UserSpeed: rangeItem(e.UserSpeed, false), TTFT: rangeItem(e.TTFT, false),
		TTFTAt: rangeItem(e.TTFTAt, false), Latency: rangeItem(e.Latency, false), Seconds: rangeOrNil(e.Seconds, false),
		InFlight: e.InFlight, Utilisation: e.Utilisation, Pause: e.Pause, Prefill: e.Prefill, Limit: e.Limit,
		Overloaded: e.Overloaded, Parts: lineItems(e.Lines), Evidence: evidenceItem(e.Evidence)}
}

func serveChange(o *serving.Option) ServeChange {
	out := ServeChange{Kind: o.Kind, Value: o.Value, Possible: o.Possible, Reason: o.Reason, In: o.In,
		Formula: o.Formula,
		Inputs:  inputItems(o.Inputs), Source: o.Source}
	if o.Possible {
		before, after := serveEffect(&o.Before), serveEffect(&o.After)
		out.Before, out.After = &before, &after
	}
	return out
}

func serveEffect(e *serving.Effect) ServeEffect {
	return ServeEffect{CapacityRPS: e.CapacityRPS, Cards: e.Cards, TTFT: e.TTFT, TPOT: e.TPOT, Pause: e.Pause,
		Throughput: e.Throughput, PerMillion: e.PerMillion, KVCache: e.CacheRequest}
}
