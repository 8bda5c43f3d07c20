package sizing

import (
	"slices"
	"testing"

	"tianti/catalog"
)

// Of options that cost a quarter more than the cheapest at most, the one with the fewest cards comes first, and the
// others keep their order.
func TestTheFewestCardsComeFirstWhereTheyCostLittleMore(t *testing.T) {
	cards := []int{8, 4, 2, 1, 1}
	scores := []float64{1, 1.1, 1.2, 1.3, 1.4}
	for _, x := range []struct {
		goal  Goal
		class int // of the third, behind which nothing is as good
		want  []int
		fewer bool
	}{
		{Cheapest, 0, []int{2, 8, 4, 1, 1}, true}, // one card costs 30 % more
		{BestValue, 0, []int{2, 8, 4, 1, 1}, true},
		{BestValue, 1, []int{4, 8, 2, 1, 1}, true},
		{Fastest, 0, []int{8, 4, 2, 1, 1}, false},
		{LeastEnergy, 0, []int{8, 4, 2, 1, 1}, false},
	} {
		var options []Estimate
		var places []place
		for i, n := range cards {
			options = append(options, Estimate{Workload: Workload{Cards: n}})
			p := place{at: i, score: scores[i]}
			if i >= 2 {
				p.doubts = x.class
			}
			places = append(places, p)
		}
		r := Request{Goal: x.goal}
		fewer := r.fewest(places, options)
		for i, p := range places {
			if options[p.at].Workload.Cards != x.want[i] {
				t.Errorf("%s, class %d: %d cards are number %d, want %v", x.goal, x.class,
					options[p.at].Workload.Cards, i+1, x.want)
			}
		}
		if fewer != x.fewer {
			t.Errorf("%s, class %d: fewer is %v", x.goal, x.class, fewer)
		}
	}
	if r := (Request{Goal: Cheapest}); r.fewest(nil, nil) {
		t.Error("of none, one leads")
	}
	a := all(t)
	found := a.Recommend(ask(t, a, "model=llama-3.1-70b&task=lora&cards=8&goal=value"), a.Cards)
	if less := found.Less(); found.Fewer != (less > 0) || less > 0.2+1e-9 ||
		found.Fewer && found.Options[0].Workload.Cards >= found.Options[1].Workload.Cards {
		t.Errorf("fewer is %v; the second costs %.3g less", found.Fewer, less)
	}
}

