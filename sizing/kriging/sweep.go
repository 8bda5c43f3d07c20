package kriging

import (
	"encoding/binary"
	"math"
)

// A Sweep looks at many points of a field that have much in common, and computes
// what an effect adds to the mean once for the points that it cannot tell apart. It
// is for one goroutine.
type Sweep struct {
	field *Field
	known []map[string]float64 // of each effect with coordinates
}

// Sweep begins one.
func (f *Field) Sweep() *Sweep {
	s := &Sweep{f, make([]map[string]float64, len(f.terms))}
	for i := range s.known {
		s.known[i] = map[string]float64{}
	}
	return s
}

// Mean is the expected value at a point; see [Field.Mean].
func (s *Sweep) Mean(p *Point) float64 {
	sum := 0.0
	for i := range s.field.terms {
		t := &s.field.terms[i]
		if len(t.Axes) == 0 {
			if g := t.group(p); g != nil {
				sum += t.Deviation * t.Deviation * g.alpha
			}
			continue
		}
		var room [256]byte
		key, ok := t.key(room[:0], p)
		if !ok {
			continue
		}
		g := t.groups[string(key)]
		if g == nil {
			continue
		}
		for _, axis := range t.Axes {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(p.Coordinates[axis]))
		}
		v, ok := s.known[i][string(key)]
		if !ok {
			v = s.field.sum(t, g, p)
			s.known[i][string(key)] = v
		}
		sum += v
	}
	return sum
}

// sum is what an effect adds to the mean at a point.
func (f *Field) sum(t *term, g *group, p *Point) float64 {
	sum := 0.0
	for _, j := range g.members {
		sum += t.likeness(p, &f.observed[j].Point) * f.alpha[j]
	}
	return sum
}
