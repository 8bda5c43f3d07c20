package sample

import (
	"time"

	"tianti/live"
)

func rtx4090() live.Device {
	return live.Device{
		UUID: RTX4090, Name: "NVIDIA GeForce RTX 4090", Vendor: "NVIDIA",
		PCI: "10de:2684", Subsystem: "1043:889a", Bus: "0000:01:00.0",
		ComputeCapability: "8.9", Cores: 16384, MemoryBusBits: 384, MaxSMClock: 3105, MaxMemoryClock: 10501,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.03, live.MemoryTotal: 24564 * mib, live.MemoryUsed: 812 * mib,
			live.MemoryReserved: 353 * mib, live.Power: 24, live.PowerLimit: 450, live.PowerDefaultLimit: 450,
			live.Temperature: 38, live.FanSpeed: 0, live.SMClock: 210, live.MemoryClock: 405,
			live.PCIeGeneration: 1, live.PCIeWidth: 16, live.PCIeMaxGeneration: 4,
			live.PCIeMaxWidth: 16, live.PerformanceState: 8,
		}),
		Throttle:  []live.Throttle{live.ThrottleIdle},
		Processes: []live.Process{{PID: 1402, Name: "Xorg", User: "root", Memory: 310 * mib, Kind: "graphics"}},
	}
}

func modified() live.Device {
	return live.Device{
		UUID: Modified, Name: "NVIDIA GeForce RTX 4090", Vendor: "NVIDIA",
		PCI: "10de:2684", Subsystem: "10de:167c", Bus: "0000:02:00.0",
		ComputeCapability: "8.9", Cores: 16384, MemoryBusBits: 384, MaxSMClock: 3105, MaxMemoryClock: 10501,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.97, live.MemoryTotal: 49140 * mib, live.MemoryUsed: 44032 * mib,
			live.MemoryReserved: 480 * mib, live.Power: 297, live.PowerLimit: 300, live.PowerDefaultLimit: 450,
			live.Temperature: 70, live.FanSpeed: 0.61, live.SMClock: 2235, live.MemoryClock: 10501,
			live.PCIeGeneration: 3, live.PCIeWidth: 8, live.PCIeMaxGeneration: 4,
			live.PCIeMaxWidth: 8, live.PerformanceState: 2,
		}),
		Throttle:  []live.Throttle{live.ThrottlePowerCap},
		Processes: []live.Process{{PID: 7781, Name: "vllm", User: "erin", Memory: 43900 * mib, Kind: "compute"}},
	}
}

func rtx3080() live.Device {
	return live.Device{
		UUID: RTX3080, Name: "NVIDIA GeForce RTX 3080", Vendor: "NVIDIA",
		PCI: "10de:2206", Subsystem: "1458:403f", Bus: "0000:03:00.0",
		ComputeCapability: "8.6", Cores: 8704, MemoryBusBits: 320, MaxSMClock: 2100, MaxMemoryClock: 9501,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.88, live.MemoryTotal: 10240 * mib, live.MemoryUsed: 7012 * mib, live.Power: 276,
			live.PowerLimit: 320, live.PowerDefaultLimit: 320, live.Temperature: 68, live.SMClock: 1860,
			live.MemoryClock: 9501, live.PCIeGeneration: 3, live.PCIeWidth: 16, live.PCIeMaxGeneration: 3,
			live.PCIeMaxWidth: 16, live.PerformanceState: 2,
		}),
		Processes: []live.Process{{PID: 300, Name: "blender", User: "frank", Memory: 6900 * mib, Kind: "graphics"}},
	}
}

// rtx3080Big is a device of which an exporter says no more than its name.
func rtx3080Big() live.Device {
	return live.Device{
		UUID: RTX3080Big, Name: "NVIDIA GeForce RTX 3080", Vendor: "NVIDIA",
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0, live.MemoryTotal: 12288 * mib, live.MemoryUsed: 120 * mib, live.Power: 21,
			live.Temperature: 35, live.SMClock: 210,
		}),
	}
}

func gb10() live.Device {
	return live.Device{
		UUID: GB10, Name: "NVIDIA GB10", Vendor: "NVIDIA", Unified: true,
		PCI: "10de:2e12", Subsystem: "10de:21ec", Bus: "000f:01:00.0",
		ComputeCapability: "12.1", Cores: 6144, MaxSMClock: 3003,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.42, live.Power: 33, live.Temperature: 52, live.SMClock: 2411,
			live.PCIeGeneration: 1, live.PCIeWidth: 1, live.PCIeMaxGeneration: 5,
			live.PCIeMaxWidth: 16, live.PerformanceState: 0,
		}),
	}
}

