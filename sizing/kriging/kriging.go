// Package kriging predicts a quantity at a point from observations at others,
// as the best linear unbiased predictor of a Gaussian random field (G. Matheron,
// "Principles of geostatistics", 1963; C. E. Rasmussen and C. K. I. Williams,
// "Gaussian Processes for Machine Learning", 2006, algorithm 2.1).
//
// The field is a sum of effects. Two points share an effect when the keys that it
// looks at agree, and share it less the farther their coordinates are apart. An
// effect that looks at one key and no coordinate is a random effect of a mixed
// model.
package kriging

import (
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// An Effect is one term of the field.
type Effect struct {
	Name      string
	Keys      []int     // indices of keys that must agree; an empty key agrees with none
	Axes      []int     // indices of coordinates
	Lengths   []float64 // of each of Axes: the distance at which correlation falls to exp(−½)
	Deviation float64   // standard deviation
}

// A Point is where the field is looked at. Points of one field have as many keys
// and coordinates as each other.
type Point struct {
	Keys        []string
	Coordinates []float64
}

// An Observation is the value of the field at a point, with an error.
type Observation struct {
	Point
	Value float64
	Noise float64 // standard deviation of the error
}

// covariance of the effect between two points.
func (e *Effect) covariance(a, b *Point) float64 {
	for _, k := range e.Keys {
		if a.Keys[k] == "" || a.Keys[k] != b.Keys[k] {
			return 0
		}
	}
	d := 0.0
	for i, axis := range e.Axes {
		x := (a.Coordinates[axis] - b.Coordinates[axis]) / e.Lengths[i]
		d += x * x
	}
	v := e.Deviation * e.Deviation
	if d == 0 {
		return v
	}
	return v * math.Exp(-d/2)
}

// Covariance of the field between two points.
func Covariance(effects []Effect, a, b *Point) float64 {
	sum := 0.0
	for i := range effects {
		sum += effects[i].covariance(a, b)
	}
	return sum
}

// A Field is a random field that was observed. It is safe for concurrent use.
type Field struct {
	effects  []Effect
	observed []Observation
	prior    float64   // variance where nothing is near
	inverse  packed    // of the covariance of the observations
	alpha    []float64 // inverse · values
	density  float64   // log likelihood of the values
	terms    []term    // effects, with the observations that they reach
	rooms    sync.Pool // for predictions
}

// New conditions a field of mean zero on observations. It fails when two
// observations contradict each other without an error to explain it.
func New(effects []Effect, observed []Observation) (*Field, error) {
	f := &Field{effects: effects, observed: observed}
	for i := range effects {
		f.prior += effects[i].Deviation * effects[i].Deviation
	}
	n := len(observed)
	if n == 0 {
		return f, nil
	}
	k := mat.NewSymDense(n, nil)
	y := mat.NewVecDense(n, nil)
	for i := range observed {
		y.SetVec(i, observed[i].Value)
		for j := range i {
			k.SetSym(i, j, Covariance(effects, &observed[i].Point, &observed[j].Point))
		}
		k.SetSym(i, i, f.prior+observed[i].Noise*observed[i].Noise)
	}
	var c mat.Cholesky
	if !c.Factorize(k) {
		return nil, errors.New("kriging: the covariance of the observations is not positive definite")
	}
	var alpha mat.VecDense
	if err := c.SolveVecTo(&alpha, y); err != nil {
		return nil, err
	}
	f.alpha = alpha.RawVector().Data
	if err := c.InverseTo(k); err != nil {
		return nil, err
	}
	f.inverse = pack(k)
	f.index()
	f.rooms.New = func() any {
		room := make([]float64, 3*n)
		return &room
	}
	f.density = -0.5*mat.Dot(y, &alpha) - 0.5*c.LogDet() - 0.5*float64(n)*math.Log(2*math.Pi)
	return f, nil
}

// LogLikelihood is that of the observations under the field; larger is better.
func (f *Field) LogLikelihood() float64 { return f.density }

// Mean is the expected value at a point. It takes time for the observations alone
// that share an effect with coordinates with it.
func (f *Field) Mean(p *Point) float64 {
	sum := 0.0
	for i := range f.terms {
		t := &f.terms[i]
		g := t.group(p)
		switch {
		case g == nil:
		case len(t.Axes) == 0:
			sum += t.Deviation * t.Deviation * g.alpha
		default:
			sum += f.sum(t, g, p)
		}
	}
	return sum
}

// A Prediction is a value of the field with its uncertainty.
type Prediction struct {
	Mean, Deviation float64
	Weights         []Weight // of observations, the largest first
}

// A Weight is the share of an observation in a prediction.
type Weight struct {
	Observation int
	Share       float64 // the derivative of the mean by the observed value
	Correlation float64 // between the point and where it was observed
}

// Predict is the expected value at a point with its deviation and the most
// observations that carry it: O(observations²).
func (f *Field) Predict(p *Point, most int) Prediction { return f.PredictWithout(p, most, nil) }

// PredictWithout is Predict as if the observations in without had not been made.
func (f *Field) PredictWithout(p *Point, most int, without []int) Prediction {
	n := len(f.observed)
	if n == 0 {
		return Prediction{Deviation: math.Sqrt(f.prior)}
	}
	room := f.rooms.Get().(*[]float64)
	defer f.rooms.Put(room)
	near, shares := f.reach(p, *room)
	f.leave(shares, without)
	out := Prediction{}
	variance := f.prior
	for i, w := range shares {
		out.Mean += w * f.observed[i].Value
		variance -= w * near[i]
	}
	out.Deviation = math.Sqrt(max(0, variance))
	out.Weights = f.heaviest(shares, near, most)
	return out
}

// leave makes shares those without some observations G: w − K⁻¹[:,G] · (K⁻¹[G,G])⁻¹ · w[G],
// which is 0 in G.
func (f *Field) leave(shares []float64, without []int) {
	g := len(without)
	if g == 0 {
		return
	}
	block, rest := mat.NewSymDense(g, nil), mat.NewVecDense(g, nil)
	for i, a := range without {
		rest.SetVec(i, shares[a])
		for j, b := range without[:i+1] {
			block.SetSym(i, j, f.inverse.at(a, b))
		}
	}
	var c mat.Cholesky
	var solved mat.VecDense
	if c.Factorize(block) && c.SolveVecTo(&solved, rest) == nil {
		for i := range shares {
			for j, b := range without {
				shares[i] -= f.inverse.at(i, b) * solved.AtVec(j)
			}
		}
	}
	for _, i := range without {
		shares[i] = 0
	}
}

// equal is what two shares are apart by that differ by rounding alone, as those of runs of one job do.
const equal = 1 + 1e-9

// heaviest are the most shares of which a thousandth is not less, the largest first and of
// equal ones the first.
func (f *Field) heaviest(shares, near []float64, most int) []Weight {
	if most == 0 {
		return nil
	}
	out := make([]Weight, 0, most+1)
	least := 1e-3
	for i, share := range shares {
		if math.Abs(share) <= least*equal {
			continue
		}
		at := len(out)
		for at > 0 && math.Abs(out[at-1].Share)*equal < math.Abs(share) {
			at--
		}
		out = slices.Insert(out, at, Weight{i, share, near[i] / f.prior})
		if len(out) > most {
			out = out[:most]
		}
		if len(out) == most {
			least = math.Abs(out[most-1].Share)
		}
	}
	return out
}

func taken(ws []Weight, i int) bool {
	for _, w := range ws {
		if w.Observation == i {
			return true
		}
	}
	return false
}
