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

	weights  []string // beginnings of formats; none: all
	hardware []hardware
}

// hardware is a kind of card. One of its fields is set.
type hardware struct {
	vendor, architecture, id, target string // id is the beginning of one; target is AMD's name of the instruction set
	op                               string // "<", ">=", "=": of NVIDIA's compute capability
	capability                       float64
}

// ReadSoftware reads facts from a table: of those of a stack, the first that is about a job
// and a card holds.
func ReadSoftware(r io.Reader) ([]SoftwareFact, error) {
	table := csv.NewReader(r)
	table.FieldsPerRecord = 9
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
		}
		out = append(out, f)
	}
	return out, nil
}

// parseHardware reads "cc<7.5", "cc>=8.0", "gfx1100", "vendor:AMD", "arch:GCN-4" (a hyphen
// for a space) or "id:google-tpu-v5e".
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
		return hardware{vendor: value}, nil
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
	v, err := strconv.ParseFloat(target, 64)
	if c.Vendor != "NVIDIA" || err != nil {
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

// Software are the facts that keep a job from a card, or say that its software supports the
// card in part: one at most of each stack that the job runs on.
func Software(w *Workload, c *Card) []*SoftwareFact {
	if w.profile == nil || c.figures == nil {
		return nil
	}
	var out []*SoftwareFact
	target := c.figures.Text("compute_capability")
	for _, stack := range w.stacks() {
		if f := w.profile.fact(stack, w, c, target); f != nil && f.Level != Supported {
			out = append(out, f)
		}
	}
	return out
}

// stacks are what a job runs on: its framework, PyTorch under those that train, and
// bitsandbytes for its formats.
func (w *Workload) stacks() []string {
	own := w.profile.ID
	if w.profile.Engine != "" {
		own = w.profile.Engine
	}
	out := []string{own}
	if w.Task.Trains() && slices.Contains(w.profile.Backends, "cuda") {
		out = append(out, "pytorch")
	}
	for _, prefix := range []string{"nf4", "bnb", "fp4"} {
		if strings.HasPrefix(w.Weights, prefix) {
			out = append(out, "bitsandbytes")
		}
	}
	return out
}

// fact is the first that is about a job and a card; nil where none is.
func (p *Profile) fact(stack string, w *Workload, c *Card, target string) *SoftwareFact {
	task := "serve"
	if w.Task.Trains() {
		task = "train"
	}
	for i := range p.software {
		f := &p.software[i]
		if f.Stack != stack || f.Task != "" && f.Task != task {
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
