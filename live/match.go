package live

import (
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

// Confidence is the evidence by which a device was matched to a card.
type Confidence string

// Confidences, the best first.
const (
	ByPCISubsystem Confidence = "pci-subsystem" // PCI id with the id of the subsystem
	ByPCI          Confidence = "pci"           // PCI id, which one card has
	ByPCIMemory    Confidence = "pci-memory"    // PCI id that several cards have, distinguished by memory
	ByPCIName      Confidence = "pci-name"      // PCI id that several cards have, distinguished by name
	ByName         Confidence = "name"          // name, which one card has
	ByNameMemory   Confidence = "name-memory"   // name that several cards have, distinguished by memory
	Ambiguous      Confidence = "ambiguous"     // several cards, or one with evidence against it
	Unmatched      Confidence = "none"
)

// Message is the key of the message for it.
func (c Confidence) Message() string { return "live.match." + string(c) }

// Matched is which card of a snapshot a device is.
type Matched struct {
	Row        int // of the snapshot; -1 when it is ambiguous or none
	Confidence Confidence
	Candidates []int // rows, when it is ambiguous; there may be one
	Devices    int   // that one such card has: 4 for an A16, else 1
	Partial    bool  // the device is a slice or a virtual GPU; the card is the whole
}

// OK reports whether the device is matched to one card.
func (m Matched) OK() bool { return m.Row >= 0 }

// Match finds the card that a device is: by PCI id and subsystem, by PCI id and memory, by exact name and memory. It
// does not guess. The match is ambiguous when several cards remain, when name and PCI id name different cards, or when
// the device has less memory than the card. More memory is no contradiction, as modified cards have it.
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

// MatchFrame matches all devices of a frame; the key is the UUID. A slice has the match of its parent when that is in
// the frame.
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

// WithCards is a frame whose devices bear the id of the card that each was matched to, if it was.
func WithCards(s *catalog.Snapshot, f Frame) Frame {
	matched := MatchFrame(s, &f)
	f.Hosts = slices.Clone(f.Hosts)
	for i := range f.Hosts {
		devices := slices.Clone(f.Hosts[i].Devices)
		for j := range devices {
			devices[j].Card = ""
			if m := matched[devices[j].UUID]; m.OK() {
				devices[j].Card = s.Card(m.Row).ID
			}
		}
		f.Hosts[i].Devices = devices
	}
	return f
}

// evidence is what is known of a device.
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
	exact := filter(rows, func(row int) bool { return full != "" && lists(e.s.Card(row), full) })
	switch {
	case len(rows) == 0:
		return e.byName(device)
	case len(exact) == 1 && !e.disputes(exact[0]):
		return e.accept(exact, ByPCISubsystem)
	}
	return e.among(rows, device)
}

// among chooses from the cards that have the device's PCI id.
func (e evidence) among(rows []int, device string) (int, Confidence, []int) {
	undisputed := filter(rows, func(row int) bool { return !e.disputes(row) })
	switch {
	case len(undisputed) == 0:
		return -1, Ambiguous, union(rows, e.named)
	case len(rows) == 1:
		if !lists(e.s.Card(rows[0]), device) && !slices.Contains(e.named, rows[0]) {
			return -1, Ambiguous, rows // another product may have this id with another subsystem
		}
		return e.accept(rows, ByPCI)
	}
	if fit := filter(undisputed, e.fits); len(fit) == 1 && len(fit) < len(undisputed) && e.sized() {
		return e.accept(fit, ByPCIMemory)
	} else if both := filter(fit, e.isNamed); len(both) == 1 {
		return e.accept(both, ByPCIName)
	} else if len(fit) > 0 {
		return -1, Ambiguous, fit
	}
	return -1, Ambiguous, rows
}

// byName chooses by name: the PCI id is not known, or no card has it. A card with other PCI ids is not the device.
func (e evidence) byName(device string) (int, Confidence, []int) {
	if len(e.named) == 0 {
		return -1, Unmatched, nil
	}
	possible := filter(e.named, func(row int) bool { return !contradicts(e.s.Card(row), device) })
	fit := filter(possible, e.fits)
	switch {
	case len(possible) == 0:
		return -1, Ambiguous, e.named
	case len(possible) == 1 && len(e.named) == 1 && device == "" && e.hasLaptopTwin(possible[0]):
		return -1, Ambiguous, union(possible, nameRows(e.s, wholeName(e.d)+" laptop"))
	case len(possible) == 1 && len(e.named) == 1:
		return e.accept(possible, ByName)
	case len(fit) == 1 && e.sized():
		return e.accept(fit, ByNameMemory)
	case len(fit) > 1:
		return -1, Ambiguous, fit
	}
	return -1, Ambiguous, possible
}

