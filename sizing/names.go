package sizing

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tianti/catalog"
	"tianti/sorting"
)

// FindModel returns the model that somebody means: by id, by name or by another
// spelling, without regard to case, punctuation, the organisation before it
// ("meta-llama/") and what is said of the tuning, the file or the format after it
// ("-Instruct", "-GGUF", "-Q4_K_M"). A bare size, "7B", gives [Models.CompleteModel].
// Where no model is meant it is nil, with models of the same family: a name that is
// not known never gives a model like it.
func (m *Models) FindModel(name string) (*Model, []string) {
	name = spelled(name)
	if size, ok := modelSize(name); ok {
		return m.CompleteModel(size), nil
	}
	for _, form := range modelForms(name) {
		if at, ok := m.byKey[modelKey(form.name)]; ok && !(form.undated && m.hasVersions(at, form.name)) {
			return &m.All[at], nil
		}
	}
	return nil, m.relatives(name, 5)
}

// hasVersions reports whether other models than the one at an index are named as name
// is, followed by a version: "Mistral-7B" is, "Qwen3-8B" is not.
func (m *Models) hasVersions(at int, name string) bool {
	prefix := modelKey(name) + " v "
	return slices.ContainsFunc(m.All, func(x Model) bool {
		return x.ID != m.All[at].ID && strings.HasPrefix(modelKey(x.Name), prefix)
	})
}

