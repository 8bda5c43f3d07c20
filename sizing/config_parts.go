package sizing

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
)

// feedForward reads experts, and counts the parameters of MLPs and experts. It leaves
// in Active, below zero, what a token does not pass.
func (c *config) feedForward(m *Model, kinds []string, name string) float64 {
	alone := countKinds(kinds, layerExperts, layerMLP)
	if alone > 0 {
		m.FeedForwardLayers = alone
	}
	m.Experts = c.whole("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts")
	if m.Experts <= 1 || !c.flag("enable_moe_block", true) {
		m.Experts = 0
		return c.denseOnly(m, name)
	}
	m.ExpertsPerToken = c.needed("num_experts_per_tok", "moe_k", "moe_topk", "top_k_experts")
	if m.ExpertsPerToken >= m.Experts {
		c.fail(c.within+"num_experts_per_tok", catalog.OutOfRange, m.ExpertsPerToken, "1 … "+itoa(m.Experts-1))
	}
	m.Intermediate = c.whole("intermediate_size_mlp", "intermediate_size")
	m.ExpertIntermediate = c.whole("moe_intermediate_size", "expert_intermediate_size")
	if m.ExpertIntermediate == 0 {
		m.ExpertIntermediate = c.needed("intermediate_size")
	}
	m.SharedIntermediate = c.shared(m, name)
	sparse, isSparse := 0, c.sparse(m.Layers)
	for i, k := range kinds {
		if alone == 0 && isSparse(i) || k == layerExperts {
			sparse++
		}
	}
	if m.DenseLayers = m.feedForwardLayers() - sparse; m.DenseLayers > 0 {
		if m.DenseIntermediate = m.Intermediate; m.Intermediate == 0 {
			m.DenseIntermediate = c.needed("intermediate_size")
		}
	}
	h, inner, matrices := float64(m.Hidden), float64(m.Hidden), m.mlpMatrices()
	if m.ExpertHidden = c.whole("moe_latent_size"); m.ExpertHidden > 0 {
		inner = float64(m.ExpertHidden)
	}
	expert := float64(sparse) * matrices * inner * float64(m.ExpertIntermediate)
	m.Active = -expert * float64(m.Experts-m.ExpertsPerToken)
	out := expert*float64(m.Experts) +
		float64(sparse)*(h*float64(m.Experts)+matrices*h*float64(m.SharedIntermediate))
	if m.ExpertHidden > 0 {
		out += float64(sparse) * 2 * h * inner
	}
	return out + float64(m.DenseLayers)*matrices*h*float64(m.DenseIntermediate)
}

// denseOnly counts the MLPs of a model without experts.
func (c *config) denseOnly(m *Model, name string) float64 {
	m.Intermediate = c.needed("intermediate_size")
	if strings.HasPrefix(name, "lfm2") && c.flag("block_auto_adjust_ff_dim", false) {
		of := max(1, c.whole("block_multiple_of"))
		m.Intermediate = (m.Intermediate*2/3 + of - 1) / of * of
	}
	layers := float64(m.feedForwardLayers())
	if c.flag("use_double_wide_mlp", false) { // where another layer's keys are read
		layers += float64(m.Layers - m.CacheLayers)
	}
	return layers * m.mlpMatrices() * float64(m.Hidden) * float64(m.Intermediate)
}

// shared is the width of what every token passes beside the experts.
func (c *config) shared(m *Model, name string) int {
	if w := c.whole("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
		"shared_intermediate_size", "share_expert_dim"); w > 0 {
		return w
	}
	switch name {
	case "llama4": // one shared expert, as wide as the others
		return m.ExpertIntermediate
	case "gemma4": // an MLP beside the experts
		return m.Intermediate
	}
	return m.ExpertIntermediate * c.whole("n_shared_experts", "num_shared_experts", "num_shared_expert",
		"moe_num_shared_experts")
}

// vision counts the tower: L·(4·h² + 2 or 3·h·i), patches, and what joins it to the
// language model.
func (c *config) vision(m *Model) float64 {
	inner := c.object("vision_config")
	if inner == nil {
		return 0
	}
	v := &config{top: inner, at: inner, within: "vision_config.", used: fields{}}
	layers := float64(v.needed("num_hidden_layers", "depth", "vt_num_hidden_layers", "layers"))
	width := float64(v.needed("hidden_size", "vt_hidden_size", "width"))
	mlp := float64(v.needed("intermediate_size", "vt_intermediate_size"))
	matrices := 2.0
	if v.text("hidden_act") == "silu" {
		matrices = 3
	}
	patch := float64(v.whole("patch_size"))
	frames := float64(max(1, v.whole("temporal_patch_size")))
	out := layers*(4*width*width+matrices*width*mlp) + 3*patch*patch*width*frames
	h := float64(m.Hidden)
	if merge := float64(v.whole("spatial_merge_size")); merge > 0 && v.whole("out_hidden_size") > 0 {
		joined := width * merge * merge
		mergers := 1 + len(v.words("deepstack_visual_indexes"))
		out += float64(mergers) * (joined*joined + joined*float64(v.whole("out_hidden_size")))
	} else {
		out += width*h + h*h
	}
	c.errs = append(c.errs, v.errs...)
	c.keep("vision_config", v)
	return out
}

