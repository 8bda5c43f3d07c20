package recommend

import (
	"net/http"
	"strings"

	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/site"
)

// share answers /og/recommend.png: the picture that stands for an answer where its address is shared.
func (h *Handler) share(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/og/recommend" || r.Format != site.AsPNG {
		return h.site.NotFound(st, r)
	}
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if err := job.NotServed(r.Values, "/serve"); err != nil {
		return site.Plan{}, err
	}
	q, problems := h.readParams(st, r, a)
	if len(problems) > 0 {
		return site.Plan{}, api.BadParams(problems)
	}
	key := r.Address(r.Loc, site.AsPNG, q.encode(a, r.Loc))
	return site.Plan{Key: key, Dated: true, Render: func() (site.Answer, error) {
		b := h.builder(st, r, a, q)
		b.L = h.site.PaintedIn(r.Loc)
		asked := q.Request
		asked.Stopped = site.Stopped(r)
		found := a.Advise(asked, a.Cards)
		b.q.Request = found.Request
		if len(found.Options) == 0 {
			return site.Answer{}, api.NewProblem(http.StatusNotFound,
				"No card does this job: there is nothing to draw.")
		}
		return h.site.PNGAnswer(b.picture(b.picks(&found)), "tianti-recommend-share", 1)
	}}, nil
}

// picture is the job with a column for each card that the answer puts first.
func (b *builder) picture(picks []pickData) *chart.Drawing {
	l := b.L
	job := b.Job(&b.q.Workload)
	p := site.NewSharePicture(l, job, l.T("sizing.title"))
	const left, wide, gap = site.ShareMargin, site.ShareWidth - 2*site.ShareMargin, 36.0
	p.Text(chart.Name, left, 84, 40, wide, job)
	p.Text(chart.Muted, left, 122, 22, wide, l.T("sizing.title"))
	column := (wide - gap*float64(len(picks)-1)) / float64(len(picks))
	for i := range picks {
		x, y := left+float64(i)*(column+gap), 190.0
		line := func(ink chart.Ink, size, step float64, text string) {
			if text != "" {
				p.Text(ink, x, y, size, column, text)
			}
			y += step
		}
		c := &picks[i]
		p.Add(chart.SeriesInk(i), chart.Mark{Form: chart.Rect, X: x, Y: y - 44, W: column, H: 4})
		vendor, name := "", c.Name.Label
		if row, ok := b.st.Snap.Find(c.ID); ok { // with its vendor a name is too long for the column
			vendor, name = display.Vendor(l, b.st.Snap.Card(row).Vendor), b.st.Snap.Card(row).Name
		}
		line(chart.Muted, 22, 40, c.Kind+" · "+vendor)
		line(chart.Name, 25, 60, strings.TrimSpace(c.Cards+" "+name))
		line(chart.Name, 34, 32, c.Price)
		line(chart.Muted, 15, 62, c.PriceNote)
		line(chart.Label, 26, 34, c.Memory)
		line(chart.Muted, 20, 62, c.Verdict.Text)
		line(chart.Label, 26, 34, c.Speed)
	}
	p.Foot(b.st.Snap)
	return p.Drawing
}
