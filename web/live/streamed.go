package live

import (
	"bytes"
	"context"
	"hash/fnv"
	"math"
	"net/http"
	"net/netip"
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
	"tianti/web/display"
	"tianti/web/site"
)

// streams are the answers that go on, and what they send: it is made once for all.
type streams struct {
	viewers atomic.Int32
	perOne  int // streams of one client at most
	ctx     context.Context
	end     context.CancelFunc

	mu    sync.Mutex
	kinds map[string]*streamed // by language of the words; "" are figures

	counting sync.Mutex
	clients  map[netip.Addr]int // streams by client
}

func newStreams(perClient int) *streams {
	x := &streams{kinds: map[string]*streamed{}, clients: map[netip.Addr]int{}, perOne: perClient}
	x.ctx, x.end = context.WithCancel(context.Background())
	return x
}

// errWatching: there are as many streams as there may be.
func errWatching(what string, n int) error {
	return site.RetryError{Problem: api.NewProblem(http.StatusServiceUnavailable, what, n), After: time.Minute}
}

// take counts a stream of a client; leave is to be called at its end.
func (x *streams) take(client netip.Addr) (leave func(), err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	switch {
	case x.viewers.Load() >= mostViewers:
		return nil, errWatching("%d are watching already.", mostViewers)
	case x.perOne > 0 && x.clients[client] >= x.perOne:
		return nil, errWatching("%d streams lead to your address already: close some of them.", x.perOne)
	}
	x.viewers.Add(1)
	x.clients[client]++
	return func() {
		x.counting.Lock()
		defer x.counting.Unlock()
		x.viewers.Add(-1)
		if x.clients[client]--; x.clients[client] <= 0 {
			delete(x.clients, client)
		}
	}, nil
}

// streamed is a view ready to be sent: the head without hosts, and what each device
// tells, in parts that are sent when they change.
type streamed struct {
	seq   uint64
	st    *site.State
	kind  string
	head  []byte // "{…" without the hosts
	fleet func(host string) []byte
	hosts []streamedHost

	mu     sync.Mutex
	events map[eventKey][]byte // of this view; most viewers want the same
}

// eventKey is what an event of a view depends on.
type eventKey struct {
	after uint64
	host  string
}

type streamedHost struct {
	name    string
	head    []byte
	shape   uint64
	devices []streamedDevice
}

// A streamedDevice is an object that begins with its head, and members that go on
// with a comma: parts, and cells in an object of their own.
type streamedDevice struct {
	device  *live.Device
	age     int    // of stale readings; see staleSteps
	changed uint64 // sequence number of the view in which it last did
	head    []byte
	parts   []streamedPart
	cells   []streamedPart
}

type streamedPart struct {
	changed uint64
	body    []byte
}

// of makes what is sent of a view, from what was sent of the one before.
func (x *streams) of(s *Handler, st *site.State, kind string, v *live.View) *streamed {
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

func newStreamed(s *Handler, st *site.State, kind string, v *live.View, last *streamed) *streamed {
	before := last.devices()
	out := &streamed{seq: v.Seq, st: st, kind: kind, head: streamHead(s, st, kind, v), events: map[eventKey][]byte{}}
	matched := live.MatchFrame(st.Snap, &v.Frame)
	shown := *v
	b := liveBuilder{s: s, snap: st.Snap, l: locale.Of(kind), v: &shown}
	out.fleet = func(host string) []byte {
		of := b
		of.q.host = host
		return bytes.TrimSpace(api.Encode(wordsOfFleet(of.fleet())))
	}
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		columns := columnsOfHost(h)
		item := streamedHost{name: h.Name, shape: shapeOf(h, columns),
			head: opened(
				api.Encode(api.LiveHost{Name: h.Name, Driver: h.Driver, Runtime: h.Runtime}),
				`,"devices":null`,
			)}
		for j := range h.Devices {
			d := &h.Devices[j]
			x, old := streamedDevice{device: d, age: staleSteps(v, h, d), changed: v.Seq}, before[d.UUID]
			switch {
			case old != nil && old.age == x.age && reflect.DeepEqual(old.device, d):
				x.changed, x.head, x.parts, x.cells = old.changed, old.head, old.parts, old.cells
			case kind == "":
				x.head = opened(api.Encode(api.LiveDeviceOf(st.Snap, v, h, d, matched[d.UUID])), "")
			default:
				x.say(wordsOf(b.device(h, d, matched[d.UUID], columns), d), v.Seq, old)
			}
			item.devices = append(item.devices, x)
		}
		out.hosts = append(out.hosts, item)
	}
	return out
}

