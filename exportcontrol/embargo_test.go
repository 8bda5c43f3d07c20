package exportcontrol_test

import (
	"slices"
	"testing"

	"tianti/catalog"
	"tianti/exportcontrol"
)

// embargoed are the days from which part 746 needs a licence for every card.
var embargoed = map[string]string{
	"CU":    exportcontrol.FirstDay,
	"IR":    exportcontrol.FirstDay,
	"KP":    exportcontrol.FirstDay,
	"SY":    exportcontrol.FirstDay,
	"UA-43": exportcontrol.FirstDay,
	"RU":    "2022-02-24",
	"UA-09": "2022-02-24",
	"UA-14": "2022-02-24",
	"BY":    "2022-03-02",
}

// asked are days on both sides of every rule and change of a country group since December 2022.
func asked(t *testing.T) []string {
	t.Helper()
	days := []string{"2022-12-01"}
	for _, day := range exportcontrol.TurningPoints(today) {
		if day > days[0] {
			days = append(days, shifted(t, day, -1), day)
		}
	}
	slices.Sort(days)
	return slices.Compact(append(days, today))
}

// TestVerdictsOfEveryCard holds what must be true of every card, on every day on which
// something changes, for twelve destinations.
func TestVerdictsOfEveryCard(t *testing.T) {
	s := shared(t)
	free := []exportcontrol.Status{exportcontrol.NotControlled, exportcontrol.Domestic}
	cells := 0
	for row := range s.Len() {
		it := exportcontrol.CardItem(s, row)
		for _, day := range asked(t) {
			for _, to := range destinations {
				res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: day, Destination: to})
				cells++
				if !slices.Contains(exportcontrol.Verdicts, res.Verdict) {
					t.Fatalf("%s to %s on %s: verdict %q", it.ID, to, day, res.Verdict)
				}
				from, under := embargoed[to]
				if under = under && from <= day; under && !it.CloudOnly &&
					(slices.Contains(free, res.Verdict) || res.Verdict == exportcontrol.Unknown) {
					t.Errorf("%s to %s on %s: %s under an embargo", it.ID, to, day, res.Verdict)
				}
				if under && res.Exception != "" {
					t.Errorf("%s to %s on %s: licence exception %s under an embargo", it.ID, to, day, res.Exception)
				}
				for _, e := range res.Evaluations {
					if e.Verdict != "" && e.Rule.Counted() && e.Rule.Replaces == "" &&
						res.Verdict == exportcontrol.NotControlled &&
						!slices.Contains([]exportcontrol.Status{exportcontrol.NotControlled}, e.Verdict) &&
						it.Vendor != "" {
						t.Errorf("%s to %s on %s: free, though %s says %s", it.ID, to, day, e.Rule.ID, e.Verdict)
					}
				}
			}
		}
	}
	if cells < 324*20*len(destinations) {
		t.Errorf("only %d cells were looked at", cells)
	}
}

func TestNoLicenceExceptionIsOpenUnderAnEmbargo(t *testing.T) {
	gaming := described(5285, 8.6, 64, 1008, 0) // 3A090.a, not for data centres
	for to, want := range map[string]string{"CN": "NAC", "VN": "ACA", "IQ": "", "IR": "", "RU": "", "SY": "", "KP": "",
		"CU": "", "BY": ""} {
		res := exportcontrol.Evaluate(gaming, exportcontrol.Question{AsOf: "2026-06-01", Destination: to})
		if res.Exception != want {
			t.Errorf("to %s: exception %q, want %q", to, res.Exception, want)
		}
	}
	for parent, want := range map[string]string{"CN": "NAC", "RU": "", "IR": ""} {
		res := exportcontrol.Evaluate(
			gaming,
			exportcontrol.Question{AsOf: "2026-06-01", Destination: "SG", Headquarters: parent},
		)
		if res.Exception != want {
			t.Errorf("to SG for %s: exception %q, want %q", parent, res.Exception, want)
		}
	}
}

func TestSmallCardsAreUnderEmbargoesToo(t *testing.T) {
	small := described(20, 0.1, 8, 48, 0)
	for to, want := range map[string]exportcontrol.Status{"RU": exportcontrol.PresumptionOfDenial,
		"IR": exportcontrol.PresumptionOfDenial,
		"KP": exportcontrol.LicenceRequired, "SY": exportcontrol.LicenceRequired,
		"UA-43": exportcontrol.PresumptionOfDenial,
		"UA":    exportcontrol.NotControlled, "IQ": exportcontrol.NotControlled, "CN": exportcontrol.NotControlled} {
		res := exportcontrol.Evaluate(small, exportcontrol.Question{AsOf: "2026-06-01", Destination: to})
		if res.Verdict != want {
			t.Errorf("to %s: %s, want %s", to, res.Verdict, want)
		}
	}
}

