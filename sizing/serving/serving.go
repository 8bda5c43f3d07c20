// Package serving plans how to serve a language model: how many cards in which
// division, how much load a replica of them carries while it keeps what its users
// were promised, what that costs, and how the engine is started.
//
// It is pure. Speeds, memory and prices are those of [tianti/sizing]; see
// sizing/serve.go for the formulas.
//
// Units: seconds, bytes, tokens and requests without prefix, unless a name says
// otherwise. Ranges are 90 % intervals.
package serving

import (
	"tianti/catalog"
	"tianti/sizing"
)

// A Load is what the users of a service ask for, all together.
type Load struct {
	Prompt int // mean tokens of a request that are read; 0 is [sizing.DefaultPrompt]
	Output int // mean tokens of an answer; 0 is [sizing.DefaultOutput]

	// One of these is the load; where all are 0 the capacity of one replica is asked for.
	RateRPS     float64 // requests per second that arrive at random
	Concurrency int     // requests in flight, always as many
	Requests    int     // sent at once, until the last is done
}

// A Target is what users were promised. Where neither TTFT nor a speed is given, [DefaultTTFT] and [DefaultTPOT] are
// promised, but for a burst and where nobody waits for the answers.
type Target struct {
	TTFT       float64 // seconds to the first token at most, at Percentile
	TPOT       float64 // seconds for each further token at most, on average over a request
	UserSpeed  float64 // tokens per second of one user at least: 1 ÷ TPOT
	Percentile float64 // share of requests, in percent, that meet TTFT: 50 … 99; 0 is 99
	MaxSeconds float64 // a burst of Load.Requests is done in so many seconds; 0 is no matter
	Unattended bool    // nobody waits for the answers: nothing is promised that is not given

	UsualTTFT, UsualTPOT bool // set by [Check]: the default
}

// Percentiles are the shares, in percent, that a target of TTFT can be set at.
var Percentiles = []float64{50, 90, 95, 99}

// Settings are those of the engine that change speed or memory. Their zero values are
// the defaults of the engine.
type Settings struct {
	MaxSequences     int     // requests computed at once at most (max_num_seqs)
	MemoryFraction   float64 // of the card's memory that the engine takes, 0.3 … 0.98
	PrefixTokens     int     // of Load.Prompt, shared by all requests and kept in the cache (prefix caching)
	DraftTokens      int     // guessed ahead for each step (speculative decoding); 0 is none
	Acceptance       float64 // share of guessed tokens that are right, 0 … 1; 0 is 0.7 where DraftTokens is set
	DraftShare       float64 // parameters of the draft ÷ of the model; 0 is 0.03 (an EAGLE head)
	WholePrompts     bool    // prompts are read whole between steps, not in chunks among them
	StrictMaxContext int     // longest request that must fit (max_model_len); 0 is four times the mean
}

// A Request asks for a plan. Model and Card are needed.
type Request struct {
	// Stopped reports whether nobody waits for the answer any more, which then ends where it is; nil: somebody does.
	Stopped func() bool

	Model   *sizing.Model
	Card    *sizing.Card
	Engine  string // id of a framework; empty is the usual one for the card
	Weights string // id of a format; empty is the published or 16 bits
	KVCache string // id of a format; empty is 16 bits

	Load     Load
	Target   Target
	Settings Settings

	// weights of fewer bits may be taken where Weights is empty and the published ones are too heavy for the load
	Lighten bool

	Tensor, Pipeline int // cards that share a layer, and groups of them; 0 is the fewest that fit
	// how the cards of a replica share attention: [AttentionTensor], [AttentionData], empty is the better
	Attention string
	MaxCards  int // of all replicas; 0 is 1,024

	// whose price of electricity counts where Costs has none; empty leaves it out
	Country string
	Costs   sizing.Costs // zero values are the defaults of [sizing.Estimator.CompleteRequest]
	Acquire string       // "buy", "rent", empty is the cheaper
	Today   catalog.Date
}

// An Outcome says what came of a request.
type Outcome string

