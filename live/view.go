package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Reasons why there is nothing new, besides those that sources give.
const (
	ReasonStarting = "starting"  // nothing has been read yet
	ReasonTimeout  = "timeout"   // the source does not answer
	ReasonFailed   = "failed"    // the detail says how
	ReasonNoDevice = "no-device" // there is a source, but no device
	ReasonMany     = "too-many"  // some devices are left out
)

// A View is what there is to show at a moment.
type View struct {
	Seq    uint64 // moves whenever something changed
	Frame  Frame  // the last that was read, shared: not to be changed
	State  State
	Reason string        // words of the key "live.reason.…"; "" when all is well
	Detail string        // what the driver or server said, one line
	Age    time.Duration // of the frame
	Now    time.Time     // the moment

	every   time.Duration
	failing bool
	tried   time.Time
}

// at is v at a later moment.
func (v View) at(now time.Time) View {
	v.Now = now
	if !v.Frame.Taken.IsZero() {
		v.Age = max(0, now.Sub(v.Frame.Taken))
	}
	switch {
	case v.Frame.Devices() == 0:
		v.State = Unavailable
	case v.Age > v.allowed():
		v.State = Stale
	default:
		v.State = OK
	}
	return v
}

// allowed is how old a frame may be.
func (v *View) allowed() time.Duration { return staleAfter * max(v.every, v.Frame.interval()) }

// staleAfter is how many intervals readings may be old.
const staleAfter = 3

// AgeOf is how old a reading of the view is.
func (v *View) AgeOf(r Reading) time.Duration {
	if r.Taken.IsZero() {
		return v.Age
	}
	return max(0, v.Now.Sub(r.Taken))
}

// IsStale reports whether a reading of a host is older than three times the
// interval at which it should be renewed.
func (v *View) IsStale(h *Host, r Reading) bool {
	return v.AgeOf(r) > staleAfter*max(v.every, h.interval())
}

// interval is that of the host's readings; 0 when it is that of frames.
func (h *Host) interval() time.Duration {
	const day = 24 * 60 * 60
	return time.Duration(min(max(h.Every, 0), day) * float64(time.Second))
}

// readEvery notes that frames come no oftener than so.
func (f *Frame) readEvery(d time.Duration) {
	for i := range f.Hosts {
		f.Hosts[i].Every = max(f.Hosts[i].Every, d.Seconds())
	}
}

// interval is the shortest of the hosts with devices.
func (f *Frame) interval() (shortest time.Duration) {
	for i, h := range f.Hosts {
		if d := f.Hosts[i].interval(); len(h.Devices) > 0 && (shortest == 0 || d < shortest) {
			if shortest = d; d == 0 {
				return 0
			}
		}
	}
	return shortest
}

// Devices is how many devices a frame has.
func (f *Frame) Devices() int {
	n := 0
	for _, h := range f.Hosts {
		n += len(h.Devices)
	}
	return n
}

// failed is v after an attempt that brought nothing.
func (v View) failed(err error) View {
	v.failing = true
	v.Reason, v.Detail = ReasonFailed, oneLine(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		v.Reason = ReasonTimeout
	}
	if r, ok := errors.AsType[interface {
		error
		Reason() string
	}](err); ok {
		v.Reason = r.Reason()
	}
	return v
}

// read is v after a frame was read.
func (v View) read(f Frame) View {
	v.failing = false
	v.Frame, v.Reason, v.Detail = f, f.Reason, oneLine(f.Detail)
	if v.Reason == "" && f.Devices() == 0 {
		v.Reason = ReasonNoDevice
	}
	return v
}

// tidy is a frame as a hub shows it, whatever the source gave: no more than so many
// devices, each once; finite readings; nothing taken in the future.
func tidy(f Frame, now time.Time, most int) Frame {
	if f.Taken.IsZero() || f.Taken.After(now) {
		f.Taken = now
	}
	all, seen := f.Devices(), map[string]bool{}
	f = writable(f)
	for i := range f.Hosts {
		kept := f.Hosts[i].Devices[:0]
		for _, d := range f.Hosts[i].Devices {
			if d.UUID == "" || seen[d.UUID] || len(seen) >= most {
				continue
			}
			seen[d.UUID] = true
			d.Readings = notAfter(d.Readings, now)
			kept = append(kept, d)
		}
		f.Hosts[i].Devices = kept
	}
	if len(seen) >= most && all > most && f.Reason == "" {
		f.Reason, f.Detail = ReasonMany, fmt.Sprintf("%d of %d devices are shown", len(seen), all)
	}
	return f
}

// notAfter is readings with none of a clock that is ahead.
func notAfter(readings map[Metric]Reading, now time.Time) map[Metric]Reading {
	copied := false
	for m, r := range readings {
		if !r.Taken.After(now) {
			continue
		}
		if !copied {
			readings, copied = maps.Clone(readings), true
		}
		readings[m] = Reading{r.Value, now}
	}
	return readings
}
