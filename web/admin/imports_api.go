package admin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/web/api"
	"tianti/web/api/imports"
	"tianti/web/session"
	"tianti/web/site"
)

// managedHandler answers an operation for administrators and their programs.
type managedHandler func(w http.ResponseWriter, r *site.Request, by audit.Actor) error

// managed lets in who may import; its answers are for nobody else, and are not kept.
func (s *Handler) managed(o api.Operation, h managedHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		site.NoteRoute(w, httpReq)
		w.Header()["Cache-Control"] = site.NoStore
		r := site.NewRequest(httpReq)
		r.Format = site.AsJSON
		by, err := s.session.Authorize(httpReq, session.ToImport)
		site.NoteAccount(w, by.Name)
		if err == nil && s.importer == nil {
			err = site.ErrReadOnly
		}
		if err == nil {
			err = r.Parse()
		}
		if err == nil {
			err = onlyDocumented(o, r)
		}
		if err == nil {
			r.Request = httpReq.WithContext(audit.WithActor(httpReq.Context(), by))
			err = h(w, r, by)
		}
		if err != nil {
			s.site.Fail(w, r, nil, importProblem(err))
		}
	}
}

// onlyDocumented refuses parameters that the operation does not have, and those that are given twice and may not be.
func onlyDocumented(o api.Operation, r *site.Request) error {
	once := *r
	once.Values = url.Values{}
	for key, given := range r.Values {
		many := slices.ContainsFunc(o.Params, func(p api.Param) bool { return p.Name == key && p.Many })
		if many {
			given = given[:1]
		}
		once.Values[key] = given
	}
	return once.Only(o.QueryParams()...)
}

// sendJSON answers with a value that nobody keeps and no other site may read.
func sendJSON(w http.ResponseWriter, status int, v any) error {
	body := api.Encode(v)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
	return nil
}

// importProblem says in the words of the API what is wrong with a request to import.
func importProblem(err error) error {
	var file *format.FileError
	var option *importer.OptionError
	var large *importer.TooLargeError
	var not *importer.NotReadyError
	var open *importer.ManyOpenError
	switch {
	case errors.As(err, &option):
		p := api.NewProblem(http.StatusBadRequest, "%s", option.Msg)
		p.Errors = []api.ProblemField{{Parameter: paramOf(option.Field), Value: catalog.Clip(option.Value),
			Code: "bad_option", Detail: option.Msg}}
		return p
	case errors.As(err, &large):
		return api.NewProblem(http.StatusRequestEntityTooLarge, "The file is larger than %s.", size(large.Most))
	case errors.As(err, &file):
		p := api.NewProblem(http.StatusUnprocessableEntity, "%v", file)
		p.Errors = []api.ProblemField{{Parameter: "body", Value: catalog.Clip(file.Field), Code: "unreadable_file",
			Detail: file.Error()}}
		return p
	case errors.As(err, &not):
		return notReady(not)
	case errors.Is(err, importer.ErrMoved), errors.Is(err, importer.ErrNotActive), errors.As(err, &open):
		return api.NewProblem(http.StatusConflict, "%s", sentence(err))
	case errors.Is(err, importer.ErrLoading):
		return api.NewProblem(http.StatusServiceUnavailable, "%s", sentence(importer.ErrLoading))
	case errors.Is(err, fs.ErrNotExist):
		return api.NewProblem(http.StatusNotFound, "There is no such draft, dataset, revision or file.")
	}
	return err
}

// sentence is what an error of ours says, without what was attempted.
func sentence(err error) string {
	for _, known := range []error{importer.ErrMoved, importer.ErrNotActive, importer.ErrLoading} {
		if errors.Is(err, known) {
			text := known.Error()
			return strings.ToUpper(text[:1]) + text[1:] + "."
		}
	}
	return err.Error()
}

