package webhooks

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"

	"tianti/audit"
	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/webhook"
)

// Operations are those of the API. Without a database they answer 403.
func (h *Handler) Operations() []site.Operation {
	var out []site.Operation
	for _, o := range []struct {
		api.Operation
		answer func(http.ResponseWriter, *site.Request) error
	}{
		{listOp, h.apiList}, {createOp, h.apiCreate}, {getOp, h.apiGet}, {changeOp, h.apiChange},
		{rotateOp, h.apiRotate}, {testOp, h.apiTest}, {removeOp, h.apiRemove},
	} {
		out = append(out, site.Operation{Operation: o.Operation, Serve: h.managed(o.Operation, o.answer)})
	}
	return out
}

func op(
	id, method, path string, answer any, summary, description catalog.Text, errs []int, params ...api.Param,
) api.Operation {
	o := api.Operation{ID: id, Method: method, Path: "/api/v1/webhooks" + path, Answer: answer, Summary: summary,
		Description: description, Errors: append([]int{401, 403}, errs...), Managed: true}
	if path != "" {
		o.Errors = append(o.Errors, 404)
		o.Params = append(o.Params, api.Param{Name: "id", In: "path", Type: "integer", Required: true,
			Description: catalog.Text{En: "number of the webhook", Zh: "Webhook 的编号"}})
	}
	o.Params = append(o.Params, params...)
	return o
}

var (
	listOp = op("list-webhooks", http.MethodGet, "", api.Webhooks{},
		catalog.Text{En: "Addresses that are told of changes", Zh: "接收变更通知的地址"},
		catalog.Text{En: "The oldest first, without secrets.", Zh: "按添加顺序排列，不含密钥。"}, nil)
	createOp = func() api.Operation {
		o := op("create-webhook", http.MethodPost, "", api.Webhook{},
			catalog.Text{En: "Add an address", Zh: "添加地址"},
			catalog.Text{En: "The body is a JSON object with url, events and, if you like, note. The answer has the " +
				"secret that signs messages, which is not shown again.",
				Zh: "请求体为 JSON 对象，含 url、events 与可选的 note。返回用于签名的密钥，仅此一次。"}, []int{409, 413, 415, 422})
		o.Body, o.Created = "application/json", true
		return o
	}()
	getOp = op("get-webhook", http.MethodGet, "/{id}", api.WebhookDetail{},
		catalog.Text{En: "An address and its messages", Zh: "地址及其消息"},
		catalog.Text{En: "With the last answers.", Zh: "含最近的响应。"}, nil)
	changeOp = op("change-webhook", http.MethodPost, "/{id}", api.WebhookDetail{},
		catalog.Text{En: "Change what is sent", Zh: "修改发送设置"},
		catalog.Text{En: "What is not given stays as it is. One that is enabled again is told of what happens from " +
			"then on.",
			Zh: "未给出的设置保持不变。重新启用后，仅通知此后的变更。"}, []int{422},
		api.Param{Name: "events", Type: "string", Many: true, Enum: names(), Description: catalog.Text{
			En: "what to tell of", Zh: "通知的事件"}},
		api.Param{Name: "enabled", Type: "boolean", Description: catalog.Text{
			En: "whether messages are sent", Zh: "是否发送消息"}})
	rotateOp = op("rotate-webhook-secret", http.MethodPost, "/{id}/rotate", api.Webhook{},
		catalog.Text{En: "Make a new secret", Zh: "更换密钥"},
		catalog.Text{En: "For 24 hours the one before signs besides.", Zh: "24 小时内旧密钥同时签名。"}, nil)
	testOp = op("test-webhook", http.MethodPost, "/{id}/test", api.WebhookMessage{},
		catalog.Text{En: "Send a test", Zh: "发送测试消息"},
		catalog.Text{En: "The message is sent at once, once; what became of it is among the messages of the webhook.",
			Zh: "立即发送一次；结果见该 Webhook 的消息。"}, nil)
	removeOp = op("remove-webhook", http.MethodDelete, "/{id}", nil,
		catalog.Text{En: "Remove an address", Zh: "删除地址"},
		catalog.Text{En: "Its messages are forgotten.", Zh: "其消息记录一并删除。"}, nil)
)

func names() (out []string) {
	for _, e := range webhook.Events {
		out = append(out, string(e))
	}
	return out
}

