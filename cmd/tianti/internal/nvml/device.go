//go:build linux && cgo

package nvml

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"tianti/live"
)

// A device is a card, or a slice of one, with what is known about it.
type device struct {
	lib    *library
	index  int         // of the card
	handle nvml.Device // nil when the driver does not give it
	id     live.Device // what does not change, and the problem it has
	until  time.Time   // with a problem: when it is asked again
	states []state     // of queries

	throttle  []live.Throttle
	processes []live.Process
	lastXID   float64 // 0: none
	gpm       gpm
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
	h, ret := d.lib.DeviceGetHandleByIndex(d.index)
	if ret != nvml.SUCCESS {
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
	if d.handle == nil {
		problem := d.id.Problem
		d.id = old.id
		d.id.Problem = problem
	}
	if d.id.UUID == old.id.UUID {
		d.lastXID = old.lastXID
	}
}

// problemOf is why a device cannot be had.
func problemOf(ret nvml.Return) string {
	if p, ok := problems[ret]; ok {
		return p
	}
	if ret == nvml.ERROR_NO_PERMISSION {
		return NoPermission
	}
	return Unreadable
}

// identify asks what does not change. What the driver does not say stays empty.
func (d *device) identify() {
	l, h, id := d.lib, d.handle, &d.id
	text(l, "nvmlDeviceGetUUID", &id.UUID, h.GetUUID)
	text(l, "nvmlDeviceGetName", &id.Name, h.GetName)
	if l.has("nvmlDeviceGetPciInfo_v3|nvmlDeviceGetPciInfo_v2|nvmlDeviceGetPciInfo") {
		if pci, ret := h.GetPciInfo(); ret == nvml.SUCCESS {
			id.PCI, id.Subsystem = pciID(pci.PciDeviceId), pciID(pci.PciSubSystemId)
			id.Bus = fmt.Sprintf("%04x:%02x:%02x.0", pci.Domain, pci.Bus, pci.Device)
		}
	}
	if l.has("nvmlDeviceGetCudaComputeCapability") {
		if major, minor, ret := h.GetCudaComputeCapability(); ret == nvml.SUCCESS {
			id.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
		}
	}
	if l.has("nvmlDeviceGetNumGpuCores") {
		if n, ret := h.GetNumGpuCores(); ret == nvml.SUCCESS {
			id.Cores = n
		}
	}
	if l.has("nvmlDeviceGetMemoryBusWidth") {
		if n, ret := h.GetMemoryBusWidth(); ret == nvml.SUCCESS {
			id.MemoryBusBits = int(n)
		}
	}
	id.MaxSMClock, id.MaxMemoryClock = d.maxClock(nvml.CLOCK_SM), d.maxClock(nvml.CLOCK_MEM)
	if l.has("nvmlDeviceGetVirtualizationMode") {
		if mode, ret := h.GetVirtualizationMode(); ret == nvml.SUCCESS && mode == nvml.GPU_VIRTUALIZATION_MODE_VGPU {
			id.Kind = live.Virtual
		}
	}
}

// text asks for a name; to stays as it is when there is none.
func text(l *library, symbol string, to *string, get func() (string, nvml.Return)) {
	if !l.has(symbol) {
		return
	}
	if s, ret := get(); ret == nvml.SUCCESS && s != "" {
		*to = s
	}
}

// maxClock is in MHz; 0 when it is not known.
func (d *device) maxClock(t nvml.ClockType) float64 {
	if !d.lib.has("nvmlDeviceGetMaxClockInfo") {
		return 0
	}
	mhz, ret := d.handle.GetMaxClockInfo(t)
	if ret != nvml.SUCCESS {
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
	d.gpm.free()
}

// slicesEvery is how often slices are looked for: they are made while cards run.
const slicesEvery = 10 * time.Second

// findSlices lists the slices of a card that is divided.
func (d *device) findSlices(now time.Time) {
	for _, symbol := range []string{"nvmlDeviceGetMigMode", "nvmlDeviceGetMaxMigDeviceCount", "nvmlDeviceGetMigDeviceHandleByIndex", "nvmlDeviceGetUUID"} {
		if !d.lib.has(symbol) {
			return
		}
	}
	if !d.slicesFrom.IsZero() && now.Sub(d.slicesFrom) < slicesEvery {
		return
	}
	d.slicesFrom = now
	mode, _, ret := d.handle.GetMigMode()
	if ret != nvml.SUCCESS && ret != nvml.ERROR_NOT_SUPPORTED {
		return // the card has other troubles
	}
	d.id.MIG = ret == nvml.SUCCESS && mode == nvml.DEVICE_MIG_ENABLE
	old := d.slices
	d.slices = nil
	if d.id.MIG {
		n, _ := d.handle.GetMaxMigDeviceCount()
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
func (d *device) slice(i int, old []*device) *device {
	h, ret := d.handle.GetMigDeviceHandleByIndex(i)
	if ret != nvml.SUCCESS {
		return nil
	}
	uuid, ret := h.GetUUID()
	if ret != nvml.SUCCESS || uuid == "" {
		return nil
	}
	for _, s := range old {
		if s.id.UUID == uuid {
			s.handle, s.id.Index = h, i
			return s
		}
	}
	s := &device{lib: d.lib, index: d.index, handle: h, states: make([]state, len(queries)), card: d, instance: -1}
	s.id = live.Device{
		UUID: uuid, Index: i, Name: d.id.Name, Vendor: d.id.Vendor, Kind: live.Slice, Parent: d.id.UUID,
		PCI: d.id.PCI, Subsystem: d.id.Subsystem, Bus: d.id.Bus, ComputeCapability: d.id.ComputeCapability,
	}
	text(d.lib, "nvmlDeviceGetName", &s.id.Name, h.GetName)
	if d.lib.has("nvmlDeviceGetGpuInstanceId") {
		if id, ret := h.GetGpuInstanceId(); ret == nvml.SUCCESS {
			s.instance = id
		}
	}
	return s
}
