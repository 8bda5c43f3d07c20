//go:build linux && cgo

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"tianti/live"
)

// A query is a call of the library and the readings that it gives.
type query struct {
	symbols []string      // functions that it needs, see [library.has]
	metrics []live.Metric // that it can give
	every   time.Duration // how often it is made; 0 is with each frame
	slices  bool          // whether it is of use with slices too
	read    func(d *device, now time.Time, a *answer) nvml.Return
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
func (d *device) ask(q *query, s *state, now time.Time) nvml.Return {
	if d.card != nil && !q.slices || now.Before(s.next) {
		return nvml.SUCCESS
	}
	ret := nvml.ERROR_FUNCTION_NOT_FOUND
	s.values, s.hidden = s.values[:0], s.hidden[:0]
	if q.supported(d.lib) {
		ret = q.read(d, now, &s.answer)
	}
	s.taken, s.next = now, now.Add(q.every)
	switch ret {
	case nvml.ERROR_NO_PERMISSION:
		s.values, s.hidden = s.values[:0], append(s.hidden[:0], q.metrics...)
		s.next = now.Add(again)
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_FUNCTION_NOT_FOUND,
		nvml.ERROR_INVALID_ARGUMENT, nvml.ERROR_ARGUMENT_VERSION_MISMATCH, nvml.ERROR_DEPRECATED:
		s.next = now.Add(again)
	}
	return ret
}

func (q *query) supported(l *library) bool {
	for _, symbol := range q.symbols {
		if !l.has(symbol) {
			return false
		}
	}
	return true
}

// slow is how often readings are taken that change seldom or cost more.
const slow = 10 * time.Second

// queries are what a device is asked, in this order; where two give the same
// metric, the first that has it wins.
var queries []query

func init() { // not above: show and hidden look at the list that they are called from
	queries = []query{
		{
			symbols: []string{"nvmlDeviceGetUtilizationRates"}, metrics: []live.Metric{live.GPUUtilization},
			read: readUtilization,
		}, {
			symbols: []string{"nvmlDeviceGetMemoryInfo_v2|nvmlDeviceGetMemoryInfo"}, slices: true,
			metrics: []live.Metric{live.MemoryUsed, live.MemoryTotal, live.MemoryReserved},
			read:    readMemory,
		},
		number(live.Power, "nvmlDeviceGetPowerUsage", 1e-3, 0, nvml.Device.GetPowerUsage),
		number(live.PowerLimit, "nvmlDeviceGetEnforcedPowerLimit", 1e-3, 0, nvml.Device.GetEnforcedPowerLimit),
		number(live.PowerDefaultLimit, "nvmlDeviceGetPowerManagementDefaultLimit", 1e-3, slow, nvml.Device.GetPowerManagementDefaultLimit),
		number(live.Energy, "nvmlDeviceGetTotalEnergyConsumption", 1e-3, slow, nvml.Device.GetTotalEnergyConsumption),
		{
			symbols: []string{"nvmlDeviceGetTemperature|nvmlDeviceGetTemperatureV"}, metrics: []live.Metric{live.Temperature},
			read: readTemperature,
		},
		number(live.SMClock, "nvmlDeviceGetClockInfo", 1, 0, func(d nvml.Device) (uint32, nvml.Return) { return d.GetClockInfo(nvml.CLOCK_SM) }),
		number(live.MemoryClock, "nvmlDeviceGetClockInfo", 1, 0, func(d nvml.Device) (uint32, nvml.Return) { return d.GetClockInfo(nvml.CLOCK_MEM) }),
		{
			symbols: []string{"nvmlDeviceGetPerformanceState"}, metrics: []live.Metric{live.PerformanceState},
			read: readPerformanceState,
		}, {
			symbols: []string{"nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons"},
			read:    readThrottle,
		}, {
			symbols: []string{"nvmlGpmQueryDeviceSupport", "nvmlGpmSampleAlloc", "nvmlGpmSampleFree", "nvmlGpmSampleGet", "nvmlGpmMetricsGet"},
			metrics: gpmNames(), slices: true,
			read: readGPM,
		}, {
			symbols: []string{"nvmlDeviceGetFieldValues"}, metrics: fieldNames(),
			read: readFields,
		},
		number(live.EncoderActive, "nvmlDeviceGetEncoderUtilization", 1e-2, slow, withoutPeriod(nvml.Device.GetEncoderUtilization)),
		number(live.DecoderActive, "nvmlDeviceGetDecoderUtilization", 1e-2, slow, withoutPeriod(nvml.Device.GetDecoderUtilization)),
		number(live.FanSpeed, "nvmlDeviceGetFanSpeed", 1e-2, slow, nvml.Device.GetFanSpeed),
		number(live.PCIeGeneration, "nvmlDeviceGetCurrPcieLinkGeneration", 1, slow, nvml.Device.GetCurrPcieLinkGeneration),
		number(live.PCIeWidth, "nvmlDeviceGetCurrPcieLinkWidth", 1, slow, nvml.Device.GetCurrPcieLinkWidth),
		number(live.PCIeMaxGeneration, "nvmlDeviceGetMaxPcieLinkGeneration", 1, slow, nvml.Device.GetMaxPcieLinkGeneration),
		number(live.PCIeMaxWidth, "nvmlDeviceGetMaxPcieLinkWidth", 1, slow, nvml.Device.GetMaxPcieLinkWidth),
		{
			symbols: []string{"nvmlDeviceGetFieldValues", "nvmlDeviceGetNvLinkState"}, metrics: []live.Metric{live.NVLinks, live.NVLinksUp},
			every: slow, read: readNVLinks,
		},
		number(live.ECCUncorrected, "nvmlDeviceGetTotalEccErrors", 1, slow, func(d nvml.Device) (uint64, nvml.Return) {
			return d.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
		}),
		{
			symbols: []string{"nvmlDeviceGetRemappedRows"}, metrics: []live.Metric{live.RemappedRows, live.RowRemapFailure},
			every: slow, read: readRemappedRows,
		}, {
			symbols: []string{"nvmlDeviceGetComputeRunningProcesses_v3|nvmlDeviceGetComputeRunningProcesses_v2|nvmlDeviceGetComputeRunningProcesses"},
			every:   slow, slices: true,
			read: readProcesses,
		}, {
			metrics: []live.Metric{live.LastXID}, // from the events of the driver
			read:    readLastXID,
		},
	}
}

// number is a query for one number, which is multiplied by unit.
func number[N int | uint32 | uint64](m live.Metric, symbol string, unit float64, every time.Duration, get func(nvml.Device) (N, nvml.Return)) query {
	return query{symbols: []string{symbol}, metrics: []live.Metric{m}, every: every, read: func(d *device, _ time.Time, a *answer) nvml.Return {
		n, ret := get(d.handle)
		if ret == nvml.SUCCESS {
			a.put(m, float64(n)*unit)
		}
		return ret
	}}
}

func withoutPeriod(get func(nvml.Device) (uint32, uint32, nvml.Return)) func(nvml.Device) (uint32, nvml.Return) {
	return func(d nvml.Device) (uint32, nvml.Return) {
		n, _, ret := get(d)
		return n, ret
	}
}

func readUtilization(d *device, _ time.Time, a *answer) nvml.Return {
	u, ret := d.handle.GetUtilizationRates()
	if ret == nvml.SUCCESS {
		a.put(live.GPUUtilization, float64(u.Gpu)/100)
	}
	return ret
}

// readMemory tells devices without memory of their own as well. The older call
// counts what is reserved as used.
func readMemory(d *device, _ time.Time, a *answer) nvml.Return {
	ret := nvml.ERROR_FUNCTION_NOT_FOUND
	if d.lib.has("nvmlDeviceGetMemoryInfo_v2") {
		var m nvml.Memory_v2
		if m, ret = d.handle.GetMemoryInfo_v2(); ret == nvml.SUCCESS {
			a.put(live.MemoryUsed, float64(m.Used))
			a.put(live.MemoryTotal, float64(m.Total))
			a.put(live.MemoryReserved, float64(m.Reserved))
			return ret
		}
	}
	if (ret == nvml.ERROR_FUNCTION_NOT_FOUND || ret == nvml.ERROR_ARGUMENT_VERSION_MISMATCH) && d.lib.has("nvmlDeviceGetMemoryInfo") {
		var m nvml.Memory
		if m, ret = d.handle.GetMemoryInfo(); ret == nvml.SUCCESS {
			a.put(live.MemoryUsed, float64(m.Used))
			a.put(live.MemoryTotal, float64(m.Total))
		}
	}
	d.id.Unified = ret == nvml.ERROR_NOT_SUPPORTED && d.id.Kind == live.Physical
	return ret
}

// readTemperature asks the older function, which more drivers have, while there is
// one: nvml.h says that it will go.
func readTemperature(d *device, _ time.Time, a *answer) nvml.Return {
	if d.lib.has("nvmlDeviceGetTemperature") {
		celsius, ret := d.handle.GetTemperature(nvml.TEMPERATURE_GPU)
		if ret == nvml.SUCCESS {
			a.put(live.Temperature, float64(celsius))
		}
		return ret
	}
	t, ret := d.handle.GetTemperatureV().V1()
	if ret == nvml.SUCCESS {
		a.put(live.Temperature, float64(t.Temperature))
	}
	return ret
}

func readPerformanceState(d *device, _ time.Time, a *answer) nvml.Return {
	p, ret := d.handle.GetPerformanceState()
	if ret == nvml.SUCCESS && p <= nvml.PSTATE_15 { // above: unknown
		a.put(live.PerformanceState, float64(p))
	}
	return ret
}

// throttles are the bits of reasons, from the lowest.
var throttles = []live.Throttle{
	live.ThrottleIdle, live.ThrottleApplicationClock, live.ThrottlePowerCap, live.ThrottleHardware, live.ThrottleSyncBoost,
	live.ThrottleThermal, live.ThrottleHardwareThermal, live.ThrottlePowerBrake, live.ThrottleDisplay,
}

func readThrottle(d *device, _ time.Time, _ *answer) nvml.Return {
	var bits uint64
	var ret nvml.Return
	if d.lib.has("nvmlDeviceGetCurrentClocksEventReasons") {
		bits, ret = d.handle.GetCurrentClocksEventReasons()
	} else {
		bits, ret = d.handle.GetCurrentClocksThrottleReasons()
	}
	d.throttle = nil
	if ret != nvml.SUCCESS {
		return ret
	}
	for i, t := range throttles {
		if bits&(1<<i) != 0 {
			d.throttle = append(d.throttle, t)
		}
	}
	return ret
}

func readRemappedRows(d *device, _ time.Time, a *answer) nvml.Return {
	_, uncorrectable, _, failure, ret := d.handle.GetRemappedRows()
	if ret != nvml.SUCCESS {
		return ret
	}
	a.put(live.RemappedRows, float64(uncorrectable))
	failures := 0.0
	if failure {
		failures = 1
	}
	a.put(live.RowRemapFailure, failures)
	return ret
}
