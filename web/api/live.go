package api

import (
	"math"
	"time"

	"tianti/catalog"
	"tianti/live"
)

// Live is what the devices of a host or a fleet are doing.
type Live struct {
	Envelope
	Seq    uint64     `json:"seq" doc:"moves whenever something changed"`
	Source string     `json:"source" doc:"where readings come from; empty when there is no source" example:"nvml"`
	State  string     `json:"state" enum:"ok,stale,unavailable" doc:"stale: the readings are older than they should be; unavailable: there are none"`
	Reason string     `json:"reason,omitempty" doc:"why the state is not ok, or not all devices are there" example:"no-driver"`
	Detail string     `json:"detail,omitempty" doc:"what driver or server said"`
	Taken  *time.Time `json:"taken" doc:"when the readings were taken; null when there are none"`
	Age    *float64   `json:"age_s" doc:"seconds since then"`
	Hosts  []LiveHost `json:"hosts"`
}

// LiveHost is a machine with devices.
type LiveHost struct {
	Name    string       `json:"name"`
	Driver  string       `json:"driver,omitempty" doc:"version"`
	Runtime string       `json:"runtime,omitempty" example:"CUDA 13.0"`
	Devices []liveDevice `json:"devices"`
}

// liveDevice is one accelerator or a part of one.
type liveDevice struct {
	UUID       string                 `json:"uuid"`
	Index      int                    `json:"index" doc:"in its host"`
	Name       string                 `json:"name" doc:"as the driver says" example:"NVIDIA H100 80GB HBM3"`
	Kind       string                 `json:"kind" enum:"card,mig,vgpu"`
	Parent     string                 `json:"parent,omitempty" doc:"uuid of the card that a slice is of"`
	Card       *CardRef               `json:"card" doc:"which card of the catalogue it is; null when that is not certain"`
	Match      string                 `json:"match" enum:"pci-subsystem,pci,pci-memory,pci-name,name,name-memory,ambiguous,none" doc:"by what it was matched"`
	Candidates []CardRef              `json:"candidates,omitempty" doc:"the cards that it may be, when it is ambiguous"`
	Readings   map[string]liveReading `json:"readings" doc:"by name; what is not to be had is absent, never zero"`
	Throttle   []string               `json:"throttle,omitempty" doc:"why clocks are held down"`
	Badges     []LiveBadge            `json:"badges" doc:"what is amiss or must be known to read the figures; faults first"`
	Hidden     []string               `json:"hidden,omitempty" doc:"readings that an administrator has forbidden"`
	Problem    string                 `json:"problem,omitempty" doc:"why there are no readings" example:"lost"`
	Processes  []liveProcess          `json:"processes,omitempty" doc:"that use it; for those only who have signed in or send a token"`
}

// liveProcess is a process that uses a device.
type liveProcess struct {
	PID    int    `json:"pid"`
	Name   string `json:"name,omitempty"`
	User   string `json:"user,omitempty"`
	Memory uint64 `json:"memory_bytes,omitempty"`
	Kind   string `json:"kind,omitempty" enum:"compute,graphics"`
}

// WithProcesses is the answer for somebody who may know who uses the devices.
func (l Live) WithProcesses(v *live.View) Live {
	of := map[string][]liveProcess{}
	for i := range v.Frame.Hosts {
		for j := range v.Frame.Hosts[i].Devices {
			d := &v.Frame.Hosts[i].Devices[j]
			for _, p := range d.Processes {
				of[d.UUID] = append(of[d.UUID], liveProcess{p.PID, p.Name, p.User, p.Memory, p.Kind})
			}
		}
	}
	for i := range l.Hosts {
		for j := range l.Hosts[i].Devices {
			d := &l.Hosts[i].Devices[j]
			d.Processes = of[d.UUID]
		}
	}
	return l
}

// liveReading is a value with what it is held against.
type liveReading struct {
	Value float64     `json:"value"`
	Unit  string      `json:"unit" doc:"empty for shares from 0 to 1 and counts" example:"W"`
	Rated []liveRated `json:"rated,omitempty" doc:"what the reading is held against"`
	Age   float64     `json:"age_s" doc:"seconds since the reading was taken"`
}

// liveRated is a reading beside what it could be at most.
type liveRated struct {
	Against  string  `json:"against" enum:"rated,derived,device" doc:"a figure of the catalogue, one that follows from the device itself, or a limit that the device reports"`
	Metric   string  `json:"metric,omitempty" doc:"id of the figure" example:"bf16_matrix_dense_tflops"`
	Value    float64 `json:"value" doc:"in unit; where ceiling is true, the most that it can have been: it was not measured"`
	Of       float64 `json:"of"`
	Unit     string  `json:"unit"`
	Share    float64 `json:"share"`
	Ceiling  bool    `json:"ceiling,omitempty"`
	Inflated bool    `json:"inflated,omitempty" doc:"of is derived and known to be too high"`
}

