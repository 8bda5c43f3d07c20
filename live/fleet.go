package live

import (
	"slices"

	"tianti/catalog"
)

// A Sum adds up a reading of several devices and what limits it.
type Sum struct {
	Value float64
	Of    float64 // sum of the limits; 0 when they are not known
	Count int     // devices that are in it
}

// Share is Value / Of; 0 without a limit.
func (s Sum) Share() float64 {
	if !(s.Of > 0) {
		return 0
	}
	return s.Value / s.Of
}

func (s *Sum) add(value, of float64) {
	s.Value, s.Of, s.Count = s.Value+value, s.Of+of, s.Count+1
}

// A Fleet sums up the whole devices of a view by the readings of now: those that are older than they should be are in
// no sum. Slices are parts of devices and are left out.
type Fleet struct {
	Devices int // InUse + Idle + Unknown + Silent
	InUse   int // see [Idle]
	Idle    int
	Unknown int // of which it is not known whether they are idle
	Silent  int // without a reading of now
	AtLimit int // that report the power limit as a reason for reduced clocks

	Memory    Sum // used of total, bytes
	Power     Sum // of the enforced limit, W; devices without a limit are left out when others have one
	Tensor    Sum // upper bound of the matrix rate of the rating, in Unit; see [Rated]
	Unit      string
	Quantity  string // id of the figure that Tensor is held against; the other figures' devices are left out
	Bandwidth Sum    // upper bound of the memory bandwidth of the rating, GB/s
}

// Reading is how many devices have readings of now.
func (f Fleet) Reading() int { return f.Devices - f.Silent }

// SumUp sums up the devices of a host, or of all when host is empty.
func SumUp(s *catalog.Snapshot, v *View, host string) Fleet {
	c := summer{tensor: map[string]*Sum{}, units: map[string]string{}}
	matched := MatchFrame(s, &v.Frame)
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		if host != "" && h.Name != host {
			continue
		}
		for j := range h.Devices {
			if d := &h.Devices[j]; d.Kind != Slice {
				now := v.ofNow(h, d)
				c.count(&now)
				c.rates(Rate(s, matched[d.UUID], &now))
			}
		}
	}
	return c.fleet()
}

// ofNow is a device with only those readings that are not stale. Processes and reasons for reduced clocks are as old
// as its newest reading.
func (v *View) ofNow(h *Host, d *Device) Device {
	out := *d
	out.Readings = make(map[Metric]Reading, len(d.Readings))
	for m, r := range d.Readings {
		if !v.IsStale(h, r) {
			out.Readings[m] = r
		}
	}
	return out
}

type summer struct {
	out       Fleet
	unlimited Sum             // power of devices without a limit
	tensor    map[string]*Sum // by the id of the figure
	units     map[string]string
}

func (c *summer) count(d *Device) {
	c.out.Devices++
	if d.Problem != "" || len(d.Readings) == 0 {
		c.out.Silent++
		return
	}
	switch idle, known := Idle(d); {
	case !known:
		c.out.Unknown++
	case idle:
		c.out.Idle++
	default:
		c.out.InUse++
	}
	if slices.Contains(d.Throttle, ThrottlePowerCap) {
		c.out.AtLimit++
	}
	used, ok := d.Get(MemoryUsed)
	if total, known := d.Get(MemoryTotal); ok && known && total > 0 {
		c.out.Memory.add(used, total)
	}
	power, ok := d.Get(Power)
	switch limit, known := d.Get(PowerLimit); {
	case ok && known && limit > 0:
		c.out.Power.add(power, limit)
	case ok:
		c.unlimited.add(power, 0)
	}
}

// rates adds what pipes do at most. A limit that is derived from the device is no rating.
func (c *summer) rates(rated []Rated) {
	for _, r := range rated {
		if r.Against != AgainstRated {
			continue
		}
		switch r.Metric {
		case TensorActive:
			if c.tensor[r.Quantity] == nil {
				c.tensor[r.Quantity], c.units[r.Quantity] = &Sum{}, r.Unit
			}
			c.tensor[r.Quantity].add(r.Value, r.Of)
		case DRAMActive:
			c.out.Bandwidth.add(r.Value, r.Of)
		}
	}
}

func (c *summer) fleet() Fleet {
	if c.out.Power.Count == 0 {
		c.out.Power = c.unlimited
	}
	for _, id := range matrixRates {
		if s := c.tensor[id]; s != nil && s.Count > c.out.Tensor.Count {
			c.out.Tensor, c.out.Quantity, c.out.Unit = *s, id, c.units[id]
		}
	}
	return c.out
}
