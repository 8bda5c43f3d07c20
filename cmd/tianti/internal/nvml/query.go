//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"slices"
	"time"

	"tianti/live"
)

// A query is a call of the library and the readings that it gives.
type query struct {
	call    string        // the function, for messages
	metrics []live.Metric // that it can give
	every   time.Duration // how often it is made; 0 is with each frame
	slices  bool          // whether it is of use with slices too
	read    func(d *device, now time.Time, a *answer) status
}

// A state is how a device answered a query last.
type state struct {
	answer
	taken time.Time // of the answer
	next  time.Time // when it is asked again
}

// An answer is what a query gave.
type answer struct {
	values []value
	hidden []live.Metric // for which we lack a permission
}

func (a *answer) put(m live.Metric, v float64) { a.values = append(a.values, value{m, v}) }

func (a *answer) hide(m live.Metric) { a.hidden = append(a.hidden, m) }

type value struct {
	metric live.Metric
	value  float64
}

// again is after how long a query that a device does not support is tried again.
const again = time.Hour

// ask makes the query if it is due, and remembers what the device does not support.
func (d *device) ask(q *query, s *state, now time.Time) status {
	if d.card != nil && !q.slices || now.Before(s.next) {
		return statusSuccess
	}
	s.values, s.hidden = s.values[:0], s.hidden[:0]
	ret := q.read(d, now, &s.answer)
	s.taken, s.next = now, now.Add(q.every)
	switch ret {
	case statusNoPermission:
		s.values, s.hidden = s.values[:0], append(s.hidden[:0], q.metrics...)
		s.next = now.Add(again)
	case statusNotSupported, statusFunctionNotFound,
		statusInvalidArgument, statusArgumentVersionMismatch, statusDeprecated:
		s.next = now.Add(again)
	}
	return ret
}

// slow is how often readings are taken that change seldom or cost more.
const slow = 10 * time.Second

// queries are what a device is asked, in this order; where two give the same
// metric, the first that has it wins.
var queries []query

func init() { // not above: show and hidden look at the list that they are called from
	queries = slices.Concat(loadQueries(), clockQueries(), counterQueries())
}

// loadQueries ask how much of a device is in use, and what that takes.
func loadQueries() []query {
	return []query{
		{
			call: "nvmlDeviceGetUtilizationRates", metrics: []live.Metric{live.GPUUtilization},
			read: readUtilization,
		}, {
			call: "nvmlDeviceGetMemoryInfo", slices: true,
			metrics: []live.Metric{live.MemoryUsed, live.MemoryTotal, live.MemoryReserved},
			read:    readMemory,
		},
		number(live.Power, "nvmlDeviceGetPowerUsage", 1e-3, 0,
			func(l *library) get32 { return l.DeviceGetPowerUsage }),
		number(live.PowerLimit, "nvmlDeviceGetEnforcedPowerLimit", 1e-3, 0,
			func(l *library) get32 { return l.DeviceGetEnforcedPowerLimit }),
		number(live.PowerDefaultLimit, "nvmlDeviceGetPowerManagementDefaultLimit", 1e-3, slow,
			func(l *library) get32 { return l.DeviceGetPowerManagementDefaultLimit }),
		number(live.Energy, "nvmlDeviceGetTotalEnergyConsumption", 1e-3, slow,
			func(l *library) get64 { return l.DeviceGetTotalEnergyConsumption }),
		{
			call: "nvmlDeviceGetTemperature", metrics: []live.Metric{live.Temperature},
			read: readTemperature,
		},
	}
}

