// Package live is telemetry of accelerators: the readings of the devices of this host or of a fleet, their history,
// and which card of the catalogue a device is.
//
// A [Source] reads a [Frame]: all devices with their readings at one moment. A [Hub] polls a source while
// there are watchers and keeps the last minutes. The rated figures of a device come from the catalogue; see [Match] and
// [Rate].
//
// The sources are packages of their own, below this one, and this one does not know them: live/probe (a child process
// that reads NVML), live/nvidiasmi, live/prometheus and live/recording.
//
// A reading that is not available is absent. It is never zero.
package live

import (
	"cmp"
	"context"
	"time"
)

// A Metric names a reading. The name ends with the unit; without one it is a count or a share from 0 to 1.
type Metric string

// The metrics.
const (
	GPUUtilization    Metric = "gpu_utilization"       // share of time in which any kernel ran, however small
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

// State is the freshness of a view.
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
	// Reason says why devices are missing, as the end of a message key "live.reason.…": "no-driver", "no-device",
	// "no-permission", "no-library", "version-mismatch", …
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"` // what the driver or server said, one line
}

// A Host is a machine with devices.
type Host struct {
	Name    string `json:"name"`
	Driver  string `json:"driver,omitempty"`  // version
	Runtime string `json:"runtime,omitempty"` // CUDA 13.0, …
	// Every is the sampling interval in seconds, such as the scrape interval of an exporter; 0: each frame is a sample.
	Every   float64  `json:"every_s,omitempty"`
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
	Throttle  []Throttle         `json:"throttle,omitempty"` // why clocks are reduced now
	Processes []Process          `json:"processes,omitempty"`
	Hidden    []Metric           `json:"hidden,omitempty"` // reading them needs a permission that is not given
	// Card is the id of the card that it was matched to, where frames are printed for programs; sources leave it empty.
	Card string `json:"card,omitempty"`
	// Problem is "lost", "no-permission", "reset-required", …; of the readings only the last error event remains.
	Problem string `json:"problem,omitempty"`
}

// A Reading is a value and its timestamp, which may be earlier than that of the frame.
type Reading struct {
	Value float64   `json:"v"`
	Taken time.Time `json:"t,omitzero"` // zero: with the frame
}

// Throttle is a reason for reduced clocks.
type Throttle string

// Reasons. Idle and application clocks are among them and are harmless.
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

// A Process uses a device. Its name and user are private: only signed-in accounts see them.
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

// A Source reads frames. Read returns within a few seconds or when ctx ends, and may be called again after any error.
// Close releases the resources of the source.
type Source interface {
	Name() string
	Read(ctx context.Context) (Frame, error)
	Close() error
}

// A SourceError is an error of Read whose cause is known.
type SourceError struct {
	Reason string // as in [Frame]
	Detail string // what the driver or program said, one line; may be ""
}

func (e *SourceError) Error() string { return cmp.Or(e.Detail, e.Reason) }
