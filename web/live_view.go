package web

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/live"
	"tianti/locale"
	"tianti/web/view"
)

func paramsEncoded(name, value string) string { return url.Values{name: {value}}.Encode() }

// liveBuilder puts a view into words.
type liveBuilder struct {
	s    *Server
	snap *catalog.Snapshot
	l    *locale.Locale
	v    *live.View
	q    liveQuestion
}

// A liveColumn is a column of the live table.
type liveColumn struct {
	id     string
	shown  live.Metric   // whose value the cell shows, and whose history
	others []live.Metric // that the cell tells of as well
	method string        // key of the explanation
}

// liveColumns in the order of the table. One that no device of a host has is left out.
var liveColumns = []liveColumn{
	{id: "memory", shown: live.MemoryUsed, others: []live.Metric{live.MemoryTotal}, method: "memory"},
	{id: "power", shown: live.Power, others: []live.Metric{live.PowerLimit}, method: "power"},
	{id: "temperature", shown: live.Temperature, others: []live.Metric{live.MemoryTemperature}},
	{id: "clock", shown: live.SMClock, others: []live.Metric{live.MemoryClock}, method: "power"},
	{id: "utilization", shown: live.GPUUtilization, method: "utilization"},
	{id: "sm", shown: live.SMActive, method: "activity"},
	{id: "occupancy", shown: live.SMOccupancy, method: "activity"},
	{id: "tensor", shown: live.TensorActive, method: "activity"},
	{id: "fp16", shown: live.FP16Active, method: "activity"},
	{id: "fp32", shown: live.FP32Active, method: "activity"},
	{id: "fp64", shown: live.FP64Active, method: "activity"},
	{id: "dram", shown: live.DRAMActive, method: "activity"},
	{id: "nvlink", shown: live.NVLinkTx, others: []live.Metric{live.NVLinkRx, live.NVLinksUp}, method: "links"},
	{id: "pcie", shown: live.PCIeTx, others: []live.Metric{live.PCIeRx, live.PCIeGeneration, live.PCIeWidth}, method: "links"},
	{id: "errors", shown: live.ECCUncorrected, others: []live.Metric{live.RemappedRows, live.LastXID}},
}

// metrics are all that the column tells of.
func (c liveColumn) metrics() []live.Metric { return append([]live.Metric{c.shown}, c.others...) }

// of reports whether a device has anything for the column.
func (c liveColumn) of(d *live.Device) bool {
	for _, m := range c.metrics() {
		if _, ok := d.Get(m); ok && m != live.MemoryTotal && m != live.PowerLimit {
			return true
		}
	}
	return false
}

// rank is what the column sorts a device by.
func (c liveColumn) rank(d *live.Device) (float64, bool) { return d.Get(c.shown) }

// host is the table of a host.
func (b *liveBuilder) host(i int, h *live.Host, matched map[string]live.Matched, sparks bool) view.LiveHost {
	out := view.LiveHost{ID: "host-" + strconv.Itoa(i), Name: h.Name}
	var sub []string
	if h.Driver != "" {
		sub = append(sub, b.l.T("livepage.driver", h.Driver))
	}
	if h.Runtime != "" {
		sub = append(sub, h.Runtime)
	}
	if h.Every > 1 {
		sub = append(sub, b.l.T("livepage.every", b.l.Number(h.Every)))
	}
	out.Sub = strings.Join(sub, " · ")
	columns := columnsOfHost(h)
	out.Name0 = b.column("name", "match")
	for _, c := range columns {
		out.Columns = append(out.Columns, b.column(c.id, c.method))
	}
	devices := make([]*live.Device, len(h.Devices))
	for i := range h.Devices {
		devices[i] = &h.Devices[i]
	}
	b.order(devices)
	for _, d := range devices {
		out.Devices = append(out.Devices, b.device(h, d, matched[d.UUID], columns, sparks))
	}
	return out
}

