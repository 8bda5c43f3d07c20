package plot_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
	"tianti/plot"
)

// A drawing is random cards: as they were drawn and as a catalogue.
type drawing struct {
	*catalog.Snapshot
	cards map[string]catalog.Card
	order map[string]int // of generations, by name
}

// draw makes up to 60 cards. Their memory and power take few values, so that there are
// ties, and some are zero or not known; the first two span a square canvas. The names of
// architectures and generations are not in the order of their days.
func draw(r *rand.Rand) drawing {
	const sheet = "sheet"
	d := catalog.Dataset{ID: "test", Rank: 1, Sources: []catalog.Source{{ID: sheet, Kind: "datasheet"}}}
	kinds := 5 + r.IntN(6)
	for i := range r.IntN(60) {
		kind := r.IntN(kinds)
		c := catalog.Card{ID: fmt.Sprintf("c%02d", i), Name: fmt.Sprintf("GeForce GTX %d80", 9-kind%6), Kind: "gpu",
			Vendor: "NVIDIA", Segment: fmt.Sprint("s", r.IntN(kinds)), Architecture: fmt.Sprint("a", kind)}
		if r.IntN(8) == 0 {
			c.Name, c.Architecture = c.ID, ""
		}
		if r.IntN(3) == 0 {
			c.Vendor = fmt.Sprint("v", kind)
		}
		for _, q := range []string{"memory_gb", "tdp_w"} {
			v := float64(r.IntN(17))
			if i < 2 {
				v = float64(1 + 15*i)
			}
			if v > 0 || r.IntN(4) == 0 {
				c.Facts = append(c.Facts, catalog.Fact{Quantity: q, Number: v, Source: sheet})
			}
		}
		if r.IntN(4) > 0 {
			day := fmt.Sprintf("%d-%02d-%02d", 2020-kind, 1+r.IntN(12), 1+r.IntN(28))
			c.Facts = append(c.Facts, catalog.Fact{Quantity: "launched", Text: day, Source: sheet})
		}
		d.Cards = append(d.Cards, c)
	}
	out := drawing{cards: map[string]catalog.Card{}, order: map[string]int{}}
	for i := range kinds {
		name, year := fmt.Sprint("a", i), 2010+(i+2)%kinds
		out.order[name] = year
		d.Annotations.Generations = append(
			d.Annotations.Generations,
			catalog.Generation{ID: name, Vendor: "NVIDIA", Name: name,
				Line: "NVIDIA", Facts: []catalog.Fact{{Quantity: "launched", Text: fmt.Sprint(year), Source: sheet}}},
		)
	}
	for _, c := range d.Cards {
		out.cards[c.ID] = c
	}
	out.Snapshot = catalog.NewSnapshot(1, d)
	return out
}

// fact is what the source states of a card.
func (d drawing) fact(row int, quantity string) (f catalog.Fact, ok bool) {
	facts := d.cards[d.Card(row).ID].Facts
	i := slices.IndexFunc(facts, func(f catalog.Fact) bool { return f.Quantity == quantity })
	if i < 0 {
		return f, false
	}
	return facts[i], true
}

// value is where a card lies along an axis: its number, or its day as a year with its
// fraction.
func (d drawing) value(row int, q *catalog.Quantity) (float64, bool) {
	f, ok := d.fact(row, q.ID)
	if ok && q.ID == "launched" {
		return yearOf(f.Text), true
	}
	return f.Number, ok
}

func yearOf(date string) float64 {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	first := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	return float64(day.Year()) + float64(day.Sub(first))/float64(first.AddDate(1, 0, 0).Sub(first))
}

// plots makes plots of random cards in random order and hands each to check, with the
// rows that it was made of.
func plots(t *testing.T, check func(d drawing, rows []int, p *plot.Plot, by plot.Grouping)) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	directions := []plot.Direction{plot.Higher, plot.Lower, plot.Neither}
	for round := range 400 {
		d := draw(r)
		rows := r.Perm(d.Len())
		x := plot.Axis{Quantity: quantity(t, "tdp_w"), Better: directions[r.IntN(3)], Scale: plot.Scale(r.IntN(3))}
		y := plot.Axis{Quantity: quantity(t, "memory_gb"), Better: directions[r.IntN(3)], Scale: plot.Scale(r.IntN(3))}
		if round%7 == 0 {
			x.Quantity, x.Scale = quantity(t, "launched"), plot.Auto
		}
		by := plot.Groupings[round%len(plot.Groupings)]
		check(d, rows, plot.New(d.Snapshot, rows, x, y, by), by)
		if t.Failed() {
			t.Fatalf(
				"round %d: %s on scale %d, %s on scale %d, by %s",
				round,
				x.Quantity.ID,
				x.Scale,
				y.Quantity.ID,
				y.Scale,
				by,
			)
		}
	}
}

