package admin

import (
	"strconv"
	"time"

	"tianti/importer"
	"tianti/locale"
	"tianti/refresh"
	"tianti/web/site"
	"tianti/web/ui"
)

// tones are how outcomes look.
var tones = map[refresh.Outcome]string{
	refresh.Applied: "good", refresh.Drafted: "unsure", refresh.Held: "unsure", refresh.Failed: "bad",
}

// feeds lists the feeds that were looked at.
func (h *Handler) feeds(r *site.Request) ([]feedRow, error) {
	list, err := h.store.Feeds(r.Context())
	if err != nil || len(list) == 0 {
		return nil, err
	}
	drafts, err := h.store.Drafts(r.Context())
	if err != nil {
		return nil, err
	}
	ready := map[int64]bool{}
	for i := range drafts {
		ready[drafts[i].ID] = true
	}
	var rows []feedRow
	for i := range list {
		row := feedRowOf(r.Loc, &list[i], ready[list[i].Draft])
		if h.every > 0 {
			row.Next = clock(list[i].Checked.Add(h.every))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// feedRowOf is the row of a feed; waits: its draft is still to be looked at.
func feedRowOf(l *locale.Locale, rec *refresh.Record, waits bool) feedRow {
	result := &rec.Result
	row := feedRow{ID: rec.Feed, Address: rec.Address, Checked: clock(rec.Checked), Taken: clock(rec.Taken),
		Dataset: ui.Link{Label: rec.Dataset, Href: datasetPath(l, rec.Dataset)},
		Tone:    tones[result.Outcome], Outcome: l.T("feeds.outcome." + string(result.Outcome))}
	if result.Why != "" {
		row.Why = l.T("feeds.why." + string(result.Why))
		if result.Detail != "" {
			row.Why = l.T("feeds.because", row.Why, result.Detail)
		}
	}
	switch {
	case waits:
		id := strconv.FormatInt(rec.Draft, 10)
		row.Look = ui.Link{Label: l.T("feeds.draft", id), Href: l.Path("/admin/import/" + id)}
	case result.Revision != 0:
		id := strconv.FormatInt(result.Revision, 10)
		row.Look = ui.Link{Label: l.T("feeds.revision", id), Href: datasetPath(l, rec.Dataset) + "/revisions/" + id}
	}
	if rec.Dataset == importer.Builtin || rec.Taken.IsZero() { // there may be no such dataset
		row.Dataset.Href = l.Path("/admin/datasets")
	}
	return row
}

// everyText says how often feeds are looked at.
func everyText(l *locale.Locale, every time.Duration) string {
	switch {
	case every == 0:
		return l.T("feeds.manual")
	case every%time.Hour == 0:
		return l.T("feeds.everyhours", int(every/time.Hour))
	}
	return l.T("feeds.everyminutes", int(every/time.Minute))
}
