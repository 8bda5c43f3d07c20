//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"fmt"
	"os"
	"slices"
	"time"

	"tianti/live"
)

const (
	// retry is after how long a device with a problem is asked again.
	retry = 30 * time.Second
	// renew is after how long the library is started anew when a device is lost: only
	// then does it know one that has come back.
	renew = 5 * time.Minute
)

// A Reader reads frames. It is for one goroutine, and a call of it lasts as long as
// the driver takes: for ever when that hangs.
type Reader struct {
	// Sys is where the kernel's files are, /sys: while they say that all cards sleep,
	// the library is not opened, which would wake them. Empty: they are woken.
	Sys string

	path    string
	lib     *library  // nil until it is open
	started time.Time // when lib was
	host    live.Host
	devices []*device
	xids    *xids
	failure *failure // why nothing can be read; lasting
}

// New returns a reader of the library at path, or of [Library] when path is empty.
func New(path string) *Reader { return &Reader{path: path} }

// Read returns what the devices do at now. A frame with a reason and no device is
// final, unless the reason is that they sleep: only another process may get further.
func (r *Reader) Read(now time.Time) live.Frame {
	if r.lib == nil && r.failure == nil && r.Sys != "" && live.Asleep(r.Sys) {
		return live.AsleepFrame(Source, now)
	}
	if r.lib == nil && r.failure == nil {
		r.started = now
		r.failure = r.open()
	}
	if r.failure == nil && now.Sub(r.started) >= renew && slices.ContainsFunc(r.devices, (*device).away) {
		r.started = now
		r.failure = r.reopen()
	}
	if r.failure == nil {
		r.xids.poll()
		for _, d := range r.devices {
			if r.failure == nil {
				r.read(d, now)
			}
		}
	}
	return r.frame(now)
}

// Close closes the devices and the library.
func (r *Reader) Close() {
	if r.lib == nil {
		return
	}
	r.shutdown()
	r.lib, r.failure = nil, &failure{DriverError, "closed"}
}

// open loads the library and lists the devices.
func (r *Reader) open() *failure {
	r.host.Name, _ = os.Hostname()
	lib, failure := openLibrary(r.path)
	if failure != nil {
		return failure
	}
	r.lib = lib
	return r.enumerate()
}

// reopen restarts the library; the devices keep their state but for the handles.
func (r *Reader) reopen() *failure {
	old := r.devices
	r.shutdown()
	if failure := r.lib.start(); failure != nil {
		return failure
	}
	if failure := r.enumerate(); failure != nil {
		return failure
	}
	for i, d := range r.devices {
		if i < len(old) {
			d.inherit(old[i])
		}
	}
	return nil
}

// shutdown closes the devices and stops the library.
func (r *Reader) shutdown() {
	for _, d := range r.devices {
		d.close()
	}
	r.xids.close()
	r.lib.Shutdown()
	r.devices, r.xids = nil, nil
}

// enumerate gets to know the host and its devices.
func (r *Reader) enumerate() *failure {
	lib := r.lib
	version := make([]byte, driverVersionSize)
	if lib.SystemGetDriverVersion(&version[0], driverVersionSize) == statusSuccess {
		r.host.Driver = untilZero(version)
	}
	r.host.Runtime = lib.runtime()
	var n uint32
	if ret := lib.DeviceGetCount_v2(&n); ret != statusSuccess {
		return failed("nvmlDeviceGetCount", ret)
	}
	if n == 0 {
		return noDevice
	}
	for i := range n {
		r.devices = append(r.devices, lib.device(int(i)))
	}
	r.xids = lib.watchXIDs(r.devices)
	return nil
}

var noDevice = &failure{NoDevice, "the driver has no device"}

// runtime is the version of CUDA that the driver is for, such as "CUDA 13.0".
func (l *library) runtime() string {
	var v int32
	if l.SystemGetCudaDriverVersion_v2(&v) != statusSuccess {
		return ""
	}
	return fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
}

// read asks a device and its slices everything that is due.
func (r *Reader) read(d *device, now time.Time) {
	if d.id.Problem != "" && now.Before(d.until) {
		return
	}
	if d.handle == 0 { // it could not be had; perhaps now
		if d.find(); d.handle == 0 {
			d.until = now.Add(retry)
			return
		}
		r.xids.watch(d)
	}
	d.id.Problem = ""
	d.findSlices(now)
	r.ask(d, now)
	for _, s := range d.slices {
		if d.id.Problem == "" && r.failure == nil {
			s.id.Problem = ""
			r.ask(s, now)
		}
	}
}

// ask makes the calls that are due, until one says that there is no more point.
func (r *Reader) ask(d *device, now time.Time) {
	for i := range queries {
		ret := d.ask(&queries[i], &d.states[i], now)
		switch problem, ok := problems[ret]; {
		case ok:
			d.id.Problem, d.until, d.gpm.at = problem, now.Add(retry), time.Time{}
			return
		case over(ret):
			r.failure = failed(queries[i].call, ret)
			return
		}
	}
}

// over reports whether a status means that the library is of no more use to this
// process: the driver was unloaded or replaced.
func over(ret status) bool {
	return ret == statusUninitialized || ret == statusDriverNotLoaded || ret == statusVersionMismatch
}

func (r *Reader) frame(now time.Time) live.Frame {
	f := live.Frame{Source: Source, Taken: now}
	h := r.host
	h.Devices = []live.Device{}
	if r.failure != nil {
		f.Reason, f.Detail = r.failure.reason, r.failure.detail
		f.Hosts = []live.Host{h}
		return f
	}
	refused := 0
	for _, d := range r.devices {
		h.Devices = append(h.Devices, d.show(now))
		if d.id.Problem == NoPermission {
			refused++
		}
		if d.id.Problem != "" {
			continue
		}
		for _, s := range d.slices {
			h.Devices = append(h.Devices, s.show(now))
		}
	}
	if refused == len(r.devices) {
		f.Reason, f.Detail = NoPermission, "the driver refuses to show any device to this user"
	}
	f.Hosts = []live.Host{h}
	return f
}
