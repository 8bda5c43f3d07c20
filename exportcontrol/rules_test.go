package exportcontrol_test

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/exportcontrol"
)

func TestRulesAreInOrderLawBeforeBills(t *testing.T) {
	rules := exportcontrol.Rules()
	seen := map[string]bool{}
	for i, r := range rules {
		if r.ID == "" || seen[r.ID] {
			t.Errorf("rule %d: id %q is empty or taken", i, r.ID)
		}
		seen[r.ID] = true
		if found, ok := exportcontrol.Find(r.ID); !ok || found != r {
			t.Errorf("%s is not found by its id", r.ID)
		}
	}
	bill := func(r *exportcontrol.Rule) bool { return r.Kind == exportcontrol.Proposed }
	if !slices.IsSortedFunc(rules, func(a, b *exportcontrol.Rule) int {
		if bill(a) != bill(b) {
			return map[bool]int{false: -1, true: 1}[bill(a)]
		}
		return cmp.Compare(firstDay(a), firstDay(b))
	}) {
		t.Error("the rules are not in the order of their days")
	}
	if _, ok := exportcontrol.Find("US-NONE"); ok {
		t.Error("found a rule that does not exist")
	}
}

func TestRulesHaveWhatPagesShow(t *testing.T) {
	kinds := []exportcontrol.Kind{
		exportcontrol.Regulation,
		exportcontrol.Letter,
		exportcontrol.Guidance,
		exportcontrol.Tariff,
		exportcontrol.Foreign,
		exportcontrol.Proposed,
	}
	certainties := []exportcontrol.Certainty{
		exportcontrol.Quoted,
		exportcontrol.Excerpt,
		exportcontrol.Secondary,
		exportcontrol.Unverified,
	}
	for _, r := range exportcontrol.Rules() {
		for _, text := range append([]catalog.Text{r.Title, r.Authority, r.Summary}, r.Notes...) {
			if text.En == "" || text.Zh == "" {
				t.Errorf("%s: a text is missing in a language: %+v", r.ID, text)
			}
		}
		for _, day := range []string{r.Announced, r.Effective, r.End} {
			if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
		bill := r.Kind == exportcontrol.Proposed
		if bill && (r.Effective != "" || r.Announced == "") || !bill && r.Effective == "" ||
			r.End != "" && r.End < r.Effective {
			t.Errorf("%s: %s is announced on %q, in force from %q to %q", r.ID, r.Kind, r.Announced, r.Effective, r.End)
		}
		if u, err := url.Parse(r.Address); r.Address != "" &&
			(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			t.Errorf("%s: address %q", r.ID, r.Address)
		}
		if r.Citation == "" || !slices.Contains(kinds, r.Kind) || !slices.Contains(certainties, r.Certainty.Text) ||
			!slices.Contains(certainties, r.Certainty.Conditions) {
			t.Errorf("%s: citation %q, kind %q, certainty %v", r.ID, r.Citation, r.Kind, r.Certainty)
		}
	}
}

func TestRulesUseOnlyListedStatuses(t *testing.T) {
	for _, r := range exportcontrol.Rules() {
		for _, n := range r.Named {
			if !slices.Contains(exportcontrol.Statuses, n.Status) {
				t.Errorf("%s: status %q of %s", r.ID, n.Status, n.Prefix)
			}
		}
		for _, o := range r.Outcomes {
			for _, s := range []exportcontrol.Status{o.Status, o.Verdict, o.Embargoed} {
				if s != "" && !slices.Contains(exportcontrol.Statuses, s) {
					t.Errorf("%s: status %q", r.ID, s)
				}
			}
			if o.Status == "" || len(o.Any) == 0 {
				t.Errorf("%s: an outcome has no status or no limbs", r.ID)
			}
		}
		if r.Evaluable() && !slices.Contains(exportcontrol.Statuses, r.Otherwise) {
			t.Errorf("%s: otherwise %q", r.ID, r.Otherwise)
		}
		if !r.Evaluable() && (r.Otherwise != "" || r.Counted()) {
			t.Errorf("%s has no conditions, but is counted or has another status", r.ID)
		}
		if _, ok := exportcontrol.Find(r.Replaces); r.Replaces != "" && !ok {
			t.Errorf("%s replaces %s, which does not exist", r.ID, r.Replaces)
		}
		if bill := r.Kind == exportcontrol.Proposed; bill && (r.Counted() || r.InForce(farDay)) {
			t.Errorf("%s is a bill, but counted or in force", r.ID)
		}
	}
	if sorted := slices.Sorted(slices.Values(exportcontrol.Statuses)); len(
		slices.Compact(sorted),
	) != len(
		exportcontrol.Statuses,
	) {
		t.Error("a status is listed twice")
	}
	if _, ok := exportcontrol.Find(exportcontrol.Rule3A090); !ok {
		t.Errorf("no rule %s", exportcontrol.Rule3A090)
	}
}

func TestWhichRulesCount(t *testing.T) {
	var got []string
	for _, r := range exportcontrol.Rules() {
		if r.Counted() && !r.Embargo {
			got = append(got, r.ID)
		}
	}
	if diff := gocmp.Diff([]string{letter2022, first3A090, middleEast, letter2023, now3A090, diffusion, letter2025,
		designers, caseByCase}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheLettersNameProducts compares the prefixes with the built-in cards, so that
// none catches a card that the rule does not name.
func TestTheLettersNameProducts(t *testing.T) {
	a100 := []string{"nvidia-a100-pcie-40gb", "nvidia-a100-pcie-80gb", "nvidia-a100-sxm4-40gb", "nvidia-a100-sxm4-80gb"}
	a800 := []string{"nvidia-a800-pcie-40gb", "nvidia-a800-pcie-80gb", "nvidia-a800-sxm4-80gb"}
	h100 := []string{"nvidia-h100-cnx-80gb", "nvidia-h100-nvl-94gb", "nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-64gb",
		"nvidia-h100-sxm5-80gb", "nvidia-h100-sxm5-94gb", "nvidia-h100-sxm5-96gb"}
	h800 := []string{"nvidia-h800-pcie-80gb", "nvidia-h800-sxm5-80gb"}
	want := map[string][]string{
		letter2022: slices.Concat([]string{"amd-instinct-mi250", "amd-instinct-mi250x"}, a100, h100),
		middleEast: slices.Concat(a100, h100),
		letter2023: slices.Concat(a100, a800, h100, h800, []string{"nvidia-l40s"}),
		letter2025: {"amd-instinct-mi308x", "nvidia-h20-sxm5-141gb", "nvidia-h20-sxm5-96gb"},
		designers: {"huawei-ascend-910b1", "huawei-ascend-910b2", "huawei-ascend-910b3", "huawei-ascend-910b4",
			"huawei-ascend-910c"},
		"CN-CAC-2025-09":     {"nvidia-rtx-6000d"},
		"CN-CUSTOMS-2026-01": {"nvidia-h200-nvl-141gb", "nvidia-h200-sxm5-141gb"},
		"CN-CUSTOMS-2026-05": {"nvidia-geforce-rtx-5090-d-v2"},
	}
	s := shared(t)
	for _, r := range exportcontrol.Rules() {
		var got []string
		for i := range s.Len() {
			it := exportcontrol.CardItem(s, i)
			if !r.Evaluable() || len(r.Named) == 0 {
				continue
			}
			to := "CN"
			if r.ID == middleEast {
				to = "SA"
			}
			e := mustEvaluate(t, it, exportcontrol.Question{AsOf: firstDay(r), Destination: to}, r.ID)
			if e.Reason == exportcontrol.ByName {
				got = append(got, it.ID)
			}
		}
		slices.Sort(got)
		if diff := gocmp.Diff(want[r.ID], got); diff != "" {
			t.Errorf("%s: %s", r.ID, diff)
		}
		for _, n := range r.Named {
			if !slices.ContainsFunc(got, func(id string) bool { return strings.HasPrefix(id, n.Prefix) }) {
				t.Errorf("%s: %s matches no card", r.ID, n.Prefix)
			}
		}
	}
}

func TestANameDecidesWithoutFigures(t *testing.T) {
	for _, test := range []struct {
		rule, id string
		want     exportcontrol.Status
		verdict  exportcontrol.Status
	}{
		{letter2022, "nvidia-a100-pcie-40gb", exportcontrol.Controlled, exportcontrol.LicenceRequired},
		{letter2023, "nvidia-l40s", exportcontrol.ControlledNow, exportcontrol.LicenceRequired},
		{letter2025, "nvidia-h20-sxm5-96gb", exportcontrol.LicenceRequired, exportcontrol.LicenceRequired},
		{letter2025, "nvidia-h200-sxm5-141gb", exportcontrol.Unknown, ""},
		{letter2025, "", exportcontrol.Unknown, ""},
		{"CN-CUSTOMS-2026-01", "nvidia-h200-sxm5-141gb", exportcontrol.ImportBlocked, ""},
		{"CN-CUSTOMS-2026-01", "nvidia-h20-sxm5-96gb", exportcontrol.Inapplicable, ""},
		{"CN-CUSTOMS-2026-05", "nvidia-geforce-rtx-5090-d", exportcontrol.Inapplicable, ""},
	} {
		it := &exportcontrol.Item{ID: test.id}
		e := mustEvaluate(
			t,
			it,
			exportcontrol.Question{AsOf: firstDay(mustFind(t, test.rule)), Destination: "CN"},
			test.rule,
		)
		if e.Status != test.want || e.Verdict != test.verdict {
			t.Errorf(
				"%s on %q: %s, verdict %q; want %s, verdict %q",
				test.rule,
				test.id,
				e.Status,
				e.Verdict,
				test.want,
				test.verdict,
			)
		}
	}
}

func TestClassOfECCN(t *testing.T) {
	for _, test := range []struct {
		eccn string
		want exportcontrol.Status
		ok   bool
	}{
		{"", "", false},
		{"3A090", "", false},
		{"3A090.c", "", false},
		{"5A992.z", "", false},
		{"3A090.a", exportcontrol.A, true},
		{"3A090.a.1", exportcontrol.A, true},
		{"3A090.b", exportcontrol.B, true},
		{"3A090.b.2", exportcontrol.B, true},
		{"4A090.a", exportcontrol.A, true},
		{"4A090.b", exportcontrol.B, true},
		{"5A002.z.1", exportcontrol.A, true},
		{"4A003.z.1", exportcontrol.A, true},
		{"5A992.z.1.a1", exportcontrol.A, true},
		{"5A002.z.1.a.1", exportcontrol.A, true},
		{"4A003.z.4.a", exportcontrol.A, true},
		{"5A002.z.2", exportcontrol.B, true},
		{"5A992.z.2.b1", exportcontrol.B, true},
		{"4A003.z.4.b", exportcontrol.B, true},
		{"4A994.l", exportcontrol.Not3A090, true},
		{"5A992.c", exportcontrol.Not3A090, true},
		{"EAR99", exportcontrol.Not3A090, true},
	} {
		if got, ok := exportcontrol.ClassOfECCN(test.eccn); got != test.want || ok != test.ok {
			t.Errorf("%q: %q %v, want %q %v", test.eccn, got, ok, test.want, test.ok)
		}
	}
}

// TestTheVendorsClassDecidesOnlyWhatFiguresLeaveOpen has an item whose figures and
// classification may differ.
func TestTheVendorsClassDecidesOnlyWhatFiguresLeaveOpen(t *testing.T) {
	q := exportcontrol.Question{AsOf: "2026-06-01", Destination: "CN"}
	open := &exportcontrol.Item{Vendor: "NVIDIA", ECCN: "4A090.b", Amounts: exportcontrol.Amounts{Datacenter: exact(1)}}
	e := mustEvaluate(t, open, q, now3A090)
	if e.Status != exportcontrol.B || e.Reason != exportcontrol.ByECCN || e.Exception != "NAC" || len(e.Other) != 0 {
		t.Errorf("nothing known: %s by %q, exception %q, other %v", e.Status, e.Reason, e.Exception, e.Other)
	}
	settled := described(4992, 6, 664, 2039, 1)
	settled.ECCN = "4A994.l"
	e = mustEvaluate(t, settled, q, now3A090)
	if e.Status != exportcontrol.A || e.Reason != exportcontrol.ByComparison {
		t.Errorf("all known: %s by %q", e.Status, e.Reason)
	}
	if diff := gocmp.Diff([]exportcontrol.OtherReading{{Basis: "eccn", Status: exportcontrol.Not3A090,
		ECCN: "4A994.l"}}, e.Other); diff != "" {
		t.Error(diff)
	}
	settled.ECCN = "4A090.a"
	if e = mustEvaluate(t, settled, q, now3A090); len(e.Other) != 0 {
		t.Errorf("a classification that agrees is another reading: %v", e.Other)
	}
}

func TestTwoClaimsOfPerformanceAreBothRead(t *testing.T) {
	it := described(14144, 17, 600, 4750, 1)
	fp8, _ := catalog.LookupQuantity("fp8_matrix_dense_tflops")
	it.Performance = catalog.Performance{
		TPP:       14144,
		Published: 14144,
		Rates:     []catalog.DenseRate{{Quantity: fp8, Value: 1671, Bits: 8}},
	}
	q := exportcontrol.Question{AsOf: "2026-06-01", Destination: "CN"}
	e := mustEvaluate(t, it, q, tariff)
	if diff := gocmp.Diff([]exportcontrol.OtherReading{{Basis: "computed_tpp", Status: exportcontrol.None,
		Value: 13368}}, e.Other); e.Status != exportcontrol.Band1 ||
		diff != "" {
		t.Errorf("%s: %s", e.Status, diff)
	}
	if e := mustEvaluate(t, it, q, now3A090); len(e.Other) != 0 {
		t.Errorf("claims that agree on 3A090 are other readings: %v", e.Other)
	}
}

// TestMatrixAndVectorUnitsAreAlsoAddedUp: the text aggregates all processing units, and the H20
// lies on both sides of a bound.
func TestMatrixAndVectorUnitsAreAlsoAddedUp(t *testing.T) {
	e := mustEvaluate(
		t,
		itemOf(t, builtin(t), "nvidia-h20-sxm5-96gb"),
		exportcontrol.Question{AsOf: "2024-06-01", Destination: "VN"},
		now3A090,
	)
	want := []exportcontrol.OtherReading{{Basis: "aggregated_tpp", Status: exportcontrol.B, Value: 2368 + 44*32}}
	if diff := gocmp.Diff(want, e.Other); e.Status != exportcontrol.Not3A090 || diff != "" {
		t.Errorf("%s: %s", e.Status, diff)
	}
}

func TestADayIsOneThatExists(t *testing.T) {
	for _, test := range []struct {
		day string
		ok  bool
	}{
		{"2022-01-01", true}, {"2024-02-29", true}, {"2026-07-10", true}, {"2035-12-31", true},
		{"2021-12-31", false}, {"2023-02-29", false}, {"2024-02-30", false}, {"2024-04-31", false},
		{"2024-13-01", false}, {"2024-00-10", false}, {"2024-01-00", false}, {"2024-1-1", false}, {"20240101", false},
		{"2024-01-01 ", false}, {" 2024-01-01", false}, {"2024-01-01T00:00:00Z", false}, {"01/02/2024", false},
		{"", false}, {"today", false}, {"-2024-01-01", false}, {"２０２４-01-01", false}, {"99999-01-01", false},
	} {
		got, err := exportcontrol.ParseDay(test.day)
		if test.ok && (err != nil || got != test.day) || !test.ok && (err == nil || got != "") {
			t.Errorf("%q: %q, %v", test.day, got, err)
		}
	}
}

func TestACountryIsACodeOfISO3166(t *testing.T) {
	for in, want := range map[string]string{
		"CN": "CN", "cn": "CN", " hk\n": "HK", "Mo": "MO", "GB": "GB", "ZW": "ZW",
		"ua-43": "UA-43", "UA-30": "",
		"": "", "C": "", "CHN": "", "China": "", "UK": "", "EU": "", "XX": "", "ZZ": "", "C N": "", "1": "",
		"中国": "", "CN,RU": "",
	} {
		got, err := exportcontrol.ParseCountry(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	if n := len(exportcontrol.Countries()); n != 249+3 {
		t.Errorf("%d codes: ISO 3166-1 has 249, and three regions have an embargo of their own", n)
	}
	if !slices.IsSorted(exportcontrol.Countries()) {
		t.Error("the codes are not in order")
	}
}

func FuzzParseDay(f *testing.F) {
	for _, s := range []string{"2022-01-01", "2035-12-31", "2024-02-29", "2023-02-29", "2024-1-1", "",
		"2024-01-01T00:00:00Z", "2036-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		day, err := exportcontrol.ParseDay(s)
		if err != nil {
			if day != "" {
				t.Fatalf("%q: %q with an error", s, day)
			}
			return
		}
		date, err := time.Parse(time.DateOnly, day)
		if err != nil || date.Format(time.DateOnly) != s || date.Year() < 2022 {
			t.Fatalf("%q: %q, %v", s, day, err)
		}
	})
}

func FuzzParseCountry(f *testing.F) {
	for _, s := range []string{"CN", "cn", " hk ", "UK", "", "中国", "ÇN", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		code, err := exportcontrol.ParseCountry(s)
		if err != nil {
			if code != "" {
				t.Fatalf("%q: %q with an error", s, code)
			}
			return
		}
		again, err := exportcontrol.ParseCountry(strings.ToLower(code))
		if err != nil || again != code || !slices.Contains(exportcontrol.Countries(), code) {
			t.Fatalf("%q: %q, then %q, %v", s, code, again, err)
		}
	})
}