// devices are those of a view by UUID; x may be nil.
func (x *streamed) devices() map[string]*streamedDevice {
	out := map[string]*streamedDevice{}
	if x == nil {
		return out
	}
	for i := range x.hosts {
		for j := range x.hosts[i].devices {
			d := &x.hosts[i].devices[j]
			out[d.device.UUID] = d
		}
	}
	return out
}

// say puts words into parts. Those that are as they were keep the view in which they
// changed.
func (d *streamedDevice) say(words deviceWords, seq uint64, old *streamedDevice) {
	d.head = opened(api.Encode(struct {
		UUID string `json:"uuid"`
	}{words.UUID}), "")
	part := func(name string, value any, before []streamedPart, i int) streamedPart {
		p := streamedPart{seq, append([]byte(`"`+name+`":`), bytes.TrimSpace(api.Encode(value))...)}
		if i < len(before) && bytes.Equal(before[i].body, p.body) {
			p.changed = before[i].changed
		}
		return p
	}
	if old == nil {
		old = &streamedDevice{}
	}
	d.parts = append(d.parts, part("badges", words.Badges, old.parts, 0))
	for i, c := range words.Cells {
		d.cells = append(d.cells, part(c.column, c, old.cells, i))
	}
}

// write appends the object with what has changed.
func (d *streamedDevice) write(b *bytes.Buffer, after uint64) {
	b.Write(d.head)
	for _, p := range d.parts {
		if p.changed > after {
			b.WriteByte(',')
			b.Write(p.body)
		}
	}
	between := `,"cells":{`
	for _, p := range d.cells {
		if p.changed > after {
			b.WriteString(between)
			b.Write(p.body)
			between = ","
		}
	}
	if between == "," {
		b.WriteByte('}')
	}
	b.WriteByte('}')
}

// staleSteps is how old the readings of a device are when all are older than they
// should be, in steps by which it is worth while to say so anew. Below zero some are
// not; which number it is tells how many are.
func staleSteps(v *live.View, h *live.Host, d *live.Device) int {
	stale := 0
	for _, r := range d.Readings {
		if v.IsStale(h, r) {
			stale++
		}
	}
	age, has := d.Age(v.Moment(h))
	switch {
	case !has || stale < len(d.Readings):
		return -1 - stale
	case age < 2*time.Minute:
		return int(age / (10 * time.Second))
	}
	return 12 + int(age/time.Minute)
}

// shapeOf is a number that changes when devices or columns of a host do.
func shapeOf(h *live.Host, columns []liveColumn) uint64 {
	sum := fnv.New64a()
	add := func(text string) { _, _ = sum.Write(append([]byte(text), 0)) }
	add(h.Name)
	for i := range h.Devices {
		add(h.Devices[i].UUID)
		if h.Devices[i].Problem != "" {
			add("-") // it has no cells
		}
	}
	for _, c := range columns {
		add(c.id)
	}
	return sum.Sum64()
}

// liveShape is that of the hosts of a view, or of one.
func liveShape(v *live.View, host string) string {
	var sum uint64
	for i := range v.Frame.Hosts {
		if h := &v.Frame.Hosts[i]; len(h.Devices) > 0 && (host == "" || host == h.Name) {
			sum += shapeOf(h, columnsOfHost(h))
		}
	}
	return strconv.FormatUint(sum, 36)
}

// streamHead is what is sent besides hosts.
func streamHead(s *Handler, st *site.State, kind string, v *live.View) []byte {
	if kind == "" {
		none := *v
		none.Frame.Hosts = nil
		return opened(api.Encode(api.LiveOf(st.Snap, &none, "")), `,"hosts":[]`)
	}
	b := liveBuilder{s: s, snap: st.Snap, l: locale.Of(kind), v: v}
	status := b.status()
	return opened(api.Encode(liveWords{State: status.State, StateText: b.l.T("livepage.state." + status.State),
		Reason: status.Reason, Detail: status.Detail, Todo: status.Todo, Age: math.Round(v.Age.Seconds()*10) / 10}), "")
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
	Todo      string  `json:"todo,omitempty"`
	Age       float64 `json:"age_s"`
}

