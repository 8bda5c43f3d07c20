package live

import "tianti/web/site"

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: getLiveOp, Handle: h.apiLive, Cost: site.Waits},
		{Operation: streamLiveOp, Serve: h.liveStream}}
}
