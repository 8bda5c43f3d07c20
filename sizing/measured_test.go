package sizing_test

import (
	"net/url"
	"strings"
	"testing"

	"tianti/sizing"
)

// A kept run must mean the same job in a later version with other defaults: its address holds what was chosen.
func TestTheAddressOfARunHoldsWhatWasChosen(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for _, query := range []string{
		"model=llama-3.1-8b&card=nvidia-h100-sxm5-80gb&batch=8&context=4096",
		"model=llama-3.1-8b&card=nvidia-geforce-rtx-4090&task=qlora",
		"model=llama-3.1-8b&card=nvidia-geforce-rtx-4090&task=lora&optimizer=adamw-8bit&targets=q,v",
		"model=qwen2.5-7b&card=nvidia-h100-sxm5-80gb&task=full&cards=8",
		"model=llama-3.1-70b&card=nvidia-h100-sxm5-80gb&task=full&cards=16&stage=3&tensor=2",
		"model=llama-3.1-70b&card=nvidia-geforce-rtx-3090&cards=2&weights=q4_k_m",
		"model=7B&card=nvidia-geforce-rtx-3090&task=galore",
		"model=gpt-oss-20b&card=apple-m3-max",
		"layers=24&hidden=2048&heads=16&kv_heads=8&intermediate=5632&vocabulary=32000&task=pretrain&card=nvidia-h100-sxm5-80gb&cards=4",
		"model=sdxl-base&card=nvidia-geforce-rtx-4090&task=lora",
		"model=llama-3.1-8b&card=nvidia-h100-sxm5-80gb&task=dpo&tuning=lora",
	} {
		v, _ := url.ParseQuery(query)
		v.Set("measured_gb", "20")
		r, errs := a.ParseEstimate(v)
		if len(errs) > 0 {
			t.Errorf("%s: %v", query, errs)
			continue
		}
		again, errs := a.ParseEstimate(a.RunValues(r))
		if len(errs) > 0 {
			t.Errorf("%s: %s: %v", query, a.RunValues(r).Encode(), errs)
			continue
		}
		card := a.Card(r.Cards[0])
		first, second := a.Estimate(r.Workload, card, r), a.Estimate(again.Workload, card, again)
		if first.Memory.PerCard != second.Memory.PerCard || first.Workload.Sharding != second.Workload.Sharding {
			t.Errorf(
				"%s:\n%s\nis another job: %g %v, %g %v",
				query,
				a.RunValues(r).Encode(),
				first.Memory.PerCard.Expected,
				first.Workload.Sharding,
				second.Memory.PerCard.Expected,
				second.Workload.Sharding,
			)
		}
		if n := len(again.Given); !strings.HasPrefix(query, "layers") && n < 8 && r.Workload.Task != sizing.DPO {
			t.Errorf("%s: only %v is held", query, again.Given)
		}
	}
}

// FuzzMeasured holds that whatever is said to have been measured is refused or compared, and never changes an
// estimate.
func FuzzMeasured(f *testing.F) {
	a := estimatorOfBuiltin(f)
	for _, s := range []string{"13.9 GiB", "22937MiB", "1e5", "0", "-1", "NaN", "24GB", "１２", "∞", "1e400"} {
		f.Add(s, s, "driver")
	}
	f.Fuzz(func(t *testing.T, gb, rate, as string) {
		v := url.Values{"model": {"llama-3.1-8b"}, "card": {"nvidia-h100-sxm5-80gb"}, "measured_gb": {gb},
			"measured_tokens_per_s": {rate}, "measured_as": {as}}
		r, errs := a.ParseEstimate(v)
		for _, e := range errs {
			if !strings.HasPrefix(e.Param, "measured_") {
				t.Errorf("%q is blamed", e.Param)
			}
		}
		if len(errs) > 0 {
			return
		}
		e := a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
		for _, m := range e.Measured {
			if m.Measured <= 0 || m.Known() && (m.Deviation() <= -1 || m.Within() && m.Measured > m.Estimate.High) {
				t.Errorf("compared %+v", m)
			}
		}
	})
}

func estimatorOfBuiltin(t testing.TB) *sizing.Estimator {
	t.Helper()
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	return a
}
