//go:build linux && cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"tianti/live"
)

// gpm is what a device's performance monitors saw last. Their metrics are means
// over the time between two samples, which must be [gpmApart] at least.
type gpm struct {
	last, spare nvml.GpmSample // nil before the first
	at          time.Time      // of last; zero when there is none
}

const gpmApart = 100 * time.Millisecond

const mib = 1 << 20

// gpmMetrics are what the monitors are asked. The share in which the graphics or
// compute engine was in use stands in for the utilization where there is none: slices.
var gpmMetrics = []struct {
	id     nvml.GpmMetricId
	metric live.Metric
	unit   float64
}{
	{nvml.GPM_METRIC_GRAPHICS_UTIL, live.GPUUtilization, 1e-2},
	{nvml.GPM_METRIC_SM_UTIL, live.SMActive, 1e-2},
	{nvml.GPM_METRIC_SM_OCCUPANCY, live.SMOccupancy, 1e-2},
	{nvml.GPM_METRIC_ANY_TENSOR_UTIL, live.TensorActive, 1e-2},
	{nvml.GPM_METRIC_FP16_UTIL, live.FP16Active, 1e-2},
	{nvml.GPM_METRIC_FP32_UTIL, live.FP32Active, 1e-2},
	{nvml.GPM_METRIC_FP64_UTIL, live.FP64Active, 1e-2},
	{nvml.GPM_METRIC_DRAM_BW_UTIL, live.DRAMActive, 1e-2},
	{nvml.GPM_METRIC_PCIE_TX_PER_SEC, live.PCIeTx, mib},
	{nvml.GPM_METRIC_PCIE_RX_PER_SEC, live.PCIeRx, mib},
	{nvml.GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC, live.NVLinkTx, mib},
	{nvml.GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC, live.NVLinkRx, mib},
}

func gpmNames() []live.Metric {
	var out []live.Metric
	for _, m := range gpmMetrics[1:] { // the first has a call of its own, without permission
		out = append(out, m.metric)
	}
	return out
}

// readGPM takes a sample and puts the metrics since the one before.
func readGPM(d *device, now time.Time, a *answer) nvml.Return {
	g := &d.gpm
	if g.last == nil {
		if ret := d.openGPM(); ret != nvml.SUCCESS {
			return ret
		}
	}
	if !g.at.IsZero() && now.Sub(g.at) < gpmApart {
		return nvml.SUCCESS
	}
	if ret := d.sample(g.spare); ret != nvml.SUCCESS {
		g.at = time.Time{}
		return ret
	}
	first := g.at.IsZero()
	g.last, g.spare, g.at = g.spare, g.last, now
	if first {
		return nvml.SUCCESS
	}
	return d.lib.gpmMetrics(g.spare, g.last, a)
}

// openGPM asks whether the card has monitors, and makes room for samples.
func (d *device) openGPM() nvml.Return {
	card := d
	if d.card != nil {
		card = d.card
	}
	support, ret := card.handle.GpmQueryDeviceSupport()
	if ret != nvml.SUCCESS {
		return ret
	}
	if support.IsSupportedDevice == 0 || d.card != nil && (d.instance < 0 || !d.lib.has("nvmlGpmMigSampleGet")) {
		return nvml.ERROR_NOT_SUPPORTED
	}
	last, ret := d.lib.GpmSampleAlloc()
	if ret != nvml.SUCCESS {
		return ret
	}
	spare, ret := d.lib.GpmSampleAlloc()
	if ret != nvml.SUCCESS {
		last.Free()
		return ret
	}
	d.gpm = gpm{last: last, spare: spare}
	return nvml.SUCCESS
}

func (d *device) sample(into nvml.GpmSample) nvml.Return {
	if d.card != nil {
		return d.card.handle.GpmMigSampleGet(d.instance, into)
	}
	return d.handle.GpmSampleGet(into)
}

func (l *library) gpmMetrics(from, to nvml.GpmSample, a *answer) nvml.Return {
	get := nvml.GpmMetricsGetType{NumMetrics: uint32(len(gpmMetrics)), Sample1: from, Sample2: to}
	for i, m := range gpmMetrics {
		get.Metrics[i].MetricId = uint32(m.id)
	}
	if ret := l.GpmMetricsGet(&get); ret != nvml.SUCCESS {
		return ret
	}
	for i, m := range gpmMetrics {
		switch nvml.Return(get.Metrics[i].NvmlReturn) {
		case nvml.SUCCESS:
			a.put(m.metric, get.Metrics[i].Value*m.unit)
		case nvml.ERROR_NO_PERMISSION:
			a.hide(m.metric)
		}
	}
	return nvml.SUCCESS
}

func (g *gpm) free() {
	if g.last != nil {
		g.last.Free()
		g.spare.Free()
	}
	*g = gpm{}
}
