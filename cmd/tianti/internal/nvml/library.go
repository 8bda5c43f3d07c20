//go:build linux && cgo

package nvml

import (
	"fmt"
	"os"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Linked says whether this build can read the driver.
const Linked = true

// A library is NVML as the driver of this host has it. A call of a function that it
// lacks would end the process, so callers ask [library.has] first. For the same
// reason statuses are named here: go-nvml would ask the library for their names.
type library struct {
	nvml.Interface
	dl    *dl.DynamicLibrary
	known map[string]bool
}

// essential is what nothing can be read without.
var essential = []string{"nvmlInit_v2|nvmlInit", "nvmlDeviceGetCount_v2|nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex_v2|nvmlDeviceGetHandleByIndex"}

// openLibrary loads the library and starts it.
func openLibrary(path string) (*library, *failure) {
	path = libraryPath(path, wslLibrary)
	l := &library{Interface: nvml.New(nvml.WithLibraryPath(path)), dl: dl.New(path, dl.RTLD_LAZY|dl.RTLD_GLOBAL), known: map[string]bool{}}
	if err := l.dl.Open(); err != nil {
		return nil, &failure{NoLibrary, err.Error()}
	}
	for _, symbol := range essential {
		if !l.has(symbol) {
			return nil, &failure{NoLibrary, fmt.Sprintf("%s has no %s", path, symbol)}
		}
	}
	return l, l.start()
}

// wslLibrary is where the driver of Windows puts the library for Linux beside it. A
// library elsewhere on such a system is of no use: there is no driver for it
// (https://docs.nvidia.com/cuda/wsl-user-guide, https://github.com/Syllo/nvtop/pull/441).
const wslLibrary = "/usr/lib/wsl/lib/" + Library

// libraryPath is the path that was asked for, else that of wsl if it is there, else
// the name that the loader looks for.
func libraryPath(path, wsl string) string {
	if path != "" {
		return path
	}
	if _, err := os.Stat(wsl); err == nil {
		return wsl
	}
	return Library
}

// start is nvmlInit.
func (l *library) start() *failure {
	if ret := l.Init(); ret != nvml.SUCCESS {
		return failed("nvmlInit", ret)
	}
	return nil
}

// has reports whether the library has a function; "a|b" is either of two.
func (l *library) has(symbol string) bool {
	has, asked := l.known[symbol]
	if !asked {
		for name := range strings.SplitSeq(symbol, "|") {
			has = has || l.dl.Lookup(name) == nil
		}
		l.known[symbol] = has
	}
	return has
}

func (l *library) close() {
	if l.has("nvmlShutdown") {
		l.Shutdown()
	}
}

// A failure is why there is nothing to read at all.
type failure struct{ reason, detail string }

// failed is the failure of a call that everything depends on.
func failed(call string, ret nvml.Return) *failure {
	reason, ok := reasons[ret]
	if !ok {
		reason = DriverError
	}
	return &failure{reason, call + ": " + statusName(ret)}
}

// reasons are the statuses after which nothing can be read.
var reasons = map[nvml.Return]string{
	nvml.ERROR_LIBRARY_NOT_FOUND:       NoLibrary,
	nvml.ERROR_DRIVER_NOT_LOADED:       NoDriver,
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: VersionMismatch,
	nvml.ERROR_NO_PERMISSION:           NoPermission,
	nvml.ERROR_NOT_FOUND:               NoDevice,
	nvml.ERROR_GPU_NOT_FOUND:           NoDevice,
}

// problems are the statuses after which one device cannot be read for a while.
var problems = map[nvml.Return]string{
	nvml.ERROR_GPU_IS_LOST:        Lost,
	nvml.ERROR_RESET_REQUIRED:     ResetRequired,
	nvml.ERROR_OPERATING_SYSTEM:   Blocked,
	nvml.ERROR_INSUFFICIENT_POWER: NoPower,
}

// statusNames are of the statuses that are likely in a detail.
var statusNames = map[nvml.Return]string{
	nvml.ERROR_UNINITIALIZED:           "not initialised",
	nvml.ERROR_INVALID_ARGUMENT:        "invalid argument",
	nvml.ERROR_NOT_SUPPORTED:           "not supported",
	nvml.ERROR_NO_PERMISSION:           "no permission",
	nvml.ERROR_NOT_FOUND:               "not found",
	nvml.ERROR_INSUFFICIENT_POWER:      "insufficient power",
	nvml.ERROR_DRIVER_NOT_LOADED:       "driver not loaded",
	nvml.ERROR_TIMEOUT:                 "timeout",
	nvml.ERROR_IRQ_ISSUE:               "interrupt issue",
	nvml.ERROR_LIBRARY_NOT_FOUND:       "library not found",
	nvml.ERROR_GPU_IS_LOST:             "GPU is lost",
	nvml.ERROR_RESET_REQUIRED:          "reset required",
	nvml.ERROR_OPERATING_SYSTEM:        "blocked by the operating system",
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: "driver/library version mismatch",
	nvml.ERROR_GPU_NOT_FOUND:           "GPU not found",
	nvml.ERROR_UNKNOWN:                 "unknown error",
}

func statusName(ret nvml.Return) string {
	name, ok := statusNames[ret]
	if !ok {
		name = "status"
	}
	return fmt.Sprintf("%s (%d)", name, int(ret))
}
