package web

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"strconv"

	"tianti/ingest"
	"tianti/intake"
	"tianti/sheet"
	"tianti/web/api"
)

func (s *Server) listImports(w http.ResponseWriter, r *request, _ intake.Actor) error {
	drafts, err := s.cfg.Datasets.Drafts(r.Context())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, api.DraftsOf(drafts))
}

func (s *Server) getImport(w http.ResponseWriter, r *request, _ intake.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	return s.sendImport(w, r, http.StatusOK, id, nil)
}

func (s *Server) applyImport(w http.ResponseWriter, r *request, by intake.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	rev, err := s.cfg.Intake.Apply(r.Context(), id, r.values.Get("note"), by)
	if err != nil {
		return err
	}
	s.changed()
	return sendJSON(w, http.StatusOK, api.RevisionOf(rev))
}

func (s *Server) discardImport(w http.ResponseWriter, r *request, by intake.Actor) error {
	patient(w, r) // of a million prices it takes a while
	id, err := draftID(r)
	if err == nil {
		err = s.cfg.Datasets.Discard(r.Context(), id, by)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) listLeftOut(w http.ResponseWriter, r *request, _ intake.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	from, limit, err := span(r.values)
	if err != nil {
		return err
	}
	list, total, err := s.cfg.Datasets.LeftOut(r.Context(), id, ingest.Reason(r.values.Get("reason")), from, limit)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, api.LeftOut{Items: api.LeftRows(list), Total: total, Next: nextOf(r, from, len(list), total)})
}

// linesAtOnce is how many lines of the record are read at once for a download.
const linesAtOnce = 5000

// table begins a table that is downloaded. Its cells are no formulas.
func table(w http.ResponseWriter, name string, columns ...string) *csv.Writer {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	out := csv.NewWriter(w)
	_ = out.Write(columns) // told by Flush
	return out
}

func writeRow(out *csv.Writer, cells ...string) {
	for i := range cells {
		cells[i] = sheet.Cell(cells[i])
	}
	_ = out.Write(cells) // the client may be gone
}

func (s *Server) downloadLeftOut(w http.ResponseWriter, r *request, _ intake.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	patient(w, r)
	var out *csv.Writer
	begin := func() {
		if out == nil {
			out = table(w, "left-out-"+strconv.FormatInt(id, 10)+".csv", "line", "name", "field", "reason", "message")
		}
	}
	err = s.cfg.Datasets.EachLeft(r.Context(), id, ingest.Reason(r.values.Get("reason")), func(l *ingest.Left) error {
		begin()
		writeRow(out, strconv.Itoa(l.Line), l.Name, l.Field, string(l.Reason), l.Message)
		return nil
	})
	if err != nil && out == nil {
		return err
	}
	begin()
	out.Flush()
	return s.brokenOff(err)
}

