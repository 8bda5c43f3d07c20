package sizing_test

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"tianti/sizing"
)

// TestBitsOfMixedFormats compares formats in models with what the files of others were: the bits per weight that
// llama.cpp's documents give and the sizes that its programs print.
func TestBitsOfMixedFormats(t *testing.T) {
	a := estimatorOfBuiltin(t)
	const readme, before = "tools/quantize/README.md", "examples/quantize/README.md before July 2025"
	for _, of := range []struct {
		model, source string
		off           float64 // allowed, of one
		bits          string  // format and bits per weight
	}{
		{"llama-3.1-8b", readme, 0.002, "IQ1_S 2.0042 IQ1_M 2.146 IQ2_XXS 2.3824 IQ2_XS 2.5882 IQ2_S 2.7403 " +
			"IQ2_M 2.9294 IQ3_XXS 3.2548 IQ3_XS 3.4977 IQ3_S 3.6606 IQ3_M 3.7628 IQ4_XS 4.4597 IQ4_NL 4.6818 " +
			"Q2_K_S 2.9697 Q2_K 3.1593 Q3_K_S 3.6429 Q3_K_L 4.2979 Q4_K_S 4.6672 Q4_K_M 4.8944 Q5_K_S 5.5704 " +
			"Q5_K_M 5.7036 Q6_K 6.5633 Q8_0 8.5008"},
		{"llama-2-7b", before, 0.003, "Q3_K_S 3.50 Q3_K_M 3.91 Q3_K_L 4.27 Q4_K_S 4.58 " +
			"Q4_K_M 4.84 Q5_K_S 5.52 Q5_K_M 5.68 Q6_K 6.56"},
		{"llama-2-13b", before, 0.003, "Q3_K_S 3.48 Q3_K_M 3.89 Q3_K_L 4.26 Q4_K_S 4.56 " +
			"Q4_K_M 4.83 Q5_K_S 5.51 Q5_K_M 5.67 Q6_K 6.56"},
		{"llama-2-70b", before, 0.005, "Q3_K_S 3.47 Q3_K_M 3.85 Q3_K_L 4.19 Q4_K_S 4.53 " +
			"Q4_K_M 4.80 Q5_K_S 5.50 Q5_K_M 5.65 Q6_K 6.56"},
	} {
		model := a.Models.Find(of.model)
		words := strings.Fields(of.bits)
		for i := 0; i < len(words); i += 2 {
			want, err := strconv.ParseFloat(words[i+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			got := a.Formats.Find(words[i]).BitsIn(model)
			t.Logf("%s %s: %.4f, %.4f published (%+.2f %%)", of.model, words[i], got, want, 100*(got/want-1))
			if math.Abs(got/want-1) > of.off {
				t.Errorf("%s %s has %.4f bits a weight, %.4f by %s", of.model, words[i], got, want, of.source)
			}
		}
	}
	for _, file := range []struct {
		model, format string
		gib           float64
		source        string
	}{
		{"llama-3-8b", "Q4_K_M", 4.58, "XiongjieDai/GPU-Benchmarks-on-LLM-Inference"},
		{"llama-3-70b", "Q4_K_M", 39.59, "XiongjieDai/GPU-Benchmarks-on-LLM-Inference"},
		{"llama-3.2-3b", "Q4_K_M", 1.87, "geerlingguy/ai-benchmarks issue 53"},
		{"tinyllama-1.1b", "Q4_K_M", 636.18 / 1024, "geerlingguy/ai-benchmarks issue 54"},
		{"deepseek-r1", "Q4_K_M", 376.65, "ikawrakow/ik_llama.cpp pull request 259"},
	} {
		model := a.Models.Find(file.model)
		if model == nil {
			t.Errorf("no model %s", file.model)
			continue
		}
		got := model.WeightBytes(a.Formats.Find(file.format)) / (1 << 30)
		t.Logf("%s %s: %.3f GiB, %.3f published", file.model, file.format, got, file.gib)
		if math.Abs(got/file.gib-1) > 0.006 {
			t.Errorf("%s in %s takes %.2f GiB, %.2f by %s", file.model, file.format, got, file.gib, file.source)
		}
	}
	for _, of := range a.Formats.All { // none is lost by a name that changes
		if got := of.BitsIn(a.Models.Find("llama-3.1-8b")); math.Abs(got/of.Bits-1) > 0.01 {
			t.Errorf("%s has %.3f bits a weight in Llama 3.1 8B, %.3f in the table", of.ID, got, of.Bits)
		}
	}
}

// TestFilesWeighWhatTheyAre holds that an interval is not wider than what is not known of a file and of what lies
// beside it.
func TestFilesWeighWhatTheyAre(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for _, test := range []struct {
		query   string
		up      float64 // of expected, at most
		verdict sizing.Verdict
	}{
		{"model=deepseek-r1&weights=q4_k_m&context=4096&card=apple-m3-ultra", 0.005, sizing.Fits},
		{"model=llama-3-70b&weights=q4_k_m&context=1024&card=nvidia-rtx-a6000", 0.02, sizing.Fits},
		{"model=llama-3-70b&weights=q4_k_m&context=1024&card=nvidia-geforce-rtx-5090", 0.02, sizing.TooBig},
		{"model=llama-3-8b&weights=f16&context=1024&card=apple-m3-ultra", 0.2, sizing.Fits}, // no file of mixed types
	} {
		q, err := url.ParseQuery(test.query + "&task=inference&framework=llama.cpp&cards=1")
		if err != nil {
			t.Fatal(err)
		}
		r, errs := a.ParseRequest(q)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		m := a.Estimate(r.Workload, a.Card(r.Cards[0]), r).Memory
		file := m.Lines[0].Value
		t.Logf("%s: %.2f GB (%.2f to %.2f), file %.2f", test.query, m.PerCard.Expected/1e9, m.PerCard.Low/1e9,
			m.PerCard.High/1e9, file/1e9)
		if m.Verdict != test.verdict || m.PerCard.High > m.PerCard.Expected*(1+test.up) ||
			m.PerCard.Low > m.PerCard.Expected {
			t.Errorf("%s: %s, %g to %g where %g is expected", test.query, m.Verdict, m.PerCard.Low, m.PerCard.High,
				m.PerCard.Expected)
		}
		if !strings.Contains(test.query, "f16") && m.PerCard.Low < 0.997*file {
			t.Errorf("%s: from %g, less than the file's %g", test.query, m.PerCard.Low, file)
		}
	}
}
