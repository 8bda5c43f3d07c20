package sizing

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// inThousands are numbers with a comma, or a space of any width, between groups of three digits.
var inThousands = regexp.MustCompile(`^[0-9]{1,3}([,\x{0020}\x{2009}\x{202f}][0-9]{3})+(\.[0-9]+)?$`)

var errNoNumber = errors.New("no number")

// multipliers are what people write after a number.
var multipliers = []struct {
	suffix string
	factor float64
}{{"k", 1e3}, {"m", 1e6}, {"千", 1e3}, {"万", 1e4}, {"亿", 1e8}}

// contextFactors replace the multipliers of lengths of sequences, which are powers of two:
// "128k" tokens are 131,072.
var contextFactors = map[string]float64{"k": 1 << 10, "m": 1 << 20}

// readNumber reads a number as people write it: "20000", "20,000", "1.5e9", "20k", "2万", in
// wide digits as well. context says that it is the length of a sequence.
func readNumber(text string, context bool) (float64, error) {
	s := strings.ToLower(strings.TrimSpace(norm.NFKC.String(text)))
	factor := 1.0
	for _, m := range multipliers {
		if rest, ok := strings.CutSuffix(s, m.suffix); ok {
			s, factor = strings.TrimSpace(rest), m.factor
			if v, ok := contextFactors[m.suffix]; ok && context {
				factor = v
			}
			break
		}
	}
	if inThousands.MatchString(s) {
		s = strings.NewReplacer(",", "", " ", "", "\u2009", "", "\u202f", "").Replace(s)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNoNumber
	}
	return v * factor, nil
}
