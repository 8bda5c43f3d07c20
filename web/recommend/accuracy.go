package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// accuracyPage answers /accuracy in all formats.
func (h *Handler) accuracyPage(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/accuracy" {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) {
			v := h.accuracyView(st, r, adv.Accuracy())
			return site.Rendered(v.Page())
		},
		site.AsJSON: func() (site.Answer, error) { return site.JSONAnswer(api.AccuracyOf(st.Snap, adv.Accuracy())) },
		site.AsCSV: func() (site.Answer, error) {
			return caseTable(adv.Accuracy()).CSV("tianti-accuracy"), nil
		},
		site.Markdown: func() (site.Answer, error) { return accuracyMarkdown(h.accuracyView(st, r, adv.Accuracy())), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, ""), Render: render}, nil
}

// worstMost is how many of the worst cases the page names.
const worstMost = 25

// accuracyBuilder puts scores into words.
type accuracyBuilder struct {
	st *site.State
	l  *locale.Locale
	a  *sizing.Accuracy
}

func (h *Handler) accuracyView(st *site.State, r *site.Request, a *sizing.Accuracy) accuracy {
	l := r.Loc
	b := accuracyBuilder{st, l, a}
	v := accuracy{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavNone, ""), r, ""), Left: len(a.Left), MethodURL: l.Path("/methodology#sizing")}
	for i := range a.Cases {
		if a.Cases[i].Scored {
			v.Scored++
		}
	}
	v.Other = len(a.Cases) - v.Scored
	v.Title, v.Description = l.T("accuracy.title"), l.T("accuracy.description", v.Scored)
	for _, w := range sizing.LeaveOuts {
		v.Ways = append(v.Ways, l.T("accuracy.ways."+string(w)))
	}
	for i := range a.Aims {
		v.Aims = append(v.Aims, b.aim(&a.Aims[i]))
	}
	for i := range a.Aspects {
		v.Aspects = append(v.Aspects, b.aspect(&a.Aspects[i], v.Ways))
	}
	for _, c := range a.Worst("", worstMost) {
		v.Worst = append(v.Worst, b.compared(c))
	}
	for _, c := range a.WrongVerdicts() {
		row := wrongRow{ID: c.Case.ID, Job: b.job(c.Case), Card: b.card(c.Case), Said: l.T("accuracy.verdicts." + string(c.Verdict())), Was: l.T("accuracy.ran"), Source: c.Case.Source}
		if !c.Case.Ran {
			row.Was = l.T("accuracy.outofmemory")
		}
		v.Wrong = append(v.Wrong, row)
	}
	return v
}

func (b accuracyBuilder) aim(t *sizing.Aim) aimRow {
	l := b.l
	row := aimRow{Aspect: ui.Link{Label: l.T("accuracy.aspects." + string(t.Aspect)), Href: "#" + string(t.Aspect)},
		Measure: l.T("accuracy.measures." + string(t.Measure))}
	for _, way := range sizing.LeaveOuts {
		row.Judged = append(row.Judged, slices.Contains(sizing.Judged, way))
	}
	switch {
	case t.Low == 0:
		row.Target = l.T("accuracy.atmost", l.Percent(t.High))
	case t.High == 1:
		row.Target = l.T("accuracy.atleast", l.Percent(t.Low))
	default:
		row.Target = l.T("accuracy.between", l.Percent(t.Low), l.Percent(t.High))
	}
	for _, v := range t.Reached {
		row.Values = append(row.Values, l.Percent(v))
	}
	switch v := t.Value(); {
	case math.IsNaN(v):
		row.Aspect.Href, row.Result = "#targets", ui.ExportWord{Text: l.T("accuracy.nodata"), Tone: "dim"}
	case t.Met():
		row.Result = ui.ExportWord{Text: l.T("accuracy.met"), Tone: "good"}
	default:
		row.Result = ui.ExportWord{Text: l.T("accuracy.missed", points(l, t.Missed(v))), Tone: "bad"}
	}
	return row
}

// points are percentage points.
func points(l *locale.Locale, share float64) string {
	return l.Number(math.Round(share*1000) / 10)
}

