package sizing

import (
	"slices"
	"strings"
)

// Refusals are the reasons why a job cannot run on a card whatever its memory.
//
//   - bf16 arithmetic needs units for it: NVIDIA has them from Ampere on, AMD from
//     CDNA on (CUDA C++ Programming Guide, "Arithmetic instructions"; ROCm precision
//     support).
//   - FlashAttention 2 needs NVIDIA Ampere or AMD CDNA 2 or later (Dao-AILab,
//     flash-attention, README "Installation and features").
//   - fp8 arithmetic needs units for it: NVIDIA from Ada and Hopper on, AMD CDNA 3.
//     Weights that are stored in fp8 are unpacked where it lacks them.
//   - Frameworks run on the makers' cards that their documents name, and read the
//     formats of weights that they name; [Software] says which generations.
func Refusals(w *Workload, c *Card) []Refusal {
	var out []Refusal
	refuse := func(field, reason string) { out = append(out, Refusal{field, reason}) }
	if c.Usable <= 0 {
		refuse("card", "no_memory_figure")
	}
	switch w.Compute {
	case "bf16":
		if w.lacksBF16(c) {
			refuse("precision", "no_bf16")
		}
	case "fp8", "mxfp8":
		if w.Task.Trains() && c.FP8 == 0 {
			refuse("precision", "no_fp8")
		}
	case "nvfp4", "mxfp4", "fp4":
		if w.Task.Trains() && c.FP4 == 0 {
			refuse("precision", "no_fp4")
		}
	}
	if w.lacksFlash2(c) {
		refuse("attention", "no_flash2")
	}
	if w.Attention == flash3 && c.Architecture != "Hopper" {
		refuse("attention", "no_flash3")
	}
	if w.profile != nil && !w.profile.builtFor(c) {
		refuse("framework", "no_backend")
	}
	for _, f := range Software(w, c) {
		if f.Level == Unsupported {
			refuse("framework", "not_supported")
			break
		}
	}
	return out
}

func (w *Workload) lacksBF16(c *Card) bool {
	return w.Compute == "bf16" && w.Task.Trains() && !c.hasBF16()
}

func (w *Workload) lacksFlash2(c *Card) bool {
	return w.Attention == "flash" && !c.hasFlash2() && w.profile != nil && w.profile.Trains()
}

// beforeAmpere lists the prefixes of NVIDIA architectures older than Ampere.
var beforeAmpere = append(slices.Clone(beforeTuring), "Turing")

// beforeTuring lists those for which CUDA 13 no longer compiles (CUDA Toolkit 13.0 Release Notes, "Deprecated or
// Dropped Features": Maxwell, Pascal and Volta; Kepler and older went before).
var beforeTuring = []string{"Tesla", "Fermi", "Kepler", "Maxwell", "Pascal", "Volta"}

func (c *Card) isBeforeAmpere() bool { return c.isOf(beforeAmpere) }
func (c *Card) isBeforeTuring() bool { return c.isOf(beforeTuring) }

// isOf reports whether a card is NVIDIA's and of one of some generations.
func (c *Card) isOf(generations []string) bool {
	return c.Vendor == "NVIDIA" && slices.ContainsFunc(generations, func(a string) bool {
		return strings.HasPrefix(c.Architecture, a)
	})
}

// hasBF16 is what the catalogue says of the card, or else of its generation; a card
// of which nothing is known has it.
func (c *Card) hasBF16() bool {
	if c.figures != nil {
		if v := c.figures.Text("bf16"); v != "" {
			return v == "true"
		}
	}
	return c.BF16 > 0 || !c.isBeforeAmpere()
}

func (c *Card) hasFlash2() bool { return c.hasBF16() && !c.isBeforeAmpere() }

// makersBackends are how frameworks name what runs on a maker's cards.
var makersBackends = map[string]string{
	"NVIDIA": "cuda", "AMD": "rocm", "Apple": "metal", "Google": "tpu", "Huawei": "npu", "AWS": "neuron",
	"Moore Threads": "musa", "MetaX": "maca", "Hygon": "dcu", "Iluvatar": "corex", "Kunlunxin": "kunlun",
	"Enflame": "gcu", "Cambricon": "mlu", "Biren": "supa", "Tenstorrent": "ttnn",
}

// backend of a card; empty for makers of which no framework says anything.
func (c *Card) backend() string {
	if c.Vendor == "Intel" {
		if strings.HasPrefix(c.Name, "Gaudi") {
			return "hpu"
		}
		return "xpu"
	}
	return makersBackends[c.Vendor]
}

// withVulkan are the backends whose cards have drivers for Vulkan as well.
var withVulkan = []string{"cuda", "rocm", "xpu", "musa"}

// builtFor reports whether a framework has a build for a card. What is not known of the
// framework, or of who made the card, is no reason against it.
func (p *Profile) builtFor(c *Card) bool {
	b := c.backend()
	if len(p.Backends) == 0 || c.Vendor == "" || slices.Contains(p.Backends, b) {
		return true
	}
	return slices.Contains(p.Backends, "vulkan") && slices.Contains(withVulkan, b)
}

// isMemory reports whether a quantity is one of memory.
func (q Quantity) isMemory() bool {
	return q == MemoryPerCard || q == MemoryInference || q == MemoryTraining
}
