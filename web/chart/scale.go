package chart

import (
	"errors"
	"math"
	"slices"

	"github.com/aclements/go-moremath/scale"
)

// A Kind is how a scale maps values to lengths.
type Kind uint8

// Kinds of scales.
const (
	LinearScale Kind = iota
	LogScale         // equal lengths are equal ratios
)

// Errors of NewAxis, which say what is wrong with the data of an axis.
var (
	errNoValues    = errors.New("there is no value to draw")
	errNotPositive = errors.New("a logarithmic axis takes only values greater than zero")
)

// A Scale maps values to places on an axis.
type Scale struct {
	Kind     Kind
	lo, hi   float64
	from, to float64
	q        scale.Quantitative
}

// NewAxis maps lo to from and hi to to; a range without extent gets some. The error
// is ErrNoValues or ErrNotPositive.
func NewAxis(kind Kind, lo, hi, from, to float64) (Scale, error) {
	if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return Scale{}, errNoValues
	}
	if kind == LogScale && lo <= 0 {
		return Scale{}, errNotPositive
	}
	if lo == hi {
		lo, hi = widened(kind, lo)
	}
	s := Scale{Kind: kind, lo: lo, hi: hi, from: from, to: to}
	if kind == LogScale {
		l, err := scale.NewLog(lo, hi, 10)
		if err != nil {
			return Scale{}, errNotPositive
		}
		s.q = &l
	} else {
		s.q = &scale.Linear{Min: lo, Max: hi}
	}
	return s, nil
}

func widened(kind Kind, v float64) (lo, hi float64) {
	switch {
	case kind == LogScale:
		return v / 2, v * 2
	case v == 0:
		return -1, 1
	}
	return v - math.Abs(v)/2, v + math.Abs(v)/2
}

// At is the place of a value, which may lie outside the range.
func (s Scale) At(v float64) float64 { return s.from + s.q.Map(v)*(s.to-s.from) }

// Ticks are at most so many round values within the range, ascending: of the form
// 1, 2, 5 times a power of ten, or the powers alone where there are enough of them.
func (s Scale) Ticks(most int) []float64 {
	if most < 1 {
		return nil
	}
	if s.Kind == LinearScale {
		return s.linear(most)
	}
	major, minor := s.q.Ticks(scale.TickOptions{Max: max(most, 2)})
	var steps []float64
	for _, v := range minor {
		if first := math.Round(v / math.Pow(10, math.Floor(math.Log10(v)+1e-9))); first == 1 ||
			first == 2 || first == 5 {
			steps = append(steps, clean(v))
		}
	}
	switch {
	case len(steps) >= 3 && len(steps) <= most:
		return steps
	case len(major) >= 2 && len(major) <= most:
		return cleaned(major)
	case len(major) > most:
		return every(cleaned(major), most)
	case len(steps) > most:
		return every(steps, most)
	}
	return s.linear(most) // less than a decade: round values as on a linear axis
}

// yearSteps are the distances of years in calendars, in months.
var yearSteps = []float64{1, 3, 6, 12, 24, 60, 120, 240, 600, 1200}

// Years are at most so many ticks on a linear axis of years: beginnings of years, or
// of months where the axis is short.
func (s Scale) Years(most int) []float64 {
	for _, step := range yearSteps {
		first, last := math.Ceil(s.lo*12/step-1e-6), math.Floor(s.hi*12/step+1e-6)
		if n := last - first + 1; n > float64(most) {
			continue
		} else if n < 1 {
			break
		}
		var out []float64
		for i := first; i <= last; i++ {
			out = append(out, i*step/12)
		}
		return out
	}
	return s.Ticks(most)
}

func (s Scale) linear(most int) []float64 {
	l := scale.Linear{Min: s.lo, Max: s.hi}
	ticks, finer := l.Ticks(scale.TickOptions{Max: most})
	if twos := everySecond(finer); len(twos) > len(ticks) && len(twos) <= most {
		ticks = twos
	}
	return slices.DeleteFunc(cleaned(ticks), func(v float64) bool { return s.Kind == LogScale && v <= 0 })
}

// everySecond takes the even multiples of the distance between values: the library
// knows steps of 1 and 5, and people count by 2 as well.
func everySecond(values []float64) []float64 {
	if len(values) < 2 {
		return nil
	}
	step := values[1] - values[0]
	var out []float64
	for _, v := range values {
		if n := math.Round(v / step); math.Mod(n, 2) == 0 {
			out = append(out, v)
		}
	}
	return out
}

// every takes each n-th value, so that at most so many are left.
func every(values []float64, most int) []float64 {
	step := (len(values) + most - 1) / most
	var out []float64
	for i := 0; i < len(values); i += step {
		out = append(out, values[i])
	}
	return out
}

func cleaned(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = clean(v)
	}
	return out
}

// clean takes the noise of binary fractions off a round number.
func clean(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 9-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
