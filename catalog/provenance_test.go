package catalog

import (
	"slices"
	"testing"
)

func TestWeakFiguresNeverWin(t *testing.T) {
	sources := map[string]*Source{
		"sheet": {Kind: "datasheet", Published: "2026"}, "wiki": {Kind: Community, Published: "2020"},
		"keynote": {Kind: "datasheet", Published: "2025", Standing: BeforeLaunch},
	}
	for _, tt := range []struct {
		name  string
		facts []Fact
		want  int
	}{
		{"a pre-launch datasheet yields to a wiki", []Fact{{Source: "keynote"}, {Source: "wiki"}}, 1},
		{"a vendor's estimate yields to a wiki", []Fact{{Source: "sheet", Standing: Estimate}, {Source: "wiki"}}, 1},
		{"a full die yields to a wiki", []Fact{{Source: "sheet", Standing: FullDie}, {Source: "wiki"}}, 1},
		{"an estimate yields to what was announced",
			[]Fact{{Source: "sheet", Standing: Estimate}, {Source: "keynote"}}, 1},
		{"the fact's own standing beats its source's",
			[]Fact{{Source: "keynote", Standing: ByVendor}, {Source: "wiki"}}, 0},
		{"weak ones stand where there is nothing else", []Fact{{Source: "sheet", Standing: Estimate}}, 0},
		{"calculations are not weak", []Fact{{Source: "sheet", Standing: Calculated}, {Source: "wiki"}}, 0},
	} {
		if got := Preferred(tt.facts, sources); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
		if got := shownSource(t, tt.facts, sources); got != tt.facts[tt.want].Source {
			t.Errorf("%s: the snapshot shows %q, want %q", tt.name, got, tt.facts[tt.want].Source)
		}
	}
}

// shownSource is the source of the shown figure of a card with those facts.
func shownSource(t *testing.T, facts []Fact, sources map[string]*Source) string {
	t.Helper()
	d := Dataset{ID: "d"}
	for id, s := range sources {
		src := *s
		src.ID = id
		d.Sources = append(d.Sources, src)
	}
	c := Card{ID: "x", Name: "X", Vendor: "Acme", Kind: "gpu", Segment: "desktop"}
	for i, f := range facts {
		f.Quantity, f.Number = "memory_gb", float64(i+1)
		c.Facts = append(c.Facts, f)
	}
	d.Cards = []Card{c}
	v, ok := NewSnapshot(1, d).Shown(registryByID["memory_gb"], 0)
	if !ok {
		return ""
	}
	return v.Source.ID
}

func TestAWeakFigureOfAHigherRankYields(t *testing.T) {
	card := Card{ID: "x", Name: "X", Vendor: "Acme", Kind: "gpu", Segment: "desktop"}
	with := func(id string, rank int, f Fact) Dataset {
		f.Quantity, f.Source = "memory_gb", "s"
		c := card
		c.Facts = []Fact{f}
		return Dataset{ID: id, Rank: rank, Sources: []Source{{ID: "s", Kind: Community}}, Cards: []Card{c}}
	}
	s := NewSnapshot(1, with("low", 1, Fact{Number: 24}), with("high", 2, Fact{Number: 32, Standing: Estimate}))
	if v, _ := s.Shown(registryByID["memory_gb"], 0); v.Number != 24 {
		t.Errorf("the estimate of the higher rank is shown: %v", v.Number)
	}
}

func TestAgreementCountsOriginsOnce(t *testing.T) {
	src := func(publisher, origin string) *SourceRef {
		return &SourceRef{Source: Source{Publisher: publisher, Origin: origin}}
	}
	v := func(number float64, s *SourceRef, st FigureStanding) Value {
		return Value{Quantity: registryByID["memory_gb"], Number: number, Source: s, Standing: st}
	}
	f := Figure{Shown: v(24, src("NVIDIA", ""), ByVendor), Others: []Value{
		v(24, src("Site A", "TechPowerUp"), ByCommunity), v(24, src("Site B", "TechPowerUp"), ByCommunity),
		v(32, src("Site C", ""), ByCommunity),      // disagrees
		v(24, src("Site D", ""), BeforeLaunch),     // weak
		v(24, src("Tianti", ""), Calculated),       // no witness
		v(24, src("Paper", "NVIDIA"), ByCommunity), // reads NVIDIA out
	}}
	a := f.Agreement()
	if a.Sources != 4 || a.Of != 5 || !slices.Equal(a.Origins, []string{"NVIDIA", "TechPowerUp"}) {
		t.Errorf("got %+v", a)
	}
}