// hasLaptopTwin reports whether a laptop card has the same name in drivers. Up to the generation Turing they do.
func (e evidence) hasLaptopTwin(row int) bool {
	return e.s.Card(row).Architecture == "Turing" && len(nameRows(e.s, wholeName(e.d)+" laptop")) > 0
}

// accept returns the first of rows as the match. When the device has less memory than that card, it is ambiguous.
func (e evidence) accept(rows []int, how Confidence) (int, Confidence, []int) {
	if share, ok := e.memoryShare(rows[0]); ok && share < leastMemory {
		return -1, Ambiguous, rows
	}
	return rows[0], how, nil
}

// Shares of the memory as sold that a device may report. Drivers reserve up to a tenth, error correction included: an
// A10 reports 0.92, a T4 0.92, an H100 0.995. A GB of memory, as vendors count, is 2^30 bytes.
const (
	leastMemory = 0.88
	mostMemory  = 1.04
)

// memoryShare is the device's memory divided by that of the card as sold; false when either is not known or is no
// evidence.
func (e evidence) memoryShare(row int) (float64, bool) {
	if !e.sized() {
		return 0, false
	}
	total, _ := e.d.Get(MemoryTotal)
	sold, ok := e.s.Figures(row).Number("memory_gb")
	return total * float64(devices(e.s, row)) / (sold * gib), ok && sold > 0
}

// sized reports whether the device's memory is evidence: not that of a part or of the host.
func (e evidence) sized() bool {
	total, ok := e.d.Get(MemoryTotal)
	return ok && total > 0 && !e.partial && !e.d.Unified
}

// fits reports whether the device's memory is that of the card, or is no evidence.
func (e evidence) fits(row int) bool {
	share, ok := e.memoryShare(row)
	return !ok || share >= leastMemory && share <= mostMemory
}

func (e evidence) isNamed(row int) bool { return slices.Contains(e.named, row) }

// disputes reports whether the device's name contradicts a card that has its PCI id: it is the name of other cards, or
// it has the word of a variant ("Ti", "Max-Q", "2000E") that no name of the card has. Drivers give some laptop cards
// the names of desktop cards. Virtual GPUs have names of their own.
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

// nameCovers reports whether the names of the card have every word of a normal name that could be one of a variant.
func nameCovers(c *catalog.Card, name string) bool {
	known := map[string]bool{}
	for _, own := range append([]string{c.Vendor, c.Name, c.ID}, c.Aliases...) {
		for _, word := range strings.Fields(NormalName(own)) {
			known[word] = true
		}
	}
	return !slices.ContainsFunc(strings.Fields(name), func(word string) bool {
		return !known[word] && !generic.MatchString(word)
	})
}

// generic matches words of names that distinguish no variants, and sizes of memory, for which there is better evidence.
var generic = regexp.MustCompile(
	`^(gpu|graphics|device|adapter|generation|series|design|with|edition|corporation|\d+gb)$`)

// nameRows returns the cards that have a normal name, with or without the prefixes of older drivers.
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

// devicesOf is the number of devices of a card, each with its share of memory, rates and power. The catalogue has no
// such quantity.
var devicesOf = map[string]int{
	"nvidia-a16": 4, "nvidia-tesla-m10": 4, "nvidia-tesla-m60": 2, "nvidia-tesla-k80": 2,
	"amd-instinct-mi250": 2, "amd-instinct-mi250x": 2,
	"huawei-ascend-910c": 2, "huawei-atlas-300i-duo": 2,
}

// DevicesOf is the number of devices that drivers report of a card of a snapshot.
func DevicesOf(s *catalog.Snapshot, row int) int { return devices(s, row) }

func devices(s *catalog.Snapshot, row int) int { return max(1, devicesOf[s.Card(row).ID]) }

func filter(rows []int, f func(int) bool) []int {
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