// deviceWords are those of a device.
type deviceWords struct {
	UUID   string
	Badges [][2]string // tone and text
	Cells  []cellWords
}

type cellWords struct {
	column string
	Text   string   `json:"text"`
	Share  *float64 `json:"share,omitempty"` // of the bar
	Notes  []string `json:"notes,omitempty"`
	Value  *float64 `json:"value,omitempty"` // for the history; absent: a gap
	Old    bool     `json:"old,omitempty"`
}

// fleetWords are those of all devices together.
type fleetWords struct {
	liveFleetData
	Figures map[string]cellWords `json:"figures"`
}

func wordsOfFleet(f liveFleetData) fleetWords {
	out := fleetWords{liveFleetData: f, Figures: map[string]cellWords{}}
	for i := range f.Figures {
		c := &f.Figures[i]
		out.Figures[c.Column] = wordsShown(c)
	}
	return out
}

func wordsOf(row liveDevice, d *live.Device) deviceWords {
	out := deviceWords{UUID: row.UUID, Badges: [][2]string{}}
	for _, b := range row.Badges {
		out.Badges = append(out.Badges, [2]string{b.Tone, b.Text})
	}
	for _, g := range row.Groups {
		for i := range g.Cells {
			out.Cells = append(out.Cells, wordsOfCell(&g.Cells[i], d))
		}
	}
	return out
}

func wordsOfCell(c *liveCellData, d *live.Device) cellWords {
	words := wordsShown(c)
	at := slices.IndexFunc(liveColumns, func(x liveColumn) bool { return x.id == c.Column })
	shown := liveColumns[at].shown
	if v, ok := d.Get(shown); ok && !c.Old && slices.Contains(live.HistoryMetrics, shown) {
		v = display.Significant(v, 4)
		words.Value = &v
	}
	return words
}

// wordsShown are the words of a cell without its history.
func wordsShown(c *liveCellData) cellWords {
	words := cellWords{column: c.Column, Text: c.Text, Notes: c.Notes, Old: c.Old}
	if c.Share >= 0 {
		share := display.Significant(c.Share, 3)
		words.Share = &share
	}
	return words
}

// event is what is sent to somebody who has seen the view of a sequence number;
// 0 is nobody. Who gets it must not change it.
func (x *streamed) event(after uint64, host string) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := eventKey{after, host}
	if body := x.events[key]; body != nil {
		return body
	}
	if len(x.events) >= mostEvents {
		clear(x.events)
	}
	body := x.encode(after, host)
	x.events[key] = body
	return body
}

// mostEvents is how many events of one view are kept.
const mostEvents = 16

func (x *streamed) encode(after uint64, host string) []byte {
	b := bytes.NewBuffer(make([]byte, 0, 4096))
	b.WriteString("event: live\nid: " + strconv.FormatUint(x.seq, 10) + "\ndata: ")
	b.Write(x.head)
	if x.kind != "" {
		b.WriteString(`,"shape":"` + x.shape(host) + `"`)
		if x.changed(after, host) { // else the sums are the same
			b.WriteString(`,"fleet":`)
			b.Write(x.fleet(host))
		}
	}
	b.WriteString(`,"hosts":[`)
	between := ""
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
			if devices++; devices == 1 {
				b.WriteString(between)
				b.Write(h.head)
				b.WriteString(`,"devices":[`)
				between = ","
			} else {
				b.WriteByte(',')
			}
			h.devices[j].write(b, after)
		}
		if devices > 0 {
			b.WriteString("]}")
		}
	}
	b.WriteString("]}\n\n")
	return b.Bytes()
}

// changed reports whether a device of the host, or of all, is another than in the view of a sequence number.
func (x *streamed) changed(after uint64, host string) bool {
	for i := range x.hosts {
		h := &x.hosts[i]
		for j := range h.devices {
			if (host == "" || h.name == host) && (after == 0 || h.devices[j].changed > after) {
				return true
			}
		}
	}
	return false
}

// shape is that of the hosts, or of one.
func (x *streamed) shape(host string) string {
	var sum uint64
	for i := range x.hosts {
		if h := &x.hosts[i]; len(h.devices) > 0 && (host == "" || host == h.name) {
			sum += h.shape
		}
	}
	return strconv.FormatUint(sum, 36)
}
