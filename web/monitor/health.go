package monitor

import (
	"encoding/json"
	"net/http"

	"tianti/web/api"
	"tianti/web/site"
)

// health is the body of /healthz and /readyz.
type health struct {
	Status   string        `json:"status"` // ok or unavailable
	Reason   string        `json:"reason,omitempty"`
	Snapshot string        `json:"snapshot,omitempty"`
	Loading  *api.Progress `json:"loading,omitempty"`
	// Problem is what keeps nothing from being read: the disk that takes nothing more.
	Problem string `json:"problem,omitempty"`
	// Published is of a server that shows published snapshots.
	Published *published `json:"published,omitempty"`
}

// healthz says that the process is up.
func (h *Handler) healthz(w http.ResponseWriter, r *http.Request) {
	site.NoteRoute(w, r)
	writeHealth(w, http.StatusOK, health{Status: "ok"})
}

// Drain makes readyz say that the server is about to end.
func (h *Handler) Drain() { h.draining.Store(true) }

// readyz says whether requests can be answered: the server stays, a snapshot is loaded and the
// database answers. A full disk is told, and no reason to send readers elsewhere.
func (s *Handler) readyz(w http.ResponseWriter, r *http.Request) {
	site.NoteRoute(w, r)
	if s.draining.Load() {
		writeHealth(w, http.StatusServiceUnavailable,
			health{Status: "unavailable", Reason: "the server is shutting down"})
		return
	}
	snap := s.site.Snapshot()
	if snap == nil {
		writeHealth(w, http.StatusServiceUnavailable, health{Status: "unavailable",
			Reason: "the catalogue is still being loaded", Published: s.published()})
		return
	}
	if s.Healthy != nil {
		if err := s.Healthy(r); err != nil {
			if r.Context().Err() == nil { // else nobody waits for the answer any more, and that stopped the question
				s.site.Log.Error("database does not answer", "error", err)
			}
			writeHealth(w, http.StatusServiceUnavailable, health{Status: "unavailable", Reason: "the database does " +
				"not answer"})
			return
		}
	}
	h := health{Status: "ok", Snapshot: api.Snapshot(snap), Published: s.published()}
	if s.Room != nil {
		if err := s.Room(); err != nil {
			h.Problem = err.Error() + ": nothing can be imported or changed"
		}
	}
	if snap.Partial() {
		h.Loading = &api.Progress{Loaded: snap.Loaded, Total: snap.Total}
	}
	writeHealth(w, http.StatusOK, h)
}

func writeHealth(w http.ResponseWriter, status int, h health) {
	body, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
