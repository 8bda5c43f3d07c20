package recommend

import (
	"net/http"
	"slices"

	webexport "tianti/web/exportcontrol"
	"tianti/web/site"
)

// A Handler answers questions of sizing.
type Handler struct {
	site          *site.Site
	exportcontrol *webexport.Handler
}

// New returns a handler of a site.
func New(s *site.Site, export *webexport.Handler) *Handler {
	return &Handler{site: s, exportcontrol: export}
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	jobs := slices.Concat(
		site.DearPages(h.recommend, "/recommend", "/recommend.{format}"),
		site.DearPages(h.mine, "/recommend/mine", "/recommend/mine.{format}"),
		site.Pages(h.recommendCard, "/recommend/{card}"),
	)
	for i := range jobs {
		jobs[i].Serve = h.serving(h.site.PageOf(jobs[i].Page, jobs[i].Cost))
	}
	return slices.Concat(
		jobs,
		[]site.Route{{Pattern: "/og/recommend.{format}", Page: h.share, Cost: site.Dear}},
		site.Pages(h.accuracyPage, "/accuracy", "/accuracy.{format}"),
		site.Pages(h.calculator, "/calculator"),
		[]site.Route{{Method: http.MethodPost, Pattern: "/calculator", Page: h.configuration, Cost: site.Dear}},
	)
}
