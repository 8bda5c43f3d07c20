package sizing

import (
	"cmp"
	"slices"
)

// diffusion sizes pipelines that make images and clips, and the training of their denoisers.
type diffusion struct{ a *Estimator }

// What documents and published runs say of pipelines; docs/other-work.md has the runs.
const (
	// Bytes of what a pass over a block holds beside its input, in multiples of 2 bytes a value: the
	// benchmarks of Diffusers report 22.64 GiB for a pass of FLUX.1-dev at 1024², of which weights are 22.17.
	passValues = 18
	// Maps at full resolution that the decoder of a VAE holds at once.
	decoderMaps = 8
	// Pixels that a clip is decoded by: the scripts of video models turn tiling on.
	tilePixels = 1 << 20
	// Blocks of a transformer that are on the card where blocks are moved to it: the one that works and the next.
	movedBlocks = 2
	// Operations of a VAE for a pixel: Kim et al. and others count 1781 G multiply-accumulates at 512², encoder
	// and decoder together.
	vaeFLOP = 2 * 1781e9 / (512 * 512)
	// Values that one block keeps for its backward pass, in multiples of its input, in 2 bytes: 34 bytes a value
	// of a transformer's layer (arXiv:2205.05198).
	layerValues = 17
	// Seconds that the host takes to start the kernels of a UNet's pass: what is left of 1.96 s for 50 steps of
	// Stable Diffusion 1.5 on an A100.
	unetLaunch = 25e-3

	diffusionMemory = 0.8 // share by which what is not sure may be off
	diffusionSpeed  = 2.2 // intervals end a factor below and above
)

const (
	sourceDiffusers = "huggingface.co/datasets/diffusers/benchmarks"
	sourceDiT       = "Peebles and Xie, Scalable Diffusion Models with Transformers, arXiv:2212.09748"
	sourceVAE       = "Rombach et al., Latent Diffusion, arXiv:2112.10752: the decoder's last maps are as large " +
		"as the image"
	sourceGuidance     = "Ho and Salimans, Classifier-Free Diffusion Guidance, arXiv:2207.12598"
	sourceModelOffload = "huggingface/diffusers docs/source/en/optimization/memory.md: one component at a time on " +
		"the card"
	sourceGroupOffload = "huggingface/diffusers docs/source/en/optimization/memory.md: group offloading, with a " +
		"stream that moves the next group while one works"
	sourceExpert = "modelscope/DiffSynth-Studio examples/wanvideo/model_training: the denoisers of a model are " +
		"trained one after the other"
	sourceCached = "huggingface/diffusers examples/dreambooth: latents and text embeddings computed before training"
)

// ready reports whether the model's pipeline and the job are known.
func (diffusion) ready(w *Workload) bool {
	return w.Model.Pipeline != nil && w.format != nil && w.profile != nil && w.Media.Width > 0 && w.Media.Height > 0
}

func (d diffusion) shardings(w *Workload, n int, asked Sharding) []Sharding {
	if !w.Task.Trains() || n == 1 && asked.Offload == "" {
		out := replicas(n)
		out[0].Offload = asked.kept().Offload
		return out
	}
	var out []Sharding
	for stage := range 4 {
		if asked.Stage > 0 && stage != asked.Stage || asked.Offload == "parameters" && stage < 3 ||
			asked.Offload == "optimizer" && stage < 1 || stage > 0 && !w.profile.divides3() {
			continue
		}
		out = append(out, Sharding{Data: n, Tensor: 1, Pipeline: 1, Stage: stage, Offload: asked.Offload})
	}
	return out
}

// divides3 reports whether a framework shares states or parameters among data-parallel cards.
func (p *Profile) divides3() bool {
	for _, s := range p.Sharding {
		if s == "zero" || s == "fsdp" {
			return true
		}
	}
	return false
}

