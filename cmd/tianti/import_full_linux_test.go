package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	measured "tianti/bench/process"
	"tianti/test/slow"
)

// TestFullSixtyMegabytesOfPricesTakeLittle imports a SkyPilot catalogue of 60 MB, of which each row brings two offers
// that no other does, into a new database, with the program in a process of its own.
func TestFullSixtyMegabytesOfPricesTakeLittle(t *testing.T) {
	slow.Only(t)
	dir := t.TempDir()
	program, err := measured.Build(dir, "../../cmd/tianti")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "vms.csv")
	if err := writeVMs(file, 60_000_000); err != nil {
		t.Fatal(err)
	}
	m, err := measured.Measure("", program, "import", "--yes", "--db", filepath.Join(dir, "new.db"),
		"--date", "2026-11-20",
		"--seller", "AWS", file)
	if err != nil {
		t.Fatal(err)
	}
	const mb = 150e6 / (1 << 20)
	t.Logf("%.0f of %.0f MiB, %s CPU, %s", m.PeakMB, mb, m.CPU, m.Wall)
	if m.PeakMB > mb || m.CPU > 10*time.Second {
		t.Errorf("got %.0f MiB and %s CPU, want at most %.0f MiB and 10 s", m.PeakMB, m.CPU, mb)
	}
}

// writeVMs writes a vms.csv of some bytes.
func writeVMs(file string, size int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	types := []struct {
		instance, name    string
		cards, vcpus, gib int
	}{
		{"g4dn.2xlarge", "T4", 1, 8, 16}, {"g4dn.metal", "T4", 8, 96, 16}, {"g5.xlarge", "A10G", 1, 4, 24},
		{"g5.48xlarge", "A10G", 8, 192, 24}, {"g6.xlarge", "L4", 1, 4, 24}, {"g6.12xlarge", "L4", 4, 48, 24},
		{"g6e.4xlarge", "L40S", 1, 16, 48}, {"p3.8xlarge", "V100", 4, 32, 16},
		{"p3dn.24xlarge", "V100-32GB", 8, 96, 32},
		{"p4d.24xlarge", "A100", 8, 96, 40}, {"p4de.24xlarge", "A100-80GB", 8, 96, 80},
		{"p5.48xlarge", "H100", 8, 192, 80},
	}
	n, _ := fmt.Fprintln(w,
		"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice,"+
			"AvailabilityZone")
	for i := 0; n < size; i++ {
		v := types[i%len(types)]
		price := float64(v.cards) * (1 + float64(i%4001)/1000)
		info := fmt.Sprintf("{'Gpus': [{'Name': '%s', 'Manufacturer': 'NVIDIA', 'Count': %d, 'MemoryInfo': "+
			"{'SizeInMiB': %d}}], 'TotalGpuMemoryInMiB': %d}", v.name, v.cards, v.gib<<10, v.cards*v.gib<<10)
		row, err := fmt.Fprintf(w, "%s,%s,%d,%d.0,%d.0,%.4f,r%d-%d,\"%s\",%.4f,r%[7]d-%[8]da\n", v.instance,
			v.name, v.cards,
			v.vcpus, 4*v.vcpus, price, i%977, i/len(types), info, 0.4*price)
		if n += row; err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
