// Package sample makes frames of readings for tests and stories: devices as drivers
// and exporters describe them, busy and idle, whole and in parts. The readings are
// made up; identities and sizes of memory are those that such devices report.
package sample

import (
	"time"

	"tianti/live"
)

// Taken is the time of the sample frame.
var Taken = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// UUIDs of the sample's devices, to pick one by.
const (
	H100       = "GPU-h100-0"
	H100Idle   = "GPU-h100-1"
	A100Small  = "GPU-a100-40"
	A100       = "GPU-a100-80"
	A100Sliced = "GPU-a100-mig"
	Slice      = "MIG-a100-1g"
	V100       = "GPU-v100"
	T4         = "GPU-t4"
	L40S       = "GPU-l40s"
	RTX6000Ada = "GPU-6000ada"
	RTX4090    = "GPU-4090"
	Modified   = "GPU-4090-48g" // a 4090 with 48 GB
	RTX3080    = "GPU-3080-10"
	RTX3080Big = "GPU-3080-12"
	GB10       = "GPU-gb10"
	MI300X     = "gpu-mi300x"
	Ascend     = "npu-910b3"
	Lost       = "GPU-lost"
)

// Frame is a fresh copy of the sample: 18 devices on five hosts.
func Frame() live.Frame {
	return live.Frame{Source: "replay", Taken: Taken, Hosts: []live.Host{
		{Name: "train-01", Driver: "580.95.05", Runtime: "CUDA 13.0", Devices: number(hopper(), hopperIdle(), lost())},
		{Name: "train-02", Driver: "535.183.06", Runtime: "CUDA 12.2",
			Devices: number(a100Small(), a100(), a100Sliced(), slice(), v100())},
		{Name: "desk-01", Driver: "580.95.05", Runtime: "CUDA 13.0",
			Devices: number(rtx4090(), modified(), rtx3080(), rtx3080Big(), gb10())},
		{Name: "serve-01", Driver: "570.172.08", Runtime: "CUDA 12.8", Devices: number(t4(), l40s(), rtx6000Ada())},
		{Name: "fleet-01", Devices: number(mi300x(), ascend())},
	}}
}

// Device is the sample's device with that UUID; it panics when there is none.
func Device(uuid string) live.Device {
	for _, h := range Frame().Hosts {
		for _, d := range h.Devices {
			if d.UUID == uuid {
				return d
			}
		}
	}
	panic("sample: no device " + uuid)
}

func number(devices ...live.Device) []live.Device {
	for i := range devices {
		devices[i].Index = i
	}
	return devices
}

const mib = 1 << 20

// readings makes readings that were taken with the frame.
func readings(values map[live.Metric]float64) map[live.Metric]live.Reading {
	out := map[live.Metric]live.Reading{}
	for m, v := range values {
		out[m] = live.Reading{Value: v}
	}
	return out
}
