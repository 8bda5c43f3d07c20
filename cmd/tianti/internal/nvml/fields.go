//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"math"
	"time"

	"tianti/live"
)

// fields is what a device's fields, numbers by id, said last.
type fields struct {
	off    map[uint32]time.Time // not supported: when they are asked again
	counts map[uint32]count
}

type count struct {
	value float64
	at    time.Time
}

// allLinks asks for the sum over all links.
const allLinks = math.MaxUint32

// fieldMetrics are the fields that are asked with each frame, in one call.
// Counters become rates.
var fieldMetrics = []struct {
	id, scope uint32
	metric    live.Metric
	unit      float64
	counter   bool
}{
	{fieldMemoryTemperature, 0, live.MemoryTemperature, 1, false},
	{fieldNVLinkSent, allLinks, live.NVLinkTx, 1 << 10, true},
	{fieldNVLinkReceived, allLinks, live.NVLinkRx, 1 << 10, true},
	{fieldPCIeSent, 0, live.PCIeTx, 1, true},
	{fieldPCIeReceived, 0, live.PCIeRx, 1, true},
}

func fieldNames() []live.Metric {
	var out []live.Metric
	for _, f := range fieldMetrics {
		out = append(out, f.metric)
	}
	return out
}

// readFields leaves counters to the performance monitors where there are some. It
// succeeds when any field can be read.
func readFields(d *device, now time.Time, a *answer) status {
	monitors := !d.gpm.at.IsZero()
	var ask []fieldValue
	var which []int
	for i, f := range fieldMetrics {
		if now.Before(d.fields.off[f.id]) || f.counter && monitors {
			continue
		}
		ask = append(ask, fieldValue{fieldId: f.id, scopeId: f.scope})
		which = append(which, i)
	}
	if len(ask) == 0 {
		return statusSuccess
	}
	if ret := d.lib.DeviceGetFieldValues(d.handle, int32(len(ask)), &ask[0]); ret != statusSuccess {
		return ret
	}
	if d.fields.off == nil {
		d.fields = fields{map[uint32]time.Time{}, map[uint32]count{}}
	}
	for i, v := range ask {
		f := fieldMetrics[which[i]]
		switch ret := v.nvmlReturn; ret {
		case statusSuccess:
			n, ok := fieldNumber(v)
			if ok && f.counter {
				wide := f.unit > 1 || n >= wraps
				n, ok = d.fields.rate(f.id, n, now)
				ok = ok && wide
			}
			if ok {
				a.put(f.metric, n*f.unit)
			}
		case statusNoPermission:
			a.hide(f.metric)
		case statusGPUIsLost, statusResetRequired:
			return ret
		case statusNotSupported, statusInvalidArgument, statusNotFound:
			d.fields.off[f.id] = now.Add(again)
		}
	}
	return statusSuccess
}

// wraps is where counters of 32 bits begin anew. One of bytes passes that several
// times a second, which cannot be seen: an L40S shows such values
// (https://github.com/NVIDIA/dcgm-exporter/issues/721), and nvml.h says that they may
// wrap, not where. So counters of bytes are believed from there on.
const wraps = 1 << 32

// rate is how fast a counter grew since it was read last, in its unit per second.
// A counter that was reset, or wrapped, has none.
func (f *fields) rate(id uint32, n float64, now time.Time) (float64, bool) {
	last, ok := f.counts[id]
	f.counts[id] = count{n, now}
	s := now.Sub(last.at).Seconds()
	if !ok || n < last.value || s <= 0 {
		return 0, false
	}
	return (n - last.value) / s, true
}

// fieldNumber decodes a field's value, a union of seven types. The smaller ones are at
// its beginning, which is the low end on the processors that this is built for.
func fieldNumber(v fieldValue) (float64, bool) {
	switch v.valueType {
	case valueDouble:
		return math.Float64frombits(uint64(v.value)), true
	case valueUnsignedInt:
		return float64(uint32(v.value)), true
	case valueUnsignedLong, valueUnsignedLongLong:
		return float64(v.value), true
	case valueSignedLongLong:
		return float64(int64(v.value)), true
	case valueSignedInt:
		return float64(int32(v.value)), true
	case valueUnsignedShort:
		return float64(uint16(v.value)), true
	}
	return 0, false
}

// readNVLinks counts links, and those that are active.
func readNVLinks(d *device, _ time.Time, a *answer) status {
	if !d.lib.has("nvmlDeviceGetNvLinkState") {
		return statusFunctionNotFound // not: all are down
	}
	ask := fieldValue{fieldId: fieldNVLinks}
	if ret := d.lib.DeviceGetFieldValues(d.handle, 1, &ask); ret != statusSuccess {
		return ret
	}
	n, ok := fieldNumber(ask)
	d.unlinked = ask.nvmlReturn == statusNotSupported || ask.nvmlReturn == statusSuccess && ok && n == 0
	if ask.nvmlReturn != statusSuccess {
		return ask.nvmlReturn
	}
	if !ok || n < 1 || n > maxNVLinks {
		return statusNotSupported
	}
	up := 0
	for i := range uint32(n) {
		var state enabled
		if d.lib.DeviceGetNvLinkState(d.handle, i, &state) == statusSuccess && state == featureEnabled {
			up++
		}
	}
	a.put(live.NVLinks, n)
	a.put(live.NVLinksUp, float64(up))
	return statusSuccess
}
