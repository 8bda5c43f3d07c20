package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/web"
)

// raced are four cards of one architecture, three of which were measured, 5 to 7 times.
func raced(t *testing.T) *web.Server {
	t.Helper()
	return racedTimes(t, 5, 6, 7)
}

// racedTimes are these cards, of which three were measured so many times.
func racedTimes(t *testing.T, runs ...int) *web.Server {
	t.Helper()
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"},
		{ID: "runs", Publisher: "Runs", Title: "What people ran", URL: "https://example.com/b", Kind: "measured"}}}
	b := catalog.Benchmark{
		ID:      "blender-4.5",
		Label:   catalog.Text{En: "Rendering", Zh: "渲染"},
		Unit:    "samples/min",
		Version: "4.5.0",
		Method:  catalog.Text{En: "three scenes", Zh: "三个场景"},
		Source:  "runs",
	}
	for i, id := range []string{"acme-a", "acme-b", "acme-c", "acme-d"} {
		d.Cards = append(
			d.Cards,
			catalog.Card{
				ID:           id,
				Name:         strings.ToUpper(id[5:]),
				Vendor:       "Acme",
				Kind:         "gpu",
				Segment:      "desktop",
				Architecture: "Xenon",
				Facts: []catalog.Fact{
					{Quantity: "fp32_vector_tflops", Number: float64(10 * (i + 1)), Source: "sheet"},
				},
			},
		)
		if i < 3 {
			b.Results = append(
				b.Results,
				catalog.BenchmarkResult{
					Card:  id,
					Value: float64(1000 * (i + 1)),
					Runs:  runs[i],
					Low:   float64(900 * (i + 1)),
					High:  float64(1100 * (i + 1)),
					With:  "OptiX",
				},
			)
		}
	}
	d.Benchmarks = []catalog.Benchmark{b}
	s := web.New(web.Config{})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, d))
	return s
}

type racedLadder struct {
	Basis    string
	Measured struct{ Version, Source string }
	Tiers    []struct {
		Cards []struct {
			ID        string
			Value     float64
			N         int
			Spread    *struct{ Low, High float64 }
			With      string
			Estimated bool
			Confirmed bool
		}
	}
	Unplaced []struct{ ID, Reason string }
}

func racedAnswer(t *testing.T, s http.Handler, path string) (l racedLadder) {
	t.Helper()
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, path))), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAMeasuredLadderTellsRunsAndSpread(t *testing.T) {
	s := raced(t)
	l := racedAnswer(t, s, "/api/v1/ladders/measured/blender-4.5")
	if l.Basis != "measured/blender-4.5" || l.Measured.Version != "4.5.0" || l.Measured.Source != "runs" {
		t.Errorf("got %+v", l)
	}
	first := l.Tiers[0].Cards[0]
	if first.ID != "acme-c" || first.Value != 3000 || first.N != 7 || first.Spread == nil ||
		first.Spread.High != 3300 ||
		first.With != "OptiX" ||
		!first.Confirmed {
		t.Errorf("the first is %+v", first)
	}
	if len(l.Unplaced) != 1 || l.Unplaced[0].ID != "acme-d" || l.Unplaced[0].Reason != "not_measured" {
		t.Errorf("without a place: %+v", l.Unplaced)
	}
	l = racedAnswer(t, s, "/api/v1/ladders/measured/desktop")
	if first = l.Tiers[0].Cards[0]; first.ID != "acme-d" || first.Value != 4000 || !first.Estimated ||
		first.Confirmed ||
		first.N != 0 {
		t.Errorf("a card that nobody measured: %+v, want 4000, estimated", first)
	}
}

func TestALadderOfSingleRunsSaysSo(t *testing.T) {
	const path, medians, single = "/ladders/measured/blender-4.5", "Medians of 18 runs", "One run on each of 3 cards"
	if body := bodyOf(t, get(t, raced(t), path)); !strings.Contains(body, medians) || strings.Contains(body, single) {
		t.Errorf("several runs of a card: want %q alone", medians)
	}
	body := bodyOf(t, get(t, racedTimes(t, 1, 1, 1), path))
	if !strings.Contains(body, single) || strings.Contains(body, "Medians of") {
		t.Errorf("one run of each card: want %q alone", single)
	}
}

func TestMeasuredLaddersStandOnThePages(t *testing.T) {
	s := raced(t)
	for path, want := range map[string]string{
		"/ladders":                          `href="/ladders/measured/blender-4.5"`,
		"/ladders/measured/blender-4.5":     "median of 7 runs",
		"/zh/ladders/measured/blender-4.5":  "7 次测试",
		"/ladders/measured/desktop":         "estimated from FP32 rate and 3 measured cards",
		"/zh/ladders/measured/desktop":      "估算",
		"/ladders/measured/blender-4.5.csv": "OptiX",
		"/ladders/measured/blender-4.5.md":  "Rendering",
		"/ladders/measured/desktop.svg":     "<svg",
		"/cards/acme-b":                     "On measured ladders",
		"/zh/cards/acme-b":                  "实测天梯中的位置",
	} {
		if body := bodyOf(t, get(t, s, path)); !strings.Contains(body, want) {
			t.Errorf("%s does not have %q", path, want)
		}
	}
	body := bodyOf(t, get(t, s, "/ladders"))
	if strings.Index(body, "ladders/measured") > strings.Index(body, "ladders/fp32_vector_tflops") {
		t.Error("rated ladders stand before measured ones")
	}
	body = bodyOf(t, get(t, s, "/cards/acme-b"))
	if !strings.Contains(body, ">Acme C</a>") || !strings.Contains(body, ">Acme A</a>") ||
		!strings.Contains(body, `class="own"`) {
		t.Error("the neighbours above and below are not there")
	}
	for _, path := range []string{"/ladders/measured/blender-5.2", "/ladders/measured/a/b",
		"/api/v1/ladders/measured/nothing"} {
		if r := get(t, s, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, r.StatusCode)
		}
	}
	if r := get(t, s, "/ladders?basis=measured/blender-4.5"); r.Header.Get(
		"Location",
	) != "/ladders/measured/blender-4.5" {
		t.Errorf("the form leads to %q", r.Header.Get("Location"))
	}
}
