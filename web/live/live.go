package live

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/live"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// How long an answer waits for readings that are not older than the interval.
const (
	LivePatience   = 2 * time.Second
	FilterPatience = 200 * time.Millisecond // of the catalogue when it is asked what is here
)

// LiveView is what the devices are doing: fresh within the patience, else what is
// known. Without a source it says so.
func (h *Handler) LiveView(ctx context.Context, patience time.Duration) live.View {
	if h.hub == nil {
		return live.View{State: live.Unavailable, Reason: api.NoLiveSource, Now: h.site.Now()}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.hub.Fresh(ctx)
}

// params is what the address of the live page asks.
type params struct {
	host string // empty: all
	sort string // empty: by index
	down bool
	show string // all: nothing is folded away
}

// encode is the canonical query.
func (q params) encode() string {
	var parts []string
	if q.host != "" {
		parts = append(parts, site.ParamsEncoded("host", q.host))
	}
	if q.sort != "" {
		key := q.sort
		if q.down {
			key = "-" + key
		}
		parts = append(parts, "sort="+key)
	}
	if q.show != "" {
		parts = append(parts, "show="+q.show)
	}
	return strings.Join(parts, "&")
}

// readParams reads the parameters host, sort and show.
func readParams(r *site.Request) (params, error) {
	if err := r.Only("host", "sort", "show"); err != nil {
		return params{}, err
	}
	q := params{host: r.Values.Get("host"), show: r.Values.Get("show")}
	if q.show != "" && q.show != "all" {
		return q, api.BadParams(
			[]catalog.ParamError{
				{Param: "show", Value: catalog.Clip(q.show), Code: catalog.UnknownValue, Allowed: "all"},
			},
		)
	}
	key, down := strings.CutPrefix(r.Values.Get("sort"), "-")
	if key == "" {
		return q, nil
	}
	ids := []string{"name"}
	for _, c := range liveColumns {
		ids = append(ids, c.id)
	}
	if !slices.Contains(ids, key) {
		return q, api.BadParams(
			[]catalog.ParamError{
				{
					Param:   "sort",
					Value:   catalog.Clip(key),
					Code:    catalog.UnknownValue,
					Allowed: strings.Join(ids, ", "),
					Nearest: catalog.Nearest(key, ids, 3),
				},
			},
		)
	}
	q.sort, q.down = key, down
	return q, nil
}

// live answers /live and /live.json. Its answers are of this moment: nobody keeps them.
func (h *Handler) live(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/live" {
		return h.site.NotFound(st, r)
	}
	q, err := readParams(r)
	if err != nil {
		return site.Plan{}, err
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) {
			v := h.LiveView(r.Context(), LivePatience)
			page := h.livePage(st, r, q, &v)
			h.addProcesses(r, &page, q.host, &v)
			a, err := site.Rendered(page.Page())
			return ofNow(a), err
		},
		site.AsJSON: func() (site.Answer, error) {
			v := h.LiveView(r.Context(), LivePatience)
			a, err := site.JSONAnswer(h.liveAnswer(st, r, q.host, &v))
			return ofNow(a), err
		},
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render}, nil
}

// apiLive answers /api/v1/live.
func (h *Handler) apiLive(st *site.State, r *site.Request) (site.Plan, error) {
	host := r.Values.Get("host")
	return site.Plan{Key: r.URL.Path + "?" + host, Render: func() (site.Answer, error) {
		v := h.LiveView(r.Context(), LivePatience)
		a, err := site.JSONAnswer(h.liveAnswer(st, r, host, &v))
		return ofNow(a), err
	}}, nil
}

// ofNow is the answer as one that is kept nowhere.
func ofNow(a site.Answer) site.Answer {
	a.Uncached, a.Unstored = true, true
	return a
}

// mostLive is how many devices the page shows; more are shown by host.
const mostLive = 256

// mostStrips is how many devices have a row in the heat strip.
const mostStrips = 64

