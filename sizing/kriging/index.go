package kriging

import (
	"math"
	"slices"
	"sync"
)

// A term is an effect with the observations that it can reach, by the keys that
// must agree: a prediction looks at those that agree alone.
type term struct {
	*Effect
	groups map[string]*group
}

// A group are observations whose keys of an effect agree.
type group struct {
	members []int32
	alpha   float64 // sum of theirs

	once   sync.Once
	shares []float64 // see [Field.sharesOf]
}

// fewMembers is how many members a group has whose shares are not worth keeping.
const fewMembers = 16

// index arranges the observations by the keys of each effect.
func (f *Field) index() {
	var buffer []byte
	for i := range f.effects {
		t := term{&f.effects[i], map[string]*group{}}
		for j := range f.observed {
			key, ok := t.key(buffer[:0], &f.observed[j].Point)
			if !ok {
				continue
			}
			g := t.groups[string(key)]
			if g == nil {
				g = &group{}
				t.groups[string(key)] = g
			}
			g.members = append(g.members, int32(j))
			g.alpha += f.alpha[j]
			buffer = key
		}
		for _, g := range t.groups {
			g.members = slices.Clone(g.members) // as long as they are
		}
		f.terms = append(f.terms, t)
	}
}

// key joins the keys of a point that an effect looks at; false where one is empty.
func (e *Effect) key(buffer []byte, p *Point) ([]byte, bool) {
	for _, k := range e.Keys {
		if p.Keys[k] == "" {
			return buffer, false
		}
		buffer = append(append(buffer, p.Keys[k]...), 0xff) // which no text has
	}
	return buffer, true
}

// group finds the observations that an effect shares with a point; nil where there
// are none.
func (t *term) group(p *Point) *group {
	var space [256]byte
	key, ok := t.key(space[:0], p)
	if !ok {
		return nil
	}
	return t.groups[string(key)]
}

// likeness is the covariance of an effect between points whose keys agree.
func (e *Effect) likeness(a, b *Point) float64 {
	d := 0.0
	for i, axis := range e.Axes {
		x := (a.Coordinates[axis] - b.Coordinates[axis]) / e.Lengths[i]
		d += x * x
	}
	v := e.Deviation * e.Deviation
	switch {
	case d == 0:
		return v
	case d > 80: // less than 1e-17 of it
		return 0
	}
	return v * math.Exp(-d/2)
}

// reach is the covariance between a point and each observation, near, and K⁻¹ · near, shares.
// An effect without coordinates covers its group evenly, and what that gives is kept. They lie in
// room, of three numbers for each observation.
func (f *Field) reach(p *Point, room []float64) (near, shares []float64) {
	n := len(f.observed)
	clear(room)
	near, shares, uneven := room[:n:n], room[n:2*n:2*n], room[2*n:]
	for i := range f.terms {
		t := &f.terms[i]
		g := t.group(p)
		if g == nil {
			continue
		}
		if even := t.Deviation * t.Deviation; len(t.Axes) == 0 && len(g.members) > fewMembers {
			for _, j := range g.members {
				near[j] += even
			}
			addScaled(even, f.sharesOf(g), shares)
			continue
		}
		for _, j := range g.members {
			v := t.likeness(p, &f.observed[j].Point)
			near[j] += v
			uneven[j] += v
		}
	}
	f.inverse.addTimes(uneven, shares)
	return near, shares
}

// sharesOf is K⁻¹ · 1 over the members of a group, made once.
func (f *Field) sharesOf(g *group) []float64 {
	g.once.Do(func() {
		n := len(f.observed)
		ones := make([]float64, n)
		for _, i := range g.members {
			ones[i] = 1
		}
		g.shares = make([]float64, n)
		f.inverse.addTimes(ones, g.shares)
	})
	return g.shares
}

// Near reports whether the field at a point and at one of its observations correlate by more than a bound, 0 to 1.
func (f *Field) Near(p *Point, bound float64) bool {
	if len(f.observed) == 0 {
		return false
	}
	room := f.rooms.Get().(*[]float64)
	defer f.rooms.Put(room)
	near, most := (*room)[:len(f.observed)], bound*f.prior
	clear(near)
	for i := range f.terms {
		t := &f.terms[i]
		g := t.group(p)
		if g == nil {
			continue
		}
		for _, j := range g.members {
			if near[j] += t.likeness(p, &f.observed[j].Point); near[j] > most {
				return true
			}
		}
	}
	return false
}
