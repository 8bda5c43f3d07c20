package sizing

// flash3 is FlashAttention 3, whose kernels use instructions that Hopper alone has.
const flash3 = "flash-3"

// attentionKept names what an implementation of attention keeps in memory: FlashAttention 3 keeps what 2 does.
func (w *Workload) attentionKept() string {
	if w.Attention == flash3 {
		return "flash"
	}
	return w.Attention
}

// oldAttention reports whether attention is computed by kernels that do not use the instructions for products which
// came with the generation of a card, Hopper or the chips for data centres after it. Those of FlashAttention 2 reach
// 335 of 989 TFLOPS on an H100 and 230 of 312 on an A100 (arXiv:2307.08691); those of cuDNN and FlashAttention 3 reach
// up to 740 on an H100 (arXiv:2407.08608). Frameworks without a profile are those of submissions to MLPerf, which use
// cuDNN.
func (w *Workload) oldAttention(c *Card) bool {
	return w.profile != nil && !w.profile.NewAttention && w.Attention != flash3 && c.stacked() &&
		(c.Architecture == "Hopper" || c.Architecture == "Blackwell")
}
