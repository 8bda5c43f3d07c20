package sizing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBreakEvenIsWhereTheCurvesCross draws choices and looks around the crossing.
func TestBreakEvenIsWhereTheCurvesCross(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	between := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
	crossed, never := 0, 0
	for range 20_000 {
		c := Tenure{Price: between(50, 500_000), Residual: r.Float64() * 0.9, Years: between(0.2, 15),
			Use:   between(0.02, 1),
			Power: between(20, 2000), PUE: 1 + r.Float64(), Tariff: between(0.01, 3), Rent: between(0.01, 100)}
		if r.IntN(2) == 0 {
			c.Host = between(10, 50_000)
		}
		if r.IntN(4) == 0 {
			c.Tariff = 0
		}
		h, ok := c.BreakEven()
		if !ok {
			never++
			for range 20 {
				if x := between(0.01, 20*c.Life()); c.Own(x) < c.Rented(x)*(1-1e-9) {
					t.Fatalf("%+v: renting is said to stay cheaper, and owning is at %v hours", c, x)
				}
			}
			continue
		}
		crossed++
		if own, rent := c.Own(h*(1-1e-12)), c.Rented(h); math.Abs(own-rent) > 1e-9*rent {
			t.Fatalf("%+v: at %v hours owning is %v, renting %v", c, h, own, rent)
		}
		for range 20 {
			before, after := h*r.Float64()*(1-1e-9), h+(c.Life()-h)*r.Float64()
			if before > 0 && c.Own(before) <= c.Rented(before) {
				t.Fatalf("%+v: owning is not dearer at %v hours, before %v", c, before, h)
			}
			if c.Own(after) > c.Rented(after)*(1+1e-9) {
				t.Fatalf("%+v: owning is dearer at %v hours, after %v and within the life of %v", c, after, h, c.Life())
			}
		}
	}
	if crossed < 1000 || never < 1000 {
		t.Errorf("%d cross, %d never: the draw does not test both", crossed, never)
	}
}

func TestOwningStepsUpAtEachReplacement(t *testing.T) {
	c := Tenure{Price: 900, Host: 100, Residual: 0.2, Years: 1, Use: 0.5, Power: 500, PUE: 1.2, Tariff: 0.5, Rent: 1}
	if c.WriteOff() != 800 || c.Life() != 4383 || math.Abs(c.Electricity()-0.3) > 1e-12 {
		t.Fatalf("got %v over %v hours and %v an hour", c.WriteOff(), c.Life(), c.Electricity())
	}
	for hours, want := range map[float64]float64{-1: 0, 0: 0, 1: 800.3, 4383: 800 + 1314.9, 4384: 1600 + 1315.2,
		8766: 1600 + 2629.8, 8767: 2400 + 2630.1} {
		if got := c.Own(hours); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v hours: got %v, want %v", hours, got, want)
		}
	}
	h, ok := c.BreakEven()
	if want := 800 / 0.7; !ok || math.Abs(h-want) > 1e-9 || math.Abs(c.Months(h)-want/365.25) > 1e-9 {
		t.Errorf("break-even: got %v %v, %v months; want %v", h, ok, c.Months(h), want)
	}
}

func TestRentingStaysCheaperWhereElectricityCostsMore(t *testing.T) {
	c := NewTenure(true)
	c.Price, c.Power, c.Tariff, c.Rent = 100, 1000, 1, 1.5
	if h, ok := c.BreakEven(); ok {
		t.Errorf("an hour of electricity costs 1.58, an hour rented 1.50: got a break-even at %v", h)
	}
	c.Rent = 1.581 // 100,000 hours, and a life has 23,668
	if h, ok := c.BreakEven(); ok {
		t.Errorf("got a break-even at %v hours, after the service life", h)
	}
}

// TestAServerThatPaysForItselfInEightMonths is the arithmetic that lessors speak of:
// eight cards for CNY 150,000 to 200,000 a month.
func TestAServerThatPaysForItselfInEightMonths(t *testing.T) {
	for _, month := range []float64{150_000, 200_000} {
		c := NewTenure(true)
		c.Price, c.Rent, c.Use = 8*month/8, month/8/730.5, 1
		h, ok := c.BreakEven()
		if !ok || math.Abs(c.Months(h)-8) > 1e-9 {
			t.Errorf("CNY %v a month: got %v months, want 8", month, c.Months(h))
		}
	}
}
