package sizing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
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
				p.fail(catalog.ParamError{Param: name, Code: catalog.Contradicts, Allowed: "model"})
			}
		}
	case p.given["model"]:
	case described:
		for _, name := range shape {
			if !p.given[name] {
				p.fail(catalog.ParamError{Param: name, Code: catalog.Missing})
			}
		}
		if o.Experts > 0 != (o.ExpertsPerToken > 0) && !p.failed("experts") && !p.failed("experts_per_token") {
			missing := "experts"
			if o.Experts > 0 {
				missing = "experts_per_token"
			}
			p.fail(catalog.ParamError{Param: missing, Code: catalog.Missing})
		}
		if len(p.errs) == 0 {
			p.ownModel()
		}
	case p.given["params"]:
		if p.failed("params") {
			return
		}
		if p.r.Workload.Model = p.a.Models.CompleteModel(o.Params * 1e9); p.r.Workload.Model == nil {
			p.fail(catalog.ParamError{Param: "params", Value: formatNumber(o.Params), Code: catalog.OutOfRange,
				Allowed: "0.02 … 10000"})
		}
	default:
		p.fail(catalog.ParamError{Param: "model", Code: catalog.Missing,
			Allowed: catalog.Listed("model", "params", strings.Join(shape, " + "))})
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
		p.fail(catalog.ParamError{Param: "heads", Value: strconv.Itoa(o.Heads), Code: catalog.NotDivisible,
			Allowed: fmt.Sprintf("hidden=%d", o.Hidden)})
	}
	if o.Heads%o.KVHeads != 0 {
		p.fail(catalog.ParamError{Param: "kv_heads", Value: strconv.Itoa(o.KVHeads), Code: catalog.NotDivisible,
			Allowed: fmt.Sprintf("heads=%d", o.Heads)})
	}
	if o.Experts > 0 && o.ExpertsPerToken >= o.Experts {
		p.fail(catalog.ParamError{Param: "experts_per_token", Value: strconv.Itoa(o.ExpertsPerToken),
			Code: catalog.OutOfRange, Allowed: fmt.Sprintf("1 … %d", o.Experts-1)})
	}
	if len(p.errs) > 0 {
		return
	}
	m := &Model{ID: ownID, Kind: "decoder", GatedMLP: true, Layers: o.Layers, Hidden: o.Hidden, Heads: o.Heads,
		KVHeads: o.KVHeads, HeadDim: o.Hidden / o.Heads,
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
		p.fail(catalog.ParamError{Param: "layers", Value: strconv.Itoa(o.Layers), Code: catalog.OutOfRange,
			Allowed: "params=0.02 … 100000"})
		return
	}
	if want := o.Params * 1e9; want > 0 {
		if math.Abs(want/m.Parameters-1) > 0.25 {
			p.fail(catalog.ParamError{Param: "params", Value: formatNumber(o.Params), Code: catalog.Contradicts,
				Allowed: "params=" + strconv.FormatFloat(m.Parameters/1e9, 'g', 4, 64)})
			return
		}
		m.Active, m.Parameters = m.Active*want/m.Parameters, want
	}
	m.Name = strconv.FormatFloat(m.Parameters/1e9, 'g', 3, 64) + "B"
	p.r.Workload.Model = m
}
