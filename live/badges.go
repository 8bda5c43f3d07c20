package live

import (
	"slices"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/sorting"
)

// Severity is that of a badge.
type Severity string

// Severities.
const (
	Info    Severity = "info"    // context for the readings
	Warning Severity = "warning" // the device is slower or smaller than it could be
	Fault   Severity = "fault"   // the device needs attention
)

// A Badge is a condition of a device.
type Badge struct {
	Key      string
	Args     []Arg // of the message, in order
	Severity Severity
	variant  string // of the message: "-held" and "-full" of a reason for reduced clocks whose clock is known
}

// Message is the key of the message for it.
func (b Badge) Message() string { return "live.badge." + b.Key + b.variant }

// An Arg is an argument of a message: a number with its unit, or a text that is the same in all languages.
type Arg struct {
	Number float64
	Unit   string // GiB, GB, W, s, "" for a count
	Text   string
}

// A Moment is the time by which the readings of a frame are judged.
type Moment struct {
	Taken time.Time // of the frame
	Now   time.Time
	Fresh time.Duration // older readings are stale; 0: none is
}

// Age is the age of the newest reading of a device; false when it has none.
func (d *Device) Age(at Moment) (time.Duration, bool) {
	var newest time.Time
	for _, r := range d.Readings {
		taken := r.Taken
		if taken.IsZero() {
			taken = at.Taken
		}
		if taken.After(newest) {
			newest = taken
		}
	}
	return max(0, at.Now.Sub(newest)), len(d.Readings) > 0
}

// Badges lists the conditions of a device: faults first, then warnings, then information.
func Badges(s *catalog.Snapshot, m Matched, d *Device, at Moment) []Badge {
	b := badger{s: s, d: d, m: m}
	if m.OK() {
		b.figures, b.likely = s.Figures(m.Row), s.Figures(m.Row)
	} else if len(m.Candidates) == 1 {
		b.likely = s.Figures(m.Candidates[0])
	}
	b.problem()
	b.age(at)
	b.errors()
	b.throttled()
	b.mismatches()
	b.nature()
	sorting.Func(b.out, func(a, c Badge) int { return rank(a.Severity) - rank(c.Severity) })
	return b.out
}

func rank(s Severity) int { return slices.Index([]Severity{Fault, Warning, Info}, s) }

type badger struct {
	s       *catalog.Snapshot
	d       *Device
	m       Matched
	figures catalog.Figures // of the card; nil without a match
	likely  catalog.Figures // of the card or, without a match, of the only candidate
	out     []Badge
}

func (b *badger) add(s Severity, key string, args ...Arg) {
	b.out = append(b.out, Badge{Key: key, Args: args, Severity: s})
}

// rated is a figure of the matched card.
func (b *badger) rated(id string) (float64, bool) {
	if b.figures == nil {
		return 0, false
	}
	return b.figures.Number(id)
}

func (b *badger) problem() {
	switch p := b.d.Problem; p {
	case "":
	case "lost", "reset-required", "no-power":
		b.add(Fault, p)
	case "no-permission", "blocked", "unreadable":
		b.add(Warning, p)
	default:
		b.add(Warning, "problem", Arg{Text: p})
	}
	if n := len(b.d.Hidden); n > 0 {
		b.add(Info, "hidden", count(n))
	}
}

func count(n int) Arg { return Arg{Number: float64(n)} }

func (b *badger) age(at Moment) {
	if age, ok := b.d.Age(at); ok && at.Fresh > 0 && age > at.Fresh {
		b.add(Warning, "stale", Arg{Number: age.Round(time.Second).Seconds(), Unit: "s"})
	}
}

func (b *badger) errors() {
	for _, e := range []struct {
		m        Metric
		key      string
		severity Severity
	}{{RowRemapFailure, "remap-failure", Fault}, {ECCUncorrected, "ecc", Fault}, {RemappedRows, "remapped", Warning}} {
		if n, _ := b.d.Get(e.m); n > 0 {
			b.add(e.severity, e.key, Arg{Number: n})
		}
	}
	if x, _ := b.d.Get(LastXID); x > 0 {
		b.add(XIDSeverity(int(x)), "xid", Arg{Number: x})
	}
}

