package web

import (
	"slices"

	"tianti/advisor"
	"tianti/locale"
	"tianti/web/view"
)

// cardFits is the section of a card's page on what fits; nil where nothing can be
// estimated. A page is not held up by an advisor that fails: the section is left out.
func (s *Server) cardFits(st *state, l *locale.Locale, id string) *view.FitGrid {
	if s.cfg.Advise == nil {
		return nil
	}
	adv, err := st.advisor()
	if err != nil {
		return nil
	}
	c := adv.Card(id)
	if c == nil || c.Usable == 0 {
		return nil
	}
	return fitGrid(adv, l, c, adv.Grid(c))
}

func fitGrid(adv *advisor.Advisor, l *locale.Locale, c *advisor.Card, cells []advisor.Cell) *view.FitGrid {
	out := &view.FitGrid{}
	rows := map[advisor.Task]int{}
	var inference, training int
	for i := range cells {
		x := &cells[i]
		if !slices.ContainsFunc(out.Sizes, func(f view.FitSize) bool { return f.Size == x.Size }) {
			out.Sizes = append(out.Sizes, view.FitSize{Size: x.Size, Model: x.Workload.Model.Name})
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
			out.Rows = append(out.Rows, view.FitRow{Task: task})
		}
		out.Rows[at].Cells = append(out.Rows[at].Cells, fitCell(adv, l, c.ID, x, task))
	}
	if !slices.ContainsFunc(cells, func(x advisor.Cell) bool { return x.Verdict != "" }) {
		return nil
	}
	out.Note = l.T("fitgrid.note", l.Count(inference), l.Count(training), gigabytes(l, c.Usable))
	return out
}

func gigabytes(l *locale.Locale, bytes float64) string { return l.Number(significant(bytes/1e9, 3)) }

// tones of verdicts.
var verdictTones = map[advisor.Verdict]string{advisor.Fits: "good", advisor.Borderline: "unsure", advisor.TooBig: "bad"}

func fitCell(adv *advisor.Advisor, l *locale.Locale, id string, x *advisor.Cell, task string) view.FitCell {
	if x.Verdict == "" {
		return view.FitCell{Verdict: view.ExportWord{Text: "—", Tone: "dim"}}
	}
	out := view.FitCell{Verdict: view.ExportWord{Text: l.T("accuracy.verdicts." + string(x.Verdict)), Tone: verdictTones[x.Verdict]}}
	if x.Memory.Expected > 0 {
		out.Need = l.T("fitgrid.need", gigabytes(l, x.Memory.Expected))
	}
	if x.Memory.High > 0 {
		out.Interval = l.T("fitgrid.interval", gigabytes(l, x.Memory.Low), gigabytes(l, x.Memory.High))
	}
	switch {
	case len(x.Refusals) > 0:
		out.Verdict = view.ExportWord{Text: l.T("fitgrid.failed"), Tone: "dim"}
		if key := "sizing.reason." + x.Refusals[0].Reason; l.Has(key) {
			out.Cards = l.T(key)
		}
	case x.Cards > 1:
		out.Cards = l.T("fitgrid.cards", l.Count(x.Cards))
	case x.Cards == 0:
		out.Cards = l.T("fitgrid.nocards")
	}
	out.Label = l.T("fitgrid.label", x.Size, task, out.Verdict.Text)
	out.Href = l.Path("/recommend/" + id + "?" + without(adv.Values(advisor.ForEstimate, x.Request), "card").Encode())
	return out
}