func (d diffusion) memory(w *Workload, explain bool) (Range, []Line, float64, bool) {
	if !d.ready(w) {
		return Range{}, nil, 0, false
	}
	l := ledger{explaining: explain}
	x := denoiserOf(w)
	host := 0.0
	if w.Task.Trains() {
		host = d.train(w, &x, &l)
		d.a.outside(&l, MemoryTraining)
	} else {
		host = d.infer(w, &x, &l)
		d.a.outside(&l, MemoryInference)
	}
	return l.need(diffusionMemory), l.lines, host, true
}

// denoiserBytes are those of the weights of all denoisers in the format of the job.
func denoiserBytes(w *Workload) float64 { return w.Model.Parameters * w.format.Bytes() }

// A component of a pipeline, with what is on the card while it works: of its weights, and what comes and goes.
type component struct {
	part           string
	weights, works float64
}

// components are those of a pipeline in the order of their work. A pipeline with several denoisers uses one after
// the other.
func (d diffusion) components(w *Workload, x *denoiser) (text, denoise, decode component) {
	batch := max(1, ceil(float64(max(1, w.Batch))/float64(max(1, w.Sharding.Data))))
	_, largest := x.blockInputs()
	pixels := x.pixels * batch
	if x.MakesClips() {
		pixels = min(x.pixels, tilePixels)
	}
	return component{"text_encoders", 2 * x.TextEncoders, 0},
		component{"weights", denoiserBytes(w) / x.denoisers(), 2 * passValues * largest * batch * x.atOnce()},
		component{"vae", x.vaeBytes() * x.VAE, x.vaeBytes() * decoderMaps * float64(x.VAEWidth) * pixels}
}

func (d diffusion) infer(w *Workload, x *denoiser, l *ledger) (host float64) {
	text, denoise, decode := d.components(w, x)
	all := denoise.weights*x.denoisers() + text.weights + decode.weights
	switch w.Sharding.Offload {
	case "model": // one component after another is on the card: the one that needs most counts
		d.explain(w, x, l, slices.MaxFunc([]component{text, denoise, decode}, byNeed))
		return all
	case "blocks": // they move to the card while those before them work; encoders, layer by layer, need less
		denoise.weights *= min(1, movedBlocks/x.blocks())
		d.explain(w, x, l, slices.MaxFunc([]component{denoise, decode}, byNeed))
		return all
	}
	denoise.weights *= x.denoisers()
	if denoise.works >= decode.works {
		decode.works = 0
	} else {
		denoise.works = 0
	}
	for _, c := range []component{denoise, text, decode} {
		d.explain(w, x, l, c)
	}
	return 0
}

func byNeed(a, b component) int { return cmp.Compare(a.weights+a.works, b.weights+b.works) }

// explain adds a component, and what its work takes.
func (d diffusion) explain(w *Workload, x *denoiser, l *ledger, c component) {
	source := x.Source
	switch w.Sharding.Offload {
	case "model":
		source = sourceModelOffload
	case "blocks":
		source = sourceGroupOffload
	}
	if l.add(c.part, c.weights) {
		switch {
		case c.part == "text_encoders":
			l.because("2 · P_text", source, Input{"P_text", x.TextEncoders, "parameters"})
		case c.part == "vae":
			l.because("B · P_vae", source, Input{"B", x.vaeBytes(), "bytes"}, Input{"P_vae", x.VAE, "parameters"})
		case w.Sharding.Offload == "":
			l.because("P · bits ÷ 8", w.format.Source, Input{"P", w.Model.Parameters, "parameters"},
				Input{"bits", w.format.Bits, "bits"})
		case w.Sharding.Offload == "model":
			l.because("P ÷ denoisers · bits ÷ 8", source, Input{"P", w.Model.Parameters, "parameters"},
				Input{"denoisers", x.denoisers(), ""}, Input{"bits", w.format.Bits, "bits"})
		default:
			l.because("P ÷ denoisers · bits ÷ 8 · k ÷ blocks", source, Input{"P", w.Model.Parameters, "parameters"},
				Input{"denoisers", x.denoisers(), ""}, Input{"bits", w.format.Bits, "bits"},
				Input{"k", movedBlocks, "blocks"}, Input{"blocks", x.blocks(), ""})
		}
	}
	if c.works == 0 {
		return
	}
	if c.part == "vae" {
		if l.passing("vae_decode", c.works) {
			l.because("B · maps · c · pixels", sourceVAE, Input{"B", x.vaeBytes(), "bytes"},
				Input{"maps", decoderMaps, ""}, Input{"c", float64(x.VAEWidth), "channels"},
				Input{"pixels", c.works / (x.vaeBytes() * decoderMaps * float64(x.VAEWidth)), ""})
		}
		return
	}
	if l.passing("activations", c.works) {
		_, largest := x.blockInputs()
		l.because("2 · k · input · b · passes", sourceDiffusers, Input{"k", passValues, ""},
			Input{"input", largest, "values"}, Input{"b", c.works / (2 * passValues * largest * x.atOnce()), "images"},
			Input{"passes", x.atOnce(), ""})
	}
}

