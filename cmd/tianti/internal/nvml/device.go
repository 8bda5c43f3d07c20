//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tianti/live"
)

// A device is a card, or a slice of one, with what is known about it.
type device struct {
	lib    *library
	index  int         // of the card
	handle handle      // 0 when the driver does not give it
	id     live.Device // what does not change, and the problem it has
	until  time.Time   // with a problem: when it is asked again
	states []state     // of queries

	throttle  []live.Throttle
	processes []live.Process
	lastXID   float64 // 0: none
	gpm       gpm
	unlinked  bool // it has no NVLink, as alone in a virtual machine: what its monitors say of it is 0 then
	fields    fields

	card       *device // of a slice: the card that it is of
	instance   int     // of a slice: its GPU instance
	slices     []*device
	slicesFrom time.Time // when they were looked for
}

// device gets to know the card with an index.
func (l *library) device(index int) *device {
	d := &device{lib: l, index: index, states: make([]state, len(queries))}
	d.id = live.Device{UUID: fmt.Sprintf("nvml-%d", index), Index: index, Vendor: "NVIDIA"}
	d.find()
	return d
}

// find gets the card's handle and identity; its problem says why it did not.
func (d *device) find() {
	var h handle
	if ret := d.lib.DeviceGetHandleByIndex_v2(uint32(d.index), &h); ret != statusSuccess {
		d.id.Problem = problemOf(ret)
		return
	}
	d.handle, d.id.Problem = h, ""
	d.identify()
}

// away reports whether the card is gone for this process.
func (d *device) away() bool { return d.id.Problem == Lost || d.id.Problem == ResetRequired }

// inherit takes over from what was known under the same index before the library was
// started anew, where the card does not say who it is, or is the same.
func (d *device) inherit(old *device) {
	if d.handle == 0 {
		problem := d.id.Problem
		d.id = old.id
		d.id.Problem = problem
	}
	if d.id.UUID == old.id.UUID {
		d.lastXID = old.lastXID
	}
}

// problemOf is why a device cannot be had.
func problemOf(ret status) string {
	if p, ok := problems[ret]; ok {
		return p
	}
	if ret == statusNoPermission {
		return NoPermission
	}
	return Unreadable
}

