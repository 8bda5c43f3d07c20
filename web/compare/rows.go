package compare

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
)

// figureGroups are the groups of rows of the catalogue's figures, with the groups of quantities in them.
var figureGroups = []struct {
	label string
	of    []string
}{
	{"group.compute", []string{"compute"}},
	{"compare.groups.memory", []string{"memory", "interconnect"}},
	{"compare.groups.board", []string{"identity", "power", "chip", "form"}},
	{"group.features", []string{"features"}},
	{"group.export", []string{"export"}},
	{"compare.groups.value", []string{"derived", "price"}},
}

// inFront are quantities whose rows stand among the prices.
var inFront = []string{"rent_price", "buy_price", "launch_price_usd", "launch_price_cny"}

// groups are all rows: what one acts on first, then the figures.
func (b *compareBuilder) groups(lines []catalog.CompareLine, f *facts) []compareGroup {
	all := []compareGroup{
		{Label: b.L.T("compare.groups.now"), Rows: b.priceRows(lines, f)},
		{Label: b.L.T("compare.groups.export"), Rows: []compareRowData{b.exportRow(f)}},
		{Label: b.L.T("compare.groups.fits"), Rows: b.fitRows(f),
			Note: b.L.T("compare.fits.note", b.L.Count(serveContext), b.L.Count(trainContext))},
		{Label: b.L.T("compare.groups.speed"), Rows: b.speedRows(f)},
	}
	for _, g := range figureGroups {
		group := compareGroup{Label: b.L.T(g.label)}
		for _, of := range g.of {
			for i := range lines {
				if q := lines[i].Quantity; q.Group == of && !slices.Contains(inFront, q.ID) {
					group.Rows = append(group.Rows, b.row(&lines[i]))
				}
			}
		}
		all = append(all, group)
	}
	return slices.DeleteFunc(all, func(g compareGroup) bool { return len(g.Rows) == 0 })
}

// differing leaves out rows that are alike for all cards, and counts them.
func differingRows(groups []compareGroup) (out []compareGroup, hidden int) {
	for _, g := range groups {
		all := len(g.Rows)
		g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r compareRowData) bool {
			return r.Alike
		})
		if hidden += all - len(g.Rows); len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out, hidden
}

func (b *compareBuilder) row(line *catalog.CompareLine) compareRowData {
	q := line.Quantity
	row := compareRowData{ID: q.ID, Label: display.Pick(b.L, q.Label), Unit: display.UnitIn(b.L, b.Snap, q),
		Definition: display.Pick(b.L, q.Definition), Note: b.apart(line), Alike: !line.Differs}
	best := 0
	for _, cell := range line.Cells {
		best += display.BoolRank(cell.Best)
	}
	for i, cell := range line.Cells {
		out := compareCellData{Best: cell.Best && best == 1, Plain: q.Kind != catalog.Number} // a tie has no best
		if text, ok := b.value(q, i); ok {
			out.Value, out.Note = text, b.priceNote(q, i)
		} else {
			out.Missing = b.missing(line, i)
		}
		if cell.Stale {
			out.Old = b.L.T("compare.stale")
		}
		if cell.Ratio == cell.Ratio { // not NaN
			out.Ratio = b.L.Ratio(cell.Ratio)
		}
		row.Cells = append(row.Cells, out)
	}
	return row
}

// missing says why a cell is empty.
func (b *compareBuilder) missing(line *catalog.CompareLine, i int) string {
	switch {
	case slices.Contains(line.Apart, i):
		return b.L.T("compare.apartcell", b.basesOf(line.Quantity.RateClass(), i))
	case line.Quantity.Priced():
		return b.L.T("prices.none")
	}
	return b.L.T("missing.notstated")
}

// priceRows are rent and price of today, and the price at launch.
func (b *compareBuilder) priceRows(lines []catalog.CompareLine, f *facts) []compareRowData {
	rent := b.standingRow("rent_price", b.L.T("compare.lowestrent"), f.rents)
	buy := b.standingRow("buy_price", b.L.T("compare.buynow"), f.buys)
	list := b.standingRow("launch_price_usd", b.L.T("compare.listprice"), f.lists)
	rows := []compareRowData{rent, buy, list}
	if i := slices.IndexFunc(lines, func(l catalog.CompareLine) bool { return l.Quantity.ID == "buy_price" }); i >= 0 &&
		b.pricing.Buy != catalog.LaunchPrice {
		row := b.row(&lines[i])
		rows = []compareRowData{rent, row, list}
	}
	return slices.DeleteFunc(rows, func(r compareRowData) bool {
		return !slices.ContainsFunc(r.Cells, func(c compareCellData) bool { return c.Value != "" || c.Note != "" })
	})
}