// managed lets in who may import; its answers are for nobody else, and are not kept.
func (h *Handler) managed(o api.Operation, answer func(http.ResponseWriter, *site.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		site.NoteRoute(w, httpReq)
		w.Header()["Cache-Control"] = site.NoStore
		r := site.NewRequest(httpReq)
		r.Format = site.AsJSON
		by, err := h.session.Authorize(httpReq, session.ToImport)
		site.NoteAccount(w, by.Name)
		if err == nil && (h.cfg.Store == nil || h.site.ReadOnly) {
			err = site.ErrReadOnly
		}
		if err == nil {
			err = r.Parse()
		}
		if err == nil {
			err = only(o, r)
		}
		if err == nil {
			r.Request = httpReq.WithContext(audit.WithActor(httpReq.Context(), by))
			err = answer(w, r)
		}
		if wrong, ok := webhook.IsField(err); ok {
			p := api.NewProblem(http.StatusUnprocessableEntity, "%s: want %s.", wrong.Field, wrong.Want)
			p.Errors = []api.ProblemField{{Parameter: wrong.Field, Code: "bad_" + wrong.Code, Detail: p.Detail}}
			err = p
		}
		if err != nil {
			h.site.Fail(w, r, nil, err)
		}
	}
}

// only refuses parameters that the operation does not have; events may be there more than once.
func only(o api.Operation, r *site.Request) error {
	events := r.Values["events"]
	if len(events) > len(webhook.Events) {
		return &webhook.FieldError{Field: "events", Code: "events", Want: "each once"}
	}
	if len(events) > 1 && slices.Contains(o.QueryParams(), "events") {
		r.Values["events"] = events[:1]
		defer func() { r.Values["events"] = events }()
	}
	return r.Only(o.QueryParams()...)
}

func send(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(api.Encode(v)) // the client may be gone
	return nil
}

func (h *Handler) apiList(w http.ResponseWriter, r *site.Request) error {
	list, err := h.cfg.Store.Webhooks(r.Context())
	if err != nil {
		return err
	}
	out := api.Webhooks{Items: []api.Webhook{}}
	for i := range list {
		out.Items = append(out.Items, api.WebhookOf(&list[i], h.site.Now()))
	}
	return send(w, http.StatusOK, out)
}

// maxBody bounds the body of a request, in bytes.
const maxBody = 16 << 10

func (h *Handler) apiCreate(w http.ResponseWriter, r *site.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return api.NewProblem(http.StatusUnsupportedMediaType, "The body wants application/json.")
	}
	var given struct {
		URL    string          `json:"url"`
		Note   string          `json:"note"`
		Events []webhook.Event `json:"events"`
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return api.NewProblem(http.StatusRequestEntityTooLarge, "The body is larger than %d bytes.", maxBody)
		}
		return api.NewProblem(http.StatusBadRequest, "The body is no JSON object with url, events and note: %s.",
			catalog.Clip(err.Error()))
	}
	e := webhook.Endpoint{URL: given.URL, Note: given.Note, Events: given.Events, Secret: webhook.NewSecret()}
	made, err := h.create(r.Context(), e)
	if err != nil {
		return err
	}
	out := api.WebhookOf(&made, h.site.Now())
	out.Secret = webhook.Text(e.Secret)
	return send(w, http.StatusCreated, out)
}

func (h *Handler) apiGet(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	list, err := h.cfg.Store.Deliveries(r.Context(), e.Key, shown)
	if err != nil {
		return err
	}
	out := api.WebhookDetail{Webhook: api.WebhookOf(&e, h.site.Now()), Messages: []api.WebhookMessage{}}
	for i := range list {
		out.Messages = append(out.Messages, api.WebhookMessageOf(&list[i]))
	}
	return send(w, http.StatusOK, out)
}

func (h *Handler) apiChange(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	events, enabled := e.Events, e.Disabled == ""
	if r.Values.Has("events") {
		events = nil
		for _, v := range r.Values["events"] {
			events = append(events, webhook.Event(v))
		}
		if err := webhook.CheckEvents(events); err != nil {
			return err
		}
	}
	switch v := r.Values.Get("enabled"); v {
	case "":
	case "true", "false":
		enabled = v == "true"
	default:
		return api.BadParams([]catalog.ParamError{{Param: "enabled", Value: catalog.Clip(v), Code: catalog.UnknownValue,
			Allowed: "true, false"}})
	}
	if err := h.cfg.Store.SetWebhook(r.Context(), e.Key, events, reasonOf(&e, enabled)); err != nil {
		return err
	}
	return h.apiGet(w, r)
}

func (h *Handler) apiRotate(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	secret, err := h.newSecret(r.Context(), e.Key)
	if err == nil {
		e, err = h.find(r)
	}
	if err != nil {
		return err
	}
	out := api.WebhookOf(&e, h.site.Now())
	out.Secret = secret
	return send(w, http.StatusOK, out)
}

func (h *Handler) apiTest(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err != nil {
		return err
	}
	d := webhook.NewTest(e.Key, h.site.Now())
	if err := h.cfg.Store.AddDelivery(r.Context(), d); err != nil {
		return err
	}
	h.cfg.Poke()
	d.State = webhook.Pending
	return send(w, http.StatusOK, api.WebhookMessageOf(&d))
}

func (h *Handler) apiRemove(w http.ResponseWriter, r *site.Request) error {
	e, err := h.find(r)
	if err == nil {
		err = h.cfg.Store.RemoveWebhook(r.Context(), e.Key)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