// identify asks what does not change. What the driver does not say stays empty.
func (d *device) identify() {
	l, h, id := d.lib, d.handle, &d.id
	text(&id.UUID, h, uuidSize, l.DeviceGetUUID)
	text(&id.Name, h, nameSize, l.DeviceGetName)
	var pci pciInfo
	if l.DeviceGetPciInfo_v3(h, &pci) == statusSuccess {
		id.PCI, id.Subsystem = pciID(pci.pciDeviceId), pciID(pci.pciSubSystemId)
		id.Bus = fmt.Sprintf("%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device)
	}
	var major, minor int32
	if l.DeviceGetCudaComputeCapability(h, &major, &minor) == statusSuccess {
		id.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
	}
	var n uint32
	if l.DeviceGetNumGpuCores(h, &n) == statusSuccess {
		id.Cores = int(n)
	}
	if l.DeviceGetMemoryBusWidth(h, &n) == statusSuccess {
		id.MemoryBusBits = int(n)
	}
	id.MaxSMClock, id.MaxMemoryClock = d.maxClock(clockSM), d.maxClock(clockMemory)
	var mode virtualization
	if l.DeviceGetVirtualizationMode(h, &mode) == statusSuccess && mode == virtualizationGuest {
		id.Kind = live.Virtual
	}
}

// text asks for a text of at most size bytes; to stays as it is when there is none.
func text(to *string, h handle, size int, get getText) {
	b := make([]byte, size)
	if get(h, &b[0], uint32(size)) != statusSuccess {
		return
	}
	if s := untilZero(b); s != "" {
		*to = s
	}
}

// untilZero is a text of C.
func untilZero(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// maxClock is in MHz; 0 when it is not known.
func (d *device) maxClock(t clockType) float64 {
	var mhz uint32
	if d.lib.DeviceGetMaxClockInfo(d.handle, t, &mhz) != statusSuccess {
		return 0
	}
	return float64(mhz)
}

// pciID writes an id as NVML packs it, device above vendor, as "vendor:device".
func pciID(packed uint32) string {
	if packed == 0 {
		return ""
	}
	return fmt.Sprintf("%04x:%04x", packed&0xffff, packed>>16)
}

// show is the device with its readings; when it has a problem, with no more than the
// last error event, which may say why.
func (d *device) show(now time.Time) live.Device {
	out := d.id
	out.Hidden = d.hidden()
	if out.Problem != "" {
		if d.lastXID > 0 {
			out.Readings = map[live.Metric]live.Reading{live.LastXID: {Value: d.lastXID}}
		}
		return out
	}
	out.Readings = map[live.Metric]live.Reading{}
	for i := range d.states {
		s := &d.states[i]
		var taken time.Time
		if !s.taken.Equal(now) {
			taken = s.taken
		}
		for _, v := range s.values {
			if _, ok := out.Readings[v.metric]; !ok { // the first query that has it wins
				out.Readings[v.metric] = live.Reading{Value: v.value, Taken: taken}
			}
		}
	}
	out.Throttle, out.Processes = d.throttle, d.processes
	return out
}

// hidden are the metrics that only administrators may read.
func (d *device) hidden() []live.Metric {
	set := map[live.Metric]bool{}
	for i := range d.states {
		for _, m := range d.states[i].hidden {
			set[m] = true
		}
	}
	for i := range d.states { // unless another call gives them
		for _, v := range d.states[i].values {
			delete(set, v.metric)
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func (d *device) close() {
	for _, s := range d.slices {
		s.close()
	}
	d.slices = nil
	d.freeGPM()
}

// slicesEvery is how often slices are looked for: they are made while cards run.
const slicesEvery = 10 * time.Second

// findSlices lists the slices of a card that is divided.
func (d *device) findSlices(now time.Time) {
	if !d.lib.has("nvmlDeviceGetMaxMigDeviceCount", "nvmlDeviceGetMigDeviceHandleByIndex", "nvmlDeviceGetUUID") {
		return // the card is shown as one, with all that runs on it
	}
	if !d.slicesFrom.IsZero() && now.Sub(d.slicesFrom) < slicesEvery {
		return
	}
	d.slicesFrom = now
	var mode, pending uint32
	ret := d.lib.DeviceGetMigMode(d.handle, &mode, &pending)
	if ret != statusSuccess && ret != statusNotSupported {
		return // the card has other troubles
	}
	d.id.MIG = ret == statusSuccess && mode == migEnabled
	old := d.slices
	d.slices = nil
	if d.id.MIG {
		var n uint32
		d.lib.DeviceGetMaxMigDeviceCount(d.handle, &n)
		for i := range n {
			if s := d.slice(i, old); s != nil {
				d.slices = append(d.slices, s)
			}
		}
	}
	for _, s := range old {
		if !slices.Contains(d.slices, s) {
			s.close()
		}
	}
}

// slice is the slice with an index: of old, when it is there; nil when there is
// none.
func (d *device) slice(i uint32, old []*device) *device {
	var h handle
	if d.lib.DeviceGetMigDeviceHandleByIndex(d.handle, i, &h) != statusSuccess {
		return nil
	}
	uuid := ""
	if text(&uuid, h, uuidSize, d.lib.DeviceGetUUID); uuid == "" {
		return nil
	}
	for _, s := range old {
		if s.id.UUID == uuid {
			s.handle, s.id.Index = h, int(i)
			return s
		}
	}
	s := &device{lib: d.lib, index: d.index, handle: h, states: make([]state, len(queries)), card: d, instance: -1}
	s.id = live.Device{
		UUID: uuid, Index: int(i), Name: d.id.Name, Vendor: d.id.Vendor, Kind: live.Slice, Parent: d.id.UUID,
		PCI: d.id.PCI, Subsystem: d.id.Subsystem, Bus: d.id.Bus, ComputeCapability: d.id.ComputeCapability,
	}
	text(&s.id.Name, h, nameSize, d.lib.DeviceGetName)
	var instance uint32
	if d.lib.DeviceGetGpuInstanceId(h, &instance) == statusSuccess {
		s.instance = int(instance)
	}
	return s
}
