package live

import (
	"strconv"
)

const mib = 1 << 20

// promFamilies are the exporters that are known, each with a query of its own.
var promFamilies = []promFamily{dcgmFamily, nvidiaSMIFamily, amdFamily, huaweiFamily}

// dcgmFamily is dcgm-exporter. DCGM 4.6 renamed fields; 4.7 has some of them again in
// base units, under names of their own, which the exporter's 4.9 publishes unless told
// otherwise; all are met. Units: dcgmlib/dcgm_fields.h of github.com/NVIDIA/DCGM and
// etc/default-counters.csv of github.com/NVIDIA/dcgm-exporter. What NVML counts in MiB is
// called MB there.
var dcgmFamily = promFamily{
	identify: dcgmIdentity,
	absent:   dcgmBlank,
	metrics: map[string]rule{
		"DCGM_FI_DEV_GPU_UTIL":              {metric: GPUUtilization, scale: 0.01},
		"DCGM_FI_DEV_GPU_UTIL_RATIO":        {metric: GPUUtilization, scale: 1, ratio: true}, // percent in 4.6
		"DCGM_FI_PROF_GR_ENGINE_ACTIVE":     {metric: GPUUtilization, scale: 1, rank: 1},     // all that instances have
		"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO": {metric: GPUUtilization, scale: 1, rank: 1},

		"DCGM_FI_DEV_FB_USED":           {metric: MemoryUsed, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_USED_BYTES":     {metric: MemoryUsed, scale: 1},
		"DCGM_FI_DEV_FB_FREE":           {metric: fieldMemoryFree, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_FREE_BYTES":     {metric: fieldMemoryFree, scale: 1},
		"DCGM_FI_DEV_FB_RESERVED":       {metric: MemoryReserved, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_RESERVED_BYTES": {metric: MemoryReserved, scale: 1},
		"DCGM_FI_DEV_FB_TOTAL":          {metric: MemoryTotal, scale: mib, rank: 1},
		"DCGM_FI_DEV_FB_CAPACITY_BYTES": {metric: MemoryTotal, scale: 1},

		"DCGM_FI_DEV_POWER_USAGE":                       {metric: Power, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_WATTS":                 {metric: Power, scale: 1, board: true},
		"DCGM_FI_DEV_ENFORCED_POWER_LIMIT":              {metric: PowerLimit, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS":  {metric: PowerLimit, scale: 1, board: true},
		"DCGM_FI_DEV_POWER_MGMT_LIMIT":                  {metric: PowerLimit, scale: 1, rank: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS": {metric: PowerLimit, scale: 1, rank: 1, board: true},
		"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF":              {metric: PowerDefaultLimit, scale: 1, board: true},
		"DCGM_FI_DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS":   {metric: PowerDefaultLimit, scale: 1, board: true},
		"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION":          {metric: Energy, scale: 1e-3, board: true},
		"DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL":           {metric: Energy, scale: 1, board: true},

		"DCGM_FI_DEV_GPU_TEMP":            {metric: Temperature, scale: 1, board: true},
		"DCGM_FI_DEV_GPU_TEMP_CELSIUS":    {metric: Temperature, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_TEMP":         {metric: MemoryTemperature, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_TEMP_CELSIUS": {metric: MemoryTemperature, scale: 1, board: true},
		"DCGM_FI_DEV_FAN_SPEED":           {metric: FanSpeed, scale: 0.01, board: true},
		"DCGM_FI_DEV_FAN_SPEED_RATIO":     {metric: FanSpeed, scale: 1, board: true},

		"DCGM_FI_DEV_SM_CLOCK":               {metric: SMClock, scale: 1, board: true},
		"DCGM_FI_DEV_SM_CLOCK_HERTZ":         {metric: SMClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MEM_CLOCK":              {metric: MemoryClock, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_CLOCK_HERTZ":     {metric: MemoryClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MAX_SM_CLOCK":           {metric: fieldMaxSMClock, scale: 1, board: true},
		"DCGM_FI_DEV_SM_MAX_CLOCK_HERTZ":     {metric: fieldMaxSMClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_MAX_MEM_CLOCK":          {metric: fieldMaxMemoryClock, scale: 1, board: true},
		"DCGM_FI_DEV_MEMORY_MAX_CLOCK_HERTZ": {metric: fieldMaxMemoryClock, scale: 1e-6, board: true},
		"DCGM_FI_DEV_CLOCKS_EVENT_REASONS":   {metric: fieldThrottle, scale: 1, board: true},
		"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": {metric: fieldThrottle, scale: 1, board: true},
		"DCGM_FI_DEV_PSTATE":                 {metric: PerformanceState, scale: 1, board: true},
		"DCGM_FI_DEV_GPU_PSTATE":             {metric: PerformanceState, scale: 1, board: true},

		"DCGM_FI_PROF_SM_ACTIVE":          {metric: SMActive, scale: 1},
		"DCGM_FI_PROF_SM_UTIL_RATIO":      {metric: SMActive, scale: 1},
		"DCGM_FI_PROF_SM_OCCUPANCY":       {metric: SMOccupancy, scale: 1},
		"DCGM_FI_PROF_SM_OCCUPANCY_RATIO": {metric: SMOccupancy, scale: 1},
		"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": {metric: TensorActive, scale: 1},
		"DCGM_FI_PROF_TENSOR_UTIL_RATIO":  {metric: TensorActive, scale: 1},
		"DCGM_FI_PROF_PIPE_FP16_ACTIVE":   {metric: FP16Active, scale: 1},
		"DCGM_FI_PROF_FP16_UTIL_RATIO":    {metric: FP16Active, scale: 1},
		"DCGM_FI_PROF_PIPE_FP32_ACTIVE":   {metric: FP32Active, scale: 1},
		"DCGM_FI_PROF_FP32_UTIL_RATIO":    {metric: FP32Active, scale: 1},
		"DCGM_FI_PROF_PIPE_FP64_ACTIVE":   {metric: FP64Active, scale: 1},
		"DCGM_FI_PROF_FP64_UTIL_RATIO":    {metric: FP64Active, scale: 1},
		"DCGM_FI_PROF_DRAM_ACTIVE":        {metric: DRAMActive, scale: 1},
		"DCGM_FI_PROF_DRAM_UTIL_RATIO":    {metric: DRAMActive, scale: 1},

		"DCGM_FI_PROF_NVLINK_TX_BYTES":    {metric: NVLinkTx, scale: 1},
		"DCGM_FI_PROF_NVLINK_RX_BYTES":    {metric: NVLinkRx, scale: 1},
		"DCGM_FI_PROF_PCIE_TX_BYTES":      {metric: PCIeTx, scale: 1},
		"DCGM_FI_PROF_PCIE_RX_BYTES":      {metric: PCIeRx, scale: 1},
		"DCGM_FI_DEV_PCIE_LINK_GEN":       {metric: PCIeGeneration, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_LINK_WIDTH":     {metric: PCIeWidth, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_MAX_LINK_GEN":   {metric: PCIeMaxGeneration, scale: 1, board: true},
		"DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": {metric: PCIeMaxWidth, scale: 1, board: true},

		"DCGM_FI_DEV_ENC_UTIL":       {metric: EncoderActive, scale: 0.01},
		"DCGM_FI_DEV_ENC_UTIL_RATIO": {metric: EncoderActive, scale: 1},
		"DCGM_FI_DEV_DEC_UTIL":       {metric: DecoderActive, scale: 0.01},
		"DCGM_FI_DEV_DEC_UTIL_RATIO": {metric: DecoderActive, scale: 1},

		"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL":             {metric: ECCUncorrected, scale: 1, board: true},
		"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS":   {metric: RemappedRows, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL": {metric: RemappedRows, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_FAILURE":             {metric: RowRemapFailure, scale: 1, board: true},
		"DCGM_FI_DEV_ROW_REMAP_FAILED":              {metric: RowRemapFailure, scale: 1, board: true},
		"DCGM_FI_DEV_XID_ERRORS":                    {metric: LastXID, scale: 1, board: true},
		"DCGM_FI_DEV_XID_ERROR":                     {metric: LastXID, scale: 1, board: true},

		"DCGM_FI_DEV_PCI_COMBINED_ID": {metric: fieldPCI, scale: 1, board: true},
		"DCGM_FI_DEV_PCI_SUBSYS_ID":   {metric: fieldSubsystem, scale: 1, board: true},
		"DCGM_FI_DEV_MIG_MODE":        {metric: fieldMIGMode, scale: 1, board: true},
	},
}

// dcgmBlank tells the values that DCGM has for "blank", "not found", "not
// supported" and "no permission", of 32 and 64 bits and of floats.
func dcgmBlank(v float64) bool {
	return v >= 1<<47 || v >= 0x7ffffff0 && v <= 0x7fffffff && v == float64(int64(v))
}

func dcgmIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:     nvidiaUUID(first(labels, "UUID", "uuid", "gpu_uuid")),
		slice:   labels["GPU_I_ID"],
		profile: labels["GPU_I_PROFILE"],
		driver:  first(labels, "DCGM_FI_DRIVER_VERSION", "DCGM_FI_SYSTEM_DRIVER_VERSION"),
		runtime: cudaVersion(first(labels, "DCGM_FI_CUDA_DRIVER_VERSION")),
		serial:  labels["DCGM_FI_DEV_SERIAL"],
		Device: Device{
			Name:      first(labels, "modelName", "model_name"),
			Vendor:    "NVIDIA",
			Index:     index(labels["gpu"]),
			Bus:       busID(first(labels, "pci_bus_id", "DCGM_FI_DEV_PCI_BUSID", "DCGM_FI_DEV_PCI_BUS_ID")),
			PCI:       parsePCIID(labels["DCGM_FI_DEV_PCI_COMBINED_ID"]),
			Subsystem: parsePCIID(labels["DCGM_FI_DEV_PCI_SUBSYS_ID"]),
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

// cudaVersion writes 12080, which DCGM says, as "CUDA 12.8".
func cudaVersion(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1000 {
		return ""
	}
	return "CUDA " + strconv.Itoa(n/1000) + "." + strconv.Itoa(n%1000/10)
}

// nvidiaSMIFamily is nvidia_gpu_exporter, whose names follow those of nvidia-smi.
// It knows names only in its info metric, and hosts not at all. Names and units:
// docs/METRICS.md and internal/integration/testdata of github.com/utkuozdemir/nvidia_gpu_exporter.
var nvidiaSMIFamily = promFamily{
	identify: nvidiaSMIIdentity,
	absent:   func(float64) bool { return false },
	metrics: map[string]rule{
		"nvidia_smi_gpu_info":                              {metric: fieldPresent, scale: 1},
		"nvidia_smi_utilization_gpu_ratio":                 {metric: GPUUtilization, scale: 1},
		"nvidia_smi_utilization_encoder_ratio":             {metric: EncoderActive, scale: 1},
		"nvidia_smi_utilization_decoder_ratio":             {metric: DecoderActive, scale: 1},
		"nvidia_smi_memory_used_bytes":                     {metric: MemoryUsed, scale: 1},
		"nvidia_smi_memory_total_bytes":                    {metric: MemoryTotal, scale: 1},
		"nvidia_smi_memory_reserved_bytes":                 {metric: MemoryReserved, scale: 1},
		"nvidia_smi_power_draw_watts":                      {metric: Power, scale: 1},
		"nvidia_smi_enforced_power_limit_watts":            {metric: PowerLimit, scale: 1},
		"nvidia_smi_power_limit_watts":                     {metric: PowerLimit, scale: 1, rank: 1},
		"nvidia_smi_power_default_limit_watts":             {metric: PowerDefaultLimit, scale: 1},
		"nvidia_smi_energy_joules_total":                   {metric: Energy, scale: 1},
		"nvidia_smi_temperature_gpu":                       {metric: Temperature, scale: 1},
		"nvidia_smi_temperature_memory":                    {metric: MemoryTemperature, scale: 1},
		"nvidia_smi_fan_speed_ratio":                       {metric: FanSpeed, scale: 1},
		"nvidia_smi_clocks_current_sm_clock_hz":            {metric: SMClock, scale: 1e-6},
		"nvidia_smi_clocks_current_memory_clock_hz":        {metric: MemoryClock, scale: 1e-6},
		"nvidia_smi_clocks_max_sm_clock_hz":                {metric: fieldMaxSMClock, scale: 1e-6},
		"nvidia_smi_clocks_max_memory_clock_hz":            {metric: fieldMaxMemoryClock, scale: 1e-6},
		"nvidia_smi_clocks_event_reasons_active":           {metric: fieldThrottle, scale: 1},
		"nvidia_smi_clocks_throttle_reasons_active":        {metric: fieldThrottle, scale: 1},
		"nvidia_smi_pstate":                                {metric: PerformanceState, scale: 1},
		"nvidia_smi_pcie_link_gen_current":                 {metric: PCIeGeneration, scale: 1},
		"nvidia_smi_pcie_link_gen_max":                     {metric: PCIeMaxGeneration, scale: 1},
		"nvidia_smi_pcie_link_width_current":               {metric: PCIeWidth, scale: 1},
		"nvidia_smi_pcie_link_width_max":                   {metric: PCIeMaxWidth, scale: 1},
		"nvidia_smi_pcie_throughput_tx_bytes_per_second":   {metric: PCIeTx, scale: 1},
		"nvidia_smi_pcie_throughput_rx_bytes_per_second":   {metric: PCIeRx, scale: 1},
		"nvidia_smi_ecc_errors_uncorrected_volatile_total": {metric: ECCUncorrected, scale: 1},
		"nvidia_smi_remapped_rows_uncorrectable":           {metric: RemappedRows, scale: 1},
		"nvidia_smi_remapped_rows_failure":                 {metric: RowRemapFailure, scale: 1},
		"nvidia_smi_pci_device_id":                         {metric: fieldPCIDevice, scale: 1},
		"nvidia_smi_pci_sub_device_id":                     {metric: fieldSubsystem, scale: 1},
		"nvidia_smi_mig_mode_current":                      {metric: fieldMIGMode, scale: 1},
	},
}

func nvidiaSMIIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:    nvidiaUUID(labels["uuid"]),
		driver: labels["driver_version"],
		serial: labels["serial"],
		Device: Device{
			Name:              labels["name"],
			Vendor:            "NVIDIA",
			Index:             index(labels["index"]),
			Bus:               busID(labels["pci_bus_id"]),
			Subsystem:         parsePCIID(labels["pci_sub_device_id"]),
			ComputeCapability: labels["compute_cap"],
		},
	}
	if v := labels["cuda_version"]; v != "" {
		id.runtime = "CUDA " + v
	}
	id.host, id.hostRank = hostOf(labels)
	return id, id.key != ""
}