func TestPointsAreTheCardsWithBothValuesByXThenYThenRow(t *testing.T) {
	plots(t, func(d drawing, rows []int, p *plot.Plot, _ plot.Grouping) {
		type point struct {
			X, Y float64
			Row  int
		}
		var want, got []point
		var absent []plot.Absent
		for _, row := range rows {
			x, okX := d.value(row, p.X.Quantity)
			y, okY := d.value(row, p.Y.Quantity)
			switch {
			case !okX && !okY:
				absent = append(absent, plot.Absent{Row: row, Reason: plot.NoXY})
			case !okX:
				absent = append(absent, plot.Absent{Row: row, Reason: plot.NoX})
			case !okY:
				absent = append(absent, plot.Absent{Row: row, Reason: plot.NoY})
			case p.X.Scale == plot.Log && x <= 0 || p.Y.Scale == plot.Log && y <= 0:
				absent = append(absent, plot.Absent{Row: row, Reason: plot.NotPositive})
			default:
				want = append(want, point{x, y, row})
			}
		}
		slices.SortFunc(want, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Row, b.Row))
		})
		for _, pt := range p.Points {
			got = append(got, point{pt.X, pt.Y, pt.Row})
		}
		near := cmpopts.EquateApprox(0, 1e-9) // the same fraction of a year, reckoned in another way
		if diff := gocmp.Diff(want, got, near); diff != "" {
			t.Errorf("points: -want +got:\n%s", diff)
		}
		byRow := cmpopts.SortSlices(func(a, b plot.Absent) bool { return a.Row < b.Row })
		if diff := gocmp.Diff(absent, p.Absents, byRow); diff != "" {
			t.Errorf("absent: -want +got:\n%s", diff)
		}
	})
}

// canvas is where a value lies on its axis, from 0 to 1.
func canvas(a plot.Axis, v float64) float64 {
	if a.Scale == plot.Log {
		return math.Log(v/a.Lo) / math.Log(a.Hi/a.Lo)
	}
	return (v - a.Lo) / (a.Hi - a.Lo)
}

func TestBetterCardsAreNamedInTheOrderOfTheirDistanceOnTheCanvas(t *testing.T) {
	plots(t, func(d drawing, _ []int, p *plot.Plot, _ plot.Grouping) {
		if !p.HasFront() || p.X.Lo == p.X.Hi || p.Y.Lo == p.Y.Hi {
			return
		}
		for i, b := range p.Points {
			distance := func(j int) float64 {
				a := p.Points[j]
				return math.Hypot(canvas(p.X, a.X)-canvas(p.X, b.X), canvas(p.Y, a.Y)-canvas(p.Y, b.Y))
			}
			var want, got []float64
			for j, a := range p.Points {
				dx, dy := (a.X-b.X)*float64(p.X.Better), (a.Y-b.Y)*float64(p.Y.Better)
				if min(dx, dy) >= 0 && max(dx, dy) > 0 {
					want = append(want, distance(j))
				}
			}
			slices.Sort(want)
			for _, j := range b.By {
				got = append(got, distance(j))
			}
			if diff := gocmp.Diff(want[:min(5, len(want))], got, cmpopts.EquateApprox(0, 1e-9),
				cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("point %d: distances of the nearest better cards: -want +got:\n%s", i, diff)
			}
		}
	})
}

