package jobform

import (
	"cmp"
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/job"
	"tianti/web/ui"
)

// fieldUnits are the units of fields, as keys of the texts.
var fieldUnits = map[string]string{
	"params": "params", "tokens": "tokens", "prompt": "tokens",
	"vocabulary": "tokens", "min_rate": "rate", "max_hours": "hours", "tariff": "tariff", "years": "years",
	"carbon": "carbon",
	"tensor": "cards", "pipeline": "cards", "measured_gb": "gb", "measured_tokens_per_s": "rate",
}

// Control is the field of a parameter.
func (b *Builder) Control(p sizing.Parameter, value string) Field {
	l := b.L
	f := Field{
		Name:   p.Name,
		Label:  b.FieldName(p.Name),
		Value:  value,
		Hint:   p.Default,
		Number: p.Kind == sizing.Number || p.Kind == sizing.Whole,
	}
	if u := fieldUnits[p.Name]; u != "" {
		f.Unit = l.T("sizing.unit." + u)
	}
	allowed, first := p.Allowed, l.T("sizing.chosen")
	if at := slices.IndexFunc(b.Chosen, func(x sizing.Assumption) bool { return x.Field == p.Name }); at >= 0 {
		f.Hint = b.Chosen[at].Value
		first = l.T("sizing.chosenis", b.WordOf(p.Name, f.Hint))
	}
	switch p.Name {
	case "allow_long_context":
		f.Check, f.Ticked, f.Value, f.Hint = true, value != "" && value != "no", "yes", ""
		return f
	case "budget":
		f.Hint = l.T("sizing.any")
	case "model":
		f.List, f.Hint = "models", ""
		if m := b.A.Models.Find(value); m != nil {
			f.Value = m.Name
		}
		return f
	case "card", "targets":
		f.Hint = ""
		return f
	case "as_of":
		f.Kind, f.Hint = "date", ""
		return f
	case "destination":
		f.Options = webexport.Destinations(l, value)
		return f
	case "stage":
		allowed = []string{"0", "1", "2", "3"}
	case "vendor", "segment":
		allowed, first = b.values(p.Name), l.T("sizing.any")
	case "acquire":
		first = l.T("sizing.any")
	case "goal":
		first = l.T("sizing.goals.auto")
	}
	if len(allowed) == 0 {
		return f
	}
	f.Hint = ""
	unsent := p.Default
	if p.Name == "currency" {
		unsent = display.UsualCurrency(l)
		if value != "" && value != unsent || job.UsualCurrency(l, b.Values) != unsent {
			unsent = "" // an address without it means another
		}
	}
	known := value == ""
	if p.Default == "" {
		f.Options = append(f.Options, ui.Option{Label: first, Selected: value == ""})
	}
	for _, v := range allowed {
		o := ui.Option{Value: v, Label: b.WordOf(p.Name, v), Selected: v == value}
		if p.Name == "task" || p.Name == "goal" {
			o.Label = l.T("sizing." + p.Name + "s." + v)
		}
		if v == unsent { // what is not sent is the default, and short addresses stay short
			o.Value, o.Selected = "", o.Selected || value == ""
		}
		known = known || o.Selected
		f.Options = append(f.Options, o)
	}
	if !known {
		f.Options = append(
			f.Options,
			ui.Option{Value: value, Label: value, Selected: true},
		) // what was typed, or several
	}
	return f
}

// values are the vendors or segments of the cards.
func (b *Builder) values(param string) []string {
	var out []string
	for _, c := range b.A.Cards {
		v := c.Vendor
		if param == "segment" {
			v = c.Segment
		}
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if param == "vendor" {
		slices.SortFunc(out, func(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) })
	}
	return out
}

// fieldHref leads to a field of the form.
func fieldHref(name string) string {
	if slices.Contains(sentenceFields, name) {
		return "#f-" + name
	}
	for _, g := range fieldGroups {
		if slices.Contains(g.fields, name) {
			return "#f-" + name
		}
	}
	return ""
}

// Names of the fields: those of the sentence, and the groups beneath it.
var (
	sentenceFields = []string{"task", "model", "context", "batch", "cards", "destination", "budget", "currency", "goal"}
	fieldGroups    = []struct {
		name   string
		fields []string
	}{
		{
			"software",
			[]string{"framework", "weights", "precision", "attention", "kv_cache", "prompt", "allow_long_context"},
		},
		{
			"training",
			[]string{"optimizer", "checkpointing", "fused_loss", "packing", "accumulation", "rank", "targets", "dora"},
		},
		{"parallel", []string{"with", "stage", "tensor", "pipeline", "context_parallel", "expert_parallel", "offload"}},
		{"pictures", []string{"resolution", "frames", "steps", "cached"}},
		{"rewards", []string{"tuning", "reference", "group", "prompts", "rollouts", "rollout_cards"}},
		{"hostmemory", []string{"offload_layers", "host_bandwidth"}},
		{"limits", []string{"tokens", "max_hours", "min_rate"}},
		{
			"money",
			[]string{
				"acquire",
				"buy_price",
				"rent_price",
				"tariff",
				"pue",
				"years",
				"residual",
				"utilisation",
				"host_share",
				"carbon",
			},
		},
		{"measured", []string{"measured_gb", "measured_as", "measured_tokens_per_s"}},
		{"which", []string{"vendor", "segment", "card", "as_of"}},
		{
			"own",
			[]string{
				"params",
				"layers",
				"hidden",
				"heads",
				"kv_heads",
				"intermediate",
				"vocabulary",
				"experts",
				"experts_per_token",
			},
		},
	}
)

// example is what the form holds while nothing is asked.
var example = map[string]string{"task": "lora", "model": "7B", "context": "4096", "batch": "1", "cards": "4"}

// concerns reports whether a group of fields is about the job that is asked for: those that only
// some kinds of jobs have stay away from the others, unless something in them is wrong or given.
func (b *Builder) concerns(group string, given func(string) string, empty bool, wrong func(string) bool,
	fields []string) bool {
	value := func(name string) string {
		if empty {
			return ""
		}
		return given(name)
	}
	for _, f := range fields {
		if wrong(f) || f != "cached" && f != "reference" && value(f) != "" {
			return true
		}
	}
	task := sizing.Task(value("task"))
	m, _ := b.A.Models.FindModel(value("model"))
	switch group {
	case "pictures":
		return m != nil && m.Kind == "diffusion"
	case "rewards":
		return task == sizing.DPO || task == sizing.GRPO
	case "hostmemory":
		return !empty && (task == "" || task == sizing.Inference) && (m == nil || m.WritesText())
	}
	return true
}

// writesText reports whether a name, or a size, is that of a model of text.
func (b *Builder) writesText(name string) bool {
	m, _ := b.A.Models.FindModel(name)
	return m != nil && m.WritesText()
}
