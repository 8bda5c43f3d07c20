package prometheus

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tianti/live"
	"tianti/live/internal/normalize"
	"tianti/sorting"
)

// An identity is what labels say of a device.
type identity struct {
	live.Device        // names and fields from the labels
	key         string // unique in the fleet
	slice       string // instance of the device, "" for the whole
	profile     string // of the instance: 1g.10gb
	host        string
	hostRank    int  // 0: the exporter named it; see hostOf
	blind       bool // a partition, which has no sensors of its own
	driver      string
	runtime     string
	serial      string
}

// A draft is a device while its series are collected.
type draft struct {
	identity
	picks map[live.Metric]pick
	every time.Duration // between two samples
}

// A pick is the sample that is used for a metric.
type pick struct {
	value float64
	at    time.Time
	rank  int
}

// before is a total order: of several samples for a metric, the first is used, whatever the order of the series.
func (p pick) before(q pick) bool {
	return cmp.Or(cmp.Compare(p.rank, q.rank), q.at.Compare(p.at), cmp.Compare(q.value, p.value)) < 0
}

// A fleet groups series by device.
type fleet struct {
	now    time.Time
	ahead  time.Duration        // of the server's clock
	units  map[string]utilUnits // by scrape target
	drafts map[string]*draft    // by UUID
}

func newFleet(now time.Time) *fleet {
	return &fleet{now: now, units: map[string]utilUnits{}, drafts: map[string]*draft{}}
}

// add adds a series to its device; an unknown series is ignored.
func (f *fleet) add(e *exporter, s series) {
	r, ok := e.metrics[s.labels["__name__"]]
	if !ok || !r.matches(s.labels) {
		return
	}
	id, ok := e.identify(s.labels)
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
	if math.IsNaN(s.value) || math.IsInf(s.value, 0) || e.absent(s.value) {
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

func (d *draft) take(m live.Metric, p pick) {
	if old, ok := d.picks[m]; !ok || p.before(old) {
		d.picks[m] = p
	}
}

// draft returns the whole device of id, merged with the labels.
func (f *fleet) draft(id identity) *draft {
	d := f.drafts[id.key]
	if d == nil {
		d = &draft{identity: id, picks: map[live.Metric]pick{}}
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
		s = &draft{identity: id, picks: map[live.Metric]pick{}}
		s.UUID, s.Parent, s.Kind = key, d.UUID, live.Slice
		f.drafts[key] = s
	}
	s.merge(id)
	return s
}

// merge fills missing fields. Where two series differ, the result does not depend on their order.
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

// hosts returns all devices by host, in a stable order.
func (f *fleet) hosts() []live.Host {
	f.setParents()
	byName := map[string]*live.Host{}
	out := []live.Host{}
	for _, key := range slices.Sorted(maps.Keys(f.drafts)) {
		d := f.drafts[key]
		if parent := f.drafts[d.key]; d.Kind == live.Slice && parent != nil {
			d.host = parent.host // the series of the parent may name it better
		}
		h := byName[d.host]
		if h == nil {
			h = &live.Host{Name: d.host}
			byName[d.host] = h
		}
		h.Driver, h.Runtime = max(h.Driver, d.driver), max(h.Runtime, d.runtime)
		h.Every = max(h.Every, d.every.Seconds())
		h.Devices = append(h.Devices, d.device())
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		h := byName[name]
		sorting.Func(h.Devices, func(a, b live.Device) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.UUID, b.UUID))
		})
		out = append(out, *h)
	}
	return out
}

// setParents gives each partition without sensors its parent: the partition with the same serial number that has
// sensors, if there is exactly one.
func (f *fleet) setParents() {
	type card struct{ host, serial string }
	wholes := map[card][]string{}
	for _, d := range f.drafts {
		if d.Kind == live.Physical && d.serial != "" {
			c := card{d.host, d.serial}
			wholes[c] = append(wholes[c], d.UUID)
		}
	}
	for _, d := range f.drafts {
		if parents := wholes[card{d.host, d.serial}]; d.blind && len(parents) == 1 {
			d.Parent = parents[0]
		}
	}
}

// device is the completed device.
func (d *draft) device() live.Device {
	device := d.Device
	device.Readings = make(map[live.Metric]live.Reading, len(d.picks))
	for m, p := range d.picks {
		device.Readings[m] = live.Reading{Value: p.value, Taken: p.at}
	}
	normalize.Device(&device)
	return device
}
