package live

import (
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

// Confidence says by what a device was matched to a card.
type Confidence string

// Confidences, the best first.
const (
	ByPCISubsystem Confidence = "pci-subsystem" // PCI id with the id of the subsystem
	ByPCI          Confidence = "pci"           // PCI id, which one card has
	ByPCIMemory    Confidence = "pci-memory"    // PCI id that several cards have, told apart by memory
	ByPCIName      Confidence = "pci-name"      // PCI id that several cards have, told apart by name
	ByName         Confidence = "name"          // name, which one card has
	ByNameMemory   Confidence = "name-memory"   // name that several cards have, told apart by memory
	Ambiguous      Confidence = "ambiguous"     // several cards, or one that something speaks against
	Unmatched      Confidence = "none"
)

// Message is the key of the message that says it.
func (c Confidence) Message() string { return "live.match." + string(c) }

// Matched is which card of a snapshot a device is.
type Matched struct {
	Row        int // of the snapshot; -1 when it is ambiguous or none
	Confidence Confidence
	Candidates []int // the rows that it may be, when it is ambiguous; there may be one
	// Devices is how many devices a host sees of one such card: 4 for an A16, else 1.
	Devices int
	// Partial: the device is a slice or a virtual GPU; the card is the whole that it
	// is a part of.
	Partial bool
}

// OK reports whether the device was matched to one card.
func (m Matched) OK() bool { return m.Row >= 0 }

// Match finds the card that a device is: by PCI id and subsystem, by PCI id and
// memory, by its exact name and memory. It guesses nothing: where several cards
// remain, where name and PCI id speak of different cards, or where the device has
// less memory than the card, the match is ambiguous. More memory than the card as
// sold has is no obstacle: modified cards have it.
func Match(s *catalog.Snapshot, d *Device) Matched {
	e := evidence{s: s, d: d, partial: d.Kind != Physical}
	if !strings.Contains(d.Name, ":") {
		e.named = nameRows(s, wholeName(d))
	}
	row, how, rows := e.decide()
	m := Matched{Row: row, Confidence: how, Candidates: rows, Devices: 1, Partial: e.partial}
	if row >= 0 {
		m.Devices = devices(s, row)
	}
	return m
}

// MatchFrame matches every device of a frame by its UUID. A slice is what the card
// is that it was cut from, when that is in the frame.
func MatchFrame(s *catalog.Snapshot, f *Frame) map[string]Matched {
	out := map[string]Matched{}
	for h := range f.Hosts {
		for i := range f.Hosts[h].Devices {
			d := &f.Hosts[h].Devices[i]
			out[d.UUID] = Match(s, d)
		}
	}
	for h := range f.Hosts {
		for i := range f.Hosts[h].Devices {
			d := &f.Hosts[h].Devices[i]
			if whole, ok := out[d.Parent]; ok && d.Parent != d.UUID && d.Kind == Slice {
				whole.Partial = true
				out[d.UUID] = whole
			}
		}
	}
	return out
}

// evidence is what is known of a device that tells cards apart.
type evidence struct {
	s       *catalog.Snapshot
	d       *Device
	named   []int // the cards that have its name
	partial bool
}

func (e evidence) decide() (row int, how Confidence, rows []int) {
	device, full := idsOf(e.d)
	if device == "" {
		return e.byName(device)
	}
	rows = having(e.s, device)
	exact := keep(rows, func(row int) bool { return full != "" && lists(e.s.Card(row), full) })
	switch {
	case len(rows) == 0:
		return e.byName(device)
	case len(exact) == 1 && !e.disputes(exact[0]):
		return e.settle(exact, ByPCISubsystem)
	}
	return e.among(rows, device)
}

// among decides between the cards that have the device's PCI id.
func (e evidence) among(rows []int, device string) (int, Confidence, []int) {
	undisputed := keep(rows, func(row int) bool { return !e.disputes(row) })
	switch {
	case len(undisputed) == 0:
		return -1, Ambiguous, union(rows, e.named)
	case len(rows) == 1:
		if !lists(e.s.Card(rows[0]), device) && !slices.Contains(e.named, rows[0]) {
			return -1, Ambiguous, rows // another product may have this id with another subsystem
		}
		return e.settle(rows, ByPCI)
	}
	if fit := keep(undisputed, e.fits); len(fit) == 1 && len(fit) < len(undisputed) && e.sized() {
		return e.settle(fit, ByPCIMemory)
	} else if both := keep(fit, e.isNamed); len(both) == 1 {
		return e.settle(both, ByPCIName)
	} else if len(fit) > 0 {
		return -1, Ambiguous, fit
	}
	return -1, Ambiguous, rows
}

// byName decides when no card has the device's PCI id, or when it is not known. A
// card of which other PCI ids are known is not the device.
func (e evidence) byName(device string) (int, Confidence, []int) {
	if len(e.named) == 0 {
		return -1, Unmatched, nil
	}
	possible := keep(e.named, func(row int) bool { return !contradicts(e.s.Card(row), device) })
	fit := keep(possible, e.fits)
	switch {
	case len(possible) == 0:
		return -1, Ambiguous, e.named
	case len(possible) == 1 && len(e.named) == 1 && device == "" && e.hasLaptopTwin(possible[0]):
		return -1, Ambiguous, union(possible, nameRows(e.s, wholeName(e.d)+" laptop"))
	case len(possible) == 1 && len(e.named) == 1:
		return e.settle(possible, ByName)
	case len(fit) == 1 && e.sized():
		return e.settle(fit, ByNameMemory)
	case len(fit) > 1:
		return -1, Ambiguous, fit
	}
	return -1, Ambiguous, possible
}

// hasLaptopTwin reports whether there is a laptop's card to which drivers give the
// same name: they did so up to the generation Turing.
func (e evidence) hasLaptopTwin(row int) bool {
	return e.s.Card(row).Architecture == "Turing" && len(nameRows(e.s, wholeName(e.d)+" laptop")) > 0
}

// settle answers with the one row, unless the device has less memory than the card.
func (e evidence) settle(rows []int, how Confidence) (int, Confidence, []int) {
	if share, ok := e.memoryShare(rows[0]); ok && share < leastMemory {
		return -1, Ambiguous, rows
	}
	return rows[0], how, nil
}

// Shares of the memory as sold that a device may report. Drivers keep up to a tenth
// to themselves, error correction included: an A10 reports 0.92, a T4 0.92, an H100
// 0.995. Vendors' GB of memory are 2^30 bytes.
const (
	leastMemory = 0.88
	mostMemory  = 1.04
)

// memoryShare is the device's memory over that of the card as sold; false when
// either is not known or does not tell the card.
func (e evidence) memoryShare(row int) (float64, bool) {
	if !e.sized() {
		return 0, false
	}
	total, _ := e.d.Get(MemoryTotal)
	sold, ok := e.s.Figures(row).Number("memory_gb")
	return total * float64(devices(e.s, row)) / (sold * gib), ok && sold > 0
}

// sized reports whether the device's memory says anything about the card.
func (e evidence) sized() bool {
	total, ok := e.d.Get(MemoryTotal)
	return ok && total > 0 && !e.partial && !e.d.Unified
}

// fits reports whether the device's memory is that of the card, or says nothing.
func (e evidence) fits(row int) bool {
	share, ok := e.memoryShare(row)
	return !ok || share >= leastMemory && share <= mostMemory
}

func (e evidence) isNamed(row int) bool { return slices.Contains(e.named, row) }

// disputes reports whether the device's name speaks against a card that has its PCI
// id: it is the name of other cards, or has a word of a variant that no name of the
// card has ("Ti", "Max-Q", "2000E"). Drivers call some laptops' cards as those of
// desktops. Virtual GPUs have names of their own.
func (e evidence) disputes(row int) bool {
	switch name := wholeName(e.d); {
	case name == "" || e.isNamed(row) || e.d.Kind == Virtual:
		return false
	case len(e.named) > 0:
		return !slices.Contains(nameRows(e.s, name+" laptop"), row)
	default:
		return !nameCovers(e.s.Card(row), name)
	}
}

// nameCovers reports whether every word of a normal name that may tell variants
// apart is in one of the card's names.
func nameCovers(c *catalog.Card, name string) bool {
	known := map[string]bool{}
	for _, own := range append([]string{c.Vendor, c.Name, c.ID}, c.Aliases...) {
		for _, word := range strings.Fields(NormalName(own)) {
			known[word] = true
		}
	}
	return !slices.ContainsFunc(strings.Fields(name), func(word string) bool { return !known[word] && !indifferent.MatchString(word) })
}

// indifferent are words of names that are alike for all variants, or for which there
// is better evidence: sizes of memory.
var indifferent = regexp.MustCompile(`^(gpu|graphics|device|adapter|generation|series|design|with|edition|corporation|\d+gb)$`)

// nameRows returns the cards that have a normal name, with or without the words
// that drivers of some age put in front.
func nameRows(s *catalog.Snapshot, name string) []int {
	if name == "" {
		return nil
	}
	for _, before := range []string{"", "nvidia ", "tesla "} {
		if rows := s.Resolve(before + name); len(rows) > 0 {
			return rows
		}
	}
	return nil
}

// devicesOf are the cards of which a host sees several devices, each with its share
// of memory, rates and power. No figure of the catalogue says so.
var devicesOf = map[string]int{
	"nvidia-a16": 4, "nvidia-tesla-m10": 4, "nvidia-tesla-m60": 2, "nvidia-tesla-k80": 2,
	"amd-instinct-mi250": 2, "amd-instinct-mi250x": 2,
	"huawei-ascend-910c": 2, "huawei-atlas-300i-duo": 2,
}

func devices(s *catalog.Snapshot, row int) int { return max(1, devicesOf[s.Card(row).ID]) }

func keep(rows []int, f func(int) bool) []int {
	var out []int
	for _, row := range rows {
		if f(row) {
			out = append(out, row)
		}
	}
	return out
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
