package live

import (
	"math"
	"strconv"

	"tianti/live"
)

// A history is drawn as sparkSlots means of as many points each. A slot is longer than the time between readings of
// most sources, so that it has one.
const (
	sparkSlots  = 60
	sparkHeight = 20
)

// sparkOf is the history of a metric of a device.
func sparkOf(hub *live.Hub, d *live.Device, m live.Metric) *spark {
	most := sparkMost(d, m)
	series := hub.Series(d.UUID, m)
	if series == nil || !(most > 0) {
		return nil
	}
	means := meansOf(series)
	return &spark{
		Path:  sparkPath(means, most),
		Means: means,
		Most:  most,
		Step:  hub.Step().Seconds() * live.HistoryPoints / sparkSlots,
	}
}

// sparkMost is the value at the top of a history.
func sparkMost(d *live.Device, m live.Metric) float64 {
	of := func(other live.Metric) float64 { v, _ := d.Get(other); return v }
	switch m {
	case live.Power:
		if v := of(live.PowerLimit); v > 0 {
			return v
		}
		return of(live.PowerDefaultLimit)
	case live.MemoryUsed:
		return of(live.MemoryTotal)
	case live.SMClock:
		return d.MaxSMClock
	case live.Temperature:
		return 100
	}
	return 1
}

// meansOf are the means of a series by slot; NaN is a gap.
func meansOf(series []float32) []float64 {
	per := max(1, len(series)/sparkSlots)
	out := make([]float64, len(series)/per)
	for slot := range out {
		sum, n := 0.0, 0
		for _, v := range series[slot*per : (slot+1)*per] {
			if v == v {
				sum += float64(v)
				n++
			}
		}
		out[slot] = sum / float64(n) // NaN without points
	}
	return out
}

// bridged is the greatest number of slots from one mean to the next that a line goes over: while nobody watches,
// devices are read every ten seconds.
const bridged = 3

// sparkPath is a line through means. A mean holds for its slot, so that also one between two gaps is a line; over a
// longer gap the line is broken.
func sparkPath(means []float64, most float64) string {
	var out []byte
	last := -1 - bridged
	for slot, mean := range means {
		if mean != mean {
			continue
		}
		command := byte('L')
		if slot-last > bridged {
			command = 'M'
			out = endLine(out, last)
		}
		last = slot
		out = strconv.AppendInt(append(out, command), int64(slot), 10)
		y := float64(sparkHeight) * (1 - min(1, max(0, mean/most)))
		out = strconv.AppendFloat(append(out, ' '), math.Round(y*10)/10, 'f', -1, 64)
	}
	return string(endLine(out, last))
}

// endLine draws the last mean of a line to the end of its slot.
func endLine(out []byte, slot int) []byte {
	if len(out) == 0 {
		return out
	}
	return strconv.AppendInt(append(out, 'H'), int64(slot+1), 10)
}
