package sizing_test

import (
	"math"
	"strings"
	"testing"

	"tianti/sizing"
)

func TestMachinesAreReadAndBadOnesRefused(t *testing.T) {
	const head = "seller,instance,card,sizes,source,read\n"
	if list, err := sizing.ReadNodes(strings.NewReader(head + "Lambda,8x *,,8,note,2026-11-24\n")); err != nil ||
		len(list) != 1 {
		t.Errorf("got %v, %v", list, err)
	}
	for _, row := range []string{"Lambda,,,8 1,note,2026", "Lambda,,,,note,2026", "Lambda,[,,8,note,2026",
		",,,8,note,2026",
		"Lambda,,,0,note,2026", "Lambda,,,8,,2026"} {
		if list, err := sizing.ReadNodes(strings.NewReader(head + row + "\n")); err == nil {
			t.Errorf("%s: read as %v", row, list)
		}
	}
}

// Two cards that work together are rented from a seller who puts as many in one machine, at so many times the price
// of one; one card of an instance of eight costs the whole instance.
func TestRentCountsTheMachinesThatSellersOffer(t *testing.T) {
	a := estimatorOfBuiltin(t)
	h100 := a.Card("nvidia-h100-sxm5-80gb")
	r := sizing.Request{Acquire: "rent", Today: "2026-11-20"}
	a.CompleteRequest(&r)
	for _, n := range []int{1, 2, 3, 4, 8} {
		all := a.Expenses(h100, n, &r)
		if len(all) == 0 {
			t.Fatalf("%d cards have no price", n)
		}
		x := all[0]
		each := x.Price.Each.Amount()
		paid := x.PerHour / each
		if math.Abs(paid-math.Round(paid)) > 1e-6 || paid < float64(n)-1e-6 {
			t.Errorf("%d cards: %g an hour is no whole number of cards at %g", n, x.PerHour, each)
		}
		if n > 1 && x.Apart {
			t.Errorf("%d cards: the best offer is not known to be in one machine: %s", n, x.Price.Seller)
		}
		for _, other := range all[1:] { // four may cost less than the three of another seller
			if n > 1 && n < 8 && !other.Apart && other.PerHour < x.PerHour {
				t.Errorf("%d cards: %g are paid for at %g an hour, and %s has them for %g", n, paid, x.PerHour,
					other.Price.Seller, other.PerHour)
			}
		}
	}
	for _, x := range a.Expenses(h100, 1, &r) {
		if strings.HasPrefix(x.Price.Instance, "8x") && x.PerHour < 7.9*x.Price.Each.Amount() {
			t.Errorf("one card of %s %s costs %g", x.Price.Seller, x.Price.Instance, x.PerHour)
		}
	}
}

// FuzzReadNodes holds that every table of machines is read or refused.
func FuzzReadNodes(f *testing.F) {
	f.Add("seller,instance,card,sizes,source,read\nLambda,8x *,,1 8,note,2026\n")
	f.Fuzz(func(t *testing.T, s string) {
		_, _ = sizing.ReadNodes(strings.NewReader(s))
	})
}
