//go:build linux && cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"tianti/live"
)

// xids are the error events that the driver reports for devices. How grave each is
// says [live.XIDSeverity].
type xids struct {
	lib     *library
	set     nvml.EventSet
	devices []*device
}

// watchXIDs asks the driver for error events; nil when it has none.
func (l *library) watchXIDs(devices []*device) *xids {
	for _, symbol := range []string{"nvmlEventSetCreate", "nvmlEventSetFree", "nvmlEventSetWait_v2|nvmlEventSetWait", "nvmlDeviceRegisterEvents", "nvmlDeviceGetUUID"} {
		if !l.has(symbol) {
			return nil
		}
	}
	set, ret := l.EventSetCreate()
	if ret != nvml.SUCCESS {
		return nil
	}
	x := &xids{lib: l, set: set, devices: devices}
	for _, d := range devices {
		x.watch(d)
	}
	return x
}

// watch adds a device; one that has no events is left out by the driver.
func (x *xids) watch(d *device) {
	if x != nil && d.handle != nil {
		d.handle.RegisterEvents(nvml.EventTypeXidCriticalError, x.set)
	}
}

// poll takes what has happened. It does not wait.
func (x *xids) poll() {
	if x == nil {
		return
	}
	for range 100 { // a card that fails reports many
		event, ret := x.set.Wait(0)
		if ret != nvml.SUCCESS {
			return
		}
		x.take(event)
	}
}

func (x *xids) take(event nvml.EventData) {
	if event.EventType != nvml.EventTypeXidCriticalError || event.Device == nil {
		return
	}
	for _, d := range x.devices {
		if x.from(event, d) {
			d.lastXID = float64(event.EventData)
		}
	}
}

// from reports whether an event is of a card. The driver gives the same handle each
// time; one that fell off its bus would not tell its UUID any more.
func (x *xids) from(event nvml.EventData, d *device) bool {
	if d.handle != nil && event.Device == d.handle {
		return true
	}
	uuid, ret := event.Device.GetUUID()
	return ret == nvml.SUCCESS && d.id.UUID == uuid
}

func (x *xids) close() {
	if x != nil {
		x.set.Free()
	}
}

func readLastXID(d *device, _ time.Time, a *answer) nvml.Return {
	if d.lastXID > 0 {
		a.put(live.LastXID, d.lastXID)
	}
	return nvml.SUCCESS
}