// keep has the line of a configuration say of a part what was looked at.
func (c *config) keep(field string, part *config) {
	if text, err := json.Marshal(part.used); err == nil {
		c.used[field] = text
	}
}

// published reads the format of the weights.
func (c *config) published(m *Model) {
	if c.text("expert_dtype") == "fp4" {
		m.Published = "mxfp4"
		return
	}
	q := c.object("quantization_config")
	if q == nil {
		if mlx := c.object("quantization"); mlx != nil {
			m.Published = c.mlx(mlx)
		} else if c.text("torch_dtype") == "float32" || c.text("dtype") == "float32" {
			m.Published = "fp32"
		}
		return
	}
	in := &config{top: q, at: q, within: "quantization_config.", used: fields{}}
	m.Published = in.quantisation()
	c.errs = append(c.errs, in.errs...)
	const attention = "self_attn"
	kept := bytes.Contains(q["ignore"], []byte(attention)) ||
		bytes.Contains(q["modules_to_not_convert"], []byte(attention))
	if kept {
		in.used["ignore"] = json.RawMessage(`["` + attention + `"]`)
	}
	c.keep("quantization_config", in)
	if m.Experts > 0 && kept {
		experts := -m.activeRest() * float64(m.Experts) / float64(m.Experts-m.ExpertsPerToken)
		m.PublishedFixed = max(0, m.Linear()-experts)
	}
}

// activeRest is, below zero, what a token does not pass.
func (m *Model) activeRest() float64 { return m.Active - m.Parameters }

func (c *config) mlx(q fields) string {
	in := &config{top: q, at: q, within: "quantization.", used: fields{}}
	bits := in.needed("bits")
	c.errs = append(c.errs, in.errs...)
	if bits != 4 && bits != 6 && bits != 8 {
		c.fail("quantization.bits", catalog.UnknownValue, bits, "4", "6", "8")
	}
	return "mlx-" + itoa(bits) + "bit"
}

// quantisation is the format that a quantization_config tells.
func (c *config) quantisation() string {
	method := strings.ToLower(c.text("quant_method"))
	bits := c.whole("bits")
	switch {
	case method == "fp8", method == "mxfp4", method == "fbgemm_fp8":
		return strings.TrimPrefix(method, "fbgemm_")
	case method == "awq" && (bits == 0 || bits == 4):
		return "awq-int4"
	case method == "gptq" && (bits == 4 || bits == 8):
		return "gptq-int" + itoa(bits)
	case method == "bitsandbytes" && c.flag("load_in_4bit", false):
		return "nf4"
	case method == "bitsandbytes" && c.flag("load_in_8bit", false):
		return "bnb-int8"
	case method == "modelopt":
		algo := strings.ToLower(c.text("quant_algo"))
		if algo == "fp8" || algo == "nvfp4" {
			return algo
		}
		c.fail(c.within+"quant_algo", catalog.UnknownValue, algo, "FP8", "NVFP4")
		return ""
	case method == "compressed-tensors":
		return c.compressedTensors()
	}
	c.fail(c.within+"quant_method", catalog.UnknownValue, method, "fp8", "mxfp4", "awq", "gptq", "bitsandbytes",
		"modelopt", "compressed-tensors")
	return ""
}

// tensorFormats are the formats of a group by type and bits, with the usual group size.
var tensorFormats = map[string]string{"int 4": "int4", "int 8": "int8", "float 8": "fp8", "float 4": "mxfp4"}

// compressedTensors is the format of the group with the fewest bits, which is that of
// the experts where there are several.
func (c *config) compressedTensors() string {
	groups, least, format := c.object("config_groups"), 0, ""
	if len(groups) > maxConfigGroups {
		c.fail(c.within+"config_groups", catalog.TooMany, len(groups), itoa(maxConfigGroups))
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		var g struct{ Weights fields }
		if json.Unmarshal(groups[name], &g) != nil {
			g.Weights = nil
		}
		w := g.Weights
		in := &config{top: w, at: w, within: c.within + "config_groups." + clip(name) + ".weights.", used: fields{}}
		bits, size, kind := in.needed("num_bits"), in.whole("group_size"), in.text("type")
		c.errs = append(c.errs, in.errs...)
		f := tensorFormats[kind+" "+itoa(bits)]
		switch {
		case f == "int4" && size == 32:
			f = "int4-g32"
		case f == "mxfp4" && size == 16:
			f = "nvfp4"
		}
		if f == "" && len(in.errs) == 0 {
			c.fail(in.within+"num_bits", catalog.UnknownValue, bits, "4", "8")
		}
		if least == 0 || bits < least {
			least, format = bits, f
		}
	}
	if len(groups) == 0 {
		c.fail(c.within+"config_groups", catalog.Missing, nil)
	}
	return format
}
