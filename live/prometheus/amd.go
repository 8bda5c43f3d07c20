package prometheus

import (
	"maps"
	"math"
	"slices"

	"tianti/live"
	"tianti/live/internal/normalize"
)

// amdExporter is AMD's device-metrics-exporter. AMD's GPU operator adds a prefix to its metrics. Units:
// docs/configuration/metricslist.md of github.com/ROCm/device-metrics-exporter.
var amdExporter = exporter{
	matcher:  `gpu_id!=""`,
	identify: amdIdentity,
	absent:   amdBlank,
	metrics: withPrefix("amd_", map[string]rule{
		"gpu_gfx_activity": {metric: live.GPUUtilization, scale: 0.01},
		// The kernel's value is DramBandwidthUtilization since the MI300 and AverageUclkActivity, a share of time,
		// before (drivers/gpu/drm/amd/pm/swsmu, smu_v13_0_6_ppt.c and aldebaran_ppt.c). Both are upper bounds of the
		// bandwidth.
		"gpu_umc_activity": {metric: live.DRAMActive, scale: 0.01},
		"gpu_used_vram":    {metric: live.MemoryUsed, scale: mib},
		"gpu_total_vram":   {metric: live.MemoryTotal, scale: mib},

		"gpu_package_power":         {metric: live.Power, scale: 1, board: true},
		"gpu_average_package_power": {metric: live.Power, scale: 1, rank: 1, board: true},
		"gpu_power_usage":           {metric: live.Power, scale: 1, rank: 2, board: true},
		"gpu_energy_consumed":       {metric: live.Energy, scale: 1e-6, board: true},
		"gpu_junction_temperature":  {metric: live.Temperature, scale: 1, board: true},
		"gpu_edge_temperature":      {metric: live.Temperature, scale: 1, rank: 1, board: true},
		"gpu_memory_temperature":    {metric: live.MemoryTemperature, scale: 1, board: true},

		"gpu_clock":     {metric: live.SMClock, scale: 1, board: true, only: amdSystemClock},
		"gpu_max_clock": {metric: normalize.MaxSMClock, scale: 1, board: true, only: amdSystemClock},

		"pcie_speed":              {metric: live.PCIeGeneration, steps: pcieGeneration, board: true},
		"pcie_max_speed":          {metric: live.PCIeMaxGeneration, steps: pcieGeneration, board: true},
		"gpu_ecc_uncorrect_total": {metric: live.ECCUncorrected, scale: 1, board: true},

		"gpu_prof_sm_active":             {metric: live.SMActive, scale: 0.01},
		"gpu_prof_occupancy_percent":     {metric: live.SMOccupancy, scale: 0.01},
		"gpu_prof_tensor_active_percent": {metric: live.TensorActive, scale: 0.01},

		"gpu_violation_ppt_residency_percentage":            amdViolation(live.ThrottlePowerCap),
		"gpu_violation_socket_thermal_residency_percentage": amdViolation(live.ThrottleThermal),
		"gpu_violation_hbm_thermal_residency_percentage":    amdViolation(live.ThrottleThermal),
		"gpu_violation_vr_thermal_residency_percentage":     amdViolation(live.ThrottleHardwareThermal),
		"gpu_violation_processor_hot_residency_percentage":  amdViolation(live.ThrottleHardwareThermal),
	}),
}

// amdSystemClock selects the clock of the compute units.
const amdSystemClock = "clock_type=system|GPU_CLOCK_TYPE_SYSTEM"

// amdViolation is the rule of a share of time, in percent, in which clocks were reduced.
func amdViolation(reason live.Throttle) rule {
	return rule{metric: normalize.ThrottleShare(reason), scale: 1, board: true}
}

// withPrefix adds each rule under a second name, with a prefix.
func withPrefix(prefix string, rules map[string]rule) map[string]rule {
	for _, name := range slices.Collect(maps.Keys(rules)) {
		rules[prefix+name] = rules[name]
	}
	return rules
}

// amdBlank reports whether v stands for a missing value: the maximum of 64, 32 and 16 bits.
func amdBlank(v float64) bool {
	return v >= math.MaxUint64 || v == math.MaxUint32 || v == math.MaxUint16 || v < 0
}

func amdIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:    labels["gpu_uuid"],
		serial: labels["serial_number"],
		driver: labels["driver_version"],
		Device: live.Device{
			Name:   first(labels, "card_series", "card_model"),
			Vendor: "AMD",
			Index:  index(labels["gpu_id"]),
			Bus:    normalize.Bus(first(labels, "pcie_bus_id", "pci_bdf")),
		},
	}
	id.host, id.hostRank = hostOf(labels)
	// All partitions but the first report zero for sensors that they do not have.
	id.blind = labels["gpu_partition_id"] != "" && labels["gpu_partition_id"] != "0"
	if id.blind {
		id.Kind = live.Slice
	}
	if id.key == "" {
		id.key = id.host + "/" + labels["gpu_id"] // the serial number is shared by the dies of a card
	}
	return id, labels["gpu_id"] != ""
}

// pcieGeneration is the generation of a link speed in GT/s.
func pcieGeneration(speed float64) (float64, bool) {
	i := slices.Index([]float64{2.5, 5, 8, 16, 32, 64}, speed)
	return float64(i + 1), i >= 0
}
