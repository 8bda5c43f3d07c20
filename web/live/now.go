package live

import (
	"slices"

	"tianti/live"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/site"
	"tianti/web/ui"
)

// now fills in which cards are idle and how much memory is free.
func (b *liveBuilder) now(p *liveData, st *site.State) {
	for _, m := range live.Models(b.snap, &b.v.Frame) {
		row := liveModel{
			Model:   ui.Link{Label: m.Name},
			Devices: b.l.Count(m.Devices),
			Idle:    b.l.Count(m.Idle),
			Unknown: b.l.Count(m.Unknown),
		}
		if m.Row >= 0 {
			row.Model = display.CardLink(b.snap, b.l, m.Row)
		}
		p.Models = append(p.Models, row)
	}
	rooms, without := live.FreeRoom(b.snap, &b.v.Frame)
	if without > 0 {
		p.Without = b.l.T("livepage.without", without)
	}
	for _, r := range rooms {
		p.Room = append(
			p.Room,
			liveRoomData{Host: r.Host, Card: display.CardLink(b.snap, b.l, r.Row), Each: b.l.Count(r.Count),
				Free: b.l.T("livepage.atleast", b.amount(float64(r.FreeBytes)/(1<<30), "GiB"))},
		)
	}
	if p.Table {
		b.fits(p, st, rooms) // else it is folded away with the table
	}
}

// mostFits is how many rooms are asked for what fits.
const mostFits = 4

// emptyShare of the memory that a program can use is free on a card that is all but
// empty: drivers and contexts keep a little.
const emptyShare = 0.97

// leastRoom is the free memory below which no model of any use fits, in bytes.
const leastRoom = 2 << 30

// fits asks the advisor what runs in the memory that is free: on cards that are all
// but empty, and beside what others run. How fast that would be is not said there; the
// estimates that rows lead to show the same need on an empty card.
func (b *liveBuilder) fits(p *liveData, st *site.State, rooms []live.Room) {
	if b.s.site.NewEstimator == nil {
		return
	}
	adv, err := st.Estimator()
	if err != nil {
		return // the table of free memory stays
	}
	for i, r := range rooms {
		c := adv.Card(b.snap.Card(r.Row).ID)
		if c == nil || r.FreeBytes < leastRoom || len(p.Fits) == mostFits || moreAlike(r, rooms[i+1:]) {
			continue
		}
		free := b.amount(float64(r.FreeBytes)/(1<<30), "GiB")
		group := liveFits{
			Title: b.l.T("livepage.fitstitle", b.l.Count(r.Count), job.CardName(c), r.Host),
			Note:  b.l.T("livepage.fitsroom", free),
		}
		own := sizing.Owned{Card: c, Count: r.Count}
		if float64(r.FreeBytes) < emptyShare*c.Usable {
			own.Card = c.WithFree(float64(r.FreeBytes))
			group.Note = b.l.T("livepage.fitspart", free, b.amount(c.Usable/(1<<30), "GiB"))
		}
		group.Rows = b.fitting(adv, own)
		p.Fits = append(p.Fits, group)
	}
}

// moreAlike reports whether a later room has more of the same cards with hardly less
// memory free, so that this one need not be told of.
func moreAlike(r live.Room, later []live.Room) bool {
	return slices.ContainsFunc(later, func(x live.Room) bool {
		return x.Host == r.Host && x.Row == r.Row && float64(x.FreeBytes) >= emptyShare*float64(r.FreeBytes)
	})
}

// fitting are the jobs that fit for certain.
func (b *liveBuilder) fitting(adv *sizing.Estimator, own sizing.Owned) []job.FitRow {
	sizes := &job.Builder{L: b.l, A: adv}
	var rows []job.FitRow
	fits := adv.WhatFits([]sizing.Owned{own}, sizing.Workload{}, nil)
	for i := range fits {
		if fits[i].Verdict == sizing.Fits {
			rows = append(rows, sizes.Fit(&fits[i]))
		}
	}
	return rows
}
