package sizing

import (
	"math"
	"slices"
)

// The units of rates; the first is that of language models.
const (
	Tokens    = ""
	Documents = "documents"
	Images    = "images"
	Clips     = "clips"
	Audio     = "audio" // seconds of it
)

// A work is a kind of job of which too few measured runs are known to calibrate its
// formulas. Their constants are from documents, and its intervals are as wide as
// published runs lie apart; docs/other-work.md lists them beside the estimates.
type work interface {
	// memory of the fullest card, which does not depend on the card; false where a figure
	// is not known. Lines are made only when explain is set, and sum to the expected value.
	memory(w *Workload, explain bool) (Range, []Line, float64, bool)
	// speed fills in the speeds of an estimate.
	speed(w *Workload, c *Card, e *Estimate, explain bool)
	// shardings are the divisions of n cards to try, the ones with the least communication first.
	shardings(w *Workload, n int, asked Sharding) []Sharding
}

// workOf is the kind of work that a job is; nil for language models' inference and
// training, which are calibrated.
func (a *Estimator) workOf(w *Workload) work {
	m := w.Model
	switch {
	case m == nil:
		return nil
	case w.Task == DPO || w.Task == GRPO:
		return preference{a}
	case m.Kind == "diffusion":
		return diffusion{a}
	case w.Task != Inference:
		return nil
	case m.embeds():
		return encoding{a}
	case m.Kind == "speech":
		return speech{a}
	case w.Host.uses(w):
		return hosted{a}
	}
	return nil
}

// embeds reports whether a model turns documents into vectors or scores.
func (m *Model) embeds() bool {
	return m.Kind == "embedding" || m.Kind == "reranker" || m.Kind == "encoder"
}

// runsKind reports whether a framework runs models of a kind; in training most run encoders too.
func (p *Profile) runsKind(m *Model, t Task) bool {
	if m == nil {
		return true
	}
	kind := m.Kind
	if kind == "" {
		kind = "decoder"
	}
	if len(p.Kinds) > 0 {
		return slices.Contains(p.Kinds, kind)
	}
	return kind == "decoder" || t.Trains() && kind != "diffusion" || kind == "speech" && p.ID == "transformers"
}

// workMemory is the memory of a job of a kind of work.
func (a *Estimator) workMemory(k work, w *Workload, c *Card) (Memory, bool) {
	r, lines, host, ok := k.memory(w, true)
	if !ok {
		return Memory{}, false
	}
	m := Memory{Lines: lines, PerCard: r, Usable: c.Usable, Host: host,
		Evidence: Evidence{Tier: Formula, Formula: r.Expected}}
	m.Verdict, m.Missing = within(r, c), max(0, r.Expected-c.Usable)
	return m, true
}

// within says whether a need fits on a card.
func within(need Range, c *Card) Verdict {
	switch {
	case need.High <= c.Usable:
		return Fits
	case need.Low > c.Usable:
		return TooBig
	}
	return Borderline
}

// spread is a value with an interval that ends a factor below and above it.
func spread(v, factor float64) Range { return Range{v / factor, v, v * factor} }

// need is the sum of a ledger: what follows from the model and the settings is as sure as
// the sizes of models are, and the rest may be off by a share of it.
func (l *ledger) need(share float64) Range {
	off := (1-ofWeights)*l.sure + share*(l.sum-l.sure)
	return Range{l.sum - off, l.sum, l.sum + off}
}

// elsewhere is the standard deviation of log(speed) on the cards of makers that no run is known on, as
// [prefillGauge.effects] has it.
const elsewhere = 0.35

// spreadOn is the factor of an interval of speeds on a card.
func spreadOn(c *Card, factor float64) float64 {
	if c.Vendor == "" || c.Vendor == "NVIDIA" {
		return factor
	}
	return math.Exp(math.Hypot(math.Log(factor), z90*elsewhere))
}

// timed is a rate from the seconds of its parts, for so many units, with an interval.
func timed(units float64, lines []Line, factor float64, unit, basis string, explain bool) *Speed {
	seconds := 0.0
	for _, l := range lines {
		seconds += l.Value
	}
	rate := units / seconds
	if !(rate > 0) || math.IsInf(rate, 0) {
		return nil
	}
	s := &Speed{Rate: spread(rate, factor), Basis: basis, Limit: Limit(lines), Unit: unit,
		Evidence: Evidence{Tier: Formula, Formula: rate}}
	if explain {
		s.Lines = slices.DeleteFunc(lines, func(l Line) bool { return l.Value <= 0 })
	}
	return s
}

// replicas divide n cards so that each does all of the job for other data.
func replicas(n int) []Sharding { return []Sharding{{Data: n, Tensor: 1, Pipeline: 1}} }

func ceil(v float64) float64 { return math.Ceil(v) }

// constants are the fitted ones of a quantity; nil where it has no calibration.
func (a *Estimator) constants(q Quantity) Constants {
	if f := a.fields[q]; f != nil {
		return f.Constants
	}
	return nil
}

// outside adds work space and the context of a card's driver, with the constants that all
// frameworks share, and what the allocator keeps of freed blocks.
func (a *Estimator) outside(l *ledger, q Quantity) {
	k := a.constants(q)
	if k == nil {
		return
	}
	r := k.Of("", "reserve")
	if l.reserve = l.dynamic * (r - 1); l.add("reserve", l.reserve) {
		l.because("dynamic · (r − 1)", sourceAllocator, Input{"dynamic", l.dynamic, "bytes"}, Input{"r", r, ""})
	}
	for _, part := range []string{"overhead", "context"} {
		if v := k.Of("", part); l.add(part, v) {
			l.because("fitted", sourceStas, Input{part, v, "bytes"})
		}
	}
}
