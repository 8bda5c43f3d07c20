// Package webhooks is where administrators name addresses that are told of changes, see what became of messages, and
// change secrets: as pages, and in the API.
package webhooks

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
	"tianti/webhook"
)

// Store is what the pages need of a database.
type Store interface {
	Webhooks(ctx context.Context) ([]webhook.Endpoint, error)
	Webhook(ctx context.Context, key int64) (webhook.Endpoint, error)
	AddWebhook(ctx context.Context, e webhook.Endpoint) (webhook.Endpoint, error)
	SetWebhook(ctx context.Context, key int64, events []webhook.Event, disabled webhook.Reason) error
	RotateWebhook(ctx context.Context, key int64, secret []byte, until time.Time) error
	RemoveWebhook(ctx context.Context, key int64) error
	Deliveries(ctx context.Context, key int64, n int) ([]webhook.Delivery, error)
	AddDelivery(ctx context.Context, d webhook.Delivery) error
}

// Config is what there is to administer.
type Config struct {
	Store   Store          // nil: nothing is told
	Private []netip.Prefix // networks that may be reached besides public addresses
	Poke    func()         // called when there is something to send; may be nil
}

// A Handler answers the pages and operations of webhooks.
type Handler struct {
	site    *site.Site
	session *session.Handler
	cfg     Config
}

// New returns a handler of a site.
func New(s *site.Site, users *session.Handler, cfg Config) *Handler {
	if cfg.Poke == nil {
		cfg.Poke = func() {}
	}
	return &Handler{site: s, session: users, cfg: cfg}
}

// Path is where the pages begin.
const Path = "/admin/webhooks"

// shown is how many messages of an endpoint are listed.
const shown = 50

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	if h.cfg.Store == nil || !h.site.SignIn || h.site.ReadOnly {
		return nil
	}
	admin := h.session.Admin
	post := func(path string, page session.AdminPage) site.Route {
		return site.Route{Method: http.MethodPost, Pattern: Path + path, Serve: admin(page)}
	}
	return []site.Route{
		{Pattern: Path, Serve: admin(h.list)}, post("", h.add),
		{Pattern: Path + "/{id}", Serve: admin(h.one)}, post("/{id}", h.change), post("/{id}/test", h.test),
		post("/{id}/rotate", h.rotate), post("/{id}/remove", h.remove),
	}
}

