package live

import (
	"math"
	"strings"
)

// DCGM 4.6 renamed the field 203, whole percent, to DCGM_FI_DEV_GPU_UTIL_RATIO and
// kept its values; 4.7 gave that name to a new field 1613, a share, together with the
// other fields in base units (1600 to 1650), and gave 203 its old name back. See
// dcgmlib/dcgm_fields.h and dcgmlib/src/dcgm_fields.cpp of github.com/NVIDIA/DCGM.
//
// Values tell which it is, but for 1, which is either one percent or all of the time.
// Then what else the exporter publishes decides; where that says nothing, or both,
// the reading is absent.

// utilUnits is what the series of one exporter tell of the unit.
type utilUnits struct{ share, percent bool }

// exporterOf names the exporter that a series comes from.
func exporterOf(labels map[string]string) string {
	host, _ := hostOf(labels)
	return strings.Join([]string{labels["job"], labels["instance"], host}, "\x00")
}

// baseUnitName reports whether only DCGM 4.7 and later have a field of that name.
func baseUnitName(name string) bool {
	switch name {
	case "DCGM_FI_DEV_ENC_UTIL_RATIO", "DCGM_FI_DEV_DEC_UTIL_RATIO", "DCGM_FI_DEV_FAN_SPEED_RATIO", "DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL":
		return true
	}
	return strings.HasPrefix(name, "DCGM_FI_DEV_FB_") && strings.HasSuffix(name, "_BYTES") || strings.HasSuffix(name, "_CLOCK_HERTZ")
}

// learn takes note of the units that exporters publish, before their series are added.
func (f *fleet) learn(family *promFamily, series []promSeries) {
	for _, s := range series {
		name := s.labels["__name__"]
		ambiguous := family.metrics[name].ratio
		fraction := ambiguous && s.value > 0 && s.value != math.Trunc(s.value)
		percent := ambiguous && s.value > 1 && !fraction && !family.absent(s.value)
		if !fraction && !percent && !baseUnitName(name) {
			continue
		}
		key := exporterOf(s.labels)
		u := f.units[key]
		u.share = u.share || !percent
		u.percent = u.percent || percent
		f.units[key] = u
	}
}

// share is a value that may be percent as a share; false when it is not known.
func (f *fleet) share(s promSeries) (float64, bool) {
	switch u := f.units[exporterOf(s.labels)]; {
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
