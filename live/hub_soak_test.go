package live_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tianti/live"
	"tianti/live/recording"
	"tianti/live/sample"
	"tianti/test/slow"
)

// sampled is a source that gives the frame of package sample as if it were new.
type sampled struct{ reads *atomic.Int32 }

func (sampled) Name() string { return "sample" }
func (sampled) Close() error { return nil }

func (s sampled) Read(context.Context) (live.Frame, error) {
	s.reads.Add(1)
	f := sample.Frame()
	f.Taken = time.Now()
	return f, nil
}

func TestWatchersLeaveNothingBehind(t *testing.T) { soakAll(t, 15*time.Minute) }

func TestFullAnHourOfWatchersLeavesNothingBehind(t *testing.T) {
	slow.Only(t)
	soakAll(t, time.Hour)
}

// soakAll lets viewers come and go for so long, as pages are opened and closed. The bubble of synctest fails when a
// goroutine is left after Close.
func soakAll(t *testing.T, long time.Duration) {
	for name, open := range map[string]func(reads *atomic.Int32) (live.Source, error){
		"replay": func(*atomic.Int32) (live.Source, error) {
			return recording.Open(filepath.Join("recording", "testdata", "three-cards.ndjson"))
		},
		"sample": func(reads *atomic.Int32) (live.Source, error) { return sampled{reads}, nil },
		"both": func(reads *atomic.Int32) (live.Source, error) {
			r, err := recording.Open(filepath.Join("recording", "testdata", "three-cards.ndjson"))
			return live.Several(sampled{reads}, r), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { soak(t, open, long) })
		})
	}
}

func soak(t *testing.T, open func(*atomic.Int32) (live.Source, error), long time.Duration) {
	const viewers = 10
	reads := new(atomic.Int32)
	h := live.NewHub(live.HubConfig{Open: func() (live.Source, error) { return open(reads) }})
	defer h.Close()
	end := time.Now().Add(long + time.Minute)
	for i := range viewers {
		chance := rand.New(rand.NewPCG(1, uint64(i)))
		go func() {
			for time.Now().Before(end) {
				view(h, time.Duration(1+chance.IntN(300))*time.Second)
				time.Sleep(time.Duration(chance.IntN(120)) * time.Second)
			}
		}()
	}
	const warm = 10 * time.Minute
	time.Sleep(warm)
	before := heap()
	time.Sleep(long - warm)
	synctest.Wait()
	grown := heap() - before
	t.Logf("the heap has grown by %d bytes from minute 10 to %s", grown, long)
	if grown > 64<<10 {
		t.Errorf("the heap has grown by %d bytes from minute 10 to %s", grown, long)
	}
	if v := h.View(); v.State != live.OK || v.Seq < uint64(long.Seconds()) {
		t.Errorf("got state %s and view %d after %s, want one a second", v.State, v.Seq, long)
	}
	if n := reads.Load(); float64(n) > long.Seconds()+100 {
		t.Errorf("%d reads in %s, want one a second", n, long)
	}
	time.Sleep(6 * time.Minute) // the last one has gone
	if n := h.Watchers(); n != 0 {
		t.Errorf("%d watchers are left", n)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	if n := strings.Count(string(buf), "tianti/live.("); n != 0 {
		t.Errorf("%d goroutines of the hub are left after Close:\n%s", n, buf)
	}
}

// view watches for a while, and looks at what a page shows.
func view(h *live.Hub, d time.Duration) {
	w := h.Subscribe()
	defer w.Close()
	late := time.After(d)
	for {
		select {
		case <-w.C:
			v := h.View()
			for i := range v.Frame.Hosts {
				for _, device := range v.Frame.Hosts[i].Devices[:1] {
					h.Series(device.UUID, live.Power)
				}
			}
		case <-late:
			return
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers and pools release
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
