package live

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/live"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// Here is what the devices of a view are, by card.
type Here struct {
	v     live.View
	cards map[int][]*live.Device
}

// DevicesHere reports whether there are devices that pages of cards tell of. Such
// pages are of the moment; without devices they are kept as all others.
func (h *Handler) DevicesHere() bool {
	return h.hub != nil && h.hub.Devices() > 0
}

// Here finds the cards of the catalogue that are here; nil when none is. Pages about
// something else have no patience: they show what was read last, and that somebody
// looks makes the hub read again.
func (s *Handler) Here(ctx context.Context, snap *catalog.Snapshot, patience time.Duration) *Here {
	if s.hub == nil {
		return nil
	}
	h := &Here{v: s.LiveView(ctx, patience), cards: map[int][]*live.Device{}}
	matched := live.MatchFrame(snap, &h.v.Frame)
	for i := range h.v.Frame.Hosts {
		devices := h.v.Frame.Hosts[i].Devices
		for j := range devices {
			if m := matched[devices[j].UUID]; m.OK() && !m.Partial {
				h.cards[m.Row] = append(h.cards[m.Row], &devices[j])
			}
		}
	}
	if h.v.Frame.Devices() == 0 {
		return nil
	}
	return h
}

// OfHere marks an answer that tells of devices, or would if there were any.
func (s *Handler) OfHere(a site.Answer, h *Here) site.Answer {
	a.Here = s.hub != nil
	if h != nil {
		return ofNow(a)
	}
	return a
}

// Badge says how many devices of a card are here and what they do together; "" when
// none is.
func (h *Here) Badge(l *locale.Locale, row int) string {
	if h == nil || len(h.cards[row]) == 0 {
		return ""
	}
	parts := []string{l.T("livepage.here", len(h.cards[row]))}
	if h.v.State != live.OK {
		return parts[0]
	}
	b := liveBuilder{l: l}
	used, hasUsed := h.sum(row, live.MemoryUsed)
	total, hasTotal := h.sum(row, live.MemoryTotal)
	if hasUsed && hasTotal && total > 0 {
		parts = append(parts, l.T("livepage.usedof", l.Percent(display.Significant(used/total, 2))))
	}
	if power, ok := h.sum(row, live.Power); ok {
		parts = append(parts, b.amount(power, "W"))
	}
	if id, share := h.busiest(row); id != "" {
		parts = append(parts, l.T("livepage.busiest", l.T("livepage.column."+id),
			l.Percent(display.Significant(share, 2))))
	}
	return strings.Join(parts, " · ")
}

// sum is that of a metric over the devices of a card; false when one lacks it.
func (h *Here) sum(row int, m live.Metric) (sum float64, ok bool) {
	for _, d := range h.cards[row] {
		if d.Problem != "" {
			continue
		}
		v, has := d.Get(m)
		if !has {
			return 0, false
		}
		sum, ok = sum+v, true
	}
	return sum, ok
}

// pipes are what may be the busiest part of a device.
var pipes = []string{"tensor", "fp16", "fp32", "fp64", "dram"}

// busiest is the pipe that is busiest on any device of a card.
func (h *Here) busiest(row int) (id string, share float64) {
	for _, c := range liveColumns {
		for _, d := range h.cards[row] {
			if v, ok := d.Get(c.shown); ok && v > share && slices.Contains(pipes, c.id) {
				id, share = c.id, v
			}
		}
	}
	return id, share
}

// HereFilter reads the parameter live=here and returns the others.
func HereFilter(values url.Values) (rest url.Values, asked bool, errs []catalog.ParamError) {
	given, has := values["live"]
	if !has {
		return values, false, nil
	}
	rest = site.WithoutParams(values, "live")
	switch value := strings.Join(given, ","); value {
	case "":
		return rest, false, nil
	case "here":
		return rest, true, nil
	default:
		return rest, false, []catalog.ParamError{{Param: "live", Value: catalog.Clip(value), Code: catalog.UnknownValue,
			Allowed: "here"}}
	}
}

// Keep is the choice of the cards that are here among those of another, which may be nil.
func (h *Here) Keep(cards int, other *catalog.Keep) *catalog.Keep {
	out := &catalog.Keep{Params: "live=here", Rows: make([]bool, cards)}
	if other != nil && other.Params != "" {
		out.Params = other.Params + "&" + out.Params
	}
	if h == nil {
		return out
	}
	for row := range h.cards {
		out.Rows[row] = other == nil || other.Rows[row]
	}
	return out
}

// Link is the badge of a card's page.
func (h *Here) Link(l *locale.Locale, row int) *ui.Link {
	text := h.Badge(l, row)
	if text == "" {
		return nil
	}
	return &ui.Link{Label: text, Href: l.Path("/live")}
}

// OfMoment makes the answers of a plan such that nobody keeps them.
func OfMoment(render func() (site.Answer, error)) func() (site.Answer, error) {
	if render == nil {
		return nil
	}
	return func() (site.Answer, error) {
		a, err := render()
		return ofNow(a), err
	}
}
