package seed

import (
	_ "embed"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// ids are those that have been published. Addresses and other datasets name them,
// so none ever changes; new cards are added here.
//
//go:embed testdata/ids.txt
var ids string

func TestPublishedIDsStay(t *testing.T) {
	s := builtinSnapshot(t)
	want := strings.Fields(ids)
	for _, id := range want {
		if _, ok := s.Find(id); !ok {
			t.Errorf("the card %s is gone", id)
		}
	}
	known := map[string]bool{}
	for _, id := range want {
		known[id] = true
	}
	for i := range s.Len() {
		if id := s.Card(i).ID; !known[id] {
			t.Errorf("the card %s is not in testdata/ids.txt", id)
		}
	}
}

func builtinSnapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return catalog.NewSnapshot(1, d)
}

// shownFigure returns the shown number of a card, NaN where there is none.
func shownFigure(t *testing.T, s *catalog.Snapshot, card, quantity string) float64 {
	t.Helper()
	row, ok := s.Find(card)
	q, known := catalog.LookupQuantity(quantity)
	if !ok || !known {
		t.Fatalf("no card %s or quantity %s", card, quantity)
	}
	v, ok := s.Number(q, row)
	if !ok {
		return math.NaN()
	}
	return v
}

// TestKnownTraps holds figures that other lists are known to get wrong: each is
// the ratio of two shown figures.
func TestKnownTraps(t *testing.T) {
	s := builtinSnapshot(t)
	const bf16, fp16, acc16 = "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "fp16_acc16_matrix_dense_tflops"
	for _, tt := range []struct {
		why              string
		card, quantity   string
		of, ofQuantity   string
		ratio, tolerance float64
	}{
		{"H20 has 15 % of an H100", "nvidia-h20-sxm5-96gb", bf16, "nvidia-h100-sxm5-80gb", bf16, 0.15, 0.005},
		{"GH200 computes as H100 SXM", "nvidia-gh200-96gb", bf16, "nvidia-h100-sxm5-80gb", bf16, 1, 0.01},
		{"A800 computes as A100", "nvidia-a800-sxm4-80gb", bf16, "nvidia-a100-sxm4-80gb", bf16, 1, 0.001},
		{"H800 computes as H100", "nvidia-h800-sxm5-80gb", bf16, "nvidia-h100-sxm5-80gb", bf16, 1, 0.001},
		{"A800 links are cut to two thirds", "nvidia-a800-sxm4-80gb", "interconnect_gb_s", "nvidia-a100-sxm4-80gb",
			"interconnect_gb_s", 400.0 / 600, 0.001},
		{"H800 links are cut to four ninths", "nvidia-h800-sxm5-80gb", "interconnect_gb_s", "nvidia-h100-sxm5-80gb",
			"interconnect_gb_s", 400.0 / 900, 0.001},
		{"GeForce Ada halves FP32 accumulate", "nvidia-geforce-rtx-4090", fp16, "nvidia-geforce-rtx-4090",
			acc16, 0.5, 0.005},
		{"GeForce Blackwell halves FP32 accumulate", "nvidia-geforce-rtx-5090", fp16, "nvidia-geforce-rtx-5090",
			acc16, 0.5, 0.005},
		{"RTX 6000 Ada does not", "nvidia-rtx-6000-ada", fp16, "nvidia-geforce-rtx-4090", fp16, 2.2, 0.05},
		{"MI250X counts two dies", "amd-instinct-mi250x", "memory_gb", "amd-instinct-mi210", "memory_gb", 2, 0.001},
		{"a B200 counts two dies", "nvidia-b200-sxm6-180gb", bf16, "nvidia-h100-sxm5-80gb", bf16, 2.27, 0.02},
		{"dense is half of sparse", "nvidia-h100-sxm5-80gb", "bf16_matrix_sparse_tflops", "nvidia-h100-sxm5-80gb",
			bf16, 2, 0.001},
		{"a GB300 has 152 of 160 units", "nvidia-gb300-288gb", "compute_units", "nvidia-gb300-288gb",
			"matrix_cores", 0.25, 0},
		{"an RX 9070 is not guaranteed its game clock", "amd-radeon-rx-9070", "base_clock_mhz", "amd-radeon-rx-9070",
			"boost_clock_mhz", 1330.0 / 2520, 0.001},
		{"the RTX 6000D stays below 1.4 TB/s", "nvidia-rtx-6000d", "memory_bandwidth_gb_s",
			"nvidia-rtx-pro-6000-blackwell-max-q", "memory_bandwidth_gb_s", 1398.0 / 1792, 0.001},
		{"an RTX PRO 4000 has not the clock of the 600 W card", "nvidia-rtx-pro-4000-blackwell", "fp32_vector_tflops",
			"nvidia-rtx-pro-6000-blackwell-max-q", "shader_cores", 36.83 / 24064, 1e-6},
		{"a laptop's rates are of one power", "nvidia-geforce-rtx-5090-laptop", fp16, "nvidia-geforce-rtx-5090-laptop",
			"fp32_vector_tflops", 2, 0.01},
		{"H100 links both ways", "nvidia-h100-sxm5-80gb", "interconnect_gb_s", "nvidia-h100-sxm5-80gb",
			"interconnect_one_way_gb_s", 2, 0},
	} {
		got := shownFigure(t, s, tt.card, tt.quantity) / shownFigure(t, s, tt.of, tt.ofQuantity)
		if !(math.Abs(got-tt.ratio) <= tt.tolerance) {
			t.Errorf(
				"%s: %s of %s is %.4f of %s of %s, want %v ± %v",
				tt.why,
				tt.quantity,
				tt.card,
				got,
				tt.ofQuantity,
				tt.of,
				tt.ratio,
				tt.tolerance,
			)
		}
	}
}

