package live

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A promFamily is what one exporter publishes.
type promFamily struct {
	matcher  string // more than the names, where those are of common words
	metrics  map[string]rule
	identify func(labels map[string]string) (identity, bool)
	absent   func(v float64) bool // values that stand for none
}

// query selects the samples of the family in the window, with their own times: an
// instant vector would have the time of the query.
func (f *promFamily) query(selector string, window time.Duration) string {
	names := strings.Join(slices.Sorted(maps.Keys(f.metrics)), "|")
	parts := []string{fmt.Sprintf("__name__=~%q", names)}
	for _, s := range []string{f.matcher, selector} {
		s = strings.TrimSpace(s)
		s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
		if s = strings.Trim(s, " ,"); s != "" {
			parts = append(parts, s)
		}
	}
	return fmt.Sprintf("{%s}[%ds]", strings.Join(parts, ","), int(window.Seconds()))
}

// A rule says what a published metric is in our terms.
type rule struct {
	metric Metric
	scale  float64                       // to our unit
	steps  func(float64) (float64, bool) // instead of a scale
	rank   int                           // of several metrics for the same reading the lowest wins
	board  bool                          // of the card, also where labels name an instance of it
	only   string                        // "label=value|value": other series of the name are something else
	ratio  bool                          // a share, but one version gives percent; see utilUnits
}

// What is not a reading is passed on as one and becomes a field of the device.
const (
	fieldMemoryFree     Metric = "memory_free_bytes"
	fieldMaxSMClock     Metric = "max_sm_clock_mhz"
	fieldMaxMemoryClock Metric = "max_memory_clock_mhz"
	fieldPCI            Metric = "pci" // device<<16 | vendor
	fieldSubsystem      Metric = "subsystem"
	fieldPCIDevice      Metric = "pci_device" // without the vendor, or like fieldPCI
	fieldThrottle       Metric = "throttle"   // bits of the driver
	fieldMIGMode        Metric = "mig_mode"
	fieldPresent        Metric = "present" // only the labels count
)

// fieldReason prefixes a reason for which clocks are held down, as a share of time.
const fieldReason = "throttle:"

// An identity is what labels say of a device.
type identity struct {
	Device          // names and fields that labels tell
	key      string // unique in the fleet
	slice    string // which instance of it, "" for the whole
	profile  string // of the instance: 1g.10gb
	host     string
	hostRank int  // 0: the exporter named it
	blind    bool // a partition, which has no sensors of its own
	driver   string
	runtime  string
	serial   string
}

// A draft is a device of which series are still to come.
type draft struct {
	identity
	picks map[Metric]pick
	every time.Duration // from one sample to the next
}

type pick struct {
	value float64
	at    time.Time
	rank  int
}

// before tells which of two picks is taken. It does not depend on their order.
func (p pick) before(q pick) bool {
	return cmp.Or(cmp.Compare(p.rank, q.rank), q.at.Compare(p.at), cmp.Compare(q.value, p.value)) < 0
}

// A fleet gathers series into devices.
type fleet struct {
	now    time.Time
	ahead  time.Duration        // of the clock that gave the series' times
	units  map[string]utilUnits // by exporter
	drafts map[string]*draft
}

func newFleet(now time.Time) *fleet {
	return &fleet{now: now, units: map[string]utilUnits{}, drafts: map[string]*draft{}}
}

// add takes a series into account; what the family does not know is left out.
func (f *fleet) add(family *promFamily, s promSeries) {
	r, ok := family.metrics[s.labels["__name__"]]
	if !ok || !r.matches(s.labels) {
		return
	}
	id, ok := family.identify(s.labels)
	if !ok {
		return
	}
	d := f.draft(id)
	if id.slice != "" {
		d.MIG = true
		if !r.board {
			d = f.slice(d, id)
		}
	}
	if r.board && id.blind {
		return
	}
	if math.IsNaN(s.value) || math.IsInf(s.value, 0) || family.absent(s.value) {
		return
	}
	value, ok := r.convert(s.value)
	if r.ratio {
		value, ok = f.share(s)
	}
	if !ok {
		return
	}
	at := s.at.Add(-f.ahead)
	if at.After(f.now) {
		at = f.now
	}
	d.take(r.metric, pick{value, at, r.rank})
	d.every = max(d.every, s.every)
}

func (d *draft) take(m Metric, p pick) {
	if old, ok := d.picks[m]; !ok || p.before(old) {
		d.picks[m] = p
	}
}

func (r rule) matches(labels map[string]string) bool {
	if r.only == "" {
		return true
	}
	label, values, _ := strings.Cut(r.only, "=")
	return slices.Contains(strings.Split(values, "|"), labels[label])
}

func (r rule) convert(v float64) (float64, bool) {
	if r.steps != nil {
		return r.steps(v)
	}
	return v * r.scale, true
}

// draft returns the whole device of id, with what the labels add.
func (f *fleet) draft(id identity) *draft {
	d := f.drafts[id.key]
	if d == nil {
		d = &draft{identity: id, picks: map[Metric]pick{}}
		d.UUID = id.key
		f.drafts[id.key] = d
	}
	d.merge(id)
	return d
}

