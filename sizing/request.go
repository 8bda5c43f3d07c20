package sizing

import "tianti/catalog"

// A Goal is what the best answer has most or least of.
type Goal string

// The goals.
const (
	BestValue   Goal = "value" // does most for the money
	Cheapest    Goal = "cheapest"
	Fastest     Goal = "fastest"
	MostRoom    Goal = "headroom"
	LeastEnergy Goal = "energy"
)

// Goals are all goals, in the order of menus.
var Goals = []Goal{BestValue, Cheapest, Fastest, MostRoom, LeastEnergy}

// A Request asks which cards do a job.
type Request struct {
	// Cards is the most that may be used; Sharding is chosen for each number of cards unless it is given
	Workload Workload
	Goal     Goal
	// training: of the whole job; inference: generated, of the whole job. 0 leaves out time and cost of the whole job
	Tokens   float64
	MinRate  float64 // tokens per second at least; 0 is none
	MaxHours float64 // for Tokens; 0 is none

	Measured Measurement // of one job on given cards

	Budget   catalog.Money // 0 is none
	Acquire  string        // "buy", "rent", "" is the usual way: the cheaper, or rent where a server is needed
	Costs    Costs
	Vendors  []string // empty is all
	Segments []string
	Cards    []string // ids to look at; empty is all
	With     []Owned  // cards of other kinds in the same machine, of one job on given cards

	Destination string       // of the card, a country's code, and the day that is asked about:
	AsOf        string       // text for the maker of Permit
	Today       catalog.Date // to which prices are current or too old
	Given       []string     // the parameters that the asker gave; Complete chose the rest

	// Permit reports whether a card may be used for a reason outside the job, such as
	// export control; nil permits all. The reason is a key of the texts.
	Permit func(*Card) (ok bool, reason string)

	// Stopped reports whether nobody waits for the answer any more, which then ends where it is; nil: somebody does.
	Stopped func() bool
}

// stopped reports whether nobody waits for the answer.
func (r *Request) stopped() bool { return r.Stopped != nil && r.Stopped() }

// Costs are what a user may know better than the defaults, which Complete fills in.
type Costs struct {
	Tariff      float64 // electricity, of Currency per kWh
	PUE         float64 // power usage effectiveness: power of the building ÷ of the machines
	Years       float64 // over which a bought card is written off
	Residual    float64 // share of the price that is left then
	Utilisation float64 // share of the hours of these years in which it works
	Host        float64 // price of the machine around bought cards, as a share of theirs
	Carbon      float64 // kg CO₂ per kWh; 0 leaves it out
	Currency    string
	BuyPrice    float64 // of one card; 0 is the recorded price
	RentPrice   float64 // of one card and hour; 0 is the recorded offer
}

// An Expense is what a job costs one way.
type Expense struct {
	Acquire    string        // "buy", "rent"
	Price      catalog.Quote // that it rests on, in its own currency
	Given      bool          // the price is the asker's
	Today      bool          // the price is no older than half a year
	Apart      bool          // the cards are priced one by one, and not known to come in one machine
	Machines   string        // source of the sizes of machines that the seller rents; empty where none is recorded
	Outlay     float64       // to buy the cards
	PerHour    float64       // of all cards: rent, or write-off and electricity
	Total      float64       // for the job; 0 where the job's time is not known
	PerMillion float64       // tokens; 0 where the speed is not known
	Currency   string
	Lines      []Line              // of PerHour, with numbers put in
	Converted  *catalog.Conversion // by which the price was converted; nil where it was not
}

// An Assumption is a value that was chosen where the asker gave none.
type Assumption struct {
	Field string // of the parameters
	Value string
	Why   string // a key of the texts
}

// An Estimate is one job on a number of one card.
type Estimate struct {
	Card          *Card
	Workload      Workload // complete
	Refusals      []Refusal
	Software      []*SoftwareFact // what its software says against the card; of a full estimate only
	Memory        Memory
	Decode        *Speed // inference
	Prefill       *Speed // inference
	Training      *Speed // other tasks
	Output        *Speed // of inference with models that write no text: documents, images, clips or audio
	Hours         Range  // for the request's tokens
	KWh           Range
	KWhPerMillion float64 // tokens; 0 where speed or power is not known
	Carbon        Range   // kg
	// the cheaper first; those in other currencies than the request's, for which no rate is known, last
	Expenses []Expense

	// no measured run of the framework is on this kind of hardware (CUDA, ROCm, an Ascend …), nor are most runs of
	// others: the speed is the formula's, for a stack that nobody is known to have tried
	Unmeasured bool

	Measured []Comparison // what the request says was measured, of a full estimate

	Pool *Pool // of cards of several kinds; Card is then the one whose memory is the fullest. Nil of one kind

	Assumptions []Assumption
	// of an answer: ranges have no ends, and there are no lines and no evidence; see [Estimator.Estimate]
	Brief bool
}

// Rate is the speed that the task is about: training, or decode, or output.
func (e *Estimate) Rate() *Speed {
	switch {
	case e.Training != nil:
		return e.Training
	case e.Output != nil:
		return e.Output
	}
	return e.Decode
}

// An Answer ranks cards for a request. An option fits, or is more likely to fit than
// not; those that surely fit come first.
type Answer struct {
	Request Request // complete
	Looked  int     // cards that were looked at
	// that do the job, the best first; one a card and number of cards; the first ones and the front in full, the others
	// brief
	Options  []Estimate
	Fewer    bool        // the second costs less than the first, which leads for its fewer cards
	Roomier  bool        // the second is faster, but the job nearly fills it
	Front    []int       // of Options: no other is both cheaper and faster
	Rejected []Rejection // the nearest first; one a card

	Assumptions []Assumption // of the job, whatever the card
	Otherwise   []Change     // of what the request left open, where no card surely does the job with the usual settings
}

// A Rejection says why a card does not do the job.
type Rejection struct {
	Card  *Card
	Cards int // the number that comes nearest
	// a key of the texts: "does_not_fit", "no_bf16", "too_slow", "too_dear", "no_speed", "not_admitted", …
	Reason   string
	Detail   string  // of Permit
	Field    string  // of the workload that the card refuses
	Verdict  Verdict // Borderline where it might fit, but more likely does not
	Memory   Range
	Usable   float64
	Missing  float64  // bytes
	Limit    float64  // that Reason is about: tokens per second, hours, or an amount in the request's currency
	Reached  float64  // of Limit, in the same unit
	Remedies []Remedy // changes that make it fit, the cheapest first

	job Workload // that was tried
}

// A Remedy is a change of a workload that makes it fit.
type Remedy struct {
	Changes []Change // one, or several that only together make it fit
	Memory  Range    // with them, of the fullest card
}

// A Change gives a parameter another value.
type Change struct {
	// of the parameters: "checkpointing", "optimizer", "fused_loss", "task", "stage", "offload", "weights", "kv_cache",
	// "context", "batch", "cards"
	Field string
	Value string
}
