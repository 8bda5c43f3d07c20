package plot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/plot"
)

// pair is a card's memory and power; 0 is not known.
type pair struct{ memory, power float64 }

// of is a catalogue of cards with these figures, in order.
func of(pairs []pair) *catalog.Snapshot {
	d := catalog.Dataset{
		ID:   "test",
		Rank: 1,
		Sources: []catalog.Source{
			{ID: "sheet", Publisher: "Acme", Title: "Sheet", URL: "https://example.com", Kind: "datasheet"},
		},
	}
	for i, p := range pairs {
		c := catalog.Card{
			ID:      fmt.Sprintf("acme-%04d", i),
			Name:    fmt.Sprintf("%04d", i),
			Vendor:  "Acme",
			Kind:    "gpu",
			Segment: "desktop",
		}
		for q, v := range map[string]float64{"memory_gb": p.memory, "tdp_w": p.power} {
			if v != 0 {
				c.Facts = append(c.Facts, catalog.Fact{Quantity: q, Number: v, Source: "sheet"})
			}
		}
		d.Cards = append(d.Cards, c)
	}
	return catalog.NewSnapshot(1, d)
}

func quantity(t testing.TB, id string) *catalog.Quantity {
	t.Helper()
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		t.Fatalf("no quantity %s", id)
	}
	return q
}

func all(s *catalog.Snapshot) []int {
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func memoryAgainstPower(t testing.TB, s *catalog.Snapshot, better [2]plot.Direction) *plot.Plot {
	return plot.New(
		s,
		all(s),
		plot.Axis{Quantity: quantity(t, "tdp_w"), Better: better[0]},
		plot.Axis{Quantity: quantity(t, "memory_gb"), Better: better[1]},
		plot.ByVendor,
	)
}

func TestFrontIsWhatNothingBeats(t *testing.T) {
	directions := [][2]plot.Direction{
		{plot.Lower, plot.Higher},
		{plot.Higher, plot.Higher},
		{plot.Lower, plot.Lower},
		{plot.Higher, plot.Lower},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		pairs := make([]pair, rnd.IntN(40))
		for i := range pairs {
			pairs[i] = pair{float64(rnd.IntN(12)), float64(rnd.IntN(12))} // few values: many ties, some unknown
		}
		better := directions[round%len(directions)]
		p := memoryAgainstPower(t, of(pairs), better)
		beats := func(a, b plot.Point) bool { // the definition
			x, y := better[0] == plot.Higher, better[1] == plot.Higher
			asGood := (a.X == b.X || a.X > b.X == x) && (a.Y == b.Y || a.Y > b.Y == y)
			return asGood && (a.X != b.X || a.Y != b.Y)
		}
		var front []int
		for i, b := range p.Points {
			var by []int
			for j, a := range p.Points {
				if beats(a, b) {
					by = append(by, j)
				}
			}
			if len(by) == 0 {
				front = append(front, i)
			}
			if b.Beaten != len(by) || b.Front != (len(by) == 0) || len(b.By) != min(5, len(by)) {
				t.Fatalf("%v: point %d is beaten by %v, got %+v", pairs, i, by, b)
			}
			for _, j := range b.By {
				if !slices.Contains(by, j) {
					t.Fatalf("%v: point %d is not beaten by %d", pairs, i, j)
				}
			}
		}
		if diff := cmp.Diff(front, p.Front); diff != "" {
			t.Fatalf("%v: front -want +got:\n%s", pairs, diff)
		}
		if len(p.Points) > 0 && len(p.Front) == 0 {
			t.Fatalf("%v: no front", pairs)
		}
	}
}

func TestNearestBetterCardsComeFirst(t *testing.T) {
	var pairs []pair
	for i := range 20 {
		pairs = append(pairs, pair{float64(10 + i), 100})
	}
	p := memoryAgainstPower(t, of(pairs), [2]plot.Direction{plot.Lower, plot.Higher})
	least := p.Points[0]
	var memory []float64
	for _, j := range least.By {
		memory = append(memory, p.Points[j].Y)
	}
	if diff := cmp.Diff([]float64{11, 12, 13, 14, 15}, memory); diff != "" || least.Beaten != 19 {
		t.Errorf("beaten by %d; -want +got:\n%s", least.Beaten, diff)
	}
}

func TestAnOldPriceIsNeitherOnTheFrontNorBetter(t *testing.T) {
	d := catalog.Dataset{ID: "test", Rank: 1, Sources: []catalog.Source{{ID: "sheet", Kind: "datasheet"}}}
	// the cheapest is the best, and too old
	for i, date := range []catalog.Date{"2025-01-01", "2026-06-01", "2026-06-01"} {
		id := fmt.Sprint("c", i)
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: id, Vendor: "Acme", Kind: "gpu", Segment: "desktop",
			Facts: []catalog.Fact{{Quantity: "memory_gb", Number: float64(24 - 8*i), Source: "sheet"}}})
		d.Prices = append(
			d.Prices,
			catalog.Price{
				Card:   id,
				Kind:   catalog.UsedPrice,
				Amount: catalog.MoneyOf(float64(100*(i+1)), "USD"),
				Unit:   catalog.PerCard,
				Cards:  1,
				Date:   date,
				Source: "sheet",
			},
		)
	}
	s := catalog.NewSnapshot(1, d).Priced(catalog.Pricing{Buy: catalog.UsedPrice, Today: "2026-06-10"})
	p := plot.New(
		s,
		all(s),
		plot.Axis{Quantity: quantity(t, "buy_price"), Better: plot.Lower},
		plot.Axis{Quantity: quantity(t, "memory_gb"), Better: plot.Higher},
		plot.ByVendor,
	)
	var got []string
	for _, pt := range p.Points {
		got = append(got, fmt.Sprint(s.Card(pt.Row).ID, " ", pt.Stale, " ", pt.Front, " ", pt.Beaten))
	}
	if diff := cmp.Diff([]string{"c0 true false 0", "c1 false true 0", "c2 false false 1"}, got); diff != "" {
		t.Errorf("card, stale, front, beaten: -want +got:\n%s", diff)
	}
}

