package catalog

import "strings"

// hanDigits and hanUnits are those of numbers in Chinese characters: "两万", "一万二", "三千五百".
const hanDigits = "零一二三四五六七八九"

var hanUnits = map[rune]float64{'十': 10, '百': 100, '千': 1e3, '万': 1e4, '亿': 1e8}

// hanNumber reads a number in Chinese characters. A last digit without a unit is of the unit below the last one, as
// people say it: "一万二" is 12,000, but "一万零二" is 10,002.
func hanNumber(s string) (v float64, ok bool) {
	s = strings.NewReplacer("两", "二", "〇", "零").Replace(s)
	var section, digit, unit, large float64 // large: the last of 万 and 亿
	below := true                           // a last digit is of the unit below
	stands := false                         // a digit stands before what comes
	for _, r := range s {
		if i := strings.IndexRune(hanDigits, r); i >= 0 {
			if stands {
				return 0, false
			}
			if digit = float64(i / len("零")); digit == 0 {
				below = false
			} else {
				stands = true
			}
			continue
		}
		u, known := hanUnits[r]
		switch {
		case !known:
			return 0, false
		case u >= 1e4: // of all that stands before it
			if section += digit; section == 0 || v > 0 && u >= large {
				return 0, false
			}
			v, section, large = v+section*u, 0, u
		case section > 0 && u >= unit, !stands && u > 10: // "十" alone is ten
			return 0, false
		default:
			if !stands {
				digit = 1
			}
			section += digit * u
		}
		digit, unit, below, stands = 0, u, true, false
	}
	if stands && below && unit > 10 {
		digit *= unit / 10
	}
	v += section + digit
	return v, v > 0
}
