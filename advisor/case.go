package advisor

// A Case is one measured run that somebody published.
type Case struct {
	ID       string
	Quantity Quantity
	Workload Workload
	Card     *Card

	Measured float64 // bytes per card, or tokens per second of all cards; 0 where only Ran is known
	Ran      bool    // false: it ran out of memory
	Kind     string  // of memory: "allocated", "reserved", "" where the source does not say
	Trusted  bool    // complete enough to score against; others are shown only
	Source   string
	Note     string
}
