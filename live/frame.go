// Package live tells what the accelerators of this host or of a fleet are doing:
// readings and where they come from, their history, and which card of the
// catalogue a device is.
//
// A [Source] reads a [Frame]: all devices with their readings at one moment. A [Hub]
// polls a source while somebody watches and keeps the last minutes. What a device
// could do at most is a matter of the catalogue; see [Match] and [Rate].
//
// A reading that is not to be had is absent. It is never zero.
package live

import (
	"context"
	"time"
)

// A Metric names a reading. Its unit is part of the name; shares are from 0 to 1.
type Metric string

// The metrics.
const (
	GPUUtilization    Metric = "gpu_utilization"       // share of time in which any kernel ran: not how full the device is
	MemoryUsed        Metric = "memory_used_bytes"     // without what the driver reserves
	MemoryTotal       Metric = "memory_total_bytes"    // as the driver reports it: reserved + used + free
	MemoryReserved    Metric = "memory_reserved_bytes" // by driver and firmware
	Power             Metric = "power_w"
	PowerLimit        Metric = "power_limit_w"         // enforced now
	PowerDefaultLimit Metric = "power_default_limit_w" // of the board as it was made
	Energy            Metric = "energy_j"              // since the driver was loaded
	Temperature       Metric = "temperature_c"
	MemoryTemperature Metric = "memory_temperature_c"
	SMClock           Metric = "sm_clock_mhz" // of compute units, whatever the vendor calls them
	MemoryClock       Metric = "memory_clock_mhz"
	FanSpeed          Metric = "fan_speed" // share of the most
	SMActive          Metric = "sm_active" // share of compute units with work, averaged
	SMOccupancy       Metric = "sm_occupancy"
	TensorActive      Metric = "tensor_active" // share of cycles in which the matrix pipe was busy
	FP16Active        Metric = "fp16_active"
	FP32Active        Metric = "fp32_active"
	FP64Active        Metric = "fp64_active"
	DRAMActive        Metric = "dram_active" // share of cycles in which data moved to or from memory
	NVLinkTx          Metric = "nvlink_tx_bytes_s"
	NVLinkRx          Metric = "nvlink_rx_bytes_s"
	PCIeTx            Metric = "pcie_tx_bytes_s"
	PCIeRx            Metric = "pcie_rx_bytes_s"
	PCIeGeneration    Metric = "pcie_generation" // now: idle cards drop it
	PCIeWidth         Metric = "pcie_width"
	PCIeMaxGeneration Metric = "pcie_max_generation" // of card and slot together
	PCIeMaxWidth      Metric = "pcie_max_width"
	NVLinks           Metric = "nvlinks"    // that the device has
	NVLinksUp         Metric = "nvlinks_up" // that are active
	EncoderActive     Metric = "encoder_active"
	DecoderActive     Metric = "decoder_active"
	ECCUncorrected    Metric = "ecc_uncorrected"   // since the driver was loaded
	RemappedRows      Metric = "remapped_rows"     // because of uncorrectable errors
	RowRemapFailure   Metric = "row_remap_failure" // 1 when a remapping failed
	LastXID           Metric = "last_xid"          // number of the last error event of the driver
	PerformanceState  Metric = "performance_state" // 0 is the fastest
)

// State is how far a view may be trusted.
type State string

// States.
const (
	OK          State = "ok"
	Stale       State = "stale"       // the last readings are older than they should be
	Unavailable State = "unavailable" // there is nothing to show; the reason says why
)

// A Frame is what a source reads at one moment.
type Frame struct {
	Source string    `json:"source"` // nvml, prometheus, nvidia-smi, replay
	Taken  time.Time `json:"taken"`
	Hosts  []Host    `json:"hosts"`
	// Reason says, in words of the key "live.reason.…", why there is nothing or not
	// all: "no-driver", "no-device", "no-permission", "no-library", "version-mismatch", …
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"` // what the driver or server said, one line
}

