package kriging

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// packed is a symmetric matrix, of which one half is kept: row i has i+1 numbers, of columns 0 to i.
type packed struct {
	n    int
	data []float64
}

// pack keeps a symmetric matrix.
func pack(m *mat.SymDense) packed {
	n := m.SymmetricDim()
	p := packed{n, make([]float64, n*(n+1)/2)}
	for i := range n {
		row := p.row(i)
		for j := range row {
			row[j] = m.At(i, j)
		}
	}
	return p
}

// row is the part of a row up to the diagonal.
func (p *packed) row(i int) []float64 {
	begin := i * (i + 1) / 2
	return p.data[begin : begin+i+1]
}

func (p *packed) at(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	return p.row(i)[j]
}

// addRow adds factor · row i to y, which takes it from a column where the row is not kept.
func (p *packed) addRow(factor float64, i int, y []float64) {
	addScaled(factor, p.row(i), y)
	for at, j := (i+1)*(i+2)/2+i, i+1; j < p.n; j++ {
		y[j] += factor * p.data[at]
		at += j + 1
	}
}

// addTimes adds the matrix times v to y. It takes the less time, the closer together the numbers of v lie that are
// not 0.
func (p *packed) addTimes(v, y []float64) {
	first, end := 0, len(v)
	for first < end && v[first] == 0 {
		first++
	}
	for end > first && v[end-1] == 0 {
		end--
	}
	for i := first; i < p.n && first < end; i++ {
		row := p.row(i)
		if to := min(i, end); first < to {
			y[i] += blas64.Dot(vector(row[first:to]), vector(v[first:to]))
		}
		if v[i] != 0 {
			addScaled(v[i], row, y)
		}
	}
}

// addScaled adds factor · x to the beginning of y.
func addScaled(factor float64, x, y []float64) {
	blas64.Axpy(factor, vector(x), vector(y[:len(x)]))
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
