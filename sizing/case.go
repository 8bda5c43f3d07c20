package sizing

import "strings"

// A Case is one published measured run.
type Case struct {
	ID       string
	Quantity Quantity
	Workload Workload
	Card     *Card
	With     []Owned // cards of other kinds in the same machine; Workload.Cards is the number of all

	Measured float64 // bytes per card, or tokens per second of all cards; 0 where only Ran is known
	Ran      bool    // false: it ran out of memory
	// of memory: "allocated", "reserved", "limit" for what there was when the largest job that ran was sought, "" where
	// the source does not say
	Kind    string
	Trusted bool // complete enough to score against; others are shown only
	Source  string
	Note    string

	Minutes float64 // to train to a set quality, where a source gives that instead of a speed
	// that the run of Minutes learnt from, with those that the time of its evaluations would have done; images where
	// the model is of diffusion
	Tokens      float64
	SlowLink    bool   // its cards are joined by a link that is slower than theirs, as notes say
	GlobalBatch int    // sequences of a step over all cards, where a source gives it; 0 is unknown
	Unit        string // of the source: "GB", "GiB", "tokens/s", "tokens/s per card", "minutes"
}

// InUnit gives a quantity of the case back in the unit of its source: bytes as GB or
// GiB, tokens per second of all cards as they are, per card, or as the
// minutes of the run.
func (c *Case) InUnit(v float64) float64 {
	switch c.Unit {
	case "GB":
		return v / 1e9
	case "GiB":
		return v / gib
	case "tokens/s per card":
		return v / float64(max(1, c.Workload.Cards))
	case "ms":
		return v * 1000
	case "minutes":
		return c.Tokens / (60 * v)
	}
	return v
}

// origin is the repository or page of a case's source: "QwenLM/Qwen3" of
// "QwenLM/Qwen3@a912d23 docs/…".
func (c *Case) origin() string {
	name, _, _ := strings.Cut(c.Source, " ")
	name, _, _ = strings.Cut(name, "@")
	return name
}
