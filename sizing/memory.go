package sizing

// The quantities that memory is fitted as: what is near for one says nothing of
// the other. A case is one of MemoryPerCard until [Prepare] has looked at its task.
const (
	MemoryInference Quantity = "memory-inference"
	MemoryTraining  Quantity = "memory-training"
)

func memoryQuantity(w *Workload) Quantity {
	if w.Task.Trains() {
		return MemoryTraining
	}
	return MemoryInference
}

// memory estimates the bytes on the fullest card at the peak of a job. It depends
// on the card in nothing but what the card cannot do, which [Refusals] tells.
type memory struct{ training bool }

// Sources of the formulas of memory.
const (
	sourceZeRO      = "Rajbhandari et al., ZeRO, arXiv:1910.02054"
	sourceRecompute = "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, " +
		"arXiv:2205.05198"
	sourceQLoRA     = "Dettmers et al., QLoRA, arXiv:2305.14314"
	sourceAdafactor = "huggingface/transformers src/transformers/optimization.py, Adafactor.step: a parameter after " +
		"the other, with its gradient, its copy and its update in 32 bits"
	sourceAutocast = "PyTorch documentation, torch.amp: autocast keeps a 16-bit copy of each weight that it casts"
	sourceAutograd = "PyTorch documentation, autograd mechanics: gradients are made in the backward pass, and " +
		"zero_grad sets them to None"
	sourceDoRA = "Liu et al., DoRA, arXiv:2402.09353; huggingface/peft src/peft/tuners/lora/dora.py: the " +
		"adapted matrix is made to take its norm"
	sourceStep32 = "deepspeedai/DeepSpeed runtime/zero/stage_1_and_2.py and stage3.py: step copies gradients"
	sourceLoRA   = "Hu et al., LoRA, arXiv:2106.09685"
	sourceGaLore = "Zhao et al., GaLore, arXiv:2403.03507"
	sourceRotary = "huggingface/transformers 4.36 to 4.44 modeling_mistral.py and modeling_qwen2.py, " +
		"_set_cos_sin_cache: in 16 bits, of max_position_embeddings tokens, in each layer"
	sourceCacheCopy         = "modeling_qwen.py of Qwen and modeling_chatglm.py of GLM: torch.cat of past and present"
	sourceGQA               = "Ainslie et al., GQA, arXiv:2305.13245"
	sourceLiger             = "Hsu et al., Liger Kernel, arXiv:2410.10989"
	sourceOffload           = "Ren et al., ZeRO-Offload, arXiv:2101.06840"
	sourceCheckpointOffload = "unsloth.ai/blog/long-context: checkpoints lie in host memory, one layer's is on the card"
	sourceAllocator         = "PyTorch documentation, CUDA semantics: memory management"
	sourceStas              = "Bekman, Machine Learning Engineering, training/performance: CUDA context, NCCL buffers"
	sourceProfile           = "documents of the framework"
	sourceAttentionData     = "sgl-project/sglang docs/advanced_features/dp_dpa_smg_guide.md"
	sourceTransient         = "intermediate tensors of one MLP layer in 16 bits"
	sourceAccelerate        = "huggingface/accelerate infer_auto_device_map: layers are spread by their size"
)

// readings, from what counts least.
const (
	readHeld      = "held" // allocated after the run, not at its peak
	readAllocated = "allocated"
	readReserved  = "reserved"
	readDriver    = "driver"
)

func (m memory) bounds() []Bound {
	if m.training {
		return []Bound{
			{Name: "activations", Start: 1, Low: 0.6, High: 1.8, Each: true}, // on the bytes of a layer
			// bytes of a logit, its gradient included
			{Name: "logits", Start: 10, Low: 4, High: 16, Each: true},
			// bytes kept of each input of a quantised matrix
			{Name: "quantised inputs", Start: 0, Low: 0, High: 4, Each: true},
			// bytes of a parameter of the largest quantised matrix
			{Name: "dequantisation", Start: 2, Low: 0, High: 8, Each: true},
			// copies of a moment of the optimiser during its step
			{Name: "temporaries", Start: 1, Low: 0, High: 2, Each: true},
			// share of sharded weights that is whole at the peak
			{Name: "gathered", Start: 0.02, Low: 0, High: 1.3, Each: true},
			// bytes of an element of the matrix of attention, where it is made
			{Name: "square", Start: 6, Low: 2, High: 16},
			{Name: "reserve", Start: 1.1, Low: 1, High: 1.35, Each: true}, // reserved ÷ allocated
			// more of it where layers are gathered and given back
			{Name: "sharded reserve", Start: 0.1, Low: 0, High: 0.4},
			// of the bytes of whole logits, what is reserved besides
			{Name: "blocks", Start: 0.3, Low: 0, High: 1.2, Each: true},
			{Name: "overhead", Start: 0.3 * gib, Low: 0, High: 2.5 * gib, Each: true}, // bytes of work space
			{Name: "context", Start: 0.6 * gib, Low: 0.3 * gib, High: 1.78 * gib},     // bytes outside the allocator
			{Name: "communication", Start: 1 * gib, Low: 0.2 * gib, High: 2 * gib},    // bytes of NCCL
		}
	}
	return []Bound{
		// on the bytes of a layer's intermediate tensors
		{Name: "prompt", Start: 1, Low: 0, High: 2, Each: true},
		{Name: "logits", Start: 6, Low: 2, High: 12, Each: true}, // bytes of a logit
		// bytes of a parameter of the largest quantised matrix
		{Name: "dequantisation", Start: 2, Low: 0, High: 8, Each: true},
		// bytes of an element of the matrix of attention, where it is made
		{Name: "square", Start: 6, Low: 2, High: 16},
		{Name: "reserve", Start: 1.05, Low: 1, High: 1.5, Each: true},              // reserved ÷ allocated
		{Name: "overhead", Start: 0.02 * gib, Low: 0, High: 1.5 * gib, Each: true}, // bytes of work space
		{Name: "context", Start: 0.5 * gib, Low: 0.3 * gib, High: 1.78 * gib},      // bytes outside the allocator
		{Name: "communication", Start: 0.3 * gib, Low: 0.1 * gib, High: 2 * gib},   // bytes of NCCL
	}
}