// The outcomes. Anything but Served leaves the figures empty that it makes meaningless.
const (
	Served       Outcome = "served"
	DoesNotFit   Outcome = "does_not_fit"    // in no division that the engine has
	Refused      Outcome = "refused"         // the software does not run on the card, see Plan.Refusals
	NoSpeed      Outcome = "no_speed"        // a figure of the card or the model is not known
	Unreachable  Outcome = "unreachable"     // even a single request misses the target
	TooManyCards Outcome = "too_many_cards"  // more than MaxCards
	NoCache      Outcome = "no_room_for_one" // weights fit, one request of this length does not
)

// A Miss is a target that is not met.
type Miss struct {
	Target  string  // "ttft", "tpot", "user_speed", "max_seconds", "cards"
	Limit   float64 // in the unit of the target
	Reached float64
}

// A Plan is the answer to a [Request].
type Plan struct {
	Request Request // complete
	Outcome Outcome
	Misses  []Miss // with Unreachable and TooManyCards
	// id of the weights taken in place of the published ones, and what comes of those; empty: the published ones
	Lighter   string
	Published Outcome

	Workload    sizing.Workload // of one replica, at its share of the load
	Refusals    []sizing.Refusal
	Software    []*sizing.SoftwareFact
	Assumptions []sizing.Assumption

	Division Division // of one replica
	Replicas int
	Cards    int // all of them
	Capacity Capacity
	AtOnce   AtOnce
	// cards with which the wanted load keeps the promise of speed even where the card is as slow as its interval
	// allows; 0 where Cards do, nothing is promised, or no number near it does
	Reserve int

	// At the wanted load; where none is wanted, at the capacity of one replica.
	Expected Performance
	Memory   Memory
	Costs    []Cost // one of each way to come by the cards, the cheaper first; empty without a price
	Options  []Option
	Commands []Command // of the engine, then of others that run on the card
}

// A Division says how the cards of one replica share the model.
type Division struct {
	Tensor, Pipeline int
	Cards            int // Tensor · Pipeline
	// of the cards of Tensor each attends to requests of its own; only experts are shared (attention data parallelism)
	AttentionData bool
}

// How the cards of a replica share attention.
const (
	AttentionTensor = "tensor" // by heads, all of them for the same requests
	AttentionData   = "data"   // each all heads, for requests of its own
)

// own is how many of the cards have requests of their own.
func (d Division) own() int {
	if d.AttentionData {
		return d.Tensor
	}
	return 1
}

// A Capacity is the largest load under which one replica keeps the targets, and what
// it is like there.
type Capacity struct {
	RateRPS     float64 // requests per second
	Concurrency float64 // requests in flight at this rate
	// what keeps it from more: "ttft", "tpot", "user_speed", "compute", "bandwidth", "cache" (requests that fit),
	// "sequences" (max_num_seqs)
	Limit      string
	Saturation float64     // requests per second that one replica serves at all, whatever users wait
	Reached    Performance // at RateRPS
}

// A Performance is what users meet under a load.
type Performance struct {
	RateRPS     float64      // requests per second that are answered
	Throughput  sizing.Range // output tokens per second of all cards
	InputRate   float64      // tokens of prompt per second of all cards
	TPOT        sizing.Range // seconds per output token of a request, median over requests
	TTFT        sizing.Range // seconds to the first token, median over requests
	TTFTAt      sizing.Range // the same at Target.Percentile
	UserSpeed   sizing.Range // tokens per second of one user: 1 ÷ TPOT
	Latency     sizing.Range // seconds of a whole request of mean length
	InFlight    float64      // requests of one replica on average
	Utilisation float64      // of the rate at which a replica is saturated, 0 … 1
	Pause       float64      // seconds: the longest time between two tokens, while another's prompt is read
	Prefill     float64      // share of the time of a replica that is spent reading prompts
	Seconds     sizing.Range // that a burst takes; zero for other loads
	Overloaded  bool         // more arrives than can be served: nothing above is meaningful but RateRPS

	Lines    []sizing.Line   // seconds of the parts of one step at this load
	Limit    string          // what most of a step is spent on
	Evidence sizing.Evidence // of TPOT
}