var (
	bareSize   = regexp.MustCompile(`(?i)^\s*([0-9]+(?:\.[0-9]+)?)\s*([BMT])(?:\s*(?:parameters|params))?\s*$`)
	sizeWithin = regexp.MustCompile(`(?i)(?:^|[-_: ])([0-9]+(?:\.[0-9]+)?[bm])(?:[-_: .]|$)`)
	sizeBefore = regexp.MustCompile(
		`(?i)(?:^|[-_: ])(?:[0-9]+x)?[0-9]+(?:\.[0-9]+)?[bm](?:[-_: .]|$)`,
	) // "8x7B" as well
	versionAfter = regexp.MustCompile(
		`(?i)-(?:instruct|chat|base)-(v[0-9])`,
	) // "Mistral-7B-Instruct-v0.2"

	// what is said of the tuning, the file or the format
	modelTail = regexp.MustCompile(
		`(?i)[-_.: ](instruct|chat|it|hf|gguf|ggml|base|pt|sft|rl|preview|latest|awq|gptq|bnb|exl[23]|mlx|qat|mtp|` +
			`dflash|text|i1|imatrix|unpacked|int[48]|w[48]a(?:8|16)|fp[48]|fp16|bf16|f16|nvfp4|mxfp[48]|` +
			`[234568]-?bit|(?:ud-)?i?q[1-8](?:_[a-z0-9]+)*|ud|quantized|dynamic|block|autoround|unsloth|` +
			`abliterated|uncensored|reasoning|thinking|think)$`)
	// the month or the version of a tuning: models of one size keep their shape
	datedTail = regexp.MustCompile(`(?i)[-_.: ](2[3-6][01][0-9]|v[0-9]+(?:\.[0-9]+)?)$`)
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

// SameSize reports whether two names of models tell one number of parameters.
func SameSize(a, b string) bool {
	x, ok := sizeInName(a)
	y, also := sizeInName(b)
	return ok && also && x == y
}

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

// A modelForm is what a name may be known as.
type modelForm struct {
	name    string
	undated bool // a month or a version was taken off
}

// modelForms lists what a name may be known as, the fullest first. A month or a
// version is taken off only where a size stands before it.
func modelForms(name string) []modelForm {
	name = clip(strings.TrimSpace(name))
	forms := []modelForm{{name, false}} // "DeepSeek-V3/R1"
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimSuffix(name, ".gguf")
	name = versionAfter.ReplaceAllString(name, "-$1")
	form := modelForm{name: name}
	forms = append(forms, form)
	for {
		if at := modelTail.FindStringIndex(form.name); at != nil {
			form.name = form.name[:at[0]]
		} else if at := datedTail.FindStringIndex(form.name); at != nil && sizeBefore.MatchString(form.name[:at[0]]) {
			form = modelForm{form.name[:at[0]], true}
		} else {
			break
		}
		forms = append(forms, form)
	}
	// "Qwen_Qwen3-8B": the organisation before an underscore.
	for _, f := range slices.Clone(forms) {
		if _, rest, ok := strings.Cut(f.name, "_"); ok {
			forms = append(forms, modelForm{rest, f.undated})
		}
	}
	return forms
}

// makers are words of the maker that some write before a name.
var makers = []string{"meta", "nvidia", "microsoft", "google", "openai", "mistralai"}

// modelKey is what names are compared by: their words, letters apart from digits,
// without the maker's name. "Llama3-8B" and "Meta-Llama-3-8B" have the same.
func modelKey(name string) string {
	words := modelWords(name)
	for len(words) > 1 && slices.Contains(makers, words[0]) {
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

// relatives names up to most models of the family that a name tells, those nearest
// first, by id: each word that they share counts as much as half of the size, and each
// that the name lacks an eighth of that.
func (m *Models) relatives(name string, most int) []string {
	words := modelWords(clip(name[strings.LastIndexByte(name, '/')+1:]))
	family := m.familyOf(words)
	if family == "" {
		words = modelWords(clip(name))
		family = m.familyOf(words)
	}
	size, sized := sizeInName(name)
	type scored struct {
		id    string
		score float64
	}
	var all []scored
	for i := len(m.All) - 1; i >= 0; i-- { // those of today first
		x := &m.All[i]
		if family == "" || x.Family != family {
			continue
		}
		s := scored{id: x.ID}
		for _, w := range modelWords(x.Name) {
			switch {
			case w == "b":
			case slices.Contains(words, w):
				s.score += math.Ln2
			default:
				s.score -= math.Ln2 / 8
			}
		}
		if sized {
			s.score -= math.Abs(math.Log(size / x.Parameters))
		}
		if !x.WritesText() {
			s.score -= math.Ln2 // fewer people mean it
		}
		all = append(all, s)
	}
	sorting.Func(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, s := range all[:min(most, len(all))] {
		out = append(out, s.id)
	}
	return out
}

// familyOf is the family whose name, or the first word of a model of which, is among
// words, the last where there are several ("DeepSeek-R1-Distill-Qwen"); or else is inside
// one of them ("medgemma"), or spelt like one of them.
func (m *Models) familyOf(words []string) string {
	families, heads := m.namedFamilies()
	for _, w := range slices.Backward(words) {
		if f := families[w]; f != "" {
			return f
		}
	}
	for _, w := range words {
		for _, head := range heads {
			if len(head) >= 4 && strings.Contains(w, head) {
				return families[head]
			}
		}
	}
	for _, w := range words {
		if len(w) < 4 {
			continue
		}
		if near := catalog.Nearest(w, heads, 1); len(near) > 0 {
			return families[near[0]]
		}
	}
	return ""
}

// namedFamilies are the families by the words that name them, and those words in order.
func (m *Models) namedFamilies() (map[string]string, []string) {
	m.readFamilies.Do(func() {
		m.families = map[string]string{}
		for i := range m.All {
			x := &m.All[i]
			for _, head := range []string{strings.ToLower(x.Family), modelWords(x.Name)[0]} {
				if m.families[head] == "" && x.Family != "" && x.ShapeOf == "" {
					m.families[head] = x.Family
					m.heads = append(m.heads, head)
				}
			}
		}
	})
	return m.families, m.heads
}

var formatInRepository = regexp.MustCompile(`(?i)[-_.: ](` +
	`gptq-int[48]|awq-int4|awq-4bit|mlx-[468]-?bit|bnb-4bit|w8a8|w8a16|w4a16|awq|gptq|fp8|mxfp[48]|nvfp4|int[48]|` +
	`[468]bit|autoround)(?:$|[-_.: ])`)

// FormatInName is the format of weights that the name of a repository or of a file
// tells: "-GPTQ-Int4", "-FP8-dynamic", "-bnb-4bit", "-Q4_K_M.gguf". Nil where it
// tells none.
func (f *Formats) FormatInName(name string) *Format {
	name = clip(name[strings.LastIndexByte(name, '/')+1:])
	if gguf := f.InName(name); gguf != nil && isGGUF(gguf.ID) {
		return gguf
	}
	found := formatInRepository.FindStringSubmatch(name)
	if found == nil {
		return nil
	}
	kind := strings.ToLower(found[1])
	if strings.HasPrefix(kind, "awq") {
		kind = "awq"
	}
	if slices.Contains([]string{"4bit", "6bit", "8bit"}, kind) { // of repositories for MLX
		kind = "mlx-" + kind
	}
	return f.Find(kind)
}