// standingRow is a row of one kind of price. The best is the lowest of one kind and one month that can be
// had today; a ratio is of one kind and one month too. A price at launch is never the best.
func (b *compareBuilder) standingRow(id, label string, of []catalog.Standing) compareRowData {
	row := compareRowData{ID: id, Label: label, Unit: b.Snap.Pricing().Currency, Alike: true,
		Definition: display.Pick(b.L, display.MustQuantity(id).Definition)}
	for i := range of {
		row.Cells = append(row.Cells, b.standingCell(&of[i], &of[b.baseline], i))
		row.Alike = row.Alike && row.Cells[i].Value == row.Cells[0].Value
	}
	if i := lowest(of); i >= 0 {
		row.Cells[i].Best = true
	}
	return row
}

// lowest is the place of the lowest current price, where all that are current are of one kind and one
// month and it is the only one so low; -1 where there is none.
func lowest(of []catalog.Standing) int {
	best, current, tied := -1, 0, false
	for i := range of {
		if of[i].Current == 0 {
			continue
		}
		q := &of[i].Best
		if current++; q.Freshness == catalog.Historic || best >= 0 && !comparable(q, &of[best].Best) {
			return -1
		}
		switch {
		case best < 0 || q.In.Micros < of[best].Best.In.Micros:
			best, tied = i, false
		case q.In.Micros == of[best].Best.In.Micros:
			tied = true
		}
	}
	if current < 2 || tied {
		return -1
	}
	return best
}

// comparable reports whether a ratio of two prices means something.
func comparable(a, b *catalog.Quote) bool {
	return a.Kind == b.Kind && (a.Kind == catalog.LaunchPrice || month(a.Date) == month(b.Date))
}

func (b *compareBuilder) standingCell(s, base *catalog.Standing, place int) compareCellData {
	q := s.Shown()
	switch {
	case !s.Priced:
		return compareCellData{Missing: b.L.T("prices.none")}
	case s.Current == 0:
		return compareCellData{NoPrice: b.L.T("compare.noprice"),
			Note: b.L.T("compare.lastseen", display.QuoteMoney(b.L, q)+b.L.T("comma")+b.offered(&q))}
	}
	out := compareCellData{Value: display.BareMoney(b.L, q), Note: b.offered(&q)}
	if place != b.baseline && base.Current > 0 && comparable(&q, &base.Best) && base.Best.In.Micros > 0 {
		out.Ratio = b.L.Ratio(q.In.Amount() / base.Best.In.Amount())
	}
	return out
}

// offered is of which kind a price is, who asked it, and when.
func (b *compareBuilder) offered(q *catalog.Quote) string {
	text := display.KindAndDay(b.L, q)
	if q.Seller != "" && q.Kind != catalog.LaunchPrice {
		text = q.Seller + b.L.T("comma") + text
	}
	return text
}

// exportRow is whether the cards may go to the destination.
func (b *compareBuilder) exportRow(f *facts) compareRowData {
	row := compareRowData{ID: "export", Label: b.L.T("compare.exportrow", b.L.Region(b.export.Destination)),
		Sub: b.L.T("compare.by.export", b.export.AsOf, exportcontrol.GroupsAsOf), Alike: true,
		Href: b.L.Path("/export-control?destination=" + b.export.Destination)}
	for i := range f.export {
		word := webexport.VerdictWord(b.L, f.export[i].Verdict)
		cell := compareCellData{Word: word}
		if tpp, ok := b.Snap.Number(display.MustQuantity("tpp"), b.Rows[i]); ok {
			cell.Note = "TPP " + b.L.Number(tpp)
		}
		row.Cells = append(row.Cells, cell)
		row.Alike = row.Alike && f.export[i].Verdict == f.export[0].Verdict
	}
	return row
}

// fitMarks stand for verdicts, beside their colours.
var fitMarks = map[string]struct{ mark, tone string }{
	string(sizing.Fits): {"✓", "good"}, string(sizing.Borderline): {"~", "warn"}, string(sizing.TooBig): {"✕", "no"},
	cannotRun: {"✕", "no"},
}

