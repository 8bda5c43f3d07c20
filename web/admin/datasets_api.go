package admin

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"strconv"

	"tianti/audit"
	"tianti/csvsafe"
	"tianti/format"
	"tianti/importer"
	"tianti/web/api/imports"
	"tianti/web/site"
)

func (h *Handler) listImports(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	drafts, err := h.store.Drafts(r.Context())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, imports.DraftsOf(drafts))
}

func (h *Handler) getImport(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	return h.sendImport(w, r, http.StatusOK, id, nil)
}

func (h *Handler) applyImport(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	rev, err := h.importer.Apply(r.Context(), id, r.Values.Get("note"), by)
	if err != nil {
		return err
	}
	h.changed()
	return sendJSON(w, http.StatusOK, imports.RevisionOf(rev))
}

func (h *Handler) discardImport(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	patient(w, r) // of a million prices it takes a while
	id, err := draftID(r)
	if err == nil {
		err = h.store.Discard(r.Context(), id, by)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) listSkipped(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	from, limit, err := span(r.Values)
	if err != nil {
		return err
	}
	list, total, err := h.store.Skipped(r.Context(), id, format.Reason(r.Values.Get("reason")), from, limit)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, imports.LeftOut{Items: imports.LeftRows(list), Total: total,
		Next: nextOf(r, from, len(list), total)})
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
		cells[i] = csvsafe.Cell(cells[i])
	}
	_ = out.Write(cells) // the client may be gone
}

func (h *Handler) downloadSkipped(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
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
	err = h.store.EachSkipped(r.Context(), id, format.Reason(r.Values.Get("reason")), func(l *format.Skipped) error {
		begin()
		writeRow(out, strconv.Itoa(l.Line), l.Name, l.Field, string(l.Reason), l.Message)
		return nil
	})
	if err != nil && out == nil {
		return err
	}
	begin()
	out.Flush()
	return h.brokenOff(err)
}

// brokenOff ends an answer that has begun and cannot be finished, so that the client sees that it is not whole. One
// that is there no more has broken it off itself.
func (h *Handler) brokenOff(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		h.site.Log.Error("a download broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (h *Handler) importFile(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	id, err := draftID(r)
	if err != nil {
		return err
	}
	d, err := h.store.Draft(r.Context(), id)
	if err != nil {
		return err
	}
	return h.sendFile(w, r, d.File.SHA256, d.File.Name)
}

func (h *Handler) revisionFile(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	n, err := strconv.ParseInt(r.PathValue("revision"), 10, 64)
	if err != nil {
		return fs.ErrNotExist
	}
	list, err := h.store.Revisions(r.Context(), r.PathValue("dataset"))
	for _, rev := range list {
		if rev.Number == n && rev.HasFile {
			return h.sendFile(w, r, rev.SHA256, rev.File)
		}
	}
	if err == nil {
		err = fs.ErrNotExist
	}
	return err
}

// sendFile sends a kept file to be saved: never as something that a browser shows.
func (s *Handler) sendFile(w http.ResponseWriter, r *site.Request, sha256, name string) error {
	file, info, err := s.store.OpenFile(r.Context(), sha256)
	if err != nil {
		return err
	}
	defer file.Close()
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
	_, err = io.Copy(w, file)
	if r.Context().Err() != nil {
		err = nil // nobody is there any more
	}
	return s.brokenOff(err)
}

func (h *Handler) listDatasets(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	list, err := h.store.Datasets(r.Context())
	if err != nil {
		return err
	}
	out := imports.DatasetList{Items: []imports.DatasetItem{}}
	for _, d := range list {
		out.Items = append(out.Items, imports.DatasetOf(d))
	}
	return sendJSON(w, http.StatusOK, out)
}

func (h *Handler) getDataset(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	return h.sendDataset(w, r)
}

func (h *Handler) sendDataset(w http.ResponseWriter, r *site.Request) error {
	id := r.PathValue("dataset")
	revisions, err := h.store.Revisions(r.Context(), id)
	if err != nil {
		return err
	}
	list, err := h.store.Datasets(r.Context())
	if err != nil {
		return err
	}
	out := imports.DatasetDetail{History: []imports.Revision{}}
	for _, d := range list {
		if d.ID == id {
			out.DatasetItem = imports.DatasetOf(d)
		}
	}
	if out.ID == "" {
		return fs.ErrNotExist // only drafts have been made of it
	}
	for _, rev := range revisions {
		out.History = append(out.History, imports.RevisionOf(rev))
	}
	return sendJSON(w, http.StatusOK, out)
}

func (h *Handler) revertDataset(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	to, err := wholeNumber(r.Values, "to", 1, 1<<31-1, 0)
	if err == nil {
		err = h.importer.Revert(r.Context(), r.PathValue("dataset"), int64(to), by)
	}
	if err != nil {
		return err
	}
	h.changed()
	return h.sendDataset(w, r)
}

func (h *Handler) activateRevision(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	if !r.Values.Has("revision") {
		return missing("revision")
	}
	n, err := wholeNumber(r.Values, "revision", 0, 1<<31-1, 0)
	if err == nil {
		err = h.store.Activate(r.Context(), r.PathValue("dataset"), int64(n), by)
	}
	if err != nil {
		return err
	}
	h.changed()
	return h.sendDataset(w, r)
}

func (h *Handler) rankDataset(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	if !r.Values.Has("rank") {
		return missing("rank")
	}
	n, err := wholeNumber(r.Values, "rank", -importer.MaxRank, importer.MaxRank, 0)
	if err == nil {
		err = h.store.SetRank(r.Context(), r.PathValue("dataset"), n, by)
	}
	if err != nil {
		return err
	}
	h.changed()
	return h.sendDataset(w, r)
}

func (h *Handler) getLog(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	from, limit, err := span(r.Values)
	if err != nil {
		return err
	}
	list, total, err := h.store.Entries(r.Context(), audit.Query{Text: r.Values.Get("q"),
		Action: r.Values.Get("action"), From: from, N: limit})
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, imports.ChangeLog{Items: imports.LogEntries(list), Total: total,
		Next: nextOf(r, from, len(list), total)})
}

func (h *Handler) downloadLog(w http.ResponseWriter, r *site.Request, _ audit.Actor) error {
	patient(w, r)
	q := audit.Query{Text: r.Values.Get("q"), Action: r.Values.Get("action"), N: linesAtOnce}
	list, _, err := h.store.Entries(r.Context(), q)
	if err != nil {
		return err
	}
	out := table(w, "tianti-log.csv", imports.LogColumns...)
	for len(list) > 0 && err == nil {
		for i := range list {
			row, bad := imports.LogRow(&list[i])
			if bad != nil {
				return h.brokenOff(bad)
			}
			writeRow(out, row...)
		}
		q.Before = list[len(list)-1].Number // what is recorded meanwhile moves nothing
		list, _, err = h.store.Entries(r.Context(), q)
	}
	out.Flush()
	return h.brokenOff(err)
}
