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

	predictions map[string]Prediction
}

// Sweep begins one.
func (f *Field) Sweep() *Sweep {
	s := &Sweep{f, make([]map[string]float64, len(f.terms)), map[string]Prediction{}}
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

// Predict is [Field.Predict], always with the same most. What it returns is shared by the points
// that no effect tells apart, and must not be changed.
func (s *Sweep) Predict(p *Point, most int) Prediction {
	room := make([]byte, 0, 512)
	for i := range s.field.terms {
		t := &s.field.terms[i]
		begun := len(room)
		key, ok := t.key(room, p)
		if !ok || t.groups[string(key[begun:])] == nil {
			room = append(key[:begun], 0xfe) // which no text has either: nothing is shared
			continue
		}
		for _, axis := range t.Axes {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(p.Coordinates[axis]))
		}
		room = key
	}
	if g, ok := s.predictions[string(room)]; ok {
		return g
	}
	g := s.field.Predict(p, most)
	s.predictions[string(room)] = g
	return g
}

// sum is what an effect adds to the mean at a point.
func (f *Field) sum(t *term, g *group, p *Point) float64 {
	sum := 0.0
	for _, j := range g.members {
		sum += t.likeness(p, &f.observed[j].Point) * f.alpha[j]
	}
	return sum
}
