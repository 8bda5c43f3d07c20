//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"time"

	"tianti/live"
)

// gpm is what a device's performance monitors saw last. Their metrics are means
// over the time between two samples, which must be [gpmApart] at least.
type gpm struct {
	last, spare gpmSample // 0 before the first
	at          time.Time // of last; zero when there is none
}

const gpmApart = 100 * time.Millisecond

const mib = 1 << 20

// gpmMetrics are what the monitors are asked. The share in which the graphics or
// compute engine was in use stands in for the utilization where there is none: slices.
var gpmMetrics = []struct {
	id     uint32
	metric live.Metric
	unit   float64
}{
	{gpmGraphics, live.GPUUtilization, 1e-2},
	{gpmSM, live.SMActive, 1e-2},
	{gpmSMOccupancy, live.SMOccupancy, 1e-2},
	{gpmTensor, live.TensorActive, 1e-2},
	{gpmFP16, live.FP16Active, 1e-2},
	{gpmFP32, live.FP32Active, 1e-2},
	{gpmFP64, live.FP64Active, 1e-2},
	{gpmDRAM, live.DRAMActive, 1e-2},
	{gpmPCIeSent, live.PCIeTx, mib},
	{gpmPCIeReceived, live.PCIeRx, mib},
	{gpmNVLinkSent, live.NVLinkTx, mib},
	{gpmNVLinkReceived, live.NVLinkRx, mib},
}

func gpmNames() []live.Metric {
	var out []live.Metric
	for _, m := range gpmMetrics[1:] { // the first has a call of its own, without permission
		out = append(out, m.metric)
	}
	return out
}

// readGPM takes a sample and puts the metrics since the one before.
func readGPM(d *device, now time.Time, a *answer) status {
	g := &d.gpm
	if g.last == 0 {
		if ret := d.openGPM(); ret != statusSuccess {
			return ret
		}
	}
	if !g.at.IsZero() && now.Sub(g.at) < gpmApart {
		return statusSuccess
	}
	if ret := d.sample(g.spare); ret != statusSuccess {
		g.at = time.Time{}
		return ret
	}
	first := g.at.IsZero()
	g.last, g.spare, g.at = g.spare, g.last, now
	if first {
		return statusSuccess
	}
	return d.gpmMetrics(g.spare, g.last, a)
}

// openGPM asks whether the card has monitors, and makes room for samples.
func (d *device) openGPM() status {
	if !d.lib.has("nvmlGpmSampleGet", "nvmlGpmSampleFree", "nvmlGpmMetricsGet") {
		return statusFunctionNotFound
	}
	card := d
	if d.card != nil {
		card = d.card
	}
	support := gpmSupport{version: gpmSupportVersion}
	if ret := d.lib.GpmQueryDeviceSupport(card.handle, &support); ret != statusSuccess {
		return ret
	}
	if support.isSupportedDevice == 0 || d.card != nil && (d.instance < 0 || !d.lib.has("nvmlGpmMigSampleGet")) {
		return statusNotSupported
	}
	var g gpm
	if ret := d.lib.GpmSampleAlloc(&g.last); ret != statusSuccess {
		return ret
	}
	if ret := d.lib.GpmSampleAlloc(&g.spare); ret != statusSuccess {
		d.lib.GpmSampleFree(g.last)
		return ret
	}
	d.gpm = g
	return statusSuccess
}

func (d *device) sample(into gpmSample) status {
	if d.card != nil {
		return d.lib.GpmMigSampleGet(d.card.handle, uint32(d.instance), into)
	}
	return d.lib.GpmSampleGet(d.handle, into)
}

func (d *device) gpmMetrics(from, to gpmSample, a *answer) status {
	get := gpmMetricsGet{version: gpmMetricsVersion, numMetrics: uint32(len(gpmMetrics)), sample1: from, sample2: to}
	for i, m := range gpmMetrics {
		get.metrics[i].metricId = m.id
	}
	if ret := d.lib.GpmMetricsGet(&get); ret != statusSuccess {
		return ret
	}
	for i, m := range gpmMetrics {
		if d.unlinked && (m.metric == live.NVLinkTx || m.metric == live.NVLinkRx) {
			continue
		}
		switch get.metrics[i].nvmlReturn {
		case statusSuccess:
			a.put(m.metric, get.metrics[i].value*m.unit)
		case statusNoPermission:
			a.hide(m.metric)
		}
	}
	return statusSuccess
}

// freeGPM frees the samples.
func (d *device) freeGPM() {
	if d.gpm.last != 0 {
		d.lib.GpmSampleFree(d.gpm.last)
		d.lib.GpmSampleFree(d.gpm.spare)
	}
	d.gpm = gpm{}
}
