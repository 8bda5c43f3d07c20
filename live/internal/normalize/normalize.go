// Package normalize makes a [live.Device] of what exporters and tools of vendors report: identifiers in one form, and
// values that are no readings in the fields where they belong.
package normalize

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/live"
)

// Values that are no readings. A source puts them among the readings of a device, and [Device] moves them to fields.
const (
	MemoryFree     live.Metric = "memory_free_bytes"
	MaxSMClock     live.Metric = "max_sm_clock_mhz"
	MaxMemoryClock live.Metric = "max_memory_clock_mhz"
	PCI            live.Metric = "pci" // device<<16 | vendor
	Subsystem      live.Metric = "subsystem"
	PCIDevice      live.Metric = "pci_device" // without the vendor, or like PCI
	Throttle       live.Metric = "throttle"   // the bits of NVIDIA's driver
	MIGMode        live.Metric = "mig_mode"   // 1: the device is divided into slices
	Present        live.Metric = "present"    // no value: the series exists for its labels
)

// throttleShare is the prefix of a reason for reduced clocks; the value is a share of time in percent.
const throttleShare = "throttle:"

// ThrottleShare is the metric of the share of time, in percent, in which clocks were reduced for a reason.
func ThrottleShare(reason live.Throttle) live.Metric { return throttleShare + live.Metric(reason) }

// Device moves values that are no readings from d.Readings, which it changes, to the fields of d.
func Device(d *live.Device) {
	moveFields(d)
	completeMemory(d)
	if len(d.Readings) == 0 {
		d.Readings = nil
	}
}

// completeMemory computes a missing total: used + free + reserved. Where the reserved memory is not reported, it is a
// little too small.
func completeMemory(d *live.Device) {
	total, ok := d.Readings[live.MemoryTotal]
	used, hasUsed := d.Readings[live.MemoryUsed]
	free, hasFree := d.Readings[MemoryFree]
	delete(d.Readings, MemoryFree)
	if !ok && hasUsed && hasFree {
		total = live.Reading{Value: used.Value + free.Value + d.Readings[live.MemoryReserved].Value, Taken: used.Taken}
		d.Readings[live.MemoryTotal] = total
	}
	if total.Value == 0 {
		delete(d.Readings, live.MemoryTotal) // a device without memory does not exist
	}
}

func moveFields(d *live.Device) {
	take := func(m live.Metric) (float64, bool) {
		r, ok := d.Readings[m]
		delete(d.Readings, m)
		return r.Value, ok
	}
	if v, ok := take(MaxSMClock); ok {
		d.MaxSMClock = v
	}
	if v, ok := take(MaxMemoryClock); ok {
		d.MaxMemoryClock = v
	}
	if v, ok := take(PCIDevice); ok && d.PCI == "" {
		const nvidia = 0x10DE
		if v <= math.MaxUint16 {
			v = v*0x10000 + nvidia
		}
		d.PCI = pciPair(v)
	}
	if v, ok := take(PCI); ok && d.PCI == "" {
		d.PCI = pciPair(v)
	}
	if v, ok := take(Subsystem); ok && d.Subsystem == "" {
		d.Subsystem = pciPair(v)
	}
	if v, ok := take(Throttle); ok && v >= 0 && v < 1<<53 {
		d.Throttle = ThrottleReasons(uint64(v))
	}
	if v, ok := take(MIGMode); ok && v == 1 {
		d.MIG = true
	}
	take(Present)
	for _, m := range slices.Sorted(maps.Keys(d.Readings)) {
		if reason, ok := strings.CutPrefix(string(m), throttleShare); ok {
			if v, _ := take(m); v >= 1 {
				d.Throttle = append(d.Throttle, live.Throttle(reason))
			}
		}
	}
}

// ThrottleReasons decodes the bits of NVIDIA's driver for reduced clocks.
func ThrottleReasons(bits uint64) []live.Throttle {
	var out []live.Throttle
	for i, reason := range []live.Throttle{
		live.ThrottleIdle, live.ThrottleApplicationClock, live.ThrottlePowerCap, live.ThrottleHardware,
		live.ThrottleSyncBoost, live.ThrottleThermal, live.ThrottleHardwareThermal, live.ThrottlePowerBrake,
		live.ThrottleDisplay,
	} {
		if bits&(1<<i) != 0 {
			out = append(out, reason)
		}
	}
	return out
}

// pciPair formats device<<16 | vendor as "10de:2330"; "" when that is no id.
func pciPair(combined float64) string {
	if combined <= 0 || combined > math.MaxUint32 {
		return ""
	}
	id := uint32(combined)
	return fmt.Sprintf("%04x:%04x", id&0xFFFF, id>>16)
}

// PCIID formats the text of device<<16 | vendor, 590352606 or 0x233010DE, as "10de:2330"; "" when it is no id.
func PCIID(s string) string {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return ""
	}
	return pciPair(float64(v))
}

// Bus formats an address on the PCI bus as Linux does: "00000000:3B:00.0" is "0000:3b:00.0".
func Bus(s string) string {
	domain, rest, ok := strings.Cut(strings.ToLower(s), ":")
	if !ok {
		return s
	}
	if n, err := strconv.ParseUint(domain, 16, 32); err == nil && strings.Contains(rest, ":") {
		return fmt.Sprintf("%04x:%s", n, rest)
	}
	return strings.ToLower(s)
}

var bareUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// NVIDIAUUID formats a UUID as NVIDIA's driver does, "GPU-…", so that two exporters of one card report one device.
func NVIDIAUUID(s string) string {
	if bareUUID.MatchString(s) {
		return "GPU-" + s
	}
	return s
}