func TestCardsDesignedInChina(t *testing.T) {
	s := shared(t)
	for _, test := range []struct {
		card, to string
		want     exportcontrol.Status
		gp10     bool
	}{
		{"huawei-ascend-910c", "CN", exportcontrol.Domestic, true},
		{"huawei-ascend-910c", "DE", exportcontrol.Prohibited, true},
		{"cambricon-mlu270-s4", "CN", exportcontrol.Domestic, false},
		{"cambricon-mlu270-s4", "RU", exportcontrol.PresumptionOfDenial, false},
		{"google-tpu-v5p", "CN", exportcontrol.CloudOnly, false},
	} {
		res := exportcontrol.Evaluate(
			itemOf(t, s, test.card),
			exportcontrol.Question{AsOf: "2026-06-01", Destination: test.to},
		)
		gp10 := slices.ContainsFunc(
			res.Because,
			func(r *exportcontrol.Rule) bool { return r.ID == exportcontrol.RuleGP10 },
		)
		if res.Verdict != test.want || gp10 != test.gp10 {
			t.Errorf(
				"%s to %s: %s, because of GP10: %v; want %s, %v",
				test.card,
				test.to,
				res.Verdict,
				gp10,
				test.want,
				test.gp10,
			)
		}
	}
}

func TestAClassificationCountsOnlyAmongWhatTheFiguresAllow(t *testing.T) {
	it := described(0, 0, 64, 1400, 1)
	it.TPP = exportcontrol.Amount{Value: 2500, Known: exportcontrol.AtLeast, Most: 6000}
	it.PerformanceDensity = exportcontrol.Amount{Value: 3.4, Known: exportcontrol.AtLeast, Most: 5.8}
	q := exportcontrol.Question{AsOf: "2026-06-01", Destination: "CN"}
	for eccn, want := range map[string]struct {
		class  exportcontrol.Status
		reason exportcontrol.Reason
	}{
		"":        {exportcontrol.Unknown, exportcontrol.ByComparison},
		"4A090.a": {exportcontrol.A, exportcontrol.ByECCN},
		"4A090.b": {exportcontrol.B, exportcontrol.ByECCN},
		"4A994.l": {exportcontrol.Unknown, exportcontrol.SourcesConflict},
	} {
		it.ECCN = eccn
		res := exportcontrol.Evaluate(it, q)
		e, _ := evaluationOf(res, exportcontrol.Rule3A090)
		if e.Class != want.class || e.Reason != want.reason {
			t.Errorf("ECCN %q: %s by %q, want %s by %q", eccn, e.Class, e.Reason, want.class, want.reason)
		}
		if eccn == "4A994.l" &&
			(len(e.Other) != 1 || e.Other[0].ECCN != eccn || res.Verdict == exportcontrol.NotControlled) {
			t.Errorf("ECCN %q: verdict %s, other readings %v", eccn, res.Verdict, e.Other)
		}
	}
}

// farDay is a day after every rule.
const farDay = "2035-12-31"

func TestTheLastDayIsAYearAhead(t *testing.T) {
	for today, want := range map[string]string{"2026-11-23": "2027-11-23", "2024-02-29": "2025-03-01"} {
		if got := exportcontrol.LastDay(today); got != want {
			t.Errorf("on %s: %s, want %s", today, got, want)
		}
	}
}

// TestFewCardsAreNotKnown keeps upper bounds doing their work: what no source states is
// seldom what decides.
func TestFewCardsAreNotKnown(t *testing.T) {
	s := shared(t)
	var unknown []string
	all := exportcontrol.EvaluateAll(s, exportcontrol.Question{AsOf: today, Destination: "CN"})
	for row := range s.Len() {
		if all.Of(row).Verdict == exportcontrol.Unknown {
			unknown = append(unknown, s.Card(row).ID)
		}
	}
	if len(unknown) > s.Len()/7 || slices.Contains(unknown, "nvidia-geforce-gt-1030") {
		t.Errorf("%d cards are not known, want at most %d without the GT 1030: %v", len(unknown), s.Len()/7, unknown)
	}
}

// TestBoundsHoldOnCardsWhoseRatesAreKnown takes from each card what is known of it, and asks
// whether the bound that the others give holds.
func TestBoundsHoldOnCardsWhoseRatesAreKnown(t *testing.T) {
	s := shared(t)
	checked := 0
	for i := range s.Len() {
		f := s.Figures(i)
		own := catalog.PerformanceOf(f)
		fp32, ok := f.Number("fp32_vector_tflops")
		if !own.Complete || !ok || f.Text("architecture") == "" || f.Text("segment") == "edge" {
			continue
		}
		most := 0.0
		for j := range s.Len() {
			g := s.Figures(j)
			p := catalog.PerformanceOf(g)
			other, ok := g.Number("fp32_vector_tflops")
			if j == i || !ok || !p.Complete || g.Text("segment") == "edge" || g.Text("vendor") != f.Text("vendor") ||
				g.Text("architecture") != f.Text("architecture") ||
				exportcontrol.ItemOf(g).Datacenter != exportcontrol.ItemOf(f).Datacenter {
				continue
			}
			most = max(most, 1.1*p.TPP*p.ICs/other*fp32/own.ICs)
		}
		if most == 0 {
			continue // it is the only one of its architecture
		}
		if checked++; most < own.TPP {
			t.Errorf("%s: TPP %v, the others allow %v", s.Card(i).ID, own.TPP, most)
		}
	}
	if checked < 100 {
		t.Errorf("only %d cards were checked", checked)
	}
}

