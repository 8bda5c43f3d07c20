package live

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ReasonAsleep is the reason of a frame without devices because they sleep.
const ReasonAsleep = "asleep"

// Asleep reports whether all cards that NVIDIA's driver has are suspended, as those
// of laptops are while nothing uses them. To open the driver's library would wake
// them, and they stay awake for as long as it is open
// (https://github.com/Syllo/nvtop/issues/230). To read these files does not: the
// kernel answers from what it knows.
//
// sys is where the kernel's files are: /sys. Without such files nothing is asleep.
// The states are those of Documentation/ABI/testing/sysfs-devices-power of Linux.
func Asleep(sys string) bool {
	devices, _ := filepath.Glob(filepath.Join(sys, "bus/pci/devices/*"))
	asleep := false
	for _, dir := range devices {
		// Display controllers are of class 03. A card that was handed to a guest has
		// another driver.
		driver, _ := os.Readlink(filepath.Join(dir, "driver"))
		if attribute(dir, "vendor") != "0x10de" || !strings.HasPrefix(attribute(dir, "class"), "0x03") || filepath.Base(driver) != "nvidia" {
			continue
		}
		if attribute(dir, "power/runtime_status") != "suspended" {
			return false
		}
		asleep = true
	}
	return asleep
}

// attribute is what a file of a device says, "" when there is none.
func attribute(dir, name string) string {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text))
}

// AsleepFrame is the frame of a source that lets cards sleep.
func AsleepFrame(source string, now time.Time) Frame {
	return Frame{
		Source: source, Taken: now, Hosts: []Host{}, Reason: ReasonAsleep,
		Detail: "all cards are suspended (power/runtime_status)",
	}
}

// unlessAsleep is a source that is not read while all cards sleep.
type unlessAsleep struct {
	Source
	sys string
}

// UnlessAsleep is src, which is not read while [Asleep] says so of sys.
func UnlessAsleep(src Source, sys string) Source { return unlessAsleep{src, sys} }

// Read implements [Source].
func (u unlessAsleep) Read(ctx context.Context) (Frame, error) {
	if Asleep(u.sys) {
		return AsleepFrame(u.Name(), time.Now()), nil
	}
	return u.Source.Read(ctx)
}
