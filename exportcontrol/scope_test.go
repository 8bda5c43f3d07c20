package exportcontrol_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/exportcontrol"
)

func TestWhereARuleHolds(t *testing.T) {
	const (
		out     = exportcontrol.OutOfScope
		place   = exportcontrol.ByDestination
		group   = exportcontrol.ByGroup
		parent  = exportcontrol.ByHeadquarters
		anyone  = exportcontrol.ByEverywhere
		a, b, c = "2022-10-21", "2023-11-01", "2026-06-01"
	)
	it := described(4800, 6, 600, 1400, 1)
	for _, test := range []struct {
		rule, day, destination, headquarters string
		ground                               exportcontrol.Ground
		group                                string
	}{
		{letter2022, a, "CN", "", place, ""},
		{letter2022, a, "HK", "", place, ""},
		{letter2022, a, "RU", "", place, ""},
		{letter2022, a, "MO", "", out, ""},
		{letter2022, a, "JP", "", out, ""},
		{letter2022, a, "JP", "CN", out, ""},

		{first3A090, a, "CN", "", place, ""},
		{first3A090, a, "HK", "", place, ""},
		{first3A090, a, "RU", "", out, ""},
		{first3A090, "2023-01-16", "MO", "", out, ""},
		{first3A090, "2023-01-17", "MO", "", place, ""},
		{first3A090, "2023-01-18", "MO", "", place, ""},
		{first3A090, b, "JP", "CN", out, ""},

		{letter2023, b, "CN", "", group, "D:1"},
		{letter2023, b, "JP", "", out, ""},
		{letter2023, b, "SG", "CN", parent, ""},

		{now3A090, c, "CN", "", group, "D:1"},
		{now3A090, c, "HK", "", group, "D:1"},
		{now3A090, c, "MO", "", place, ""},
		{now3A090, c, "VN", "", group, "D:1"},
		{now3A090, c, "SA", "", group, "D:4"},
		{now3A090, c, "AF", "", group, "D:5"},
		{now3A090, c, "JP", "", out, ""},
		{now3A090, c, "IL", "", out, ""}, // in D:4, but also in A:6
		{now3A090, c, "IL", "CN", parent, ""},
		{now3A090, c, "IN", "", out, ""},
		{now3A090, c, "SG", "", out, ""},
		{now3A090, c, "SG", "JP", out, ""},
		{now3A090, c, "SG", "VN", out, ""}, // in D:1 only
		{now3A090, c, "SG", "CN", parent, ""},
		{now3A090, c, "SG", "HK", parent, ""},
		{now3A090, c, "SG", "MO", parent, ""},
		{now3A090, c, "SG", "RU", parent, ""},
		{now3A090, c, "CN", "US", group, "D:1"},
		{now3A090, "2026-07-09", "AE", "", group, "D:4"},
		{now3A090, "2026-07-10", "AE", "", place, ""},
		{now3A090, "2026-07-11", "AE", "", place, ""},

		{diffusion, "2025-02-01", "JP", "", anyone, ""},
		{diffusion, "2025-02-01", "US", "", out, ""},
		{diffusion, c, "JP", "", anyone, ""},

		{letter2025, c, "CN", "", group, "D:5"},
		{letter2025, c, "HK", "", group, "D:5"},
		{letter2025, c, "MO", "", place, ""},
		{letter2025, c, "VN", "", out, ""},
		{letter2025, c, "JP", "", out, ""},
		{letter2025, c, "JP", "CN", parent, ""},

		{caseByCase, c, "CN", "", place, ""},
		{caseByCase, c, "HK", "", place, ""},
		{caseByCase, c, "MO", "", place, ""},
		{caseByCase, c, "RU", "", out, ""},
		{caseByCase, c, "SG", "CN", out, ""},

		{parents, c, "SG", "CN", parent, ""},
		{parents, c, "SG", "US", out, ""},
		{parents, c, "CN", "", out, ""},
		{designers, c, "JP", "", anyone, ""},
		{tariff, c, "JP", "", anyone, ""},
		{safeChips, c, "HK", "", group, "D:5"},
		{safeChips, c, "MO", "", place, ""},
		{safeChips, c, "SG", "CN", out, ""},
		{"CN-CAC-2025-09", c, "CN", "", place, ""},
		{"CN-CAC-2025-09", c, "MO", "", out, ""},
	} {
		e := mustEvaluate(
			t,
			it,
			exportcontrol.Question{AsOf: test.day, Destination: test.destination, Headquarters: test.headquarters},
			test.rule,
		)
		if e.Ground != test.ground || e.Group != test.group {
			t.Errorf(
				"%s on %s in %s for %q: %q %q, want %q %q",
				test.rule,
				test.day,
				test.destination,
				test.headquarters,
				e.Ground,
				e.Group,
				test.ground,
				test.group,
			)
		}
		if outside := e.Reason == exportcontrol.OutsideItsScope; outside != (test.ground == out) ||
			outside && e.Status != exportcontrol.Inapplicable {
			t.Errorf(
				"%s on %s in %s for %q: status %s by %q",
				test.rule,
				test.day,
				test.destination,
				test.headquarters,
				e.Status,
				e.Reason,
			)
		}
	}
}

