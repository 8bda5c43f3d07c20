package sizing

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Profile is what is documented of a framework: what it keeps in memory, in
// which precision, and what it supports. The formulas look at these fields, never
// at a framework's name.
type Profile struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Versions string   `json:"versions,omitempty"` // that it describes
	Engine   string   `json:"engine,omitempty"`   // whose kernels it runs, a framework or PyTorch; empty is its own
	Aliases  []string `json:"aliases,omitempty"`
	Tasks    []Task   `json:"tasks"`
	// kinds of models that it runs; empty is all but embedding models and diffusion
	Kinds []string `json:"kinds,omitempty"`
	// share of the 16-bit matrix rate that published runs of models without a calibration reach
	Share    float64   `json:"share,omitempty"`
	Rollouts *Rollouts `json:"rollouts,omitempty"` // how it writes answers to learn from; nil where it does not

	Full StateBytes `json:"full,omitzero"` // fine-tuning of all parameters in 16-bit arithmetic
	// the same where parameters are sharded (ZeRO-3, FSDP), if not as Full
	ShardedFull StateBytes `json:"shardedFull,omitzero"`
	Adapters    StateBytes `json:"adapters,omitzero"` // of an adapter's parameter
	// of embeddings and head that are trained beside adapters; zero is as Adapters
	Embeddings StateBytes `json:"embeddings,omitzero"`
	Loss       Loss       `json:"loss,omitempty"` // how logits and loss are computed in training
	// experts are computed one after the other, not all at once
	ExpertsInTurn bool `json:"expertsInTurn,omitempty"`
	// inputs of quantised matrices are kept although nothing of those is trained
	KeepsQuantizedInputs bool `json:"keepsQuantizedInputs,omitempty"`
	// its adapters are PEFT's, which before release 0.21 made an adapter's input as long as its parameters and
	// kept it so for each of them
	CastsInputs bool `json:"castsInputs,omitempty"`
	// weights that are trained in 32 bits are cast by torch.autocast for 16-bit arithmetic
	Autocasts bool `json:"autocasts,omitempty"`
	// its kernels of norms, gated activations and rotations keep their inputs and compute the rest again
	FusedLayers bool   `json:"fusedLayers,omitempty"`
	Attention   string `json:"attention"` // default: "eager", "sdpa", "flash"
	// its attention is of kernels that each generation of cards has its own of (cuDNN, FlashAttention 3)
	NewAttention bool `json:"newAttention,omitempty"`
	// what its reports of memory count: "allocated", "reserved", "driver"
	Reading string `json:"reading,omitempty"`
	// of embeddings, head and norms beside a quantised base in training; 0 is 2
	KeptBytes float64 `json:"kept,omitempty"`
	// bytes of an element of the residuals between layers beside a quantised base, and beside
	// adapters where parameters are sharded; 0 is 2
	QuantizedResiduals float64 `json:"quantizedResiduals,omitempty"`
	ShardedResiduals   float64 `json:"shardedResiduals,omitempty"`
	// format of weights it trains adapters beside; empty is NF4
	QuantizedBase string `json:"quantizedBase,omitempty"`
	// usual in training of adapters; empty is as FullOptimizer
	Optimizer string `json:"optimizer,omitempty"`
	// its optimiser can step within the backward pass, on one card
	InBackward    bool   `json:"inBackward,omitempty"`
	FullOptimizer string `json:"fullOptimizer,omitempty"` // usual in training; empty is "adamw"
	Checkpointing string `json:"checkpointing,omitempty"` // usual in training; empty is "full"
	// it can keep checkpoints of activations in the memory of the host, which is not its usual setting
	OffloadsCheckpoints bool `json:"offloadsCheckpoints,omitempty"`
	// the host launches kernels one by one while the card works: the slower of the two sets the pace
	LaunchesAhead bool `json:"launchesAhead,omitempty"`
	// a step of training is compiled whole: its host starts no kernels
	Compiled bool   `json:"compiled,omitempty"`
	Family   string `json:"family,omitempty"` // frameworks that share their kernels: "hf"
	Layers   string `json:"layers,omitempty"` // framework whose layers it trains in a loop of its own
	// framework whose training loop it runs with its own settings: TRL's trainer is that of Transformers
	Trainer      string  `json:"trainer,omitempty"`
	Buckets      float64 `json:"buckets,omitempty"`      // bytes of communication buffers of data-parallel training
	BucketsAlone bool    `json:"bucketsAlone,omitempty"` // and of one card too
	// nothing is computed in another format than that of the model: its engine casts the model instead of autocasting
	NoAutocast bool    `json:"noAutocast,omitempty"`
	Gathered   float64 `json:"gathered,omitempty"` // layers held whole at once when parameters are sharded; 0 is 2

	QuantizesHead bool `json:"quantizesHead,omitempty"` // the output projection has the format of the layers
	// under tensor parallelism each card holds embeddings and head whole
	ReplicatesEmbeddings bool     `json:"replicatesEmbeddings,omitempty"`
	UntiesHead           bool     `json:"untiesHead,omitempty"`    // a tied head is stored a second time
	UntiesFormats        []string `json:"untiesFormats,omitempty"` // formats of weights with which it is
	// its kernels unpack quantised weights while they multiply, so that no matrix is ever whole in 16 bits
	UnpacksInKernels bool `json:"unpacksInKernels,omitempty"`
	// it runs the code that comes with a model, where there is such
	RunsModelCode bool `json:"runsModelCode,omitempty"`
	// bytes of a trained parameter in 32 bits that the optimiser’s step copies of gradients, and how many
	// parameters of a card at a time under stage 3 of ZeRO
	GradientCopies float64 `json:"gradientCopies,omitempty"`
	SubGroup       float64 `json:"subGroup,omitempty"`
	// logits of the whole prompt are computed, not of its last token
	PromptLogits bool `json:"promptLogits,omitempty"`
	PromptChunk  int  `json:"promptChunk,omitempty"` // tokens of prompt computed at once; 0 is all of them
	// its cards can attend to requests of their own while they share the experts of a layer
	AttentionData bool `json:"attentionData,omitempty"`
	// requests that its server computes at once at most; 0 is as many as fit
	MaxSequences int     `json:"maxSequences,omitempty"`
	Graphs       float64 `json:"graphs,omitempty"` // bytes of captured graphs
	// of the card's memory that the server takes for weights and cache; 0 is what it needs
	Fraction float64 `json:"fraction,omitempty"`

	// selective checkpointing computes only the scores of attention again
	KeepsAllButScores bool `json:"keepsAllButScores,omitempty"`

	Formats  []string `json:"formats,omitempty"`  // of weights; empty is not documented
	Sharding []string `json:"sharding,omitempty"` // "ddp", "zero", "fsdp", "tensor", "pipeline", "layers", "experts"
	Offload  []string `json:"offload,omitempty"`  // "optimizer", "parameters"
	Backends []string `json:"backends,omitempty"` // "cuda", "rocm", "vulkan", "metal", …

	// command that measures the job, with {model}, {batch}, {context}, …
	Verify  map[Task]string `json:"verify,omitempty"`
	Sources []string        `json:"sources,omitempty"` // documents that say so

	software softwareFacts // of all stacks
}

