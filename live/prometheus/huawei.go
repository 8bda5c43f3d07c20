package prometheus

import (
	"math"

	"tianti/live"
	"tianti/live/internal/normalize"
)

// huaweiExporter is Huawei's npu-exporter. Units are in the documentation of MindCluster,
// github.com/Ascend/mind-cluster, where MB means 2^20 bytes.
var huaweiExporter = exporter{
	identify: huaweiIdentity,
	absent:   huaweiBlank,
	metrics: map[string]rule{
		"npu_chip_info_overall_utilization":       {metric: live.GPUUtilization, scale: 0.01},
		"npu_chip_info_utilization":               {metric: live.GPUUtilization, scale: 0.01, rank: 1}, // of AI cores
		"npu_chip_info_cube_utilization":          {metric: live.TensorActive, scale: 0.01},
		"npu_chip_info_hbm_bandwidth_utilization": {metric: live.DRAMActive, scale: 0.01},
		"npu_chip_info_hbm_used_memory":           {metric: live.MemoryUsed, steps: hasMemory},
		"npu_chip_info_hbm_total_memory":          {metric: live.MemoryTotal, steps: hasMemory},
		"npu_chip_info_used_memory":               {metric: live.MemoryUsed, scale: mib, rank: 1}, // without HBM
		"npu_chip_info_total_memory":              {metric: live.MemoryTotal, steps: hasMemory, rank: 1},
		"npu_chip_info_power":                     {metric: live.Power, scale: 1},
		"npu_chip_info_temperature":               {metric: live.Temperature, scale: 1},
		"npu_chip_info_hbm_temperature":           {metric: live.MemoryTemperature, scale: 1},
		"npu_chip_info_aicore_current_freq":       {metric: live.SMClock, scale: 1},
		"npu_chip_info_health_status":             {metric: normalize.Present, scale: 1},
	},
}

// hasMemory converts MiB to bytes. Zero is no reading: chips with HBM report it for other memory.
func hasMemory(v float64) (float64, bool) { return v * mib, v > 0 }

// huaweiBlank reports whether v stands for a missing value: -1, -2 or an extreme one.
func huaweiBlank(v float64) bool {
	return v < -200 || v == -1 || v == -2 || v >= math.MaxInt32
}

func huaweiIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key: labels["vdie_id"],
		Device: live.Device{
			Name:   first(labels, "model_name", "modelName", "name"),
			Vendor: "Huawei",
			Index:  index(labels["id"]),
			Bus:    normalize.Bus(labels["pcie_bus_info"]),
		},
	}
	id.host, id.hostRank = hostOf(labels)
	if id.key == "" {
		id.key = id.host + "/" + labels["id"]
	}
	return id, labels["id"] != ""
}