// train adds what the training of a denoiser keeps: the frozen weights and adapters, or
// all states, inputs of blocks, one block whole, and what is not cached.
func (d diffusion) train(w *Workload, x *denoiser, l *ledger) (host float64) {
	n := float64(max(1, w.Cards))
	share := func(stage int) float64 {
		if w.Sharding.Stage >= stage {
			return n
		}
		return 1
	}
	states := func(params float64, s StateBytes, frozen bool) {
		moments := 2 * s.Moment * optimizerShare(w.Optimizer)
		if !frozen && l.add("weights", params*s.Weights/share(3)) {
			l.because("P · B ÷ n", sourceZeRO, Input{"P", params, "parameters"}, Input{"B", s.Weights, "bytes"},
				Input{"n", share(3), "cards"})
		}
		if frozen && l.add("adapters", params*s.Weights) {
			l.because("P_a · B", sourceLoRA, Input{"P_a", params, "parameters"}, Input{"B", s.Weights, "bytes"})
		}
		if l.add("gradients", params*s.Gradients/share(2)) {
			l.because("P · B ÷ n", sourceZeRO, Input{"P", params, "parameters"}, Input{"B", s.Gradients, "bytes"},
				Input{"n", share(2), "cards"})
		}
		bytes := params * (moments + s.Master)
		if w.Sharding.Offload != "" {
			host += bytes
			return
		}
		if l.add("optimizer", bytes/share(1)) {
			l.because("P · (moments + master) ÷ n", sourceZeRO, Input{"P", params, "parameters"},
				Input{"moments", moments, "bytes"}, Input{"master", s.Master, "bytes"}, Input{"n", share(1), "cards"})
		}
	}
	one := w.Model.Parameters / x.denoisers() // they are trained one after the other, [sourceExpert]
	if w.Task == Full || w.Task == Pretrain {
		states(one, w.profile.Full, false)
	} else {
		if l.add("weights", one*w.format.Bytes()/share(3)) {
			l.because("P · bits ÷ 8 ÷ n", w.format.Source, Input{"P", one, "parameters"},
				Input{"bits", w.format.Bits, "bits"}, Input{"n", share(3), "cards"})
		}
		states(x.adapters(float64(w.Rank)), w.profile.Adapters, true)
	}
	d.activations(w, x, l)
	if w.Media.Uncached && l.add("text_encoders", 2*x.TextEncoders+x.vaeBytes()*x.VAE) {
		l.because("2 · P_text + B · P_vae", sourceCached, Input{"P_text", x.TextEncoders, "parameters"},
			Input{"B", x.vaeBytes(), "bytes"}, Input{"P_vae", x.VAE, "parameters"})
	}
	return host
}

// optimizerShare is what an optimiser keeps of Adam's two moments in the framework's precision.
func optimizerShare(name string) float64 {
	switch name {
	case "adamw-8bit":
		return 0.25
	case "paged-adamw", "paged-adamw-8bit", "adafactor":
		return 0
	case "lion", "muon", "sgd":
		return 0.5
	}
	return 1
}

