//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"time"

	"tianti/live"
)

// xids are the error events that the driver reports for devices. How grave each is
// says [live.XIDSeverity].
type xids struct {
	lib     *library
	set     eventSet
	devices []*device
}

// watchXIDs asks the driver for error events; nil when it has none.
func (l *library) watchXIDs(devices []*device) *xids {
	if !l.has("nvmlEventSetWait_v2", "nvmlEventSetFree") {
		return nil
	}
	x := &xids{lib: l, devices: devices}
	if l.EventSetCreate(&x.set) != statusSuccess {
		return nil
	}
	for _, d := range devices {
		x.watch(d)
	}
	return x
}

// watch adds a device; one that has no events is left out by the driver.
func (x *xids) watch(d *device) {
	if x != nil && d.handle != 0 {
		x.lib.DeviceRegisterEvents(d.handle, eventXID, x.set)
	}
}

// poll takes what has happened. It does not wait.
func (x *xids) poll() {
	if x == nil {
		return
	}
	for range 100 { // a card that fails reports many
		var event eventData
		if x.lib.EventSetWait_v2(x.set, &event, 0) != statusSuccess {
			return
		}
		x.take(event)
	}
}

func (x *xids) take(event eventData) {
	if event.eventType != eventXID || event.device == 0 {
		return
	}
	for _, d := range x.devices {
		if x.from(event, d) {
			d.lastXID = float64(event.eventData)
		}
	}
}

// from reports whether an event is of a card. The driver gives the same handle each
// time; one that fell off its bus would not tell its UUID any more.
func (x *xids) from(event eventData, d *device) bool {
	if event.device == d.handle {
		return true
	}
	uuid := ""
	text(&uuid, event.device, uuidSize, x.lib.DeviceGetUUID)
	return uuid != "" && uuid == d.id.UUID
}

func (x *xids) close() {
	if x != nil {
		x.lib.EventSetFree(x.set)
	}
}

func readLastXID(d *device, _ time.Time, a *answer) status {
	if d.lastXID > 0 {
		a.put(live.LastXID, d.lastXID)
	}
	return statusSuccess
}
