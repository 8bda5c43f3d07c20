package contract_test

import (
	"encoding/json"
	"net/url"
	"testing"
)

// TestPeakKnowsWhatDriversAndExportersPrint has names as they stand in logs and labels.
func TestPeakKnowsWhatDriversAndExportersPrint(t *testing.T) {
	s := serve(t)
	for device, want := range map[string]string{
		"NVIDIA H100 80GB HBM3":              "nvidia-h100-sxm5-80gb",
		"NVIDIA H100 80GB HBM3 MIG 3g.40gb":  "nvidia-h100-sxm5-80gb",
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb":   "nvidia-a100-sxm4-40gb",
		"GRID T4-16Q":                        "nvidia-t4",
		"NVIDIA L40S-48Q":                    "nvidia-l40s",
		"NVIDIA A10-24Q":                     "nvidia-a10",
		"GRID A100-10C":                      "409", // which A100 it is a part of
		"NVIDIA A10G":                        "nvidia-a10g",
		"NVIDIA H20-3e":                      "nvidia-h20-sxm5-141gb",
		"Tesla V100-SXM2-16GB":               "nvidia-tesla-v100-sxm2-16gb",
		"910B3-Ascend-V1":                    "huawei-ascend-910b3",
		"910A-Ascend-V1":                     "huawei-ascend-910a",
		"310P3-Ascend-V1":                    "huawei-ascend-310p",
		"Ascend910":                          "409",
		"NVIDIA GB10":                        "404 nvidia-gb10 fp4_matrix_dense_tflops",
		"Apple M3 Max":                       "404 apple-m3-max fp32_vector_tflops",
		"Apple M2 Ultra":                     "404 apple-m2-ultra fp32_vector_tflops",
		"vGPU-32GB":                          "404",
		"NVIDIA Graphics Device":             "404",
		"NVIDIA GeForce RTX 4090 Laptop GPU": "nvidia-geforce-rtx-4090-laptop",
		"NVIDIA RTX 6000 Ada Generation":     "nvidia-rtx-6000-ada",
		"AMD Instinct MI300X OAM":            "amd-instinct-mi300x",
		"NVIDIA A100 80GB PCIe":              "nvidia-a100-pcie-80gb",
		"NVIDIA GH200 480GB":                 "nvidia-gh200-96gb",
	} {
		target := "/api/v1/peak?precision=fp16&device=" + url.QueryEscape(device)
		w := s.get(target)
		s.check(t, "/api/v1/peak", target, w)
		var answer struct {
			Card       struct{ ID string }
			Status     json.Number
			Candidates []struct{ ID string }
			Rates      []struct{ Metric string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		got := answer.Card.ID
		if got == "" {
			got = answer.Status.String()
		}
		if len(answer.Rates) > 0 { // the card is known, and what is stated of it
			got += " " + answer.Candidates[0].ID
			for _, r := range answer.Rates {
				if got+" "+r.Metric == want {
					got = want
				}
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q: %.300s", device, got, want, w.Body)
		}
	}
}

// TestPeakSaysWhatIsCalculated has a card of which the vendor publishes the rate with sparsity alone.
func TestPeakSaysWhatIsCalculated(t *testing.T) {
	s := serve(t)
	const target = "/api/v1/peak?device=GB10&precision=fp4"
	w := s.get(target)
	s.check(t, "/api/v1/peak", target, w)
	var answer struct {
		Value    float64
		Standing string
		Note     struct{ En, Zh string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Value != 500 || answer.Standing != "calculated" || answer.Note.En == "" || answer.Note.Zh == "" {
		t.Errorf("got %+v, want 500 TFLOPS by calculation, with what was calculated", answer)
	}
}
