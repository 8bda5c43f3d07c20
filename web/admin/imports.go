package admin

import (
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tianti/audit"
	"tianti/format"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// loaded answers once there is a catalogue to answer from.
func (s *Handler) loaded(h session.AdminPage) session.AdminPage {
	return func(w http.ResponseWriter, r *site.Request) error {
		if s.site.State.Load() == nil {
			return site.ErrNotLoaded
		}
		return h(w, r)
	}
}

// maxPasted bounds text that is pasted into a form.
const maxPasted = 8 << 20

// importStart answers GET /admin/import.
func (h *Handler) importStart(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	if err := r.Only("page"); err != nil {
		return err
	}
	page, err := pageNumber(r)
	if err != nil {
		return err
	}
	v, err := h.importStartView(r, st, page)
	if err != nil {
		return err
	}
	return h.session.Show(w, r, http.StatusOK, v.Page())
}

// draftsAtOnce is how many drafts a page lists: programs may leave many.
const draftsAtOnce = 50

func (h *Handler) importStartView(r *site.Request, st *site.State, page int) (importStart, error) {
	l := r.Loc
	v := importStart{Layout: h.session.AdminLayout(r, st, l.T("import.title")), Crumbs: adminCrumbs(l),
		Action: l.Path("/admin/import"), Most: size(h.importer.MaxBytes())}
	for _, f := range format.Formats() {
		v.Formats = append(v.Formats, formatRow{ID: f.ID, Title: display.Pick(l, f.Title),
			About: display.Pick(l, f.About), Holds: holdsText(l, f)})
	}
	drafts, err := h.store.Drafts(r.Context())
	from, to := pageOf(len(drafts), draftsAtOnce, page)
	for i := range drafts[from:to] {
		v.Drafts = append(v.Drafts, draftRow(l, &drafts[from+i]))
	}
	v.Pager = adminPager(l, page, len(drafts), draftsAtOnce, func(n int) string {
		return v.Action + "?" + site.ParamsEncoded("page", strconv.Itoa(n)) + "#drafts"
	})
	return v, err
}

func holdsText(l *locale.Locale, f *format.Format) string {
	switch {
	case slices.Contains(f.Asks, format.AskColumns):
		return l.T("import.either")
	case f.Holds == format.Prices:
		return l.T("import.pricesof")
	}
	return l.T("import.facts")
}

func draftRow(l *locale.Locale, d *importer.Draft) draftRowData {
	return draftRowData{
		File: ui.Link{Label: d.File.Name, Href: draftPath(l, d.ID)}, Dataset: d.Options.Dataset, By: d.By.Name,
		When:  clock(d.Created),
		Holds: contents(l, d.Summary.Cards, d.Summary.Facts, d.Summary.NewPrices(), d.Summary.Rates.Added),
	}
}

func draftPath(l *locale.Locale, id int64) string {
	return l.Path("/admin/import/" + strconv.FormatInt(id, 10))
}

// clock is a time as pages of administrators show it: to the minute, in UTC.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// contents says what a revision holds, the parts that it has.
func contents(l *locale.Locale, cards, figures, prices, rates int) string {
	var parts []string
	for _, p := range []struct {
		key string
		n   int
	}{{"cards", cards}, {"figures", figures}, {"prices", prices}, {"rates", rates}} {
		if p.n > 0 {
			parts = append(parts, l.T("import.contents."+p.key, p.n))
		}
	}
	if parts == nil {
		return l.T("import.contents.nothing")
	}
	return strings.Join(parts, l.Pick(", ", "，"))
}

// importUpload answers POST /admin/import.
func (h *Handler) importUpload(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	by := audit.ActorOf(r.Context())
	patient(w, r)
	form, err := r.MultipartReader()
	if err != nil {
		return api.NewProblem(http.StatusUnsupportedMediaType, "Send a form of the type multipart/form-data.")
	}
	up, opt, err := nextUpload(form)
	if err != nil {
		return h.importRefused(w, r, st, err, up.text)
	}
	out := h.progress(w, r)
	d, err := h.importer.Draft(r.Context(), up.Upload, opt, by, out.report)
	if err != nil {
		return out.fail(err, func(err error) error { return h.importRefused(w, r, st, err, up.text) })
	}
	return out.done(draftPath(r.Loc, d.ID))
}

// upload is what a form hands in.
type upload struct {
	importer.Upload
	text string // pasted
}

var (
	errNothing = errors.New("neither file nor text")
	errBroken  = errors.New("the form broke off")
)

// nextUpload reads a form up to its file, which is the last part that counts: it is read while it arrives.
func nextUpload(form *multipart.Reader) (up upload, opt importer.Options, err error) {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return up, opt, errNothing
		}
		if err != nil {
			return up, opt, errBroken
		}
		if part.FormName() == "file" {
			if part.FileName() == "" {
				continue // none was chosen
			}
			up.Upload = importer.Upload{Name: part.FileName(), Size: -1, Data: part}
			return up, opt, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxPasted+1))
		switch {
		case err != nil:
			return up, opt, errBroken
		case len(text) > maxPasted:
			return up, opt, &format.FileError{Name: part.FormName(),
				Msg: "the text is longer than 8 MiB; hand it in as a file"}
		case part.FormName() == "format":
			opt.Format = string(text)
		case part.FormName() == "text" && strings.TrimSpace(string(text)) != "":
			up.text = string(text)
			up.Upload = importer.Upload{Name: "pasted", Size: int64(len(text)), Data: strings.NewReader(up.text)}
			return up, opt, nil
		}
	}
}