// adapters counts the parameters of adapters on the projections of attention and on the MLP of
// each block: rank times the sum of both sides of each matrix.
func (x *denoiser) adapters(rank float64) float64 {
	if x.IsUNet() {
		sum := 0.0
		for _, l := range x.UNetAttention { // self-attention, and attention to the text
			sum += l.layers * rank * (6*2*l.width + 2*(l.width+float64(x.TextDim)))
		}
		return sum
	}
	h, i := x.hidden, x.intermediate
	mlp := float64(x.MLPMatrices) * (h + i)
	return rank * (float64(2*x.DoubleBlocks+x.SingleBlocks)*(8*h+mlp) + float64(x.CrossBlocks)*(16*h+mlp))
}

func (d diffusion) activations(w *Workload, x *denoiser, l *ledger) {
	batch := float64(max(1, w.Batch))
	all, largest := x.blockInputs()
	kept := layerValues * all
	if w.Checkpointing == "full" || w.Checkpointing == "offload" || w.Checkpointing == "selective" {
		inputs := all
		if w.Checkpointing == "offload" {
			inputs = largest
		}
		if l.passing("checkpoints", 2*inputs*batch) {
			l.because("2 · inputs · b", sourceRecompute, Input{"inputs", inputs, "values"}, Input{"b", batch, "images"})
		}
		kept = layerValues * largest
	}
	if l.passing("activations", 2*kept*batch) {
		l.because("2 · kept · b", sourceRecompute, Input{"kept", kept, "values"}, Input{"b", batch, "images"})
	}
}

func (d diffusion) speed(w *Workload, c *Card, e *Estimate, explain bool) {
	rate, _ := c.Rate(w.Compute)
	if rate *= c.reaches(); !d.ready(w) || rate <= 0 {
		return
	}
	x := denoiserOf(w)
	share := w.profile.Share
	if share == 0 {
		return
	}
	unit, basis := Images, "compute"
	if x.MakesClips() {
		unit = Clips
	}
	if w.Task.Trains() {
		lines := d.step(w, c, &x, rate*share)
		images := float64(max(1, w.Batch) * max(1, w.Cards))
		e.Training = timed(images, lines, spreadOn(c, diffusionSpeed), unit, basis, explain)
		return
	}
	cards := float64(max(1, w.Sharding.Data))
	lines := d.pass(w, c, &x, rate*share, cards)
	e.Output = timed(float64(max(1, w.Batch)), lines, spreadOn(c, diffusionSpeed), unit, basis, explain)
}

// pass are the seconds of a batch: text, steps of the denoiser, and the decoder.
func (d diffusion) pass(w *Workload, c *Card, x *denoiser, rate, cards float64) []Line {
	batch := float64(max(1, w.Batch))
	passes := float64(x.Passes * max(1, w.Media.Steps))
	in := []Input{{"steps", float64(w.Media.Steps), ""}, {"passes", float64(x.Passes), ""}, {"b", batch, "images"},
		{"R · e", rate, "FLOP/s"}, {"n", cards, "cards"}}
	work := func(part, formula, source string, flop, times float64, inputs ...Input) Line {
		return Line{part, flop * times * batch / rate / cards, formula, append(inputs, in...), source}
	}
	lines := []Line{
		work("matrices", "F · steps · passes · b ÷ (R · e · n)", x.Source+"; "+sourceGuidance, x.linear(), passes,
			Input{"F", x.linear(), "FLOP"}),
		work("attention", "F · steps · passes · b ÷ (R · e · n)", sourceDiT, x.attention(), passes,
			Input{"F", x.attention(), "FLOP"}),
		work("text_encoders", "2 · P_text · t · b ÷ (R · e · n)", sourceRoofline, 2*x.TextEncoders*x.text, 1,
			Input{"P_text", x.TextEncoders, "parameters"}, Input{"t", x.text, "tokens"}),
		work("vae_decode", "k · pixels · b ÷ (R · e · n)", sourceVAE, vaeFLOP*x.pixels, 1,
			Input{"k", vaeFLOP, "FLOP"}, Input{"pixels", x.pixels, ""}),
	}
	if x.IsUNet() {
		lines = append(lines, Line{"launch", unetLaunch * float64(max(1, w.Media.Steps)) * ceil(batch/cards) /
			max(1, batch/cards), "o · steps", []Input{{"o", unetLaunch, "s"}, {"steps", float64(w.Media.Steps), ""}},
			sourceFitted})
	}
	return append(lines, moved(w, c, x, lines, passes)...)
}

