//go:build !linux || !(amd64 || arm64) || nonvml

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
		Reason: NotLinked, Detail: "built with the tag nonvml, or not for Linux on amd64 or arm64",
	}
}

// Close does nothing.
func (*Reader) Close() {}
