package nvidiasmi

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tianti/live"
	"tianti/live/internal/normalize"
)

const mib = 1 << 20

// A column is a field of nvidia-smi --query-gpu.
type column struct {
	name string                               // canonical
	unit string                               // of the header
	read func(row *csvRow, cell string) error // nil for an unknown field
}

// A csvRow is one line: one card at one moment.
type csvRow struct {
	line      int
	timestamp string
	driver    string
	serial    string
	hasIndex  bool
	device    live.Device
}

// key identifies the card in a log; unique is false for a name, which several cards may have.
func (r *csvRow) key() (key string, unique bool) {
	switch d := &r.device; {
	case d.UUID != "":
		return d.UUID, true
	case d.Bus != "":
		return "bus " + d.Bus, true
	case r.hasIndex:
		return "#" + strconv.Itoa(d.Index), true
	case r.serial != "":
		return "serial " + r.serial, true
	default:
		return "name " + d.Name, false
	}
}

// numberColumns are the fields with numbers. nvidia-smi prints the unit after the name of the column, after the number,
// after both or, with the option nounits, not at all.
var numberColumns = map[string]struct {
	metric live.Metric
	unit   string // where none is given
}{
	"utilization.gpu":         {live.GPUUtilization, "%"},
	"utilization.encoder":     {live.EncoderActive, "%"},
	"utilization.decoder":     {live.DecoderActive, "%"},
	"memory.total":            {live.MemoryTotal, "MiB"},
	"memory.used":             {live.MemoryUsed, "MiB"},
	"memory.free":             {normalize.MemoryFree, "MiB"},
	"memory.reserved":         {live.MemoryReserved, "MiB"},
	"power.draw":              {live.Power, "W"},
	"power.draw.average":      {live.Power, "W"},
	"power.limit":             {live.PowerLimit, "W"},
	"enforced.power.limit":    {live.PowerLimit, "W"},
	"power.default_limit":     {live.PowerDefaultLimit, "W"},
	"temperature.gpu":         {live.Temperature, "C"},
	"temperature.memory":      {live.MemoryTemperature, "C"},
	"fan.speed":               {live.FanSpeed, "%"},
	"clocks.current.sm":       {live.SMClock, "MHz"},
	"clocks.current.memory":   {live.MemoryClock, "MHz"},
	"clocks.max.sm":           {normalize.MaxSMClock, "MHz"},
	"clocks.max.memory":       {normalize.MaxMemoryClock, "MHz"},
	"pcie.link.gen.current":   {live.PCIeGeneration, ""},
	"pcie.link.gen.max":       {live.PCIeMaxGeneration, ""},
	"pcie.link.width.current": {live.PCIeWidth, ""},
	"pcie.link.width.max":     {live.PCIeMaxWidth, ""},

	"ecc.errors.uncorrected.volatile.total": {live.ECCUncorrected, ""},
	"remapped_rows.uncorrectable":           {live.RemappedRows, ""},
}

// units has the kind of each unit, and the factor to ours. Units of one kind can be converted.
var units = map[string]struct {
	kind   string
	factor float64
}{
	"B": {"bytes", 1}, "KiB": {"bytes", 1 << 10}, "MiB": {"bytes", mib}, "GiB": {"bytes", 1 << 30},
	"%": {"share", 0.01}, "W": {"power", 1}, "mW": {"power", 1e-3}, "kW": {"power", 1e3},
	"MHz": {"clock", 1}, "GHz": {"clock", 1e3}, "C": {"temperature", 1}, "": {"", 1},
}

// aliases are other names of fields, of queries and of older drivers.
var aliases = map[string]string{
	"gpu_name": "name", "gpu_uuid": "uuid", "gpu_bus_id": "pci.bus_id", "gpu_serial": "serial",
	"clocks.sm": "clocks.current.sm", "clocks.mem": "clocks.current.memory",
	"pcie.link.gen.gpucurrent":       "pcie.link.gen.current",
	"clocks_throttle_reasons.active": "clocks_event_reasons.active",
}

// parseHeader parses the names of the columns; false when the line is no header.
func parseHeader(cells []string) ([]column, bool) {
	var columns []column
	known := false
	for _, cell := range cells {
		name, unit, _ := strings.Cut(cell, " [")
		if !isFieldName(name) {
			return nil, false
		}
		if canonical, ok := aliases[name]; ok {
			name = canonical
		}
		c := column{name: name, unit: strings.TrimSuffix(unit, "]"), read: textColumns[name]}
		if number, ok := numberColumns[name]; ok {
			c.read = readNumber(c, number.metric, number.unit)
		}
		known = known || c.read != nil
		columns = append(columns, c)
	}
	return columns, known
}

