package sizing

// A Range is an estimate with its 90 % interval.
type Range struct{ Low, Expected, High float64 }

// A Quantity is what is estimated.
type Quantity string

// The quantities that are estimated and that cases measure.
const (
	MemoryPerCard Quantity = "memory"   // bytes on the fullest card, at the peak
	DecodeSpeed   Quantity = "decode"   // tokens per second that all requests together receive
	PrefillSpeed  Quantity = "prefill"  // tokens per second of prompt
	TrainingSpeed Quantity = "training" // tokens per second of all cards
)

// An Input is a number that went into a formula.
type Input struct {
	Symbol string // as in the formula
	Value  float64
	Unit   string
}

// A Line is one part of the memory of a card, or one part of the time of a step.
type Line struct {
	Part    string // "weights", "adapters", "gradients", …; a key of the texts
	Value   float64
	Formula string // in symbols
	Inputs  []Input
	Source  string // of the formula
}

// A Verdict says whether a job fits in the memory of a card.
type Verdict string

// The verdicts.
const (
	Fits       Verdict = "fits"         // even the high end of the interval fits
	Borderline Verdict = "borderline"   // some of the interval fits
	TooBig     Verdict = "does_not_fit" // even the low end does not
)

// A Tier says what an estimate rests on.
type Tier string

// The tiers.
const (
	Measured   Tier = "measured"   // a case with the same job on the same card
	Calibrated Tier = "calibrated" // neighbouring cases corrected the formula
	Formula    Tier = "formula"    // no case is near
)

// Evidence is what corrects a formula.
type Evidence struct {
	Tier     Tier
	Formula  float64   // before correction
	Supports []Support // the cases that weigh most
	unknown  float64   // standard deviation of log(measured) that the cases leave, without their noise
	// what the cases make of the formula's value, before what bounds it
	corrected float64
	factor    float64 // of the formula's value, where nothing feeds back, see [looped]
}

// A Support is a case and its share in a correction.
type Support struct {
	Case   *Case
	Weight float64
}

// A Refusal is a reason why a job cannot run on a card at all.
type Refusal struct {
	Field  string // of the workload
	Reason string // a key of the texts: "no_bf16", "no_flash2", "no_flash3", "no_memory_figure", …
}

// A Memory is the memory of the fullest card.
type Memory struct {
	Lines    []Line // of the formula; they sum to Evidence.Formula
	PerCard  Range
	Usable   float64
	Verdict  Verdict
	Missing  float64 // bytes short of the expected need; 0 if it fits
	Host     float64 // bytes of host memory, for what is offloaded
	Evidence Evidence
}

// A Speed is a rate: of tokens, or of what Unit says, per second.
type Speed struct {
	Rate       Range
	Lines      []Line  // seconds of the formula's parts
	Efficiency float64 // of Basis: model FLOP/s or bytes per second reached ÷ the card's
	Basis      string  // "compute", "bandwidth"
	Limit      string  // what takes most of the time: "bandwidth", "compute", "launch", "communication"
	Evidence   Evidence
	Unit       string // a Unit of rates; empty is [Tokens]
}
