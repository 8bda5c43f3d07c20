package kriging

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// LeaveOut predicts the observations of a group from all others, as
// [Field.PredictWithout] does at each of them. It factorises the group's block of
// the inverse once: with B that block and α the weights of the values, the means
// are y − B⁻¹·α and the covariance of the observations is B⁻¹ (C. E. Rasmussen and
// C. K. I. Williams, section 5.4.2, for groups of one).
func (f *Field) LeaveOut(group []int, most int) []Prediction {
	g := len(group)
	out := make([]Prediction, g)
	if g == 0 {
		return out
	}
	block, alpha := mat.NewSymDense(g, nil), mat.NewVecDense(g, nil)
	for i, a := range group {
		alpha.SetVec(i, f.alpha[a])
		for j, b := range group[:i+1] {
			block.SetSym(i, j, f.inverse.at(a, b))
		}
	}
	var c mat.Cholesky
	var shift mat.VecDense
	covariance := mat.NewSymDense(g, nil)
	if !c.Factorize(block) || c.SolveVecTo(&shift, alpha) != nil || c.InverseTo(covariance) != nil {
		for i, a := range group {
			out[i] = f.PredictWithout(&f.observed[a].Point, most, group)
		}
		return out
	}
	for i, a := range group {
		o := &f.observed[a]
		out[i].Mean = o.Value - shift.AtVec(i)
		out[i].Deviation = math.Sqrt(max(0, covariance.At(i, i)-o.Noise*o.Noise))
		out[i].Weights = f.sharesWithout(group, covariance, i, most)
	}
	return out
}

// sharesWithout are the heaviest shares of the others in the prediction of a
// group's observation: −B⁻¹·K⁻¹ between the group and the others.
func (f *Field) sharesWithout(group []int, covariance *mat.SymDense, i, most int) []Weight {
	n := len(f.observed)
	row := make([]float64, n)
	for k, b := range group {
		f.inverse.addRow(-covariance.At(i, k), b, row)
	}
	for _, b := range group {
		row[b] = 0
	}
	var out []Weight
	for range most {
		best, at := 1e-3, -1
		for j, v := range row {
			if v = math.Abs(v); v > best && !taken(out, j) {
				best, at = v, j
			}
		}
		if at < 0 {
			break
		}
		near := Covariance(f.effects, &f.observed[group[i]].Point, &f.observed[at].Point)
		out = append(out, Weight{at, row[at], near / f.prior})
	}
	return slices.Clip(out)
}