func isFieldName(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._") == ""
}

// readNumber makes a reading of a cell.
func readNumber(c column, metric live.Metric, usual string) func(*csvRow, string) error {
	return func(row *csvRow, cell string) error {
		text, unit, spaced := strings.Cut(cell, " ")
		switch {
		case spaced:
		case c.unit != "":
			unit = c.unit
		default:
			unit = usual
		}
		is, ok := units[unit]
		if !ok || is.kind != units[usual].kind {
			return fmt.Errorf("%q has not the unit of %s", cell, c.name)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is no number", cell)
		}
		if _, ok := row.device.Readings[metric]; ok && (c.name == "power.limit" || c.name == "power.draw.average") {
			return nil // the other column is more precise
		}
		row.device.Readings[metric] = live.Reading{Value: v * is.factor}
		return nil
	}
}

// textColumns are the fields without a number and a unit.
var textColumns = map[string]func(row *csvRow, cell string) error{
	"timestamp":      func(r *csvRow, s string) error { r.timestamp = s; return nil },
	"driver_version": func(r *csvRow, s string) error { r.driver = s; return nil },
	"serial":         func(r *csvRow, s string) error { r.serial = s; return nil },
	"name":           func(r *csvRow, s string) error { r.device.Name = s; return nil },
	"uuid":           func(r *csvRow, s string) error { r.device.UUID = normalize.NVIDIAUUID(s); return nil },
	"pci.bus_id":     func(r *csvRow, s string) error { r.device.Bus = normalize.Bus(s); return nil },
	"compute_cap":    func(r *csvRow, s string) error { r.device.ComputeCapability = s; return nil },
	"pci.device_id":  func(r *csvRow, s string) error { r.device.PCI = normalize.PCIID(s); return nil },
	"pci.sub_device_id": func(r *csvRow, s string) error {
		r.device.Subsystem = normalize.PCIID(s)
		return nil
	},
	"mig.mode.current": func(r *csvRow, s string) error { r.device.MIG = s == "Enabled"; return nil },
	"index": func(r *csvRow, s string) error {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is no index", s)
		}
		r.device.Index, r.hasIndex = int(n), true
		return nil
	},
	"pstate": func(r *csvRow, s string) error {
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "P"), 10, 8)
		if err != nil {
			return fmt.Errorf("%q is no performance state", s)
		}
		r.device.Readings[live.PerformanceState] = live.Reading{Value: float64(n)}
		return nil
	},
	"clocks_event_reasons.active": func(r *csvRow, s string) error {
		bits, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return fmt.Errorf("%q are no reasons", s)
		}
		r.device.Throttle = normalize.ThrottleReasons(bits)
		return nil
	},
	"remapped_rows.failure": func(r *csvRow, s string) error {
		v := 0.0
		if s == "Yes" || s == "1" {
			v = 1
		}
		r.device.Readings[live.RowRemapFailure] = live.Reading{Value: v}
		return nil
	},
}

// readCell parses a cell into the row. A value that the driver does not report is absent.
func (c column) readCell(row *csvRow, cell string) error {
	if c.read == nil {
		return nil
	}
	if word, missing := placeholder(cell); missing {
		c.note(row, word)
		return nil
	}
	if err := c.read(row, cell); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// note records the reason for a missing value.
func (c column) note(row *csvRow, word string) {
	switch d := &row.device; word {
	case "insufficient permissions", "no permission":
		if number, ok := numberColumns[c.name]; ok && number.metric != normalize.MemoryFree {
			d.Hidden = append(d.Hidden, number.metric)
		}
	case "gpu requires reset":
		d.Problem = "reset-required"
	case "gpu is lost":
		d.Problem = "lost"
	}
}

// placeholder reports whether a cell stands for a missing value: "[N/A]", "[Not Supported]", …
func placeholder(cell string) (word string, missing bool) {
	word = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(cell, "["), "]"))
	switch word {
	case "", "n/a", "not supported", "unknown error", "unknown", "err!", "not found", "not available",
		"insufficient permissions", "no permission", "gpu requires reset", "gpu is lost":
		return word, true
	}
	return word, strings.HasPrefix(cell, "[") && strings.HasSuffix(cell, "]")
}
