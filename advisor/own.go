package advisor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Own is an architecture that somebody describes. Params alone, or all of
// Layers, Hidden, Heads, Intermediate and Vocabulary.
type Own struct {
	Params                                                   float64 // billions
	Layers, Hidden, Heads, KVHeads, Intermediate, Vocabulary int
	Experts, ExpertsPerToken                                 int
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
