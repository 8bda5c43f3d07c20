package live

import (
	"math"
	"strings"

	"tianti/catalog"
	"tianti/live"
	"tianti/web/display"
)

// cell is what a device tells for a column.
func (b *liveBuilder) cell(h *live.Host, d *live.Device, c liveColumn, rates []live.Rated) liveCellData {
	out := liveCellData{Column: c.id, Label: b.l.T("livepage.column." + c.id), Share: -1}
	r, ok := d.Readings[c.shown]
	if ok {
		out.Text, out.Share = b.reading(c.shown, r.Value)
	}
	out.Old = b.isOld(h, d, c)
	switch c.id {
	case "nvlink":
		b.nvlink(d, rates, &out)
	case "pcie":
		b.pcie(d, &out)
	case "errors":
		b.errors(d, &out)
	default:
		b.notes(d, c, rates, &out)
	}
	if c.id == "memory" && ok && out.Share >= 0 {
		out.Text = b.share(out.Share)
	}
	if out.Old {
		out.Notes = append(out.Notes, b.l.T("livepage.oldreading"))
	}
	return out
}

// isOld reports whether what a cell shows is older than it should be.
func (b *liveBuilder) isOld(h *live.Host, d *live.Device, c liveColumn) bool {
	for _, m := range c.metrics() {
		if r, ok := d.Readings[m]; ok {
			return b.v.IsStale(h, r)
		}
	}
	return false
}

// notes says what readings are held against, or what there is besides.
func (b *liveBuilder) notes(d *live.Device, c liveColumn, rates []live.Rated, out *liveCellData) {
	for _, m := range c.metrics() {
		said := false
		for _, rated := range rates {
			if rated.Metric != m || rated.Key == "clock-max" && said || redundant(rated, d) ||
				rated.Key == "limit-rated" && len(out.Notes) > 1 {
				continue
			}
			out.Notes, said = append(out.Notes, b.rated(rated)), true
			if m == c.shown && out.Share < 0 {
				out.Share = min(1, max(0, rated.Share))
			}
		}
		if v, has := d.Get(m); has && m != c.shown && !said {
			if text := b.beside(m, v); text != "" {
				out.Notes = append(out.Notes, text)
			}
		}
	}
}

// redundant reports whether what a reading is held against is said by another note:
// a limit that is the rating.
func redundant(r live.Rated, d *live.Device) bool {
	limit, ok := d.Get(live.PowerLimit)
	same := ok && math.Abs(limit-r.Of) < 0.5
	return same && (r.Key == "power-rated" || r.Key == "limit-rated") || r.Key == "clock-max" && r.Share == 1
}

// nvlink says what goes over NVLink, and how many links are up.
func (b *liveBuilder) nvlink(d *live.Device, rates []live.Rated, out *liveCellData) {
	up, hasUp := d.Get(live.NVLinksUp)
	all, hasAll := d.Get(live.NVLinks)
	if hasUp && hasAll && all > 0 {
		out.Notes = append(out.Notes, b.l.T("live.rated.nvlinks", "", b.l.Number(up), b.l.Number(all)))
	}
	out.Text = b.traffic(d, live.NVLinkTx, live.NVLinkRx)
	for _, r := range rates {
		if r.Key == "nvlink" && (r.Metric == live.NVLinkTx || out.Share < 0) {
			out.Share = min(1, max(0, r.Share))
			rate := b.l.T("livepage.oneway", b.amount(r.Of, r.Unit))
			if r.Against == live.AgainstDerived {
				rate = b.l.T("livepage.derived", rate)
			}
			out.Notes = append([]string{rate}, out.Notes[:min(len(out.Notes), 1)]...)
			break
		}
	}
}

// pcie says what goes over PCIe, what link there is and what there could be.
func (b *liveBuilder) pcie(d *live.Device, out *liveCellData) {
	number := func(m live.Metric) float64 { v, _ := d.Get(m); return v }
	out.Text = b.traffic(d, live.PCIeTx, live.PCIeRx)
	now := b.link(number(live.PCIeGeneration), number(live.PCIeWidth))
	if now == "" {
		return
	}
	link := now
	if rate := live.PCIeRate(number(live.PCIeGeneration), number(live.PCIeWidth)); rate > 0 && out.Text != "" {
		out.Share = min(1, max(0, number(live.PCIeTx)/1e9/rate, number(live.PCIeRx)/1e9/rate))
		link += b.l.T("comma") + b.amount(rate, "GB/s")
	}
	if out.Text == "" {
		out.Text = link
	} else {
		out.Notes = append(out.Notes, link)
	}
	if most := b.link(number(live.PCIeMaxGeneration), number(live.PCIeMaxWidth)); most != "" && most != now {
		out.Notes = append(out.Notes, b.l.T("livepage.linkmost", most))
	}
}

