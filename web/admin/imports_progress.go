package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"tianti/importer"
	"tianti/web/api"
	"tianti/web/site"
)

// progressStream tells a script how far reading has come, a JSON object a line; to a browser without the script it says
// nothing until the end.
type progressStream struct {
	w          http.ResponseWriter
	r          *site.Request
	unexpected func(*http.Request, error) *api.Problem
	stream     bool
	begun      bool // something has been sent
	last       time.Time
}

const ndjson = "application/x-ndjson"

func (h *Handler) progress(w http.ResponseWriter, r *site.Request) *progressStream {
	return &progressStream{w: w, r: r, unexpected: h.site.Unexpected, stream: r.Header.Get("Accept") == ndjson}
}

// every is the shortest time between two lines.
const every = 200 * time.Millisecond

// report says nothing while the file arrives: the browser knows how much it has sent, and a server that answers before
// the request has ended reads no more of it.
func (p *progressStream) report(at importer.Progress) {
	if now := time.Now(); p.stream && at.Rows > 0 && now.Sub(p.last) >= every {
		p.last = now
		p.line(map[string]any{"bytes": at.Bytes, "size": at.Size, "rows": at.Rows})
	}
}

func (p *progressStream) line(v any) {
	p.begun = true
	h := p.w.Header()
	h.Set("Content-Type", ndjson)
	h.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(p.w).Encode(v) // nobody may be there any more: reading ends with the context
	_ = http.NewResponseController(p.w).Flush()
}

// done leads to a page.
func (p *progressStream) done(to string) error {
	if p.stream {
		p.line(map[string]any{"location": to})
		return nil
	}
	http.Redirect(p.w, p.r.Request, to, http.StatusSeeOther)
	return nil
}

// fail answers an error: with a page, or with a line for the script.
func (p *progressStream) fail(err error, page func(error) error) error {
	if !p.stream {
		return page(err)
	}
	problem, known := fileProblem(p.r.Loc, err), (*api.Problem)(nil)
	switch {
	case problem == nil && !p.begun:
		return asProblem(err)
	case problem == nil && errors.As(asProblem(err), &known):
		problem = &fileProblemData{Text: known.Detail}
	case problem == nil:
		id := p.unexpected(p.r.Request, err).Instance
		problem = &fileProblemData{Text: p.r.Loc.T("import.errors.ours", id)}
	}
	p.line(map[string]any{"error": strings.TrimSpace(problem.Text + " " + problem.Place), "detail": problem.Raw})
	return nil
}