// slice returns the instance of d that id names.
func (f *fleet) slice(d *draft, id identity) *draft {
	key := id.key + "/" + id.slice
	s := f.drafts[key]
	id.Name = strings.TrimSpace(id.Name + " MIG " + id.profile)
	if s == nil {
		s = &draft{identity: id, picks: map[Metric]pick{}}
		s.UUID, s.Parent, s.Kind = key, d.UUID, Slice
		f.drafts[key] = s
	}
	s.merge(id)
	return s
}

// merge keeps what is known and fills what is not. Where two series differ, the
// outcome does not depend on their order.
func (d *draft) merge(id identity) {
	if id.hostRank < d.hostRank || id.hostRank == d.hostRank && id.host < d.host {
		d.host, d.hostRank = id.host, id.hostRank
	}
	for _, f := range []struct {
		to *string
		is string
	}{
		{&d.Name, id.Name}, {&d.Bus, id.Bus}, {&d.PCI, id.PCI}, {&d.Subsystem, id.Subsystem},
		{&d.ComputeCapability, id.ComputeCapability},
		{&d.driver, id.driver}, {&d.runtime, id.runtime}, {&d.serial, id.serial},
	} {
		*f.to = max(*f.to, f.is)
	}
	d.Index = max(d.Index, id.Index)
}

// hosts returns the devices that have readings, by host, in a stable order.
func (f *fleet) hosts() []Host {
	f.adopt()
	byName := map[string]*Host{}
	out := []Host{}
	for _, key := range slices.Sorted(maps.Keys(f.drafts)) {
		d := f.drafts[key]
		if parent := f.drafts[d.key]; d.Kind == Slice && parent != nil {
			d.host = parent.host // one series may know more than another
		}
		h := byName[d.host]
		if h == nil {
			h = &Host{Name: d.host}
			byName[d.host] = h
		}
		h.Driver, h.Runtime = max(h.Driver, d.driver), max(h.Runtime, d.runtime)
		h.Every = max(h.Every, d.every.Seconds())
		h.Devices = append(h.Devices, d.device())
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		h := byName[name]
		slices.SortFunc(h.Devices, func(a, b Device) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.UUID, b.UUID))
		})
		out = append(out, *h)
	}
	return out
}

// adopt gives partitions the first one of their card as a parent: the one with the
// same serial number that has sensors. Where there are several, none is.
func (f *fleet) adopt() {
	type card struct{ host, serial string }
	firsts := map[card][]string{}
	for _, d := range f.drafts {
		if d.Kind == Physical && d.serial != "" {
			c := card{d.host, d.serial}
			firsts[c] = append(firsts[c], d.UUID)
		}
	}
	for _, d := range f.drafts {
		if parents := firsts[card{d.host, d.serial}]; d.blind && len(parents) == 1 {
			d.Parent = parents[0]
		}
	}
}

// device is the finished device.
func (d *draft) device() Device {
	d.takeFields()
	total, knows := d.picks[MemoryTotal]
	used, hasUsed := d.picks[MemoryUsed]
	free, hasFree := d.picks[fieldMemoryFree]
	delete(d.picks, fieldMemoryFree)
	if !knows && hasUsed && hasFree {
		// Where nothing is said of reserved memory, the sum is a little too small.
		total = pick{value: used.value + free.value + d.picks[MemoryReserved].value, at: used.at}
		d.picks[MemoryTotal] = total
	}
	if total.value == 0 {
		delete(d.picks, MemoryTotal) // no device has none
	}
	if len(d.picks) > 0 {
		d.Readings = make(map[Metric]Reading, len(d.picks))
		for m, p := range d.picks {
			d.Readings[m] = Reading{p.value, p.at}
		}
	}
	return d.Device
}

// takeFields moves what is no reading to where it belongs.
func (d *draft) takeFields() {
	take := func(m Metric) (float64, bool) {
		p, ok := d.picks[m]
		delete(d.picks, m)
		return p.value, ok
	}
	if v, ok := take(fieldMaxSMClock); ok {
		d.MaxSMClock = v
	}
	if v, ok := take(fieldMaxMemoryClock); ok {
		d.MaxMemoryClock = v
	}
	if v, ok := take(fieldPCIDevice); ok && d.PCI == "" {
		if v <= 0xFFFF {
			v = v*0x10000 + 0x10DE
		}
		d.PCI = pciPair(v)
	}
	if v, ok := take(fieldPCI); ok && d.PCI == "" {
		d.PCI = pciPair(v)
	}
	if v, ok := take(fieldSubsystem); ok && d.Subsystem == "" {
		d.Subsystem = pciPair(v)
	}
	if v, ok := take(fieldThrottle); ok && v >= 0 && v < 1<<53 {
		d.Throttle = clockReasons(uint64(v))
	}
	if v, ok := take(fieldMIGMode); ok && v == 1 {
		d.MIG = true
	}
	take(fieldPresent)
	for _, m := range slices.Sorted(maps.Keys(d.picks)) {
		if reason, ok := strings.CutPrefix(string(m), fieldReason); ok {
			if v, _ := take(m); v >= 1 {
				d.Throttle = append(d.Throttle, Throttle(reason))
			}
		}
	}
}
