package sizing

import (
	"slices"
	"strings"

	"tianti/catalog"
)

// traits are what a class of Transformers has where its file is silent.
type traits struct {
	tied      bool                 // input and output embeddings
	plain     bool                 // an MLP of two matrices
	wideQuery bool                 // a gate as wide as the queries
	optional  bool                 // the window counts only with use_sliding_window
	global    func(layer int) bool // layers without the window; nil: none
	parallel  bool                 // attention and a state space side by side
}

func everySecond(layer int) bool { return layer%2 == 1 }
func everySixth(layer int) bool  { return layer%6 == 5 }

// architectures are the values of model_type that are read, without "_text" at the end.
// What stands here is from the classes of configurations and models in
// huggingface/transformers, src/transformers/models.
var architectures = map[string]traits{
	"llama": {}, "llama4": {}, "mistral": {}, "mistral3": {}, "ministral": {}, "ministral3": {}, "mixtral": {},
	"qwen2": {optional: true}, "qwen2_moe": {optional: true}, "qwen2_vl": {optional: true},
	"qwen2_5_vl": {optional: true}, "qwen3": {optional: true}, "qwen3_moe": {optional: true},
	"qwen3_vl": {}, "qwen3_vl_moe": {}, "qwen3_next": {wideQuery: true}, "qwen3_5": {wideQuery: true},
	"qwen3_5_moe": {wideQuery: true},
	"gemma":       {tied: true}, "gemma2": {tied: true, global: everySecond},
	"gemma3": {tied: true, global: everySixth}, "gemma4": {tied: true, global: everySixth},
	"gpt_oss": {global: everySecond}, "deepseek_v2": {}, "deepseek_v3": {}, "deepseek_v32": {}, "deepseek_v4": {},
	"kimi_k2": {}, "glm": {}, "glm4": {}, "glm4_moe": {}, "glm4_moe_lite": {}, "glm_moe_dsa": {},
	"phi": {plain: true}, "phi3": {}, "olmo": {}, "olmo2": {}, "olmo3": {}, "exaone4": {}, "smollm3": {tied: true},
	"nemotron_h": {plain: true}, "jamba": {}, "falcon_h1": {parallel: true}, "granite": {}, "granitemoe": {},
	"granitemoehybrid": {tied: true}, "lfm2": {tied: true}, "lfm2_moe": {tied: true}, "ernie4_5": {tied: true},
	"ernie4_5_moe": {tied: true}, "hunyuan_v1_dense": {tied: true}, "hunyuan_v1_moe": {tied: true},
	"minimax": {}, "minimax_m2": {}, "mimo": {}, "step3p7": {}, "seed_oss": {}, "internlm2": {}, "internlm3": {},
	"bailing_moe": {}, "bailing_moe_v2": {}, "dots1": {}, "starcoder2": {tied: true, plain: true},
	"cohere": {tied: true}, "cohere2": {tied: true}, "gpt_neox": {plain: true}, "laguna": {},
}

// otherKinds are the values of model_type that are not read because the models write no
// text, or not with a decoder alone.
var otherKinds = map[string]string{
	"bert": "encoder", "roberta": "encoder", "xlm-roberta": "encoder", "distilbert": "encoder",
	"deberta": "encoder", "deberta-v2": "encoder", "electra": "encoder", "modernbert": "encoder",
	"t5": "encoder", "mt5": "encoder", "umt5": "encoder", "bart": "encoder", "mbart": "encoder",
	"whisper": "speech", "wav2vec2": "speech", "hubert": "speech", "seamless_m4t": "speech",
	"vit": "vision", "clip": "vision", "siglip": "vision", "siglip2": "vision", "dinov2": "vision", "swin": "vision",
}

// architecture finds the traits of the language model. Pipelines of Diffusers say
// "_class_name" instead of model_type.
func (c *config) architecture() (name string, t traits) {
	c.at = c.top
	for _, field := range []string{"_class_name", "_diffusers_version"} {
		if v := c.top[field]; !isNull(v) {
			c.fail(field, catalog.IsDiffusion, strings.Trim(clip(string(v)), `"`))
			return "", t
		}
	}
	outer := c.text("model_type")
	if kind := otherKinds[outer]; kind != "" {
		c.fail("model_type", catalog.KindCode(kind), outer)
		return "", t
	}
	c.enter()
	name = strings.TrimSuffix(c.text("model_type"), "_text")
	if name == "" {
		if len(c.errs) == 0 {
			c.fail(c.within+"model_type", catalog.Missing, nil)
		}
		return "", t
	}
	t, ok := architectures[name]
	if !ok {
		known := make([]string, 0, len(architectures))
		for k := range architectures {
			known = append(known, k)
		}
		slices.Sort(known)
		c.errs = append(c.errs, catalog.ParamError{Param: configField + "." + c.within + "model_type",
			Value: clip(name), Code: catalog.UnknownValue, Nearest: catalog.Nearest(name, known, 3)})
	}
	return name, t
}

// The kinds of layers.
const (
	layerFull     = "full"
	layerLocal    = "local"
	layerChunk    = "chunk"
	layerLinear   = "linear"
	layerMamba    = "mamba"
	layerConv     = "conv"
	layerParallel = "parallel" // attention and a state space
	layerExperts  = "experts"  // and nothing else
	layerMLP      = "mlp"      // and nothing else
)

