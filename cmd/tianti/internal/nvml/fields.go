//go:build linux && cgo

package nvml

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

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
	{nvml.FI_DEV_MEMORY_TEMP, 0, live.MemoryTemperature, 1, false},
	{nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, allLinks, live.NVLinkTx, 1 << 10, true},
	{nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX, allLinks, live.NVLinkRx, 1 << 10, true},
	{nvml.FI_DEV_PCIE_COUNT_TX_BYTES, 0, live.PCIeTx, 1, true},
	{nvml.FI_DEV_PCIE_COUNT_RX_BYTES, 0, live.PCIeRx, 1, true},
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
func readFields(d *device, now time.Time, a *answer) nvml.Return {
	monitors := !d.gpm.at.IsZero()
	var ask []nvml.FieldValue
	var which []int
	for i, f := range fieldMetrics {
		if now.Before(d.fields.off[f.id]) || f.counter && monitors {
			continue
		}
		ask = append(ask, nvml.FieldValue{FieldId: f.id, ScopeId: f.scope})
		which = append(which, i)
	}
	if len(ask) == 0 {
		return nvml.SUCCESS
	}
	if ret := d.handle.GetFieldValues(ask); ret != nvml.SUCCESS {
		return ret
	}
	if d.fields.off == nil {
		d.fields = fields{map[uint32]time.Time{}, map[uint32]count{}}
	}
	for i, v := range ask {
		f := fieldMetrics[which[i]]
		switch ret := nvml.Return(v.NvmlReturn); ret {
		case nvml.SUCCESS:
			n, ok := fieldNumber(v)
			if ok && f.counter {
				wide := f.unit > 1 || n >= wraps
				n, ok = d.fields.rate(f.id, n, now)
				ok = ok && wide
			}
			if ok {
				a.put(f.metric, n*f.unit)
			}
		case nvml.ERROR_NO_PERMISSION:
			a.hide(f.metric)
		case nvml.ERROR_GPU_IS_LOST, nvml.ERROR_RESET_REQUIRED:
			return ret
		case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_INVALID_ARGUMENT, nvml.ERROR_NOT_FOUND:
			d.fields.off[f.id] = now.Add(again)
		}
	}
	return nvml.SUCCESS
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

// fieldNumber decodes a field's value, which is of one of seven types.
func fieldNumber(v nvml.FieldValue) (float64, bool) {
	b := v.Value[:]
	switch nvml.ValueType(v.ValueType) {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(binary.NativeEndian.Uint64(b)), true
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(binary.NativeEndian.Uint32(b)), true
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(binary.NativeEndian.Uint64(b)), true
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(binary.NativeEndian.Uint64(b))), true
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(binary.NativeEndian.Uint32(b))), true
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		return float64(binary.NativeEndian.Uint16(b)), true
	}
	return 0, false
}

// readNVLinks counts links, and those that are active.
func readNVLinks(d *device, _ time.Time, a *answer) nvml.Return {
	ask := []nvml.FieldValue{{FieldId: nvml.FI_DEV_NVLINK_LINK_COUNT}}
	if ret := d.handle.GetFieldValues(ask); ret != nvml.SUCCESS {
		return ret
	}
	if ret := nvml.Return(ask[0].NvmlReturn); ret != nvml.SUCCESS {
		return ret
	}
	n, ok := fieldNumber(ask[0])
	if !ok || n < 1 || n > nvml.NVLINK_MAX_LINKS {
		return nvml.ERROR_NOT_SUPPORTED
	}
	up := 0
	for i := range int(n) {
		if state, ret := d.handle.GetNvLinkState(i); ret == nvml.SUCCESS && state == nvml.FEATURE_ENABLED {
			up++
		}
	}
	a.put(live.NVLinks, n)
	a.put(live.NVLinksUp, float64(up))
	return nvml.SUCCESS
}