// StateBytes are the bytes that training keeps of a parameter.
type StateBytes struct {
	Weights   float64 `json:"weights"`
	Gradients float64 `json:"gradients"`
	Master    float64 `json:"master,omitempty"`
	Moment    float64 `json:"moment"` // one of the optimiser's moments; Adam has two
}

// A Loss is a way to compute the loss from the last hidden states.
type Loss string

// The ways.
const (
	LossWhole   Loss = "whole"    // logits of all tokens at once, with their gradients
	LossInPlace Loss = "in_place" // logits of all tokens, their gradients written over them
	LossChunked Loss = "chunked"  // 16-bit logits of all tokens, the rest in chunks
	LossFused   Loss = "fused"    // logits are never whole in memory
)

// hfFamily are the frameworks of Transformers and PEFT.
const hfFamily = "hf"

// Trains reports whether the framework does any task with gradients.
func (p *Profile) Trains() bool { return slices.ContainsFunc(p.Tasks, Task.Trains) }

// Does reports whether the framework does a task.
func (p *Profile) Does(t Task) bool {
	if t == Serve {
		t = Inference
	}
	return slices.Contains(p.Tasks, t)
}

// kept is the bytes of a parameter that is not quantised.
func (p *Profile) kept() float64 {
	if p.KeptBytes > 0 {
		return p.KeptBytes
	}
	return 2
}

// A Document says of the runs that a document reports what its rows leave out.
type Document struct {
	Source  string `json:"source"`            // its beginning, as cases give it
	Profile string `json:"profile,omitempty"` // of memory: the framework that ran
	Version string `json:"version,omitempty"` // of memory: of the framework
	// of memory: "held" is what was allocated after the run, not at its peak
	Reading string `json:"reading,omitempty"`
	// "request": tokens generated ÷ time of the whole request, reading the prompt included
	Speed       string `json:"speed,omitempty"`
	Attention   string `json:"attention,omitempty"`   // that its runs had
	Context     int    `json:"context,omitempty"`     // tokens of its requests, where rows have none
	Prompt      int    `json:"prompt,omitempty"`      // and of these, read
	WholePrompt bool   `json:"wholePrompt,omitempty"` // of memory: all of the context is read, where rows do not say
	// of memory: tokens at most that its release keeps cosines and sines of in each layer, as far as models go
	Rotary int    `json:"rotary,omitempty"`
	Why    string `json:"why"`
}

// Profiles are the known frameworks, in the order of menus.
type Profiles struct {
	All       []Profile
	Documents []Document
	byKey     map[string]int
}

