package sample

import "tianti/live"

func hopper() live.Device {
	return live.Device{
		UUID: H100, Name: "NVIDIA H100 80GB HBM3", Vendor: "NVIDIA",
		PCI: "10de:2330", Subsystem: "10de:16c1", Bus: "0000:19:00.0",
		ComputeCapability: "9.0", Cores: 16896, MemoryBusBits: 5120, MaxSMClock: 1980, MaxMemoryClock: 2619,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.99, live.SMActive: 0.91, live.SMOccupancy: 0.38, live.TensorActive: 0.43,
			live.FP16Active: 0.02, live.FP32Active: 0.06, live.FP64Active: 0, live.DRAMActive: 0.52,
			live.MemoryTotal: 81559 * mib, live.MemoryUsed: 70118 * mib, live.MemoryReserved: 551 * mib,
			live.MemoryClock: 2619, live.Power: 688, live.PowerLimit: 700, live.PowerDefaultLimit: 700,
			live.Energy: 4.21e8, live.Temperature: 66, live.MemoryTemperature: 78, live.SMClock: 1755,
			live.PerformanceState: 0, live.NVLinkTx: 121e9, live.NVLinkRx: 118e9, live.NVLinks: 18,
			live.NVLinksUp: 18, live.PCIeTx: 1.1e9, live.PCIeRx: 3.4e9, live.PCIeGeneration: 5, live.PCIeWidth: 16,
			live.PCIeMaxGeneration: 5, live.PCIeMaxWidth: 16, live.ECCUncorrected: 0, live.RemappedRows: 0,
			live.RowRemapFailure: 0, live.LastXID: 0,
		}),
		Throttle:  []live.Throttle{live.ThrottlePowerCap},
		Processes: []live.Process{{PID: 41873, Name: "python3", User: "alice", Memory: 70012 * mib, Kind: "compute"}},
	}
}

func hopperIdle() live.Device {
	return live.Device{
		UUID: H100Idle, Name: "NVIDIA H100 80GB HBM3", Vendor: "NVIDIA",
		PCI: "10de:2330", Subsystem: "10de:16c1", Bus: "0000:3b:00.0",
		ComputeCapability: "9.0", Cores: 16896, MemoryBusBits: 5120, MaxSMClock: 1980, MaxMemoryClock: 2619,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0, live.SMActive: 0, live.TensorActive: 0, live.DRAMActive: 0,
			live.MemoryTotal: 81559 * mib, live.MemoryUsed: 4 * mib, live.MemoryReserved: 551 * mib,
			live.MemoryClock: 2619, live.Power: 69, live.PowerLimit: 700, live.PowerDefaultLimit: 700,
			live.Temperature: 31, live.SMClock: 345, live.NVLinkTx: 0, live.NVLinkRx: 0, live.NVLinks: 18,
			live.NVLinksUp: 16, live.PerformanceState: 0, live.PCIeGeneration: 5, live.PCIeWidth: 16,
			live.PCIeMaxGeneration: 5, live.PCIeMaxWidth: 16, live.RemappedRows: 2,
			live.RowRemapFailure: 0, live.LastXID: 94,
		}),
		Throttle: []live.Throttle{live.ThrottleIdle},
	}
}

func lost() live.Device {
	return live.Device{
		UUID: Lost, Name: "NVIDIA H100 80GB HBM3", Vendor: "NVIDIA",
		PCI: "10de:2330", Subsystem: "10de:16c1", Bus: "0000:4c:00.0", Problem: "lost",
	}
}

func a100Small() live.Device {
	return live.Device{
		UUID: A100Small, Name: "NVIDIA A100-SXM4-40GB", Vendor: "NVIDIA",
		PCI: "10de:20b0", Subsystem: "10de:134f", Bus: "0000:07:00.0",
		ComputeCapability: "8.0", Cores: 6912, MemoryBusBits: 5120, MaxSMClock: 1410, MaxMemoryClock: 1215,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 1, live.MemoryTotal: 40960 * mib, live.MemoryUsed: 31744 * mib, live.Power: 301,
			live.PowerLimit: 300, live.PowerDefaultLimit: 400, live.Temperature: 61, live.SMClock: 1290,
			live.MemoryClock: 1215, live.TensorActive: 0.31, live.DRAMActive: 0.44, live.NVLinks: 12,
			live.NVLinksUp: 12, live.PCIeGeneration: 4, live.PCIeWidth: 8, live.PCIeMaxGeneration: 4,
			live.PCIeMaxWidth: 16, live.ECCUncorrected: 1,
		}),
		Throttle:  []live.Throttle{live.ThrottlePowerCap, live.ThrottleThermal},
		Processes: []live.Process{{PID: 2201, Name: "train.py", User: "bob", Memory: 31700 * mib, Kind: "compute"}},
	}
}