// brokenOff ends an answer that has begun and cannot be finished, so that the client
// sees that it is not whole. One that is there no more has broken it off itself.
func (s *Server) brokenOff(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.cfg.Log.Error("a download broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (s *Server) importFile(w http.ResponseWriter, r *request, _ intake.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	d, err := s.cfg.Datasets.Draft(r.Context(), id)
	if err != nil {
		return err
	}
	return s.sendFile(w, r, d.File.SHA256, d.File.Name)
}

func (s *Server) revisionFile(w http.ResponseWriter, r *request, _ intake.Actor) error {
	n, err := strconv.ParseInt(r.PathValue("revision"), 10, 64)
	if err != nil {
		return fs.ErrNotExist
	}
	list, err := s.cfg.Datasets.Revisions(r.Context(), r.PathValue("dataset"))
	for _, rev := range list {
		if rev.Number == n && rev.Kept {
			return s.sendFile(w, r, rev.SHA256, rev.File)
		}
	}
	if err == nil {
		err = fs.ErrNotExist
	}
	return err
}

// sendFile sends a kept file to be saved: never as something that a browser shows.
func (s *Server) sendFile(w http.ResponseWriter, r *request, sha256, name string) error {
	kept, info, err := s.cfg.Datasets.OpenFile(r.Context(), sha256)
	if err != nil {
		return err
	}
	defer kept.Close()
	patient(w, r)
	if name == "" {
		name = "file"
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", strconv.FormatInt(info.Size, 10))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = io.Copy(w, kept)
	if r.Context().Err() != nil {
		err = nil // nobody is there any more
	}
	return s.brokenOff(err)
}

func (s *Server) listDatasets(w http.ResponseWriter, r *request, _ intake.Actor) error {
	list, err := s.cfg.Datasets.Datasets(r.Context())
	if err != nil {
		return err
	}
	out := api.DatasetList{Items: []api.DatasetItem{}}
	for _, d := range list {
		out.Items = append(out.Items, api.DatasetOf(d))
	}
	return sendJSON(w, http.StatusOK, out)
}

func (s *Server) getDataset(w http.ResponseWriter, r *request, _ intake.Actor) error {
	return s.sendDataset(w, r)
}

func (s *Server) sendDataset(w http.ResponseWriter, r *request) error {
	id := r.PathValue("dataset")
	revisions, err := s.cfg.Datasets.Revisions(r.Context(), id)
	if err != nil {
		return err
	}
	list, err := s.cfg.Datasets.Datasets(r.Context())
	if err != nil {
		return err
	}
	out := api.DatasetDetail{History: []api.Revision{}}
	for _, d := range list {
		if d.ID == id {
			out.DatasetItem = api.DatasetOf(d)
		}
	}
	if out.ID == "" {
		return fs.ErrNotExist // only drafts have been made of it
	}
	for _, rev := range revisions {
		out.History = append(out.History, api.RevisionOf(rev))
	}
	return sendJSON(w, http.StatusOK, out)
}

func (s *Server) revertDataset(w http.ResponseWriter, r *request, by intake.Actor) error {
	to, err := wholeNumber(r.values, "to", 1, 1<<31-1, 0)
	if err == nil {
		err = s.cfg.Intake.Revert(r.Context(), r.PathValue("dataset"), int64(to), by)
	}
	if err != nil {
		return err
	}
	s.changed()
	return s.sendDataset(w, r)
}

func (s *Server) activateRevision(w http.ResponseWriter, r *request, by intake.Actor) error {
	if !r.values.Has("revision") {
		return missing("revision")
	}
	n, err := wholeNumber(r.values, "revision", 0, 1<<31-1, 0)
	if err == nil {
		err = s.cfg.Datasets.Activate(r.Context(), r.PathValue("dataset"), int64(n), by)
	}
	if err != nil {
		return err
	}
	s.changed()
	return s.sendDataset(w, r)
}

func (s *Server) rankDataset(w http.ResponseWriter, r *request, by intake.Actor) error {
	if !r.values.Has("rank") {
		return missing("rank")
	}
	n, err := wholeNumber(r.values, "rank", -intake.MaxRank, intake.MaxRank, 0)
	if err == nil {
		err = s.cfg.Datasets.SetRank(r.Context(), r.PathValue("dataset"), n, by)
	}
	if err != nil {
		return err
	}
	s.changed()
	return s.sendDataset(w, r)
}

func (s *Server) getLog(w http.ResponseWriter, r *request, _ intake.Actor) error {
	from, limit, err := span(r.values)
	if err != nil {
		return err
	}
	list, total, err := s.cfg.Datasets.Entries(r.Context(), intake.EntryQuery{Text: r.values.Get("q"), Action: r.values.Get("action"), From: from, N: limit})
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, api.ChangeLog{Items: api.LogEntries(list), Total: total, Next: nextOf(r, from, len(list), total)})
}

func (s *Server) downloadLog(w http.ResponseWriter, r *request, _ intake.Actor) error {
	patient(w, r)
	q := intake.EntryQuery{Text: r.values.Get("q"), Action: r.values.Get("action"), N: linesAtOnce}
	list, _, err := s.cfg.Datasets.Entries(r.Context(), q)
	if err != nil {
		return err
	}
	out := table(w, "tianti-log.csv", api.LogColumns...)
	for len(list) > 0 && err == nil {
		for i := range list {
			row, bad := api.LogRow(&list[i])
			if bad != nil {
				return s.brokenOff(bad)
			}
			writeRow(out, row...)
		}
		q.Before = list[len(list)-1].Number // what is recorded meanwhile moves nothing
		list, _, err = s.cfg.Datasets.Entries(r.Context(), q)
	}
	out.Flush()
	return s.brokenOff(err)
}
