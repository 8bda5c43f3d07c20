package sizing

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A Format stores the weights or the keys and values of a model.
type Format struct {
	ID, Name string
	Bits     float64 // per weight, scales and zero points included
	Linear   bool    // only the matrices of the layers have it; embeddings, head and norms stay in 16 bits
	Outliers bool    // products keep outliers of their inputs in 16 bits, which they look for each time
	Aliases  []string
	Source   string
}

// Bytes are the bytes per weight.
func (f *Format) Bytes() float64 { return f.Bits / 8 }

// Formats are the known formats, in the order of menus.
type Formats struct {
	All   []Format
	byKey map[string]int
}

// ReadFormats reads a table of formats.
func ReadFormats(r io.Reader) (*Formats, error) {
	f := &Formats{byKey: map[string]int{}}
	bad := readTable(r, func(rec *record) {
		x := Format{
			ID: rec.text("id"), Name: rec.text("name"), Bits: rec.number("bits_per_weight"),
			Linear:   strings.HasPrefix(rec.text("applies_to"), "linear"),
			Outliers: strings.HasSuffix(rec.text("applies_to"), "outliers"),
			Aliases:  list(rec.text("aliases")), Source: rec.text("source"),
		}
		switch {
		case x.ID == "" || x.Bits == 0 || x.Source == "":
			rec.problem("", "id, bits_per_weight and source are needed")
		case len(rec.bad) == 0:
			for _, name := range append([]string{x.ID, x.Name}, x.Aliases...) {
				if at, ok := f.byKey[normalize(name)]; ok && at != len(f.All) {
					rec.problem("aliases", "%q also means %s", name, f.All[at].ID)
					continue
				}
				f.byKey[normalize(name)] = len(f.All)
			}
			f.All = append(f.All, x)
		}
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("formats: %w", bad[0])
	}
	return f, nil
}

// Find returns the format with that id or alias, in any case and punctuation; nil
// where there is none. "UD-Q4_K_XL" and "i1-Q4_K_M" are their base kinds.
func (f *Formats) Find(name string) *Format {
	key := normalize(name)
	for _, prefix := range []string{"", "unslothdynamic", "ud", "i1", "mlx"} {
		if k, ok := strings.CutPrefix(key, prefix); ok {
			if at, ok := f.byKey[k]; ok {
				return &f.All[at]
			}
		}
	}
	return nil
}

var ggufKind = regexp.MustCompile(
	`(?i)(?:^|[-_.:/])((?:UD-)?(?:I?Q[1-8]_[A-Z0-9]+(?:_[A-Z]+)?|` +
		`MXFP4|NVFP4|MXFP8|BF16|F16|F32|FP8|AWQ|GPTQ|[468]bit))(?:[-_.]|$)`)

// InName finds a format in the name of a model file: Q4_K_M in
// "Qwen_Qwen3-8B-Q4_K_M.gguf". Nil where there is none.
func (f *Formats) InName(name string) *Format {
	if m := ggufKind.FindAllStringSubmatch(name, -1); m != nil {
		return f.Find(m[len(m)-1][1])
	}
	return nil
}

// list splits at "|".
func list(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.Split(s, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