// clockQueries ask for clocks and for what the device does in them.
func clockQueries() []query {
	return []query{
		number(live.SMClock, "nvmlDeviceGetClockInfo", 1, 0,
			func(l *library) get32 { return l.clock(clockSM) }),
		number(live.MemoryClock, "nvmlDeviceGetClockInfo", 1, 0,
			func(l *library) get32 { return l.clock(clockMemory) }),
		{
			call: "nvmlDeviceGetPerformanceState", metrics: []live.Metric{live.PerformanceState},
			read: readPerformanceState,
		}, {
			call: "nvmlDeviceGetCurrentClocksEventReasons", read: readThrottle,
		}, {
			call: "nvmlGpmMetricsGet", metrics: gpmNames(), slices: true, read: readGPM,
		}, {
			call: "nvmlDeviceGetFieldValues", metrics: fieldNames(), read: readFields,
		},
		number(live.EncoderActive, "nvmlDeviceGetEncoderUtilization", 1e-2, slow,
			func(l *library) get32 { return withoutPeriod(l.DeviceGetEncoderUtilization) }),
		number(live.DecoderActive, "nvmlDeviceGetDecoderUtilization", 1e-2, slow,
			func(l *library) get32 { return withoutPeriod(l.DeviceGetDecoderUtilization) }),
		number(live.FanSpeed, "nvmlDeviceGetFanSpeed", 1e-2, slow,
			func(l *library) get32 { return l.DeviceGetFanSpeed }),
	}
}

// counterQueries ask for links, errors and who is there.
func counterQueries() []query {
	return []query{
		number(live.PCIeGeneration, "nvmlDeviceGetCurrPcieLinkGeneration", 1, slow,
			func(l *library) get32 { return l.DeviceGetCurrPcieLinkGeneration }),
		number(live.PCIeWidth, "nvmlDeviceGetCurrPcieLinkWidth", 1, slow,
			func(l *library) get32 { return l.DeviceGetCurrPcieLinkWidth }),
		number(live.PCIeMaxGeneration, "nvmlDeviceGetMaxPcieLinkGeneration", 1, slow,
			func(l *library) get32 { return l.DeviceGetMaxPcieLinkGeneration }),
		number(live.PCIeMaxWidth, "nvmlDeviceGetMaxPcieLinkWidth", 1, slow,
			func(l *library) get32 { return l.DeviceGetMaxPcieLinkWidth }),
		{
			call: "nvmlDeviceGetNvLinkState", metrics: []live.Metric{live.NVLinks, live.NVLinksUp},
			every: slow, read: readNVLinks,
		},
		number(live.ECCUncorrected, "nvmlDeviceGetTotalEccErrors", 1, slow,
			func(l *library) get64 { return l.uncorrected }),
		{
			call: "nvmlDeviceGetRemappedRows", metrics: []live.Metric{live.RemappedRows, live.RowRemapFailure},
			every: slow, read: readRemappedRows,
		}, {
			call: "nvmlDeviceGetComputeRunningProcesses", every: slow, slices: true, read: readProcesses,
		}, {
			call: "nvmlEventSetWait", metrics: []live.Metric{live.LastXID}, // was taken before
			read: readLastXID,
		},
	}
}

// number is a query for one number, which is multiplied by unit; call is the name of
// the function that get takes from the library.
func number[N uint32 | uint64](
	m live.Metric, call string, unit float64, every time.Duration, get func(*library) func(handle, *N) status,
) query {
	read := func(d *device, _ time.Time, a *answer) status {
		var n N
		ret := get(d.lib)(d.handle, &n)
		if ret == statusSuccess {
			a.put(m, float64(n)*unit)
		}
		return ret
	}
	return query{call: call, metrics: []live.Metric{m}, every: every, read: read}
}

// withoutPeriod leaves out how long a share was sampled, in µs.
func withoutPeriod(get func(h handle, percent, micros *uint32) status) get32 {
	return func(h handle, percent *uint32) status {
		var micros uint32
		return get(h, percent, &micros)
	}
}

func (l *library) clock(t clockType) get32 {
	return func(h handle, mhz *uint32) status { return l.DeviceGetClockInfo(h, t, mhz) }
}

func (l *library) uncorrected(h handle, n *uint64) status {
	return l.DeviceGetTotalEccErrors(h, memoryErrorUncorrected, eccVolatile, n)
}

