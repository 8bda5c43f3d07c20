package cards

import (
	"slices"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// cardFits is the section of a card's page on what fits; nil where nothing can be
// estimated. A page is not held up by an advisor that fails: the section is left out.
func (h *Handler) cardFits(st *site.State, l *locale.Locale, id string) *fitGridData {
	if h.site.NewEstimator == nil || st.Snap.Partial() { // nobody waits for cards that are soon replaced
		return nil
	}
	adv, err := st.Estimator()
	if err != nil {
		return nil
	}
	c := adv.Card(id)
	if c == nil || c.Usable == 0 {
		return nil
	}
	return fitGrid(adv, l, c, adv.Grid(c))
}

func fitGrid(adv *sizing.Estimator, l *locale.Locale, c *sizing.Card, cells []sizing.Cell) *fitGridData {
	out := &fitGridData{Serve: l.Path("/serve/" + c.ID)}
	rows := map[sizing.Task]int{}
	var inference, training int
	for i := range cells {
		x := &cells[i]
		if !slices.ContainsFunc(out.Sizes, func(f fitSize) bool { return f.Size == x.Size }) {
			out.Sizes = append(out.Sizes, fitSize{Size: x.Size, Model: x.Workload.Model.Name})
		}
		if x.Task.Trains() {
			training = x.Workload.Context
		} else {
			inference = x.Workload.Context
		}
		task := l.T("fitgrid.tasks." + string(x.Task))
		at, ok := rows[x.Task]
		if !ok {
			at = len(out.Rows)
			rows[x.Task] = at
			out.Rows = append(out.Rows, fitRow{Task: task})
		}
		out.Rows[at].Cells = append(out.Rows[at].Cells, fitCell(adv, l, c.ID, x, task))
	}
	if !slices.ContainsFunc(cells, func(x sizing.Cell) bool { return x.Verdict != "" }) {
		return nil
	}
	out.Best = fitFinding(l, cells)
	out.Note = l.T("fitgrid.note", l.Count(inference), l.Count(training), display.Gigabytes(l, c.Usable))
	return out
}

// fitFinding names the largest size of model that is fine-tuned on one card, with QLoRA and
// with LoRA; empty where none is.
func fitFinding(l *locale.Locale, cells []sizing.Cell) string {
	var parts []string
	for _, task := range []sizing.Task{sizing.QLoRA, sizing.LoRA} {
		size, most := "", 0.0
		for i := range cells {
			x := &cells[i]
			if x.Task == task && x.Verdict == sizing.Fits && len(x.Refusals) == 0 && x.Memory.Expected > most {
				size, most = x.Size, x.Memory.Expected
			}
		}
		if size != "" {
			parts = append(parts, l.T("card.finding.fits", l.T("fitgrid.tasks."+string(task)), size))
		}
	}
	return strings.Join(parts, l.T("comma"))
}

func fitCell(adv *sizing.Estimator, l *locale.Locale, id string, x *sizing.Cell, task string) fitCellData {
	if x.Verdict == "" {
		return fitCellData{Verdict: ui.ExportWord{Text: "—", Tone: "dim"}}
	}
	out := fitCellData{
		Verdict: ui.ExportWord{
			Text: l.T("accuracy.verdicts." + string(x.Verdict)),
			Tone: display.VerdictTones[x.Verdict],
		},
	}
	if x.Memory.Expected > 0 {
		out.Need = l.T("fitgrid.need", display.Gigabytes(l, x.Memory.Expected))
	}
	if x.Memory.High > 0 {
		out.Interval = l.T("fitgrid.interval", display.Gigabytes(l, x.Memory.Low), display.Gigabytes(l, x.Memory.High))
	}
	switch {
	case len(x.Refusals) > 0:
		out.Verdict = ui.ExportWord{Text: l.T("fitgrid.failed"), Tone: "dim"}
		if key := "sizing.reason." + x.Refusals[0].Reason; l.Has(key) {
			out.Cards = l.T(key)
		}
	case x.Cards > 1:
		out.Cards = l.T("fitgrid.cards", l.Count(x.Cards))
	case x.Cards == 0:
		out.Cards = l.T("fitgrid.nocards")
	}
	out.Label = l.T("fitgrid.label", x.Size, task, out.Verdict.Text)
	out.Href = l.Path(
		"/recommend/" + id + "?" + site.WithoutParams(adv.Values(sizing.ForEstimate, x.Request), "card").Encode(),
	)
	return out
}
