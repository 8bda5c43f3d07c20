package compare

import (
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
)

// three is a comparison of cards that differ in what their facts say.
func three(t *testing.T, measured ...catalog.Benchmark) Comparison {
	t.Helper()
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"},
	}}
	for _, name := range []string{"GeForce RTX 10", "GeForce RTX 20", "GeForce RTX 30"} {
		id := "acme-" + strings.ToLower(strings.ReplaceAll(name, " ", "-"))
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: name, Vendor: "Acme", Kind: "gpu", Segment: "desktop",
			Facts: []catalog.Fact{
				{Quantity: "memory_gb", Number: 24, Source: "sheet"},
				{Quantity: "memory_bandwidth_gb_s", Number: 1000, Source: "sheet"},
			}})
	}
	d.Benchmarks = measured
	return Comparison{
		Snap: catalog.NewSnapshot(1, d).Priced(catalog.Pricing{Today: "2026-10-20"}),
		Rows: []int{0, 1, 2},
	}
}

func speedFact(card int, value, low, high float64) api.ComparedFit {
	return api.ComparedFit{
		Card:       card,
		Size:       "32B",
		Task:       string(sizing.Inference),
		Framework:  "llama.cpp",
		Weights:    "q4_k_m",
		TokensPerS: &api.ComparedValue{Value: value, Low: low, High: high},
	}
}

// standing is one current offer.
func standing(kind catalog.PriceKind, amount float64, date catalog.Date) catalog.Standing {
	if amount == 0 {
		return catalog.Standing{}
	}
	m := catalog.MoneyOf(amount, "USD")
	q := catalog.Quote{
		PriceInfo: catalog.PriceInfo{Price: &catalog.Price{Kind: kind, Date: date, Seller: "Shop"}},
		Each:      m,
		In:        m,
	}
	return catalog.Standing{Offers: 1, Current: 1, Best: q, Last: q, Priced: true, Newest: date}
}

// factsOfThree have no offers.
func factsOfThree(fits ...api.ComparedFit) *facts {
	none := make([]catalog.Standing, 3)
	return &facts{fits: fits, usual: "32B", rents: none, buys: none, lists: none}
}

func sentence(list []api.ComparedSentence, kind string) *api.ComparedSentence {
	for i := range list {
		if list[i].Kind == kind {
			return &list[i]
		}
	}
	return nil
}