// pull: what inference takes is documented, and constants fitted with few frameworks are worse
// for others than what documents say; in training frameworks differ by less than few runs of one
// make it seem. Of 0.1 to 200 these left the smallest errors where cards, frameworks and
// sources were held back.
func (m memory) pull() pull {
	if m.training {
		return pull{0.1, 0.5}
	}
	return pull{200, 4}
}

// formula is the sum of the ledger.
func (m memory) formula(k Constants, w *Workload, _ *Card, explain bool) (float64, []Line) {
	l := m.ledger(k, w, explain)
	return l.sum, l.lines
}

// ledger adds up a job; it is empty where a figure is not known.
func (m memory) ledger(k Constants, w *Workload, explain bool) ledger {
	l := ledger{explaining: explain}
	x := w.Model
	if w.profile == nil || w.format == nil || x == nil || w.Task.Trains() != m.training || x.Parameters <= 0 ||
		x.Layers <= 0 || x.Hidden <= 0 {
		return l
	}
	j := jobOf(w)
	if m.training {
		j.train(k, &l)
	} else {
		j.infer(k, &l)
	}
	j.outside(k, &l)
	return l
}

// ofWeights is the share of the weights that no need falls below: tables of formats round
// the bits of mixed ones, and sizes of models are rounded.
const ofWeights = 0.97

// floor is what the weights on a card take, whatever the correction says.
func (m memory) floor(w *Workload) float64 {
	if w.profile == nil || w.format == nil || w.Model == nil || w.Model.Layers <= 0 ||
		w.Sharding.Offload == "parameters" {
		return 0
	}
	j := jobOf(w)
	bytes := j.stored
	if m.training && !j.fine() {
		bytes = 2 * j.params
	}
	return ofWeights * bytes / j.weightShards()
}

// ofFiles is how far the sizes of llama.cpp's files are from those that the types of their tensors make: five published
// ones within 0.2 % ([ADR 86]).
//
// [ADR 86]: ../docs/adr/0086-files-by-their-tensors.md
const ofFiles = 0.002

// weighs are the weights of a file of llama.cpp on one card, which loads it as it is.
func (m memory) weighs(k Constants, w *Workload) (part, within, doubt float64) {
	if m.training || w.profile == nil || w.format == nil || w.Model == nil || w.Model.Layers <= 0 || w.Cards > 1 ||
		w.Sharding.Offload != "" {
		return 0, 0, 0
	}
	if _, ok := ggufMixes[w.format.ID]; !ok {
		return 0, 0, 0
	}
	j := jobOf(w)
	rest := m.ledger(k, w, false)
	rest.sum, rest.sure = rest.sum-j.stored, rest.sure-j.stored
	return j.stored, ofFiles, rest.doubt()
}

// libraries is how much of what contexts and libraries keep differs among releases (0.47 to
// 1.78 GiB of context alone, see [sourceStas]): much for a small model, nothing for a large one.
const libraries = gib / 2

// doubt is the share of a need that does not follow from the model and the settings.
func (m memory) doubt(k Constants, w *Workload, _ *Card) float64 {
	l := m.ledger(k, w, false)
	return l.doubt()
}

func (l *ledger) doubt() float64 {
	if l.sum <= 0 {
		return 1
	}
	return min(1, 1-(l.sure-libraries)/l.sum)
}

// host is the bytes of host memory of a job.
func (m memory) host(w *Workload) float64 {
	if w.profile == nil || w.format == nil || w.Model == nil {
		return 0
	}
	j := jobOf(w)
	return j.host()
}
