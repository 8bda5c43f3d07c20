package format_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"tianti/format"
)

// TestInstancesThatNobodyListedMeanTheirCards has names of instances that are not in instances.csv, each as a row of a
// file of prices says it: with what the source calls the card and its memory where it does, and as the only thing that
// a table says. card is empty where the source leaves it open.
func TestInstancesThatNobodyListedMeanTheirCards(t *testing.T) {
	r, err := os.Open("testdata/instances-others.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	m := format.NewMatcher(builtin(t), nil)
	var full, bare score
	for _, row := range rows[1:] {
		l := listed{provider: row[0], name: row[1], card: row[4]}
		gb, _ := strconv.ParseFloat(row[3], 64)
		s := format.Subject{Name: row[2], Offer: l.name, Cloud: l.provider, MemoryGB: gb}
		if s.Name == "" {
			s.Name, s.Offer = l.name, ""
		}
		full.add(t, l, l.card, m.Match(s))
		got := m.Match(format.Subject{Name: l.name, Cloud: l.provider})
		switch {
		case got.Card == l.card:
			bare.right++
		case got.Card == "":
			bare.open++
		default:
			bare.add(t, l, l.card, got)
		}
	}
	n := len(rows) - 1
	t.Logf("%d names: with what their rows say %+v, alone %+v", n, full, bare)
	if n < 200 || full.right*100 < 98*n {
		t.Errorf("got %+v of %d names, want 98 %% right", full, n)
	}
}

// TestContradictionsLeaveARowAmbiguous has rows in which the instance, or the memory, speaks of another card than the
// name.
func TestContradictionsLeaveARowAmbiguous(t *testing.T) {
	m := format.NewMatcher(builtin(t), nil)
	for _, s := range []format.Subject{
		{Name: "RTX4080", Offer: "1x-RTX_4080S-32-65536", Cloud: "vast", MemoryGB: 16},
		{Name: "RTX4090", Offer: "2x-RTX_4090-32-65536", Cloud: "vast", MemoryGB: 48}, // rebuilt, with twice the memory
		{Name: "A100-80GB", Offer: "gpu_1x_h100_pcie", Cloud: "lambda"},
		{Name: "A800-80GB-NVLink", MemoryGB: 80}, // SXM, or PCIe with a bridge
	} {
		if got := m.Match(s); got.Outcome != format.IsAmbiguous || len(got.Candidates) == 0 {
			t.Errorf("%+v: got %+v, want it ambiguous", s, got)
		}
	}
}
