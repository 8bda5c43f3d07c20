package sizing

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Pipeline is a model of diffusion as it runs: text encoders, a denoiser that passes
// over the latent image or clip once or twice a step, and the decoder of a VAE. The
// denoiser is a transformer of blocks, or a UNet whose work is published for one size.
type Pipeline struct {
	// Blocks of a transformer: with weights of their own for text, with weights that text
	// and image share, and with attention to the text beside attention to the image.
	DoubleBlocks, SingleBlocks, CrossBlocks int
	MLPMatrices                             int
	TextDim                                 int // width of the text that blocks attend to

	LatentScale, LatentFrames int // pixels and frames of one place of the latent; 0 frames: images
	Patch                     int // places of the latent on a side of a token
	TextTokens                int

	TextEncoders, VAE float64 // parameters; 0 is not known
	VAEWidth          int     // channels of the decoder's widest map at full resolution; 0 is not known
	VAEBytes          float64 // of a parameter and a value of the VAE; 0 is 2

	Width, Height, Frames, Steps, Passes int // usual; passes of a step: 2 with classifier-free guidance
	AtOnce                               int // passes of a step that are one batch; 0 is all of them
	Denoisers                            int // of one shape, of which a step uses one; 0 is 1

	UNetFLOP, UNetPixels      float64 // operations of a pass without attention, at a number of pixels
	UNetBlocks, UNetAttention []unetLayers

	Source string
}

// unetLayers are blocks of a UNet that work on maps of one size, for UNetPixels.
type unetLayers struct{ tokens, width, layers float64 }

// Media says what a model of diffusion makes, or learns from.
type Media struct {
	Width, Height int // pixels
	Frames        int
	Steps         int  // of denoising; inference
	Uncached      bool // training: text encoders and VAE stay on the card
}

// Limits of what is asked of pictures.
const (
	leastPixels = 64
	mostPixels  = 8192 // on a side
	mostFrames  = 2049
	mostSteps   = 1000
)

// MakesClips reports whether a pipeline makes clips, not images.
func (p *Pipeline) MakesClips() bool { return p.LatentFrames > 0 }

// IsUNet reports whether the denoiser is a UNet.
func (p *Pipeline) IsUNet() bool { return p.UNetFLOP > 0 }

// denoisers is how many a pipeline uses one after the other.
func (p *Pipeline) denoisers() float64 { return float64(max(1, p.Denoisers)) }

// atOnce is how many passes of a step the card works on together.
func (p *Pipeline) atOnce() float64 { return float64(cmp.Or(p.AtOnce, p.Passes)) }

// vaeBytes are those of a parameter and a value of the VAE.
func (p *Pipeline) vaeBytes() float64 { return cmp.Or(p.VAEBytes, 2) }

// blocks is how many blocks a transformer has; 0 for a UNet.
func (p *Pipeline) blocks() float64 { return float64(p.DoubleBlocks + p.SingleBlocks + p.CrossBlocks) }

// ReadPipelines reads how models of diffusion run, and gives it to the models.
func (m *Models) ReadPipelines(r io.Reader) error {
	bad := readTable(r, func(rec *record) {
		x := m.Find(rec.text("id"))
		if x == nil || x.Kind != "diffusion" {
			rec.problem("id", "no model of diffusion has it")
			return
		}
		p := readPipeline(rec)
		transformer := p.DoubleBlocks+p.SingleBlocks+p.CrossBlocks > 0
		switch {
		case p.LatentScale == 0 || p.Patch == 0 || p.Width == 0 || p.Height == 0 || p.Steps == 0 || p.Passes == 0 ||
			p.Source == "":
			rec.problem("", "latent_scale, patch, width, height, steps, passes and source are needed")
		case p.AtOnce > p.Passes:
			rec.problem("at_once", "a step has %d passes", p.Passes)
		case transformer == p.IsUNet():
			rec.problem("", "either blocks of a transformer or the work of a UNet is needed")
		case transformer && (x.Hidden == 0 || p.MLPMatrices == 0):
			rec.problem("", "the model needs hidden, the pipeline mlp_matrices")
		case p.IsUNet() && (p.UNetPixels == 0 || len(p.UNetBlocks) == 0):
			rec.problem("", "unet_pixels and unet_blocks are needed")
		}
		x.Pipeline = &p
	})
	if len(bad) > 0 {
		return fmt.Errorf("pipelines: %w", bad[0])
	}
	for i := range m.All { // releases with the layers of another one
		if x := &m.All[i]; x.Pipeline == nil && x.Kind == "diffusion" && x.ShapeOf != "" {
			x.Pipeline = m.Find(x.ShapeOf).Pipeline
		}
	}
	return nil
}