func TestNothingIsFasterWithinTheInterval(t *testing.T) {
	for name, c := range map[string]struct {
		fits []api.ComparedFit
		want string // "" is no sentence
	}{
		"apart":    {[]api.ComparedFit{speedFact(0, 33, 28, 40), speedFact(1, 60, 48, 76)}, isMore},
		"overlaps": {[]api.ComparedFit{speedFact(0, 33, 20, 50), speedFact(1, 40, 25, 60)}, isUnclear},
		"equal":    {[]api.ComparedFit{speedFact(0, 33, 20, 50), speedFact(1, 33, 20, 50)}, isUnclear},
		"alone":    {[]api.ComparedFit{speedFact(0, 33, 28, 40)}, ""},
	} {
		got := sentence(three(t).findings(factsOfThree(c.fits...)), "decode")
		if (got == nil) != (c.want == "") || got != nil && got.Finding != c.want {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
	other := speedFact(1, 90, 80, 100)
	other.Framework = "vllm"
	if got := sentence(three(t).findings(factsOfThree(speedFact(0, 33, 28, 40), other)), "decode"); got != nil {
		t.Errorf("speeds of two programs are compared: %+v", got)
	}
}

func TestPretrainingIsComparedWithTheSoftwareOfEachCard(t *testing.T) {
	other := speedFact(1, 90, 80, 100)
	other.Framework = "mindspeed"
	f := factsOfThree()
	f.pretrained = []api.ComparedFit{speedFact(0, 33, 28, 40), other}
	got := sentence(three(t).findings(f), "pretraining")
	if got == nil || got.Finding != isMore || len(got.Sources) != 2 {
		t.Fatalf("got %+v, want the second faster, with both programs", got)
	}
	other.Weights = "fp8"
	f.pretrained[1] = other
	if got := sentence(three(t).findings(f), "pretraining"); got != nil {
		t.Errorf("rates with weights in two formats are compared: %+v", got)
	}
}

func TestErrorsThatEstimatesShareMakeTheirRatioSurer(t *testing.T) {
	f := factsOfThree(speedFact(0, 33, 26, 42), speedFact(1, 40, 32, 50))
	if got := sentence(three(t).findings(f), "decode"); got.Finding != isUnclear {
		t.Fatalf("as independent: %+v", got)
	}
	f.together = func(task sizing.Task, alike bool) float64 {
		if task != sizing.Inference || !alike {
			t.Errorf("asks for %s, alike: %v", task, alike)
		}
		return 0.5
	}
	got := sentence(three(t).findings(f), "decode")
	if got.Finding != isMore || got.Ratio.Low <= 1 || got.Ratio.Low >= got.Ratio.Value {
		t.Errorf("of shared errors: %+v, want faster", got)
	}
}

func TestTheBaselineThatLeadsIsSetAgainstTheBestOfTheOthers(t *testing.T) {
	c := three(t)
	got := sentence(
		c.findings(factsOfThree(speedFact(0, 90, 80, 100), speedFact(1, 30, 25, 35), speedFact(2, 40, 36, 44))),
		"decode",
	)
	if got == nil || got.Cards[0] != 0 || got.Cards[1] != 2 || got.Ratio.Value != 2.25 {
		t.Errorf("got %+v, want the first against the third, 2.25", got)
	}
	c.baseline = 1
	got = sentence(
		c.findings(factsOfThree(speedFact(0, 90, 80, 100), speedFact(1, 30, 25, 35), speedFact(2, 40, 36, 44))),
		"decode",
	)
	if got == nil || got.Cards[0] != 0 || got.Cards[1] != 1 || got.Ratio.Value != 3 {
		t.Errorf("got %+v, want the first against the baseline, 3", got)
	}
}

func TestPricesOfTwoMonthsHaveNoRatio(t *testing.T) {
	f := factsOfThree()
	f.rents = []catalog.Standing{standing("on_demand", 2, "2026-10-01"), standing("on_demand", 1, "2026-09-30"), {}}
	got := sentence(three(t).findings(f), "rent")
	if got == nil || got.Finding != isUnlike || got.Ratio != nil {
		t.Errorf("got %+v, want prices of different months", got)
	}
	f.rents[1] = standing("on_demand", 1, "2026-10")
	if got = sentence(three(t).findings(f), "rent"); got == nil || got.Ratio == nil ||
		got.Ratio.Value != 2 && got.Ratio.Value != .5 {
		t.Errorf("got %+v, want a ratio within the month", got)
	}
	f.rents[1] = standing("on_demand", 2, "2026-10-09")
	if got = sentence(three(t).findings(f), "rent"); got == nil || got.Finding != isSame {
		t.Errorf("got %+v, want the same", got)
	}
}

func TestKindsOfPricesAreNotMixed(t *testing.T) {
	f := factsOfThree()
	f.buys = []catalog.Standing{standing("street", 2000, "2026-10-01"), standing("used", 1000, "2026-10-01"), {}}
	if got := sentence(three(t).findings(f), "buy"); got != nil {
		t.Errorf("got %+v, want no sentence on a new and a used card", got)
	}
	f.buys[2] = standing("street", 3000, "2026-10-01")
	if got := sentence(three(t).findings(f), "buy"); got == nil || len(got.Cards) != 2 || got.Cards[0] != 2 ||
		got.Ratio.Value != 1.5 {
		t.Errorf("got %+v, want the third against the first", got)
	}
	f.buys = make([]catalog.Standing, 3)
	if got := sentence(three(t).findings(f), "no_price"); got == nil || got.Finding != isNone {
		t.Errorf("got %+v, want that there is no price", got)
	}
}

func TestTheBestPriceIsAloneOfItsMonthAndOfToday(t *testing.T) {
	old := standing("street", 1, "2025-01-01")
	old.Current = 0
	launch := standing("launch", 1, "2022-01-01")
	launch.Best.Freshness = catalog.Historic
	a, b := standing("street", 2, "2026-10-01"), standing("street", 3, "2026-10-20")
	for name, c := range map[string]struct {
		of   []catalog.Standing
		want int
	}{
		"lowest":        {[]catalog.Standing{b, a}, 1},
		"old never":     {[]catalog.Standing{old, a, b}, 1},
		"alone":         {[]catalog.Standing{old, a}, -1},
		"tie":           {[]catalog.Standing{a, a, b}, -1},
		"other month":   {[]catalog.Standing{a, standing("street", 3, "2026-09-20")}, -1},
		"other kind":    {[]catalog.Standing{a, standing("used", 3, "2026-10-20")}, -1},
		"launch prices": {[]catalog.Standing{launch, launch}, -1},
	} {
		if got := lowest(c.of); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestContextsTellWhatFits(t *testing.T) {
	for name, c := range map[string]struct {
		rooms []contextRoom
		want  string
		first int
	}{
		"longer": {[]contextRoom{{13_000, false, true}, {43_000, false, true}, {}}, isMore, 1},
		"same":   {[]contextRoom{{13_000, false, true}, {13_000, false, true}, {}}, isSame, 1},
		"only":   {[]contextRoom{{13_000, false, true}, {0, false, true}, {}}, isOnly, 0},
		"none":   {[]contextRoom{{0, false, true}, {0, false, true}, {}}, "", 0},
	} {
		f := factsOfThree(speedFact(0, 33, 28, 40), speedFact(1, 60, 48, 76))
		f.rooms = map[string][]contextRoom{"32B": c.rooms}
		got := sentence(three(t).findings(f), "context")
		if (got == nil) != (c.want == "") || got != nil && (got.Finding != c.want || got.Cards[0] != c.first) {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
}

// TestEveryFindingHasItsWords: no text lacks an argument or shows a key.
func TestEveryFindingHasItsWords(t *testing.T) {
	c := three(t)
	for _, l := range locale.All() {
		w := CompareWords{c, l}
		for kind, findings := range map[string][]string{
			"decode": {isMore, isLess, isSame, isUnclear}, "training": {isMore, isLess, isSame, isUnclear},
			"pretraining": {isMore, isLess, isSame, isUnclear},
			"rated":       {isMore, isLess, isSame},
			"rent":        {isMore, isLess, isSame, isUnlike}, "buy": {isMore, isLess, isSame, isUnlike},
			"token":   {isMore, isLess, isSame, isUnclear},
			"context": {isMore, isLess, isSame, isOnly}, "export": {isSame, isUnlike}, "no_price": {isNone},
		} {
			for _, finding := range findings {
				v := &api.ComparedValue{Value: 2, Low: 1, High: 3}
				s := api.ComparedSentence{
					Kind:    kind,
					Finding: finding,
					Metric:  "32B",
					Cards:   []int{0, 1, 2},
					Values:  []*api.ComparedValue{v, v, v},
					Unit:    "USD",
					Sources: []string{"case_by_case", "not_controlled", "case_by_case"},
					Dates:   []string{"2026-10-01", "2026-10-02", "2026-10-03"},
					Ratio:   v,
				}
				switch kind {
				case "rated":
					s.Metric = "memory_bandwidth_gb_s"
				case "rent", "buy":
					s.Metric = "on_demand"
				case "export":
					s.Metric = "CN"
				}
				got := w.say(&s)
				all := got.Big + got.Text + got.Source + w.title([]api.ComparedSentence{s})
				if got.Big == "" || got.Text == "" || strings.Contains(all, "compare.") || strings.Contains(all, "%!") {
					t.Errorf("%s %s.%s: %+v", l.Code(), kind, finding, got)
				}
			}
		}
	}
}

func TestTitlesSayTheRentOfTheSamePair(t *testing.T) {
	w := CompareWords{three(t), locale.Of("en")}
	f := factsOfThree(speedFact(0, 33, 28, 40), speedFact(1, 66, 56, 80))
	f.rents = []catalog.Standing{standing("on_demand", 1, "2026-10-01"), standing("on_demand", 1.5, "2026-10-02"), {}}
	const want = "The RTX 20 decodes 2\u00a0× as fast as the RTX 10 on a 32B model, for 1.5\u00a0× the rent."
	if got := w.title(w.findings(f)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f.rents[1] = standing("on_demand", 1.5, "2026-09-02")
	if got := w.title(w.findings(f)); strings.Contains(got, "rent") {
		t.Errorf("got %q, want no rent of another month", got)
	}
	f.rents = []catalog.Standing{standing("on_demand", 1, "2026-10-01"), {}, standing("on_demand", 1.5, "2026-10-02")}
	if got := w.title(w.findings(f)); strings.Contains(got, "rent") {
		t.Errorf("got %q, want no rent of another card", got)
	}
}

// Of a program that two models were measured in, the first that has both cards speaks, and no other.
func TestTheBenchmarkThatHasBothCardsSpeaks(t *testing.T) {
	result := func(card string, value float64) catalog.BenchmarkResult {
		return catalog.BenchmarkResult{Card: "acme-geforce-rtx-" + card, Value: value, Runs: 1, With: "CUDA"}
	}
	benchmark := func(id string, results ...catalog.BenchmarkResult) catalog.Benchmark {
		return catalog.Benchmark{ID: id, Label: catalog.Text{En: id, Zh: id}, Unit: "tokens/s", Version: "1",
			Source: "sheet", Method: catalog.Text{En: "one run", Zh: "一次测试"}, Results: results}
	}
	seven, eight := oneMeasured[0], oneMeasured[1]
	for name, c := range map[string]struct {
		of7, of8 []catalog.BenchmarkResult
		want     string // "" is no sentence
	}{
		"both have both": {[]catalog.BenchmarkResult{result("10", 100), result("20", 200)},
			[]catalog.BenchmarkResult{result("10", 90), result("20", 120)}, seven},
		"the first lacks one": {[]catalog.BenchmarkResult{result("20", 200)},
			[]catalog.BenchmarkResult{result("10", 90), result("20", 120)}, eight},
		"each lacks one": {[]catalog.BenchmarkResult{result("20", 200)},
			[]catalog.BenchmarkResult{result("10", 90)}, ""},
	} {
		x := three(t, benchmark(seven, c.of7...), benchmark(eight, c.of8...))
		x.Rows = []int{0, 1}
		var got []string
		for _, s := range x.findings(factsOfThree()) {
			if s.Kind == "measured" {
				got = append(got, s.Metric)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q speak, want %q", name, got, c.want)
		}
	}
}

// Cards of data centres are compared by what they do for many users, and by what was measured of that before estimates.
func TestServicesComeBeforeSingleRequests(t *testing.T) {
	w := CompareWords{three(t), locale.Of("en")}
	served := func(card int, value float64) api.ComparedFit {
		f := speedFact(card, value, 0.9*value, 1.1*value)
		f.Size, f.Task, f.Framework, f.Weights = "14B", string(sizing.Serve), "vllm", "bf16"
		return f
	}
	f := factsOfThree(speedFact(0, 66, 56, 80), speedFact(1, 33, 28, 40))
	f.many, f.served = true, []api.ComparedFit{served(0, 1000), served(1, 2000)}
	f.rents = []catalog.Standing{standing("on_demand", 1, "2026-10-01"), standing("on_demand", 1.5, "2026-10-02"), {}}
	list := w.findings(f)
	const want = "The RTX 20 serves 2\u00a0× as many tokens of a 14B model as the RTX 10, for 1.5\u00a0× the rent."
	if got := w.title(list); got != want || list[0].Kind != "serve" {
		t.Errorf("got %q from %s, want %q", got, list[0].Kind, want)
	}
	if got := w.say(&list[0]).Source; !strings.Contains(got, "prompts of 1\u202f024 tokens, answers of 256") {
		t.Errorf("a service rests on %q", got)
	}
	cost := sentence(list, "serve_token")
	if cost == nil || cost.Ratio.Value != 0.75 || cost.Values[0].Value != display.Significant(1.5e6/3600/2000, 3) {
		t.Errorf("a million tokens: %+v", cost)
	}
	cost.Ratio = &api.ComparedValue{Value: 0.75}
	if got := w.say(cost).Source; got != "rent over measured speed" {
		t.Errorf("the cost of measured tokens rests on %q", got)
	}
	if sentence(list, "token") != nil || sentence(list, "decode") == nil {
		t.Error("one request at a time costs as much as for many, or is not compared")
	}
	for i := range f.served { // as what was measured
		f.served[i].TokensPerS.Low, f.served[i].TokensPerS.High = 0, 0
	}
	for _, v := range sentence(w.findings(f), "serve_token").Values {
		if v.Low != 0 || v.High != 0 {
			t.Errorf("the cost of tokens that were measured has an interval: %+v", v)
		}
	}
}

// What was measured for many users speaks without any estimate of it: first among cards of data centres, after what
// one user gets where other cards are among them.
func TestServicesThatWereMeasuredNeedNoEstimate(t *testing.T) {
	served := catalog.Benchmark{ID: manyMeasured[1], Label: catalog.Text{En: "8B throughput", Zh: "8B 吞吐量"},
		Unit: "tokens/s", Version: "1", Source: "sheet", Method: catalog.Text{En: "one run", Zh: "一次测试"},
		Results: []catalog.BenchmarkResult{
			{Card: "acme-geforce-rtx-10", Value: 100, Runs: 1},
			{Card: "acme-geforce-rtx-20", Value: 200, Runs: 1}}}
	w := CompareWords{three(t, served), locale.Of("en")}
	f := factsOfThree(speedFact(0, 33, 28, 40), speedFact(1, 66, 56, 80))
	for many, want := range map[bool]string{
		true:  "The RTX 20 reaches 2\u00a0× the RTX 10 in 8B throughput.",
		false: "The RTX 20 decodes 2\u00a0× as fast as the RTX 10 on a 32B model.",
	} {
		f.many = many
		list := w.findings(f)
		if got := w.title(list); got != want {
			t.Errorf("many %v: %q, want %q", many, got, want)
		}
		if s := sentence(list, "measured"); s == nil || s.Metric != served.ID {
			t.Errorf("many %v: what was measured is missing", many)
		}
	}
}

// Where nothing but figures is known, the first line says the rate beside the bandwidth.
func TestTheHeadOfFiguresSaysTheRateToo(t *testing.T) {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"}}}
	for i, name := range []string{"A", "B"} {
		d.Cards = append(d.Cards, catalog.Card{ID: "acme-" + strings.ToLower(name), Name: name, Vendor: "Acme",
			Kind: "gpu", Segment: "datacenter", Facts: []catalog.Fact{
				{Quantity: "memory_bandwidth_gb_s", Number: 1000 * float64(1+i), Source: "sheet"},
				{Quantity: catalog.DefaultBasis, Number: 100 * float64(1+2*i), Source: "sheet"}}})
	}
	c := Comparison{Snap: catalog.NewSnapshot(1, d).Priced(catalog.Pricing{Today: "2026-10-20"}), Rows: []int{0, 1}}
	f := &facts{rents: make([]catalog.Standing, 2), buys: make([]catalog.Standing, 2),
		lists: make([]catalog.Standing, 2)}
	w := CompareWords{c, locale.Of("en")}
	const want = "The B has 2\u00a0× the memory bandwidth of the A, and 3\u00a0× its rate (BF16 matrix, dense)."
	if got := w.title(w.findings(f)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
