package live

import (
	"math"
	"slices"
	"sync"
	"time"
)

// HistoryPoints is the number of points of a series.
const HistoryPoints = 300

// HistoryMetrics are the metrics with a history.
var HistoryMetrics = []Metric{
	Power, MemoryUsed, GPUUtilization, SMActive, TensorActive, DRAMActive, Temperature, SMClock,
}

// A history is a ring buffer of the last [HistoryPoints] of each device and metric, one for each step. It takes some
// 10 kB for a device.
type history struct {
	step  time.Duration
	limit int // devices
	zero  time.Time

	mu     sync.RWMutex
	slot   int64     // of the last frame; slots are numbered from zero
	at     time.Time // of the last frame
	tracks map[string]*track
}

// A track is the history of a device.
type track struct {
	slot  int64       // of the last point
	rings [][]float32 // by metric, as in HistoryMetrics; nil before the first reading; NaN is a gap
}

func newHistory(zero time.Time, step time.Duration, limit int) *history {
	return &history{step: step, limit: limit, zero: zero, tracks: map[string]*track{}}
}

// put adds the readings of a frame; those for which old is true become gaps. Devices that are absent for the length of
// a series are removed.
func (h *history) put(now time.Time, f *Frame, old func(*Host, Reading) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	slot := max(h.slot, int64(now.Sub(h.zero)/h.step))
	// Frames come a little early or late: one empty slot between two of them is no gap.
	near := slot == h.slot+2 && now.Sub(h.at) < h.step*3/2
	h.slot, h.at = slot, now
	for i := range f.Hosts {
		host := &f.Hosts[i]
		for j := range host.Devices {
			if t := h.track(host.Devices[j].UUID); t != nil {
				t.put(slot, near, host, &host.Devices[j], old)
			}
		}
	}
	for uuid, t := range h.tracks {
		if t.slot <= slot-HistoryPoints {
			delete(h.tracks, uuid)
		}
	}
}

// track is the history of a device; nil when there are too many.
func (h *history) track(uuid string) *track {
	t := h.tracks[uuid]
	if t == nil && len(h.tracks) < h.limit {
		t = &track{slot: h.slot - 1, rings: make([][]float32, len(HistoryMetrics))}
		h.tracks[uuid] = t
	}
	return t
}

func (t *track) put(slot int64, near bool, host *Host, d *Device, old func(*Host, Reading) bool) {
	for i, m := range HistoryMetrics {
		value := gap
		if r, ok := d.Readings[m]; ok && !old(host, r) {
			value = float32(r.Value)
			if t.rings[i] == nil {
				t.rings[i] = slices.Repeat([]float32{gap}, HistoryPoints)
			}
		}
		ring := t.rings[i]
		if ring == nil {
			continue
		}
		for s := max(t.slot+1, slot-HistoryPoints+1); s < slot; s++ {
			ring[s%HistoryPoints] = gap
		}
		ring[slot%HistoryPoints] = value
		if near && t.slot == slot-2 {
			ring[(slot-1)%HistoryPoints] = value
		}
	}
	t.slot = slot
}

var gap = float32(math.NaN())

// series is the history of a metric, oldest point first, up to the last frame; nil when there is none. The caller owns
// it.
func (h *history) series(uuid string, m Metric) []float32 {
	i := slices.Index(HistoryMetrics, m)
	h.mu.RLock()
	defer h.mu.RUnlock()
	t := h.tracks[uuid]
	if i < 0 || t == nil || t.rings[i] == nil {
		return nil
	}
	out := make([]float32, HistoryPoints)
	for k := range out {
		out[k] = gap
		if s := h.slot - HistoryPoints + 1 + int64(k); s >= 0 && s <= t.slot {
			out[k] = t.rings[i][s%HistoryPoints]
		}
	}
	return out
}