// ReadProfiles reads frameworks from JSON.
func ReadProfiles(r io.Reader) (*Profiles, error) {
	var in struct {
		Frameworks []Profile  `json:"frameworks"`
		Documents  []Document `json:"documents"`
	}
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("frameworks: %w", err)
	}
	p := &Profiles{All: in.Frameworks, Documents: in.Documents, byKey: map[string]int{}}
	for i := range p.All {
		x := &p.All[i]
		if x.ID == "" || x.Name == "" || len(x.Tasks) == 0 || len(x.Sources) == 0 {
			return nil, fmt.Errorf("frameworks: %q: id, name, tasks and sources are needed", x.ID)
		}
		for _, name := range append([]string{x.ID, x.Name}, x.Aliases...) {
			if at, ok := p.byKey[profileKey(name)]; ok && at != i {
				return nil, fmt.Errorf("frameworks: %q means both %s and %s", name, p.All[at].ID, x.ID)
			}
			p.byKey[profileKey(name)] = i
		}
	}
	for _, x := range p.Documents {
		if x.Profile != "" && p.Find(x.Profile) == nil {
			return nil, fmt.Errorf("frameworks: document %q: no framework %q", x.Source, x.Profile)
		}
	}
	return p, nil
}

// profileKey is what names are compared by. A plus sign counts: "HF" is not "HF+FA2".
func profileKey(name string) string {
	return normalize(strings.ReplaceAll(name, "+", "and"))
}

// Find returns the framework with that id, name or alias, in any case and
// punctuation; nil where there is none.
func (p *Profiles) Find(name string) *Profile {
	if at, ok := p.byKey[profileKey(name)]; ok {
		return &p.All[at]
	}
	return nil
}

// document is what is known of the document that a case is from.
func (p *Profiles) document(c *Case) *Document {
	for i := range p.Documents {
		if strings.HasPrefix(c.Source, p.Documents[i].Source) {
			return &p.Documents[i]
		}
	}
	return &Document{}
}

// Prepare looks up what a workload names, for the formulas. What is not found
// stays nil, and no formula has a value then.
func (w *Workload) Prepare(p *Profiles, f *Formats) {
	if w.profile = p.Find(w.Framework); w.profile != nil {
		w.Framework = w.profile.ID
		if w.Attention == "" {
			w.Attention = w.profile.Attention
		}
	}
	w.weigh(f)
	if w.cache = f.Find(w.KVCache); w.KVCache == "" {
		w.cache = f.Find("fp16")
	}
}

// weigh looks up the format of the weights, and how many bits it has in the model, which takes some time where a file
// mixes types: once for all copies of a workload.
func (w *Workload) weigh(f *Formats) {
	format := f.Find(w.Weights)
	if format == nil && w.Weights == "" {
		format = f.Find("bf16")
	}
	if format != nil && (format != w.format || w.Model != w.sized) {
		w.bits, w.sized = format.in(w.Model), w.Model
	}
	w.format = format
}

// Prepare looks up what the cases name, and what the documents that they are from
// say of all their runs.
func Prepare(cases []*Case, p *Profiles, f *Formats) {
	for _, c := range cases {
		d := p.document(c)
		d.complete(c)
		c.Workload.Prepare(p, f)
		if w := &c.Workload; w.profile != nil && w.Task == Inference && w.profile.PromptChunk > 0 &&
			w.Batch >= w.profile.PromptChunk {
			w.Batch = 1 // "batch" is what programs that cut prompts in pieces call the piece
		}
		if c.Quantity == MemoryPerCard {
			c.Quantity = memoryQuantity(&c.Workload)
			c.Workload.Reading = caseReading(c, d)
		}
	}
}

// complete fills in what a row leaves out.
func (d *Document) complete(c *Case) {
	w := &c.Workload
	if w.Attention == "" {
		w.Attention = d.Attention
	}
	if w.Context == 0 && !w.Task.Trains() {
		w.Context, w.Prompt = d.Context, d.Prompt
	}
	switch c.Quantity {
	case DecodeSpeed:
		w.Reading = d.Speed
	case MemoryPerCard:
		if d.Profile != "" {
			w.Framework = d.Profile
		}
		if w.Version == "" {
			w.Version = d.Version
		}
		w.rotary = d.Rotary
		if d.WholePrompt && w.Prompt == 0 {
			w.Prompt = w.Context
		}
	}
}

// caseReading is what the measured memory of a case counts.
func caseReading(c *Case, d *Document) string {
	switch {
	case d.Reading != "":
		return d.Reading
	case c.Measured <= 0, c.Kind == "limit": // whether it ran depends on all of the card's memory
		return ""
	case c.Kind != "":
		return c.Kind
	case c.Workload.Reading != "": // the driver's, which is nobody's own report
		return c.Workload.Reading
	case c.Workload.profile != nil:
		return c.Workload.profile.Reading
	}
	return ""
}