func (s *Handler) livePage(st *site.State, r *site.Request, q params, v *live.View) liveData {
	l := r.Loc
	p := liveData{
		Layout:    s.site.Layout(r, st, ui.NavLive, q.encode()),
		ReloadURL: r.Address(l, site.HTML, q.encode()),
		MethodURL: "#method",
	}
	p.NoIndex, p.Alternates.JSON = true, r.Address(l, site.AsJSON, q.encode())
	p.Title, p.Description = l.T("livepage.title"), l.T("livepage.description")
	b := liveBuilder{s: s, snap: st.Snap, l: l, v: v, q: q}
	p.Status = b.status()
	if s.hub != nil {
		p.Shape = liveShape(v, q.host)
		p.StreamURL = l.Path("/live/stream")
		if q.host != "" {
			p.StreamURL += "?" + site.ParamsEncoded("host", q.host)
		}
	}
	for _, key := range live.Methods {
		p.Methods = append(p.Methods, liveMethod{ID: methodID(key), Title: l.T(key + "title"), Text: l.T(key + "text")})
	}
	p.Filter, p.Fleet = b.hostFilter(), b.fleet()
	matched := live.MatchFrame(st.Snap, &v.Frame)
	devices := 0
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		p.Total += len(h.Devices)
		if q.host != "" && h.Name != q.host || len(h.Devices) == 0 {
			continue
		}
		if devices += len(h.Devices); devices > mostLive && len(p.Hosts) > 0 {
			p.Left += len(h.Devices)
			continue
		}
		tiles, heat := b.tiles(h, matched)
		p.Tiles, p.Heat = append(p.Tiles, tiles...), append(p.Heat, heat...)
		p.Hosts = append(p.Hosts, b.host(i, h, matched))
	}
	p.Heat = p.Heat[:min(len(p.Heat), mostStrips)]
	p.fold(q, &b)
	if s.hub != nil {
		p.Span = b.span()
	}
	b.now(&p, st)
	return p
}

// methodID is the anchor of an explanation.
func methodID(key string) string {
	return "live-" + strings.TrimSuffix(strings.TrimPrefix(key, "live.method."), ".")
}

// hostFilter are links to each host, when there are several.
func (b *liveBuilder) hostFilter() []ui.Link {
	hosts := b.v.Frame.Hosts
	if len(hosts) < 2 && b.q.host == "" {
		return nil
	}
	at := func(host string) string {
		q := b.q
		q.host = host
		return b.address(q)
	}
	out := []ui.Link{{Label: b.l.T("livepage.allhosts"), Href: at(""), Active: b.q.host == ""}}
	for i := range hosts {
		if n := len(hosts[i].Devices); n > 0 {
			out = append(
				out,
				ui.Link{
					Label:  hosts[i].Name,
					Href:   at(hosts[i].Name),
					Note:   b.l.Count(n),
					Active: b.q.host == hosts[i].Name,
				},
			)
		}
	}
	return out
}

func (b *liveBuilder) address(q params) string {
	path := b.l.Path("/live")
	if query := q.encode(); query != "" {
		path += "?" + query
	}
	return path
}

// order sorts devices as the address says; those without the reading come last.
func (b *liveBuilder) order(devices []*live.Device) {
	slices.SortStableFunc(devices, func(x, y *live.Device) int { return cmp.Compare(x.Index, y.Index) })
	sign := 1
	if b.q.down {
		sign = -1
	}
	if b.q.sort == "name" {
		slices.SortStableFunc(devices, func(x, y *live.Device) int { return sign * cmp.Compare(x.Name, y.Name) })
	}
	i := slices.IndexFunc(liveColumns, func(c liveColumn) bool { return c.id == b.q.sort })
	if i < 0 {
		return
	}
	slices.SortStableFunc(devices, func(x, y *live.Device) int {
		v, ok := liveColumns[i].rank(x)
		w, known := liveColumns[i].rank(y)
		switch {
		case ok && known:
			return sign * cmp.Compare(v, w)
		case ok:
			return -1
		case known:
			return 1
		}
		return 0
	})
}
