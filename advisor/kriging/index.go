package kriging

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A term is an effect with the observations that share its keys.
type term struct {
	Effect
	groups map[string]*members // by the keys
	one    *members            // of an effect without keys
}

// Members share the keys of an effect with each other.
type members struct {
	members []int
	alpha   float64 // sum of their weights
}

// index groups the observations by the keys of each effect.
func (f *Field) index() {
	f.terms = make([]term, len(f.effects))
	for i := range f.effects {
		t := &f.terms[i]
		t.Effect, t.groups = f.effects[i], map[string]*members{}
		for j := range f.observed {
			var room [128]byte
			key, ok := t.key(&f.observed[j].Point, room[:0])
			if !ok {
				continue
			}
			g := t.groups[string(key)]
			if g == nil {
				g = &members{}
				t.groups[string(key)] = g
			}
			g.members = append(g.members, j)
			g.alpha += f.alpha[j]
		}
		if len(t.Keys) == 0 {
			t.one = t.groups[""]
		}
	}
}

// key joins the keys of a point that the effect looks at; false where one is empty.
func (t *term) key(p *Point, into []byte) ([]byte, bool) {
	for _, k := range t.Keys {
		if p.Keys[k] == "" {
			return nil, false
		}
		into = append(append(into, p.Keys[k]...), 0)
	}
	return into, true
}

// group are the observations that share the effect's keys with a point; nil where
// there are none.
func (t *term) group(p *Point) *members {
	if t.one != nil {
		return t.one
	}
	var room [128]byte
	key, ok := t.key(p, room[:0])
	if !ok {
		return nil
	}
	return t.groups[string(key)]
}

// likeness is the covariance of two points that share the effect's keys.
func (t *term) likeness(a, b *Point) float64 {
	d := 0.0
	for i, axis := range t.Axes {
		x := (a.Coordinates[axis] - b.Coordinates[axis]) / t.Lengths[i]
		d += x * x
	}
	if d > 80 { // less than 1e-17 of the variance
		return 0
	}
	return t.Deviation * t.Deviation * math.Exp(-d/2)
}

// near are the covariances of a point with all observations.
func (f *Field) near(p *Point) []float64 {
	out := make([]float64, len(f.observed))
	for i := range f.terms {
		t := &f.terms[i]
		g := t.group(p)
		if g == nil {
			continue
		}
		for _, j := range g.members {
			out[j] += t.likeness(p, &f.observed[j].Point)
		}
	}
	return out
}

// shares are the inverse times the covariances with a point.
func (f *Field) shares(near []float64) []float64 {
	n := len(near)
	out := make([]float64, n)
	raw := f.inverse.RawSymmetric()
	for i, c := range near {
		if c == 0 {
			continue
		}
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+n] {
			out[j] += c * v
		}
	}
	return out
}

// symmetric fills in the lower triangle, so that rows are whole.
func symmetric(m *mat.SymDense) {
	raw := m.RawSymmetric()
	for i := range raw.N {
		for j := range i {
			raw.Data[i*raw.Stride+j] = raw.Data[j*raw.Stride+i]
		}
	}
}
