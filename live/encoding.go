package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"
)

// Normalized is f as it can be encoded: empty lists instead of null, and only readings that are finite numbers, as
// JSON has no others. It shares with f what does not change.
func (f Frame) Normalized() Frame {
	f.Hosts = append([]Host{}, f.Hosts...)
	for i := range f.Hosts {
		h := &f.Hosts[i]
		h.Devices = append([]Device{}, h.Devices...)
		for j := range h.Devices {
			h.Devices[j].Readings = finite(h.Devices[j].Readings)
		}
	}
	return f
}

func finite(readings map[Metric]Reading) map[Metric]Reading {
	odd := func(_ Metric, r Reading) bool { return math.IsNaN(r.Value) || math.IsInf(r.Value, 0) }
	for m, r := range readings {
		if odd(m, r) {
			readings = maps.Clone(readings)
			maps.DeleteFunc(readings, odd)
			break
		}
	}
	return readings
}

// UnmarshalJSON reads a reading. One without a value is an error, as it would become zero.
func (r *Reading) UnmarshalJSON(text []byte) error {
	var v struct {
		Value *float64  `json:"v"`
		Taken time.Time `json:"t"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("readings: %w", err)
	}
	if v.Value == nil {
		return errors.New("readings: one has no field v")
	}
	*r = Reading{*v.Value, v.Taken}
	return nil
}