func readUtilization(d *device, _ time.Time, a *answer) status {
	var u utilization
	ret := d.lib.DeviceGetUtilizationRates(d.handle, &u)
	if ret == statusSuccess {
		a.put(live.GPUUtilization, float64(u.gpu)/100)
	}
	return ret
}

// readMemory tells devices without memory of their own as well. The older call
// counts what is reserved as used.
func readMemory(d *device, _ time.Time, a *answer) status {
	v2 := memoryV2{version: memoryV2Version}
	ret := d.lib.DeviceGetMemoryInfo_v2(d.handle, &v2)
	if ret == statusSuccess {
		a.put(live.MemoryUsed, float64(v2.used))
		a.put(live.MemoryTotal, float64(v2.total))
		a.put(live.MemoryReserved, float64(v2.reserved))
		return ret
	}
	if ret == statusFunctionNotFound || ret == statusArgumentVersionMismatch {
		var m memory
		if ret = d.lib.DeviceGetMemoryInfo(d.handle, &m); ret == statusSuccess {
			a.put(live.MemoryUsed, float64(m.used))
			a.put(live.MemoryTotal, float64(m.total))
		}
	}
	d.id.Unified = ret == statusNotSupported && d.id.Kind == live.Physical
	return ret
}

// readTemperature asks the older function, which more drivers have, while there is
// one: nvml.h says that it will go.
func readTemperature(d *device, _ time.Time, a *answer) status {
	var celsius uint32
	ret := d.lib.DeviceGetTemperature(d.handle, sensorGPU, &celsius)
	if ret == statusSuccess {
		a.put(live.Temperature, float64(celsius))
	}
	if ret != statusFunctionNotFound {
		return ret
	}
	t := temperature{version: temperatureVersion, sensorType: sensorGPU}
	if ret = d.lib.DeviceGetTemperatureV(d.handle, &t); ret == statusSuccess {
		a.put(live.Temperature, float64(t.temperature))
	}
	return ret
}

func readPerformanceState(d *device, _ time.Time, a *answer) status {
	var p pstate
	ret := d.lib.DeviceGetPerformanceState(d.handle, &p)
	if ret == statusSuccess && p <= pstateLowest { // above: unknown
		a.put(live.PerformanceState, float64(p))
	}
	return ret
}

// throttles are the reasons that we have a word for.
var throttles = []struct {
	bit uint64
	is  live.Throttle
}{
	{reasonIdle, live.ThrottleIdle},
	{reasonApplicationClock, live.ThrottleApplicationClock},
	{reasonPowerCap, live.ThrottlePowerCap},
	{reasonHardware, live.ThrottleHardware},
	{reasonSyncBoost, live.ThrottleSyncBoost},
	{reasonThermal, live.ThrottleThermal},
	{reasonHardwareThermal, live.ThrottleHardwareThermal},
	{reasonPowerBrake, live.ThrottlePowerBrake},
	{reasonDisplayClock, live.ThrottleDisplay},
}

func readThrottle(d *device, _ time.Time, _ *answer) status {
	var bits uint64
	ret := d.lib.DeviceGetCurrentClocksEventReasons(d.handle, &bits)
	d.throttle = nil
	if ret != statusSuccess {
		return ret
	}
	for _, t := range throttles {
		if bits&t.bit != 0 {
			d.throttle = append(d.throttle, t.is)
		}
	}
	return ret
}

func readRemappedRows(d *device, _ time.Time, a *answer) status {
	var corrected, uncorrected, pending, failure uint32
	ret := d.lib.DeviceGetRemappedRows(d.handle, &corrected, &uncorrected, &pending, &failure)
	if ret != statusSuccess {
		return ret
	}
	a.put(live.RemappedRows, float64(uncorrected))
	failures := 0.0
	if failure != 0 {
		failures = 1
	}
	a.put(live.RowRemapFailure, failures)
	return ret
}