func readPipeline(rec *record) Pipeline {
	return Pipeline{
		DoubleBlocks: rec.count("double_blocks"), SingleBlocks: rec.count("single_blocks"),
		CrossBlocks: rec.count("cross_blocks"), MLPMatrices: rec.count("mlp_matrices"), TextDim: rec.count("text_dim"),
		LatentScale: rec.count("latent_scale"), LatentFrames: rec.count("latent_frames"), Patch: rec.count("patch"),
		TextTokens: rec.count("text_tokens"), TextEncoders: rec.number("text_encoders_b") * 1e9,
		VAE: rec.number("vae_b") * 1e9, VAEWidth: rec.count("vae_width"), VAEBytes: rec.number("vae_bytes"),
		Width: rec.count("width"), Height: rec.count("height"), Frames: rec.count("frames"), Steps: rec.count("steps"),
		Passes: rec.count("passes"), AtOnce: rec.count("at_once"), Denoisers: rec.count("denoisers"),
		UNetFLOP: rec.number("unet_tflop") * 1e12, UNetPixels: rec.number("unet_pixels"),
		UNetBlocks: rec.unetLayers("unet_blocks"), UNetAttention: rec.unetLayers("unet_attention"),
		Source: rec.text("source"),
	}
}

// unetLayers reads "tokens:width:layers|…".
func (r *record) unetLayers(column string) []unetLayers {
	var out []unetLayers
	for _, s := range list(r.text(column)) {
		var v [3]float64
		parts := strings.Split(s, ":")
		for i := range v {
			var err error
			if len(parts) == len(v) {
				v[i], err = strconv.ParseFloat(parts[i], 64)
			}
			if len(parts) != len(v) || err != nil || !(v[i] > 0) || v[i] > 1e9 {
				r.problem(column, "%q is not tokens:width:layers", clip(s))
				return nil
			}
		}
		out = append(out, unetLayers{v[0], v[1], v[2]})
	}
	return out
}

// A denoiser is a pipeline at the size of a job.
type denoiser struct {
	*Pipeline
	m            *Model
	image, text  float64 // tokens of one image or clip, and of its text
	pixels       float64 // of all frames
	hidden       float64
	intermediate float64
	growth       float64 // pixels ÷ those that the work of a UNet is published for
}

func denoiserOf(w *Workload) denoiser {
	p := w.Model.Pipeline
	d := denoiser{Pipeline: p, m: w.Model, text: float64(p.TextTokens), hidden: float64(w.Model.Hidden),
		intermediate: float64(w.Model.Intermediate)}
	if d.intermediate == 0 {
		d.intermediate = 4 * d.hidden
	}
	side := float64(p.LatentScale * p.Patch)
	width, height := float64(w.Media.Width), float64(w.Media.Height)
	frames, latent := 1.0, 1.0
	if p.MakesClips() {
		frames = float64(max(1, w.Media.Frames))
		latent = 1 + ceil((frames-1)/float64(p.LatentFrames))
	}
	d.image = ceil(width/side) * ceil(height/side) * latent
	d.pixels = width * height * frames
	if p.IsUNet() {
		d.growth = width * height / p.UNetPixels
	}
	return d
}

// tokens that a block with text and image together works on.
func (d *denoiser) tokens() float64 { return d.image + d.text }

// linear are the operations of one pass over one image in matrices and convolutions:
// two for a parameter and the tokens that pass it. Modulation, which each block computes
// once for an image, is left out.
func (d *denoiser) linear() float64 {
	if d.IsUNet() {
		return d.UNetFLOP * d.growth
	}
	h := d.hidden
	mlp := float64(d.MLPMatrices) * h * d.intermediate
	together := 2 * float64(d.DoubleBlocks+d.SingleBlocks) * (4*h*h + mlp) * d.tokens()
	// Attention to the image has four projections, to the text two for the image and two for the text.
	cross := 2 * float64(d.CrossBlocks) * ((6*h*h+mlp)*d.image + 2*h*h*d.text)
	return together + cross
}

// attention are the operations of one pass in scores and their sums: four for each pair
// of tokens and value.
func (d *denoiser) attention() float64 {
	if d.IsUNet() {
		sum := 0.0
		for _, l := range d.UNetAttention {
			n := l.tokens * d.growth
			sum += 4 * l.layers * l.width * n * (n + d.text)
		}
		return sum
	}
	n := d.tokens()
	return 4 * d.hidden * (float64(d.DoubleBlocks+d.SingleBlocks)*n*n + float64(d.CrossBlocks)*d.image*d.tokens())
}

// blockInputs are the values that enter the blocks of one pass, all of them together, and
// the largest.
func (d *denoiser) blockInputs() (all, largest float64) {
	if d.IsUNet() {
		for _, l := range d.UNetBlocks {
			v := l.tokens * d.growth * l.width
			all, largest = all+v*l.layers, max(largest, v)
		}
		return all, largest
	}
	largest = d.tokens() * d.hidden
	return d.blocks() * largest, largest
}
