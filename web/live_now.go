package web

import (
	"tianti/advisor"
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
	b.fits(p, st, rooms)
}

// mostFits is how many rooms are asked for what fits.
const mostFits = 4

// emptyShare of the memory that a program can use is free on a card that is all but
// empty: drivers and contexts keep a little.
const emptyShare = 0.97

// fits asks the advisor what runs on cards that are all but empty: it reckons with
// whole cards, so those that are partly in use are left to the table above.
func (b *liveBuilder) fits(p *view.Live, st *state, rooms []live.Room) {
	if b.s.cfg.Advise == nil {
		return
	}
	adv, err := st.advisor()
	if err != nil {
		return // the table of free memory stays
	}
	for _, r := range rooms {
		c := adv.Card(b.snap.Card(r.Row).ID)
		if c == nil || !(float64(r.FreeBytes) >= emptyShare*c.Usable) || len(p.Fits) == mostFits {
			continue
		}
		sizes := &sizingBuilder{s: b.s, st: st, r: &request{loc: b.l}, l: b.l, a: adv}
		own := advisor.Owned{Card: c, Count: r.Count}
		group := view.LiveFits{Title: b.l.T("livepage.fitstitle", b.l.Count(r.Count), cardName(c), r.Host),
			Note: b.l.T("livepage.fitsroom", b.amount(float64(r.FreeBytes)/(1<<30), "GiB"))}
		fits := adv.WhatFits([]advisor.Owned{own}, advisor.Workload{}, nil)
		for i := range fits {
			if fits[i].Verdict == advisor.Fits {
				group.Rows = append(group.Rows, sizes.fit(&fits[i]))
			}
		}
		p.Fits = append(p.Fits, group)
	}
}
