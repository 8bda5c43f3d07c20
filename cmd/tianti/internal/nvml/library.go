//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/ebitengine/purego"
)

// Linked says whether this build can read the driver.
const Linked = true

// A library is NVML as the driver of this host has it. A function that it lacks
// returns statusFunctionNotFound.
type library struct {
	functions
	known map[string]bool // functions that it has, by the first of their names
}

// essential is what nothing can be read without.
var essential = []string{"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"}

// openLibrary loads the library and starts it.
func openLibrary(path string) (*library, *failure) {
	path = libraryPath(path, wslLibrary)
	loaded, err := load(path)
	if err != nil {
		return nil, &failure{NoLibrary, err.Error()}
	}
	l := &library{known: map[string]bool{}}
	l.find(loaded)
	for _, name := range essential {
		if !l.has(name) {
			return nil, &failure{NoLibrary, fmt.Sprintf("%s has no %s", path, name)}
		}
	}
	return l, l.start()
}

// load has the loader of the system load a library, which stays loaded.
func load(path string) (uintptr, error) {
	runtime.LockOSThread() // the loader keeps the text of an error for each thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
}

// find looks up the functions of a library that is loaded. Those that are not there
// answer as the library does where it has no such function.
func (l *library) find(loaded uintptr) {
	all := reflect.ValueOf(&l.functions).Elem()
	for i := range all.NumField() {
		f := all.Type().Field(i)
		names := append([]string{f.Name}, strings.Fields(f.Tag.Get("else"))...)
		if address := lookUp(loaded, names); address != 0 {
			purego.RegisterFunc(all.Field(i).Addr().Interface(), address)
			l.known["nvml"+f.Name] = true
			continue
		}
		all.Field(i).Set(reflect.MakeFunc(f.Type, func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(statusFunctionNotFound)}
		}))
	}
}

// lookUp is the address of the first of some functions that is there, else 0.
func lookUp(loaded uintptr, names []string) uintptr {
	for _, name := range names {
		if address, err := purego.Dlsym(loaded, "nvml"+name); err == nil {
			return address
		}
	}
	return 0
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
	if ret := l.Init_v2(); ret != statusSuccess {
		return failed("nvmlInit", ret)
	}
	return nil
}

// has reports whether the library has all of some functions, or older forms of them.
func (l *library) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !l.known[name] })
}

// A failure is why there is nothing to read at all.
type failure struct{ reason, detail string }

// failed is the failure of a call that everything depends on.
func failed(call string, ret status) *failure {
	reason, ok := reasons[ret]
	if !ok {
		reason = DriverError
	}
	return &failure{reason, call + ": " + statusName(ret)}
}

// reasons are the statuses after which nothing can be read.
var reasons = map[status]string{
	statusLibraryNotFound: NoLibrary,
	statusDriverNotLoaded: NoDriver,
	statusVersionMismatch: VersionMismatch,
	statusNoPermission:    NoPermission,
	statusNotFound:        NoDevice,
	statusGPUNotFound:     NoDevice,
}

// problems are the statuses after which one device cannot be read for a while.
var problems = map[status]string{
	statusGPUIsLost:         Lost,
	statusResetRequired:     ResetRequired,
	statusOperatingSystem:   Blocked,
	statusInsufficientPower: NoPower,
}

// statusNames are of the statuses that are likely in a detail.
var statusNames = map[status]string{
	statusUninitialized:     "not initialised",
	statusInvalidArgument:   "invalid argument",
	statusNotSupported:      "not supported",
	statusNoPermission:      "no permission",
	statusNotFound:          "not found",
	statusInsufficientPower: "insufficient power",
	statusDriverNotLoaded:   "driver not loaded",
	statusTimeout:           "timeout",
	statusIRQIssue:          "interrupt issue",
	statusLibraryNotFound:   "library not found",
	statusGPUIsLost:         "GPU is lost",
	statusResetRequired:     "reset required",
	statusOperatingSystem:   "blocked by the operating system",
	statusVersionMismatch:   "driver/library version mismatch",
	statusGPUNotFound:       "GPU not found",
	statusUnknown:           "unknown error",
}

func statusName(ret status) string {
	name, ok := statusNames[ret]
	if !ok {
		name = "status"
	}
	return fmt.Sprintf("%s (%d)", name, int(ret))
}
