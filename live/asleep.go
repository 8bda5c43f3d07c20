package live

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ReasonAsleep is the reason of a frame whose devices are suspended.
const ReasonAsleep = "asleep"

// Asleep reports whether all cards of NVIDIA's driver are suspended (runtime power management), as those of laptops are
// while nothing uses them. Opening the driver's library resumes them, and they stay awake while it is open
// (https://github.com/Syllo/nvtop/issues/230). Reading sysfs does not.
//
// sys is the mount point of sysfs: /sys. Without it nothing is asleep. The states are those of
// Documentation/ABI/testing/sysfs-devices-power of Linux.
func Asleep(sys string) bool {
	devices, _ := filepath.Glob(filepath.Join(sys, "bus/pci/devices/*"))
	asleep := false
	for _, dir := range devices {
		if !isNVIDIA(dir) {
			continue
		}
		if attribute(dir, "power/runtime_status") != "suspended" {
			return false
		}
		asleep = true
	}
	return asleep
}

// isNVIDIA reports whether a PCI function is a display controller, class 03, that NVIDIA's driver is bound to. A card
// that is passed through to a guest has another driver.
func isNVIDIA(dir string) bool {
	driver, _ := os.Readlink(filepath.Join(dir, "driver"))
	return attribute(dir, "vendor") == "0x10de" && strings.HasPrefix(attribute(dir, "class"), "0x03") &&
		filepath.Base(driver) == "nvidia"
}

// attribute is the content of a file of a device, "" when there is none.
func attribute(dir, name string) string {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text))
}

// AsleepFrame is the frame of a source that leaves cards suspended.
func AsleepFrame(source string, now time.Time) Frame {
	return Frame{
		Source: source, Taken: now, Hosts: []Host{}, Reason: ReasonAsleep,
		Detail: "all cards are suspended (power/runtime_status)",
	}
}

// unlessAsleep is a source that is not read while all cards are suspended.
type unlessAsleep struct {
	Source
	sys string
}

// UnlessAsleep is src, which is not read while [Asleep] is true of sys.
func UnlessAsleep(src Source, sys string) Source { return unlessAsleep{src, sys} }

// Read implements [Source].
func (u unlessAsleep) Read(ctx context.Context) (Frame, error) {
	if Asleep(u.sys) {
		return AsleepFrame(u.Name(), time.Now()), nil
	}
	return u.Source.Read(ctx)
}
