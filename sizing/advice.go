package sizing

import (
	"math"
	"strings"
)

// An Advice is a requirement of a job on the host of the cards, by a rule that is given
// with its numbers. Rules of thumb are marked; none of it was measured.
type Advice struct {
	// a key of the texts: "system_memory", "disk", "slots", "processor", "power_supply", "cooling", "link"
	Part    string
	Value   float64
	Unit    string
	Formula string // in symbols
	Inputs  []Input
	Reason  string // a key of the texts
	Source  string // of the rule
}

// Sources of the rules.
const (
	fromHostRule    = "rule of thumb of builders of workstations: twice the memory of the cards"
	fromDGX         = "NVIDIA DGX A100 datasheet: two AMD EPYC 7742 of 64 cores for 8 cards"
	fromGeForce     = "NVIDIA, required system power of GeForce RTX 3090 (350 W: 750 W) and RTX 4090 (450 W: 850 W)"
	fromDGXPower    = "NVIDIA DGX H100 user guide: 10.2 kW at most for 8 cards of 700 W"
	fromHeat        = "1 W = 3.412 BTU/h"
	fromCheckpoints = "weights in 16 bits; a checkpoint keeps weights, 32-bit weights and two moments"
)

// Host returns what an estimate requires of the host of its cards.
func (a *Estimator) Host(e *Estimate) []Advice {
	c, w, n := e.Card, &e.Workload, float64(max(1, e.Workload.Cards))
	if e.Pool != nil {
		c = e.Pool.mean()
	}
	module := isModule(c)
	var out []Advice
	if !c.Unified && c.Memory > 0 {
		out = append(out, systemMemory(c, n, e.Memory.Host))
	}
	if w.Model != nil {
		out = append(out, disk(w))
	}
	if c.Unified {
		return out // the rest came with the machine
	}
	if lanes := figure(c, "pcie_lanes"); lanes > 0 && !module {
		width := figure(c, "slot_width")
		out = append(out, Advice{Part: "slots", Value: n, Unit: "slots", Formula: "n slots of lanes lanes, width wide",
			Reason: "each_card_needs_its_lanes", Source: "datasheet of the card",
			Inputs: []Input{{"n", n, "cards"}, {"lanes", lanes, "lanes"}, {"width", width, "slots"}}})
	}
	out = append(out, Advice{Part: "processor", Value: 16 * n, Unit: "cores", Formula: "16 · n",
		Inputs: []Input{{"n", n, "cards"}},
		Reason: "loads_data_and_launches_kernels", Source: fromDGX})
	if c.Power > 0 {
		out = append(out, supply(c, n, module)...)
	}
	if s := w.Sharding; n > 1 && (s.Tensor > 1 || s.Stage == 3) && (c.Link == 0 || c.stages(w.Cards)) {
		link := Advice{Part: "link", Value: c.PCIe / giga, Unit: "GB/s", Formula: "PCIe, in each direction",
			Reason: "no_link_between_cards", Source: "datasheet of the card"}
		if c.stages(w.Cards) {
			link.Value, link.Formula = linkRate(c, n)/giga, "PCIe · s, in each direction"
			link.Inputs = []Input{{"PCIe", c.PCIe, "B/s"}, {"s", c.Staged, ""}}
			link.Reason, link.Source = "no_peer_access", "NCCL issue 1639; measured all-reduce"
		}
		out = append(out, link)
	}
	return out
}

// isModule reports whether a card comes in a machine that its maker built for it.
func isModule(c *Card) bool {
	if c.figures == nil {
		return false
	}
	form := c.figures.Text("form_factor")
	return form != "" && !strings.HasPrefix(form, "PCIe")
}

func figure(c *Card, id string) float64 {
	if c.figures == nil {
		return 0
	}
	v, _ := c.figures.Number(id)
	return v
}

func systemMemory(c *Card, n, offloaded float64) Advice {
	twice := 2 * n * c.Memory
	out := Advice{Part: "system_memory", Value: twice, Unit: "bytes", Formula: "2 · n · M",
		Reason: "weights_pass_through_it", Source: fromHostRule,
		Inputs: []Input{{"n", n, "cards"}, {"M", c.Memory, "bytes"}}}
	if offloaded > 0 {
		out.Value, out.Formula, out.Reason = max(twice, 1.25*offloaded), "max(2 · n · M, 1.25 · H)",
			"holds_what_is_offloaded"
		out.Inputs = append(out.Inputs, Input{"H", offloaded, "bytes"})
	}
	return out
}

// disk holds the model as it is downloaded and, in training, two checkpoints: the
// last one stays while the next is written.
func disk(w *Workload) Advice {
	p := w.Model.Parameters
	out := Advice{Part: "disk", Value: 2 * p, Unit: "bytes", Formula: "2 · P", Inputs: []Input{{"P", p, "parameters"}},
		Reason: "model", Source: fromCheckpoints}
	if w.Task == Full || w.Task == Pretrain || w.Task == GaLore {
		out.Value, out.Formula, out.Reason = 2*p+2*14*p, "2 · P + 2 · 14 · P", "model_and_checkpoints"
	}
	return out
}

// supply is the power supply and the heat. PCIe cards: their rating and 250 W for
// the rest of the machine, of which a supply should give no more than 80 %. For one
// card of 350 W and of 450 W that gives 750 W and 900 W, where NVIDIA asks for 750 W
// and 850 W. Modules: what their maker's machine takes
// beyond them.
func supply(c *Card, n float64, module bool) []Advice {
	inputs := []Input{{"n", n, "cards"}, {"TDP", c.Power, "W"}}
	watts := Advice{Part: "power_supply", Value: math.Ceil((n*c.Power+250)/0.8/50) * 50, Unit: "W",
		Formula: "(n · TDP + 250 W) ÷ 0.8", Inputs: inputs, Reason: "peaks_above_the_rating", Source: fromGeForce}
	draw := n*c.Power + 250
	if module {
		watts.Value, watts.Formula, watts.Reason, watts.Source = math.Ceil(1.8*n*c.Power/50)*50, "1.8 · n · TDP",
			"fans_switches_and_processors", fromDGXPower
		draw = watts.Value
	}
	return []Advice{watts, {Part: "cooling", Value: draw * 3.412, Unit: "BTU/h", Formula: "W · 3.412",
		Inputs: []Input{{"W", draw, "W"}}, Reason: "all_power_becomes_heat", Source: fromHeat}}
}
