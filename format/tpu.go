package format

import (
	"regexp"
	"strconv"
)

// tpuName are slices of Google's TPUs, named after their number of cores or chips.
var tpuName = regexp.MustCompile(`^tpu-(v[2-9][a-z]*)-([0-9]{1,5})$`)

// coresOf are how many of what the name of a slice counts make a chip: of these generations Google counts the two cores
// of each, of all others the chips.
var coresOf = map[string]int{"v2": 2, "v3": 2, "v4": 2, "v5p": 2}

// tpuSlice takes "tpu-v4-8" apart: TPU v4, four chips. chips is 0 for any other name.
func tpuSlice(name string) (model string, chips int) {
	m := tpuName.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	n, err := strconv.Atoi(m[2])
	cores := max(1, coresOf[m[1]])
	if err != nil || n < cores || n%cores != 0 {
		return name, 0
	}
	return "TPU " + m[1], n / cores
}
