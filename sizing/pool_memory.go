package sizing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// poolMemory is the memory of each kind of card, and of the fullest.
//
// Where layers are split, what a card needs is a part for each layer that it holds and a part that each has, which
// the needs of one card with all layers and of n cards with as many each tell: F + V and F + V ÷ n.
func (a *Estimator) poolMemory(e *Estimate) {
	w, p := &e.Workload, e.Pool
	each, ok := a.Memory(w, smallest(p.cards()))
	if !ok {
		return
	}
	e.Memory = each
	need := func(int) Range { return each.PerCard }
	if p.Split = splitOf(w); p.Split == ByLayers {
		whole := *w
		whole.Cards, whole.Sharding = 1, Sharding{Data: 1, Tensor: 1, Pipeline: 1}
		all, ok := a.Memory(&whole, e.Card)
		if !ok {
			return
		}
		need = byLayers(all.PerCard, each.PerCard, w)
		p.spread(w.Model.Layers+1, func(layers int) float64 { return need(layers).Expected })
		p.even = p.loads()
		p.fastFirst(func(layers int) float64 { return need(layers).High })
	}
	q := a.fields[memoryQuantity(w)]
	most, missing := 0.0, 0.0
	e.Memory.Verdict = Fits
	for i := range p.Parts {
		x := &p.Parts[i]
		x.Memory = each.PerCard
		if p.Split == ByLayers {
			x.Memory = need(slices.Max(x.Layers))
		}
		x.Verdict = q.fits(w, x.Card, x.Memory)
		if x.Verdict == TooBig || x.Verdict == Borderline && e.Memory.Verdict == Fits {
			e.Memory.Verdict = x.Verdict
		}
		missing = max(missing, x.Memory.Expected-x.Card.Usable)
		if full := x.Memory.Expected / x.Card.Usable; full > most {
			most, p.Fullest = full, i
		}
	}
	f := &p.Parts[p.Fullest]
	if uneven := f.Memory.Expected - each.PerCard.Expected; math.Abs(uneven) > 1 {
		e.Memory.Evidence.Formula += uneven
		e.Memory.Lines = append(e.Memory.Lines, Line{Part: "uneven", Value: uneven, Formula: "(l − L ÷ n) · V ÷ L",
			Source: sourceSplit, Inputs: []Input{{"l", float64(slices.Max(f.Layers)), "layers"},
				{"L", float64(w.Model.Layers + 1), "layers"}, {"n", float64(w.Cards), "cards"}}})
	}
	e.Card, e.Memory.PerCard, e.Memory.Usable, e.Memory.Missing = f.Card, f.Memory, f.Card.Usable, max(0, missing)
}

// sourceSplit says how llama.cpp divides layers: by the free memory of the cards, or as --tensor-split says.
const sourceSplit = "ggml-org/llama.cpp tools/server/README.md: --split-mode layer, --tensor-split"

// byLayers is what a card needs for so many layers, of the needs of one with all and of n with as many each.
func byLayers(all, each Range, w *Workload) func(layers int) Range {
	n, units := float64(w.Cards), float64(w.Model.Layers+1)
	at := func(all, each, layers float64) float64 {
		of := max(0, (all-each)/(1-1/n))
		return max(0, all-of) + of*layers/units
	}
	return func(layers int) Range {
		l := float64(layers)
		out := Range{at(all.Low, each.Low, l), at(all.Expected, each.Expected, l), at(all.High, each.High, l)}
		out.Low, out.High = min(out.Low, out.Expected), max(out.High, out.Expected)
		return out
	}
}

func (p *Pool) cards() []Owned {
	out := make([]Owned, len(p.Parts))
	for i := range p.Parts {
		out[i] = p.Parts[i].Owned
	}
	return out
}

// spread gives each layer to the card that is the least full with it; of those within a hundredth to the one with more
// bandwidth.
func (p *Pool) spread(layers int, need func(int) float64) {
	for i := range p.Parts {
		p.Parts[i].Layers = make([]int, p.Parts[i].Count)
	}
	for range layers {
		best, least := -1, math.Inf(1)
		for i := range p.Parts {
			x := &p.Parts[i]
			full := need(slices.Min(x.Layers)+1) / x.Card.Usable
			if best < 0 || full < 0.99*least || full < 1.01*least && x.Card.Bandwidth > p.Parts[best].Card.Bandwidth {
				best, least = i, full
			}
		}
		x := p.Parts[best].Layers
		x[slices.Index(x, slices.Min(x))]++
	}
	for i := range p.Parts {
		slices.SortFunc(p.Parts[i].Layers, func(x, y int) int { return y - x })
	}
}

// fastFirst gives the cards with more bandwidth as many layers as surely fit, where that leaves room for all.
func (p *Pool) fastFirst(high func(layers int) float64) {
	order := make([]int, len(p.Parts))
	left := sum(p.layers())
	for i := range p.Parts {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(p.Parts[y].Card.reads(), p.Parts[x].Card.reads())
	})
	filled := make([][]int, len(p.Parts))
	for _, i := range order {
		x := &p.Parts[i]
		each := 0
		for each < left && high(each+1) <= x.Card.Usable {
			each++
		}
		filled[i] = make([]int, x.Count)
		for j := range filled[i] {
			filled[i][j] = min(each, left)
			left -= filled[i][j]
		}
	}
	if left > 0 {
		return // no more than likely: each is as full as the others
	}
	for i := range p.Parts {
		p.Parts[i].Layers = filled[i]
	}
}

func sum(list []int) int {
	out := 0
	for _, n := range list {
		out += n
	}
	return out
}

// layers are those of all cards, in the order of the machine.
func (p *Pool) layers() []int {
	var out []int
	for i := range p.Parts {
		out = append(out, p.Parts[i].Layers...)
	}
	return out
}

// split are the layers of all cards as options of programs take them.
func (p *Pool) split(between string) string { return numbers(p.layers(), between) }

// decoderLayers are those of all cards without the output, which the last has.
func (p *Pool) decoderLayers() string {
	layers := p.layers()
	layers[len(layers)-1]--
	return numbers(layers, ",")
}

func numbers(list []int, between string) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, between)
}