func a100() live.Device {
	return live.Device{
		UUID: A100, Name: "NVIDIA A100-SXM4-80GB", Vendor: "NVIDIA",
		PCI: "10de:20b2", Subsystem: "10de:1463", Bus: "0000:0f:00.0",
		ComputeCapability: "8.0", Cores: 6912, MemoryBusBits: 5120, MaxSMClock: 1410, MaxMemoryClock: 1593,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0, live.MemoryTotal: 81920 * mib, live.MemoryUsed: 3 * mib,
			live.MemoryReserved: 610 * mib, live.Power: 58, live.PowerLimit: 400, live.PowerDefaultLimit: 400,
			live.Temperature: 30, live.SMClock: 210, live.MemoryClock: 1593, live.NVLinks: 12, live.NVLinksUp: 12,
			live.PCIeGeneration: 4, live.PCIeWidth: 16, live.PCIeMaxGeneration: 4, live.PCIeMaxWidth: 16,
		}),
	}
}

func a100Sliced() live.Device {
	return live.Device{
		UUID: A100Sliced, Name: "NVIDIA A100-SXM4-80GB", Vendor: "NVIDIA", MIG: true,
		PCI: "10de:20b2", Subsystem: "10de:1463", Bus: "0000:47:00.0",
		ComputeCapability: "8.0", Cores: 6912, MemoryBusBits: 5120, MaxSMClock: 1410, MaxMemoryClock: 1593,
		Readings: readings(map[live.Metric]float64{
			live.MemoryTotal: 81920 * mib, live.MemoryUsed: 4890 * mib, live.MemoryReserved: 610 * mib,
			live.Power: 121, live.PowerLimit: 400, live.PowerDefaultLimit: 400, live.Temperature: 41,
			live.SMClock: 1410, live.MemoryClock: 1593,
		}),
	}
}

func slice() live.Device {
	return live.Device{
		UUID: Slice, Name: "NVIDIA A100-SXM4-80GB MIG 1g.10gb", Vendor: "NVIDIA", Kind: live.Slice, Parent: A100Sliced,
		PCI: "10de:20b2", Subsystem: "10de:1463", Bus: "0000:47:00.0", ComputeCapability: "8.0",
		Readings: readings(map[live.Metric]float64{
			live.MemoryTotal: 9728 * mib, live.MemoryUsed: 4210 * mib, live.SMActive: 0.71,
			live.TensorActive: 0.22, live.DRAMActive: 0.35,
		}),
		Processes: []live.Process{{PID: 9907, Name: "notebook", User: "carol", Memory: 4190 * mib, Kind: "compute"}},
	}
}

func v100() live.Device {
	return live.Device{
		UUID: V100, Name: "Tesla V100-SXM2-32GB", Vendor: "NVIDIA",
		PCI: "10de:1db5", Subsystem: "10de:1249", Bus: "0000:86:00.0",
		ComputeCapability: "7.0", Cores: 5120, MemoryBusBits: 4096, MaxSMClock: 1530, MaxMemoryClock: 877,
		Readings: readings(map[live.Metric]float64{
			live.GPUUtilization: 0.64, live.MemoryTotal: 32768 * mib, live.MemoryUsed: 12013 * mib, live.Power: 188,
			live.PowerLimit: 300, live.PowerDefaultLimit: 300, live.Temperature: 55, live.SMClock: 1530,
			live.MemoryClock: 877, live.NVLinks: 6, live.NVLinksUp: 6, live.PCIeGeneration: 3, live.PCIeWidth: 16,
			live.PCIeMaxGeneration: 3, live.PCIeMaxWidth: 16,
		}),
		Processes: []live.Process{{PID: 15, Name: "python", User: "dan", Memory: 12000 * mib, Kind: "compute"}},
	}
}
