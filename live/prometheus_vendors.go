package live

import (
	"maps"
	"math"
	"slices"
)

// amdFamily is AMD's device-metrics-exporter, whose names may have the prefix that
// the operator for clusters gives them. Units: docs/configuration/metricslist.md of
// github.com/ROCm/device-metrics-exporter.
var amdFamily = promFamily{
	matcher:  `gpu_id!=""`,
	identify: amdIdentity,
	absent:   amdBlank,
	metrics: withPrefix("amd_", map[string]rule{
		"gpu_gfx_activity": {metric: GPUUtilization, scale: 0.01},
		// The kernel fills it with DramBandwidthUtilization since the MI300 and with
		// AverageUclkActivity, a share of time, before it (drivers/gpu/drm/amd/pm/swsmu,
		// smu_v13_0_6_ppt.c and aldebaran_ppt.c). The bandwidth in use is no more than either.
		"gpu_umc_activity": {metric: DRAMActive, scale: 0.01},
		"gpu_used_vram":    {metric: MemoryUsed, scale: mib},
		"gpu_total_vram":   {metric: MemoryTotal, scale: mib},

		"gpu_package_power":         {metric: Power, scale: 1, board: true},
		"gpu_average_package_power": {metric: Power, scale: 1, rank: 1, board: true},
		"gpu_power_usage":           {metric: Power, scale: 1, rank: 2, board: true},
		"gpu_energy_consumed":       {metric: Energy, scale: 1e-6, board: true},
		"gpu_junction_temperature":  {metric: Temperature, scale: 1, board: true},
		"gpu_edge_temperature":      {metric: Temperature, scale: 1, rank: 1, board: true},
		"gpu_memory_temperature":    {metric: MemoryTemperature, scale: 1, board: true},

		"gpu_clock":     {metric: SMClock, scale: 1, board: true, only: "clock_type=system|GPU_CLOCK_TYPE_SYSTEM"},
		"gpu_max_clock": {metric: fieldMaxSMClock, scale: 1, board: true, only: "clock_type=system|GPU_CLOCK_TYPE_SYSTEM"},

		"pcie_speed":              {metric: PCIeGeneration, steps: pcieGeneration, board: true},
		"pcie_max_speed":          {metric: PCIeMaxGeneration, steps: pcieGeneration, board: true},
		"gpu_ecc_uncorrect_total": {metric: ECCUncorrected, scale: 1, board: true},

		"gpu_prof_sm_active":             {metric: SMActive, scale: 0.01},
		"gpu_prof_occupancy_percent":     {metric: SMOccupancy, scale: 0.01},
		"gpu_prof_tensor_active_percent": {metric: TensorActive, scale: 0.01},

		"gpu_violation_ppt_residency_percentage":            {metric: fieldReason + Metric(ThrottlePowerCap), scale: 1, board: true},
		"gpu_violation_socket_thermal_residency_percentage": {metric: fieldReason + Metric(ThrottleThermal), scale: 1, board: true},
		"gpu_violation_hbm_thermal_residency_percentage":    {metric: fieldReason + Metric(ThrottleThermal), scale: 1, board: true},
		"gpu_violation_vr_thermal_residency_percentage":     {metric: fieldReason + Metric(ThrottleHardwareThermal), scale: 1, board: true},
		"gpu_violation_processor_hot_residency_percentage":  {metric: fieldReason + Metric(ThrottleHardwareThermal), scale: 1, board: true},
	}),
}

// withPrefix is rules with each name a second time, with a prefix.
func withPrefix(prefix string, rules map[string]rule) map[string]rule {
	for _, name := range slices.Collect(maps.Keys(rules)) {
		rules[prefix+name] = rules[name]
	}
	return rules
}

// amdBlank tells the values that stand for none: the greatest of 64, 32 and 16 bits.
func amdBlank(v float64) bool {
	return v >= math.MaxUint64 || v == math.MaxUint32 || v == math.MaxUint16 || v < 0
}

func amdIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:    labels["gpu_uuid"],
		serial: labels["serial_number"],
		driver: labels["driver_version"],
		Device: Device{
			Name:   first(labels, "card_series", "card_model"),
			Vendor: "AMD",
			Index:  index(labels["gpu_id"]),
			Bus:    busID(first(labels, "pcie_bus_id", "pci_bdf")),
		},
	}
	id.host, id.hostRank = hostOf(labels)
	// Partitions but the first report zeros where they have no sensors.
	id.blind = labels["gpu_partition_id"] != "" && labels["gpu_partition_id"] != "0"
	if id.blind {
		id.Kind = Slice
	}
	if id.key == "" {
		// The dies of one card share a serial number.
		id.key = id.host + "/" + labels["gpu_id"]
	}
	return id, labels["gpu_id"] != ""
}

// pcieGeneration is that of a speed in GT/s.
func pcieGeneration(speed float64) (float64, bool) {
	i := slices.Index([]float64{2.5, 5, 8, 16, 32, 64}, speed)
	return float64(i + 1), i >= 0
}

// huaweiFamily is Huawei's npu-exporter. Units are in the table of its data in the
// documentation of MindCluster, github.com/Ascend/mind-cluster; its MB are 2^20 bytes.
var huaweiFamily = promFamily{
	identify: huaweiIdentity,
	absent:   huaweiBlank,
	metrics: map[string]rule{
		"npu_chip_info_overall_utilization":       {metric: GPUUtilization, scale: 0.01},
		"npu_chip_info_utilization":               {metric: GPUUtilization, scale: 0.01, rank: 1}, // of AI cores
		"npu_chip_info_cube_utilization":          {metric: TensorActive, scale: 0.01},
		"npu_chip_info_hbm_bandwidth_utilization": {metric: DRAMActive, scale: 0.01},
		"npu_chip_info_hbm_used_memory":           {metric: MemoryUsed, steps: hasMemory},
		"npu_chip_info_hbm_total_memory":          {metric: MemoryTotal, steps: hasMemory},
		"npu_chip_info_used_memory":               {metric: MemoryUsed, scale: mib, rank: 1}, // of chips without HBM
		"npu_chip_info_total_memory":              {metric: MemoryTotal, steps: hasMemory, rank: 1},
		"npu_chip_info_power":                     {metric: Power, scale: 1},
		"npu_chip_info_temperature":               {metric: Temperature, scale: 1},
		"npu_chip_info_hbm_temperature":           {metric: MemoryTemperature, scale: 1},
		"npu_chip_info_aicore_current_freq":       {metric: SMClock, scale: 1},
		"npu_chip_info_health_status":             {metric: fieldPresent, scale: 1},
	},
}

// hasMemory is MiB in bytes, where there are any: chips with HBM say 0 of the other.
func hasMemory(v float64) (float64, bool) { return v * mib, v > 0 }

// huaweiBlank tells the exporter's -1, "failed to get it", and greatest values.
func huaweiBlank(v float64) bool {
	return v < -200 || v == -1 || v == -2 || v >= math.MaxInt32
}

func huaweiIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key: labels["vdie_id"],
		Device: Device{
			Name:   first(labels, "model_name", "modelName", "name"),
			Vendor: "Huawei",
			Index:  index(labels["id"]),
			Bus:    busID(labels["pcie_bus_info"]),
		},
	}
	id.host, id.hostRank = hostOf(labels)
	if id.key == "" {
		id.key = id.host + "/" + labels["id"]
	}
	return id, labels["id"] != ""
}