// layerWords are what configurations call them.
var layerWords = map[string]string{
	"full_attention": layerFull, "attention": layerFull, "global_attention": layerFull, "*": layerFull,
	"sliding_attention": layerLocal, "local_attention": layerLocal, "chunked_attention": layerChunk,
	"linear_attention": layerLinear, "mamba": layerMamba, "M": layerMamba, "conv": layerConv,
	"hybrid": layerParallel, "moe": layerExperts, "E": layerExperts, "mlp": layerMLP, "-": layerMLP,
}

// layerKinds tells the kind of each of n layers.
func (c *config) layerKinds(n int, t traits) []string {
	for _, field := range []string{"layer_types", "layers_block_type", "hybrid_override_pattern"} {
		if words := c.words(field); words != nil {
			return c.namedKinds(field, words, n)
		}
	}
	if list := c.words("attn_type_list"); list != nil {
		return c.coded("attn_type_list", list, n, map[string]string{"0": layerLinear, "1": layerFull})
	}
	kind := func(int) string { return layerFull }
	window := c.whole("sliding_window")
	switch interval, period := c.whole("full_attention_interval"), c.whole("attn_layer_period"); {
	case t.parallel:
		kind = func(int) string { return layerParallel }
	case interval > 0:
		kind = func(i int) string { return either((i+1)%interval == 0, layerFull, layerLinear) }
	case period > 0:
		offset := c.whole("attn_layer_offset")
		kind = func(i int) string { return either(i%period == offset%period, layerFull, layerMamba) }
	case c.whole("attention_chunk_size") > 0:
		return c.chunkedKinds(n)
	case window > 0 && window < c.positions() && c.flag("use_sliding_window", !t.optional):
		kind = c.windowed(t)
	}
	out := make([]string, n)
	for i := range out {
		out[i] = kind(i)
	}
	return out
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// windowed tells local from global layers by sliding_window_pattern: every so many, or
// letters that repeat.
func (c *config) windowed(t traits) func(int) string {
	v, _ := c.get("sliding_window_pattern")
	if letters, ok := v.(string); ok && letters != "" {
		return func(i int) string { return either(letters[i%len(letters)] == 'G', layerFull, layerLocal) }
	}
	if every := c.whole("sliding_window_pattern"); every > 0 {
		return func(i int) string { return either((i+1)%every == 0, layerFull, layerLocal) }
	}
	if t.global != nil {
		return func(i int) string { return either(t.global(i), layerFull, layerLocal) }
	}
	return func(int) string { return layerLocal }
}

// chunkedKinds are those of Llama-4: layers without rotary positions look at everything,
// one in four unless the file says which.
func (c *config) chunkedKinds(n int) []string {
	if list := c.words("no_rope_layers"); len(list) > 0 {
		return c.coded("no_rope_layers", list, n, map[string]string{"0": layerFull, "1": layerChunk})
	}
	every := c.whole("no_rope_layer_interval")
	if every == 0 {
		every = 4
	}
	out := make([]string, n)
	for i := range out {
		out[i] = either((i+1)%every == 0, layerFull, layerChunk)
	}
	return out
}

func (c *config) namedKinds(field string, words []string, n int) []string {
	return c.coded(field, words, n, layerWords)
}

// coded translates the list of a field, which must name n layers.
func (c *config) coded(field string, list []string, n int, meaning map[string]string) []string {
	if len(list) != n {
		c.fail(c.within+field, catalog.Contradicts, len(list), "num_hidden_layers")
		return nil
	}
	out := make([]string, n)
	for i, word := range list {
		if out[i] = meaning[word]; out[i] == "" {
			known := make([]string, 0, len(meaning))
			for k := range meaning {
				known = append(known, k)
			}
			slices.Sort(known)
			c.fail(c.within+field, catalog.UnknownValue, word, known...)
			return nil
		}
	}
	return out
}

// positions is the length that the model was made for; without bound where it is not
// said.
func (c *config) positions() int {
	if n := c.whole("max_position_embeddings"); n > 0 {
		return n
	}
	return int(1e9)
}

// sparse tells which of n layers have experts.
func (c *config) sparse(n int) func(int) bool {
	if list := c.words("mlp_layer_types"); list != nil {
		kinds := c.coded("mlp_layer_types", list, n, map[string]string{"dense": layerMLP, "sparse": layerExperts})
		return func(i int) bool { return kinds != nil && kinds[i] == layerExperts }
	}
	first := c.whole("first_k_dense_replace", "moe_layer_start_index", "num_dense_layers")
	every, offset := max(1, c.whole("decoder_sparse_step", "interleave_moe_layer_step", "expert_layer_period")), -1
	if c.whole("expert_layer_period") > 0 {
		offset = c.whole("expert_layer_offset")
	}
	only := c.words("mlp_only_layers")
	return func(i int) bool {
		if i < first || slices.Contains(only, itoa(i)) {
			return false
		}
		if offset >= 0 {
			return i%every == offset%every
		}
		return (i+1)%every == 0
	}
}
