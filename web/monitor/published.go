package monitor

import "time"

// Publishing is how publishing goes.
type Publishing struct {
	Up       bool          // the last attempt went well
	Revision int64         // that is published
	At       time.Time     // when it was published; zero: not since the start
	Checked  time.Time     // when publishing last went well, also when there was nothing to do
	Took     time.Duration // of that
	Bytes    int64         // of the snapshot, compressed
	Failures int64         // since the start
}

// published is what /readyz tells of the snapshot that is shown.
type published struct {
	Writer   string     `json:"writer,omitempty"`
	Revision int64      `json:"revision,omitempty"`
	At       *time.Time `json:"published_at,omitempty"`
	Age      *int64     `json:"age_seconds,omitempty"`
	Checked  *int64     `json:"checked_seconds,omitempty"` // ago; absent: not since the start
	Problem  string     `json:"problem,omitempty"`         // away, empty, stale or damaged; the log says more
}

// published is nil for a server with a database.
func (h *Handler) published() *published {
	if h.site.Follows == nil {
		return nil
	}
	f, now := h.site.Follows(), h.site.Now()
	p := &published{Writer: f.Writer, Problem: f.Problem}
	seconds := func(d time.Duration) *int64 { n := int64(d / time.Second); return &n }
	if !f.Published.IsZero() {
		p.Revision, p.At, p.Age = f.Revision, &f.Published, seconds(f.Age(now))
	}
	if !f.Checked.IsZero() {
		p.Checked = seconds(f.Unchecked(now))
	}
	return p
}

// followingMetrics are those of a server that shows published snapshots.
func (h *Handler) followingMetrics(e *exposition) {
	if h.site.Follows == nil {
		return
	}
	f := h.site.Follows()
	e.family("tianti_follow_up", "gauge", "1 while the store answers and what it names is shown.")
	e.sample("tianti_follow_up", one(f.Problem == "" && !f.Checked.IsZero()))
	if !f.Published.IsZero() {
		e.family("tianti_follow_published_timestamp_seconds", "gauge",
			"When the snapshot that is shown was published, in seconds since 1970.")
		e.sample("tianti_follow_published_timestamp_seconds", unix(f.Published))
	}
	if !f.Checked.IsZero() {
		e.family("tianti_follow_checked_timestamp_seconds", "gauge",
			"When the store last said that there is nothing newer, in seconds since 1970.")
		e.sample("tianti_follow_checked_timestamp_seconds", unix(f.Checked))
	}
	e.family("tianti_follow_failures_total", "counter", "Looks at the store without success.")
	e.sample("tianti_follow_failures_total", float64(f.Failures))
	e.family("tianti_follow_fetched_bytes_total", "counter", "Bytes of snapshots and files of prices that were "+
		"fetched.")
	e.sample("tianti_follow_fetched_bytes_total", float64(f.Fetched))
	e.family("tianti_follow_history_bytes", "gauge", "Size of the files of prices that are kept here.")
	e.sample("tianti_follow_history_bytes", float64(f.History))
	e.family("tianti_follow_history_up", "gauge", "0 when the last file of prices that somebody asked for did not "+
		"come.")
	e.sample("tianti_follow_history_up", one(!f.HistoryAway))
	e.family("tianti_follow_last_seconds", "gauge", "Time from learning of the last snapshot until it was shown.")
	e.sample("tianti_follow_last_seconds", f.Took.Seconds())
}

// publishingMetrics are those of a server that publishes.
func (h *Handler) publishingMetrics(e *exposition) {
	if h.Publishing == nil {
		return
	}
	p := h.Publishing()
	e.family("tianti_publish_up", "gauge", "1 while the last attempt to publish went well.")
	e.sample("tianti_publish_up", one(p.Up))
	e.family("tianti_publish_failures_total", "counter", "Attempts to publish without success.")
	e.sample("tianti_publish_failures_total", float64(p.Failures))
	if p.At.IsZero() {
		return
	}
	e.family("tianti_publish_revision", "gauge", "Revision of the catalogue that is published.")
	e.sample("tianti_publish_revision", float64(p.Revision))
	e.family("tianti_publish_published_timestamp_seconds", "gauge",
		"When the published snapshot was published, in seconds since 1970.")
	e.sample("tianti_publish_published_timestamp_seconds", unix(p.At))
	e.family("tianti_publish_last_timestamp_seconds", "gauge",
		"When publishing last went well, also when there was nothing to do, in seconds since 1970.")
	e.sample("tianti_publish_last_timestamp_seconds", unix(p.Checked))
	e.family("tianti_publish_last_seconds", "gauge", "Time that this took.")
	e.sample("tianti_publish_last_seconds", p.Took.Seconds())
	e.family("tianti_publish_bytes", "gauge", "Size of the published snapshot, compressed.")
	e.sample("tianti_publish_bytes", float64(p.Bytes))
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