func TestH100KeepsItsFirstEditionRateAsAConflict(t *testing.T) {
	s := builtinSnapshot(t)
	row, _ := s.Find("nvidia-h100-sxm5-80gb")
	fig := s.Facts(row)["fp32_vector_tflops"]
	has60 := false
	for _, v := range fig.Others {
		has60 = has60 || v.Number == 60
	}
	if math.Round(fig.Shown.Number) != 67 || !has60 {
		t.Errorf("got %v shown and others %v, want 67 and 60 beside it", fig.Shown.Number, fig.Others)
	}
}

func TestCardsSayWhichPrecisionsTheyLack(t *testing.T) {
	s := builtinSnapshot(t)
	for _, tt := range []struct{ card, flag, want string }{
		{"nvidia-tesla-v100-sxm2-32gb", "bf16", "false"}, {"nvidia-tesla-v100-sxm2-32gb", "fp16", "true"},
		{"nvidia-a100-sxm4-80gb", "bf16", "true"}, {"nvidia-a100-sxm4-80gb", "fp8", "false"},
		{"nvidia-h100-sxm5-80gb", "fp8", "true"}, {"nvidia-t4", "bf16", "false"},
	} {
		row, _ := s.Find(tt.card)
		if got := s.Facts(row)[tt.flag].Shown; got.Text != tt.want || got.Source == nil {
			t.Errorf("%s of %s: got %q from %v, want %q with a source", tt.flag, tt.card, got.Text, got.Source, tt.want)
		}
	}
}

func TestP4HasNoFastFP16(t *testing.T) {
	s := builtinSnapshot(t)
	if got := shownFigure(t, s, "nvidia-tesla-p4", "fp16_vector_tflops"); got > 0.1 {
		t.Errorf("got %v TFLOPS, want a sixty-fourth of FP32 or nothing", got)
	}
}