func TestCountryGroups(t *testing.T) {
	for _, test := range []struct {
		country, day string
		want         []string
	}{
		{"CN", "2026-01-01", []string{"D:1", "D:4", "D:5"}},
		{"HK", "2026-01-01", []string{"D:1", "D:4", "D:5"}},
		{"MO", "2026-01-01", []string{"D:1", "D:4"}},
		{"IL", "2026-01-01", []string{"A:6", "D:4"}},
		{"AE", "2026-07-09", []string{"D:4"}},
		{"AE", "2026-07-10", []string{"A:5"}},
		{"JP", "2026-01-01", []string{"A:5"}},
		{"FJ", "2026-01-01", nil},
		{"NI", "2024-03-14", nil},
		{"NI", "2024-03-15", []string{"D:1", "D:5"}},
		{"KH", "2025-11-06", []string{"D:1", "D:5"}},
		{"KH", "2025-11-07", []string{"D:1"}},
		{"CU", "2022-01-01", []string{"D:5", "E:2"}},
		{"UA", "2026-01-01", nil},
	} {
		var got []string
		for _, m := range exportcontrol.GroupsOf(test.country, test.day) {
			got = append(got, m.Group)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s on %s: %s", test.country, test.day, diff)
		}
	}
}

// TestTheVerdictOnAShipment goes through items and destinations as a whole.
func TestTheVerdictOnAShipment(t *testing.T) {
	const (
		free    = exportcontrol.NotControlled
		licence = exportcontrol.LicenceRequired
		review  = exportcontrol.CaseByCase
		denial  = exportcontrol.PresumptionOfDenial
		text    = exportcontrol.NotEnforced
	)
	server := described(15840, 19, 600, 1000, 1) // 3A090.a, for data centres
	huge := described(36000, 22, 600, 8000, 1)
	gaming := described(5284.8, 8.7, 64, 1008, 0) // 3A090.a, not for data centres
	middle := described(2896, 4.7, 64, 864, 1)    // 3A090.b, for data centres
	small := described(1000, 9, 64, 300, 1)
	fast := described(2368, 2.9, 1028, 4000, 1) // only the letter of April 2025
	desk := described(4750, 6.3, 64, 1792, 0)   // the same, not for data centres
	for _, test := range []struct {
		name             string
		it               *exportcontrol.Item
		day, country, hq string
		verdict          exportcontrol.Status
		exception        string
		because          []string
		likely           bool
	}{
		{"before any rule", server, "2022-08-25", "CN", "", free, "", nil, false},
		{"letter", server, "2022-08-26", "CN", "", licence, "", []string{letter2022}, false},
		{"both on one day", server, "2022-10-21", "CN", "", licence, "", []string{letter2022, first3A090}, false},
		{"first rule", server, "2022-10-22", "CN", "", licence, "", []string{first3A090}, false},
		{"Russia after the letter", server, "2022-10-22", "RU", "", denial, "", []string{"US-746-8-RU"}, false},
		{"second letter", gaming, "2023-11-16", "CN", "", free, "", nil, false},
		{"second rule", server, "2023-11-17", "CN", "", denial, "", []string{now3A090}, false},
		{"D:1", server, "2023-11-17", "VN", "", licence, "", []string{now3A090}, false},
		{"A:6", server, "2026-06-01", "IL", "", text, "", []string{diffusion}, false},
		{"Japan", server, "2026-06-01", "JP", "", text, "", []string{diffusion}, false},
		{"in the text, not enforced", server, "2025-02-01", "JP", "", text, "", []string{diffusion}, false},
		{"parent in China", server, "2026-06-01", "SG", "CN", denial, "", []string{now3A090}, false},
		{"D:1 with a parent in China", server, "2026-06-01", "VN", "CN", denial, "", []string{now3A090}, false},

		{"day before case by case", server, "2026-01-14", "CN", "", denial, "", []string{now3A090}, false},
		{"case by case", server, "2026-01-15", "CN", "", review, "", []string{caseByCase}, false},
		{"Hong Kong", server, "2026-01-15", "HK", "", review, "", []string{caseByCase}, false},
		{"Macau", server, "2026-01-15", "MO", "", review, "", []string{caseByCase}, false},
		{"Russia keeps denial", server, "2026-01-15", "RU", "", denial, "", []string{"US-746-8-RU", now3A090}, false},
		{"too large for review", huge, "2026-01-15", "CN", "", denial, "", []string{caseByCase}, false},

		{"Emirates before", server, "2026-07-09", "AE", "", licence, "", []string{now3A090}, false},
		{"Emirates .a", server, "2026-07-10", "AE", "", licence, "", []string{now3A090}, false},
		{"Emirates .a later", server, "2026-07-11", "AE", "", licence, "", []string{now3A090}, false},
		{"Emirates .a with a parent in China", server, "2026-07-10", "AE", "CN", denial, "", []string{now3A090}, false},
		{"Emirates .b before", middle, "2026-07-09", "AE", "", licence, "ACA", []string{now3A090}, false},
		{"Emirates .b", middle, "2026-07-10", "AE", "", licence, "ACA", []string{now3A090}, false},
		{"Emirates neither", small, "2026-07-10", "AE", "", free, "", nil, false},

		{"gaming in China", gaming, "2023-11-17", "CN", "", denial, "NAC", []string{now3A090}, false},
		{"gaming in Vietnam before the split", gaming, "2024-04-03", "VN", "", licence, "NAC",
			[]string{now3A090}, false},
		{"gaming in Vietnam", gaming, "2024-04-04", "VN", "", licence, "ACA", []string{now3A090}, false},
		{"gaming in China after the split", gaming, "2024-04-04", "CN", "", denial, "NAC", []string{now3A090}, false},
		{"gaming in Macau", gaming, "2024-04-05", "MO", "", denial, "NAC", []string{now3A090}, false},
		{"gaming in Vietnam for China", gaming, "2024-04-04", "VN", "CN", denial, "NAC", []string{now3A090}, false},
		{"gaming in Japan", gaming, "2024-04-04", "JP", "", free, "", nil, false},
		{".b in China", middle, "2024-04-04", "CN", "", denial, "NAC", []string{now3A090}, false},
		{".b in Saudi Arabia", middle, "2024-04-04", "SA", "", licence, "ACA", []string{now3A090}, false},
		{".a for data centres has none", server, "2024-04-04", "SA", "", licence, "", []string{now3A090}, false},

		{"day before the letter of 2025", fast, "2025-04-08", "CN", "", free, "", nil, false},
		{"letter of 2025", fast, "2025-04-09", "CN", "", licence, "", []string{letter2025}, false},
		{"letter of 2025, Vietnam", fast, "2025-04-09", "VN", "", free, "", nil, false},
		{"letter of 2025, not for data centres", desk, "2025-04-09", "CN", "", licence, "", []string{letter2025}, true},
		{"small", small, "2026-06-01", "CN", "", free, "", nil, false},
	} {
		res := exportcontrol.Evaluate(
			test.it,
			exportcontrol.Question{AsOf: test.day, Destination: test.country, Headquarters: test.hq},
		)
		if res.Verdict != test.verdict || res.Exception != test.exception || res.Likely != test.likely ||
			!slices.Equal(ids(res.Because), test.because) {
			t.Errorf(
				"%s: %s %q because of %v, likely %v; want %s %q because of %v, likely %v",
				test.name,
				res.Verdict,
				res.Exception,
				ids(res.Because),
				res.Likely,
				test.verdict,
				test.exception,
				test.because,
				test.likely,
			)
		}
	}
}