func TestARateAloneSettlesNothing(t *testing.T) {
	alone := exportcontrol.Described(
		figures{
			"segment":                  "datacenter",
			"fp16_matrix_dense_tflops": 140.0,
			"nonplanar_die_mm2":        800.0,
			"memory_bandwidth_gb_s":    600.0,
			"interconnect_gb_s":        0.0,
			"pcie_generation":          4.0,
			"pcie_lanes":               16.0,
		},
	)
	q := exportcontrol.Question{AsOf: today, Destination: "CN"}
	if res := exportcontrol.Evaluate(&alone, q); alone.TPP.Known != exportcontrol.AtLeast ||
		res.Verdict != exportcontrol.Unknown {
		t.Errorf("FP16 alone: TPP %s, %s; want a lower bound that settles nothing", alone.TPP, res.Verdict)
	}
	both := exportcontrol.Described(
		figures{
			"segment":                  "datacenter",
			"fp16_matrix_dense_tflops": 140.0,
			"int8_matrix_dense_tops":   280.0,
			"nonplanar_die_mm2":        800.0,
			"memory_bandwidth_gb_s":    600.0,
			"interconnect_gb_s":        0.0,
			"pcie_generation":          4.0,
			"pcie_lanes":               16.0,
		},
	)
	if res := exportcontrol.Evaluate(&both, q); both.TPP.Known != exportcontrol.Exact ||
		res.Verdict != exportcontrol.NotControlled {
		t.Errorf("FP16 and INT8: TPP %s, %s; want exactly 2240, not caught", both.TPP, res.Verdict)
	}
}

// TestNoGapLiesBetweenTheParagraphs: the RTX 6000 D is 3A090.a or .b whatever its matrix
// rates are, so that a vendor's 4A994 cannot free it.
func TestNoGapLiesBetweenTheParagraphs(t *testing.T) {
	it := itemOf(t, shared(t), "nvidia-rtx-6000d")
	res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: today, Destination: "CN"})
	e, _ := evaluationOf(res, exportcontrol.Rule3A090)
	if res.Verdict == exportcontrol.NotControlled || slices.Contains(e.Possible, exportcontrol.Not3A090) ||
		e.Reason != exportcontrol.SourcesConflict {
		t.Errorf(
			"%s, may be %v, by %q; want a licence in any case, and sources that conflict",
			res.Verdict,
			e.Possible,
			e.Reason,
		)
	}
}

// hiding are figures without one.
type hiding struct {
	catalog.Figures
	id string
}

func (h hiding) Number(id string) (float64, bool) {
	if id == h.id {
		return 0, false
	}
	return h.Figures.Number(id)
}

func (h hiding) Text(id string) string {
	if id == h.id {
		return ""
	}
	return h.Figures.Text(id)
}

// TestAFactFreesACardOnlyByName hides each figure of each card: where the card needs a licence
// without it and none with it, it is one that the worksheet shows in its arithmetic.
func TestAFactFreesACardOnlyByName(t *testing.T) {
	s := shared(t)
	licences := []exportcontrol.Status{
		exportcontrol.PresumptionOfDenial,
		exportcontrol.CaseByCase,
		exportcontrol.LicenceRequired,
	}
	shown := []string{"ics_per_card", "vendor", "segment"}
	for _, day := range []string{"2023-01-01", "2024-06-01", today} {
		q := exportcontrol.Question{AsOf: day, Destination: "CN"}
		for row := range s.Len() {
			f := s.Figures(row)
			with := exportcontrol.ItemOf(f)
			if exportcontrol.Evaluate(&with, q).Verdict != exportcontrol.NotControlled {
				continue
			}
			for _, quantity := range catalog.Quantities() {
				without := exportcontrol.ItemOf(hiding{f, quantity.ID})
				if was := exportcontrol.Evaluate(&without, q).Verdict; slices.Contains(licences, was) &&
					!slices.Contains(shown, quantity.ID) {
					t.Errorf("%s on %s: %s without its %s, free with it", s.Card(row).ID, day, was, quantity.ID)
				}
			}
		}
	}
}
