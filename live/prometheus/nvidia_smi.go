package prometheus

import (
	"tianti/live"
	"tianti/live/internal/normalize"
)

// nvidiaSMIExporter is nvidia_gpu_exporter, whose metrics are named like the fields of nvidia-smi. Only its info metric
// has the name of the card; none has that of the host. Names and units: docs/METRICS.md and
// internal/integration/testdata of github.com/utkuozdemir/nvidia_gpu_exporter.
var nvidiaSMIExporter = exporter{
	identify: nvidiaSMIIdentity,
	absent:   func(float64) bool { return false },
	metrics: map[string]rule{
		"nvidia_smi_gpu_info":                              {metric: normalize.Present, scale: 1},
		"nvidia_smi_utilization_gpu_ratio":                 {metric: live.GPUUtilization, scale: 1},
		"nvidia_smi_utilization_encoder_ratio":             {metric: live.EncoderActive, scale: 1},
		"nvidia_smi_utilization_decoder_ratio":             {metric: live.DecoderActive, scale: 1},
		"nvidia_smi_memory_used_bytes":                     {metric: live.MemoryUsed, scale: 1},
		"nvidia_smi_memory_total_bytes":                    {metric: live.MemoryTotal, scale: 1},
		"nvidia_smi_memory_reserved_bytes":                 {metric: live.MemoryReserved, scale: 1},
		"nvidia_smi_power_draw_watts":                      {metric: live.Power, scale: 1},
		"nvidia_smi_enforced_power_limit_watts":            {metric: live.PowerLimit, scale: 1},
		"nvidia_smi_power_limit_watts":                     {metric: live.PowerLimit, scale: 1, rank: 1},
		"nvidia_smi_power_default_limit_watts":             {metric: live.PowerDefaultLimit, scale: 1},
		"nvidia_smi_energy_joules_total":                   {metric: live.Energy, scale: 1},
		"nvidia_smi_temperature_gpu":                       {metric: live.Temperature, scale: 1},
		"nvidia_smi_temperature_memory":                    {metric: live.MemoryTemperature, scale: 1},
		"nvidia_smi_fan_speed_ratio":                       {metric: live.FanSpeed, scale: 1},
		"nvidia_smi_clocks_current_sm_clock_hz":            {metric: live.SMClock, scale: 1e-6},
		"nvidia_smi_clocks_current_memory_clock_hz":        {metric: live.MemoryClock, scale: 1e-6},
		"nvidia_smi_clocks_max_sm_clock_hz":                {metric: normalize.MaxSMClock, scale: 1e-6},
		"nvidia_smi_clocks_max_memory_clock_hz":            {metric: normalize.MaxMemoryClock, scale: 1e-6},
		"nvidia_smi_clocks_event_reasons_active":           {metric: normalize.Throttle, scale: 1},
		"nvidia_smi_clocks_throttle_reasons_active":        {metric: normalize.Throttle, scale: 1},
		"nvidia_smi_pstate":                                {metric: live.PerformanceState, scale: 1},
		"nvidia_smi_pcie_link_gen_current":                 {metric: live.PCIeGeneration, scale: 1},
		"nvidia_smi_pcie_link_gen_max":                     {metric: live.PCIeMaxGeneration, scale: 1},
		"nvidia_smi_pcie_link_width_current":               {metric: live.PCIeWidth, scale: 1},
		"nvidia_smi_pcie_link_width_max":                   {metric: live.PCIeMaxWidth, scale: 1},
		"nvidia_smi_pcie_throughput_tx_bytes_per_second":   {metric: live.PCIeTx, scale: 1},
		"nvidia_smi_pcie_throughput_rx_bytes_per_second":   {metric: live.PCIeRx, scale: 1},
		"nvidia_smi_ecc_errors_uncorrected_volatile_total": {metric: live.ECCUncorrected, scale: 1},
		"nvidia_smi_remapped_rows_uncorrectable":           {metric: live.RemappedRows, scale: 1},
		"nvidia_smi_remapped_rows_failure":                 {metric: live.RowRemapFailure, scale: 1},
		"nvidia_smi_pci_device_id":                         {metric: normalize.PCIDevice, scale: 1},
		"nvidia_smi_pci_sub_device_id":                     {metric: normalize.Subsystem, scale: 1},
		"nvidia_smi_mig_mode_current":                      {metric: normalize.MIGMode, scale: 1},
	},
}

func nvidiaSMIIdentity(labels map[string]string) (identity, bool) {
	id := identity{
		key:    normalize.NVIDIAUUID(labels["uuid"]),
		driver: labels["driver_version"],
		serial: labels["serial"],
		Device: live.Device{
			Name:              labels["name"],
			Vendor:            "NVIDIA",
			Index:             index(labels["index"]),
			Bus:               normalize.Bus(labels["pci_bus_id"]),
			Subsystem:         normalize.PCIID(labels["pci_sub_device_id"]),
			ComputeCapability: labels["compute_cap"],
		},
	}
	if v := labels["cuda_version"]; v != "" {
		id.runtime = "CUDA " + v
	}
	id.host, id.hostRank = hostOf(labels)
	return id, id.key != ""
}
