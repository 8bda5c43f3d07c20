package advisor

// An Owned is a number of one card that somebody has in one machine.
type Owned struct {
	Card  *Card
	Count int
}

// A Fit is a job that owned cards can do, at its largest batch and context.
type Fit struct {
	Owned    Owned
	Workload Workload // complete; with the context that was asked, or the task's default, and the largest batch at it
	Verdict  Verdict  // Fits, or TooBig where not even one sequence of the shortest context does
	Memory   Range    // of the fullest card, with Workload
	Usable   float64
	Batch    int    // largest at Workload.Context; 0 where none fits
	Context  int    // largest with one sequence, up to the most that the model takes; 0 where none fits
	Whole    bool   // Context is all that the model takes
	Speed    *Speed // of Workload
	Refusals []Refusal
}

// A Cell is one field of the grid of a card: a task with a size of model.
type Cell struct {
	Size     string // "7B"
	Task     Task
	Workload Workload // complete
	Verdict  Verdict  // on one card
	Memory   Range
	Usable   float64
	Missing  float64
	Cards    int // the smallest number of this card that fits; 0 where up to 8 do not
	Refusals []Refusal
	Request  Request // whose [Advisor.Values] for ForEstimate are a link
}