func TestNoFrontWithoutADirection(t *testing.T) {
	p := memoryAgainstPower(t, of([]pair{{1, 2}, {2, 1}}), [2]plot.Direction{plot.Neither, plot.Higher})
	if p.HasFront() || p.Front != nil || p.Points[0].Front || p.Points[0].Beaten != 0 {
		t.Errorf("got a front: %+v", p)
	}
}

func TestEveryCardIsDrawnOrAccountedFor(t *testing.T) {
	s := of([]pair{{8, 75}, {0, 75}, {8, 0}, {0, 0}, {-1, 75}, {16, 300}})
	p := plot.New(
		s,
		all(s),
		plot.Axis{Quantity: quantity(t, "tdp_w")},
		plot.Axis{Quantity: quantity(t, "memory_gb"), Scale: plot.Log},
		plot.ByVendor,
	)
	want := []plot.Absent{
		{Row: 1, Reason: plot.NoY},
		{Row: 2, Reason: plot.NoX},
		{Row: 3, Reason: plot.NoXY},
		{Row: 4, Reason: plot.NotPositive},
	}
	if diff := cmp.Diff(want, p.Absents); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(p.Points) != 2 || p.Y.Lo != 8 || p.Y.Hi != 16 {
		t.Errorf("got %d points from %v to %v, want 2 from 8 to 16", len(p.Points), p.Y.Lo, p.Y.Hi)
	}
}

func TestScaleFollowsTheSpread(t *testing.T) {
	for _, c := range []struct {
		pairs []pair
		want  plot.Scale
	}{
		{[]pair{{1, 10}, {1, 100}}, plot.Linear},
		{[]pair{{1, 10}, {1, 1000}}, plot.Log},
		{[]pair{{1, -10}, {1, 1000}}, plot.Linear},
		{nil, plot.Linear},
	} {
		if got := memoryAgainstPower(t, of(c.pairs), [2]plot.Direction{}).X.Scale; got != c.want {
			t.Errorf("%v: scale %d, want %d", c.pairs, got, c.want)
		}
	}
}

func TestDatesAreFractionalYears(t *testing.T) {
	for ordinal, want := range map[int]float64{20220101: 2022, 20240101: 2024, 20241231: 2024 + 365.0/366,
		20230702: 2023 + 182.0/365, 20240301: 2024 + 60.0/366, 19000301: 1900 + 59.0/365} {
		if got := plot.Year(ordinal); math.Abs(got-want) > 1e-9 {
			t.Errorf("Year(%d) = %v, want %v", ordinal, got, want)
		}
	}
}

