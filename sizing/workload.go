package sizing

// A Task is what is done with a model.
type Task string

// The tasks.
const (
	Inference Task = "inference"
	Full      Task = "full"     // fine-tuning of all parameters
	LoRA      Task = "lora"     // low-rank adapters beside 16-bit weights
	QLoRA     Task = "qlora"    // adapters beside quantised weights
	GaLore    Task = "galore"   // all parameters, optimiser states of projected gradients
	Pretrain  Task = "pretrain" // from nothing; like Full with longer batches
	Serve     Task = "serve"    // inference for many users, see [Workload.Output]
	DPO       Task = "dpo"      // from pairs of answers, one preferred, beside a frozen reference
	GRPO      Task = "grpo"     // from groups of answers that the model itself writes, by their reward
)

// Tasks are all tasks of one job, in the order of menus. [Serve] is asked for in
// another way, see package serving.
var Tasks = []Task{Inference, Full, LoRA, QLoRA, GaLore, Pretrain, DPO, GRPO}

// Trains reports whether a task has gradients.
func (t Task) Trains() bool { return t != Inference && t != Serve }

// A Workload is one job. Its zero values are filled in by [Estimator.Complete],
// which also refuses what does not go together.
type Workload struct {
	Model     *Model
	Task      Task
	Framework string // id of a profile
	Backend   string // of the framework: "cuda", "rocm", "vulkan", "metal", …; empty is the one of the card's maker
	Weights   string // id of the format of the base weights: "bf16", "nf4", "q4_k_m"
	Compute   string // id of the format of training arithmetic: "bf16", "fp16", "fp32", "fp8", "nvfp4"
	KVCache   string // id of the format of keys and values; "fp16" where empty

	Batch   int // sequences at once: a card's micro-batch in training, requests in flight in inference
	Context int // tokens of a sequence: in training padded or packed; in inference prompt and output together
	Prompt  int // inference: the tokens of Context that are read at once

	LongContext bool // Context may be more than the model was made for

	// Serving: mean tokens of a request are Prompt and Output, and one of the three is the load.
	Output       int     // tokens generated for a request; Context is then Prompt and Output
	Requests     int     // a burst: sent at once, measured until the last is done
	RateRPS      float64 // requests per second, arriving at random, for ever
	Concurrency  int     // requests in flight, always as many
	EqualLengths bool    // all answers are as long: a burst has no tail of longer ones
	Captured     int     // tokens of a step that are captured as one graph at most; 0 is the default of the engine
	MaxSequences int     // that the engine computes at once at most; 0 is its default
	Fraction     float64 // of the card's memory that the engine takes; 0 is its default

	// "adamw", "adamw-fused" (whose step copies nothing), "adamw-8bit", "paged-adamw-8bit", "adafactor", "sgd", …;
	// those that end in [inBackward] or [layerwise] keep the gradients of one parameter
	Optimizer string
	// "none", "selective", "full": of each layer its input is kept, "offload": and lies in host memory
	Checkpointing   string
	FusedLoss       bool   // logits are never whole in memory
	Attention       string // "eager", "sdpa", "flash", "flash-3"
	Packing         bool   // sequences are filled up; otherwise Context is the longest and many are shorter
	Accumulation    int    // micro-batches a step
	Rank            int    // of adapters
	DoRA            bool   // adapters of direction, with magnitudes beside them
	Targets         string // of adapters: "q,v", "attention", "all"
	TrainEmbeddings bool   // embeddings and head are trained beside the adapters

	Cards    int
	Sharding Sharding

	Media      Media      // of models of diffusion
	Preference Preference // of DPO and GRPO
	Host       Host       // what of a language model lies in host memory in inference

	Version string // release of the framework, or how it is set up, where that is known: "26.04", "compiled"

	// Reading is what a memory figure counts: "allocated" by tensors, "reserved" by the
	// framework's allocator, "driver" with everything outside it. Empty is the driver's.
	// Of a speed of generation, "request" divides the tokens by the time of the whole
	// request, reading the prompt included.
	Reading string

	// Of cases: tokens that a release keeps cosines and sines of in each layer, and whether the memory is the mean
	// of the cards instead of the fullest one's.
	rotary int
	mean   bool
	// of cases: adapters are of a release that casts their inputs; see Profile.CastsInputs
	casts bool
	// of cases: what lies beside a quantised base stays in 16 bits although the framework's guide has it in 32
	unprepared bool
	// of cases: each card has one stage of the pipeline, not several between which it changes (1F1B, not interleaved)
	plain bool

	// Found by Prepare.
	profile *Profile
	format  *Format // of Weights
	bits    bitsOf  // of format in Model
	sized   *Model  // what bits are of
	cache   *Format // of KVCache
}

// Sharding says how the cards of a job divide it. Data · Tensor · Pipeline is the
// number of cards.
type Sharding struct {
	Data, Tensor, Pipeline int
	Stage                  int    // ZeRO: 0 every card holds all, 1 optimiser, 2 and gradients, 3 and parameters
	Offload                string // "", "optimizer", "parameters": what lies in host memory
	Layers                 bool   // inference: layers are spread over cards that work one after another

	// Of the data-parallel cards, so many share the tokens of one sequence (context
	// parallelism) or the experts of a layer; 0 and 1 are none.
	Sequence, Experts int

	// serving: each card that shares the experts attends to requests of its own and holds all that is no expert
	// (attention data parallelism)
	AttentionData bool
}

// kept is what stays of a division when the number of cards changes.
func (s Sharding) kept() Sharding {
	return Sharding{Offload: s.Offload, Sequence: s.Sequence, Experts: s.Experts}
}
