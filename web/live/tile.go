package live

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tianti/live"
	"tianti/sorting"
	"tianti/web/ui"
)

// How much the page shows at first, so that it stays light.
const (
	mostTiles = 16 // of more devices only so many have a tile, those with a fault or warning first
	mostTable = 8  // of more devices there is no table until it is asked for
)

// The cells of a tile: with bars, and without.
var (
	tileBars  = []string{"memory", "power", "utilization", "tensor", "dram"}
	tileFacts = []string{"temperature", "clock"}
)

// activities are the columns that tell how busy a device is, best first.
var activities = []string{"tensor", "sm", "utilization", "power"}

// liveTile is what a device does at a glance.
type liveTile struct {
	liveDevice
	Sub    string // host and number
	Bars   []liveCellData
	Facts  []liveCellData
	Sparks []liveSpark
	rank   int // 0: a fault, 1: a warning, 2: neither
}

// liveSpark is a history with what it is of.
type liveSpark struct {
	Column, Caption string
	spark
}

// liveStrip is a row of the heat strip.
type liveStrip struct {
	UUID, Name, Sub, Mean string
	liveSpark
	Cells [strips]string // paths by level
	Alt   string
}

// tiles are those of the devices of a host, and their rows of the heat strip.
func (b *liveBuilder) tiles(h *live.Host, matched map[string]live.Matched) (tiles []liveTile, heat []liveStrip) {
	columns := columnsOfHost(h)
	devices := make([]*live.Device, len(h.Devices))
	for i := range h.Devices {
		devices[i] = &h.Devices[i]
	}
	slices.SortStableFunc(devices, func(x, y *live.Device) int { return x.Index - y.Index })
	for _, d := range devices {
		t := liveTile{
			liveDevice: b.device(h, d, matched[d.UUID], columns),
			rank:       2,
			Sub:        h.Name + " · " + b.l.T("livepage.device", strconv.Itoa(d.Index)),
		}
		for _, x := range t.Badges {
			if i := slices.Index([]string{"bad", "unsure"}, x.Tone); i >= 0 {
				t.rank = min(t.rank, i)
			}
		}
		if d.Problem == "" {
			t.Bars, t.Facts = b.cellsOf(t.liveDevice, tileBars), b.cellsOf(t.liveDevice, tileFacts)
			b.histories(&t, d)
		}
		if len(t.Sparks) > 0 {
			heat = append(heat, b.strip(&t))
		}
		tiles = append(tiles, t)
	}
	return tiles, heat
}

// cellsOf are cells of a device by column; one that its host does not have is without a reading.
func (b *liveBuilder) cellsOf(d liveDevice, ids []string) []liveCellData {
	out := make([]liveCellData, len(ids))
	for i, id := range ids {
		out[i] = liveCellData{Column: id, Label: b.l.T("livepage.column." + id), Share: -1}
		for _, g := range d.Groups {
			for _, c := range g.Cells {
				if c.Column == id {
					out[i] = c
				}
			}
		}
	}
	return out
}

// histories adds how busy the device was, and its power.
func (b *liveBuilder) histories(t *liveTile, d *live.Device) {
	if b.s.hub == nil {
		return
	}
	for _, id := range activities {
		if len(t.Sparks) == 1 && id != "power" {
			continue
		}
		c := liveColumns[slices.IndexFunc(liveColumns, func(c liveColumn) bool { return c.id == id })]
		if _, ok := d.Get(c.shown); !ok {
			continue
		}
		s := sparkOf(b.s.hub, d, c.shown)
		if s == nil {
			continue
		}
		top, _ := b.reading(c.shown, s.Most)
		caption := b.l.T("livepage.sparkcaption", b.l.T("livepage.column."+id), top)
		t.Sparks = append(t.Sparks, liveSpark{Column: id, Caption: caption, spark: *s})
	}
}

// span is the length of histories in words.
func (b *liveBuilder) span() string {
	return b.ago(time.Duration(live.HistoryPoints) * b.s.hub.Step())
}

// strips is the number of levels of the heat strip: a fifth of the most each.
const strips = 5

// strip is the row of a device: its first history.
func (b *liveBuilder) strip(t *liveTile) liveStrip {
	s := t.Sparks[0]
	out := liveStrip{
		UUID:      t.UUID,
		Name:      t.Sub,
		Sub:       t.label() + " · " + b.l.T("livepage.column."+s.Column),
		liveSpark: s,
	}
	sum, most, n := 0.0, 0.0, 0
	for slot, v := range s.Means {
		if v != v {
			continue
		}
		share := min(1, max(0, v/s.Most))
		sum, most, n = sum+share, max(most, share), n+1
		level := min(strips-1, int(share*strips))
		out.Cells[level] += "M" + strconv.Itoa(slot) + " 0h.92v1h-.92z"
	}
	out.Mean = "—"
	if n > 0 {
		mean := b.l.Percent(math.Round(sum/float64(n)*100) / 100)
		out.Mean, out.Alt = mean, b.l.T("livepage.heatalt", mean, b.l.Percent(math.Round(most*100)/100))
	}
	return out
}

// label is the name of the card, or what the driver says.
func (d liveDevice) label() string {
	if d.Card != nil {
		return d.Card.Label
	}
	return d.Name
}

// means are the means of a history as shares of the most, in percent; a gap is empty.
func (s spark) means() string {
	out := make([]string, len(s.Means))
	for i, v := range s.Means {
		if v == v {
			out[i] = strconv.FormatFloat(math.Round(v/s.Most*1000)/10, 'f', -1, 64)
		}
	}
	return strings.Join(out, ",")
}

// viewBox is that of a history.
func (s spark) viewBox() string { return fmt.Sprintf("0 -1 %d %d", sparkSlots, sparkHeight+2) }

// fold keeps as many tiles as the page shows at first.
func (p *liveData) fold(q params, b *liveBuilder) {
	all := len(p.Tiles)
	p.Table = q.show == "all" || q.sort != "" || all <= mostTable
	q.show = "all"
	more := ui.Link{Href: b.address(q)}
	if all > mostTiles && b.q.show != "all" {
		sorting.Func(p.Tiles, func(x, y liveTile) int { return x.rank - y.rank })
		p.Tiles = p.Tiles[:mostTiles]
		more.Note = b.l.T("livepage.folded", mostTiles, all)
	}
	if !p.Table {
		more.Label = b.l.T("livepage.showall", all)
		p.More = more
	} else if more.Note != "" {
		more.Label = b.l.T("livepage.showtiles", all)
		p.More = more
	}
}
