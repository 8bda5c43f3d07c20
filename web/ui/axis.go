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