func (b accuracyBuilder) aspect(s *sizing.AspectScore, ways []string) accuracyAspectData {
	l := b.l
	out := accuracyAspectData{ID: string(s.Aspect), Title: l.T("accuracy.aspects." + string(s.Aspect))}
	if key := "accuracy.notes." + string(s.Aspect); l.Has(key) {
		out.Note = l.T(key)
	}
	for i, score := range s.Scores {
		out.Scores = append(out.Scores, b.score(ui.Link{Label: ways[i]}, score))
	}
	for _, c := range s.Classes {
		out.Classes = append(out.Classes, classRow{Tier: l.T("accuracy.tiers." + string(c.Tier)),
			Note: l.T("accuracy.tiernotes." + string(c.Tier)), Cases: l.Count(c.Cases), Covered: l.Percent(c.Covered),
			Width: l.T("accuracy.plusminus", l.Percent(c.Width))})
	}
	for i, v := range s.Verdicts {
		out.Verdicts = append(out.Verdicts, verdictRow{Label: ways[i], Runs: l.Count(v.Runs), Right: l.Percent(v.Right), Borderline: l.Percent(v.Borderline),
			Out: l.Count(v.OutOfRoom), FalseFit: l.Percent(v.FalseFits)})
	}
	if s.Scores != nil {
		out.Plots = b.plots(s.Aspect)
	}
	for _, split := range []string{"source", "task", "framework", "card"} {
		table := scoreSplit{ID: string(s.Aspect) + "-" + split, Title: l.T("accuracy.by." + split)}
		for _, p := range s.Parts {
			if p.Split == split {
				table.Rows = append(table.Rows, b.score(b.partLink(p), p.Score))
			}
		}
		if len(table.Rows) > 1 {
			out.Splits = append(out.Splits, table)
		}
	}
	return out
}

func (b accuracyBuilder) partLink(p sizing.PartScore) ui.Link {
	switch p.Split {
	case "task":
		return ui.Link{Label: b.l.T("fitgrid.tasks." + p.Value)}
	case "card":
		return b.cardLink(p.Value)
	}
	return ui.Link{Label: p.Value}
}

// cardLink is the card with an id; one that the catalogue does not have is its name.
func (b accuracyBuilder) cardLink(id string) ui.Link {
	if row, ok := b.st.Snap.Find(id); ok {
		return display.CardLink(b.st.Snap, b.l, row)
	}
	return ui.Link{Label: id}
}

func (b accuracyBuilder) card(c *sizing.Case) ui.Link {
	switch {
	case c.Card == nil:
		return ui.Link{Label: "—"}
	case c.Card.ID == "":
		return ui.Link{Label: c.Card.Name}
	}
	return b.cardLink(c.Card.ID)
}

func (b accuracyBuilder) score(label ui.Link, s sizing.Score) scoreRow {
	l := b.l
	return scoreRow{Label: label, Cases: l.Count(s.Cases), Mean: l.Percent(s.Mean), Median: l.Percent(s.Median), Within: l.Percent(s.Within10), Covered: l.Percent(s.Covered),
		Width: l.T("accuracy.plusminus", l.Percent(s.Width))}
}

// A caseUnit is what the values of a case are shown in.
type caseUnit struct {
	name string // "GB", or a key of the texts
	of   func(float64) float64
}

func unitOf(c *sizing.Case) caseUnit {
	switch c.Quantity {
	case sizing.DecodeSpeed, sizing.PrefillSpeed, sizing.TrainingSpeed, sizing.ServeSpeed:
		return caseUnit{"tokens", func(v float64) float64 { return v }}
	case sizing.ServeTPOT, sizing.ServeTTFT:
		return caseUnit{"ms", func(v float64) float64 { return v * 1000 }}
	}
	return caseUnit{"GB", func(v float64) float64 { return v / 1e9 }}
}

func (u caseUnit) label(l *locale.Locale) string {
	if u.name == "GB" || u.name == "ms" {
		return u.name
	}
	return l.T("accuracy." + u.name)
}

// rounded keeps four significant digits.
func rounded(v float64) float64 { return display.Significant(v, 4) }

func (b accuracyBuilder) compared(c *sizing.Compared) comparedRow {
	l, u := b.l, unitOf(c.Case)
	r := c.Ranges[0]
	number := func(v float64) string { return l.Number(rounded(v)) }
	return comparedRow{ID: c.Case.ID, Aspect: l.T("accuracy.aspects." + string(c.Aspect)), Job: b.job(c.Case), Card: b.card(c.Case),
		Measured: number(u.of(c.Case.Measured)) + " " + u.label(l), Predicted: number(u.of(r.Expected)) + " " + u.label(l),
		Interval: number(u.of(r.Low)) + " … " + number(u.of(r.High)), Ratio: l.Ratio(c.Ratio()), Source: c.Case.Source, Note: c.Case.Note}
}

