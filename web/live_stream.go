package web

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tianti/live"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// Limits of streams.
const (
	mostViewers   = 1000
	heartbeat     = 15 * time.Second
	streamTimeout = 10 * time.Second // of one write
	streamRetry   = 3 * time.Second  // that clients wait before they connect again
)

// streams are the answers that go on, and what they send: it is made once for all.
type streams struct {
	viewers atomic.Int32
	ctx     context.Context
	end     context.CancelFunc

	mu    sync.Mutex
	kinds map[string]*streamed // by language of the words; "" are figures
}

func newStreams() *streams {
	x := &streams{kinds: map[string]*streamed{}}
	x.ctx, x.end = context.WithCancel(context.Background())
	return x
}

// streamed is a view ready to be sent: JSON up to the hosts, and that of each device.
type streamed struct {
	seq   uint64
	st    *state
	head  []byte // "{…" without the hosts
	hosts []streamedHost
}

type streamedHost struct {
	name    string
	head    []byte
	devices []streamedDevice
}

type streamedDevice struct {
	device  *live.Device
	stale   bool
	changed uint64 // sequence number of the view in which it last did
	body    []byte
}

// of makes what is sent of a view, from what was sent of the one before.
func (x *streams) of(s *Server, st *state, kind string, v *live.View) *streamed {
	x.mu.Lock()
	defer x.mu.Unlock()
	last := x.kinds[kind]
	if last != nil && last.st == st && last.seq >= v.Seq {
		return last
	}
	if last != nil && last.st != st {
		last = nil // what devices are matched to may have changed
	}
	out := newStreamed(s, st, kind, v, last)
	x.kinds[kind] = out
	return out
}

func newStreamed(s *Server, st *state, kind string, v *live.View, last *streamed) *streamed {
	before := map[string]*streamedDevice{}
	if last != nil {
		for i := range last.hosts {
			for j := range last.hosts[i].devices {
				d := &last.hosts[i].devices[j]
				before[d.device.UUID] = d
			}
		}
	}
	out := &streamed{seq: v.Seq, st: st, head: streamHead(s, st, kind, v)}
	matched := live.MatchFrame(st.snap, &v.Frame)
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		item := streamedHost{name: h.Name, head: opened(api.Encode(api.LiveHost{Name: h.Name, Driver: h.Driver, Runtime: h.Runtime}), `,"devices":null`)}
		columns := columnsOfHost(h)
		for j := range h.Devices {
			d := &h.Devices[j]
			x := streamedDevice{device: d, stale: isStale(v, h, d), changed: v.Seq}
			if b := before[d.UUID]; b != nil && b.stale == x.stale && !x.stale && reflect.DeepEqual(b.device, d) {
				x.changed, x.body = b.changed, b.body
			} else if kind == "" {
				x.body = bytes.TrimSpace(api.Encode(api.LiveDeviceOf(st.snap, v, h, d, matched[d.UUID])))
			} else {
				b := liveBuilder{s: s, snap: st.snap, l: locale.Of(kind), v: v}
				x.body = bytes.TrimSpace(api.Encode(wordsOf(b.device(h, d, matched[d.UUID], columns, false), d)))
			}
			item.devices = append(item.devices, x)
		}
		out.hosts = append(out.hosts, item)
	}
	return out
}

// isStale reports whether all readings of a device are older than they should be.
func isStale(v *live.View, h *live.Host, d *live.Device) bool {
	for _, r := range d.Readings {
		if !v.IsStale(h, r) {
			return false
		}
	}
	return len(d.Readings) > 0
}

// streamHead is what is sent besides hosts.
func streamHead(s *Server, st *state, kind string, v *live.View) []byte {
	if kind == "" {
		none := *v
		none.Frame.Hosts = nil
		return opened(api.Encode(api.LiveOf(st.snap, &none, "")), `,"hosts":[]`)
	}
	b := liveBuilder{s: s, snap: st.snap, l: locale.Of(kind), v: v}
	status := b.status()
	return opened(api.Encode(liveWords{State: status.State, StateText: b.l.T("livepage.state." + status.State), Reason: status.Reason, Detail: status.Detail, Age: v.Age.Seconds()}), "")
}

// opened is a JSON object without its end and without its last, empty member.
func opened(object []byte, last string) []byte {
	text := strings.TrimSuffix(strings.TrimSpace(string(object)), "}")
	return []byte(strings.TrimSuffix(text, last))
}

// liveWords are the words of the page that change with time.
type liveWords struct {
	State     string  `json:"state"`
	StateText string  `json:"text"`
	Reason    string  `json:"reason,omitempty"`
	Detail    string  `json:"detail,omitempty"`
	Age       float64 `json:"age_s"`
}

// deviceWords are those of a device.
type deviceWords struct {
	UUID   string               `json:"uuid"`
	Badges [][2]string          `json:"badges"` // tone and text
	Cells  map[string]cellWords `json:"cells"`  // by column
}

