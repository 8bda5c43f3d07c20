package admin

import (
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"tianti/audit"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

func datasetPath(l *locale.Locale, id string) string { return l.Path("/admin/datasets/" + id) }

// datasets answers GET /admin/datasets.
func (h *Handler) datasets(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	return h.showDatasets(w, r, st, http.StatusOK, "")
}

func (h *Handler) showDatasets(
	w http.ResponseWriter, r *site.Request, st *site.State, status int, problem string,
) error {
	l := r.Loc
	v := datasets{Layout: h.session.AdminLayout(r, st, l.T("datasets.title")), Crumbs: adminCrumbs(l), Problem: problem}
	list, err := h.store.Datasets(r.Context())
	if err != nil {
		return err
	}
	for _, d := range list {
		row, err := h.datasetRow(r, &d)
		if err != nil {
			return err
		}
		v.Rows = append(v.Rows, row)
	}
	if v.Offer, err = h.offer(r); err != nil {
		return err
	}
	if v.Feeds, err = h.feeds(r); err != nil {
		return err
	}
	v.Every = everyText(l, h.every)
	return h.session.Show(w, r, status, v.Page())
}

func (h *Handler) datasetRow(r *site.Request, d *importer.Dataset) (datasetState, error) {
	l := r.Loc
	row := datasetState{Name: ui.Link{Label: display.Pick(l, d.Title), Href: datasetPath(l, d.ID)}, ID: d.ID,
		Rank: strconv.Itoa(d.Rank), RankURL: datasetPath(l, d.ID) + "/rank"}
	if row.Name.Label == "" {
		row.Name.Label = d.ID
	}
	if d.Active == 0 {
		return row, nil
	}
	row.Active = strconv.FormatInt(d.Active, 10)
	revisions, err := h.store.Revisions(r.Context(), d.ID)
	for _, rev := range revisions {
		if rev.Active {
			row.Holds, row.Updated = contents(l, rev.Cards, rev.Figures, rev.Prices, rev.Rates), clock(rev.Created)
		}
	}
	return row, err
}

// offer is the preview of newer built-in data, if there is one.
func (h *Handler) offer(r *site.Request) (*draftRowData, error) {
	drafts, err := h.store.Drafts(r.Context())
	for i := range drafts {
		if d := &drafts[i]; d.Options.Dataset == importer.Builtin && d.By.Channel == audit.ByProgram {
			row := draftRow(r.Loc, d)
			return &row, nil
		}
	}
	return nil, err
}

// findDataset is the dataset in the address.
func (h *Handler) findDataset(r *site.Request) (importer.Dataset, error) {
	id := r.PathValue("dataset")
	list, err := h.store.Datasets(r.Context())
	if err != nil {
		return importer.Dataset{}, err
	}
	for _, d := range list {
		if d.ID == id {
			return d, nil
		}
	}
	return importer.Dataset{}, fmt.Errorf("dataset %q: %w", id, fs.ErrNotExist)
}

// dataset answers GET /admin/datasets/{dataset}.
func (h *Handler) dataset(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	if err := r.Only("done", "page"); err != nil {
		return err
	}
	page, err := pageNumber(r)
	if err != nil {
		return err
	}
	d, err := h.findDataset(r)
	if err != nil {
		return asProblem(err)
	}
	revisions, err := h.store.Revisions(r.Context(), d.ID)
	if err != nil {
		return err
	}
	l := r.Loc
	v := datasetPage{ID: d.ID, Name: display.Pick(l, d.Title), Base: datasetPath(l, d.ID), CanOff: d.Active != 0,
		Crumbs: append(adminCrumbs(l), ui.Link{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")})}
	if v.Name == "" {
		v.Name = d.ID
	}
	v.Layout = h.session.AdminLayout(r, st, v.Name)
	from, to := pageOf(len(revisions), revisionsAtOnce, page)
	for _, rev := range revisions[from:to] {
		v.Revisions = append(v.Revisions, revisionRow(l, &rev))
	}
	v.Pager = adminPager(l, page, len(revisions), revisionsAtOnce, func(n int) string {
		return v.Base + "?" + site.ParamsEncoded("page", strconv.Itoa(n))
	})
	if v.Done, v.Undo, err = h.done(r, &d); err != nil {
		return err
	}
	return h.session.Show(w, r, http.StatusOK, v.Page())
}

// revisionsAtOnce is how many revisions a page lists: each correction is one.
const revisionsAtOnce = 100

func revisionRow(l *locale.Locale, rev *importer.Revision) revisionRowData {
	number := strconv.FormatInt(rev.Number, 10)
	row := revisionRowData{Number: number, When: clock(rev.Created), By: rev.Author, Note: rev.Note, SHA: rev.SHA256,
		Active: rev.Active, File: ui.Link{Label: rev.File}, Holds: contents(l, rev.Cards, rev.Figures, rev.Prices,
			rev.Rates),
		Changes: ui.Link{Href: datasetPath(l, rev.Dataset) + "/revisions/" + number}}
	if rev.HasFile {
		row.File.Href = "/api/v1/datasets/" + rev.Dataset + "/revisions/" + number + "/file"
	}
	return row
}

// done says what has just been done, and how to take it back: to what was active before.
func (h *Handler) done(r *site.Request, d *importer.Dataset) (string, *undoForm, error) {
	l, what := r.Loc, r.Values.Get("done")
	switch {
	case what == "ranked":
		return l.T("datasets.done.ranked"), nil, nil
	case what == "off" && d.Active == 0:
		return l.T("datasets.done.off"), nil, nil
	case what == "activated" && d.Active != 0:
		return l.T("datasets.done.activated", strconv.FormatInt(d.Active, 10)), nil, nil
	case what != "applied" || d.Active == 0:
		return "", nil, nil
	}
	applied, err := h.store.Draft(r.Context(), d.Active)
	if err != nil {
		return "", nil, err
	}
	before := strconv.FormatInt(applied.Base, 10)
	undo := &undoForm{To: before, Label: l.T("datasets.undo", before)}
	if applied.Base == 0 {
		undo.Label = l.T("datasets.undonone")
	}
	return l.T("datasets.done.applied", strconv.FormatInt(d.Active, 10)), undo, nil
}

// revision answers GET /admin/datasets/{dataset}/revisions/{id}: what it changed.
func (h *Handler) revision(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	if err := r.Only("kind", "q", "page"); err != nil {
		return err
	}
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	p, err := h.store.Draft(r.Context(), id)
	if err == nil && (p.Options.Dataset != r.PathValue("dataset") || p.State != importer.Applied) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return asProblem(err)
	}
	return h.showDraft(w, r, st, id, http.StatusOK, nil)
}

// activate answers POST /admin/datasets/{dataset}/activate.
func (h *Handler) activate(w http.ResponseWriter, r *site.Request) error {
	by := audit.ActorOf(r.Context())
	d, err := h.findDataset(r)
	if err != nil {
		return asProblem(err)
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	to, err := strconv.ParseInt(r.PostFormValue("revision"), 10, 64)
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "revision: want the number of a revision, or 0 for none.")
	}
	if err := h.store.Activate(r.Context(), d.ID, to, by); err != nil {
		return asProblem(err)
	}
	h.changed()
	what := "activated"
	if to == 0 {
		what = "off"
	}
	http.Redirect(w, r.Request, datasetPath(r.Loc, d.ID)+"?done="+what, http.StatusSeeOther)
	return nil
}

// rank answers POST /admin/datasets/{dataset}/rank.
func (h *Handler) rank(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	by := audit.ActorOf(r.Context())
	d, err := h.findDataset(r)
	if err != nil {
		return asProblem(err)
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(r.PostFormValue("rank")))
	if err != nil || n < -importer.MaxRank || n > importer.MaxRank {
		return h.showDatasets(w, r, st, http.StatusUnprocessableEntity, r.Loc.T("datasets.badrank"))
	}
	if err := h.store.SetRank(r.Context(), d.ID, n, by); err != nil {
		return asProblem(err)
	}
	h.changed()
	http.Redirect(w, r.Request, datasetPath(r.Loc, d.ID)+"?done=ranked", http.StatusSeeOther)
	return nil
}
