package web

import (
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"tianti/intake"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

func datasetPath(l *locale.Locale, id string) string { return l.Path("/admin/datasets/" + id) }

// datasets answers GET /admin/datasets.
func (s *Server) datasets(w http.ResponseWriter, r *request) error {
	st := s.state.Load()
	return s.showDatasets(w, r, st, http.StatusOK, "")
}

func (s *Server) showDatasets(w http.ResponseWriter, r *request, st *state, status int, problem string) error {
	l := r.loc
	v := view.Datasets{Layout: s.adminLayout(r, st, l.T("datasets.title")), Crumbs: adminCrumbs(l), Problem: problem}
	list, err := s.cfg.Datasets.Datasets(r.Context())
	if err != nil {
		return err
	}
	for _, d := range list {
		row, err := s.datasetRow(r, &d)
		if err != nil {
			return err
		}
		v.Rows = append(v.Rows, row)
	}
	if v.Offer, err = s.offer(r); err != nil {
		return err
	}
	return s.show(w, r, status, v.Page())
}

func (s *Server) datasetRow(r *request, d *intake.Dataset) (view.DatasetState, error) {
	l := r.loc
	row := view.DatasetState{Name: view.Link{Label: pick(l, d.Title), Href: datasetPath(l, d.ID)}, ID: d.ID, Rank: strconv.Itoa(d.Rank), RankURL: datasetPath(l, d.ID) + "/rank"}
	if row.Name.Label == "" {
		row.Name.Label = d.ID
	}
	if d.Active == 0 {
		return row, nil
	}
	row.Active = strconv.FormatInt(d.Active, 10)
	revisions, err := s.cfg.Datasets.Revisions(r.Context(), d.ID)
	for _, rev := range revisions {
		if rev.Active {
			row.Holds, row.Updated = contents(l, rev.Cards, rev.Figures, rev.Prices, rev.Rates), clock(rev.Created)
		}
	}
	return row, err
}

// offer is the preview of newer built-in data, if there is one.
func (s *Server) offer(r *request) (*view.DraftRow, error) {
	drafts, err := s.cfg.Datasets.Drafts(r.Context())
	for i := range drafts {
		if d := &drafts[i]; d.Options.Dataset == intake.Builtin && d.By.Via == intake.ByProgram {
			row := draftRow(r.loc, d)
			return &row, nil
		}
	}
	return nil, err
}

// findDataset is the dataset in the address.
func (s *Server) findDataset(r *request) (intake.Dataset, error) {
	id := r.PathValue("dataset")
	list, err := s.cfg.Datasets.Datasets(r.Context())
	if err != nil {
		return intake.Dataset{}, err
	}
	for _, d := range list {
		if d.ID == id {
			return d, nil
		}
	}
	return intake.Dataset{}, fmt.Errorf("dataset %q: %w", id, fs.ErrNotExist)
}

// dataset answers GET /admin/datasets/{dataset}.
func (s *Server) dataset(w http.ResponseWriter, r *request) error {
	st := s.state.Load()
	if err := r.only("done", "page"); err != nil {
		return err
	}
	page, err := pageNumber(r)
	if err != nil {
		return err
	}
	d, err := s.findDataset(r)
	if err != nil {
		return asProblem(err)
	}
	revisions, err := s.cfg.Datasets.Revisions(r.Context(), d.ID)
	if err != nil {
		return err
	}
	l := r.loc
	v := view.DatasetPage{ID: d.ID, Name: pick(l, d.Title), Base: datasetPath(l, d.ID), CanOff: d.Active != 0,
		Crumbs: append(adminCrumbs(l), view.Link{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")})}
	if v.Name == "" {
		v.Name = d.ID
	}
	v.Layout = s.adminLayout(r, st, v.Name)
	from, to := pageOf(len(revisions), revisionsAtOnce, page)
	for _, rev := range revisions[from:to] {
		v.Revisions = append(v.Revisions, revisionRow(l, &rev))
	}
	v.Pager = adminPager(l, page, len(revisions), revisionsAtOnce, func(n int) string { return v.Base + "?" + paramsEncoded("page", strconv.Itoa(n)) })
	if v.Done, v.Undo, err = s.done(r, &d); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, v.Page())
}

// revisionsAtOnce is how many revisions a page lists: each correction is one.
const revisionsAtOnce = 100

func revisionRow(l *locale.Locale, rev *intake.Revision) view.RevisionRow {
	number := strconv.FormatInt(rev.Number, 10)
	row := view.RevisionRow{Number: number, When: clock(rev.Created), By: rev.Author, Note: rev.Note, SHA: rev.SHA256, Active: rev.Active,
		File: view.Link{Label: rev.File}, Holds: contents(l, rev.Cards, rev.Figures, rev.Prices, rev.Rates),
		Changes: view.Link{Href: datasetPath(l, rev.Dataset) + "/revisions/" + number}}
	if rev.Kept {
		row.File.Href = "/api/v1/datasets/" + rev.Dataset + "/revisions/" + number + "/file"
	}
	return row
}

// done says what has just been done, and how to take it back: to what was active
// before.
func (s *Server) done(r *request, d *intake.Dataset) (string, *view.UndoForm, error) {
	l, what := r.loc, r.values.Get("done")
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
	applied, err := s.cfg.Datasets.Draft(r.Context(), d.Active)
	if err != nil {
		return "", nil, err
	}
	before := strconv.FormatInt(applied.Base, 10)
	undo := &view.UndoForm{To: before, Label: l.T("datasets.undo", before)}
	if applied.Base == 0 {
		undo.Label = l.T("datasets.undonone")
	}
	return l.T("datasets.done.applied", strconv.FormatInt(d.Active, 10)), undo, nil
}

// revision answers GET /admin/datasets/{dataset}/revisions/{id}: what it changed.
func (s *Server) revision(w http.ResponseWriter, r *request) error {
	st := s.state.Load()
	if err := r.only("kind", "q", "page"); err != nil {
		return err
	}
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	p, err := s.cfg.Datasets.Draft(r.Context(), id)
	if err == nil && (p.Options.Dataset != r.PathValue("dataset") || p.State != intake.Applied) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return asProblem(err)
	}
	return s.showDraft(w, r, st, id, http.StatusOK, nil)
}

// activate answers POST /admin/datasets/{dataset}/activate.
func (s *Server) activate(w http.ResponseWriter, r *request) error {
	by := intake.ActorOf(r.Context())
	d, err := s.findDataset(r)
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
	if err := s.cfg.Datasets.Activate(r.Context(), d.ID, to, by); err != nil {
		return asProblem(err)
	}
	s.changed()
	what := "activated"
	if to == 0 {
		what = "off"
	}
	http.Redirect(w, r.Request, datasetPath(r.loc, d.ID)+"?done="+what, http.StatusSeeOther)
	return nil
}

// rank answers POST /admin/datasets/{dataset}/rank.
func (s *Server) rank(w http.ResponseWriter, r *request) error {
	st := s.state.Load()
	by := intake.ActorOf(r.Context())
	d, err := s.findDataset(r)
	if err != nil {
		return asProblem(err)
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(r.PostFormValue("rank")))
	if err != nil || n < -intake.MaxRank || n > intake.MaxRank {
		return s.showDatasets(w, r, st, http.StatusUnprocessableEntity, r.loc.T("datasets.badrank"))
	}
	if err := s.cfg.Datasets.SetRank(r.Context(), d.ID, n, by); err != nil {
		return asProblem(err)
	}
	s.changed()
	http.Redirect(w, r.Request, datasetPath(r.loc, d.ID)+"?done=ranked", http.StatusSeeOther)
	return nil
}

// changed tells whoever keeps the catalogue current that it has moved.
func (s *Server) changed() {
	if s.cfg.Changed != nil {
		s.cfg.Changed()
	}
}
