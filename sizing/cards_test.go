package sizing_test

import (
	"math"
	"testing"
)

const gib = 1 << 30

func TestCardsAreFoundByWhatPeopleCallThem(t *testing.T) {
	for name, want := range map[string]string{
		"3070 8GB":                                     "nvidia-geforce-rtx-3070",
		"A100 PCIe 80GB":                               "nvidia-a100-pcie-80gb",
		"a100_40gb":                                    "nvidia-a100-sxm4-40gb",
		"A100 80GB":                                    "nvidia-a100-sxm4-80gb",
		"rtx-4090-24gb":                                "nvidia-geforce-rtx-4090",
		"A10G 24GB":                                    "nvidia-a10g",
		"M2 Ultra 76-Core GPU 192GB":                   "apple-m2-ultra",
		"M3 Max 40‑Core GPU 64GB":                      "apple-m3-max",
		"NVIDIA Blackwell GPU (B200-SXM-180GB)":        "nvidia-b200-sxm6-180gb",
		"NVIDIA Blackwell GPU (GB200)":                 "nvidia-gb200-186gb",
		"NVIDIA H200-SXM5-141GB":                       "nvidia-h200-sxm5-141gb",
		"Apple M1 Pro 8P+2E+16GPU":                     "apple-m1-pro",
		"H100 96GB HBM2e":                              "nvidia-h100-sxm5-80gb",
		"RTX 6000 Ada Generation":                      "nvidia-rtx-6000-ada",
		"apple-m5-32gb":                                "apple-m5",
		"NVIDIA GeForce RTX 4060 Laptop GPU":           "nvidia-geforce-rtx-4060-laptop",
		"Nvidia RTX 4060 Mobile":                       "nvidia-geforce-rtx-4060-laptop",
		"AMD Instinct MI325X 256GB HBM3e":              "amd-instinct-mi325x",
		"nvidia-h100-pcie-80gb":                        "nvidia-h100-pcie-80gb",
		"RTX 4000 Ada 20GB":                            "nvidia-rtx-4000-ada",
		"Quadro RTX 4000":                              "nvidia-quadro-rtx-4000",
		"Apple M4 M4 Pro":                              "apple-m4-pro",
		"AMD Instinct MI325X 256GB HBM3E DLC":          "amd-instinct-mi325x",
		"NVIDIA GeForce RTX 3080 Ti":                   "nvidia-geforce-rtx-3080-ti",
		"H100 PCIe 80GB":                               "nvidia-h100-pcie-80gb",
		"NVIDIA RTX PRO 6000 Blackwell Server Edition": "nvidia-rtx-pro-6000-blackwell-server-edition",
	} {
		cards := mustNames(t).Cards(name)
		if len(cards) != 1 || cards[0].ID != want {
			var got []string
			for _, c := range cards {
				got = append(got, c.ID)
			}
			t.Errorf("%q is %q, want %s", name, got, want)
		}
	}
}

func TestCardsAreNotGuessed(t *testing.T) {
	for name, most := range map[string]int{
		"NVIDIA L40S-8Q": 0, "Intel Core Ultra 200 Series": 0, "NVIDIA GeForce GTX 1640": 0, "RTX 4090 48GB": 0,
		"": 0, "GPU": 0, "H100 48GB": 0, "Radeon 840M / 860M Graphics": 0, "🂡": 0,
	} {
		if got := mustNames(t).Cards(name); len(got) > most {
			t.Errorf("%q is %s", name, got[0].ID)
		}
	}
	if got := mustNames(t).Cards("RTX 3080"); len(got) != 2 {
		t.Errorf("RTX 3080: %d cards, want the 10 and the 12 GB", len(got))
	}
}

func TestMemoryOfSharedChipsIsWhatTheNameSays(t *testing.T) {
	got := mustNames(t).Cards("M3 Max 40‑Core GPU 64GB")[0]
	if got.Memory != 64*gib || got.Usable != 48*gib {
		t.Errorf("got %.1f GiB, %.1f usable; Metal reports 48 of 64", got.Memory/gib, got.Usable/gib)
	}
	whole, part := mustNames(t).Cards("Apple M1 4P+4E+8GPU")[0], mustNames(t).Cards("M1 7‑Core GPU 8GB")[0]
	if math.Abs(part.FP32/whole.FP32-7.0/8) > 1e-9 || part.Memory != 8*gib {
		t.Errorf("7 of 8 cores have %.3f of the rate, %.0f GiB", part.FP32/whole.FP32, part.Memory/gib)
	}
	if got := mustNames(t).Cards("24 GB GPU"); len(got) != 1 || got[0].Memory != 24*gib || got[0].ID != "" {
		t.Errorf("24 GB GPU: got %+v", got)
	}
}

func TestUsableMemoryIsWhatDriversReport(t *testing.T) {
	for name, mib := range map[string]float64{
		"H100 SXM5 80GB": 81559, "A10G": 23028, "T4": 15360, "RTX 4090": 24564,
		"RTX 4080": 16376, "A40": 46068, // not in the table: nvidia-smi prints these
	} {
		c := mustNames(t).Cards(name)[0]
		if got := c.Usable / (1 << 20); math.Abs(got/mib-1) > 0.001 {
			t.Errorf("%s: %.0f MiB, a driver reports %.0f", name, got, mib)
		}
	}
}

func TestFiguresBecomeUnitsOfTheField(t *testing.T) {
	c := mustNames(t).Cards("nvidia-h100-sxm5-80gb")[0]
	for what, v := range map[string][2]float64{
		"bandwidth": {c.Bandwidth, 3.35e12}, "link": {c.Link, 450e9}, "PCIe": {c.PCIe, 63e9}, "BF16": {c.BF16,
			989.4e12}, "FP8": {c.FP8, 1978.9e12}, "power": {c.Power, 700},
	} {
		if math.Abs(v[0]/v[1]-1) > 0.01 {
			t.Errorf("%s: got %g, want %g", what, v[0], v[1])
		}
	}
}
