package session

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"tianti/account"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// Show answers with a page that nobody keeps.
func (h *Handler) Show(w http.ResponseWriter, r *site.Request, status int, c templ.Component) error {
	a, err := site.Rendered(c)
	if err == nil {
		err = a.Render(r.Context())
	}
	if err != nil {
		return err
	}
	a.Status, a.Unstored = status, true
	h.site.Send(w, r.Request, site.NewPage(a, r.Pattern))
	return nil
}

// maxForm bounds the body of a form without files.
const maxForm = 64 << 10

// Posted are the fields of a form; each may stand there once.
func Posted(w http.ResponseWriter, r *site.Request) (url.Values, error) {
	if err := ReadForm(w, r, maxForm); err != nil {
		return nil, err
	}
	for _, given := range r.PostForm {
		if len(given) > 1 {
			return nil, api.NewProblem(http.StatusBadRequest, "A field of the form is given more than once.")
		}
	}
	return r.PostForm, nil
}

// ReadForm reads a form that was sent, of either type, of so many bytes at most.
func ReadForm(w http.ResponseWriter, r *site.Request, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var err error
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-www-form-urlencoded":
		err = r.ParseForm()
	case "multipart/form-data":
		err = r.ParseMultipartForm(most)
	default:
		return api.NewProblem(http.StatusUnsupportedMediaType,
			"The form wants application/x-www-form-urlencoded or multipart/form-data.")
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return api.NewProblem(http.StatusRequestEntityTooLarge, "The form is longer than %d bytes.", most)
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "The form cannot be read: its fields are not encoded as they "+
			"should be.")
	}
	return nil
}

// AdminLayout is the layout of a page of the administration; with a state it says which revision is shown, which is for
// people who may see the catalogue.
func (h *Handler) AdminLayout(r *site.Request, st *site.State, title string) ui.Layout {
	l := h.site.Layout(r, st, ui.NavNone, "")
	l.Title, l.NoIndex, l.Canonical = title, true, ""
	return l
}

// RuleText says which rule a name or password breaks; empty for another error, and for one about another field. An
// error may join several.
func RuleText(l *locale.Locale, err error, field string) string {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			if text := RuleText(l, one, field); text != "" {
				return text
			}
		}
		return ""
	}
	if e, ok := errors.AsType[*account.RuleError](err); ok && e.Field == field {
		return l.T("account.rule." + e.Field + "." + string(e.Rule))
	}
	return ""
}
