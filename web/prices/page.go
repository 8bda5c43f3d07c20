package prices

import (
	"container/heap"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"tianti/catalog"
	"tianti/web/site"
)

// A page is some observations.
type page struct {
	list  []catalog.PriceInfo
	total int  // on all pages
	more  bool // there are some behind these
}

// pageOf reads the observations behind a cursor. Of cards whose prices are counted only those of the page are read;
// never more than the page and some thousand prices are held at once.
func pageOf(ctx context.Context, st *site.State, q *asked, from cursor, limit int) (p page, err error) {
	known := totalsOf(st)
	total, counted := known.get(q.key())
	for row := q.first; row < q.end; row++ {
		n := countOf(st.Snap, row, &q.filter)
		passed := from.set && row < from.row
		full := p.more || len(p.list) == limit
		switch {
		case n == 0 || q.filter.dated() && counted && (passed || p.more):
			continue
		case !q.filter.dated() && (passed || full):
			p.total += n
			p.more = p.more || !passed
			continue
		}
		w := window{limit: limit - len(p.list), counted: counted}
		if passed {
			w.limit = 0
		} else if from.set && row == from.row {
			w.after = &from.place
		}
		if err := w.read(ctx, st.Snap, row, &q.filter); err != nil {
			return page{}, err
		}
		p.total += w.seen
		p.list = append(p.list, w.sorted()...)
		p.more = p.more || w.behind && !passed
	}
	if q.filter.dated() && counted {
		p.total = total
	} else if q.filter.dated() {
		known.put(q.key(), p.total)
	}
	return p, nil
}

// countOf is how many prices of a card a filter keeps, whatever their days.
func countOf(s *catalog.Snapshot, row int, f *priceFilter) (n int) {
	latest := s.Latest(row)
	for i := range latest {
		if f.keeps(latest[i].Price) {
			n += latest[i].Count()
		}
	}
	return n
}

// A window keeps the first prices of a card behind one.
type window struct {
	limit  int
	after  *catalog.PricePlace // nil: from the first on
	kept   []catalog.PriceInfo // a heap, the last of them first
	seen   int
	behind bool // there are some behind those kept

	counted bool // seen does not matter
}

// errEnough ends reading.
var errEnough = errors.New("enough is known")

// read adds the prices of a card that a filter keeps.
func (w *window) read(ctx context.Context, s *catalog.Snapshot, row int, f *priceFilter) error {
	err := s.EachPrice(ctx, row, f.days(), func(p *catalog.PriceInfo) error {
		if f.keeps(p.Price) {
			w.add(p)
		}
		if w.counted && w.limit == 0 && w.behind {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *window) Len() int           { return len(w.kept) }
func (w *window) Less(i, j int) bool { return w.kept[i].Placed().Compare(w.kept[j].Placed()) > 0 }
func (w *window) Swap(i, j int)      { w.kept[i], w.kept[j] = w.kept[j], w.kept[i] }
func (w *window) Push(x any)         { w.kept = append(w.kept, x.(catalog.PriceInfo)) }

// Pop implements [heap.Interface].
func (w *window) Pop() any {
	last := w.kept[len(w.kept)-1]
	w.kept = w.kept[:len(w.kept)-1]
	return last
}

func (w *window) add(p *catalog.PriceInfo) {
	w.seen++
	switch {
	case w.after != nil && p.Placed().Compare(*w.after) <= 0:
	case len(w.kept) < w.limit:
		heap.Push(w, p.Kept())
	default:
		w.behind = true
		if w.limit > 0 && p.Placed().Compare(w.kept[0].Placed()) < 0 {
			w.kept[0] = p.Kept()
			heap.Fix(w, 0)
		}
	}
}

// sorted are the prices kept, in order; the window is used up.
func (w *window) sorted() []catalog.PriceInfo {
	out := make([]catalog.PriceInfo, len(w.kept))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = heap.Pop(w).(catalog.PriceInfo)
	}
	return out
}

// A cursor is behind which price a page begins.
type cursor struct {
	set   bool
	row   int
	place catalog.PricePlace
}

func cursorOf(p *catalog.PriceInfo) cursor { return cursor{true, p.Row, p.Placed()} }

// priceCursor tells the cursors of prices from those of other lists.
const priceCursor = "prices:"

type cursorText struct {
	Card  string             `json:"c"`
	Place catalog.PricePlace `json:"p"`
}

func (c cursor) encode(s *catalog.Snapshot) string {
	text, err := json.Marshal(cursorText{s.Card(c.row).ID, c.place})
	if err != nil {
		panic(err) // texts and numbers marshal
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte(priceCursor), text...))
}

// longestCursor bounds what is decoded.
const longestCursor = 1000

func readCursor(s *catalog.Snapshot, text string) (c cursor, ok bool) {
	if len(text) > longestCursor {
		return c, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	body, ours := strings.CutPrefix(string(raw), priceCursor)
	var t cursorText
	if err != nil || !ours || json.Unmarshal([]byte(body), &t) != nil {
		return c, false
	}
	row, known := s.Find(t.Card)
	return cursor{known, row, t.Place}, known
}

// key is what its total depends on.
func (q *asked) key() string {
	return strings.Join(append(q.encode(), namesOf(q.filter.kinds)...), "&")
}

// totals are how many prices questions find that were asked: further pages need not count again.
type totals struct {
	mu sync.Mutex
	of map[string]int
}

// mostTotals bounds their memory.
const mostTotals = 1000

type totalsKey struct{}

func totalsOf(st *site.State) *totals {
	t, _ := site.Once(st, totalsKey{}, func() (*totals, error) { return &totals{of: map[string]int{}}, nil })
	return t
}

func (t *totals) get(key string) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.of[key]
	return n, ok
}

func (t *totals) put(key string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.of) >= mostTotals {
		clear(t.of)
	}
	t.of[key] = n
}