// job is the workload of a case in a few words.
func (b accuracyBuilder) job(c *sizing.Case) string {
	l, w := b.l, &c.Workload
	parts := []string{}
	if w.Model != nil {
		parts = append(parts, w.Model.Name)
	}
	parts = append(parts, l.T("fitgrid.tasks."+string(w.Task)), w.Framework)
	if w.Weights != "" && !w.Task.Trains() || w.Task == sizing.QLoRA {
		parts = append(parts, w.Weights)
	} else if w.Compute != "" {
		parts = append(parts, w.Compute)
	}
	if w.Batch > 0 {
		parts = append(parts, l.T("accuracy.batch", l.Count(w.Batch)))
	}
	if w.Context > 0 {
		parts = append(parts, l.T("accuracy.context", l.Count(w.Context)))
	}
	if w.Cards > 1 {
		parts = append(parts, l.T("accuracy.cardcount", l.Count(w.Cards)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// The measures of a plot, in units of its view box.
const (
	plotWidth, plotHeight = 760, 560
	plotLeft, plotRight   = 76, plotWidth - 16
	plotTop, plotBottom   = 12, plotHeight - 48
	plotSeries            = 5 // frameworks with marks of their own
)

// plots draw the scored cases of an aspect; none without any.
func (b accuracyBuilder) plots(aspect sizing.Aspect) []plotData {
	var cases []*sizing.Compared
	for i := range b.a.Cases {
		if c := &b.a.Cases[i]; c.Aspect == aspect && c.Scored {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil
	}
	return []plotData{b.plot(b.l.T("accuracy.aspects."+string(aspect)), cases)}
}

func (b accuracyBuilder) plot(name string, cases []*sizing.Compared) plotData {
	l, u := b.l, unitOf(cases[0].Case)
	low, high := math.Inf(1), 0.0
	for _, c := range cases {
		for _, v := range []float64{u.of(c.Case.Measured), u.of(c.Ranges[0].Expected)} {
			low, high = min(low, v), max(high, v)
		}
	}
	low, high = low/1.15, high*1.15
	x, y := ui.Axis{Low: low, High: high, From: plotLeft, To: plotRight}, ui.Axis{Low: low, High: high, From: plotBottom, To: plotTop}
	s := plotData{Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom,
		Name: l.T("accuracy.plot", name), XLabel: l.T("accuracy.measuredaxis", u.label(l)), YLabel: l.T("accuracy.predictedaxis", u.label(l)), BandLabel: l.T("accuracy.band")}
	for _, v := range logTicks(low, high) {
		s.XTicks = append(s.XTicks, ui.ScatterTick{At: x.At(v), Label: l.Number(v)})
		s.YTicks = append(s.YTicks, ui.ScatterTick{At: y.At(v), Label: l.Number(v)})
	}
	s.Diagonal = fmt.Sprintf("M%d %dL%d %d", plotLeft, plotBottom, plotRight, plotTop)
	s.Band = fmt.Sprintf("M%d %dV%dL%d %dH%dV%dL%d %dZ", plotLeft, plotBottom, y.At(low*1.1), x.At(high/1.1), plotTop, plotRight, y.At(high*0.9), x.At(low/0.9), plotBottom)
	s.BandX, s.BandY = x.At(low)+18, y.At(low*1.1)-36
	within := 0
	byFramework := map[string][]*sizing.Compared{}
	var frameworks []string
	for _, c := range cases {
		if math.Abs(c.Ratio()-1) <= 0.1 {
			within++
		}
		f := c.Case.Workload.Framework
		if byFramework[f] == nil {
			frameworks = append(frameworks, f)
		}
		byFramework[f] = append(byFramework[f], c)
	}
	s.Text = s.Name + l.T("stop") + " " + l.T("accuracy.plottext", l.Count(len(cases)), l.Count(within))
	slices.SortStableFunc(frameworks, func(p, q string) int {
		return cmp.Or(cmp.Compare(len(byFramework[q]), len(byFramework[p])), cmp.Compare(p, q))
	})
	for i, f := range frameworks {
		at := min(i, plotSeries)
		if at == len(s.Series) {
			s.Series = append(s.Series, plotSeriesData{Name: f, Mark: "m" + strconv.Itoa(at), Sample: mark(at, 8, 8)})
		}
		series := &s.Series[at]
		if i > plotSeries {
			series.Name = l.T("accuracy.others")
		}
		var path strings.Builder
		for _, c := range byFramework[f] {
			path.WriteString(mark(at, x.At(u.of(c.Case.Measured)), y.At(u.of(c.Ranges[0].Expected))))
		}
		series.Path += path.String()
	}
	for i := range s.Series {
		n := 0
		for j, f := range frameworks {
			if min(j, plotSeries) == i {
				n += len(byFramework[f])
			}
		}
		s.Series[i].Title = l.T("accuracy.series", s.Series[i].Name, l.Count(n))
	}
	return s
}

// mark draws a point: a dot, square, plus, cross, triangle or stroke.
func mark(shape, x, y int) string {
	switch shape {
	case 2:
		return fmt.Sprintf("M%d %dh6m-3-3v6", x-3, y)
	case 3:
		return fmt.Sprintf("M%d %dl5 5m0-5l-5 5", x-2, y-2)
	case 4:
		return fmt.Sprintf("M%d %dl4 6h-8z", x, y-3)
	case 5:
		return fmt.Sprintf("M%d %dv6", x, y-3)
	}
	return fmt.Sprintf("M%d %dh0", x, y) // the line's cap is a dot or a square
}

// logTicks are powers of ten between two values, with 2 and 5 where there is room.
func logTicks(low, high float64) []float64 {
	steps := []float64{1}
	if math.Log10(high/low) < 3.5 {
		steps = []float64{1, 2, 5}
	}
	var out []float64
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, step := range steps {
			if v := step * math.Pow(10, e); v >= low && v <= high {
				out = append(out, rounded(v))
			}
		}
	}
	return out
}

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
		add(key, func(c caseLine) string { return orNot(c.predicted, value) })
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
		return orNot(w.Model, func(m *sizing.Model) string { return m.ID })
	})
	job("task", func(w *sizing.Workload) string { return string(w.Task) })
	job("framework", func(w *sizing.Workload) string { return w.Framework })
	add("card", func(c caseLine) string {
		return orNot(c.Card, func(card *sizing.Card) string { return cmp.Or(card.ID, card.Name) })
	})
	job("cards", func(w *sizing.Workload) string { return whole(w.Cards) })
	job("weights", func(w *sizing.Workload) string { return w.Weights })
	job("precision", func(w *sizing.Workload) string { return w.Compute })
	job("batch", func(w *sizing.Workload) string { return whole(w.Batch) })
	job("context", func(w *sizing.Workload) string { return whole(w.Context) })
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

func scoreTable(b *strings.Builder, v accuracy, label string, scores []scoreRow) {
	rows := [][]string{{label, v.T("accuracy.cases"), v.T("accuracy.measures.median"), v.T("accuracy.measures.mean"), v.T("accuracy.measures.within_10"),
		v.T("accuracy.measures.coverage"), v.T("accuracy.measures.width")}}
	for _, r := range scores {
		rows = append(rows, []string{r.Label.Label, r.Cases, r.Median, r.Mean, r.Within, r.Covered, r.Width})
	}
	site.MarkdownTable(b, rows, []bool{false, true, true, true, true, true, true})
}

// accuracyMarkdown is the page as a document.
func accuracyMarkdown(v accuracy) site.Answer {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\n## %s\n\n%s\n\n", v.Title, v.T("accuracy.lede"), v.T("accuracy.count", v.Scored, v.Other, v.Left), v.T("accuracy.targets"), v.T("accuracy.targetsnote"))
	rows := [][]string{append(append([]string{v.T("accuracy.aspect"), v.T("accuracy.measure"), v.T("accuracy.target")}, v.Ways...), v.T("accuracy.result"))}
	for _, t := range v.Aims {
		rows = append(rows, append(append([]string{t.Aspect.Label, t.Measure, t.Target}, t.Values...), t.Result.Text))
	}
	site.MarkdownTable(&b, rows, []bool{false, false, true, true, true, true, true, true, false})
	for _, a := range v.Aspects {
		fmt.Fprintf(&b, "\n## %s\n\n", a.Title)
		if len(a.Verdicts) > 0 {
			rows = [][]string{{v.T("accuracy.leftout"), v.T("accuracy.runs"), v.T("accuracy.measures.right"), v.T("accuracy.borderline"), v.T("accuracy.outofroom"), v.T("accuracy.measures.false_fits")}}
			for _, r := range a.Verdicts {
				rows = append(rows, []string{r.Label, r.Runs, r.Right, r.Borderline, r.Out, r.FalseFit})
			}
			site.MarkdownTable(&b, rows, []bool{false, true, true, true, true, true})
			continue
		}
		table := func(label string, scores []scoreRow) { scoreTable(&b, v, label, scores) }
		table(v.T("accuracy.leftout"), a.Scores)
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
	rows = [][]string{{v.T("accuracy.case"), v.T("accuracy.aspect"), v.T("accuracy.job"), v.T("accuracy.card"), v.T("accuracy.measured"), v.T("accuracy.predicted"), v.T("accuracy.ratio"), v.T("accuracy.source")}}
	for _, r := range v.Worst {
		rows = append(rows, []string{r.ID, r.Aspect, r.Job, r.Card.Label, r.Measured, r.Predicted + " (" + r.Interval + ")", r.Ratio, r.Source})
	}
	site.MarkdownTable(&b, rows, []bool{false, false, false, false, true, true, true, false})
	return site.MarkdownAnswer(b.String())
}