// LiveBadge is something about a device that its readings alone do not tell.
type LiveBadge struct {
	Key      string `json:"key" example:"power-limit"`
	Severity string `json:"severity" enum:"info,warning,fault"`
	Args     []any  `json:"args,omitempty" doc:"numbers and texts of the sentence, in order"`
}

// liveUnits are units by the end of a reading's name.
var liveUnits = map[live.Metric]string{
	live.MemoryUsed: "B", live.MemoryTotal: "B", live.MemoryReserved: "B", live.Power: "W", live.PowerLimit: "W",
	live.PowerDefaultLimit: "W", live.Energy: "J", live.Temperature: "°C", live.MemoryTemperature: "°C",
	live.SMClock:     "MHz",
	live.MemoryClock: "MHz", live.NVLinkTx: "B/s", live.NVLinkRx: "B/s", live.PCIeTx: "B/s", live.PCIeRx: "B/s",
}

// liveUnit is the unit of a reading; empty for shares and counts.
func liveUnit(m live.Metric) string { return liveUnits[m] }

// NoLiveSource is the reason of a server that reads no devices.
const NoLiveSource = "not-configured"

// LiveOf is the answer for a view; host, when it is not empty, is the only one.
func LiveOf(s *catalog.Snapshot, v *live.View, host string) Live {
	out := Live{Envelope: EnvelopeOf(s), Seq: v.Seq, Source: v.Frame.Source, State: string(v.State), Reason: v.Reason,
		Detail: v.Detail, Hosts: []LiveHost{}}
	if !v.Frame.Taken.IsZero() {
		taken, age := v.Frame.Taken.UTC(), seconds(v.Age)
		out.Taken, out.Age = &taken, &age
	}
	matched := live.MatchFrame(s, &v.Frame)
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		if host != "" && h.Name != host {
			continue
		}
		item := LiveHost{Name: h.Name, Driver: h.Driver, Runtime: h.Runtime, Devices: []liveDevice{}}
		for j := range h.Devices {
			item.Devices = append(item.Devices, LiveDeviceOf(s, v, h, &h.Devices[j], matched[h.Devices[j].UUID]))
		}
		out.Hosts = append(out.Hosts, item)
	}
	return out
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }

// LiveDeviceOf is a device of a view with what it is held against.
func LiveDeviceOf(s *catalog.Snapshot, v *live.View, h *live.Host, d *live.Device, m live.Matched) liveDevice {
	out := liveDevice{UUID: d.UUID, Index: d.Index, Name: d.Name, Kind: string(d.Kind), Parent: d.Parent,
		Match:    string(m.Confidence),
		Readings: map[string]liveReading{}, Badges: []LiveBadge{}, Problem: d.Problem}
	if d.Kind == live.Physical {
		out.Kind = "card"
	}
	if m.OK() {
		ref := cardRef(s, m.Row)
		out.Card = &ref
	}
	for _, row := range m.Candidates {
		out.Candidates = append(out.Candidates, cardRef(s, row))
	}
	for name, r := range d.Readings {
		if !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0) {
			out.Readings[string(name)] = liveReading{Value: r.Value, Unit: liveUnit(name), Age: seconds(v.AgeOf(r))}
		}
	}
	for _, r := range live.Rate(s, m, d) {
		if item, ok := out.Readings[string(r.Metric)]; ok {
			item.Rated = append(item.Rated, liveRated{Against: string(r.Against), Metric: r.Quantity, Value: r.Value,
				Of: r.Of, Unit: r.Unit, Share: r.Share, Ceiling: r.Ceiling, Inflated: r.High})
			out.Readings[string(r.Metric)] = item
		}
	}
	for _, t := range d.Throttle {
		out.Throttle = append(out.Throttle, string(t))
	}
	for _, hidden := range d.Hidden {
		out.Hidden = append(out.Hidden, string(hidden))
	}
	for _, b := range live.Badges(s, m, d, v.Moment(h)) {
		out.Badges = append(out.Badges, liveBadge(b))
	}
	return out
}

func liveBadge(b live.Badge) LiveBadge {
	out := LiveBadge{Key: b.Key, Severity: string(b.Severity)}
	for _, a := range b.Args {
		if a.Text != "" {
			out.Args = append(out.Args, a.Text)
		} else {
			out.Args = append(out.Args, a.Number)
		}
	}
	return out
}
