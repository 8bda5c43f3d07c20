package monitor

import (
	"maps"
	"math"
	"slices"

	"tianti/live"
	"tianti/web/site"
)

// A deviceFamily is a reading as Prometheus names and explains it: the unit is the
// end of the name, shares are ratios, and what only grows is a counter.
type deviceFamily struct{ name, kind, help string }

var deviceFamilies = map[live.Metric]deviceFamily{
	live.GPUUtilization: {"gpu_utilization_ratio", "gauge", "Share of time in which any kernel ran; it does not " +
		"say how full the device is."},
	live.MemoryUsed:        {"memory_used_bytes", "gauge", "Memory in use, without what the driver reserves."},
	live.MemoryTotal:       {"memory_total_bytes", "gauge", "Memory that the driver reports."},
	live.MemoryReserved:    {"memory_reserved_bytes", "gauge", "Memory that driver and firmware reserve."},
	live.Power:             {"power_watts", "gauge", "Power."},
	live.PowerLimit:        {"power_limit_watts", "gauge", "Limit of power that is enforced now."},
	live.PowerDefaultLimit: {"power_default_limit_watts", "gauge", "Limit of power of the board as it was made."},
	live.Energy:            {"energy_joules_total", "counter", "Energy since the driver was loaded."},
	live.Temperature:       {"temperature_celsius", "gauge", "Temperature."},
	live.MemoryTemperature: {"memory_temperature_celsius", "gauge", "Temperature of the memory."},
	live.SMClock:           {"sm_clock_hertz", "gauge", "Clock of compute units."},
	live.MemoryClock:       {"memory_clock_hertz", "gauge", "Clock of the memory."},
	live.FanSpeed:          {"fan_speed_ratio", "gauge", "Speed of the fan, of the most."},
	live.SMActive:          {"sm_active_ratio", "gauge", "Share of compute units with work."},
	live.SMOccupancy:       {"sm_occupancy_ratio", "gauge", "Share of the places for warps that were taken."},
	live.TensorActive:      {"tensor_active_ratio", "gauge", "Share of cycles in which the matrix pipe was busy."},
	live.FP16Active:        {"fp16_active_ratio", "gauge", "Share of cycles in which the FP16 pipe was busy."},
	live.FP32Active:        {"fp32_active_ratio", "gauge", "Share of cycles in which the FP32 pipe was busy."},
	live.FP64Active:        {"fp64_active_ratio", "gauge", "Share of cycles in which the FP64 pipe was busy."},
	live.DRAMActive:        {"dram_active_ratio", "gauge", "Share of cycles in which data moved to or from memory."},
	live.NVLinkTx:          {"nvlink_transmit_bytes_per_second", "gauge", "Data sent over NVLink."},
	live.NVLinkRx:          {"nvlink_receive_bytes_per_second", "gauge", "Data received over NVLink."},
	live.PCIeTx:            {"pcie_transmit_bytes_per_second", "gauge", "Data sent over PCIe."},
	live.PCIeRx:            {"pcie_receive_bytes_per_second", "gauge", "Data received over PCIe."},
	live.PCIeGeneration:    {"pcie_generation", "gauge", "Generation of the PCIe link now; idle devices lower it."},
	live.PCIeWidth:         {"pcie_lanes", "gauge", "Lanes of the PCIe link now."},
	live.PCIeMaxGeneration: {"pcie_max_generation", "gauge", "Generation of PCIe that card and slot can do."},
	live.PCIeMaxWidth:      {"pcie_max_lanes", "gauge", "Lanes of PCIe that card and slot can do."},
	live.NVLinks:           {"nvlinks", "gauge", "NVLinks of the device."},
	live.NVLinksUp:         {"nvlinks_up", "gauge", "NVLinks that are active."},
	live.EncoderActive:     {"encoder_active_ratio", "gauge", "Share of time in which the video encoder was busy."},
	live.DecoderActive:     {"decoder_active_ratio", "gauge", "Share of time in which the video decoder was busy."},
	live.ECCUncorrected: {"ecc_uncorrected_errors_total", "counter", "Uncorrectable memory errors since the " +
		"driver was loaded."},
	live.RemappedRows: {"remapped_rows", "gauge", "Rows of memory that were remapped because of uncorrectable " +
		"errors."},
	live.RowRemapFailure:  {"row_remap_failure", "gauge", "1 when a row of memory could not be remapped."},
	live.LastXID:          {"last_xid", "gauge", "Number of the driver's last error event (Xid); 0 is none."},
	live.PerformanceState: {"performance_state", "gauge", "Performance state; 0 is the fastest."},
}

// inUnit is a reading in the unit of its family.
func inUnit(m live.Metric, v float64) float64 {
	if m == live.SMClock || m == live.MemoryClock {
		return v * 1e6
	}
	return v
}

// deviceMetrics are the readings: a family for each, a sample for each device that
// has it. Of processes nothing is told.
func deviceMetrics(e *exposition, st *site.State, v *live.View) {
	e.family("tianti_live_up", "gauge", "1 while readings are as new as they should be.")
	up := 0.0
	if v.State == live.OK {
		up = 1
	}
	e.sample("tianti_live_up", up)
	if v.Frame.Devices() == 0 {
		return
	}
	e.family("tianti_live_age_seconds", "gauge", "Age of the last readings.")
	e.sample("tianti_live_age_seconds", math.Round(v.Age.Seconds()*1000)/1000)
	families := samplesOf(st, v)
	for _, m := range slices.Sorted(maps.Keys(families)) {
		f := deviceFamilies[m]
		e.family("tianti_device_"+f.name, f.kind, f.help)
		e.Write(families[m].Bytes())
	}
}

// samplesOf are the samples of each family. Readings that are old or have no family
// are left out: an old value would look like a new one.
func samplesOf(st *site.State, v *live.View) map[live.Metric]*exposition {
	matched := live.MatchFrame(st.Snap, &v.Frame)
	out := map[live.Metric]*exposition{}
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		for j := range h.Devices {
			d := &h.Devices[j]
			card := ""
			if m := matched[d.UUID]; m.OK() {
				card = st.Snap.Card(m.Row).ID
			}
			for m, r := range d.Readings {
				f, known := deviceFamilies[m]
				if !known || v.IsStale(h, r) || math.IsNaN(r.Value) {
					continue
				}
				if out[m] == nil {
					out[m] = &exposition{}
				}
				out[m].sample("tianti_device_"+f.name, inUnit(m, r.Value), "uuid", d.UUID, "name", d.Name, "card", card,
					"host", h.Name)
			}
		}
	}
	return out
}
