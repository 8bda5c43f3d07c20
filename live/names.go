package live

import (
	"regexp"
	"strings"
	"unicode"

	"tianti/catalog"
)

// marks are trademark signs.
var marks = strings.NewReplacer("(r)", " ", "(tm)", " ", "(c)", " ", "®", " ", "™", " ")

// makers are prefixes that only some versions of the drivers use.
var makers = []string{"nvidia ", "tesla ", "grid "}

// profile matches the profile of a virtual GPU at the end of its name: "-48Q", "-2-10C".
var profile = regexp.MustCompile(` \d+( \d+)?(q|c|a|b|bme|cme)$`)

// NormalName normalizes the name of a device for comparison: lower case, single spaces instead of dashes, underscores
// and spaces, without trademarks, without the prefixes NVIDIA, Tesla and GRID, without the profile of a slice.
// "Tesla V100-SXM2-32GB" is "v100 sxm2 32gb". The function is idempotent.
func NormalName(name string) string {
	name = marks.Replace(strings.ToLower(name))
	name = strings.Join(strings.FieldsFunc(name, separates), " ")
	name, _, _ = strings.Cut(name, " mig ")
	name = strings.TrimSuffix(name, " mig")
	for again := true; again; {
		again = false
		for _, maker := range makers {
			if rest, ok := strings.CutPrefix(name, maker); ok {
				name, again = rest, true
			}
		}
	}
	return name
}

func separates(r rune) bool {
	return r == '-' || r == '_' || unicode.IsSpace(r) || unicode.IsControl(r)
}

// wholeName is the normal name of the card that a device is, or is a part of.
func wholeName(d *Device) string {
	name := NormalName(d.Name)
	if d.Kind == Virtual {
		name = profile.ReplaceAllString(name, "")
	}
	return name
}

// slice matches what the names of MIG devices end with: "MIG 1g.5gb", "MIG 1g.10gb+me".
var slice = regexp.MustCompile(`(?i)\s+mig\s+(\d+g\.\d+gb(?:\+\S+)?)$`)

// vGPU matches what the names of virtual GPUs end with: "-20C", "-2-10C".
var vGPU = regexp.MustCompile(`(?i)-(\d+(?:-\d+)?(?:q|c|a|b|bme|cme))$`)

// WholeOf returns the cards that a device by that name is a part of, and which part: a MIG slice or a virtual GPU; none
// for another name.
func WholeOf(s *catalog.Snapshot, name string) (rows []int, part string) {
	for _, end := range []*regexp.Regexp{slice, vGPU} {
		if m := end.FindStringSubmatchIndex(name); m != nil {
			if rows := nameRows(s, NormalName(name[:m[0]])); len(rows) > 0 {
				return rows, name[m[2]:m[3]]
			}
		}
	}
	return nil, ""
}
