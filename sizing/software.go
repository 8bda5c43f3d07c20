package sizing

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// Level says how far software supports a card.
type Level string

// The levels. What no fact is about is neither of them.
const (
	Unsupported Level = "no"
	Partial     Level = "partial" // experimental, untested, limited or slow
	Supported   Level = "yes"
)

// A SoftwareFact is what a project says of the hardware that it runs on.
type SoftwareFact struct {
	Stack          string // a framework's id, or what frameworks build on: "pytorch", "bitsandbytes"
	Task           string // "train", "serve", or empty for both
	Level          Level
	Note           catalog.Text // why it is not fully supported
	Title, Address string       // of the document

	// Against are documents that say otherwise: the newer, or the project's own, decides.
	Against []*SoftwareFact

	weights  []string // beginnings of formats; none: all
	hardware []hardware
}

// softwareFacts are facts by stack, in the order of the table.
type softwareFacts map[string][]SoftwareFact

// hardware is a kind of card. One of its fields is set.
type hardware struct {
	vendor, architecture, id, target string // id is the beginning of one; target is AMD's name of the instruction set
	op                               string // "<", ">=", "=": of NVIDIA's compute capability
	capability                       float64
}

// ReadSoftware reads facts from a table: of those of a stack, the first that is about a job
// and a card holds. A row whose last column is "disputes" does not hold: it says otherwise than
// the row before it.
func ReadSoftware(r io.Reader) ([]SoftwareFact, error) {
	table := csv.NewReader(r)
	table.FieldsPerRecord = 10
	rows, err := table.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []SoftwareFact
	for i, row := range rows {
		if i == 0 {
			continue
		}
		f := SoftwareFact{Stack: row[0], Task: row[1], weights: strings.Fields(row[2]), Level: Level(row[4]),
			Note: catalog.Text{En: row[5], Zh: row[6]}, Title: row[7], Address: row[8]}
		for _, word := range strings.Fields(row[3]) {
			h, err := parseHardware(word)
			if err != nil {
				return nil, fmt.Errorf("row %d: hardware: %w", i+1, err)
			}
			f.hardware = append(f.hardware, h)
		}
		switch {
		case f.Stack == "" || len(f.hardware) == 0 || f.Title == "" || f.Address == "":
			return nil, fmt.Errorf("row %d: stack, hardware, title and address are needed", i+1)
		case !slices.Contains([]string{"", "train", "serve"}, f.Task):
			return nil, fmt.Errorf("row %d: task: %q is none of train, serve", i+1, f.Task)
		case !slices.Contains([]Level{Unsupported, Partial, Supported}, f.Level):
			return nil, fmt.Errorf("row %d: support: %q is none of no, partial, yes", i+1, f.Level)
		case f.Level != Supported && (f.Note.En == "" || f.Note.Zh == ""):
			return nil, fmt.Errorf("row %d: what is not supported needs notes", i+1)
		case row[9] != "" && row[9] != "disputes":
			return nil, fmt.Errorf("row %d: %q is not disputes", i+1, row[9])
		case row[9] != "" && (len(out) == 0 || out[len(out)-1].Stack != f.Stack):
			return nil, fmt.Errorf("row %d: disputes no row of its stack", i+1)
		}
		if row[9] != "" {
			disputed := &out[len(out)-1]
			disputed.Against = append(disputed.Against, &f)
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// parseHardware reads "cc<7.5", "cc>=8.0", "gfx1100", "vendor:Moore-Threads", "arch:GCN-4" (a
// hyphen for a space) or "id:google-tpu-v5e".
func parseHardware(s string) (hardware, error) {
	for _, op := range []string{">=", "<", "="} {
		if number, ok := strings.CutPrefix(s, "cc"+op); ok {
			v, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return hardware{}, fmt.Errorf("%q: %q is no compute capability", s, number)
			}
			return hardware{op: op, capability: v}, nil
		}
	}
	if strings.HasPrefix(s, "gfx") {
		return hardware{target: s}, nil
	}
	switch key, value, _ := strings.Cut(s, ":"); {
	case value == "":
	case key == "vendor":
		return hardware{vendor: strings.ReplaceAll(value, "-", " ")}, nil
	case key == "arch":
		return hardware{architecture: strings.ReplaceAll(value, "-", " ")}, nil
	case key == "id":
		return hardware{id: value}, nil
	}
	return hardware{}, fmt.Errorf("%q is none of cc<7.5, cc>=8.0, cc=7.0, gfx1100, vendor:…, arch:…, id:…", s)
}

// is reports whether a card is of a kind; target is its software target.
func (h *hardware) is(c *Card, target string) bool {
	switch {
	case h.vendor != "":
		return c.Vendor == h.vendor
	case h.architecture != "":
		return c.Architecture == h.architecture
	case h.id != "":
		return strings.HasPrefix(c.ID, h.id)
	case h.target != "":
		return target == h.target
	}
	if c.Vendor != "NVIDIA" {
		return false
	}
	v, err := strconv.ParseFloat(target, 64)
	if err != nil {
		return false
	}
	switch h.op {
	case "<":
		return v < h.capability
	case ">=":
		return v >= h.capability
	}
	return v == h.capability
}

// Software are the facts that keep a job from a card, say that its software supports the card in
// part, or are disputed: one at most of each stack that the job runs on.
func Software(w *Workload, c *Card) []*SoftwareFact {
	return slices.DeleteFunc(softwareOf(w, c), func(f *SoftwareFact) bool {
		return f.Level == Supported && len(f.Against) == 0
	})
}

// softwareOf are the facts that hold, one at most of each stack that a job runs on.
func softwareOf(w *Workload, c *Card) []*SoftwareFact {
	if w.profile == nil || c.figures == nil {
		return nil
	}
	var out []*SoftwareFact
	target := c.figures.Text("compute_capability")
	for _, stack := range w.stacks() {
		if f := w.profile.software.find(stack, w, c, target); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// bySoftware groups facts by stack.
func bySoftware(list []SoftwareFact) softwareFacts {
	out := softwareFacts{}
	for _, f := range list {
		out[f.Stack] = append(out[f.Stack], f)
	}
	return out
}

// stacks are what a job runs on: its framework and what that runs its kernels by, PyTorch
// under those that train, and bitsandbytes for its formats.
func (w *Workload) stacks() []string {
	out := []string{w.profile.ID}
	if w.profile.Engine != "" && w.profile.Engine != w.profile.ID {
		out = append(out, w.profile.Engine)
	}
	if w.Task.Trains() && slices.Contains(w.profile.Backends, "cuda") && !slices.Contains(out, "pytorch") {
		out = append(out, "pytorch")
	}
	for _, prefix := range []string{"nf4", "bnb", "fp4"} {
		if strings.HasPrefix(w.Weights, prefix) {
			out = append(out, "bitsandbytes")
		}
	}
	return out
}

// find is the first fact of a stack that is about a job and a card; nil where none is.
func (s softwareFacts) find(stack string, w *Workload, c *Card, target string) *SoftwareFact {
	task := "serve"
	if w.Task.Trains() {
		task = "train"
	}
	facts := s[stack]
	for i := range facts {
		f := &facts[i]
		if f.Task != "" && f.Task != task {
			continue
		}
		starts := func(prefix string) bool { return strings.HasPrefix(w.Weights, prefix) }
		if len(f.weights) > 0 && !slices.ContainsFunc(f.weights, starts) {
			continue
		}
		if slices.ContainsFunc(f.hardware, func(h hardware) bool { return h.is(c, target) }) {
			return f
		}
	}
	return nil
}

// others are the frameworks that are tried, in this order, where the usual one does not run on
// a card: the makers' own builds before those of everybody.
var others = []struct {
	framework, weights string
	serves             bool // for serving too; others only make do there
}{
	{framework: "vllm", serves: true}, {framework: "vllm-ascend", serves: true}, {framework: "mindie", serves: true},
	{framework: "vllm-maker", serves: true}, {framework: "vllm-neuron", serves: true},
	{framework: "sglang", serves: true}, {framework: "mlx", serves: true}, {framework: "transformers"},
	{framework: "llama-factory"}, {framework: "mindspeed"}, {framework: "transformers-maker"}, {framework: "maxtext"},
	{framework: "mlx", weights: "mlx-4bit"}, {framework: "llama.cpp"},
}

// instead is a framework that runs a job on a card where the usual one does not, and weights that
// it needs where nobody asked for others; empty where none does. The job has no framework yet.
func (a *Estimator) instead(w *Workload, c *Card, weightsChosen bool) (framework, weights, why string) {
	for _, o := range others {
		job := *w
		job.Framework = o.framework
		if o.weights != "" {
			if !weightsChosen || w.Task != QLoRA {
				continue
			}
			job.Weights = o.weights
		}
		if !a.runs(o.framework, w.Task) {
			continue
		}
		job.Prepare(a.Profiles, a.Formats)
		if job.profile == nil || !runsOn(&job, c) || !a.reads(job.profile, &job) || !isNamed(&job, c) {
			continue
		}
		if !w.Task.Trains() && !o.serves {
			return o.framework, o.weights, "makes_do"
		}
		return o.framework, o.weights, "usual_not_on_card"
	}
	return "", "", ""
}

// isNamed reports whether documents of a framework say that it runs a job on a card: what the
// usual framework refuses is not taken to run elsewhere because nobody says anything.
func isNamed(w *Workload, c *Card) bool {
	return slices.ContainsFunc(softwareOf(w, c), func(f *SoftwareFact) bool {
		return f.Stack == w.profile.ID || f.Stack == w.profile.Engine
	})
}

// runsOn reports whether a framework has a build for a card, and nothing is said against it.
func runsOn(w *Workload, c *Card) bool {
	if !w.profile.builtFor(c) {
		return false
	}
	return !slices.ContainsFunc(Software(w, c), func(f *SoftwareFact) bool { return f.Level == Unsupported })
}

// reads reports whether a framework takes the weights of a job.
func (a *Estimator) reads(p *Profile, w *Workload) bool {
	f := a.Formats.Find(w.Weights)
	if f == nil || f.Bits >= 16 || len(p.Formats) == 0 {
		return p.ID != "mlx" || f == nil || f.Bits >= 16 || strings.HasPrefix(w.Weights, "mlx")
	}
	return isGGUF(f.ID) && slices.Contains(p.Formats, "gguf") || slices.ContainsFunc(p.Formats, func(id string) bool {
		g := a.Formats.Find(id)
		return g != nil && g.ID == f.ID
	})
}

// fewFrameworks is why a card stands after those on which most trainers run.
const fewFrameworks = "few_frameworks"

// trainedOn are the backends of PyTorch and others by the maker of a card.
var trainedOn = map[string][]string{"NVIDIA": {"cuda"}, "AMD": {"rocm"}, "Intel": {"xpu", "hpu"},
	"Apple": {"mps", "metal"}, "Huawei": {"npu"}, "Google": {"tpu"}}

// isRare reports whether fewer than half of the frameworks that do a training job, and say
// what hardware they run on, run on that of a card's maker: who chooses another tomorrow, or
// follows a guide, stands alone.
func (a *Estimator) isRare(w *Workload, c *Card) bool {
	if !w.Task.Trains() {
		return false
	}
	all, here := 0, 0
	for i := range a.Profiles.All {
		p := &a.Profiles.All[i]
		if len(p.Backends) == 0 || !p.does(w) {
			continue
		}
		all++
		if slices.ContainsFunc(trainedOn[c.Vendor], func(b string) bool { return slices.Contains(p.Backends, b) }) {
			here++
		}
	}
	return 2*here < all
}
