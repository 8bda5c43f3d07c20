package sizing

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

const (
	gib  = 1 << 30
	mib  = 1 << 20
	tera = 1e12
	giga = 1e9
)

// CardOf reads the figures that estimates use from a card of the catalogue. Unknown
// figures stay zero.
//
// Memory is sold in GB that are GiB: a "24 GB" card has 24·2³⁰ bytes of DRAM
// (nvidia-smi prints 24576 MiB for an RTX 3090). The catalogue adds both directions
// of the links between cards; Link is half of it.
func CardOf(id string, f catalog.Figures) *Card {
	get := func(id string, unit float64) float64 {
		v, _ := f.Number(id)
		return v * unit
	}
	first := func(ids ...string) float64 {
		for _, id := range ids {
			if v := get(id, tera); v > 0 {
				return v
			}
		}
		return 0
	}
	c := &Card{
		ID: id, Name: f.Text("name"), Vendor: f.Text("vendor"), Architecture: f.Text("architecture"),
		Segment: f.Text("segment"), Kind: f.Text("kind"),
		MemoryType: f.Text("memory_type"),
		Memory:     get("memory_gb", gib), Bandwidth: get("memory_bandwidth_gb_s", giga),
		Link: get("interconnect_gb_s", giga) / 2, Power: get("tdp_w", 1),
		FP32: first("fp32_matrix_dense_tflops", "fp32_vector_tflops"), TF32: first("tf32_matrix_dense_tflops"),
		FP16: first("fp16_matrix_dense_tflops", "fp16_vector_tflops"), BF16: first("bf16_matrix_dense_tflops",
			"bf16_vector_tflops"),
		FP8: first("fp8_matrix_dense_tflops"), INT8: first("int8_matrix_dense_tops", "int8_vector_tops"),
		FP4:     first("fp4_matrix_dense_tflops"),
		figures: f,
	}
	if n, ok := f.Number("ics_per_card"); ok && n > 1 { // a job runs on one of them
		c.ICs = int(n)
		for _, v := range []*float64{&c.Memory, &c.Bandwidth, &c.FP32, &c.TF32, &c.FP16, &c.BF16, &c.FP8, &c.INT8,
			&c.FP4} {
			*v /= n
		}
	}
	c.generation, c.chip = generationOf(c), chipOf(c)
	generation, _ := f.Number("pcie_generation")
	lanes, _ := f.Number("pcie_lanes")
	c.PCIe = pcieRate(generation) * lanes
	c.Bridge = bridged(c, f.Text("form_factor"))
	c.Unified = isUnified(c.Vendor, f)
	c.Usable = usableMemory(c, f)
	return c
}

// isUnified reports whether a card has no memory of its own: systems on a chip and
// modules, and AMD's MI300A, whose HBM its own CPU cores use.
func isUnified(vendor string, f catalog.Figures) bool {
	switch f.Text("form_factor") {
	case "Chip", "Module":
		return vendor == "Apple" || strings.HasPrefix(f.Text("memory_type"), "LPDDR")
	case "SH5 socket":
		return true
	}
	return false
}

// Parts of a card's memory that its driver does not report, measured as the
// difference from the DRAM: nvidia-smi prints 24564 MiB for an RTX 4090, 49140 for
// an RTX 6000 Ada; 81559 of 81920 for an H100, 143771 of 144384 for an H200.
const (
	gddrReserve = 12 * mib
	hbmReserve  = 0.0044
	// Error correction takes one sixteenth of GDDR6: 46068 MiB of an L40S, 23028 of an
	// A10G, 15360 of a T4.
	gddrECC = 1.0 / 16
)

// usableMemory is the memory that a driver is expected to report, for cards without a
// known report.
func usableMemory(c *Card, f catalog.Figures) float64 {
	memory := f.Text("memory_type")
	switch {
	case c.Memory == 0:
		return 0
	case c.Vendor == "Apple":
		return appleUsable(c.Memory)
	case c.Unified:
		return c.Memory * (1 - hbmReserve)
	case strings.HasPrefix(memory, "GDDR") && c.Segment == "datacenter" && f.Text("ecc") == "true":
		return c.Memory*(1-gddrECC) - gddrReserve
	case strings.HasPrefix(memory, "HBM"):
		return c.Memory * (1 - hbmReserve)
	}
	return max(0, c.Memory-gddrReserve)
}

// appleUsable is Metal's recommendedMaxWorkingSetSize, as llama.cpp prints it: two
// thirds of the memory of small machines (10922.67 MiB of 16 GiB) and three
// quarters of larger ones (49152 MiB of 64 GiB, 147456 of 192).
func appleUsable(memory float64) float64 {
	if memory >= 64*gib {
		return memory * 3 / 4
	}
	return memory * 2 / 3
}