func TestCardsAreFoundByTheNamesThatPeopleUse(t *testing.T) {
	s := builtinSnapshot(t)
	for _, tt := range []struct{ name, want string }{
		{"NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"},
		{"NVIDIA A100-SXM4-40GB", "nvidia-a100-sxm4-40gb"},
		{"NVIDIA H100 80GB HBM3", "nvidia-h100-sxm5-80gb"},
		{"NVIDIA GeForce RTX 4090 D", "nvidia-geforce-rtx-4090-d"},
		{"4090d", "nvidia-geforce-rtx-4090-d"}, {"910b3", "huawei-ascend-910b3"}, {"6000 ada", "nvidia-rtx-6000-ada"},
		{"10de:2330", "nvidia-h100-sxm5-80gb"}, {"NVIDIA H100 SXM5", "nvidia-h100-sxm5-80gb"},
		{"10de:2339", "nvidia-h100-sxm5-94gb"}, {"10de:1f03", "nvidia-geforce-rtx-2060-12gb"},
		{"Rubin R200", "nvidia-vr200-288gb"}, {"R200", "kunlunxin-r200"}, {"C600", "graphcore-c600"},
		{"NVIDIA T1000", "nvidia-t1000-4gb"}, {"NVIDIA T1000 8GB", "nvidia-t1000-8gb"}, {"A1000", "nvidia-rtx-a1000"},
		{"RX 9060 XT", "amd-radeon-rx-9060-xt-16gb"}, {"RX 9060 XT 8GB", "amd-radeon-rx-9060-xt-8gb"},
		{"AMD Radeon 780M Graphics", "amd-radeon-780m"}, {"Intel(R) Arc(TM) 140V GPU", "intel-arc-140v"},
		{"Intel Arc Pro B70", "intel-arc-pro-b70"}, {"MI350P", "amd-instinct-mi350p"}, {"Apple M5 Max", "apple-m5-max"},
		{"NVIDIA GeForce RTX 3070 Ti Laptop GPU", "nvidia-geforce-rtx-3070-ti-laptop"},
		{"Jetson Orin Nano Super", "nvidia-jetson-orin-nano-8gb"}, {"昇腾 950PR", "huawei-ascend-950pr"},
		{"真武 810E", "alibaba-zhenwu-810e"}, {"曦云 C600", "metax-c600"}, {"DGX Station", "nvidia-gb300-workstation"},
	} {
		rows := s.Resolve(tt.name)
		if len(rows) != 1 || s.Card(rows[0]).ID != tt.want {
			t.Errorf("%q: got %v, want %s alone", tt.name, rows, tt.want)
		}
	}
	for _, word := range []string{"昇腾", "shengteng", "Ascend", "寒武纪", "hanwuji", "摩尔线程", "壁仞", "昆仑芯", "gfx942"} {
		q, faults := s.ParseQuery(url.Values{"q": {word}})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if got := s.Select(&q, 1).Total; got == 0 {
			t.Errorf("a search for %q finds nothing", word)
		}
	}
}

// TestCardsThatAreNotSoldSaySo holds the cards that nobody can buy or rent, that the date of each announcement says
// when the card is to be sold, and that the reason stands by those that are kept by their makers. What is sold since
// has to leave the list.
func TestCardsThatAreNotSoldSaySo(t *testing.T) {
	s := builtinSnapshot(t)
	want := map[string]string{"nvidia-rubin-cpx": catalog.Cancelled}
	for _, id := range []string{
		"nvidia-vr200-288gb", "nvidia-groq-3-lpu", "amd-instinct-mi430x", "amd-instinct-mi440x",
		"amd-instinct-mi455x", "intel-crescent-island", "huawei-ascend-950dt", "huawei-ascend-960", "meta-mtia-450",
		"meta-mtia-500", "qualcomm-ai200", "sambanova-sn50", "google-tpu-8t", "google-tpu-8i",
	} {
		want[id] = catalog.Announced
	}
	for _, id := range []string{
		"google-tpu-v1", "ibm-truenorth", "ict-cas-diannao", "meta-mtia-v1", "meta-mtia-v2", "meta-mtia-300",
		"meta-mtia-400", "microsoft-maia-100", "microsoft-maia-200",
	} {
		want[id] = catalog.Internal
	}
	for _, id := range []string{"hisilicon-kirin-970-npu", "horizon-robotics-journey-2", "horizon-robotics-journey-5"} {
		want[id] = catalog.BuiltIn
	}
	got := map[string]string{}
	for row := range s.Len() {
		if s.OnSale(row) {
			continue
		}
		id := s.Card(row).ID
		got[id] = s.Standing(row)
		says := "launched"
		if !catalog.BeforeSale(got[id]) {
			says = "standing"
		}
		if v := s.Facts(row)[says].Shown; v.Text == "" || v.Note.En == "" || v.Note.Zh == "" {
			t.Errorf("%s: %s %q with the note %q, want one that says when it is sold, or why not", id, says,
				v.Text, v.Note)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestThePageOfDataHealthHasNoFailedCheck(t *testing.T) {
	if p := builtinSnapshot(t).Health().Problems; len(p) > 0 {
		t.Errorf("%d problems, the first %+v", len(p), p[0])
	}
}