func TestOfBetterCardsAtOneDistanceTheFirstComeFirst(t *testing.T) {
	// the card of most power and least memory, and better ones around it
	pairs := []pair{{1, 17}}
	for range 4 {
		pairs = append(pairs, pair{9, 17}, pair{1, 9}, pair{17, 1})
	}
	p := memoryAgainstPower(t, of(pairs), [2]plot.Direction{plot.Lower, plot.Higher})
	i := slices.IndexFunc(p.Points, func(pt plot.Point) bool { return pt.X == 17 && pt.Y == 1 })
	var want []int // half a canvas away
	for j, pt := range p.Points {
		if pt.X == 9 || pt.Y == 9 {
			want = append(want, j)
		}
	}
	if diff := gocmp.Diff(want[:5], p.Points[i].By); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// kinOf is the group of a card, and what the groups are ordered by unless that is size.
func (d drawing) kinOf(row int, by plot.Grouping) (name string, rank float64) {
	c := d.Card(row)
	switch by {
	case plot.BySegment:
		return c.Segment, 0
	case plot.ByGeneration:
		if c.Vendor != "NVIDIA" || c.Architecture == "" {
			return "", 0
		}
		return c.Architecture, float64(d.order[c.Architecture])
	case plot.ByArchitecture:
		if f, ok := d.fact(row, "launched"); ok {
			return c.Architecture, yearOf(f.Text)
		}
		return c.Architecture, math.Inf(1)
	case plot.BySeries:
		name, rank := plot.Series(c)
		return name, rank
	}
	return c.Vendor, 0
}

func TestTheLargestGroupsHaveALookAndTheOthersShareOne(t *testing.T) {
	plots(t, func(d drawing, _ []int, p *plot.Plot, by plot.Grouping) {
		size, rank := map[string]int{}, map[string]float64{}
		for _, pt := range p.Points {
			name, r := d.kinOf(pt.Row, by)
			if size[name]++; size[name] == 1 || r < rank[name] {
				rank[name] = r
			}
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(size)), func(name string) bool { return name == "" })
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
		if looks := len(size); looks > 8 {
			names = names[:7]
		}
		if by != plot.ByVendor && by != plot.BySegment {
			slices.Sort(names)
			slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
		}
		var want []plot.Group
		for _, name := range names {
			want = append(want, plot.Group{Name: name, Points: size[name]})
			delete(size, name)
		}
		rest := 0
		for _, n := range size {
			rest += n
		}
		if rest > 0 {
			want = append(want, plot.Group{Points: rest})
		}
		if diff := gocmp.Diff(want, p.Groups, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for _, pt := range p.Points {
			name, _ := d.kinOf(pt.Row, by)
			if g := p.Groups[pt.Group].Name; pt.Kin != name || g != name && (g != "" || slices.Contains(names, name)) {
				t.Errorf("a card of %q is of %q, in the group %q", name, pt.Kin, g)
			}
		}
	})
}

func TestEveryDayIsAYearWithItsFraction(t *testing.T) {
	end := time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(end); day = day.AddDate(0, 0, 1) {
		got := plot.Year(day.Year()*10000 + int(day.Month())*100 + day.Day())
		if want := yearOf(day.Format(time.DateOnly)); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%s: got %v, want %v", day.Format(time.DateOnly), got, want)
		}
	}
}

func TestSeriesOfEveryVendorStandInTheOrderOfTheirAge(t *testing.T) {
	for vendor, names := range map[string][]string{
		"AMD": {"Radeon RX 480", "Radeon RX 580", "Radeon RX Vega 64", "Radeon RX 5700", "Radeon RX 6900 XT",
			"Radeon RX 7900 XTX",
			"Radeon RX 6800M", "Radeon RX 7600M", "Radeon Pro W7900", "Instinct MI60", "Instinct MI100",
			"Instinct MI250X", "Instinct MI300X"},
		"Intel": {"Arc A770", "Arc B580", "Arc C1"},
		"Apple": {"M1 Ultra", "M2", "M4 Max"},
		"NVIDIA": {"GeForce 7800", "GeForce 8800 GTX", "GeForce GTX 480", "GeForce RTX 5080", "Titan Xp",
			"GeForce GTX 980 Laptop",
			"GeForce RTX 2080 Laptop", "Quadro P6000", "RTX A6000", "RTX 4000 Ada", "RTX PRO 5000 Blackwell"},
	} {
		last := math.Inf(-1)
		for _, name := range names {
			_, rank := plot.Series(&catalog.Card{Vendor: vendor, Name: name})
			if rank <= last {
				t.Errorf("%s %s: rank %v, want more than %v", vendor, name, rank, last)
			}
			last = rank
		}
	}
}

func TestAnAutomaticScaleIsLogarithmicWhereValuesArePositiveAndFarApart(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   plot.Scale
	}{{10, 199, plot.Linear}, {10, 200, plot.Log}, {10, 201, plot.Log}, {0, 200, plot.Linear}, {-1, 200, plot.Linear}} {
		d := catalog.Dataset{ID: "test", Sources: []catalog.Source{{ID: "sheet", Kind: "datasheet"}}}
		for i, v := range []float64{c.lo, c.hi} {
			facts := []catalog.Fact{
				{Quantity: "memory_gb", Number: 8, Source: "sheet"},
				{Quantity: "tdp_w", Number: v, Source: "sheet"},
			}
			d.Cards = append(
				d.Cards,
				catalog.Card{ID: fmt.Sprint(i), Name: fmt.Sprint(i), Vendor: "Acme", Facts: facts},
			)
		}
		p := memoryAgainstPower(t, catalog.NewSnapshot(1, d), [2]plot.Direction{})
		if len(p.Points) != 2 || p.X.Lo != c.lo || p.X.Hi != c.hi || p.X.Scale != c.want {
			t.Errorf(
				"%v … %v: %d points from %v to %v, scale %d, want scale %d",
				c.lo,
				c.hi,
				len(p.Points),
				p.X.Lo,
				p.X.Hi,
				p.X.Scale,
				c.want,
			)
		}
	}
}