// link is a PCIe link in words; "" when it is not known.
func (b *liveBuilder) link(generation, width float64) string {
	if generation < 1 || width < 1 {
		return ""
	}
	return b.l.T("livepage.link", b.l.Number(generation), b.l.Number(width))
}

// traffic is what goes out and comes in.
func (b *liveBuilder) traffic(d *live.Device, tx, rx live.Metric) string {
	out, sent := d.Get(tx)
	in, received := d.Get(rx)
	switch {
	case sent && received:
		return b.l.T("livepage.bothways", b.amount(out/1e9, ""), b.amount(in/1e9, "GB/s"))
	case sent:
		return b.l.T("livepage.sent", b.amount(out/1e9, "GB/s"))
	case received:
		return b.l.T("livepage.received", b.amount(in/1e9, "GB/s"))
	}
	return ""
}

// errors are counts, none of which is a share of anything.
func (b *liveBuilder) errors(d *live.Device, out *liveCellData) {
	if v, ok := d.Get(live.RemappedRows); ok {
		out.Notes = append(out.Notes, b.l.T("livepage.remapped", b.l.Number(v)))
	}
	if v, ok := d.Get(live.LastXID); ok && v > 0 {
		out.Notes = append(out.Notes, b.l.T("livepage.xid", b.l.Number(v)))
	} else if ok {
		out.Notes = append(out.Notes, b.l.T("livepage.noxid"))
	}
	if out.Text == "" && len(out.Notes) > 0 {
		out.Text, out.Notes = out.Notes[0], out.Notes[1:]
	}
}

// reading is a value as the table shows it; share is that of a bar, or -1.
func (b *liveBuilder) reading(m live.Metric, v float64) (text string, share float64) {
	switch m {
	case live.MemoryUsed:
		return b.amount(v/(1<<30), "GiB"), -1
	case live.Power:
		return b.amount(math.Round(v), "W"), -1
	case live.Temperature, live.MemoryTemperature:
		return b.amount(math.Round(v), "°C"), -1
	case live.SMClock, live.MemoryClock:
		return b.amount(math.Round(v), "MHz"), -1
	case live.NVLinkTx, live.NVLinkRx, live.PCIeTx, live.PCIeRx:
		return b.amount(v/1e9, "GB/s"), -1
	case live.ECCUncorrected:
		return b.l.T("livepage.ecc", b.l.Number(v)), -1
	}
	return b.share(v), min(1, max(0, v))
}

// beside is a reading that nothing is known to hold against.
func (b *liveBuilder) beside(m live.Metric, v float64) string {
	switch m {
	case live.MemoryTemperature, live.MemoryClock:
		text, _ := b.reading(m, v)
		return b.l.T("livepage.beside."+string(m), text)
	case live.MemoryTotal:
		return b.l.T("livepage.beside."+string(m), b.amount(v/(1<<30), "GiB"))
	}
	return ""
}

// rated says what a reading is held against.
func (b *liveBuilder) rated(r live.Rated) string {
	quantity := ""
	if q, ok := catalog.LookupQuantity(r.Quantity); ok {
		quantity = display.Pick(b.l, q.Label)
	}
	value, of := b.amount(r.Value, r.Unit), b.amount(r.Of, r.Unit)
	if r.Ceiling || r.Metric == live.MemoryUsed {
		value = strings.TrimSuffix(value, " "+r.Unit) // the unit follows
	}
	if key := "livepage.dense." + r.Quantity; r.Ceiling && b.l.Has(key) {
		of = b.l.T(key, b.amount(r.Of, ""))
	}
	text := b.l.T(r.Message(), b.share(r.Share), value, of, quantity)
	if r.Metric == live.MemoryClock {
		text = b.l.T("livepage.beside."+string(r.Metric), text)
	}
	if r.Against == live.AgainstDerived {
		text = b.l.T("livepage.derived", text)
	}
	return text
}

// share is a share in percent. What is more than nothing is not shown as nothing.
func (b *liveBuilder) share(v float64) string {
	const least = 0.001
	if v > 0 && v < least {
		return b.l.T("livepage.below", b.l.Percent(least))
	}
	return b.l.Percent(display.Significant(v, 2))
}

// amount is a number with three significant digits and its unit.
func (b *liveBuilder) amount(v float64, unit string) string {
	if unit == "GiB" && v > 0 && v < 1 {
		v, unit = v*1024, "MiB"
	}
	text := b.l.Number(display.Significant(v, 3))
	if math.Abs(v) >= 1000 {
		text = b.l.Number(math.Round(v))
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}