// TestAnOpenReviewIsALicenceAtLeast has a chip of 3A090.a whose memory, which decides
// between review and denial, is not known.
func TestAnOpenReviewIsALicenceAtLeast(t *testing.T) {
	it := described(15840, 19, 600, 0, 1)
	it.Memory = exportcontrol.Amount{}
	res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: "2026-01-15", Destination: "CN"})
	if e, _ := evaluationOf(res, caseByCase); e.Status != exportcontrol.Unknown {
		t.Errorf("the review is %s", e.Status)
	}
	if res.Verdict != exportcontrol.LicenceRequired || !slices.Contains(ids(res.Because), caseByCase) {
		t.Errorf("%s because of %v", res.Verdict, ids(res.Because))
	}
}

func ids(rules []*exportcontrol.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.ID)
	}
	return out
}

// TestTheExceptionNeedsToKnowTheMarket has items that would have a licence exception
// if they were, or were not, for data centres.
func TestTheExceptionNeedsToKnowTheMarket(t *testing.T) {
	q := exportcontrol.Question{AsOf: "2026-06-01", Destination: "VN"}
	for _, test := range []struct {
		name       string
		datacenter exportcontrol.Amount
		tpp        float64
		class      exportcontrol.Status
		exception  string
	}{
		{".a, no data centre", exact(0), 6000, exportcontrol.A, "ACA"},
		{".a, data centre", exact(1), 6000, exportcontrol.A, ""},
		{".a, not known", exportcontrol.Amount{}, 6000, exportcontrol.A, ""},
		{".b, data centre", exact(1), 3000, exportcontrol.B, "ACA"},
		{".b, not known", exportcontrol.Amount{}, 3000, exportcontrol.Unknown, ""},
		{"neither", exact(0), 3000, exportcontrol.Not3A090, ""},
	} {
		it := described(test.tpp, 4, 0, 0, 0)
		it.Datacenter = test.datacenter
		e := mustEvaluate(t, it, q, now3A090)
		if e.Class != test.class || e.Exception != test.exception {
			t.Errorf("%s: %s %q, want %s %q", test.name, e.Class, e.Exception, test.class, test.exception)
		}
	}
	classified := &exportcontrol.Item{ECCN: "4A090.b"}
	if e := mustEvaluate(t, classified, q, now3A090); e.Class != exportcontrol.B || e.Exception != "" {
		t.Errorf(".b by its classification alone: %s %q, want no exception", e.Class, e.Exception)
	}
}

