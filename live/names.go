package live

import (
	"regexp"
	"strings"
	"unicode"
)

// marks are what vendors put into names without meaning another product.
var marks = strings.NewReplacer("(r)", " ", "(tm)", " ", "(c)", " ", "®", " ", "™", " ")

// makers are words before the model that drivers of different age put there or not.
var makers = []string{"nvidia ", "tesla ", "grid "}

// profile is the end of the name of a virtual GPU: "-48Q", "-2-10C".
var profile = regexp.MustCompile(` \d+( \d+)?(q|c|a|b|bme|cme)$`)

// NormalName is the name of a device as names are compared: lower case, single
// spaces for dashes, underscores and spaces, without trade marks, the words NVIDIA,
// Tesla and GRID in front, and the profile of a slice behind: "Tesla V100-SXM2-32GB"
// is "v100 sxm2 32gb". To normalise twice changes nothing.
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
