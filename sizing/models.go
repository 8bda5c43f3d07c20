package sizing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Models are the known architectures, in the order of menus.
type Models struct {
	All   []Model
	byKey map[string]int
}

// ReadModels reads a table of architectures. What a row leaves empty is unknown.
func ReadModels(r io.Reader) (*Models, error) {
	m := &Models{byKey: map[string]int{}}
	bad := readTable(r, func(rec *record) {
		x := readModel(rec)
		if x.ID == "" || x.Name == "" || x.Parameters == 0 || x.Source == "" {
			rec.problem("", "id, name, total_params_b and source are needed")
		}
		if len(rec.bad) > 0 {
			return
		}
		for _, name := range append([]string{x.ID, x.Name}, list(rec.text("aliases"))...) {
			if at, ok := m.byKey[modelKey(name)]; ok && at != len(m.All) {
				rec.problem("aliases", "%q also means %s", name, m.All[at].ID)
				continue
			}
			m.byKey[modelKey(name)] = len(m.All)
		}
		m.All = append(m.All, x)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("models: %w", bad[0])
	}
	return m, nil
}

func readModel(rec *record) Model {
	const billion = 1e9
	m := Model{
		ID: rec.text("id"), Name: rec.text("name"), Family: rec.text("family"), Kind: rec.text("kind"),
		Parameters: math.Round(rec.number("total_params_b") * billion),
		Active:     math.Round(rec.number("active_params_b") * billion),
		Layers:     rec.count("layers"), Hidden: rec.count("hidden"), Heads: rec.count("heads"),
		KVHeads: rec.count("kv_heads"), HeadDim: rec.count("head_dim"),
		Intermediate: rec.count("intermediate"), Vocabulary: rec.count("vocab"), MaxContext: rec.count("max_context"),
		TiedEmbeddings: rec.flag("tie_embeddings"), GatedMLP: rec.flag("gated_mlp"),
		Experts: rec.count("n_experts"), ExpertsPerToken: rec.count("experts_per_token"),
		ExpertIntermediate: rec.count("moe_intermediate"),
		SharedIntermediate: rec.count("shared_expert_inter"), DenseLayers: rec.count("first_dense_layers"),
		DenseIntermediate: rec.count("dense_intermediate"),
		KVLoRARank:        rec.count("kv_lora_rank"), RoPEHeadDim: rec.count("rope_head_dim"),
		SlidingWindow: rec.count("sliding_window"), GlobalLayers: rec.count("global_layers"),
		Source: rec.text("source"),
	}
	if m.Active == 0 {
		m.Active = m.Parameters
	}
	if m.Active > m.Parameters {
		rec.problem("active_params_b", "more than total_params_b")
	}
	if m.Experts > 0 && (m.ExpertsPerToken == 0 || m.ExpertsPerToken >= m.Experts) {
		rec.problem("experts_per_token", "must lie between 1 and n_experts − 1")
	}
	return m
}

// Find returns the model with that id.
func (m *Models) Find(id string) *Model {
	for i := range m.All {
		if m.All[i].ID == id {
			return &m.All[i]
		}
	}
	return nil
}

// FindModel returns the model that somebody means: by id, by name or by an alias,
// without regard to case, punctuation, the organisation before it ("meta-llama/")
// and what is said of the tuning, the file or the format after it ("-Instruct",
// "-GGUF", "-Q4_K_M"). A bare size, "7B", gives [Models.CompleteModel]. Where no
// model is meant it is nil, with the names of models like it.
func (m *Models) FindModel(name string) (*Model, []string) {
	if size, ok := modelSize(name); ok {
		return m.CompleteModel(size), nil
	}
	for _, form := range modelForms(name) {
		if at, ok := m.byKey[modelKey(form)]; ok {
			return &m.All[at], nil
		}
	}
	return nil, m.suggest(name, 5)
}

var (
	bareSize     = regexp.MustCompile(`(?i)^\s*([0-9]+(?:\.[0-9]+)?)\s*([BMT])(?:\s*(?:parameters|params))?\s*$`)
	versionAfter = regexp.MustCompile(`(?i)-(?:instruct|chat|base)-(v[0-9])`) // "Mistral-7B-Instruct-v0.2"
	modelTail    = regexp.MustCompile(
		`(?i)[-_.: ](instruct|chat|it|hf|gguf|ggml|base|pt|sft|rl|preview|latest|awq|gptq|bnb|exl2|mlx|qat|mtp|` +
			`dflash|text|i1|imatrix|unpacked|int[48]|w[48]a16|fp8|fp16|bf16|f16|nvfp4|mxfp[48]|[234568]-?bit|` +
			`(?:ud-)?i?q[1-8](?:_[a-z0-9]+)*|(?:ud|quantized|abliterated|uncensored|reasoning|thinking)|` +
			`2[3-6][01][0-9]|v[0-9]+(?:\.[0-9]+)?|[48]k|128k)$`)
)

// sizeInName is the number of parameters that a name tells: 27 billion for
// "Qwen3.6-27B-GGUF".
func sizeInName(name string) (float64, bool) {
	found := sizeWithin.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	return modelSize(found[1])
}

var sizeWithin = regexp.MustCompile(`(?i)(?:^|[-_: ])([0-9]+(?:\.[0-9]+)?[bm])(?:[-_: .]|$)`)

func modelSize(name string) (float64, bool) {
	found := bareSize.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, false
	}
	return v * map[string]float64{"M": 1e6, "B": 1e9, "T": 1e12}[strings.ToUpper(found[2])], true
}

