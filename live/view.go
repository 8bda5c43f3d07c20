package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Reasons of the hub. Sources have others; see [Frame].
const (
	ReasonStarting = "starting"  // nothing has been read yet
	ReasonTimeout  = "timeout"   // the source does not answer
	ReasonFailed   = "failed"    // the detail says how
	ReasonNoDevice = "no-device" // there is a source, but no device
	ReasonMany     = "too-many"  // not all devices are shown
)

// A View is the state of a hub at a moment.
type View struct {
	Seq    uint64 // increases whenever something changed
	Frame  Frame  // the last that was read, shared: read-only
	State  State
	Reason string        // the end of a message key "live.reason.…"; "" without a failure
	Detail string        // what the driver or server said, one line
	Age    time.Duration // of the frame
	Now    time.Time     // the moment

	every   time.Duration // between reads of the hub
	failing bool          // the last read has failed
	tried   time.Time     // when it ended
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

// staleAfter is the age, in intervals, from which readings are stale.
const staleAfter = 3

// allowed is the greatest age of a frame that is not stale.
func (v *View) allowed() time.Duration { return staleAfter * max(v.every, v.Frame.interval()) }

// Moment is the moment of the view, for the devices of a host.
func (v *View) Moment(h *Host) Moment {
	return Moment{Taken: v.Frame.Taken, Now: v.Now, Fresh: staleAfter * max(v.every, h.interval())}
}

// AgeOf is the age of a reading of the view.
func (v *View) AgeOf(r Reading) time.Duration {
	if r.Taken.IsZero() {
		return v.Age
	}
	return max(0, v.Now.Sub(r.Taken))
}

// IsStale reports whether a reading of a host is older than three of its intervals.
func (v *View) IsStale(h *Host, r Reading) bool {
	return v.AgeOf(r) > staleAfter*max(v.every, h.interval())
}

// interval is the sampling interval of the host; 0 when each frame is a sample.
func (h *Host) interval() time.Duration {
	const day = 24 * 60 * 60
	return time.Duration(min(max(h.Every, 0), day) * float64(time.Second))
}

// SetMinInterval notes that the source takes no more than one sample in d.
func (f *Frame) SetMinInterval(d time.Duration) {
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

// Devices is the number of devices of a frame.
func (f *Frame) Devices() int {
	n := 0
	for _, h := range f.Hosts {
		n += len(h.Devices)
	}
	return n
}

// failed is v after a read that has failed.
func (v View) failed(err error) View {
	v.failing = true
	v.Reason, v.Detail = ReasonFailed, OneLine(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		v.Reason = ReasonTimeout
	}
	if e, ok := errors.AsType[*SourceError](err); ok {
		v.Reason = e.Reason
	}
	return v
}

// read is v after a frame was read.
func (v View) read(f Frame) View {
	v.failing = false
	v.Frame, v.Reason, v.Detail = f, f.Reason, OneLine(f.Detail)
	if v.Reason == "" && f.Devices() == 0 {
		v.Reason = ReasonNoDevice
	}
	return v
}

// sanitize returns a frame as a hub shows it, whatever the source gave: at most limit devices, each UUID once, finite
// readings, no timestamp in the future.
func sanitize(f Frame, now time.Time, limit int) Frame {
	if f.Taken.IsZero() || f.Taken.After(now) {
		f.Taken = now
	}
	all, seen := f.Devices(), map[string]bool{}
	f = f.Normalized()
	for i := range f.Hosts {
		shown := f.Hosts[i].Devices[:0]
		for _, d := range f.Hosts[i].Devices {
			if d.UUID == "" || seen[d.UUID] || len(seen) >= limit {
				continue
			}
			seen[d.UUID] = true
			d.Readings = notAfter(d.Readings, now)
			shown = append(shown, d)
		}
		f.Hosts[i].Devices = shown
	}
	if len(seen) >= limit && all > limit && f.Reason == "" {
		f.Reason, f.Detail = ReasonMany, fmt.Sprintf("%d of %d devices are shown", len(seen), all)
	}
	return f
}

// notAfter returns readings whose timestamps are not after now, as those of a clock that is ahead would be.
func notAfter(readings map[Metric]Reading, now time.Time) map[Metric]Reading {
	cloned := false
	for m, r := range readings {
		if !r.Taken.After(now) {
			continue
		}
		if !cloned {
			readings, cloned = maps.Clone(readings), true
		}
		readings[m] = Reading{r.Value, now}
	}
	return readings
}

// OneLine is a text from outside as a detail: one line of 200 bytes at most, valid UTF-8; a longer text ends with "…".
func OneLine(s string) string {
	const longest = 200
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "?")
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
