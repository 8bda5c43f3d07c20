package calculator

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
)

// maxConfigForm bounds the form with a configuration: twice the file, and what stands
// around it. A file that is longer than [sizing.MaxConfigBytes] is refused by what reads it.
const maxConfigForm = 2*sizing.MaxConfigBytes + 64<<10

// configuration answers /calculator with a config.json that was pasted or chosen.
// Nothing of it is kept.
func (h *Handler) configuration(st *site.State, r *site.Request) (site.Plan, error) {
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	c := calculation{adv: adv, context: calcContext, cards: calcCards}
	form, text := readConfigForm(r.Request)
	switch {
	case form == nil:
		c.errs = []catalog.ParamError{{Param: "config", Code: catalog.TooLong, Allowed: "≤ 1 MiB"}}
		form = url.Values{}
	case strings.TrimSpace(text) == "":
		c.errs = []catalog.ParamError{{Param: "config", Code: catalog.Missing}}
	default:
		c.askConfig(text, form)
	}
	return site.Plan{Render: func() (site.Answer, error) {
		v := h.view(st, r, &c, form, url.Values{}, "")
		if v.Config.Invalid = len(c.errs) > 0; len(text) <= sizing.MaxConfigBytes {
			v.Config.Text = text
		}
		a, err := site.Rendered(v.Page())
		if a.Uncached, a.Unstored = true, true; len(c.errs) > 0 {
			a.Status = http.StatusBadRequest
		}
		return a, err
	}}, nil
}

// readConfigForm is the setting and the text of a form, that of the file where one was
// chosen; nil where the form is too long or is none.
func readConfigForm(r *http.Request) (url.Values, string) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxConfigForm)
	if err := r.ParseMultipartForm(maxConfigForm); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, ""
	}
	form, text := url.Values{}, r.PostFormValue("config")
	for _, name := range calcSetting {
		if v := strings.TrimSpace(r.PostFormValue(name)); v != "" {
			form.Set(name, v)
		}
	}
	if file, _, err := r.FormFile("file"); err == nil {
		defer file.Close()
		if chosen, err := io.ReadAll(file); err == nil && len(chosen) > 0 {
			text = string(chosen)
		}
	}
	return form, text
}

// askConfig reads a configuration, and the setting with the rules of the estimator.
func (c *calculation) askConfig(text string, form url.Values) {
	m, errs := c.adv.ReadConfig(strings.NewReader(text))
	if len(errs) > 0 {
		c.errs = errs
		return
	}
	setting := url.Values{"params": {"1"}} // any model: the setting does not depend on it
	for name, v := range form {
		setting[name] = v
	}
	if c.ask(setting); len(c.errs) == 0 {
		c.model = m
	}
	switch most := m.MaxContext; {
	case most > 0 && !form.Has("context"):
		c.context = min(calcContext, most)
	case most > 0 && c.context > most && !c.long:
		c.model, c.errs = nil, []catalog.ParamError{{Param: "context", Value: strconv.Itoa(c.context),
			Code: catalog.BeyondModel, Allowed: catalog.Listed("1 … "+strconv.Itoa(most), longContext+"=yes")}}
	}
}

// apiConfig answers what a config.json says of a model.
func (h *Handler) apiConfig(st *site.State, r *site.Request) (site.Plan, error) {
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		!slices.Contains([]string{"application/json", "text/plain", "application/octet-stream"}, kind) {
		return site.Plan{}, api.NewProblem(http.StatusUnsupportedMediaType,
			"The body is a config.json: send it with Content-Type: application/json.")
	}
	m, errs := adv.ReadConfig(http.MaxBytesReader(nil, r.Body, sizing.MaxConfigBytes+1))
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	return site.Plan{Render: func() (site.Answer, error) {
		a, err := site.JSONAnswer(api.Configuration(st.Snap, adv.Models, m))
		a.Uncached, a.Unstored = true, true
		return a, err
	}}, nil
}