type cellWords struct {
	Text  string   `json:"text"`
	Share *float64 `json:"share,omitempty"` // of the bar
	Notes []string `json:"notes,omitempty"`
	Value *float64 `json:"value,omitempty"` // for the history; absent: a gap
	Old   bool     `json:"old,omitempty"`
}

func wordsOf(row view.LiveDevice, d *live.Device) deviceWords {
	out := deviceWords{UUID: row.UUID, Badges: [][2]string{}, Cells: map[string]cellWords{}}
	for _, b := range row.Badges {
		out.Badges = append(out.Badges, [2]string{b.Tone, b.Text})
	}
	for i := range row.Cells {
		c := &row.Cells[i]
		words := cellWords{Text: c.Text, Notes: c.Notes, Old: c.Old}
		if c.Share >= 0 {
			share := significant(c.Share, 3)
			words.Share = &share
		}
		at := slices.IndexFunc(liveColumns, func(x liveColumn) bool { return x.id == c.Column })
		if v, ok := d.Get(liveColumns[at].shown); ok && !c.Old {
			words.Value = &v
		}
		out.Cells[c.Column] = words
	}
	return out
}

// event is what is sent to somebody who has seen the view of a sequence number;
// 0 is nobody.
func (x *streamed) event(after uint64, host string) []byte {
	b := bytes.NewBuffer(make([]byte, 0, 4096))
	b.WriteString("event: live\nid: " + strconv.FormatUint(x.seq, 10) + "\ndata: ")
	b.Write(x.head)
	b.WriteString(`,"hosts":[`)
	hosts := 0
	for i := range x.hosts {
		h := &x.hosts[i]
		if host != "" && h.name != host {
			continue
		}
		devices := 0
		for j := range h.devices {
			if after != 0 && h.devices[j].changed <= after {
				continue
			}
			switch {
			case devices > 0:
				b.WriteByte(',')
			default:
				if hosts > 0 {
					b.WriteByte(',')
				}
				b.Write(h.head)
				b.WriteString(`,"devices":[`)
				hosts++
			}
			devices++
			b.Write(h.devices[j].body)
		}
		if devices > 0 {
			b.WriteString("]}")
		}
	}
	b.WriteString("]}\n\n")
	return b.Bytes()
}

// liveStream answers /live/stream and /api/v1/live/stream with events, until the
// client or the server goes.
func (s *Server) liveStream(w http.ResponseWriter, httpReq *http.Request) {
	noteRoute(w, httpReq)
	r := newRequest(httpReq)
	st := s.state.Load()
	kind := r.loc.Code()
	if isAPI(r.URL.Path) {
		kind = ""
	}
	if err := s.mayStream(st, r); err != nil {
		r.format = asJSON // nobody reads a page here
		s.fail(w, r, st, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s.streams.viewers.Add(1)
	defer s.streams.viewers.Add(-1)
	out := eventWriter{w: w, rc: http.NewResponseController(w)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's is for requests; a reader that goes is noticed all the same
	s.stream(r.Context(), &out, kind, r.values.Get("host"))
}

// mayStream checks a request for events.
func (s *Server) mayStream(st *state, r *request) error {
	switch err := r.parse(); {
	case st == nil:
		return api.NewProblem(http.StatusServiceUnavailable, "The catalogue is still being loaded.")
	case err != nil:
		return err
	case s.cfg.Live == nil:
		return api.NewProblem(http.StatusServiceUnavailable, "This server has no source of live readings.")
	case s.streams.ctx.Err() != nil:
		return api.NewProblem(http.StatusServiceUnavailable, "This server is shutting down.")
	case s.streams.viewers.Load() >= mostViewers:
		return retryError{api.NewProblem(http.StatusServiceUnavailable, "%d are watching already.", mostViewers), time.Minute}
	}
	return r.only("host")
}

// An eventWriter is where events are written to.
type eventWriter struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// send writes within the time that a write may take.
func (o *eventWriter) send(data []byte) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(streamTimeout)) // a writer without deadlines has none to keep
	if _, err := o.w.Write(data); err != nil {
		return err
	}
	return o.rc.Flush()
}

// stream sends what changes.
func (s *Server) stream(ctx context.Context, out *eventWriter, kind, host string) {
	watcher := s.cfg.Live.Subscribe()
	defer watcher.Close()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	if out.send([]byte("retry: "+strconv.FormatInt(streamRetry.Milliseconds(), 10)+"\n\n")) != nil {
		return
	}
	var after uint64
	var from *state
	send := func() error {
		st := s.state.Load()
		if from != st {
			after, from = 0, st // what devices are matched to may have changed
		}
		v := s.cfg.Live.View()
		x := s.streams.of(s, st, kind, &v)
		if x.seq == after {
			return nil
		}
		err := out.send(x.event(after, host))
		after = x.seq
		return err
	}
	for err := send(); err == nil; {
		select {
		case <-ctx.Done():
			return
		case <-s.streams.ctx.Done():
			return
		case <-beat.C:
			err = out.send([]byte(": \n\n"))
		case _, open := <-watcher.C:
			if !open {
				return
			}
			err = send()
		}
	}
}
