package sizing

import (
	"cmp"
	"io"
	"strconv"
	"strings"
)

// Names resolve names in a table.
type Names struct {
	Models     *Models
	Formats    *Formats
	Frameworks func(name string) (id string) // empty where the framework is unknown
	Cards      func(name string) []*Card     // see [Resolver.Cards]
	Suggest    func(name string) []string    // cards like an unknown one; may be nil
	Memory     bool                          // a row of training that measured memory and speed is one of memory

	model func(name string) foundModel
}

// foundModel is what [Models.FindModel] finds.
type foundModel struct {
	model *Model
	like  []string
}

// remembering are the names, each of which is looked up once: rows repeat them.
func (n Names) remembering() Names {
	models := n.Models
	n.Cards, n.Frameworks = remembered(n.Cards), remembered(n.Frameworks)
	if n.Suggest != nil {
		n.Suggest = remembered(n.Suggest)
	}
	n.model = remembered(func(name string) foundModel {
		m, like := models.FindModel(name)
		return foundModel{m, like}
	})
	return n
}

// ReadCases reads a table of measured runs, of memory or of speed, as its header
// tells; docs/cases.md describes the columns. Rows that cannot be read are
// problems, the rest is kept. The error of the table as a whole is a problem too.
func ReadCases(r io.Reader, names Names) (cases []Case, problems []Problem) {
	seen := map[string]int{}
	names = names.remembering()
	problems = readTable(r, func(rec *record) {
		c := readCase(rec, names)
		if at, ok := seen[c.ID]; ok && c.ID != "" {
			rec.problem("id", "%q is also the id of line %d", clip(c.ID), at)
		}
		if len(rec.bad) == 0 {
			seen[c.ID] = rec.line
			cases = append(cases, c.each(rec)...)
		}
	})
	return cases, problems
}

// remembered is a function that looks each name up once.
func remembered[T any](find func(string) T) func(string) T {
	known := map[string]T{}
	return func(name string) T {
		v, ok := known[name]
		if !ok {
			v = find(name)
			known[name] = v
		}
		return v
	}
}

// readCase reads one row: what it names first, then the configuration that its
// columns give, then the one that its notes give.
func readCase(rec *record, names Names) Case {
	c := Case{ID: rec.text("id"), Source: rec.text("source"), Note: rec.text("notes"),
		Trusted: rec.text("score_ok") == "" || rec.flag("score_ok"), Ran: true}
	if c.ID == "" {
		rec.problem("id", "is needed")
	}
	w := &c.Workload
	w.Batch, w.Context, w.Cards = rec.count("batch"), rec.count("seq_len"), max(1, rec.count("n_gpus"))
	readTask(rec, names.Memory, &c)
	readModelOf(rec, names, w)
	if c.Quantity == DocumentRate && w.Model != nil && !w.Model.embeds() {
		rec.problem("model", "%q is no embedding or reranking model that is known", clip(rec.text("model")))
	}
	readFormats(rec, names, w)
	readFramework(rec, names, w)
	w.Backend = backendNamed(rec.text("framework"))
	readCard(rec, names, &c)
	readMeasured(rec, &c)

	readSetup(rec, &c)
	readNotes(rec, &c)
	readSettings(rec, &c)
	readRest(rec, &c)
	c.reach(rec.text("framework"))
	return c
}

// readFramework finds the framework. The submissions to MLPerf Training name
// containers; those that name no known framework count as one, tuned by makers.
func readFramework(rec *record, names Names, w *Workload) {
	name := rec.text("framework")
	if w.Framework = names.Frameworks(name); w.Framework != "" {
		return
	}
	if strings.HasPrefix(rec.text("source"), "mlcommons/training_results") {
		w.Framework = cmp.Or(names.Frameworks(submissions), submissions)
		return
	}
	rec.problem("framework", "unknown framework %q", clip(name))
}

func readCard(rec *record, names Names, c *Case) {
	name := rec.text("gpu")
	if name == "" {
		if c.Quantity != MemoryPerCard { // which depends on the card in nothing
			rec.problem("gpu", "is needed")
		}
		return
	}
	cards := names.Cards(name)
	if len(cards) == 0 && readMachine(rec, names, c, name) {
		return
	}
	switch {
	case len(cards) == 0:
		var like []string
		if names.Suggest != nil {
			like = names.Suggest(name)
		}
		rec.problem("gpu", "unknown card %q%s", clip(name), didYouMean(like))
		return
	case len(cards) > 1 && (c.Quantity == MemoryPerCard || !sameSpeed(cards)):
		var list []string
		for _, x := range cards {
			list = append(list, x.Name)
		}
		rec.problem("gpu", "%q means several cards: %s", clip(name), strings.Join(list, ", "))
		return
	}
	c.Card = cards[0]
	lower := strings.ToLower(name)
	if strings.Contains(c.Card.Name, "SXM") && !strings.Contains(lower, "sxm") && !strings.Contains(lower, "hbm") &&
		strings.Count(c.Card.Name, " ") > 0 && (strings.Contains(lower, "a100") || strings.Contains(lower, "h100") ||
		strings.Contains(lower, "v100")) {
		c.Note = joinNotes(c.Note, "form factor not stated: "+c.Card.Name+" assumed")
	}
}

