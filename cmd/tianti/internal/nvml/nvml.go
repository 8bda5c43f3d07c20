// Package nvml reads the accelerators of NVIDIA in this host through the library
// that comes with their driver.
//
// The library is loaded at run time, without cgo; a host without it is told so in a
// frame. Its functions are called only where it has them. Even so a driver can hang, and
// after an upgrade of the driver the library in memory is of no more use: so a [Reader]
// belongs in a process of its own, which can be killed and started again.
//
// Builds with the tag nonvml, and those for other systems than Linux on amd64 and arm64,
// have a Reader that says that it cannot read.
package nvml

// Library is the library's name where none is given; the loader looks for it.
const Library = "libnvidia-ml.so.1"

// Source is the name of the frames' source.
const Source = "nvml"

// Reasons of frames without devices: keys of live.reason.
const (
	NotLinked       = "not-linked"       // this build has no NVML
	NoLibrary       = "no-library"       // the driver's library is not there or not usable
	NoDriver        = "no-driver"        // the library is there, the driver is not loaded
	VersionMismatch = "version-mismatch" // library and driver are of different versions
	NoDevice        = "no-device"
	NoPermission    = "no-permission" // also with devices, when every one is refused
	DriverError     = "driver-error"  // anything else; the detail says what
)

// Problems of a device: keys of live.problem. [NoPermission] is one as well.
const (
	Lost          = "lost"           // fell off its bus
	ResetRequired = "reset-required" // works again after a reset
	Blocked       = "blocked"        // by the operating system: a cgroup or container
	NoPower       = "no-power"       // a power cable is missing
	Unreadable    = "unreadable"     // for a reason that the library does not know
)
