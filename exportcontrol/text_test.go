package exportcontrol_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/exportcontrol"
)

func TestValuesAreWrittenForProgramsAndLogs(t *testing.T) {
	compared := exportcontrol.Comparison{
		Condition: exportcontrol.Condition{Quantity: exportcontrol.TPP, Op: exportcontrol.AtOrAbove, Bound: 4800},
		Amount:    exact(4992),
		Met:       exportcontrol.Yes,
	}
	numbered := compared
	numbered.Limb = "a.1"
	for want, v := range map[string]fmt.Stringer{
		"4992.5":         exact(4992.5),
		"≥ 4992":         atLeast(4992),
		"400 … 656":      exportcontrol.Amount{Value: 400, Known: exportcontrol.AtLeast, Most: 656},
		"0 … 256":        exportcontrol.Amount{Known: exportcontrol.AtLeast, Most: 256},
		"unknown":        exportcontrol.Amount{},
		"not applicable": exportcontrol.Amount{Known: exportcontrol.NotApplicable},
		"no":             exportcontrol.No, "yes": exportcontrol.Yes,
		"tpp 4992 ≥ 4800: yes":        compared,
		"a.1: tpp 4992 ≥ 4800: yes":   numbered,
		"published_tpp 3822.25":       exportcontrol.OtherReading{Basis: "published_tpp", Value: 3822.25},
		"eccn 4A090.a":                exportcontrol.OtherReading{Basis: "eccn", ECCN: "4A090.a"},
		"":                            exportcontrol.ByComparison,
		"the rule names this product": exportcontrol.ByName,
	} {
		if got := v.String(); got != want {
			t.Errorf("%#v: got %q, want %q", v, got, want)
		}
	}
}

func TestGroupsAndRestrictionsFollowFromTheLists(t *testing.T) {
	for _, day := range []string{"2026-07-09", "2026-07-10"} {
		for _, country := range exportcontrol.Countries() {
			groups := exportcontrol.GroupsOf(country, day)
			restricted, embargoed := country == "MO", country == "MO"
			for _, g := range groups {
				restricted = restricted || strings.HasPrefix(g.Group, "D:")
				embargoed = embargoed || g.Group == "D:5"
			}
			if got := exportcontrol.Restricted(country, day); got != restricted {
				t.Errorf("%s of %v on %s: restricted %v, want %v", country, groups, day, got, restricted)
			}
			if got := exportcontrol.Embargoed(country, day); got != embargoed {
				t.Errorf("%s of %v on %s: embargoed %v, want %v", country, groups, day, got, embargoed)
			}
		}
	}
	for country, want := range map[string][]string{"CN": {"D:1", "D:4", "D:5"}, "HK": {"D:1", "D:4", "D:5"},
		"IL": {"A:6", "D:4"}, "JP": {"A:5"},
		"SY": {"D:4", "D:5", "E:1"}, "CU": {"D:5", "E:2"}, "FJ": nil} {
		var got []string
		for _, m := range exportcontrol.GroupsOf(country, "2026-06-01") {
			got = append(got, m.Group)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is in %v, want %v", country, got, want)
		}
	}
}

func TestEveryCountryIsReadInAnyCase(t *testing.T) {
	for _, code := range exportcontrol.Countries() {
		for _, s := range []string{code, strings.ToLower(code), " " + strings.ToLower(code) + "\n"} {
			if got, err := exportcontrol.ParseCountry(s); got != code || err != nil {
				t.Errorf("%q: got %q, %v, want %s", s, got, err, code)
			}
		}
	}
}

// TestOtherClaimsAreThoseThatLeadToAnotherClass asks for the class of an item as each of
// its vendor's two claims of performance makes it.
func TestOtherClaimsAreThoseThatLeadToAnotherClass(t *testing.T) {
	const area = 500
	fp8, _ := catalog.LookupQuantity("fp8_matrix_dense_tflops")
	tpps := []float64{0, 800, 1600, 2400, 2960, 4799, 4800, 15000}
	q := exportcontrol.Question{AsOf: "2026-06-01", Destination: "CN"}
	plain := func(tpp float64) exportcontrol.Result {
		return exportcontrol.Evaluate(described(tpp, tpp/area, 600, 1000, 1), q)
	}
	for _, published := range tpps {
		for _, computed := range tpps {
			largest := max(published, computed)
			it := described(largest, largest/area, 600, 1000, 1)
			it.Area = exact(area)
			it.Performance = catalog.Performance{TPP: largest, Published: published}
			if computed > 0 {
				it.Performance.Rates = []catalog.DenseRate{{Quantity: fp8, Value: computed / 8, Bits: 8}}
			}
			for i, e := range exportcontrol.Evaluate(it, q).Evaluations {
				if e.Rule.Of3A090 || e.Reason != exportcontrol.ByComparison {
					continue
				}
				var want []exportcontrol.OtherReading
				for basis, claim := range map[string]float64{"published_tpp": published, "computed_tpp": computed} {
					class := plain(claim).Evaluations[i].Class
					if claim < largest && min(published, computed) > 0 &&
						class != e.Class { // one of them is the largest
						want = append(want, exportcontrol.OtherReading{Basis: basis, Status: class, Value: claim})
					}
				}
				if !slices.Equal(e.Other, want) {
					t.Errorf(
						"%s, published %v, computed %v: got %v, want %v",
						e.Rule.ID,
						published,
						computed,
						e.Other,
						want,
					)
				}
			}
		}
	}
}