// notReady lists what keeps a draft from being applied.
func notReady(e *importer.NotReadyError) error {
	p := api.NewProblem(http.StatusConflict, "Draft %d would change nothing.", e.Draft)
	if len(e.Problems) > 0 {
		p.Detail = "Draft " + strconv.FormatInt(e.Draft, 10) + " cannot be applied; see /api/v1/imports/" +
			strconv.FormatInt(e.Draft, 10) + "."
	}
	for i, x := range e.Problems {
		if i == 20 {
			break
		}
		at := x.Field
		if x.Card != "" {
			at = x.Card + ": " + x.Field
		}
		p.Errors = append(p.Errors, api.ProblemField{Parameter: "body", Value: at, Code: x.Rule, Detail: "line " +
			strconv.Itoa(x.Line) + ": " + x.Message})
	}
	return p
}

// paramOf is the parameter behind a field of the options.
func paramOf(field string) string {
	switch field {
	case "names":
		return "name"
	case "title":
		return "title_en"
	case "reading.columns":
		return "column"
	}
	return strings.ReplaceAll(strings.TrimPrefix(field, "reading."), ".", "_")
}

// importOptions reads the parameters of a new import.
func importOptions(v url.Values) (o importer.Options, err error) {
	o = importer.Options{
		Format: v.Get("format"), Dataset: v.Get("dataset"), Mode: importer.Mode(v.Get("mode")),
		Unknown: importer.Policy(v.Get("unknown")),
		Title:   catalog.Text{En: v.Get("title_en"), Zh: v.Get("title_zh")},
		Reading: format.Options{Date: catalog.Date(v.Get("date")), Currency: strings.ToUpper(v.Get("currency")),
			Kind: catalog.PriceKind(v.Get("kind")), Seller: v.Get("seller"), DayOrder: v.Get("day_order"),
			Decimal: v.Get("decimal"), Part: v.Get("part")},
	}
	if o.Names, err = equations("name", v["name"]); err != nil {
		return o, err
	}
	if o.Reading.Columns, err = equations("column", v["column"]); err != nil {
		return o, err
	}
	for _, g := range v["without"] {
		o.Without = append(o.Without, importer.Group(g))
	}
	// complete, as on the command line
	if at, title := v.Get("source_url"), v.Get("source_title"); at != "" || title != "" {
		title = cmp.Or(title, at)
		o.Reading.Source = &catalog.Source{URL: at, Title: title, Publisher: title, Kind: catalog.Community}
	}
	if v.Has("rank") {
		n, err := wholeNumber(v, "rank", -importer.MaxRank, importer.MaxRank, 0)
		if err != nil {
			return o, err
		}
		o.Rank = &n
	}
	return o, nil
}

// equations reads "A100-80GB=nvidia-a100-sxm4-80gb"; the last = separates.
func equations(param string, given []string) (map[string]string, error) {
	if len(given) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(given))
	for _, text := range given {
		i := strings.LastIndexByte(text, '=')
		if i < 1 {
			return nil, api.BadParams([]catalog.ParamError{{Param: param, Value: catalog.Clip(text),
				Code: catalog.UnknownValue, Allowed: "a name, = and what it means"}})
		}
		out[text[:i]] = strings.TrimSpace(text[i+1:])
	}
	return out, nil
}

// wholeNumber reads a parameter, or returns what is usual.
func wholeNumber(v url.Values, param string, least, most, usual int) (int, error) {
	if !v.Has(param) {
		return usual, nil
	}
	n, err := strconv.Atoi(v.Get(param))
	if err != nil || n < least || n > most {
		return 0, api.BadParams([]catalog.ParamError{{Param: param, Value: catalog.Clip(v.Get(param)),
			Code: catalog.BadNumber, Allowed: strconv.Itoa(least) + " to " + strconv.Itoa(most)}})
	}
	return n, nil
}

