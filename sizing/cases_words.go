package sizing

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// readSetup reads how a run is set up. A word that is not understood is a problem:
// read as nothing, it would make another job of the row.
func readSetup(rec *record, c *Case) {
	w := &c.Workload
	readOptimizer(rec, w)
	if s := rec.text("grad_ckpt"); s != "" {
		if w.Checkpointing = checkpointingNamed(s); w.Checkpointing == "" {
			rec.problem("grad_ckpt", "%q is none of yes, full, selective, offload, unsloth and no", clip(s))
		}
	}
	readAdapters(rec, w)
	if s := rec.text("zero_stage"); !readSharding(s, w) && s != "" {
		rec.problem("zero_stage", "%q is none of 0 to 3, DDP, FSDP, FSDP+CPU offload, ZeRO-2 offload, device_map, "+
			"layer split, tensor parallel and such as FSDP8 TP8 PP8 CP1 EP1", clip(s))
	}
}

// checkpointingNamed is what a word says of activations that are computed again; empty
// where it is not known.
func checkpointingNamed(s string) string {
	switch key := normalize(s); key {
	case "yes", "true", "1", "full", "on", "recompute", "block", "fullac", "gc":
		return "full"
	case "selective", "sac", "op", "selectiveac":
		return "selective"
	case "offload", "offloaded", "unsloth", "cpuoffload", "fulloffload", "offloadcpu", "cpu", "host":
		return "offload"
	case "no", "false", "0", "none", "off":
		return "none"
	}
	return ""
}

// optimizerWords are the families of optimizers by a part of their name, the more special
// before the more general.
var optimizerWords = []struct{ in, id string }{
	{"galore", "galore"}, {"adafactor", "adafactor"}, {"adamw", "adamw"}, {"adam", "adamw"}, {"lion", "lion"},
	{"muon", "muon"}, {"sgdmomentum", "sgd-momentum"}, {"sgd", "sgd"},
}

// optimizerOf is the id of an optimizer as frameworks name them; false where no part of the
// name is known.
func optimizerOf(s string) (id string, ok bool) {
	key := normalize(s)
	if key == "" {
		return "", true
	}
	for _, x := range optimizerWords {
		if strings.Contains(key, x.in) {
			id = x.id
			break
		}
	}
	if id == "" {
		return "", false
	}
	if id == "adamw" && strings.Contains(key, "fused") {
		id += "-fused"
	}
	if strings.Contains(key, "8bit") || id == "galore" && strings.Contains(key, "quantize") {
		id += "-8bit"
	}
	if strings.Contains(key, "paged") {
		id = "paged-" + id
	}
	switch {
	case strings.Contains(key, "inbackward"), strings.Contains(key, "inbwd"):
		id += "-in-backward"
	case strings.Contains(key, "perlayer"), strings.Contains(key, "layerwise"), strings.Contains(key, "perparam"):
		if id != "galore" { // whose states are the same
			id += "-layerwise"
		}
	}
	return id, true
}

func readOptimizer(rec *record, w *Workload) {
	s := rec.text("optimizer")
	id, ok := optimizerOf(s)
	if !ok {
		rec.problem("optimizer",
			"unknown optimizer %q: Adam, AdamW, Lion, Muon, SGD, SGD momentum, Adafactor and GaLore "+
				"are known, with 8bit, paged and in backward", clip(s))
	}
	w.Optimizer = id
}

var (
	adapterRank  = regexp.MustCompile(`^r(?:ank)?=?([0-9]+)$`)
	litgptTarget = regexp.MustCompile(`^(q|k|v|o|mlp|head)([+-])$`)
)

// adapterTargetsOf are the matrices that a word of an adapter's configuration names.
var adapterTargetsOf = map[string][]string{
	"q": {"q"}, "q_proj": {"q"}, "k": {"k"}, "k_proj": {"k"}, "v": {"v"}, "v_proj": {"v"}, "o": {"o"}, "o_proj": {"o"},
	"gate": {"gate"}, "gate_proj": {"gate"}, "up": {"up"}, "up_proj": {"up"}, "down": {"down"}, "down_proj": {"down"},
	"c_attn": {"q", "k", "v"}, "query_key_value": {"q", "k", "v"}, "w_pack": {"q", "k", "v"}, "wqkv": {"q", "k", "v"},
	"qkv": {"q", "k", "v"}, "qkv_proj": {"q", "k", "v"}, "gate_up_proj": {"gate", "up"},
	"c_proj": {"o", "down"}, // Qwen calls both the attention's and the MLP's output so
	"w1":     {"up"}, "w2": {"gate"}, "mlp": {"gate", "up", "down"}, "head": {"head"}, "lm_head": {"head"},
	"attention": {"q", "k", "v", "o"}, "attn": {"q", "k", "v", "o"},
	"all":        {"q", "k", "v", "o", "gate", "up", "down"},
	"all-linear": {"q", "k", "v", "o", "gate", "up", "down"},
}