func TestSmallGroupsShareTheLastLook(t *testing.T) {
	d := catalog.Dataset{
		ID:   "test",
		Rank: 1,
		Sources: []catalog.Source{
			{ID: "sheet", Publisher: "Acme", Title: "Sheet", URL: "https://example.com", Kind: "datasheet"},
		},
	}
	for v := range 12 {
		for i := range v + 1 {
			d.Cards = append(
				d.Cards,
				catalog.Card{
					ID:      fmt.Sprintf("v%02d-%d", v, i),
					Name:    fmt.Sprint(v, i),
					Vendor:  fmt.Sprintf("V%02d", v),
					Kind:    "gpu",
					Segment: "desktop",
					Facts: []catalog.Fact{
						{Quantity: "memory_gb", Number: 8, Source: "sheet"},
						{Quantity: "tdp_w", Number: 75, Source: "sheet"},
					},
				},
			)
		}
	}
	s := catalog.NewSnapshot(1, d)
	p := memoryAgainstPower(t, s, [2]plot.Direction{})
	want := []plot.Group{
		{Name: "V11", Points: 12},
		{Name: "V10", Points: 11},
		{Name: "V09", Points: 10},
		{Name: "V08", Points: 9},
		{Name: "V07", Points: 8},
		{Name: "V06", Points: 7},
		{Name: "V05", Points: 6},
		{Points: 15},
	}
	if diff := cmp.Diff(want, p.Groups); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, pt := range p.Points {
		vendor := s.Card(pt.Row).Vendor
		if name := p.Groups[pt.Group].Name; name != vendor && name != "" {
			t.Errorf("a card of %s is in group %q", vendor, name)
		}
	}
}

func TestSeriesFollowFromNames(t *testing.T) {
	for _, c := range []struct{ vendor, name, want string }{
		{"NVIDIA", "GeForce 256", ""}, {"NVIDIA", "GeForce 8800 GTX", "GeForce 8"},
		{"NVIDIA", "GeForce GTX 480", "GTX 400"},
		{"NVIDIA", "GeForce GTX 980 Ti", "GTX 900"}, {"NVIDIA", "GeForce GTX 1060 6GB", "GTX 10"},
		{"NVIDIA", "GeForce GT 1030", "GTX 10"},
		{"NVIDIA", "GeForce GTX 1660 Super", "GTX 16"}, {"NVIDIA", "GeForce RTX 2080 Ti", "RTX 20"},
		{"NVIDIA", "GeForce RTX 3050 8GB", "RTX 30"},
		{"NVIDIA", "GeForce RTX 4090 D", "RTX 40"}, {"NVIDIA", "GeForce RTX 5090 D V2", "RTX 50"},
		{"NVIDIA", "GeForce RTX 6090", "RTX 60"},
		{"NVIDIA", "GeForce RTX 4070 Laptop", "RTX 40 Laptop"}, {"NVIDIA", "GeForce MX150", ""},
		{"NVIDIA", "Titan X (Pascal)", "Titan"},
		{"NVIDIA", "Titan RTX", "Titan"}, {"NVIDIA", "RTX A6000", "RTX A"}, {"NVIDIA", "RTX 4000 SFF Ada", "RTX Ada"},
		{"NVIDIA", "RTX PRO 5000 Blackwell 48GB", "RTX PRO Blackwell"},
		{"NVIDIA", "H100 SXM5 80GB", ""}, {"AMD", "Radeon RX 580 8GB", "Radeon RX 500"},
		{"AMD", "Radeon RX 6900 XT", "Radeon RX 6000"}, {"AMD", "Radeon RX 6800M", "Radeon RX 6000M"},
		{"AMD", "Radeon RX Vega 64", "Radeon Vega"}, {"AMD", "Radeon Pro W7900", "Radeon Pro"},
		{"AMD", "Instinct MI300X", "Instinct MI300"}, {"AMD", "Instinct MI60", "Instinct"},
		{"Intel", "Arc B580", "Arc B"}, {"Intel", "Arc Pro B50", "Arc B"}, {"Apple", "M4 Max", "M4"},
		{"Acme", "GeForce RTX 4090", ""},
	} {
		if got, _ := plot.Series(&catalog.Card{Vendor: c.vendor, Name: c.name}); got != c.want {
			t.Errorf("%s %s: series %q, want %q", c.vendor, c.name, got, c.want)
		}
	}
}

func TestSeriesStandInTheOrderOfTheirAge(t *testing.T) {
	var ranks []float64
	for _, name := range []string{"GeForce 8800 GTX", "GeForce GTX 580", "GeForce GTX 980", "GeForce GTX 1080",
		"GeForce GTX 1660", "GeForce RTX 2080", "GeForce RTX 3080", "GeForce RTX 4080", "GeForce RTX 5080", "Titan Xp",
		"GeForce RTX 2080 Laptop"} {
		_, rank := plot.Series(&catalog.Card{Vendor: "NVIDIA", Name: name})
		ranks = append(ranks, rank)
	}
	if !slices.IsSorted(ranks) {
		t.Errorf("ranks are not in order: %v", ranks)
	}
}

func FuzzSeries(f *testing.F) {
	f.Add("NVIDIA", "GeForce GTX 980 Ti")
	f.Add("AMD", "Radeon RX 6800M")
	f.Fuzz(func(t *testing.T, vendor, name string) { plot.Series(&catalog.Card{Vendor: vendor, Name: name}) })
}
