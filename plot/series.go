package plot

import (
	"regexp"
	"strconv"

	"tianti/catalog"
)

// A family is a pattern of names from which the series of a card follows.
type family struct {
	vendor string
	name   *regexp.Regexp // what it captures goes to series
	series func(captured []string) (name string, rank int)
}

// families are tried in order.
var families = []family{
	{"NVIDIA", regexp.MustCompile(`^GeForce (?:(GTX|RTX|GT) )?(\d{3,4})\b.*?( Laptop)?$`), geForce},
	{"NVIDIA", regexp.MustCompile(`^Titan\b`), called("Titan", 90)},
	{"NVIDIA", regexp.MustCompile(`^Quadro\b`), called("Quadro", 300)},
	{"NVIDIA", regexp.MustCompile(`^RTX A\d{4}\b`), called("RTX A", 310)},
	{"NVIDIA", regexp.MustCompile(`^RTX \d{4} (?:SFF )?Ada\b`), called("RTX Ada", 320)},
	{"NVIDIA", regexp.MustCompile(`^RTX PRO \d{4} Blackwell\b`), called("RTX PRO Blackwell", 330)},
	{"AMD", regexp.MustCompile(`^Radeon (?:RX Vega|VII)\b`), called("Radeon Vega", 1007)},
	{"AMD", regexp.MustCompile(`^Radeon RX (\d)\d\d(\d?)(M?)\b`), radeon},
	{"AMD", regexp.MustCompile(`^Radeon (?:AI )?Pro\b`), called("Radeon Pro", 1300)},
	{"AMD", regexp.MustCompile(`^Instinct MI(\d)\d\d`), func(c []string) (string, int) {
		return "Instinct MI" + c[0] + "00", 1400 + number(c[0])
	}},
	{"AMD", regexp.MustCompile(`^Instinct\b`), called("Instinct", 1400)},
	{"Intel", regexp.MustCompile(`^Arc (?:Pro )?([A-Z])\d`), func(c []string) (string, int) {
		return "Arc " + c[0], 2000 + int(c[0][0])
	}},
	{"Apple", regexp.MustCompile(`^M(\d+)\b`), func(c []string) (string, int) {
		return "M" + c[0], 3000 + number(c[0])
	}},
}

// Series is the series under which a card is sold, "RTX 40", and its place among
// the series, the oldest of a vendor first. It follows from the name; cards whose
// names tell none belong to "".
func Series(c *catalog.Card) (name string, rank float64) {
	for _, f := range families {
		if f.vendor != c.Vendor {
			continue
		}
		if m := f.name.FindStringSubmatch(c.Name); m != nil {
			name, n := f.series(m[1:])
			return name, float64(n)
		}
	}
	return "", 0
}

func called(name string, rank int) func([]string) (string, int) {
	return func([]string) (string, int) { return name, rank }
}

// geForce names 980 "GTX 900", 1080 and 1030 "GTX 10", 4090 "RTX 40", and what was
// sold before the letters "GeForce 8". Laptops have series of their own.
func geForce(c []string) (string, int) {
	letters, digits := c[0], c[1]
	rank := number(digits) / 100
	series := digits[:len(digits)-2]
	switch {
	case letters == "" && len(digits) == 3: // GeForce 256
		return "", 0
	case letters == "":
		series, rank = "GeForce "+digits[:1], number(digits)/1000-100
	case len(digits) == 3:
		series = "GTX " + series + "00"
	case letters == "RTX":
		series = "RTX " + digits[:1] + "0"
		rank = rank / 10 * 10
	default:
		series = "GTX " + series
	}
	if laptop := c[2]; laptop != "" {
		return series + laptop, rank + 200
	}
	return series, rank
}

// radeon names 580 "RX 500", 7900 "RX 7000" and 6800M "RX 6000M".
func radeon(c []string) (string, int) {
	rank := 1000 + number(c[0])
	if c[1] == "" {
		return "Radeon RX " + c[0] + "00", rank - 100
	}
	return "Radeon RX " + c[0] + "000" + c[2], rank + 10 + 100*len(c[2])
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // it matched digits
	return n
}