// yesOrNo reads a parameter that is true or false.
func yesOrNo(v url.Values, param string, usual bool) (bool, error) {
	switch given := v.Get(param); {
	case !v.Has(param):
		return usual, nil
	case given == "true" || given == "false":
		return given == "true", nil
	default:
		return false, api.BadParams([]catalog.ParamError{{Param: param, Value: catalog.Clip(given),
			Code: catalog.UnknownValue, Allowed: "true, false"}})
	}
}

// createImport answers POST /api/v1/imports: the body is the file, which is read while it arrives.
func (h *Handler) createImport(w http.ResponseWriter, r *site.Request, by audit.Actor) error {
	opt, err := importOptions(r.Values)
	if err != nil {
		return err
	}
	dry, err := yesOrNo(r.Values, "dry_run", true)
	if err != nil {
		return err
	}
	name := r.Values.Get("file")
	if name == "" {
		name = "upload"
	}
	patient(w, r)
	ctx := r.Context()
	d, err := h.importer.Draft(ctx, importer.Upload{Name: name, Size: r.ContentLength, Data: r.Body}, opt, by, nil)
	if err != nil {
		return err
	}
	if dry {
		return h.sendImport(w, r, http.StatusCreated, d.ID, nil)
	}
	if d.Summary.Nothing {
		return h.sendNothing(w, r, d.ID, by)
	}
	rev, err := h.importer.Apply(ctx, d.ID, r.Values.Get("note"), by)
	if err != nil {
		return err
	}
	h.changed()
	return h.sendImport(w, r, http.StatusCreated, d.ID, &rev)
}

// sendNothing answers that there was nothing to apply, and takes the draft away: who imports the same file every day
// would leave many.
func (h *Handler) sendNothing(w http.ResponseWriter, r *site.Request, id int64, by audit.Actor) error {
	p, err := h.importer.Preview(r.Context(), id)
	if err == nil {
		err = h.store.Discard(context.WithoutCancel(r.Context()), id, by)
	}
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, imports.PreviewOf(&p, 0, 0, nil))
}

// Pages of lists.
const (
	usualLimit = 100
	mostLimit  = 1000
)

// span reads from and limit.
func span(v url.Values) (from, limit int, err error) {
	if from, err = wholeNumber(v, "from", 0, 1<<31-1, 0); err == nil {
		limit, err = wholeNumber(v, "limit", 1, mostLimit, usualLimit)
	}
	return from, limit, err
}

// nextSpan is the address of a list from another place on.
func nextSpan(r *site.Request, from int) string {
	q := url.Values{}
	for k, v := range r.Values {
		q[k] = v
	}
	q.Set("from", strconv.Itoa(from))
	return r.URL.Path + "?" + q.Encode()
}

// nextOf is the address after a part of a list; nil after the last.
func nextOf(r *site.Request, from, got, total int) *string {
	if got == 0 || from+got >= total {
		return nil
	}
	next := nextSpan(r, from+got)
	return &next
}

func (h *Handler) sendImport(
	w http.ResponseWriter, r *site.Request, status int, id int64, rev *importer.Revision,
) error {
	from, limit := 0, usualLimit
	if r.Method == http.MethodGet {
		var err error
		if from, limit, err = span(r.Values); err != nil {
			return err
		}
	}
	p, err := h.importer.Preview(r.Context(), id)
	if err != nil {
		return err
	}
	at := "/api/v1/imports/" + strconv.FormatInt(id, 10)
	out := imports.PreviewOf(&p, from, limit, func(from int) string {
		return at + "?from=" + strconv.Itoa(from) + "&limit=" + strconv.Itoa(limit)
	})
	if rev != nil {
		shape := imports.RevisionOf(*rev)
		out.Revision = &shape
	}
	if status == http.StatusCreated {
		w.Header().Set("Location", at)
	}
	return sendJSON(w, status, out)
}

func missing(param string) error {
	return api.BadParams([]catalog.ParamError{{Param: param, Code: catalog.Missing}})
}
