package home

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// openAPI answers with the description of the API; its examples are the answers
// of the catalogue as it is.
func (h *Handler) openAPI(st *site.State, r *site.Request) (site.Plan, error) {
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	handlers := map[string]site.Operation{}
	for _, o := range h.site.Operations {
		handlers[o.ID] = o
	}
	// examples hold prices of today
	return site.Plan{Key: r.URL.Path, Dated: true, Render: func() (site.Answer, error) {
		body := h.examples.keep(st, h.site.Today(), "", func() []byte {
			return api.Encode(api.Document(h.version, h.site.Origin, site.Described(h.site.Operations),
				func(id, path string) any { return h.example(st, handlers[id], path) }))
		})
		return site.Answer{ContentType: "application/json", Body: body}, nil
	}}, nil
}

// kept are the examples of a catalogue on a day, by address, and under "" the document that is made of them: to make
// them takes as long as fifty pages.
type kept struct {
	mu     sync.Mutex
	st     *site.State
	day    string
	bodies map[string][]byte
}

// keep returns what is kept under a name, and makes it where there is none. Two that make the same at once both do.
func (k *kept) keep(st *site.State, day, name string, make func() []byte) []byte {
	if body, ok := k.of(st, day)[name]; ok {
		return body
	}
	body := make()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.st == st && k.day == day {
		k.bodies = maps.Clone(k.bodies)
		k.bodies[name] = body
	}
	return body
}

// of are the bodies of a state on a day; nobody changes them.
func (k *kept) of(st *site.State, day string) map[string][]byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.st != st || k.day != day {
		k.st, k.day, k.bodies = st, day, map[string][]byte{}
	}
	return k.bodies
}

// example is the answer to an address of the API, or nil when the catalogue lacks
// what it asks for.
func (h *Handler) example(st *site.State, o site.Operation, path string) any {
	raw := h.exampleBody(st, o, path)
	if raw == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}

// exampleBody is the answer of an operation to an address.
func (h *Handler) exampleBody(st *site.State, o site.Operation, path string) []byte {
	return h.examples.keep(st, h.site.Today(), path, func() []byte { return answered(st, o, path) })
}

// mostExample is how long an example may be, in bytes: with a long history an answer may have megabytes.
const mostExample = 256 << 10

// answered runs the handler of an operation without a client.
func answered(st *site.State, o site.Operation, path string) []byte {
	if o.Handle == nil {
		return nil
	}
	httpReq, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil
	}
	r := site.NewRequest(httpReq)
	if r.Parse() != nil {
		return nil
	}
	pl, err := o.Handle(st, r)
	if err != nil || pl.Least > mostExample {
		return nil
	}
	a, err := pl.Render()
	if err != nil || len(a.Body) > mostExample {
		return nil
	}
	return bytes.Clone(a.Body)
}

// apiPage is the API for people.
func (h *Handler) apiPage(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/api" {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	// as its examples
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Dated: true, Render: func() (site.Answer, error) {
		v := apiData{Layout: h.site.Layout(r, st, ui.NavAPI, ""), Base: h.site.Origin, SpecURL: "/api/openapi.json"}
		v.Title, v.Description = r.Loc.T("api.title"), r.Loc.T("api.lede")
		for _, o := range h.site.Operations {
			v.Operations = append(v.Operations, h.operationView(st, r.Loc, o))
		}
		nameOnce(v.Operations)
		return site.Rendered(v.Page())
	}}, nil
}

func (h *Handler) operationView(st *site.State, l *locale.Locale, o site.Operation) operationData {
	out := operationData{ID: o.ID, Method: o.HTTPMethod(), Path: o.Path, Summary: display.Pick(l, o.Summary),
		Description: display.Pick(l, o.Description)}
	for _, p := range o.Params {
		in := p.In
		if in == "" {
			in = "query"
		}
		kind := p.Type
		if len(p.Enum) > 0 {
			kind = strings.Join(p.Enum, ", ")
		}
		out.Params = append(out.Params, apiParam{Name: p.Name, In: in, Type: kind, Default: p.Default,
			Required: p.Required, Description: display.Pick(l, p.Description)})
	}
	for _, path := range o.Examples {
		if raw := h.exampleBody(st, o, path); raw != nil {
			out.Examples = append(out.Examples, apiExampleData{Request: path, Response: shortened(raw)})
		}
	}
	return out
}

// alike is how many parameters two operations have in common before they are described once.
const alike = 5

// nameOnce leaves out the parameters that an operation before describes in the same words, and names them.
func nameOnce(list []operationData) {
	described := make([][]apiParam, len(list))
	for i := range list {
		described[i] = slices.Clone(list[i].Params)
	}
	for i := range list {
		o := &list[i]
		for j := range i {
			var same []string
			rest := slices.DeleteFunc(slices.Clone(o.Params), func(p apiParam) bool {
				if !slices.Contains(described[j], p) {
					return false
				}
				same = append(same, p.Name)
				return true
			})
			if len(same) >= alike {
				o.Params = rest
				o.Shared = append(o.Shared, apiShared{ui.Link{Label: list[j].Path, Href: "#" + list[j].ID},
					strings.Join(same, ", ")})
			}
		}
	}
}

// shortened is JSON indented, cut after some lines.
func shortened(raw []byte) string {
	const most = 24
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return ""
	}
	lines := strings.SplitN(strings.TrimSpace(b.String()), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return strings.Join(lines, "\n")
}