func t4() live.Device {
	return live.Device{
		UUID: T4, Name: "Tesla T4", Vendor: "NVIDIA",
		PCI: "10de:1eb8", Subsystem: "10de:12a2", Bus: "0000:00:1e.0",
		ComputeCapability: "7.5", Cores: 2560, MemoryBusBits: 256, MaxSMClock: 1590, MaxMemoryClock: 5001,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.81, live.MemoryTotal: 15360 * mib, live.MemoryUsed: 9021 * mib,
			live.MemoryReserved: 437 * mib, live.Power: 70, live.PowerLimit: 70, live.PowerDefaultLimit: 70,
			live.Temperature: 79, live.SMClock: 1095, live.MemoryClock: 5000, live.PCIeGeneration: 3,
			live.PCIeWidth: 8, live.PCIeMaxGeneration: 3, live.PCIeMaxWidth: 16, live.PerformanceState: 0,
		}),
		Throttle:  []live.Throttle{live.ThrottlePowerCap},
		Processes: []live.Process{{PID: 88, Name: "tritonserver", Memory: 9000 * mib, Kind: "compute"}},
	}
}

func l40s() live.Device {
	return live.Device{
		UUID: L40S, Name: "NVIDIA L40S", Vendor: "NVIDIA",
		PCI: "10de:26b9", Subsystem: "10de:1851", Bus: "0000:41:00.0",
		ComputeCapability: "8.9", Cores: 18176, MemoryBusBits: 384, MaxSMClock: 2520, MaxMemoryClock: 9001,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0, live.MemoryTotal: 46068 * mib, live.MemoryUsed: 1 * mib,
			live.MemoryReserved: 595 * mib, live.Power: 31, live.PowerLimit: 350, live.PowerDefaultLimit: 350,
			live.Temperature: 29, live.SMClock: 210, live.MemoryClock: 405, live.PCIeGeneration: 1,
			live.PCIeWidth: 16, live.PCIeMaxGeneration: 4, live.PCIeMaxWidth: 16, live.PerformanceState: 8,
		}),
		Throttle: []live.Throttle{live.ThrottleIdle},
	}
}

func rtx6000Ada() live.Device {
	return live.Device{
		UUID: RTX6000Ada, Name: "NVIDIA RTX 6000 Ada Generation", Vendor: "NVIDIA",
		PCI: "10de:26b1", Subsystem: "10de:16a1", Bus: "0000:61:00.0",
		ComputeCapability: "8.9", Cores: 18176, MemoryBusBits: 384, MaxSMClock: 3105, MaxMemoryClock: 10001,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.55, live.MemoryTotal: 49140 * mib, live.MemoryUsed: 30211 * mib,
			live.MemoryReserved: 500 * mib, live.Power: 214, live.PowerLimit: 300, live.PowerDefaultLimit: 300,
			live.Temperature: 72, live.FanSpeed: 0.44, live.SMClock: 2610, live.MemoryClock: 10001,
			live.PCIeGeneration: 4, live.PCIeWidth: 16, live.PCIeMaxGeneration: 4,
			live.PCIeMaxWidth: 16, live.PerformanceState: 2,
		}),
		Processes: []live.Process{{PID: 5120, Name: "comfyui", User: "grace", Memory: 30100 * mib, Kind: "compute"}},
	}
}

// mi300x is as AMD's exporter tells it.
func mi300x() live.Device {
	return live.Device{
		UUID: MI300X, Name: "AMD Instinct MI300X", Vendor: "AMD",
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.93, live.MemoryTotal: 196592 * mib, live.MemoryUsed: 150020 * mib,
			live.Power: 702, live.Temperature: 74, live.MemoryTemperature: 61, live.SMClock: 1950,
			live.MemoryClock: 1300, live.TensorActive: 0.37, live.PCIeTx: 2.1e9, live.PCIeRx: 0.4e9,
		}),
	}
}

// ascend is as Huawei's exporter tells it, half a minute before the frame.
func ascend() live.Device {
	d := live.Device{
		UUID: Ascend, Name: "Ascend910B3", Vendor: "Huawei",
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.76, live.TensorActive: 0.41, live.MemoryTotal: 65536 * mib,
			live.MemoryUsed: 51002 * mib, live.Power: 287, live.Temperature: 58, live.MemoryTemperature: 56,
			live.SMClock: 1800, live.DRAMActive: 0.38,
		}),
	}
	for m, r := range d.Readings {
		r.Taken = Taken.Add(-30 * time.Second)
		d.Readings[m] = r
	}
	return d
}
