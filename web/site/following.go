package site

import (
	"net/http"
	"strconv"
	"time"

	"tianti/locale"
	"tianti/web/api"
	"tianti/web/ui"
)

// Following is what a server knows of the published snapshot that it shows.
type Following struct {
	Writer    string        // where people administer it, "https://cards.example"; may be empty
	Revision  int64         // of the catalogue
	Published time.Time     // zero: nothing is shown yet
	Checked   time.Time     // when the store last said that there is nothing newer; zero: not since the start
	Problem   string        // of the last look at the store: away, empty, stale or damaged; empty: none
	Took      time.Duration // from the store's naming it until it was shown; 0 when it was kept from before
	Fetched   int64         // bytes of snapshots and files of prices, since the start
	Failures  int64         // looks without success, since the start

	History     int64 // bytes of files of prices that are kept
	HistoryAway bool  // the last one that somebody asked for did not come
}

// Age is how long ago the snapshot was published, to the second; never negative where clocks differ.
func (f *Following) Age(now time.Time) time.Duration { return since(f.Published, now) }

// Unchecked is how long ago the store last said that there is nothing newer.
func (f *Following) Unchecked(now time.Time) time.Duration { return since(f.Checked, now) }

func since(t, now time.Time) time.Duration { return max(0, now.Sub(t)).Truncate(time.Second) }

// snapshotHeader tells programs and people behind caches how old an answer is.
const snapshotHeader = "Tianti-Snapshot"

// note is the age for the headers of an answer: seconds since the snapshot was published, and since the store last said
// that there is nothing newer; empty where there is none.
func (s *Site) note() string {
	if s.Follows == nil {
		return ""
	}
	f := s.Follows()
	if f.Published.IsZero() {
		return ""
	}
	now := s.Now()
	text := "age=" + seconds(f.Age(now))
	if !f.Checked.IsZero() {
		text += ", checked=" + seconds(f.Unchecked(now))
	}
	return text
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// ErrReader is ErrReadOnly of a server that shows published snapshots.
var ErrReader = api.NewProblem(http.StatusForbidden,
	"This server shows published snapshots (--from): nothing can be changed here, and nobody signs in.")

// writer leads to the administration of the server that publishes; empty when that is not known.
func (s *Site) writer(l *locale.Locale) ui.Link {
	to := s.Follows().Writer
	if to == "" {
		return ui.Link{}
	}
	return ui.Link{Label: l.T("error.writer", to), Href: to + l.Path("/admin")}
}

// refused is what a client is told in place of ErrReadOnly, with where the writer is if that is known.
func (s *Site) refused() *api.Problem {
	if s.Follows == nil {
		return ErrReadOnly
	}
	p := *ErrReader
	if writer := s.Follows().Writer; writer != "" {
		p.Detail += " It can be changed at " + writer + "."
	}
	return &p
}