// moved is the time in which a card waits for what is moved to it: each component once, or the blocks of each pass
// as far as they take longer than the pass.
func moved(w *Workload, c *Card, x *denoiser, lines []Line, passes float64) []Line {
	once := 2*x.TextEncoders + x.vaeBytes()*x.VAE
	switch o := w.Sharding.Offload; {
	case c.PCIe <= 0:
	case o == "model":
		once += denoiserBytes(w)
		return []Line{{"offload", once / c.PCIe, "bytes ÷ PCIe", []Input{{"bytes", once, "B"},
			{"PCIe", c.PCIe, "B/s"}}, sourceModelOffload}}
	case o == "blocks":
		works := 0.0
		for _, l := range lines {
			works += l.Value
		}
		blocks := denoiserBytes(w) / x.denoisers() * passes
		return []Line{{"offload", once/c.PCIe + max(0, blocks/c.PCIe-works),
			"(encoders + VAE) ÷ PCIe + max(0, blocks ÷ PCIe − T)", []Input{{"encoders + VAE", once, "B"},
				{"blocks", blocks, "B"}, {"PCIe", c.PCIe, "B/s"}, {"T", works, "s"}}, sourceGroupOffload}}
	}
	return nil
}

// step are the seconds of one step of training on each card: forward, backward through
// activations, through weights where all of them are trained, and what checkpointing repeats.
func (d diffusion) step(w *Workload, c *Card, x *denoiser, rate float64) []Line {
	passes := 2.0
	if w.Task == Full || w.Task == Pretrain {
		passes = 3
	}
	if w.Checkpointing == "full" || w.Checkpointing == "offload" || w.Checkpointing == "selective" {
		passes++
	}
	batch := float64(max(1, w.Batch))
	in := []Input{{"f", passes, "passes"}, {"b", batch, "images"}, {"R · e", rate, "FLOP/s"}}
	lines := []Line{
		{"matrices", passes * x.linear() * batch / rate, "f · F · b ÷ (R · e)", append([]Input{{"F", x.linear(),
			"FLOP"}}, in...), sourceStep},
		{"attention", passes * x.attention() * batch / rate, "f · F · b ÷ (R · e)", append([]Input{{"F", x.attention(),
			"FLOP"}}, in...), sourceStep},
	}
	if x.IsUNet() {
		lines = append(lines, Line{"launch", passes * unetLaunch, "f · o", []Input{{"f", passes, "passes"},
			{"o", unetLaunch, "s"}}, sourceFitted})
	}
	if w.Media.Uncached {
		flop := (2*x.TextEncoders*x.text + vaeFLOP*x.pixels) * batch
		lines = append(lines, Line{"text_encoders", flop / rate, "(2 · P_text · t + k · pixels) · b ÷ (R · e)",
			[]Input{{"P_text", x.TextEncoders, "parameters"}, {"t", x.text, "tokens"}, {"k", vaeFLOP, "FLOP"},
				{"pixels", x.pixels, ""}, {"b", batch, "images"}, {"R · e", rate, "FLOP/s"}}, sourceCached})
	}
	trained := x.adapters(float64(w.Rank))
	if w.Task == Full || w.Task == Pretrain {
		trained = w.Model.Parameters / x.denoisers()
	}
	if link := linkRate(c, float64(max(1, w.Cards))); w.Cards > 1 && link > 0 {
		n := float64(w.Cards)
		lines = append(lines, Line{"communication", 2 * 2 * trained * (n - 1) / n / link, "4 · P · (n − 1) ÷ n ÷ link",
			[]Input{{"P", trained, "parameters"}, {"n", n, "cards"}, {"link", link, "B/s"}}, sourceZeRO})
	}
	return lines
}