// find is the endpoint that an address names.
func (h *Handler) find(r *site.Request) (webhook.Endpoint, error) {
	key, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err == nil {
		var e webhook.Endpoint
		if e, err = h.cfg.Store.Webhook(r.Context(), key); err == nil {
			return e, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
		err = api.NewProblem(http.StatusNotFound, "There is no webhook %q.", catalog.Clip(r.PathValue("id")))
	}
	return webhook.Endpoint{}, err
}

// list answers GET /admin/webhooks.
func (h *Handler) list(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("done"); err != nil {
		return err
	}
	p := formData{events: webhook.Events[1:]}
	if r.Values.Get("done") == "remove" {
		p.done = r.Loc.T("webhooks.done.remove")
	}
	return h.showList(w, r, http.StatusOK, p)
}

// formData is what the page of all endpoints shows besides them.
type formData struct {
	done, url, note string
	events          []webhook.Event
	wrong           *webhook.FieldError
}

func (h *Handler) showList(w http.ResponseWriter, r *site.Request, status int, f formData) error {
	list, err := h.cfg.Store.Webhooks(r.Context())
	if err != nil {
		return err
	}
	l := r.Loc
	r.Path = Path
	p := listPage{Layout: h.session.AdminLayout(r, h.site.State.Load(), l.T("webhooks.title")), Crumbs: crumbs(l),
		Done: f.done, Action: l.Path(Path), Events: eventOptions(l, f.events),
		Fields: []ui.FormField{
			{ID: "url", Label: l.T("webhooks.url"), Type: "text", Value: f.url, Autocomplete: "off",
				Help: l.T("webhooks.urlhelp")},
			{ID: "note", Label: l.T("webhooks.note"), Type: "text", Value: f.note, Autocomplete: "off",
				Help: l.T("webhooks.notehelp"), Optional: true},
		}}
	if f.wrong != nil {
		p.Problem = fieldText(l, f.wrong)
		for i := range p.Fields {
			if p.Fields[i].ID == f.wrong.Field {
				p.Fields[i].Problem = p.Problem
			}
		}
	}
	for i := range list {
		p.Rows = append(p.Rows, rowOf(l, &list[i]))
	}
	return h.session.Show(w, r, status, p.Page())
}

// fieldText says what is wrong with a field.
func fieldText(l *locale.Locale, e *webhook.FieldError) string {
	return l.T("webhooks.wrong." + e.Code)
}

func eventOptions(l *locale.Locale, chosen []webhook.Event) []ui.Option {
	var out []ui.Option
	for _, e := range webhook.Events {
		out = append(out, ui.Option{Value: string(e), Label: l.T("webhooks.events." + string(e)),
			Selected: slices.Contains(chosen, e)})
	}
	return out
}

// chosenEvents are the events whose boxes are ticked.
func chosenEvents(form url.Values) (out []webhook.Event) {
	for _, e := range webhook.Events {
		if form.Get(string(e)) != "" {
			out = append(out, e)
		}
	}
	return out
}

// add answers POST /admin/webhooks: the secret stands in the answer, and nowhere else.
func (h *Handler) add(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	e := webhook.Endpoint{URL: form.Get("url"), Note: form.Get("note"), Events: chosenEvents(form),
		Secret: webhook.NewSecret()}
	made, err := h.create(r.Context(), e)
	if wrong, ok := webhook.IsField(err); ok {
		return h.showList(w, r, http.StatusUnprocessableEntity,
			formData{url: e.URL, note: e.Note, events: e.Events, wrong: wrong})
	}
	if err != nil {
		return err
	}
	return h.show(w, r, &made, onePage{Secret: webhook.Text(e.Secret), Done: r.Loc.T("webhooks.done.add")})
}

// create keeps an endpoint that is as it may be.
func (h *Handler) create(ctx context.Context, e webhook.Endpoint) (webhook.Endpoint, error) {
	if err := e.Check(h.cfg.Private); err != nil {
		return e, err
	}
	made, err := h.cfg.Store.AddWebhook(ctx, e)
	if errors.Is(err, webhook.ErrTooMany) {
		err = api.NewProblem(http.StatusConflict, "There are %d webhooks, as many as can be.", webhook.MostEndpoints)
	}
	return made, err
}

// one answers GET /admin/webhooks/{id}.
func (h *Handler) one(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only("done"); err != nil {
		return err
	}
	e, err := h.find(r)
	if err != nil {
		return err
	}
	var p onePage
	switch done := r.Values.Get("done"); done {
	case "change", "test":
		p.Done = r.Loc.T("webhooks.done." + done)
	}
	return h.show(w, r, &e, p)
}

// show answers with the page of an endpoint.
func (h *Handler) show(w http.ResponseWriter, r *site.Request, e *webhook.Endpoint, p onePage) error {
	list, err := h.cfg.Store.Deliveries(r.Context(), e.Key, shown)
	if err != nil {
		return err
	}
	l := r.Loc
	r.Path = pathOf(e.Key)
	row := rowOf(l, e)
	p.Layout = h.session.AdminLayout(r, h.site.State.Load(), l.T("webhooks.one", row.ID))
	p.Crumbs = append(crumbs(l), ui.Link{Label: l.T("webhooks.title"), Href: l.Path(Path)})
	p.Row, p.Action, p.Events = row, l.Path(r.Path), eventOptions(l, e.Events)
	p.Enabled = e.Disabled == ""
	if e.Old != nil && h.site.Now().Before(e.OldUntil) {
		p.Both = l.T("webhooks.both", moment(e.OldUntil))
	}
	for i := range list {
		p.Messages = append(p.Messages, messageOf(l, &list[i]))
	}
	return h.session.Show(w, r, http.StatusOK, p.Page())
}

// change answers the form of what an endpoint is told.
func (h *Handler) change(w http.ResponseWriter, r *site.Request) error {
	form, err := session.Posted(w, r)
	if err != nil {
		return err
	}
	e, err := h.find(r)
	if err != nil {
		return err
	}
	events := chosenEvents(form)
	if wrong, ok := webhook.IsField(webhook.CheckEvents(events)); ok {
		return h.show(w, r, &e, onePage{Problem: fieldText(r.Loc, wrong)})
	}
	if err := h.cfg.Store.SetWebhook(r.Context(), e.Key, events, reasonOf(&e, form.Get("enabled") != "")); err != nil {
		return err
	}
	return h.goTo(w, r, pathOf(e.Key), "change")
}

// reasonOf is why an endpoint is told nothing, where it is to be told something or not.
func reasonOf(e *webhook.Endpoint, enabled bool) webhook.Reason {
	switch {
	case enabled:
		return ""
	case e.Disabled != "":
		return e.Disabled
	}
	return webhook.Off
}

// test answers the button that sends a message.
func (h *Handler) test(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	if err := h.cfg.Store.AddDelivery(r.Context(), webhook.NewTest(e.Key, h.site.Now())); err != nil {
		return err
	}
	h.cfg.Poke()
	return h.goTo(w, r, pathOf(e.Key), "test")
}

// rotate answers the button for another secret, which stands in the answer.
func (h *Handler) rotate(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	secret, err := h.newSecret(r.Context(), e.Key)
	if err != nil {
		return err
	}
	if e, err = h.find(r); err != nil {
		return err
	}
	return h.show(w, r, &e, onePage{Secret: secret, Done: r.Loc.T("webhooks.done.rotate")})
}

func (h *Handler) newSecret(ctx context.Context, key int64) (string, error) {
	secret := webhook.NewSecret()
	err := h.cfg.Store.RotateWebhook(ctx, key, secret, h.site.Now().Add(webhook.OldSecretFor))
	return webhook.Text(secret), err
}

// remove answers the button that forgets an endpoint.
func (h *Handler) remove(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err == nil {
		err = h.cfg.Store.RemoveWebhook(r.Context(), e.Key)
	}
	if err != nil {
		return err
	}
	return h.goTo(w, r, Path, "remove")
}

func (h *Handler) goTo(w http.ResponseWriter, r *site.Request, path, done string) error {
	w.Header()["Cache-Control"] = site.NoStore
	http.Redirect(w, r.Request, r.Loc.Path(path)+"?"+site.ParamsEncoded("done", done), http.StatusSeeOther)
	return nil
}

func pathOf(key int64) string { return Path + "/" + strconv.FormatInt(key, 10) }

func crumbs(l *locale.Locale) []ui.Link {
	return []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}
}
