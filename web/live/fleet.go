package live

import (
	"strings"

	"tianti/live"
	"tianti/web/display"
)

// liveFleetData sums up the devices of the page: the title and a few figures.
type liveFleetData struct {
	Title   string         `json:"title"`
	Said    string         `json:"said"` // what is announced when it changes: the part of the title without amounts
	Figures []liveCellData `json:"-"`
}

// fleet puts the sums of the devices into words. What some devices do not report is said with how many do; what none
// reports is left out.
func (b *liveBuilder) fleet() liveFleetData {
	f := live.SumUp(b.snap, b.v, b.q.host)
	l := b.l
	switch {
	case f.Devices == 0:
		return liveFleetData{Title: l.T("livepage.fleet.none"), Said: l.T("livepage.fleet.none")}
	case f.Reading() == 0:
		text := l.T("livepage.fleet.old", f.Devices)
		return liveFleetData{Title: text, Said: text, Figures: []liveCellData{b.inUse(f)}}
	}
	out := liveFleetData{Said: b.counts(f), Figures: []liveCellData{b.inUse(f)}}
	title := []string{out.Said}
	if f.Power.Count > 0 {
		amount := b.watts(f.Power)
		title = append(title, b.some(amount, f.Power.Count, f.Reading()))
		out.Figures = append(out.Figures, b.sum("power", f.Power, amount, f.Devices))
	}
	if f.Memory.Count > 0 {
		out.Figures = append(out.Figures, b.sum("memory", f.Memory, b.gibibytes(f.Memory), f.Devices))
	}
	if f.Tensor.Count > 0 {
		clause := l.T("livepage.fleet.tensor", b.share(f.Tensor.Share()), l.T("livepage.fleet.rates."+f.Quantity))
		title = append(title, b.some(clause, f.Tensor.Count, f.Reading()))
		amount := l.T(
			"live.rated.tensor",
			"",
			b.amount(f.Tensor.Value, ""),
			l.T("livepage.dense."+f.Quantity, b.amount(f.Tensor.Of, "")),
		)
		out.Figures = append(out.Figures, b.sum("tensor", f.Tensor, amount, f.Devices))
	}
	if f.Bandwidth.Count > 0 {
		amount := l.T("live.rated.dram", "", b.amount(f.Bandwidth.Value, ""), b.amount(f.Bandwidth.Of, "GB/s"))
		out.Figures = append(out.Figures, b.sum("dram", f.Bandwidth, amount, f.Devices))
	}
	out.Title = strings.Join(title, l.T("semicolon"))
	return out
}

// counts says how many devices are in use, and how many are not.
func (b *liveBuilder) counts(f live.Fleet) string {
	var parts []string
	if f.InUse+f.Idle > 0 {
		parts = append(parts, b.l.T("livepage.fleet.inuse", f.InUse), b.l.T("livepage.fleet.idle", f.Idle))
	}
	if f.Unknown > 0 {
		parts = append(parts, b.l.T("livepage.fleet.unknown", f.Unknown))
	}
	if f.Silent > 0 {
		parts = append(parts, b.l.T("livepage.fleet.silent", f.Silent))
	}
	return strings.Join(parts, b.l.T("comma"))
}

// inUse is the figure of the devices in use.
func (b *liveBuilder) inUse(f live.Fleet) liveCellData {
	c := liveCellData{
		Column: "inuse",
		Label:  b.l.T("livepage.devices"),
		Text:   b.l.T("livepage.fleet.of", f.InUse, f.Devices),
		Share:  float64(f.InUse) / float64(f.Devices),
		Notes:  []string{b.counts(f)},
	}
	if f.AtLimit > 0 {
		c.Notes = append(c.Notes, b.l.T("livepage.fleet.atlimit", f.AtLimit))
	}
	return c
}

// sum is a figure: the share when there is a limit, and what it is a share of.
func (b *liveBuilder) sum(id string, s live.Sum, amount string, devices int) liveCellData {
	c := liveCellData{Column: id, Label: b.l.T("livepage.column." + id), Text: amount, Share: -1}
	if s.Of > 0 {
		c.Share = min(1, s.Share())
		c.Text, c.Notes = b.share(s.Share()), []string{amount}
	}
	if s.Count < devices {
		c.Notes = append(c.Notes, b.l.T("livepage.fleet.report", s.Count, devices))
	}
	return c
}

// some says how many devices a part of the title is about, unless it is about all that have readings of now: how many
// have none is said before.
func (b *liveBuilder) some(text string, count, devices int) string {
	if count == devices {
		return text
	}
	return b.l.T("livepage.fleet.some", text, count, devices)
}

// watts is the power and its limit, in kW from 1,000 W on.
func (b *liveBuilder) watts(s live.Sum) string {
	unit, scale := "W", 1.0
	if max(s.Value, s.Of) >= 1000 {
		unit, scale = "kW", 1000
	}
	number := func(v float64) string { return b.l.Number(display.Significant(v/scale, 3)) }
	if !(s.Of > 0) {
		return number(s.Value) + " " + unit
	}
	return b.l.T("livepage.fleet.amount", number(s.Value), number(s.Of)+" "+unit)
}

func (b *liveBuilder) gibibytes(s live.Sum) string {
	number := func(v float64) string { return b.l.Number(display.Significant(v/(1<<30), 3)) }
	return b.l.T("livepage.fleet.amount", number(s.Value), number(s.Of)+" GiB")
}
