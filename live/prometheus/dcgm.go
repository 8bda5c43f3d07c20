package prometheus

import (
	"strconv"

	"tianti/live"
	"tianti/live/internal/normalize"
)

const mib = 1 << 20

// dcgmExporter is dcgm-exporter. DCGM 4.6 renamed fields. DCGM 4.7 added fields in base units under new names, which
// dcgm-exporter 4.9 publishes by default. All of these names are in use. Units: dcgmlib/dcgm_fields.h of
// github.com/NVIDIA/DCGM and etc/default-counters.csv of github.com/NVIDIA/dcgm-exporter, where MB means MiB.
var dcgmExporter = exporter{
	identify: dcgmIdentity,
	absent:   dcgmBlank,
	metrics: map[string]rule{
		"DCGM_FI_DEV_GPU_UTIL":       {metric: live.GPUUtilization, scale: 0.01},
		"DCGM_FI_DEV_GPU_UTIL_RATIO": {metric: live.GPUUtilization, scale: 1, ratio: true}, // percent in 4.6
		// Instances have no other utilization.
		"DCGM_FI_PROF_GR_ENGINE_ACTIVE":     {metric: live.GPUUtilization, scale: 1, rank: 1},
		"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO": {metric: live.GPUUtilization, scale: 1, rank: 1},

		"DCGM_FI_DEV_FB_USED":           {metric: live.MemoryUsed, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_USED_BYTES":     {metric: live.MemoryUsed, scale: 1},
		"DCGM_FI_DEV_FB_FREE":           {metric: normalize.MemoryFree, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_FREE_BYTES":     {metric: normalize.MemoryFree, scale: 1},
		"DCGM_FI_DEV_FB_RESERVED":       {metric: live.MemoryReserved, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_RESERVED_BYTES": {metric: live.MemoryReserved, scale: 1},
		"DCGM_FI_DEV_FB_TOTAL":          {metric: live.MemoryTotal, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_CAPACITY_BYTES": {metric: live.MemoryTotal, scale: 1},

		"DCGM_FI_DEV_POWER_USAGE":                       {metric: live.Power, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_WATTS":                 {metric: live.Power, scale: 1, board: true},
		"DCGM_FI_DEV_ENFORCED_POWER_LIMIT":              {metric: live.PowerLimit, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS":  {metric: live.PowerLimit, scale: 1, board: true},
		"DCGM_FI_DEV_POWER_MGMT_LIMIT":                  {metric: live.PowerLimit, scale: 1, rank: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS": {metric: live.PowerLimit, scale: 1, rank: 1, board: true},
		"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF":              {metric: live.PowerDefaultLimit, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS":   {metric: live.PowerDefaultLimit, scale: 1, board: true},
		"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION":          {metric: live.Energy, scale: 1e-3, board: true},
		"DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL":           {metric: live.Energy, scale: 1, board: true},

		"DCGM_FI_DEV_GPU_TEMP":            {metric: live.Temperature, scale: 1, board: true},
		"DCGM_FI_DEV_GPU_TEMP_CELSIUS":    {metric: live.Temperature, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_TEMP":         {metric: live.MemoryTemperature, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_TEMP_CELSIUS": {metric: live.MemoryTemperature, scale: 1, board: true},
		"DCGM_FI_DEV_FAN_SPEED":           {metric: live.FanSpeed, scale: 0.01, board: true},
		"DCGM_FI_DEV_FAN_SPEED_RATIO":     {metric: live.FanSpeed, scale: 1, board: true},

		"DCGM_FI_DEV_SM_CLOCK":               {metric: live.SMClock, scale: 1, board: true},
		"DCGM_FI_DEV_SM_CLOCK_HERTZ":         {metric: live.SMClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MEM_CLOCK":              {metric: live.MemoryClock, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_CLOCK_HERTZ":     {metric: live.MemoryClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MAX_SM_CLOCK":           {metric: normalize.MaxSMClock, scale: 1, board: true},
		"DCGM_FI_DEV_SM_MAX_CLOCK_HERTZ":     {metric: normalize.MaxSMClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MAX_MEM_CLOCK":          {metric: normalize.MaxMemoryClock, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_MAX_CLOCK_HERTZ": {metric: normalize.MaxMemoryClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_CLOCKS_EVENT_REASONS":   {metric: normalize.Throttle, scale: 1, board: true},
		"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": {metric: normalize.Throttle, scale: 1, board: true},
		"DCGM_FI_DEV_PSTATE":                 {metric: live.PerformanceState, scale: 1, board: true},
		"DCGM_FI_DEV_GPU_PSTATE":             {metric: live.PerformanceState, scale: 1, board: true},

		"DCGM_FI_PROF_SM_ACTIVE":          {metric: live.SMActive, scale: 1},
		"DCGM_FI_PROF_SM_UTIL_RATIO":      {metric: live.SMActive, scale: 1},
		"DCGM_FI_PROF_SM_OCCUPANCY":       {metric: live.SMOccupancy, scale: 1},
		"DCGM_FI_PROF_SM_OCCUPANCY_RATIO": {metric: live.SMOccupancy, scale: 1},
		"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": {metric: live.TensorActive, scale: 1},
		"DCGM_FI_PROF_TENSOR_UTIL_RATIO":  {metric: live.TensorActive, scale: 1},
		"DCGM_FI_PROF_PIPE_FP16_ACTIVE":   {metric: live.FP16Active, scale: 1},
		"DCGM_FI_PROF_FP16_UTIL_RATIO":    {metric: live.FP16Active, scale: 1},
		"DCGM_FI_PROF_PIPE_FP32_ACTIVE":   {metric: live.FP32Active, scale: 1},
		"DCGM_FI_PROF_FP32_UTIL_RATIO":    {metric: live.FP32Active, scale: 1},
		"DCGM_FI_PROF_PIPE_FP64_ACTIVE":   {metric: live.FP64Active, scale: 1},
		"DCGM_FI_PROF_FP64_UTIL_RATIO":    {metric: live.FP64Active, scale: 1},
		"DCGM_FI_PROF_DRAM_ACTIVE":        {metric: live.DRAMActive, scale: 1},
		"DCGM_FI_PROF_DRAM_UTIL_RATIO":    {metric: live.DRAMActive, scale: 1},

		"DCGM_FI_PROF_NVLINK_TX_BYTES":    {metric: live.NVLinkTx, scale: 1},
		"DCGM_FI_PROF_NVLINK_RX_BYTES":    {metric: live.NVLinkRx, scale: 1},
		"DCGM_FI_PROF_PCIE_TX_BYTES":      {metric: live.PCIeTx, scale: 1},
		"DCGM_FI_PROF_PCIE_RX_BYTES":      {metric: live.PCIeRx, scale: 1},
		"DCGM_FI_DEV_PCIE_LINK_GEN":       {metric: live.PCIeGeneration, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_LINK_WIDTH":     {metric: live.PCIeWidth, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_MAX_LINK_GEN":   {metric: live.PCIeMaxGeneration, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": {metric: live.PCIeMaxWidth, scale: 1, board: true},

		"DCGM_FI_DEV_ENC_UTIL":       {metric: live.EncoderActive, scale: 0.01},
		"DCGM_FI_DEV_ENC_UTIL_RATIO": {metric: live.EncoderActive, scale: 1},
		"DCGM_FI_DEV_DEC_UTIL":       {metric: live.DecoderActive, scale: 0.01},
		"DCGM_FI_DEV_DEC_UTIL_RATIO": {metric: live.DecoderActive, scale: 1},

		"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL":             {metric: live.ECCUncorrected, scale: 1, board: true},
		"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS":   {metric: live.RemappedRows, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL": {metric: live.RemappedRows, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_FAILURE":             {metric: live.RowRemapFailure, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_FAILED":              {metric: live.RowRemapFailure, scale: 1, board: true},
		"DCGM_FI_DEV_XID_ERRORS":                    {metric: live.LastXID, scale: 1, board: true},
		"DCGM_FI_DEV_XID_ERROR":                     {metric: live.LastXID, scale: 1, board: true},

		"DCGM_FI_DEV_PCI_COMBINED_ID": {metric: normalize.PCI, scale: 1, board: true},
		"DCGM_FI_DEV_PCI_SUBSYS_ID":   {metric: normalize.Subsystem, scale: 1, board: true},
		"DCGM_FI_DEV_MIG_MODE":        {metric: normalize.MIGMode, scale: 1, board: true},
	},
}

// dcgmBlank reports whether v is one of DCGM's values for "blank", "not found", "not supported" and "no permission", of
// 32-bit and 64-bit integers and of floats.
func dcgmBlank(v float64) bool {
	return v >= 1<<47 || v >= 0x7ffffff0 && v <= 0x7fffffff && v == float64(int64(v))
}

func dcgmIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:     normalize.NVIDIAUUID(first(labels, "UUID", "uuid", "gpu_uuid")),
		slice:   labels["GPU_I_ID"],
		profile: labels["GPU_I_PROFILE"],
		driver:  first(labels, "DCGM_FI_DRIVER_VERSION", "DCGM_FI_SYSTEM_DRIVER_VERSION"),
		runtime: cudaVersion(first(labels, "DCGM_FI_CUDA_DRIVER_VERSION")),
		serial:  labels["DCGM_FI_DEV_SERIAL"],
		Device: live.Device{
			Name:      first(labels, "modelName", "model_name"),
			Vendor:    "NVIDIA",
			Index:     index(labels["gpu"]),
			Bus:       normalize.Bus(first(labels, "pci_bus_id", "DCGM_FI_DEV_PCI_BUSID", "DCGM_FI_DEV_PCI_BUS_ID")),
			PCI:       normalize.PCIID(labels["DCGM_FI_DEV_PCI_COMBINED_ID"]),
			Subsystem: normalize.PCIID(labels["DCGM_FI_DEV_PCI_SUBSYS_ID"]),
		},
	}
	id.host, id.hostRank = hostOf(labels)
	if id.key == "" {
		if labels["gpu"] == "" {
			return id, false // of a switch or a processor
		}
		id.key = id.host + "/" + labels["gpu"]
	}
	return id, true
}

// cudaVersion formats a version of DCGM, 12080, as "CUDA 12.8".
func cudaVersion(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1000 {
		return ""
	}
	return "CUDA " + strconv.Itoa(n/1000) + "." + strconv.Itoa(n%1000/10)
}