// fitRows are the jobs by task, with all sizes of models in a cell.
func (b *compareBuilder) fitRows(f *facts) []compareRowData {
	var out []compareRowData
	for _, task := range fitTasks {
		row := compareRowData{ID: "fits-" + string(task), Label: b.L.T("compare.fits." + string(task)),
			Alike: true}
		any := false
		for i := range b.Rows {
			var cell compareCellData
			for _, s := range fitSizes {
				if x := f.fit(i, s.size, task); x != nil {
					cell.Fits, any = append(cell.Fits, b.fitChip(f, x)), true
				}
			}
			if cell.Fits == nil {
				cell.Missing = b.L.T("compare.norate")
			}
			row.Cells = append(row.Cells, cell)
			row.Alike = row.Alike && slices.Equal(cell.Fits, row.Cells[0].Fits)
		}
		if any {
			out = append(out, row)
		}
	}
	return out
}

func (b *compareBuilder) fitChip(f *facts, x *api.ComparedFit) compareFit {
	m := fitMarks[x.Verdict]
	if m.mark == "" {
		m.mark, m.tone = "?", "no"
	}
	out := compareFit{Size: x.Size, Mark: m.mark, Tone: m.tone, State: b.L.T("compare.fits.states." + x.Verdict),
		Title: f.software(x)}
	if x.SpareGB != nil {
		spare := *x.SpareGB
		if math.Abs(spare) >= 100 {
			spare = math.Round(spare)
		}
		out.Spare = b.L.Number(spare)
		if spare > 0 {
			out.Spare = "+" + out.Spare
		}
		out.Spare = strings.Replace(out.Spare, "-", "−", 1)
	}
	if x.TokensPerS != nil {
		out.Speed = b.L.Number(x.TokensPerS.Value) + "/s"
		out.Title += " · " + b.L.Number(x.TokensPerS.Low) + "–" + b.L.Number(x.TokensPerS.High) + " " +
			display.UnitNamed(b.L, "tokens/s")
	}
	return out
}

// speedRows are the estimated speeds of the usual jobs with their intervals.
func (b *compareBuilder) speedRows(f *facts) []compareRowData {
	var out []compareRowData
	for _, job := range []struct {
		id, label, size string
		task            sizing.Task
	}{{"speed-decode", b.L.T("compare.fits.decode", f.usual), f.usual, sizing.Inference},
		{"speed-training", b.L.T("compare.fits.training"), "7B", sizing.QLoRA}} {
		row := compareRowData{
			ID:    job.id,
			Label: job.label,
			Unit:  display.UnitNamed(b.L, "tokens/s"),
			Sub:   b.L.T("compare.estimated"),
			Alike: true,
		}
		base := f.fit(b.baseline, job.size, job.task)
		known := false
		for i := range b.Rows {
			x := f.fit(i, job.size, job.task)
			if rateOf(x) == 0 {
				row.Cells = append(row.Cells, compareCellData{Missing: b.L.T("compare.norate")})
				continue
			}
			known = true
			v := x.TokensPerS
			cell := compareCellData{Value: b.L.Number(v.Value), Best: f.clearlyBest(i, job.size, job.task),
				Note: b.L.Number(v.Low) + "–" + b.L.Number(v.High) + b.L.T("comma") + f.software(x)}
			if i != b.baseline && rateOf(base) > 0 {
				cell.Ratio = b.L.Ratio(v.Value / base.TokensPerS.Value)
			}
			row.Cells = append(row.Cells, cell)
		}
		for _, c := range row.Cells {
			row.Alike = row.Alike && c.Value == row.Cells[0].Value
		}
		if known {
			out = append(out, row)
		}
	}
	return out
}

// clearlyBest reports whether a card is faster than all others by more than the interval, with the same
// software.
func (f *facts) clearlyBest(place int, size string, task sizing.Task) bool {
	x, others := f.fit(place, size, task), 0
	for i := range f.rents {
		y := f.fit(i, size, task)
		if i == place || rateOf(y) == 0 {
			continue
		}
		others++
		if y.Framework != x.Framework || y.Weights != x.Weights ||
			found(f.speedRatio(x, y)) != isMore {
			return false
		}
	}
	return others > 0
}
