package plot

import (
	"math"

	"tianti/catalog"
)

// A Precision is a number format with the rate that counts as its peak.
type Precision struct {
	ID    string // "bf16", a value of parameters
	Name  string
	Rate  string  // id of the quantity: dense matrix rates, but for FP32
	Bytes float64 // of a number
}

// Precisions are those that rooflines are drawn for, the widest first.
var Precisions = []Precision{
	{"fp32", "FP32", "fp32_vector_tflops", 4},
	{"tf32", "TF32", "tf32_matrix_dense_tflops", 4},
	{"bf16", "BF16", "bf16_matrix_dense_tflops", 2},
	{"fp16", "FP16", "fp16_matrix_dense_tflops", 2},
	{"fp8", "FP8", "fp8_matrix_dense_tflops", 1},
	{"int8", "INT8", "int8_matrix_dense_tops", 1},
	{"fp4", "FP4", "fp4_matrix_dense_tflops", .5},
}

// DefaultPrecision is the one in which cards are compared unless another is chosen.
const DefaultPrecision = "bf16"

// LookupPrecision returns the precision with that id.
func LookupPrecision(id string) (Precision, bool) {
	for _, p := range Precisions {
		if p.ID == id {
			return p, true
		}
	}
	return Precision{}, false
}

// A Roof is what a card can reach in a precision: no more than its peak rate, and
// no more than its memory delivers operands for.
type Roof struct {
	Precision
	Peak      float64 // TFLOPS, or TOPS
	Bandwidth float64 // of memory, GB/s
}

// RoofOf is the roof of card i in a precision; ok is false when the rate or the
// bandwidth is not known.
func RoofOf(s *catalog.Snapshot, i int, p Precision) (r Roof, ok bool) {
	f := s.Figures(i)
	peak, ok := f.Number(p.Rate)
	bandwidth, ok2 := f.Number("memory_bandwidth_gb_s")
	return Roof{p, peak, bandwidth}, ok && ok2 && peak > 0 && bandwidth > 0
}

// Ridge is the intensity, in operations a byte, from which on the rate and not the
// memory is the limit.
func (r Roof) Ridge() float64 { return r.Peak * 1000 / r.Bandwidth }

// At is the attainable rate at an intensity.
func (r Roof) At(intensity float64) float64 {
	return min(r.Peak, intensity*r.Bandwidth/1000)
}

// A Work is something that cards compute, with its arithmetic intensity.
type Work struct {
	ID        string // "decode1"
	Name      catalog.Text
	Formula   catalog.Text // of the intensity, with s for the bytes of a number
	intensity func(bytes float64) float64
}

// Intensity is how many operations the work does for each byte of memory that it
// reads or writes, in a precision.
func (w Work) Intensity(p Precision) float64 { return w.intensity(p.Bytes) }

// The layer that stands for a model of 7 billion parameters: the up-projection of
// its feed-forward block, with hidden size 4,096 and intermediate size 11,008.
const (
	layerIn  = 4096
	layerOut = 11008

	prefillTokens  = 2048
	trainingTokens = 8192
)

// Works are the marks of rooflines, from the least intensity to the highest.
var Works = []Work{
	{"decode1", catalog.Text{En: "LLM decoding, batch 1", Zh: "大模型解码，批大小 1"},
		catalog.Text{En: "2 · 1 operations a parameter ÷ s bytes a parameter: every weight is read once a step; the " +
			"KV cache is left out", Zh: "每个参数 2 · 1 次运算 ÷ 每个参数 s 字节：每步把全部权重读一遍；未计 KV 缓存"}, decode(1)},
	{"decode32", catalog.Text{En: "LLM decoding, batch 32", Zh: "大模型解码，批大小 32"},
		catalog.Text{En: "2 · 32 operations a parameter ÷ s bytes a parameter; the KV cache is left out",
			Zh: "每个参数 2 · 32 次运算 ÷ 每个参数 s 字节；未计 KV 缓存"}, decode(32)},
	{"prefill", catalog.Text{En: "LLM prefill, 2\u202f048 tokens", Zh: "大模型预填充，2\u202f048 个词元"},
		catalog.Text{En: "2·M·N·K ÷ s·(M·K + K·N + M·N), each matrix moved once; M = 2\u202f048 tokens, K = " +
			"4\u202f096, N = 11\u202f008: the up-projection of a 7B model", Zh: "2·M·N·K ÷ s·(M·K + K·N + " +
			"M·N)，每个矩阵只搬运一次；M = 2\u202f048 个词元，K = 4\u202f096，N = 11\u202f008：7B 模型的上投影层"}, product(prefillTokens)},
	{"training", catalog.Text{En: "Training, 8\u202f192 tokens a step", Zh: "训练，每步 8\u202f192 个词元"},
		catalog.Text{En: "the same product with M = 8\u202f192; both products of the backward pass move the same " +
			"three matrices and have the same intensity", Zh: "同一矩阵乘法，M = 8\u202f192；反向传播的两次乘法搬运同样的三个矩阵，强度相同"},
		product(trainingTokens)},
}

// decode is the intensity of one step that reads every weight once for a batch.
func decode(batch float64) func(float64) float64 {
	return func(bytes float64) float64 { return 2 * batch / bytes }
}

// product is the intensity of a matrix product over so many tokens in the layer.
func product(tokens float64) func(float64) float64 {
	operations := 2 * tokens * layerIn * layerOut
	numbers := tokens*layerIn + layerIn*layerOut + tokens*layerOut
	return func(bytes float64) float64 { return operations / (bytes * numbers) }
}

// RooflineSource is where the model is from.
var RooflineSource = struct{ Title, URL string }{
	"Williams, Waterman, Patterson: Roofline: An Insightful Visual Performance Model for Multicore Architectures. " +
		"Communications of the ACM 52 (4), 2009",
	"https://doi.org/10.1145/1498765.1498785",
}

// IntensityExtent is a range of intensities that holds the marks and the ridges of
// some roofs, with room on both sides.
func IntensityExtent(roofs []Roof) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	see := func(v float64) { lo, hi = min(lo, v), max(hi, v) }
	for _, r := range roofs {
		see(r.Ridge())
		for _, w := range Works {
			see(w.Intensity(r.Precision))
		}
	}
	return lo / 2, hi * 2
}
