package search

import (
	"io"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

// asker is a finder of the seed's cards and models, without speeds.
func asker(t *testing.T) finder {
	t.Helper()
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := catalog.NewSnapshot(1, data)
	a := &sizing.Estimator{Models: &sizing.Models{}, Formats: &sizing.Formats{}}
	open := func(name string) io.ReadCloser {
		file, err := seed.Sizing().Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	if a.Models, err = sizing.ReadModels(open("models.csv")); err != nil {
		t.Fatal(err)
	}
	if a.Formats, err = sizing.ReadFormats(open("formats.csv")); err != nil {
		t.Fatal(err)
	}
	today := catalog.Pricing{Currency: "USD", Buy: catalog.StreetPrice, Rent: catalog.OnDemand, Today: "2026-11-01"}
	return finder{s: s.Priced(today), a: a}
}

// A limit for which jobs have no parameter names the cards that keep it, and no other.
func TestLimitsNameTheCardsThatKeepThem(t *testing.T) {
	f := asker(t)
	most := func(id string, n float64) func(row int) bool {
		return func(row int) bool { v, ok := f.s.Number(quantity(id), row); return ok && v <= n }
	}
	exactly := func(gb float64) func(row int) bool {
		return func(row int) bool { v, _ := f.s.Number(quantity("memory_gb"), row); return v == gb }
	}
	for _, c := range []struct {
		text  string
		keeps func(row int) bool
		with  string
	}{
		{"Qwen3-8B at 75W", most("tdp_w", 75), "nvidia-l4"},
		{"8B model on a 75W low-profile card", most("tdp_w", 75), "nvidia-rtx-4000-sff-ada"},
		{"qwen3-8b no power connector", most("tdp_w", 75), "nvidia-t4"},
		{"75 W 免供电显卡跑 8B", most("tdp_w", 75), "nvidia-rtx-2000-ada"},
		{"single-slot card for a 14B model", most("slot_width", 1), "nvidia-rtx-4000-ada"},
		{"单槽显卡跑 14B", most("slot_width", 1), "nvidia-rtx-a4000"},
		{"Llama 3.3 70B on a MacBook", func(row int) bool {
			c := f.s.Card(row)
			return c.Vendor == "Apple" && !strings.HasSuffix(c.Name, "Ultra")
		}, "apple-m5-max"},
		{"24GB card for a 32B model", exactly(24), "nvidia-geforce-rtx-3090"},
	} {
		answers, _, _ := f.asked(c.text)
		if len(answers) == 0 || answers[0].Kind != "recommend" {
			t.Errorf("%q is answered by %v", c.text, answers)
			continue
		}
		ids := strings.Split(answers[0].Query.Get("card"), ",")
		if len(ids) > mostListed || !slices.Contains(ids, c.with) {
			t.Errorf("%q looks at %v, want %s among at most %d", c.text, ids, c.with, mostListed)
		}
		for _, id := range ids {
			if row, ok := f.s.Find(id); !ok || !c.keeps(row) {
				t.Errorf("%q looks at %s", c.text, id)
			}
		}
	}
}

// What is compared by a word is the same where the cards stand below the answer.
func TestWhatIsComparedStandsBelow(t *testing.T) {
	f := asker(t)
	answers, rows, _ := f.asked("mac vs 4090")
	if len(answers) == 0 || !slices.Equal(answers[0].Cards, rows) {
		t.Errorf("compares %v above %v", answers, rows)
	}
}

// What nobody sells or rents comes behind what one can have.
func TestTheFastestCardsArePricedOnes(t *testing.T) {
	f := asker(t)
	for _, text := range []string{"highest bandwidth", "fastest memory", "显存带宽最高的卡"} {
		answers, _, _ := f.asked(text)
		if len(answers) == 0 || len(answers[0].Cards) == 0 {
			t.Errorf("%q: %v", text, answers)
			continue
		}
		for _, row := range answers[0].Cards {
			if f.apart(row) > 0 {
				t.Errorf("%q begins with %s, which has no price", text, f.s.Card(row).Name)
			}
		}
	}
}
