package advisor

import "testing"

func TestNoSpeedIsBeyondTheCard(t *testing.T) {
	s := speedOf(Range{90, 120, 180}, nil, Evidence{}, LimitBandwidth, 1.2)
	if s.Rate != (Range{90, 100, 100}) || s.Efficiency != 1 {
		t.Errorf("got %+v, want 90 … 100 … 100 at all of the bandwidth", s)
	}
	s = speedOf(Range{40, 50, 70}, nil, Evidence{}, LimitBandwidth, 0.5)
	if s.Rate != (Range{40, 50, 70}) || s.Efficiency != 0.5 {
		t.Errorf("got %+v, want the rate as it was", s)
	}
}
