package kriging

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPackedIsTheWholeMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 40} {
		m := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				m.SetSym(i, j, r.NormFloat64())
			}
		}
		p := pack(m)
		for range 20 {
			v := make([]float64, n) // some are 0, at both ends too
			for i := range v {
				if r.IntN(3) == 0 {
					v[i] = r.NormFloat64()
				}
			}
			got, want := make([]float64, n), mat.NewVecDense(n, nil)
			p.addTimes(v, got)
			want.MulVec(m, mat.NewVecDense(n, v))
			rows := make([]float64, n)
			for i, x := range v {
				p.addRow(x, i, rows)
			}
			for i := range n {
				if w := want.AtVec(i); math.Abs(got[i]-w) > 1e-12 || math.Abs(rows[i]-w) > 1e-12 {
					t.Fatalf("%d of %d: got %g and by rows %g, want %g", i, n, got[i], rows[i], w)
				}
			}
		}
		for i := range n {
			for j := range n {
				if p.at(i, j) != m.At(i, j) {
					t.Fatalf("(%d, %d): got %g, want %g", i, j, p.at(i, j), m.At(i, j))
				}
			}
		}
	}
}
