package catalog

import "testing"

func TestValuesDisagreeBeyondRounding(t *testing.T) {
	for _, tt := range []struct {
		quantity string
		a, b     any
		want     bool
	}{
		{"fp32_vector_tflops", 67.0, 66.9, false},
		{"fp32_vector_tflops", 67.0, 60.0, true},
		{"fp64_vector_tflops", 34.0, 33.5, false}, // 33.5 rounds to 34
		{"fp64_vector_tflops", 34.0, 33.45, true}, // 33.45 to 33
		{"fp64_vector_tflops", 4.7, 4.763, true},
		{"fp64_vector_tflops", 0.6, 0.619, false},
		{"memory_bandwidth_gb_s", 2000.0, 2040.0, true}, // zeros before the point are not decimals
		{"memory_bandwidth_gb_s", 2039.0, 2040.0, false},
		{"launched", "2022", "2022-03-22", false},
		{"launched", "2022-03", "2022-11-03", true},
		{"process_name", "TSMC 4N", "tsmc-4n", false},
		{"process_name", "TSMC 4N", "TSMC N5", true},
	} {
		value := func(x any) Value {
			v := Value{Quantity: registryByID[tt.quantity]}
			if n, ok := x.(float64); ok {
				v.Number = n
			} else {
				v.Text = x.(string)
			}
			return v
		}
		a, b := value(tt.a), value(tt.b)
		if got := a.Disagrees(b); got != tt.want {
			t.Errorf("%s: %v and %v: got %v, want %v", tt.quantity, tt.a, tt.b, got, tt.want)
		}
		if a.Disagrees(b) != b.Disagrees(a) {
			t.Errorf("%s: %v and %v: the order matters", tt.quantity, tt.a, tt.b)
		}
	}
}