// readMachine reads cards of several kinds in one machine, "4090 + 2x3090"; false where there are none.
func readMachine(rec *record, names Names, c *Case, name string) bool {
	parts := machineParts(name)
	if len(parts) < 2 {
		return false
	}
	var all []Owned
	for _, part := range parts {
		id, text, counted := ownedParts(strings.TrimSpace(part))
		n := 1
		if counted {
			n, _ = strconv.Atoi(strings.TrimSpace(text))
		}
		cards := names.Cards(id)
		if len(cards) != 1 || n < 1 || n > mostPooled {
			rec.problem("gpu", "%q is not one card, or no number of one", clip(part))
			return true
		}
		all = joined(all, Owned{cards[0], n})
	}
	n := count(all)
	if given := c.Workload.Cards; given > 1 && given != n {
		rec.problem("n_gpus", "%d, but gpu names %d", given, n)
	}
	if c.Quantity.serves() {
		rec.problem("gpu", "serving with cards of several kinds is not estimated")
	}
	if c.Quantity == DocumentRate {
		rec.problem("gpu", "documents with cards of several kinds are not estimated")
	}
	c.Card, c.With, c.Workload.Cards = all[0].Card, all[1:], n
	return true
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// readMeasured reads what was measured, in the units of the row.
func readMeasured(rec *record, c *Case) {
	if c.Quantity == MemoryPerCard {
		peak := rec.number("measured_peak_gb_per_gpu")
		c.Unit = rec.text("mem_unit")
		switch strings.ToLower(c.Unit) {
		case "gib":
			c.Measured, c.Unit = peak*gib, "GiB"
		case "gb", "":
			c.Measured, c.Unit = peak*1e9, "GB"
		default:
			rec.problem("mem_unit", "%q is neither GB nor GiB", clip(c.Unit))
		}
		switch c.Kind = strings.ToLower(rec.text("mem_kind")); c.Kind {
		case "", "allocated", "reserved":
			c.Workload.Reading = c.Kind
		case readDriver:
			c.Kind, c.Workload.Reading = "", readDriver
		case "limit":
		default:
			rec.problem("mem_kind", "%q is none of allocated, reserved, driver and limit", clip(c.Kind))
		}
		switch fits := rec.text("fits"); {
		case fits == "":
			if peak == 0 {
				rec.problem("measured_peak_gb_per_gpu", "a row needs a measurement, or fits")
			}
		default:
			c.Ran = rec.flag("fits")
		}
		return
	}
	if c.Quantity == ServeSpeed {
		readLoad(rec, c)
	}
	if c.Quantity == DocumentRate && rec.text("measured_documents_per_s") != "" {
		if c.Measured, c.Unit = rec.number("measured_documents_per_s"), documentsPerSecond; c.Measured == 0 {
			rec.problem("measured_documents_per_s", "a row needs a speed above 0")
		}
		return
	}
	speed, minutes := rec.number("measured_tokens_per_s"), rec.number("minutes_to_train")
	switch scope := strings.ToLower(rec.text("tps_scope")); scope {
	case "", "total":
		c.Measured, c.Unit = speed, "tokens/s"
	case "per gpu", "per card":
		c.Measured, c.Unit = speed*float64(c.Workload.Cards), "tokens/s per card"
	default:
		rec.problem("tps_scope", "%q is neither total nor per GPU", clip(scope))
	}
	switch {
	case speed > 0, c.Quantity == ServeSpeed && rec.number("ttft_ms")+rec.number("tpot_ms") > 0:
	case c.Quantity == DocumentRate:
		rec.problem("measured_documents_per_s", "a row needs documents, or measured_tokens_per_s, a second")
	case minutes > 0:
		c.Minutes, c.Unit = minutes, "minutes"
	default:
		rec.problem("measured_tokens_per_s", "a row needs a speed above 0, or minutes_to_train")
	}
}
