package accuracy

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tianti/sizing"
	"tianti/web/site"
)

// A caseLine is a measured case, and what was predicted of one aspect of it.
type caseLine struct {
	*sizing.Case
	predicted *sizing.Compared // nil where nothing was
}

func (c caseLine) ofMemory() bool { return unitOf(c.Case).name == "GB" }

// caseLines are the cases that were predicted, then the others.
func caseLines(a *sizing.Accuracy) []caseLine {
	var out []caseLine
	for i := range a.Cases {
		out = append(out, caseLine{a.Cases[i].Case, &a.Cases[i]})
	}
	for _, c := range a.Left {
		out = append(out, caseLine{Case: c})
	}
	return out
}

// sixDigits is a measured or predicted value with six digits, and empty where there is none.
func sixDigits(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// caseTable is all cases for spreadsheets.
func caseTable(a *sizing.Accuracy) site.Table[caseLine] {
	var t site.Table[caseLine]
	add := func(key string, value func(c caseLine) string) { t.Columns = append(t.Columns, site.Exact(key, value)) }
	job := func(key string, value func(w *sizing.Workload) string) {
		add(key, func(c caseLine) string { return value(&c.Workload) })
	}
	predicted := func(key string, value func(x *sizing.Compared) string) {
		add(key, func(c caseLine) string { return site.OrEmpty(c.predicted, value) })
	}
	scored := func(key string, value func(x *sizing.Compared) string) {
		predicted(key, func(x *sizing.Compared) string {
			if !x.Scored {
				return ""
			}
			return value(x)
		})
	}
	add("id", func(c caseLine) string { return c.ID })
	predicted("aspect", func(x *sizing.Compared) string { return string(x.Aspect) })
	add("scored", func(c caseLine) string { return strconv.FormatBool(c.predicted != nil && c.predicted.Scored) })
	job("model", func(w *sizing.Workload) string {
		return site.OrEmpty(w.Model, func(m *sizing.Model) string { return m.ID })
	})
	job("task", func(w *sizing.Workload) string { return string(w.Task) })
	job("framework", func(w *sizing.Workload) string { return w.Framework })
	add("card", func(c caseLine) string {
		return site.OrEmpty(c.Card, func(card *sizing.Card) string { return cmp.Or(card.ID, card.Name) })
	})
	job("cards", func(w *sizing.Workload) string { return site.CountCell(w.Cards) })
	job("weights", func(w *sizing.Workload) string { return w.Weights })
	job("precision", func(w *sizing.Workload) string { return w.Compute })
	job("batch", func(w *sizing.Workload) string { return site.CountCell(w.Batch) })
	job("context", func(w *sizing.Workload) string { return site.CountCell(w.Context) })
	add("unit", func(c caseLine) string { return map[bool]string{true: "bytes", false: "tokens/s"}[c.ofMemory()] })
	add("measured", func(c caseLine) string { return sixDigits(c.Measured) })
	predicted("predicted", func(x *sizing.Compared) string { return sixDigits(x.Ranges[0].Expected) })
	predicted("low_90", func(x *sizing.Compared) string { return sixDigits(x.Ranges[0].Low) })
	predicted("high_90", func(x *sizing.Compared) string { return sixDigits(x.Ranges[0].High) })
	predicted("ratio", func(x *sizing.Compared) string { return sixDigits(x.Ratio()) })
	scored("inside_interval", func(x *sizing.Compared) string {
		return strconv.FormatBool(x.Case.Measured >= x.Ranges[0].Low && x.Case.Measured <= x.Ranges[0].High)
	})
	scored("tier", func(x *sizing.Compared) string { return string(x.Tiers[0]) })
	for way, name := range sizing.LeaveOuts {
		if name == sizing.OutItself {
			continue
		}
		without := "_without_" + string(name)
		scored("predicted"+without, func(x *sizing.Compared) string { return sixDigits(x.Ranges[way].Expected) })
		scored("low_90"+without, func(x *sizing.Compared) string { return sixDigits(x.Ranges[way].Low) })
		scored("high_90"+without, func(x *sizing.Compared) string { return sixDigits(x.Ranges[way].High) })
	}
	add("ran", func(c caseLine) string {
		if !c.ofMemory() {
			return ""
		}
		return strconv.FormatBool(c.Ran)
	})
	predicted("verdict", func(x *sizing.Compared) string { return string(x.Verdict()) })
	add("source", func(c caseLine) string { return c.Source })
	add("note", func(c caseLine) string { return c.Note })
	t.Rows = caseLines(a)
	return t
}

func scoreTable(b *strings.Builder, v pageData, label string, scores []scoreRow) {
	rows := [][]string{{label, v.T("accuracy.cases"), v.T("accuracy.measures.median"), v.T("accuracy.measures.mean"),
		v.T("accuracy.measures.within_10"),
		v.T("accuracy.measures.coverage"), v.T("accuracy.measures.width")}}
	for _, r := range scores {
		rows = append(rows, []string{r.Label.Label, r.Cases, r.Median, r.Mean, r.Within, r.Covered, r.Width})
	}
	site.MarkdownTable(b, rows, []bool{false, true, true, true, true, true, true})
}

// markdown is the page as a document.
func markdown(v pageData) site.Answer {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\n## %s\n\n%s\n\n", v.Title, v.T("accuracy.lede"),
		v.T("accuracy.count", v.Scored, v.Other, v.Left), v.T("accuracy.targets"), v.T("accuracy.targetsnote"))
	rows := [][]string{append(append([]string{v.T("accuracy.aspect"), v.T("accuracy.measure"),
		v.T("accuracy.target")}, v.Ways...), v.T("accuracy.result"))}
	for _, t := range v.Aims {
		rows = append(rows, append(append([]string{t.Aspect.Label, t.Measure, t.Target}, t.Values...), t.Result.Text))
	}
	site.MarkdownTable(&b, rows, []bool{false, false, true, true, true, true, true, true, false})
	for _, a := range v.Aspects {
		fmt.Fprintf(&b, "\n## %s\n\n", a.Title)
		if len(a.Verdicts) > 0 {
			rows = [][]string{{v.T("accuracy.leftout"), v.T("accuracy.runs"), v.T("accuracy.measures.right"),
				v.T("accuracy.borderline"), v.T("accuracy.outofroom"), v.T("accuracy.measures.false_fits")}}
			for _, r := range a.Verdicts {
				rows = append(rows, []string{r.Label, r.Runs, r.Right, r.Borderline, r.Out, r.FalseFit})
			}
			site.MarkdownTable(&b, rows, []bool{false, true, true, true, true, true})
			continue
		}
		table := func(label string, scores []scoreRow) { scoreTable(&b, v, label, scores) }
		table(v.T("accuracy.leftout"), a.Scores)
		if len(a.Loads) > 0 {
			b.WriteString("\n")
			table(v.T("accuracy.byload"), a.Loads)
		}
		rows = [][]string{{v.T("accuracy.restson"), v.T("accuracy.cases"), v.T("accuracy.measures.coverage"),
			v.T("accuracy.measures.width")}}
		for _, r := range a.Classes {
			rows = append(rows, []string{r.Tier, r.Cases, r.Covered, r.Width})
		}
		b.WriteString("\n")
		site.MarkdownTable(&b, rows, []bool{false, true, true, true})
		for _, s := range a.Splits {
			fmt.Fprintf(&b, "\n### %s\n\n", s.Title)
			table(s.Title, s.Rows)
		}
	}
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", v.T("accuracy.worst"), v.T("accuracy.worstnote"))
	rows = [][]string{{v.T("accuracy.case"), v.T("accuracy.aspect"), v.T("accuracy.job"), v.T("accuracy.card"),
		v.T("accuracy.measured"), v.T("accuracy.predicted"), v.T("accuracy.ratio"), v.T("accuracy.source")}}
	for _, r := range v.Worst {
		rows = append(rows, []string{r.ID, r.Aspect, r.Job, r.Card.Label, r.Measured,
			r.Predicted + " (" + r.Interval + ")", r.Ratio, r.Source})
	}
	site.MarkdownTable(&b, rows, []bool{false, false, false, false, true, true, true, false})
	return site.MarkdownAnswer(b.String())
}