func TestFigureStandingRule(t *testing.T) {
	note := Text{"2 × 3", "2 × 3"}
	for _, tt := range []struct {
		name   string
		source Source
		fact   Fact
		unsold bool
		broken bool
	}{
		{"by calculation without a formula", Source{Kind: Community}, Fact{Standing: Calculated}, false, true},
		{"by calculation with one", Source{Kind: Community}, Fact{Standing: Calculated, Note: note}, false, false},
		{"press before the launch", Source{Kind: "press", Published: "2026-01"}, Fact{}, false, true},
		{"press before the launch that says so", Source{Kind: "press", Published: "2026-01"},
			Fact{Standing: BeforeLaunch}, false, false},
		{"press since", Source{Kind: "press", Published: "2026-03"}, Fact{}, false, false},
		{"vendor's figure of what is not sold", Source{Kind: "datasheet"}, Fact{}, true, true},
		{"the same, said", Source{Kind: "datasheet", Standing: BeforeLaunch}, Fact{}, true, false},
		{"an unknown standing", Source{Kind: "datasheet"}, Fact{Standing: "guess"}, false, true},
	} {
		tt.source.ID, tt.source.Publisher, tt.source.Title, tt.source.URL = "s", "P", "T", "https://example.com"
		tt.fact.Quantity, tt.fact.Number, tt.fact.Source = "memory_gb", 24, "s"
		facts := []Fact{tt.fact, {Quantity: "launched", Text: "2026-02", Source: "s"}}
		if tt.unsold {
			facts = append(facts, Fact{Quantity: "standing", Text: Announced, Source: "s"})
		}
		d := Dataset{Sources: []Source{tt.source}, Cards: []Card{{ID: "x", Name: "X", Vendor: "Acme", Kind: "gpu",
			Segment: "desktop", Facts: facts}}}
		if problems := Check(d); (len(problems) > 0) != tt.broken {
			t.Errorf("%s: %v", tt.name, problems)
		}
	}
}

func TestPhysicsConfirmsWithinOnePercent(t *testing.T) {
	fact := func(q string, n float64) Fact { return Fact{Quantity: q, Number: n, Source: "s"} }
	card := Card{ID: "x", Name: "GeForce RTX 4090", Vendor: "NVIDIA", Kind: "gpu", Segment: "desktop",
		Architecture: "Ada Lovelace", Facts: []Fact{fact("memory_bus_bits", 384), fact("memory_data_rate_gbps", 21),
			fact("memory_bandwidth_gb_s", 1008), fact("compute_units", 128), fact("shader_cores", 16384),
			fact("boost_clock_mhz", 2520), fact("fp32_vector_tflops", 82.6),
			fact("fp16_matrix_dense_tflops", 165.2), fact("fp8_matrix_dense_tflops", 337), // 2 % off
			{Quantity: "int8_matrix_dense_tops", Number: 660.6, Source: "s", Standing: Calculated}}}
	s := NewSnapshot(1, Dataset{ID: "d", Sources: []Source{{ID: "s", Kind: "datasheet"}}, Cards: []Card{card}})
	want := map[string]string{"memory_bandwidth_gb_s": "384 bit × 21 Gbit/s ÷ 8",
		"fp32_vector_tflops": "2 × 16384 × 2.52 GHz", "fp16_matrix_dense_tflops": "512 × 128 × 2.52 GHz"}
	for _, f := range card.Facts {
		p, ok := s.Physics(registryByID[f.Quantity], 0)
		if p.Formula != want[f.Quantity] || ok != (want[f.Quantity] != "") {
			t.Errorf("%s: got %q, %v; want %q", f.Quantity, p.Formula, ok, want[f.Quantity])
		}
	}
	if n := s.PhysicsCount(); n != len(want) {
		t.Errorf("%d figures confirmed, want %d", n, len(want))
	}
}
