package live

import (
	"tianti/live"
	"tianti/web/session"
	"tianti/web/site"
)

// A Handler answers what the devices of this host or fleet are doing.
type Handler struct {
	site    *site.Site
	session *session.Handler
	hub     *live.Hub // nil: there is no source
	streams *streams
}

// New returns a handler of a site; the hub may be nil. EndStreams ends its streams.
func New(s *site.Site, users *session.Handler, hub *live.Hub) *Handler {
	return &Handler{site: s, session: users, hub: hub, streams: newStreams(s.StreamsPerClient)}
}

// EndStreams ends the answers that go on for as long as somebody reads; there are no new ones.
func (h *Handler) EndStreams() { h.streams.end() }

// Viewers is how many clients read a stream.
func (h *Handler) Viewers() int { return int(h.streams.viewers.Load()) }

// Hub reads the devices; nil where there is no source.
func (h *Handler) Hub() *live.Hub { return h.hub }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	pages := site.Pages(h.live, "/live", "/live.{format}")
	for i := range pages {
		pages[i].Cost = site.Waits
	}
	return append(pages, site.Route{Pattern: "/live/stream", Serve: h.liveStream})
}
