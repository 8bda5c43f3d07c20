package live

import (
	"math"
	"strconv"

	"tianti/live"
)

// A history is drawn as sparkSlots means of as many points each.
const (
	sparkSlots  = 100
	sparkHeight = 20
)

// sparkOf is the history of a metric of a device.
func sparkOf(hub *live.Hub, d *live.Device, m live.Metric) *spark {
	most := sparkMost(d, m)
	series := hub.Series(d.UUID, m)
	if series == nil || !(most > 0) {
		return nil
	}
	return &spark{Path: sparkPath(series, most), Most: most, Step: hub.Step().Seconds() * live.HistoryPoints / sparkSlots}
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

// sparkPath draws a series; where there are no points the line is broken. A point
// between two gaps is a short line.
func sparkPath(series []float32, most float64) string {
	per := max(1, len(series)/sparkSlots)
	var out []byte
	drawn := false
	for slot := range len(series) / per {
		mean, ok := meanOf(series[slot*per : (slot+1)*per])
		if !ok {
			drawn = false
			continue
		}
		command := byte('L')
		if !drawn {
			command = 'M'
		}
		y := float64(sparkHeight) * (1 - min(1, max(0, mean/most)))
		out = appendPoint(out, command, slot, y)
		if !drawn {
			out = appendPoint(out, 'L', slot, y) // so that a single point shows
		}
		drawn = true
	}
	return string(out)
}

func appendPoint(dst []byte, command byte, x int, y float64) []byte {
	dst = strconv.AppendInt(append(dst, command), int64(x), 10)
	return strconv.AppendFloat(append(dst, ' '), math.Round(y*10)/10, 'f', -1, 64)
}

// meanOf is the mean of the points that are no gaps.
func meanOf(points []float32) (mean float64, ok bool) {
	sum, n := 0.0, 0
	for _, v := range points {
		if v == v {
			sum += float64(v)
			n++
		}
	}
	return sum / float64(max(1, n)), n > 0
}