// modelForms lists what a name may be known as, the fullest first.
func modelForms(name string) []string {
	name = clip(strings.TrimSpace(name))
	forms := []string{name} // "DeepSeek-V3/R1"
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimSuffix(name, ".gguf")
	name = versionAfter.ReplaceAllString(name, "-$1")
	forms = append(forms, name)
	for tail := name; ; {
		at := modelTail.FindStringIndex(tail)
		if at == nil {
			break
		}
		tail = tail[:at[0]]
		forms = append(forms, tail)
	}
	// "Qwen_Qwen3-8B": the organisation before an underscore.
	for _, f := range slices.Clone(forms) {
		if _, rest, ok := strings.Cut(f, "_"); ok {
			forms = append(forms, rest)
		}
	}
	return forms
}

// modelKey is what names are compared by: their words, letters apart from digits,
// without the maker's name. "Llama3-8B" and "Meta-Llama-3-8B" have the same.
func modelKey(name string) string {
	words := modelWords(name)
	for len(words) > 1 && slices.Contains([]string{"meta", "nvidia", "microsoft", "google", "openai", "mistralai"},
		words[0]) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// modelWords splits a name at punctuation and between letters and digits; a point
// between digits stays.
func modelWords(name string) []string {
	var words []string
	rs := []rune(strings.ToLower(name))
	last := 0 // 1 letter, 2 digit
	for i, r := range rs {
		class := 0
		switch {
		case unicode.IsLetter(r):
			class = 1
		case unicode.IsDigit(r), r == '.' && last == 2 && i+1 < len(rs) && unicode.IsDigit(rs[i+1]):
			class = 2
		}
		switch {
		case class == 0:
		case class == last:
			words[len(words)-1] += string(r)
		default:
			words = append(words, string(r))
		}
		last = class
	}
	return words
}

// suggest names up to most models that share words with name.
func (m *Models) suggest(name string, most int) []string {
	want := modelWords(clip(name))
	type scored struct{ at, score int }
	var all []scored
	for i := range m.All {
		score := 0
		for _, w := range modelWords(m.All[i].Name) {
			if slices.Contains(want, w) && w != "b" {
				score += 1 + len(w)
			}
		}
		if score > 0 {
			all = append(all, scored{i, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, s := range all[:min(most, len(all))] {
		out = append(out, m.All[s.at].Name)
	}
	return out
}

// CompleteModel is a decoder with that many parameters in the shape of the dense
// preset that is nearest in the logarithm of parameters: its head dimension,
// vocabulary and ratio of query to key heads are kept, layers and width scaled with
// the cube root of the ratio, and the width of the MLP makes up the rest. Nil for
// fewer than 10 million or more than 10 trillion parameters.
func (m *Models) CompleteModel(parameters float64) *Model {
	if !(parameters >= 1e7 && parameters <= 1e13) {
		return nil
	}
	base := m.nearestDense(parameters)
	if base == nil {
		return nil
	}
	out := *base
	out.Parameters, out.Active = parameters, parameters
	out.Name = billions(parameters)
	out.ID, out.Family, out.CompletedFrom = slug(out.Name), "", base.ID
	if math.Abs(parameters/base.Parameters-1) <= 0.01 {
		return &out
	}
	scale := math.Cbrt(parameters / base.Parameters)
	group := max(1, base.Heads/max(1, base.KVHeads))
	out.Layers = max(2, int(math.Round(float64(base.Layers)*scale)))
	groups := max(1, int(math.Round(float64(base.Heads)*scale/float64(group))))
	for ; groups > 0; groups-- {
		out.Heads, out.KVHeads = groups*group, groups
		out.Hidden = out.Heads * base.HeadDim
		out.Intermediate = 0
		rest := (parameters - out.dense()) / float64(out.Layers) / float64(out.Hidden) / out.mlpMatrices()
		step := 64.0
		if rest < 4096 {
			step = 8
		}
		if out.Intermediate = int(math.Round(rest/step) * step); out.Intermediate >= out.Hidden {
			return &out
		}
	}
	return nil
}

// nearestDense is the dense decoder of today's kind (gated MLP, fewer key than
// query heads or as many) nearest to a number of parameters.
func (m *Models) nearestDense(parameters float64) *Model {
	var best *Model
	least := math.Inf(1)
	for i := range m.All {
		x := &m.All[i]
		if !x.isDecoder() || x.Experts > 0 || !x.GatedMLP || x.KVLoRARank > 0 || x.SlidingWindow > 0 ||
			x.Heads*x.HeadDim != x.Hidden || x.KVHeads == 0 || x.Intermediate == 0 || x.Vocabulary == 0 {
			continue
		}
		if d := math.Abs(math.Log(parameters / x.Parameters)); d < least {
			best, least = x, d
		}
	}
	return best
}

func (m *Model) isDecoder() bool { return m.Kind == "" || m.Kind == "decoder" }

func (m *Model) mlpMatrices() float64 {
	if m.GatedMLP {
		return 3
	}
	return 2
}

// dense counts the parameters of a dense decoder from its architecture: embeddings
// V·h, once more for an untied head, and in each layer h·(a+2·kv)·d + a·d·h of
// attention, 3·h·i of a gated MLP or 2·h·i, and two norms; biases are left out.
func (m *Model) dense() float64 {
	h, a, kv, d := float64(m.Hidden), float64(m.Heads), float64(m.KVHeads), float64(m.HeadDim)
	layer := h*(a+2*kv)*d + a*d*h + m.mlpMatrices()*h*float64(m.Intermediate) + 2*h
	return m.Embeddings() + m.Head() + float64(m.Layers)*layer + h
}

func billions(parameters float64) string {
	if parameters < 1e9 {
		return strconv.FormatFloat(parameters/1e6, 'f', -1, 64) + "M"
	}
	return strconv.FormatFloat(parameters/1e9, 'f', -1, 64) + "B"
}
