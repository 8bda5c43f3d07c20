package sizing

// DocumentRate is documents that an embedding or reranking model reads a second; a run may count their tokens instead.
// It is estimated by formula alone: no run corrects it.
const DocumentRate Quantity = "documents"

const documentsPerSecond = "documents/s"

// scoreDocuments estimates a case of documents read.
func (a *Estimator) scoreDocuments(c *Case, out *Result) {
	e := a.Estimate(c.Workload, c.Card, Request{Workload: c.Workload})
	s := e.Output
	if c.Unit != documentsPerSecond {
		s = e.Prefill
	}
	switch {
	case e.Memory.Verdict == TooBig:
		out.Skipped = "it does not fit on the card"
	case s == nil || s.Rate.Expected <= 0:
		out.Skipped = "a figure that the formula needs is not known"
	default:
		out.Predicted, out.Low, out.High = c.InUnit(s.Rate.Expected), c.InUnit(s.Rate.Low), c.InUnit(s.Rate.High)
		out.Tier = Formula
	}
}
