// Package runs is where administrators keep measured runs that were entered beside estimates. What is kept corrects
// estimates from then on: it moves the catalogue, so that estimates are made anew.
package runs

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// Store keeps measured runs.
type Store interface {
	// Runs lists what was kept, oldest first.
	Runs(ctx context.Context) ([]importer.Run, error)
	// KeepRun keeps Query and Note, by the actor of ctx.
	KeepRun(ctx context.Context, r importer.Run) (importer.Run, error)
	// DeleteRun forgets one; one that is not there is fs.ErrNotExist.
	DeleteRun(ctx context.Context, key int64) error
}

// A Handler answers the pages of measured runs.
type Handler struct {
	site    *site.Site
	session *session.Handler
	store   Store
	changed func()
}

// New returns a handler of a site; without a store it has no pages. Changed is called after the catalogue has moved.
func New(s *site.Site, users *session.Handler, store Store, changed func()) *Handler {
	if changed == nil {
		changed = func() {}
	}
	return &Handler{site: s, session: users, store: store, changed: changed}
}

// Operations of the API there are none.
func (h *Handler) Operations() []site.Operation { return nil }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	if h.store == nil || !h.site.SignIn || h.site.ReadOnly {
		return nil
	}
	admin := h.session.Admin
	return []site.Route{
		{Pattern: "/admin/runs", Serve: admin(h.list)},
		{Method: http.MethodPost, Pattern: "/admin/runs", Serve: admin(h.keep)},
		{Pattern: job.KeepRunPath, Serve: admin(h.offer)},
		{Method: http.MethodPost, Pattern: "/admin/runs/{key}/delete", Serve: admin(h.remove)},
	}
}

// list answers GET /admin/runs.
func (h *Handler) list(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("done"); err != nil {
		return err
	}
	st, l := h.site.State.Load(), r.Loc
	kept, err := h.store.Runs(r.Context())
	if err != nil {
		return err
	}
	p := list{Layout: h.session.AdminLayout(r, st, l.T("runs.title")), Crumbs: crumbs(l)}
	switch done := r.Values.Get("done"); done {
	case "keep", "delete":
		p.Done = l.T("runs.done." + done)
	}
	for _, k := range kept {
		p.Rows = append(p.Rows, h.row(st, r, k))
	}
	return h.session.Show(w, r, http.StatusOK, p.Page())
}

// row is a kept run in words; one that this version cannot read any more says so.
func (h *Handler) row(st *site.State, r *site.Request, k importer.Run) row {
	l, key := r.Loc, strconv.FormatInt(k.Key, 10)
	out := row{ID: "kept-" + key, Note: k.Note, By: k.By, Day: k.At.Format("2006-01-02"),
		Delete: l.Path("/admin/runs/" + key + "/delete")}
	values, err := url.ParseQuery(k.Query)
	if err == nil {
		var run *job.MeasuredRun
		if run, err = h.measured(st, r, values); err == nil {
			out.Job, out.Words = ui.Link{Label: run.Heading, Href: run.Href}, run.Words
			for _, m := range run.Rows {
				out.Measured = append(out.Measured, m.What+l.Pick(": ", "：")+m.Measured)
			}
			return out
		}
	}
	out.Job, out.Problem = ui.Link{Label: k.Query}, l.T("runs.unread")
	return out
}

// measured reads the query of an estimate with measured values.
func (h *Handler) measured(st *site.State, r *site.Request, v url.Values) (*job.MeasuredRun, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return nil, err
	}
	b := job.Builder{L: r.Loc, A: a}
	return b.MeasuredRun(v)
}

// offer answers GET /admin/runs/new: what would be kept, and the button.
func (h *Handler) offer(w http.ResponseWriter, r *site.Request) error {
	run, err := h.measured(h.site.State.Load(), r, r.Values)
	if err != nil {
		return err
	}
	return h.show(w, r, http.StatusOK, run, "", "")
}

func (h *Handler) show(
	w http.ResponseWriter, r *site.Request, status int, run *job.MeasuredRun, note, problem string,
) error {
	l := r.Loc
	r.Path = job.KeepRunPath
	p := offer{Layout: h.session.AdminLayout(r, h.site.State.Load(), l.T("runs.keep")), Run: run,
		Crumbs: append(crumbs(l), ui.Link{Label: l.T("runs.title"), Href: l.Path("/admin/runs")}),
		Action: l.Path("/admin/runs"),
		Field: ui.FormField{ID: "note", Label: l.T("runs.note"), Type: "text", Value: note, Autocomplete: "off",
			Help: l.T("runs.notehelp"), Problem: problem}}
	return h.session.Show(w, r, status, p.Page())
}

// mostNote is the length of a note at most, in characters.
const mostNote = 300

// keep answers POST /admin/runs.
func (h *Handler) keep(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(form.Get("query"))
	if err != nil || len(form.Get("query")) > site.MaxQuery {
		return api.BadParams([]catalog.ParamError{{Param: "query", Code: catalog.BadEncoding}})
	}
	run, err := h.measured(h.site.State.Load(), r, values)
	if err != nil {
		return err
	}
	note := strings.TrimSpace(form.Get("note"))
	if !utf8.ValidString(note) || utf8.RuneCountInString(note) > mostNote || strings.ContainsFunc(note, isControl) {
		return h.show(w, r, http.StatusUnprocessableEntity, run, "", r.Loc.T("runs.notelong", mostNote))
	}
	if _, err := h.store.KeepRun(r.Context(), importer.Run{Query: run.Query, Note: note}); err != nil {
		return err
	}
	h.changed()
	return h.goTo(w, r, "keep")
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// remove answers the button beside a run.
func (h *Handler) remove(w http.ResponseWriter, r *site.Request) error {
	key, err := strconv.ParseInt(r.PathValue("key"), 10, 64)
	if err == nil {
		err = h.store.DeleteRun(r.Context(), key)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
		return api.NewProblem(http.StatusNotFound, "There is no measured run %q.", catalog.Clip(r.PathValue("key")))
	}
	if err != nil {
		return err
	}
	h.changed()
	return h.goTo(w, r, "delete")
}

func (h *Handler) goTo(w http.ResponseWriter, r *site.Request, done string) error {
	w.Header()["Cache-Control"] = site.NoStore
	http.Redirect(w, r.Request, r.Loc.Path("/admin/runs")+"?"+site.ParamsEncoded("done", done), http.StatusSeeOther)
	return nil
}

func crumbs(l *locale.Locale) []ui.Link {
	return []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}
}