// A Memory is that of the fullest card of a replica, in bytes.
type Memory struct {
	Card        float64 // that the driver reports
	Fraction    float64 // of Card that the engine takes
	Weights     float64
	Activations float64 // transient tensors of the largest batch of prompt
	Graphs      float64 // captured graphs and what the libraries keep
	Cache       float64 // left for keys and values
	OfRequest   float64 // keys and values of one request of mean length, at its end
	Requests    float64 // of mean length that fit at once, at their mean position
	Lines       []sizing.Line
}

// A Cost is what the service costs one way.
type Cost struct {
	Expense sizing.Expense // of all cards: PerHour, price, lines
	PerHour float64
	// Per million tokens at the load of Plan.Expected. An hour is divided by the time that is spent reading prompts
	// and writing answers: input costs PerHour · Prefill ÷ tokens read, output the rest ÷ tokens written.
	PerMillionInput, PerMillionOutput float64
	PerMillion                        float64 // of input and output together
	PerThousandRequests               float64
	Currency                          string
	Lines                             []sizing.Line // of the split, with numbers put in
}

// An Option is a change of the settings with what it changes, for the same load and targets.
type Option struct {
	// "chunked_prefill", "prefix_caching", "speculative", "disaggregated", "kv_cache_fp8", "weights"
	Kind  string
	Value string // of the setting: "on", "off", "fp8", "4 tokens"
	// false where the engine or the card cannot; Reason is then a key: "not_in_engine", "no_fp8_cache", "one_replica"
	Possible bool
	Reason   string
	In       bool // the plan has it already; Before and After are then without and with it

	Before, After Effect
	Formula       string // in symbols
	Inputs        []sizing.Input
	Source        string
}

// An Effect is what an option leaves of the figures of a plan.
type Effect struct {
	CapacityRPS  float64 // of one replica
	Cards        int     // that the wanted load needs
	TTFT, TPOT   float64 // seconds, medians at the wanted load
	Pause        float64 // seconds: the longest time between two tokens
	Throughput   float64 // output tokens per second of all cards
	PerMillion   float64 // output tokens; 0 without a price
	CacheRequest float64 // bytes of one request's keys and values
}

// A Command starts an engine with the settings of a plan.
type Command struct {
	Engine  string // id of the framework
	Name    string
	Text    string          // for a shell; several commands are on lines of their own
	File    string          // of a configuration that it reads; empty is none
	Content string          // of File
	Replace []sizing.Change // names in Text that stand for what the reader has, as in [sizing.Recipe]
	Current bool            // the engine of the plan
	Notes   []string        // keys of texts: what the command leaves out
	Sources []string        // documents of its options
}

// A Brief is a plan in a sweep over many cards. Its ranges have no ends.
type Brief struct {
	Card       *sizing.Card
	Outcome    Outcome
	Division   Division
	Replicas   int
	Cards      int
	Lighter    string          // as in a [Plan]
	Capacity   float64         // requests per second of one replica
	Throughput sizing.Range    // output tokens per second of all cards
	TPOT, TTFT sizing.Range    // seconds, medians
	Expense    *sizing.Expense // the cheaper way to come by the cards; nil without a price
	// what somebody who runs such services would not begin with: its software has something against it, or it takes
	// more cards than a machine holds that are not made for servers
	Awkward bool
	// nobody measured the engine on such hardware, or no measured run is near and at the slow end of what the formula
	// says a target is missed
	Unsure bool
	Slow   sizing.Doubt
	// at the slow end of the interval: tokens per second of a user, and how much of what was promised is kept, 1 where
	// all is; of those that [Lead] looked at
	SlowSpeed, Kept float64
	PerHour         float64 // of Expense; 0 without a price
	PerMillion      float64 // output tokens
	Acquire         string
	Currency        string
	Tier            sizing.Tier

	workload sizing.Workload // of one replica
	ttftAt   float64         // seconds, at the percentile of the target
}