// A Host is a machine with devices.
type Host struct {
	Name    string   `json:"name"`
	Driver  string   `json:"driver,omitempty"`  // version
	Runtime string   `json:"runtime,omitempty"` // CUDA 13.0, …
	Every   float64  `json:"every_s,omitempty"` // seconds between its readings, where they are taken more rarely than frames: the interval of a scrape
	Devices []Device `json:"devices"`
}

// Kind is what sort of thing a device is.
type Kind string

// Kinds of devices.
const (
	Physical Kind = ""     // a whole card
	Slice    Kind = "mig"  // a hardware-isolated instance of a card
	Virtual  Kind = "vgpu" // a virtual GPU of a guest
)

// A Device is one accelerator, or a part of one. Identity and limits are constant
// while the driver is loaded; Readings change.
type Device struct {
	UUID   string `json:"uuid"` // unique in a frame
	Index  int    `json:"index"`
	Name   string `json:"name"` // as the driver says: "NVIDIA H100 80GB HBM3"
	Vendor string `json:"vendor,omitempty"`
	Kind   Kind   `json:"kind,omitempty"`
	Parent string `json:"parent,omitempty"` // UUID of the card that a Slice is of

	PCI       string `json:"pci,omitempty"`       // "10de:2330"
	Subsystem string `json:"subsystem,omitempty"` // "10de:16c1"
	Bus       string `json:"bus,omitempty"`       // "0000:3b:00.0"

	ComputeCapability string  `json:"compute_capability,omitempty"` // "9.0"
	Cores             int     `json:"cores,omitempty"`
	MemoryBusBits     int     `json:"memory_bus_bits,omitempty"`
	MaxSMClock        float64 `json:"max_sm_clock_mhz,omitempty"`
	MaxMemoryClock    float64 `json:"max_memory_clock_mhz,omitempty"`
	Unified           bool    `json:"unified,omitempty"` // shares the memory of its host
	MIG               bool    `json:"mig,omitempty"`     // is divided into slices

	Readings  map[Metric]Reading `json:"readings,omitempty"`
	Throttle  []Throttle         `json:"throttle,omitempty"` // why clocks are held down now
	Processes []Process          `json:"processes,omitempty"`
	Hidden    []Metric           `json:"hidden,omitempty"`  // that an administrator has forbidden to read
	Problem   string             `json:"problem,omitempty"` // "lost", "no-permission", "reset-required", …; its readings are gone but for the last error event
}

// A Reading is a value with the time at which it was taken, which may lie before
// the frame's.
type Reading struct {
	Value float64   `json:"v"`
	Taken time.Time `json:"t,omitzero"` // zero: with the frame
}

// Throttle is a reason for which clocks are held down.
type Throttle string

// Reasons. Idle and application clocks are no trouble and are among them.
const (
	ThrottleIdle             Throttle = "idle"
	ThrottleApplicationClock Throttle = "application-clocks"
	ThrottlePowerCap         Throttle = "power-cap"
	ThrottleHardware         Throttle = "hardware-slowdown"
	ThrottleSyncBoost        Throttle = "sync-boost"
	ThrottleThermal          Throttle = "software-thermal"
	ThrottleHardwareThermal  Throttle = "hardware-thermal"
	ThrottlePowerBrake       Throttle = "power-brake"
	ThrottleDisplay          Throttle = "display-clocks"
)

// A Process uses a device. Names and users are shown to those who are signed in.
type Process struct {
	PID    int    `json:"pid"`
	Name   string `json:"name,omitempty"`
	User   string `json:"user,omitempty"`
	Memory uint64 `json:"memory_bytes,omitempty"`
	Kind   string `json:"kind,omitempty"` // compute, graphics
}

// Get is a reading's value.
func (d *Device) Get(m Metric) (v float64, ok bool) {
	r, ok := d.Readings[m]
	return r.Value, ok
}

// A Source reads frames. Read returns within a few seconds or when ctx ends; it may
// be called again after any error. Close lets go of what the source holds.
type Source interface {
	Name() string
	Read(ctx context.Context) (Frame, error)
	Close() error
}
