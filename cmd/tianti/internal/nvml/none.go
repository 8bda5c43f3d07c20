//go:build !linux || !cgo

package nvml

import (
	"os"
	"time"

	"tianti/live"
)

// Linked says whether this build can read the driver.
const Linked = false

// A Reader reads frames.
type Reader struct {
	Sys string // of no use
}

// New returns a reader that only says that this build has no NVML.
func New(string) *Reader { return &Reader{} }

// Read returns a frame without devices.
func (*Reader) Read(now time.Time) live.Frame {
	name, _ := os.Hostname()
	return live.Frame{
		Source: Source, Taken: now, Hosts: []live.Host{{Name: name, Devices: []live.Device{}}},
		Reason: NotLinked, Detail: "built without cgo, or for another system than Linux",
	}
}

// Close does nothing.
func (*Reader) Close() {}
