package live

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An smiColumn is a field of nvidia-smi --query-gpu.
type smiColumn struct {
	name string // canonical, "" for what is not read
	unit string // of the header
	read func(row *smiRow, cell string) error
}

// An smiRow is one line: one card at one moment.
type smiRow struct {
	line      int
	timestamp string
	driver    string
	serial    string
	hasIndex  bool
	device    Device
}

// key tells cards of one log apart; surely is whether it does.
func (r *smiRow) key() (key string, surely bool) {
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

// A column with numbers has one kind of unit, and nvidia-smi writes it behind the
// name, behind the number, behind both or, asked so, nowhere.
var smiNumbers = map[string]struct {
	metric Metric
	unit   string // where none is given
}{
	"utilization.gpu":         {GPUUtilization, "%"},
	"utilization.encoder":     {EncoderActive, "%"},
	"utilization.decoder":     {DecoderActive, "%"},
	"memory.total":            {MemoryTotal, "MiB"},
	"memory.used":             {MemoryUsed, "MiB"},
	"memory.free":             {fieldMemoryFree, "MiB"},
	"memory.reserved":         {MemoryReserved, "MiB"},
	"power.draw":              {Power, "W"},
	"power.draw.average":      {Power, "W"},
	"power.limit":             {PowerLimit, "W"},
	"enforced.power.limit":    {PowerLimit, "W"},
	"power.default_limit":     {PowerDefaultLimit, "W"},
	"temperature.gpu":         {Temperature, "C"},
	"temperature.memory":      {MemoryTemperature, "C"},
	"fan.speed":               {FanSpeed, "%"},
	"clocks.current.sm":       {SMClock, "MHz"},
	"clocks.current.memory":   {MemoryClock, "MHz"},
	"clocks.max.sm":           {fieldMaxSMClock, "MHz"},
	"clocks.max.memory":       {fieldMaxMemoryClock, "MHz"},
	"pcie.link.gen.current":   {PCIeGeneration, ""},
	"pcie.link.gen.max":       {PCIeMaxGeneration, ""},
	"pcie.link.width.current": {PCIeWidth, ""},
	"pcie.link.width.max":     {PCIeMaxWidth, ""},

	"ecc.errors.uncorrected.volatile.total": {ECCUncorrected, ""},
	"remapped_rows.uncorrectable":           {RemappedRows, ""},
}

// smiUnits are what units are of ours, by kind.
var smiUnits = map[string]struct {
	kind   string
	factor float64
}{
	"B": {"bytes", 1}, "KiB": {"bytes", 1 << 10}, "MiB": {"bytes", mib}, "GiB": {"bytes", 1 << 30},
	"%": {"share", 0.01}, "W": {"power", 1}, "mW": {"power", 1e-3}, "kW": {"power", 1e3},
	"MHz": {"clock", 1}, "GHz": {"clock", 1e3}, "C": {"temperature", 1}, "": {"", 1},
}

// smiAliases are other names that queries may have and some drivers print.
var smiAliases = map[string]string{
	"gpu_name": "name", "gpu_uuid": "uuid", "gpu_bus_id": "pci.bus_id", "gpu_serial": "serial",
	"clocks.sm": "clocks.current.sm", "clocks.mem": "clocks.current.memory",
	"pcie.link.gen.gpucurrent":       "pcie.link.gen.current",
	"clocks_throttle_reasons.active": "clocks_event_reasons.active",
}

// parseHeader is the columns that a line names; false when it is no header.
func parseHeader(cells []string) ([]smiColumn, bool) {
	var columns []smiColumn
	known := false
	for _, cell := range cells {
		name, unit, _ := strings.Cut(cell, " [")
		if !isFieldName(name) {
			return nil, false
		}
		if canonical, ok := smiAliases[name]; ok {
			name = canonical
		}
		c := smiColumn{name: name, unit: strings.TrimSuffix(unit, "]"), read: smiText[name]}
		if number, ok := smiNumbers[name]; ok {
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

// readNumber puts a cell into the readings.
func readNumber(c smiColumn, metric Metric, usual string) func(*smiRow, string) error {
	return func(row *smiRow, cell string) error {
		text, unit, spaced := strings.Cut(cell, " ")
		switch {
		case spaced:
		case c.unit != "":
			unit = c.unit
		default:
			unit = usual
		}
		is, ok := smiUnits[unit]
		if !ok || is.kind != smiUnits[usual].kind {
			return fmt.Errorf("%q has not the unit of %s", cell, c.name)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is no number", cell)
		}
		if _, ok := row.device.Readings[metric]; ok && (c.name == "power.limit" || c.name == "power.draw.average") {
			return nil // the other column says it better
		}
		row.device.Readings[metric] = Reading{Value: v * is.factor}
		return nil
	}
}

// smiText are the columns with something else than a number.
var smiText = map[string]func(row *smiRow, cell string) error{
	"timestamp":      func(r *smiRow, s string) error { r.timestamp = s; return nil },
	"driver_version": func(r *smiRow, s string) error { r.driver = s; return nil },
	"serial":         func(r *smiRow, s string) error { r.serial = s; return nil },
	"name":           func(r *smiRow, s string) error { r.device.Name = s; return nil },
	"uuid":           func(r *smiRow, s string) error { r.device.UUID = nvidiaUUID(s); return nil },
	"pci.bus_id":     func(r *smiRow, s string) error { r.device.Bus = busID(s); return nil },
	"compute_cap":    func(r *smiRow, s string) error { r.device.ComputeCapability = s; return nil },
	"pci.device_id":  func(r *smiRow, s string) error { r.device.PCI = parsePCIID(s); return nil },
	"pci.sub_device_id": func(r *smiRow, s string) error {
		r.device.Subsystem = parsePCIID(s)
		return nil
	},
	"mig.mode.current": func(r *smiRow, s string) error { r.device.MIG = s == "Enabled"; return nil },
	"index": func(r *smiRow, s string) error {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is no index", s)
		}
		r.device.Index, r.hasIndex = int(n), true
		return nil
	},
	"pstate": func(r *smiRow, s string) error {
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "P"), 10, 8)
		if err != nil {
			return fmt.Errorf("%q is no performance state", s)
		}
		r.device.Readings[PerformanceState] = Reading{Value: float64(n)}
		return nil
	},
	"clocks_event_reasons.active": func(r *smiRow, s string) error {
		bits, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return fmt.Errorf("%q are no reasons", s)
		}
		r.device.Throttle = clockReasons(bits)
		return nil
	},
	"remapped_rows.failure": func(r *smiRow, s string) error {
		v := 0.0
		if s == "Yes" || s == "1" {
			v = 1
		}
		r.device.Readings[RowRemapFailure] = Reading{Value: v}
		return nil
	},
}

// readCell puts a cell where it belongs. What the driver does not tell is absent.
func (c smiColumn) readCell(row *smiRow, cell string) error {
	if c.read == nil {
		return nil
	}
	if word, none := noValue(cell); none {
		c.note(row, word)
		return nil
	}
	if err := c.read(row, cell); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// note keeps what the driver says instead of a value, where it says a reason.
func (c smiColumn) note(row *smiRow, word string) {
	switch d := &row.device; word {
	case "insufficient permissions", "no permission":
		if number, ok := smiNumbers[c.name]; ok && number.metric != fieldMemoryFree {
			d.Hidden = append(d.Hidden, number.metric)
		}
	case "gpu requires reset":
		d.Problem = "reset-required"
	case "gpu is lost":
		d.Problem = "lost"
	}
}

// noValue tells the words that stand for none: "[N/A]", "[Not Supported]", …
func noValue(cell string) (word string, none bool) {
	word = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(cell, "["), "]"))
	switch word {
	case "", "n/a", "not supported", "unknown error", "unknown", "err!", "not found", "not available",
		"insufficient permissions", "no permission", "gpu requires reset", "gpu is lost":
		return word, true
	}
	return word, strings.HasPrefix(cell, "[") && strings.HasSuffix(cell, "]")
}