// importRefused shows the form again, with what is wrong.
func (h *Handler) importRefused(
	w http.ResponseWriter, r *site.Request, st *site.State, err error, pasted string,
) error {
	problem := fileProblem(r.Loc, err)
	if problem == nil {
		return asProblem(err)
	}
	status := http.StatusUnprocessableEntity
	switch {
	case errors.As(err, new(*importer.TooLargeError)):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, new(*importer.ManyOpenError)):
		status = http.StatusConflict
	}
	v, err := h.importStartView(r, st, 1)
	if err != nil {
		return err
	}
	v.Problem = problem
	if len(pasted) <= site.MaxBuffer {
		v.Text = pasted
	}
	return h.session.Show(w, r, status, v.Page())
}

// fileProblem says what is wrong with what was handed in; nil when it is an error of ours.
func fileProblem(l *locale.Locale, err error) *fileProblemData {
	var file *format.FileError
	var option *importer.OptionError
	var tooLarge *importer.TooLargeError
	var open *importer.ManyOpenError
	switch {
	case errors.Is(err, errNothing):
		return &fileProblemData{Text: l.T("import.errors.empty")}
	case errors.Is(err, errBroken):
		return &fileProblemData{Text: l.T("import.errors.broken")}
	case errors.As(err, &tooLarge):
		return &fileProblemData{Text: l.T("import.errors.toolarge", size(tooLarge.Most))}
	case errors.As(err, &open):
		return &fileProblemData{Text: l.T("import.errors.manyopen", open.Rows, open.Most)}
	case errors.As(err, &option):
		return &fileProblemData{Text: l.T("import.errors.option", option.Field), Raw: option.Msg}
	case errors.As(err, &file):
		p := &fileProblemData{Text: l.T("import.errors.unreadable"), Raw: file.Msg, Place: file.Name}
		if file.Line > 0 {
			p.Place += ":" + strconv.Itoa(file.Line)
		}
		if file.Field != "" {
			p.Place += " " + file.Field
		}
		return p
	}
	return nil
}

// size is a number of bytes for people.
func size(n int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n >= gib:
		return strconv.FormatFloat(float64(n*10/gib)/10, 'f', -1, 64) + " GiB"
	case n >= mib:
		return strconv.FormatFloat(float64(n*10/mib)/10, 'f', -1, 64) + " MiB"
	case n >= kib:
		return strconv.FormatInt(n/kib, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

// patience is how long a client may be silent while it sends a file, and how long reading may go on without a line to
// the client.
const patience = 2 * time.Minute

// patient lifts the limits of time that are meant for small requests: as long as a client sends, it may go on.
func patient(w http.ResponseWriter, r *site.Request) {
	c := http.NewResponseController(w)
	r.Request.Body = &patientBody{r.Body, c}
	_ = c.SetWriteDeadline(time.Time{}) // a server of a test may have no connection
}

// patientBody moves the deadline on with each part that arrives.
type patientBody struct {
	io.ReadCloser
	c *http.ResponseController
}

func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.c.SetReadDeadline(time.Now().Add(patience))
	return b.ReadCloser.Read(p)
}

// draftID is the number in the address.
func draftID(r *site.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, fs.ErrNotExist
	}
	return id, nil
}

// asProblem says what is wrong in the words of the API; errors of ours stay.
func asProblem(err error) error { return importProblem(err) }