// A card that nobody sells leads over none with a price, whatever the goal says. A converted price is a price: the
// faster card that it buys is not behind a slower one because of it.
func TestAnyPriceGoesBeforeNoneAndAConvertedOneIsAPrice(t *testing.T) {
	rate := &catalog.Conversion{}
	option := func(name string, hour, speed float64, converted *catalog.Conversion) Estimate {
		e := Estimate{Card: &Card{ID: name, Name: name}}
		e.Decode = &Speed{Rate: Range{Expected: speed, Low: speed, High: speed}}
		e.Memory.Verdict = Fits
		if hour > 0 {
			e.Expenses = []Expense{{Acquire: "buy", Currency: "CNY", PerHour: hour, Today: true, Converted: converted}}
		}
		return e
	}
	for goal, want := range map[Goal][]string{
		Cheapest: {"of the place", "converted", "unpriced"}, Fastest: {"converted", "of the place", "unpriced"},
	} {
		r := Request{Goal: goal, Costs: Costs{Currency: "CNY"}}
		options, _, _ := r.ranked([]Estimate{option("unpriced", 0, 40, nil), option("converted", 2, 30, rate),
			option("of the place", 1, 10, nil)}, nil)
		var got []string
		for i := range options {
			got = append(got, options[i].Card.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", goal, got, want)
		}
	}
}

// ranked are names in the order of their place.
func ranked(r *Request, options []Estimate) []string {
	options, _, _ = r.ranked(options, nil)
	var out []string
	for i := range options {
		out = append(out, options[i].Card.Name)
	}
	return out
}

// option fits, and costs and does so much.
func option(name string, cards int, usable, outlay, hour, speed float64) Estimate {
	e := Estimate{Card: &Card{ID: name, Name: name, Usable: usable}, Workload: Workload{Cards: cards}}
	e.Decode = &Speed{Rate: Range{Expected: speed, Low: speed, High: speed}}
	e.Memory.Verdict = Fits
	e.Expenses = []Expense{{Acquire: "buy", Currency: "USD", Outlay: outlay, PerHour: hour, Today: true}}
	return e
}

// Where two do as much for the money, nobody takes the one with less memory.
func TestTheCardWithTheMostMemoryLeadsAmongEqualsForTheMoney(t *testing.T) {
	options := func() []Estimate {
		return []Estimate{option("10 GB", 1, 10, 300, 0.1, 100), option("12 GB", 1, 12, 320, 0.105, 100),
			option("24 GB", 1, 24, 330, 0.109, 100), option("48 GB", 1, 48, 400, 0.126, 100),
			option("two of 40 GB", 2, 40, 300, 0.1, 100)}
	}
	for goal, want := range map[Goal]string{BestValue: "24 GB", Cheapest: "10 GB"} {
		r := Request{Goal: goal, Costs: Costs{Currency: "USD"}}
		if got := ranked(&r, options()); got[0] != want {
			t.Errorf("%s: %v, want %s first", goal, got, want)
		}
	}
	for name, other := range map[string]Estimate{
		"16 GB": option("32 GB, slower", 1, 32, 900, 0.09, 80),
		"40 GB": option("40 GB", 1, 40, 900, 0.46, 400),
	} {
		r := Request{Goal: BestValue, Costs: Costs{Currency: "USD"}}
		got := ranked(&r, []Estimate{option("16 GB", 1, 16, 300, 0.1, 100), other})
		if got[0] != name {
			t.Errorf("beside %s: %v", other.Card.Name, got)
		}
	}
}

// One card that costs as much by the hour as two, and twice as much to buy, is no bargain.
func TestFewerCardsLeadOnlyWhereTheyCostLittleMoreAtOnce(t *testing.T) {
	for outlay, want := range map[float64]string{1100: "one", 2000: "two"} {
		r := Request{Goal: BestValue, Costs: Costs{Currency: "USD"}}
		got := ranked(&r, []Estimate{option("one", 1, 48, outlay, 0.1, 95), option("two", 2, 24, 1000, 0.1, 100)})
		if got[0] != want {
			t.Errorf("%v USD: %v, want %s first", outlay, got, want)
		}
	}
}

// A budget for chat: the fastest card is the one that the job nearly fills, and one with room that is not much slower
// goes before it; not where the fastest was asked for, where room costs more than a third of the speed, or for
// training.
func TestRoomLeadsWhereTheFastestIsNearlyFull(t *testing.T) {
	filled := func(name string, usable, speed float64) Estimate {
		e := option(name, 1, usable, 200, 0.05, speed)
		e.Memory.PerCard = Range{Expected: 6}
		return e
	}
	budget := Request{Goal: Fastest, Budget: catalog.Money{Micros: 300e6, Currency: "USD"},
		Costs: Costs{Currency: "USD"}, Workload: Workload{Task: Inference}}
	asked, training := budget, budget
	asked.Given, training.Workload.Task = []string{"goal"}, LoRA
	for _, x := range []struct {
		name   string
		r      Request
		slower float64
		want   string
	}{
		{"a budget", budget, 75, "12 GB"}, {"too slow", budget, 60, "8 GB"}, {"fastest", asked, 75, "8 GB"},
		{"training", training, 75, "8 GB"},
	} {
		options, _, roomier := x.r.ranked([]Estimate{filled("8 GB", 8, 100), filled("8 GB, slower", 8, 90),
			filled("12 GB", 12, x.slower)}, nil)
		if options[0].Card.Name != x.want || roomier != (x.want == "12 GB") {
			t.Errorf("%s: %s leads (%v), want %s", x.name, options[0].Card.Name, roomier, x.want)
		}
		if roomier && options[1].Card.Name != "8 GB" {
			t.Errorf("%s: %s is second, which the page names as the faster", x.name, options[1].Card.Name)
		}
	}
	room := []Estimate{filled("12 GB", 12, 100), filled("24 GB", 24, 99)}
	if options, _, roomier := budget.ranked(room, nil); options[0].Card.Name != "12 GB" || roomier {
		t.Error("a fastest card with room does not lead")
	}
}

// Where most of the money goes into the host's memory, a tenth of it decides nothing: of the cards that are as fast,
// the one with the most memory leads that costs so much more than the cheapest at most, the cheapest of several such.
func TestBesideTheHostTheRoomiestLeadsThatCostsLittleMore(t *testing.T) {
	for name, x := range map[string]struct {
		budget float64
		host   bool
		want   string
	}{
		"on the card":       {10000, false, "small"},
		"beside the host":   {10000, true, "large"},
		"of a small budget": {4000, true, "small"},
		"without a budget":  {0, true, "small"},
	} {
		var options []Estimate
		var places []place
		for i, c := range []struct {
			id           string
			gb, price, s float64
		}{{"huge", 96, 9000, 1}, {"large and dear", 24, 1200, 1.01},
			{"large", 24, 850, 1.02}, {"small", 16, 350, 1.05}, {"slow", 48, 300, 1.3}} {
			e := Estimate{Card: &Card{ID: c.id, Usable: c.gb}, Workload: Workload{Task: Inference, Cards: 1}}
			if x.host {
				e.Workload.Sharding.Offload = offloadExperts
			}
			e.Expenses = []Expense{{Acquire: "buy", Currency: "USD", PerHour: c.price / 1000, Outlay: c.price}}
			options, places = append(options, e), append(places, place{at: i, score: c.s})
		}
		r := Request{Goal: Fastest, Budget: catalog.Money{Micros: int64(x.budget * 1e6), Currency: "USD"},
			Costs: Costs{Currency: "USD"}}
		if r.asFast(places, options); options[places[0].at].Card.ID != x.want {
			t.Errorf("%s: the %s one leads, want the %s one", name, options[places[0].at].Card.ID, x.want)
		}
	}
}

// What weights in the host's memory cost in speed was measured with cards of NVIDIA's: others stand behind them.
func TestExpertsOnTheHostAreMeasuredBesideNVIDIA(t *testing.T) {
	a := all(t)
	r := ask(t, a, "model=deepseek-r1&task=inference&offload=experts&budget=10000&currency=USD")
	got := a.Recommend(r, a.Cards)
	if len(got.Options) == 0 || got.Options[0].Card.Vendor != "NVIDIA" || got.Options[0].Unmeasured {
		t.Fatalf("%d options, of which none of NVIDIA's leads", len(got.Options))
	}
	if first := &got.Options[0]; first.Filled() > cramped {
		t.Errorf("%s, which the job fills, leads", first.Card.ID)
	}
}
