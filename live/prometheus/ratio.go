package prometheus

import (
	"math"
	"strings"
)

// The unit of DCGM_FI_DEV_GPU_UTIL_RATIO depends on the version of DCGM. In 4.6 it is the new name of field 203, in
// whole percent. In 4.7 it is a new field, 1613, a share, one of the fields in base units (1600 to 1650), and field 203
// has its old name. See dcgmlib/dcgm_fields.h and dcgmlib/src/dcgm_fields.cpp of github.com/NVIDIA/DCGM.
//
// The value determines the unit, except for 1, which is 1 % or 100 %. For that the other series of the scrape target
// decide. If they indicate no unit, or both, the reading is absent.

// utilUnits are the units that the series of a scrape target indicate.
type utilUnits struct{ share, percent bool }

// targetOf identifies the scrape target of a series.
func targetOf(labels map[string]string) string {
	host, _ := hostOf(labels)
	return strings.Join([]string{labels["job"], labels["instance"], host}, "\x00")
}

// isBaseUnit reports whether a field is one in base units, which DCGM has since 4.7.
func isBaseUnit(name string) bool {
	switch name {
	case "DCGM_FI_DEV_ENC_UTIL_RATIO", "DCGM_FI_DEV_DEC_UTIL_RATIO", "DCGM_FI_DEV_FAN_SPEED_RATIO",
		"DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL":
		return true
	}
	return strings.HasPrefix(name, "DCGM_FI_DEV_FB_") && strings.HasSuffix(name, "_BYTES") ||
		strings.HasSuffix(name, "_CLOCK_HERTZ")
}

// learn collects the units of scrape targets; it comes before add.
func (f *fleet) learn(e *exporter, all []series) {
	for _, s := range all {
		name := s.labels["__name__"]
		ambiguous := e.metrics[name].ratio
		fraction := ambiguous && s.value > 0 && s.value != math.Trunc(s.value)
		percent := ambiguous && s.value > 1 && !fraction && !e.absent(s.value)
		if !fraction && !percent && !isBaseUnit(name) {
			continue
		}
		key := targetOf(s.labels)
		u := f.units[key]
		u.share = u.share || !percent
		u.percent = u.percent || percent
		f.units[key] = u
	}
}

// share converts a value that may be in percent to a share; false when the unit is not known.
func (f *fleet) share(s series) (float64, bool) {
	switch u := f.units[targetOf(s.labels)]; {
	case s.value > 1:
		return s.value / 100, s.value <= 100
	case s.value != 1:
		return s.value, s.value >= 0
	case u.share == u.percent:
		return 0, false
	case u.percent:
		return 0.01, true
	}
	return 1, true
}
