package live

import (
	"strconv"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/live"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// liveBuilder puts a view into words.
type liveBuilder struct {
	s    *Handler
	snap *catalog.Snapshot
	l    *locale.Locale
	v    *live.View
	q    params
}

// host is the table of a host.
func (b *liveBuilder) host(i int, h *live.Host, matched map[string]live.Matched) liveHostData {
	out := liveHostData{ID: "host-" + strconv.Itoa(i), Name: h.Name}
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
	out.Groups = b.groups(columns)
	devices := make([]*live.Device, len(h.Devices))
	for i := range h.Devices {
		devices[i] = &h.Devices[i]
	}
	b.order(devices)
	for _, d := range devices {
		out.Devices = append(out.Devices, b.device(h, d, matched[d.UUID], columns))
	}
	return out
}

func (b *liveBuilder) device(h *live.Host, d *live.Device, m live.Matched, columns []liveColumn) liveDevice {
	l := b.l
	out := liveDevice{
		UUID:  d.UUID,
		Name:  d.Name,
		Index: strconv.Itoa(d.Index),
		Bus:   d.Bus,
		Match: l.T(m.Confidence.Message()),
		Part:  d.Kind == live.Slice,
	}
	if m.OK() {
		link := display.CardLink(b.snap, l, m.Row)
		out.Card = &link
		if m.Partial {
			out.Match = l.T("livepage.partof") + l.T("comma") + out.Match
		}
	}
	for _, row := range m.Candidates {
		out.Candidates = append(out.Candidates, display.CardLink(b.snap, l, row))
	}
	out.Badges = b.badges(h, d, m)
	rates := live.Rate(b.snap, m, d)
	for i, c := range columns {
		if i == 0 || c.group != columns[i-1].group {
			out.Groups = append(out.Groups, liveCells{ID: c.group})
		}
		if d.Problem != "" {
			continue // there are no readings, and why is said beside the name
		}
		last := &out.Groups[len(out.Groups)-1]
		last.Cells = append(last.Cells, b.cell(h, d, c, rates))
	}
	return out
}

// severities are the tones of badges.
var severities = map[live.Severity]string{live.Fault: "bad", live.Warning: "unsure", live.Info: "dim"}

func (b *liveBuilder) badges(h *live.Host, d *live.Device, m live.Matched) []ui.ExportWord {
	var out []ui.ExportWord
	for _, x := range live.Badges(b.snap, m, d, b.v.Moment(h)) {
		if x.Key == "unknown" || x.Key == "ambiguous" {
			continue // the match beside it says so
		}
		args := make([]any, len(x.Args))
		for i, a := range x.Args {
			args[i] = b.arg(a)
		}
		out = append(out, ui.ExportWord{Text: b.l.T(x.Message(), args...), Tone: severities[x.Severity]})
	}
	for _, t := range d.Throttle {
		if t == live.ThrottleApplicationClock || t == live.ThrottleSyncBoost || t == live.ThrottleDisplay {
			out = append(out, ui.ExportWord{Text: b.l.T("livepage.throttle." + string(t)), Tone: "dim"})
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

// status says how far the page may be trusted.
func (b *liveBuilder) status() liveStatusData {
	l, v := b.l, b.v
	out := liveStatusData{State: string(v.State), Detail: v.Detail}
	if b.s != nil && b.q.sort != "" {
		out.Order = l.T("livepage.order")
	}
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