// withMemory is the card with another amount of memory of the same kind.
func (c *Card) withMemory(bytes float64) *Card {
	if c.Memory == bytes {
		return c
	}
	out := *c
	out.Memory = bytes
	out.Name += fmt.Sprintf(" %gGB", bytes/gib)
	switch {
	case c.Vendor == "Apple":
		out.Usable = appleUsable(bytes)
	case c.Memory > 0:
		out.Usable = c.Usable / c.Memory * bytes
	}
	return &out
}

// WithFree is the card with no more of its memory than is free, for jobs beside those
// that use the rest.
func (c *Card) WithFree(bytes float64) *Card {
	if !(bytes < c.Usable) {
		return c
	}
	out := *c
	out.Usable = max(0, bytes)
	return &out
}

// ReadUsable reads what drivers report as the memory of cards, in bytes by card id.
func ReadUsable(r io.Reader) (map[string]float64, error) {
	out := map[string]float64{}
	bad := readTable(r, func(rec *record) {
		id, v := rec.text("card"), rec.number("mib")
		if id == "" || v == 0 || rec.text("source") == "" {
			rec.problem("", "card, mib and source are needed")
			return
		}
		out[id] = v * mib
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("usable memory: %w", bad[0])
	}
	return out, nil
}

// A Variant is a version of a card of the catalogue with other figures, or another name
// of the card.
type Variant struct {
	Name      string // as people write it
	Card      string // id in the catalogue
	Memory    float64
	Bandwidth float64
	Power     float64 // watts that it was limited to
	Source    string
}

// ReadVariants reads a table of variants.
func ReadVariants(r io.Reader) ([]Variant, error) {
	var out []Variant
	bad := readTable(r, func(rec *record) {
		v := Variant{rec.text("name"), rec.text("card"), rec.number("memory_gb") * gib,
			rec.number("memory_bandwidth_gb_s") * giga, rec.number("power_w"), rec.text("source")}
		if v.Name == "" || v.Card == "" || v.Source == "" {
			rec.problem("", "name, card and source are needed")
			return
		}
		out = append(out, v)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("variants: %w", bad[0])
	}
	return out, nil
}

// A Resolver finds the card that a name in a table means. It is immutable and safe
// for concurrent use.
type Resolver struct {
	snapshot *catalog.Snapshot
	cards    []*Card
	byKey    rowsByKey // fullest names first
	variants map[string]*Card
}

// NewResolver makes the cards of a snapshot, with the memory that drivers report
// where it is known.
func NewResolver(s *catalog.Snapshot, usable, products map[string]float64, variants []Variant, links Links) *Resolver {
	r := &Resolver{snapshot: s, cards: make([]*Card, 0, s.Len()), byKey: newRowsByKey(s.Len()),
		variants: map[string]*Card{}}
	short := newRowsByKey(s.Len())
	for i := range s.Len() {
		entry := s.Card(i)
		c := CardOf(entry.ID, s.Figures(i))
		if v := usable[entry.ID]; v > 0 {
			c.Usable = v
		}
		c.ECC = strings.HasPrefix(c.MemoryType, "GDDR") && c.Segment == "datacenter" && c.Usable > 0 &&
			c.Usable <= c.Memory*(1-gddrECC)
		c.Staged = links.staged(c)
		r.cards = append(r.cards, c)
		for _, name := range append([]string{entry.ID, entry.Name}, entry.Aliases...) {
			d := describe(name)
			r.byKey.add(d.key(), int32(i))
			short.add(d.short(), int32(i))
		}
	}
	deriveRates(r.cards)
	deriveFromTwins(r.cards)
	deriveStreams(r.cards)
	deriveReach(r.cards, products)
	r.byKey.takeOver(short) // "3070" only where no card is called just that
	for _, v := range variants {
		if i, ok := s.Find(v.Card); ok {
			c := r.cards[i]
			if v.Memory > 0 {
				c = c.withMemory(v.Memory)
			}
			if v.Bandwidth > 0 || v.Power > 0 {
				copied := *c
				copied.Bandwidth, copied.Power = cmp.Or(v.Bandwidth, c.Bandwidth), cmp.Or(v.Power, c.Power)
				copied.Reach *= copied.powered() / c.powered()
				c = &copied
			}
			r.variants[normalize(v.Name)] = c
		}
	}
	return r
}

// All are the cards in the order of the catalogue.
func (r *Resolver) All() []*Card { return slices.Clone(r.cards) }

// Card returns the card with an id of the catalogue; nil where there is none.
func (r *Resolver) Card(id string) *Card {
	if i, ok := r.snapshot.Find(id); ok {
		return r.cards[i]
	}
	return nil
}

// Cards returns the cards that a name means: one where it is known, several where
// it is ambiguous, none where it is unknown. It knows the names of the catalogue and
// forgives the order of maker, form factor and memory size, which choose among
// variants. Of several, those are meant that the catalogue calls just so: "GB300" is not
// the workstation. Where a data-centre card was sold in several form factors and the name
// has none, the SXM module is meant, the common one. The name of a chip that shares
// its host's memory gets the memory in the name. "24 GB GPU" is a card of which
// nothing else is known. Nothing is guessed from likeness.
func (r *Resolver) Cards(name string) []*Card {
	name = clip(strings.TrimSpace(name))
	if c, ok := r.variants[normalize(name)]; ok {
		return []*Card{c}
	}
	if rows := r.snapshot.Resolve(name); len(rows) == 1 {
		return r.pick(rows)
	}
	d := describe(name)
	if d.key() == "" {
		if d.memory > 0 {
			return []*Card{{Name: name, Memory: d.memory * gib, Usable: d.memory*gib - gddrReserve,
				figures: noFigures{}}}
		}
		return nil
	}
	rows := r.byKey.rows(d.key())
	if len(rows) == 0 {
		rows = r.byKey.rows(d.short())
	}
	rows = slices.DeleteFunc(rows, func(i int) bool { return !d.matches(r.cards[i]) })
	rows = among(rows, r.snapshot.Resolve(strings.Join(d.words, " ")))
	if sxm := slices.DeleteFunc(slices.Clone(rows), func(i int) bool {
		return !strings.Contains(r.cards[i].Name, "SXM")
	}); len(rows) > 1 && len(sxm) > 0 && d.form == "" {
		rows = sxm
	}
	cards := r.pick(rows)
	for i, c := range cards {
		cards[i] = d.fit(c)
	}
	return cards
}

// among are the rows that are named, or all where none is.
func among(rows, named []int) []int {
	var out []int
	for _, i := range rows {
		if slices.Contains(named, i) {
			out = append(out, i)
		}
	}
	if len(out) > 0 {
		return out
	}
	return rows
}

// Suggest returns names of cards similar to an unknown one.
func (r *Resolver) Suggest(name string) []string {
	var out []string
	for _, i := range r.snapshot.Suggest(name, 3) {
		out = append(out, r.cards[i].Name)
	}
	return out
}

// noFigures is a card without known figures.
type noFigures struct{}

func (noFigures) Number(string) (float64, bool) { return 0, false }
func (noFigures) Text(string) string            { return "" }

func (r *Resolver) pick(rows []int) []*Card {
	out := make([]*Card, len(rows))
	for i, row := range rows {
		out[i] = r.cards[row]
	}
	return out
}

// A description is a parsed name of a card.
type description struct {
	words  []string // without maker, memory and form factor
	memory float64  // GB; 0 where it is not said
	kind   string   // of memory: "hbm2e"
	form   string   // "sxm", "pcie", "nvl"
	cores  float64  // of an Apple GPU
}

var (
	memorySize = regexp.MustCompile(`\b([0-9]+(?:\.[0-9]+)?) ?g(?:b|ib)?\b`)
	memoryKind = regexp.MustCompile(`\b(hbm[0-9]?e?|gddr[0-9]x?)\b`)
	formFactor = regexp.MustCompile(`\b(sxm|pcie|nvl)[0-9]*\b`)
	appleCores = regexp.MustCompile(`\b(?:[0-9]+p\+[0-9]+e\+)?([0-9]+)(?:gpu| core gpu| core|c gpu)\b`)
	chipParts  = regexp.MustCompile(`\(.*?\)`)
	makerWords = map[string]bool{"nvidia": true, "amd": true, "intel": true, "apple": true, "google": true,
		"instinct": true, "tesla": true, "gpu": true, "gpus": true, "graphics": true, "generation": true, "r": true,
		"tm": true, "card": true, "cards": true, "dlc": true, "integrated": true, "liquid": true, "tensor": true,
		"core": true, "edition": true}
	lineWords  = map[string]bool{"geforce": true, "radeon": true, "quadro": true}
	classWords = map[string]bool{"rtx": true, "gtx": true, "rx": true}
)

// describe takes a name apart. What stands in brackets counts after the
// name of NVIDIA’s generation alone: "NVIDIA Blackwell GPU (GB200)".
func describe(name string) description {
	var d description
	s := dashes.Replace(strings.ToLower(name))
	if inner := chipParts.FindString(s); strings.HasPrefix(s, "nvidia blackwell") && inner != "" {
		s = inner
	}
	s = brackets.Replace(s)
	// Most names have none of these: to look for what they need is quicker than to search them.
	if strings.Contains(s, "gpu") || strings.Contains(s, " core") {
		if m := appleCores.FindStringSubmatch(s); m != nil {
			d.cores, _ = strconv.ParseFloat(m[1], 64)
			s = strings.Replace(s, m[0], " ", 1)
		}
	}
	if mayHaveSize(s) {
		if m := memorySize.FindStringSubmatch(s); m != nil {
			d.memory, _ = strconv.ParseFloat(m[1], 64)
			s = strings.Replace(s, m[0], " ", 1)
		}
	}
	if strings.Contains(s, "hbm") || strings.Contains(s, "gddr") {
		if m := memoryKind.FindString(s); m != "" {
			d.kind = m
			s = strings.Replace(s, m, " ", 1)
		}
	}
	if strings.Contains(s, "sxm") || strings.Contains(s, "pcie") || strings.Contains(s, "nvl") {
		if m := formFactor.FindStringSubmatch(s); m != nil {
			d.form = m[1]
			s = strings.Replace(s, m[0], " ", 1)
		}
	}
	for _, w := range strings.Fields(s) {
		switch {
		case makerWords[w]:
		case w == "mobile":
			d.words = append(d.words, "laptop")
		case !slices.Contains(d.words, w): // "Apple M4 M4 Pro"
			d.words = append(d.words, w)
		}
	}
	return d
}

var (
	dashes   = strings.NewReplacer("‑", " ", "‐", " ", "–", " ", "_", " ", "-", " ", ",", " ")
	brackets = strings.NewReplacer("(", " ", ")", " ", "[", " ", "]", " ", "/", " ")
)

// mayHaveSize reports whether a g stands behind a digit, or behind a digit and a space, as in every size of a memory.
func mayHaveSize(s string) bool {
	isDigit := func(i int) bool { return i >= 0 && '0' <= s[i] && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == 'g' && (isDigit(i-1) || i > 0 && s[i-1] == ' ' && isDigit(i-2)) {
			return true
		}
	}
	return false
}

// key is what names are compared by; short leaves out the class, "RTX".
func (d description) key() string { return d.without(lineWords) }

func (d description) short() string {
	drop := maps.Clone(lineWords)
	maps.Copy(drop, classWords)
	return d.without(drop)
}

func (d description) without(drop map[string]bool) string {
	var b strings.Builder
	for _, w := range d.words {
		if !drop[w] {
			b.WriteString(w)
		}
	}
	return normalize(b.String())
}

// matches reports whether the description, apart from the model, agrees with a card.
func (d description) matches(c *Card) bool {
	form, kind := strings.ToLower(c.figures.Text("form_factor")), strings.ToLower(c.figures.Text("memory_type"))
	name := strings.ToLower(c.Name)
	switch {
	case d.form == "sxm" && !strings.HasPrefix(form, "sxm"),
		d.form == "pcie" && (!strings.HasPrefix(form, "pcie") || strings.Contains(name, "nvl")),
		d.form == "nvl" && !strings.Contains(name, "nvl"):
		return false
	case d.kind != "" && kind != "" && d.kind != kind:
		return false
	case d.memory > 0 && c.Unified:
		return d.memory*gib <= c.Memory
	}
	return d.memory == 0 || c.Memory == 0 || d.memory*gib == c.Memory
}

// fit gives a chip with shared memory the memory that its name says, and an Apple
// GPU with fewer cores the share of the rates that its cores have.
func (d description) fit(c *Card) *Card {
	if !c.Unified {
		return c
	}
	if d.memory > 0 {
		c = c.withMemory(d.memory * gib)
	}
	if units, ok := c.figures.Number("compute_units"); ok && d.cores > 0 && d.cores < units && c.Vendor == "Apple" {
		share := d.cores / units
		out := *c
		for _, rate := range []*float64{&out.FP32, &out.TF32, &out.FP16, &out.BF16, &out.FP8, &out.INT8, &out.FP4} {
			*rate *= share
		}
		c = &out
	}
	return c
}

// sameSpeed reports whether cards differ in nothing that speed depends on much.
func sameSpeed(cards []*Card) bool {
	for _, c := range cards[1:] {
		if c.Bandwidth != cards[0].Bandwidth || c.FP16 != cards[0].FP16 || c.Architecture != cards[0].Architecture {
			return false
		}
	}
	return true
}