func TestALetterBindsOnlyThoseWhoGotIt(t *testing.T) {
	for _, test := range []struct {
		rule, day, vendor string
		bound             bool
	}{
		{letter2022, "2022-09-01", "NVIDIA", true},
		{letter2022, "2022-09-01", "AMD", true},
		{letter2022, "2022-09-01", "", true},
		{letter2022, "2022-09-01", "Intel", false},
		{letter2023, "2023-11-01", "NVIDIA", true},
		{letter2023, "2023-11-01", "AMD", false},
		{letter2025, "2025-05-01", "Intel", true},
		{letter2025, "2025-05-01", "Huawei", false},
		{designers, "2026-01-01", "Huawei", true},
		{designers, "2026-01-01", "NVIDIA", false},
		{now3A090, "2026-01-01", "Huawei", true},
	} {
		it := described(15840, 19, 1028, 3350, 1)
		it.Vendor = test.vendor
		e := mustEvaluate(t, it, exportcontrol.Question{AsOf: test.day, Destination: "CN"}, test.rule)
		if got := e.Reason != exportcontrol.OtherAddressee; got != test.bound ||
			got != (e.Status != exportcontrol.Inapplicable) {
			t.Errorf("%s for %q: %s %s, want bound %v", test.rule, test.vendor, e.Status, e.Reason, test.bound)
		}
	}
}
