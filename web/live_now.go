package web

import (
	"tianti/live"
	"tianti/web/view"
)

// now fills in which cards are idle and how much memory is free.
func (b *liveBuilder) now(p *view.Live, st *state) {
	for _, m := range live.Models(b.snap, &b.v.Frame) {
		row := view.LiveModel{Model: view.Link{Label: m.Name}, Devices: b.l.Count(m.Devices), Idle: b.l.Count(m.Idle), Unknown: b.l.Count(m.Unknown)}
		if m.Row >= 0 {
			row.Model = cardLink(b.snap, b.l, m.Row)
		}
		p.Models = append(p.Models, row)
	}
	rooms, without := live.FreeRoom(b.snap, &b.v.Frame)
	p.RoomNote = b.l.T("livepage.fitsnote", without)
	for _, r := range rooms {
		p.Room = append(p.Room, view.LiveRoom{Host: r.Host, Card: cardLink(b.snap, b.l, r.Row), Each: b.l.Count(r.Count),
			Free: b.l.T("livepage.atleast", b.amount(float64(r.FreeBytes)/(1<<30), "GiB"))})
	}
	_ = st
}
