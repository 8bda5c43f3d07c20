package search

import (
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/seed"
	"tianti/sizing"
	"tianti/test/slow"
)

// TestFullWhatDoesNotFitIsDoneAsPeopleDoIt puts questions whose usual answer does not fit on the cards that they name.
func TestFullWhatDoesNotFitIsDoneAsPeopleDoIt(t *testing.T) {
	slow.Only(t)
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := catalog.NewSnapshot(1, data)
	a, err := sizing.New(seed.Sizing(), s)
	if err != nil {
		t.Fatal(err)
	}
	today := catalog.Pricing{Currency: "USD", Buy: catalog.StreetPrice, Rent: catalog.OnDemand, Today: "2026-11-01"}
	l := locale.All()[0]
	for _, c := range []struct{ asked, changed, says string }{
		{"qlora 70b 2x3090", "offload=parameters", "offload parameters and optimiser to the host"},
		{"qlora 70b on two 4090", "offload=parameters", "offload parameters and optimiser to the host"},
		{"gpt-oss-120b 4090", "offload=experts", "host"},
		{"qwen3-32b 4090", "weights=q4_k_m", "Q4_K_M"},
		{"qlora 8b 4090", "", "NF4"},
	} {
		f := found{finder: finder{s: s.Priced(today), a: a}}
		f.answers, _, _ = f.asked(c.asked)
		i := slices.IndexFunc(f.answers, func(a answer) bool { return a.Kind == "estimate" })
		if i < 0 {
			t.Errorf("%q has no estimate among its answers", c.asked)
			continue
		}
		asked := f.answers[i].Query.Encode()
		note := f.settle(l, &f.answers[i])
		got := f.answers[i].Query.Encode()
		if !strings.Contains(got, c.changed) || c.changed == "" && got != asked || !strings.Contains(note, c.says) {
			t.Errorf("%q is answered for %s with %q, want %s", c.asked, got, note, c.changed)
		}
		t.Logf("%s: %s", c.asked, note)
	}
}