// columnsOfHost are the columns that some device of a host has.
func columnsOfHost(h *live.Host) []liveColumn {
	var out []liveColumn
	for _, c := range liveColumns {
		for i := range h.Devices {
			if c.of(&h.Devices[i]) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// column is the head of a column: it sorts by it, highest first, then lowest first,
// then as before.
func (b *liveBuilder) column(id, method string) view.LiveColumn {
	c := view.LiveColumn{ID: id, Label: b.l.T("livepage.column." + id)}
	if method != "" {
		c.Method, c.MethodTitle = "#live-"+method, b.l.T("livepage.explain", c.Label)
	}
	q := b.q
	switch first := id != "name"; {
	case q.sort != id:
		q.sort, q.down = id, first
	case q.down == first:
		c.Sort = sortOf(q.down)
		q.down = !first
	default:
		c.Sort = sortOf(q.down)
		q.sort, q.down = "", false
	}
	c.SortURL = b.address(q)
	return c
}

func sortOf(down bool) view.Sort {
	if down {
		return view.Descending
	}
	return view.Ascending
}

func (b *liveBuilder) device(h *live.Host, d *live.Device, m live.Matched, columns []liveColumn, sparks bool) view.LiveDevice {
	l := b.l
	out := view.LiveDevice{UUID: d.UUID, Name: d.Name, Index: strconv.Itoa(d.Index), Bus: d.Bus, Match: l.T(m.Confidence.Message()), Part: d.Kind == live.Slice}
	if m.OK() {
		link := cardLink(b.snap, l, m.Row)
		out.Card = &link
		if m.Partial {
			out.Match = l.T("livepage.partof") + l.T("comma") + out.Match
		}
	}
	for _, row := range m.Candidates {
		out.Candidates = append(out.Candidates, cardLink(b.snap, l, row))
	}
	out.Badges = b.badges(h, d, m)
	rates := live.Rate(b.snap, m, d)
	for _, c := range columns {
		out.Cells = append(out.Cells, b.cell(h, d, c, rates, sparks))
	}
	return out
}

// severities are the tones of badges.
var severities = map[live.Severity]string{live.Fault: "bad", live.Warning: "unsure", live.Info: "dim"}

func (b *liveBuilder) badges(h *live.Host, d *live.Device, m live.Matched) []view.ExportWord {
	var out []view.ExportWord
	for _, x := range live.Badges(b.snap, m, d, b.v.Moment(h)) {
		if x.Key == "unknown" || x.Key == "ambiguous" {
			continue // the match beside it says so
		}
		args := make([]any, len(x.Args))
		for i, a := range x.Args {
			args[i] = b.arg(a)
		}
		out = append(out, view.ExportWord{Text: b.l.T(x.Message(), args...), Tone: severities[x.Severity]})
	}
	for _, t := range d.Throttle {
		if t == live.ThrottleApplicationClock || t == live.ThrottleSyncBoost || t == live.ThrottleDisplay {
			out = append(out, view.ExportWord{Text: b.l.T("livepage.throttle." + string(t)), Tone: "dim"})
		}
	}
	return out
}

func (b *liveBuilder) arg(a live.Arg) string {
	if a.Text != "" {
		return a.Text
	}
	if a.Unit == "s" {
		return b.ago(time.Duration(a.Number * float64(time.Second)))
	}
	return b.amount(a.Number, a.Unit)
}

// amount is a number with three significant digits and its unit.
func (b *liveBuilder) amount(v float64, unit string) string {
	text := b.l.Number(significant(v, 3))
	if math.Abs(v) >= 1000 {
		text = b.l.Number(math.Round(v))
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// ago is a length of time in words.
func (b *liveBuilder) ago(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case s < 120:
		return b.l.T("livepage.seconds", s)
	case s < 2*60*60:
		return b.l.T("livepage.minutes", s/60)
	default:
		return b.l.T("livepage.hours", s/3600)
	}
}

// cell is what a device tells for a column.
func (b *liveBuilder) cell(h *live.Host, d *live.Device, c liveColumn, rates []live.Rated, sparks bool) view.LiveCell {
	out := view.LiveCell{Column: c.id, Share: -1}
	r, ok := d.Readings[c.shown]
	if ok {
		out.Text, out.Share = b.reading(c.shown, r.Value)
		out.Old = b.v.IsStale(h, r)
	}
	for _, m := range c.metrics() {
		said := false
		for _, rated := range rates {
			if rated.Metric != m || rated.Key == "clock-max" && said || redundant(rated, d) {
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
	if c.id == "memory" && ok && out.Share >= 0 {
		out.Text = b.l.Percent(significant(out.Share, 2))
	}
	if c.id == "errors" {
		b.errors(d, &out)
	}
	if b.s.cfg.Live != nil && ok && sparks {
		out.Spark = sparkOf(b.s.cfg.Live, d, c.shown)
	}
	return out
}

// redundant reports whether what a reading is held against is said by another note:
// a limit that is the rating.
func redundant(r live.Rated, d *live.Device) bool {
	limit, ok := d.Get(live.PowerLimit)
	same := ok && math.Abs(limit-r.Of) < 0.5
	return same && (r.Key == "power-rated" || r.Key == "limit-rated") || r.Key == "clock-max" && r.Share == 1
}

// errors are counts, none of which is a share of anything.
func (b *liveBuilder) errors(d *live.Device, out *view.LiveCell) {
	out.Notes = nil
	if v, ok := d.Get(live.RemappedRows); ok {
		out.Notes = append(out.Notes, b.l.T("livepage.remapped", b.l.Number(v)))
	}
	if v, ok := d.Get(live.LastXID); ok && v > 0 {
		out.Notes = append(out.Notes, b.l.T("livepage.xid", b.l.Number(v)))
	} else if ok {
		out.Notes = append(out.Notes, b.l.T("livepage.noxid"))
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
		return b.amount(math.Round(v), "°C"), min(1, max(0, v/100))
	case live.SMClock, live.MemoryClock:
		return b.amount(math.Round(v), "MHz"), -1
	case live.NVLinkTx, live.NVLinkRx, live.PCIeTx, live.PCIeRx:
		return b.amount(v/1e9, "GB/s"), -1
	case live.ECCUncorrected:
		return b.l.T("livepage.ecc", b.l.Number(v)), -1
	}
	return b.l.Percent(significant(v, 2)), min(1, max(0, v))
}

// beside is a reading that nothing is known to hold against.
func (b *liveBuilder) beside(m live.Metric, v float64) string {
	switch m {
	case live.MemoryTemperature, live.MemoryClock, live.NVLinkRx, live.PCIeRx:
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
		quantity = pick(b.l, q.Label)
	}
	text := b.l.T(r.Message(), b.l.Percent(significant(r.Share, 2)), b.amount(r.Value, r.Unit), b.amount(r.Of, r.Unit), quantity)
	switch {
	case r.Metric == live.MemoryClock:
		text = b.l.T("livepage.beside."+string(r.Metric), text)
	case r.Metric == live.NVLinkTx || r.Metric == live.PCIeTx:
		text = b.l.T("livepage.sent", text)
	case r.Metric == live.NVLinkRx || r.Metric == live.PCIeRx:
		text = b.l.T("livepage.received", text)
	}
	if r.Against == live.AgainstDerived {
		text = b.l.T("livepage.derived", text)
	}
	return text
}

// status says how far the page may be trusted.
func (b *liveBuilder) status() view.LiveStatus {
	l, v := b.l, b.v
	out := view.LiveStatus{State: string(v.State), Detail: v.Detail}
	if !v.Frame.Taken.IsZero() {
		out.Taken, out.Age = v.Frame.Taken.UTC().Format(time.RFC3339), b.ago(v.Age)
	}
	if key := "live.reason." + v.Reason; v.Reason != "" && l.Has(key+".text") {
		out.Reason = l.T(key + ".text")
		if l.Has(key + ".todo") {
			out.Todo = l.T(key + ".todo")
		}
	} else if v.Reason != "" {
		out.Reason = l.T("livepage.otherreason", v.Reason)
	}
	if v.Frame.Source != "" {
		out.Source = l.T("livepage.source", v.Frame.Source)
	}
	return out
}