// throttled adds the reasons for reduced clocks. The power limit is only information, as busy cards normally run at it.
func (b *badger) throttled() {
	for _, t := range b.d.Throttle {
		switch t {
		case ThrottleHardwareThermal, ThrottleHardware, ThrottlePowerBrake:
			b.slowed(Fault, t)
		case ThrottleThermal:
			b.slowed(Warning, t)
		case ThrottlePowerCap:
			b.slowed(Info, t)
		}
	}
}

// fullClock is the least share of the highest clock that counts as all of it.
const fullClock = 0.97

// slowed adds a reason for reduced clocks with the clock of now and the highest: that of the card, or else of the
// driver. Both are read at moments of their own, so that the driver may name a reason while the clock is full.
func (b *badger) slowed(s Severity, t Throttle) {
	out := Badge{Key: "throttle-" + string(t), Severity: s}
	now, ok := b.d.Get(SMClock)
	most, known := b.rated("boost_clock_mhz")
	if !known {
		most = b.d.MaxSMClock
	}
	if ok && now > 0 && most > 0 {
		out.Args = []Arg{{Number: now, Unit: "MHz"}, {Number: most, Unit: "MHz"}}
		out.variant = "-held"
		if now >= fullClock*most {
			out.variant = "-full"
		}
	}
	b.out = append(b.out, out)
}

// mismatches adds the differences between the device and its card as sold. A part of a card has none.
func (b *badger) mismatches() {
	if b.m.Partial || b.d.Problem != "" {
		return
	}
	b.memory()
	b.powerLimit()
	b.pcie()
	b.nvlinks()
}

// memory differs when it is more than 10 % above that of the card, or below what drivers leave of it.
func (b *badger) memory() {
	total, ok := b.d.Get(MemoryTotal)
	if !ok || b.likely == nil || b.d.Unified || !(total > 0) {
		return
	}
	sold, known := b.likely.Number("memory_gb")
	if !known || !(sold > 0) {
		return
	}
	sold /= float64(max(1, b.m.Devices))
	if share := total / gib / sold; share > 1.1 || share < leastMemory {
		b.add(Warning, "memory", Arg{Number: total / gib, Unit: "GiB"}, Arg{Number: sold, Unit: "GB"})
	}
}

// powerLimit adds a limit below the default of the board, set by an administrator, or below the rating of the card,
// perhaps set by the maker of the board. The power of laptops differs by maker, so they are not compared.
func (b *badger) powerLimit() {
	limit, ok := b.d.Get(PowerLimit)
	rated, known := b.rated("tdp_w")
	if !ok || b.portable() || b.d.Unified {
		return
	}
	made, isMade := b.d.Get(PowerDefaultLimit)
	rated /= float64(max(1, b.m.Devices))
	const near = 0.97 // drivers round limits
	switch {
	case isMade && limit < made*near:
		b.add(Warning, "power-limit", Arg{Number: limit, Unit: "W"}, Arg{Number: made, Unit: "W"})
	case known && limit < rated*near:
		severity := Info
		if !isMade {
			severity = Warning
		}
		b.add(severity, "power-rating", Arg{Number: limit, Unit: "W"}, Arg{Number: rated, Unit: "W"})
	}
}

// portable reports whether the card is one of laptops, or may be. Up to the generation Turing drivers give laptop and
// desktop cards the same names, so that only a match distinguishes them.
func (b *badger) portable() bool {
	if b.figures != nil {
		return portable(b.figures)
	}
	name := " " + NormalName(b.d.Name) + " "
	says := func(word string) bool { return strings.Contains(name, " "+word+" ") }
	return slices.ContainsFunc([]string{"laptop", "mobile", "max q"}, says) ||
		len(b.m.Candidates) == 0 && slices.ContainsFunc([]string{"geforce", "quadro", "rtx"}, says) ||
		slices.ContainsFunc(b.m.Candidates, func(row int) bool {
			return portable(b.s.Figures(row)) || b.s.Card(row).Architecture == "Turing"
		})
}
