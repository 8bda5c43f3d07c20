package chart

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTicksAreRoundFewAndInside(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		lo, hi float64
		most   int
		want   string
	}{
		{LogScale, 1, 1000, 10, "[1 2 5 10 20 50 100 200 500 1000]"},
		{LogScale, 1, 1000, 6, "[1 10 100 1000]"},
		{LogScale, 50, 300, 6, "[50 100 200]"},
		{LogScale, 2, 3, 6, "[2 2.2 2.4 2.6 2.8 3]"},
		{LogScale, 1e-6, 1e9, 6, "[0.0001 1 10000 1e+08]"},
		{LinearScale, 2006.3, 2026.9, 8, "[2010 2015 2020 2025]"},
		{LinearScale, 0.13, 7.7, 8, "[1 2 3 4 5 6 7]"},
		{LinearScale, 0, 0.07, 4, "[0 0.02 0.04 0.06]"},
	} {
		s, err := NewAxis(tt.kind, tt.lo, tt.hi, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.Ticks(tt.most)); got != tt.want {
			t.Errorf("%v from %g to %g: got %s, want %s", tt.kind, tt.lo, tt.hi, got, tt.want)
		}
	}
	for range 2000 {
		lo := math.Exp(rand.Float64()*30 - 15)
		hi := lo * (1 + rand.ExpFloat64()*rand.ExpFloat64()*10)
		for _, kind := range []Kind{LinearScale, LogScale} {
			s, err := NewAxis(kind, lo, hi, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			ticks := s.Ticks(7)
			if len(ticks) > 7 || !slices.IsSorted(ticks) || slices.ContainsFunc(ticks, func(v float64) bool {
				return v < lo*(1-1e-9) || v > hi*(1+1e-9)
			}) {
				t.Fatalf("%v from %g to %g: %v", kind, lo, hi, ticks)
			}
		}
	}
}

func TestYearsBeginWithMonthsOfTheCalendar(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		most   int
		want   string
	}{
		{2006.3, 2026.9, 12, "[2008 2010 2012 2014 2016 2018 2020 2022 2024 2026]"},
		{2006.3, 2026.9, 5, "[2010 2015 2020 2025]"},
		{2022, 2024.5, 8, "[2022 2022.5 2023 2023.5 2024 2024.5]"},
		{2023.2, 2023.9, 5, "[2023.25 2023.5 2023.75]"},
		{2023.26, 2023.4, 5, "[2023.3333333333333]"},
		{2023.51, 2023.53, 2, "[2023.52]"},
		{1900, 2026, 3, "[1900 1950 2000]"},
		{2023, 2024, 0, "[]"},
		{0, 1e9, 2, "[0 1e+09]"},
	} {
		s, err := NewAxis(LinearScale, tt.lo, tt.hi, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.Years(tt.most)); got != tt.want {
			t.Errorf("from %g to %g: got %s, want %s", tt.lo, tt.hi, got, tt.want)
		}
	}
}

func TestALogarithmicAxisKeepsRatios(t *testing.T) {
	s, err := NewAxis(LogScale, 1, 16, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{1, 2, 4, 8} {
		if got := s.At(v) - s.At(2*v); math.Abs(got-25) > 1e-9 {
			t.Errorf("from %g to %g: %g, want 25", v, 2*v, got)
		}
	}
}

func TestAnAxisNeedsValuesItCanShow(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		lo, hi float64
		want   error
	}{
		{LogScale, 0, 5, errNotPositive}, {LogScale, -1, 5, errNotPositive}, {LinearScale, math.NaN(), 5, errNoValues},
		{LinearScale, math.Inf(1), math.Inf(-1), errNoValues}, {LinearScale, -5, 0, nil}, {LinearScale, 0, 0, nil},
		{LogScale, 3, 3, nil},
	} {
		if _, err := NewAxis(tt.kind, tt.lo, tt.hi, 0, 1); !errors.Is(err, tt.want) {
			t.Errorf("%v from %g to %g: got %v, want %v", tt.kind, tt.lo, tt.hi, err, tt.want)
		}
	}
}