// Words of an adapter's configuration that say nothing of memory, or what other columns do.
var (
	adapterFillers = []string{"lora", "qlora", "linear", "default", "script", "config", "adapter", "v2", "all_linear",
		"layers", "only", "alpha", "dropout", "the", "of", "rslora", "bf16", "fp32", "and"}
	adapterSettings = []string{"alpha", "lora_alpha", "lora_dropout", "dropout", "lr_ratio", "use_rslora",
		"neftune_noise_alpha", "num_blocks", "lisa_activated_layers", "lisa_step_interval", "galore_per_parameter",
		"galore_with_embedding", "bias"}
)

// readAdapters reads the rank and the targets of adapters. Targets are canonical:
// of q, k, v, o, gate, up, down and head, in that order, separated by commas; empty
// where the source leaves them to the framework.
func readAdapters(rec *record, w *Workload) {
	base, trained, _ := strings.Cut(strings.ToLower(rec.text("lora_config")), "trainable")
	on := map[string]bool{}
	for _, word := range strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune(" ,()/;", r) }) {
		if !readAdapterWord(word, on, w) {
			rec.problem("lora_config",
				"unknown word %q: understood are r=16, the targets q, k, v, o, gate, up, down, head, "+
					"mlp, attention and all, alpha=32, dora, packing=true and galore_rank=128", clip(word))
			return
		}
	}
	var targets []string
	for _, n := range adapterTargets {
		if on[n] {
			targets = append(targets, n)
		}
	}
	w.Targets = strings.Join(targets, ",")
	w.TrainEmbeddings = strings.Contains(trained, "wte") || strings.Contains(trained, "embed")
}

// readAdapterWord reads one word of an adapter's configuration and reports whether it is known.
func readAdapterWord(word string, on map[string]bool, w *Workload) bool {
	if m := litgptTarget.FindStringSubmatch(word); m != nil {
		for _, t := range adapterTargetsOf[m[1]] {
			on[t] = m[2] == "+"
		}
		return true
	}
	word = strings.Trim(word, "+.")
	if m := adapterRank.FindStringSubmatch(word); m != nil {
		w.Rank, _ = strconv.Atoi(m[1])
		return true
	}
	key, value, set := strings.Cut(word, "=")
	switch {
	case word == "", word == "r", word == "rank", !set && slices.Contains(adapterFillers, word):
	case !set && adapterTargetsOf[word] != nil:
		for _, t := range adapterTargetsOf[word] {
			on[t] = true
		}
	case word == "dora":
		w.DoRA = true
	case key == "use_dora":
		w.DoRA = value == "true"
	case key == "packing":
		w.Packing = value == "true"
	case key == "galore_rank":
		w.Rank, _ = strconv.Atoi(value)
	case key == "linear", key == "target" && adapterTargetsOf[value] != nil:
		if value != "" && value != "false" {
			value = strings.Replace(value, "true", "all", 1)
			for _, t := range adapterTargetsOf[value] {
				on[t] = true
			}
		}
	case isNumber(word), set && slices.Contains(adapterSettings, key):
	default:
		return false
	}
	return true
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// settingsOfMemory are the settings in notes whose name says that they change memory.
var settingsOfMemory = regexp.MustCompile(
	`(?i)\b([\w.-]*(?:offload|checkpoint|ckpt|optim|quant|kv_?cache|_dtype|zero_stage|liger|fused)[\w.-]*)=([\w.-]+)`)

// readSettings reads settings such as gradient_checkpointing=unsloth from notes. One that
// changes memory and is not understood is a problem.
func readSettings(rec *record, c *Case) {
	w := &c.Workload
	for _, m := range settingsOfMemory.FindAllStringSubmatch(rec.text("notes"), -1) {
		key, value := normalize(m[1]), m[2]
		ok := true
		switch {
		case strings.HasSuffix(key, "gradientcheckpointing"), strings.HasSuffix(key, "activationcheckpointing"),
			key == "gradckpt":
			v := checkpointingNamed(value)
			if ok = v != ""; ok && w.Checkpointing == "" {
				w.Checkpointing = v
			}
		case key == "activationoffloading", key == "activationoffload":
			if strings.EqualFold(value, "true") {
				w.Checkpointing = "offload"
			}
		case key == "optim", key == "optimizer":
			var id string
			if id, ok = optimizerOf(value); ok && w.Optimizer == "" {
				w.Optimizer = id
			}
		case key == "useliger", key == "useligerkernel", key == "ligerkernel", key == "fusedloss":
			w.FusedLoss = w.FusedLoss || strings.EqualFold(value, "true")
		case key == "kvcache", key == "kvcachedtype":
			if w.KVCache == "" {
				w.KVCache = strings.ToLower(value)
			}
		default:
			ok = false
		}
		if !ok {
			rec.problem("notes",
				"%q changes memory and is not understood: put it in the columns grad_ckpt, optimizer, "+
					"precision, kv_cache, zero_stage, offload or fused_loss", clip(m[0]))
		}
	}
}
