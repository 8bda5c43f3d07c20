package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"tianti/live"
	"tianti/live/recording"
	"tianti/live/sample"
)

// moves are the readings that differ from second to second.
var moves = []live.Metric{
	live.Power, live.GPUUtilization, live.SMActive, live.TensorActive, live.FP16Active, live.FP32Active,
	live.DRAMActive, live.Temperature, live.SMClock, live.NVLinkTx, live.NVLinkRx, live.PCIeTx, live.PCIeRx,
}

// record writes a minute of a host with eight busy devices that tell all they can.
func record(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // the same each time
	for second := range 60 {
		if err := recording.WriteFrame(f, frame(r, second)); err != nil {
			return err
		}
	}
	return f.Close()
}

func frame(r *rand.Rand, second int) live.Frame {
	h := live.Host{Name: "train-01", Driver: "580.95.05", Runtime: "CUDA 13.0"}
	for i := range 8 {
		d := sample.Device(sample.H100)
		d.UUID, d.Index, d.Bus = fmt.Sprintf("GPU-%d", i), i, fmt.Sprintf("0000:%02x:00.0", 0x19+i)
		for _, m := range moves {
			if x, ok := d.Readings[m]; ok {
				x.Value *= 0.8 + 0.2*r.Float64()
				d.Readings[m] = x
			}
		}
		h.Devices = append(h.Devices, d)
	}
	taken := sample.Taken.Add(time.Duration(second) * time.Second)
	return live.Frame{Source: "nvml", Taken: taken, Hosts: []live.Host{h}}
}
