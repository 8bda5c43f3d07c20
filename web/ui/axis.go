package ui

import "math"

// Axis maps amounts to places on a logarithmic scale.
type Axis struct {
	Low, High float64
	From, To  float64 // places of low and high
}

// At is the place of an amount; what lies outside is at the end.
func (a Axis) At(v float64) int {
	share := (math.Log(min(max(v, a.Low), a.High)) - math.Log(a.Low)) / (math.Log(a.High) - math.Log(a.Low))
	return int(a.From + share*(a.To-a.From))
}

// LogTicks are powers of ten between two values, with 2 and 5 where there is room.
func LogTicks(low, high float64) []float64 {
	steps := []float64{1}
	if math.Log10(high/low) < 3.5 {
		steps = []float64{1, 2, 5}
	}
	var out []float64
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, step := range steps {
			if v := step * math.Pow(10, e); v >= low && v <= high {
				digits := math.Pow(10, 3-math.Floor(math.Log10(v)))
				out = append(out, math.Round(v*digits)/digits)
			}
		}
	}
	return out
}
