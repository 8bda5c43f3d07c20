package process

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What Quiet takes for next to nothing, of each second, and how long it waits for it.
const (
	quietCPU    = 20 * time.Millisecond
	quietWithin = 3 * time.Minute
)

// Quiet waits until a server has done next to nothing for so many seconds: on a busy machine what it computes ahead
// takes longer, and what it holds before says nothing of what it holds afterwards.
func (p *Process) Quiet(seconds int) error {
	began := time.Now()
	last, err := p.CPU()
	for still := 0; still < seconds && err == nil; still++ {
		time.Sleep(time.Second)
		var now time.Duration
		if now, err = p.CPU(); now-last > quietCPU {
			still = -1
		}
		last = now
		if time.Since(began) > quietWithin {
			return fmt.Errorf("the server is still busy after %s", quietWithin)
		}
	}
	return err
}

// Live is how many bytes of the heap the last collection of garbage has found in use, as a server tells in its metrics.
func (p *Process) Live() (float64, error) {
	res, err := http.Get(p.URL("/metrics"))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "go_gc_heap_live_bytes "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.New("the metrics have no go_gc_heap_live_bytes")
}

// Held is what a server held before a change and at most during it, in MiB: what is resident, and what of its heap was
// in use.
type Held struct {
	Steady, Peak   float64
	Live, LivePeak float64
}

// Ratio is the peak of what is resident over what was before.
func (h Held) Ratio() float64 { return h.Peak / h.Steady }

func (h Held) String() string {
	return fmt.Sprintf("memory: %.0f MB, while swapping at most %.0f MB (× %.2f); in use %.0f MB, at most %.0f MB",
		h.Steady, h.Peak, h.Ratio(), h.Live, h.LivePeak)
}

// Holds tells what a server holds that has been quiet for so many seconds, and what it holds while somebody makes a
// change, until it is quiet again.
func (p *Process) Holds(seconds int, change func() error) (h Held, err error) {
	if err := p.Quiet(seconds); err != nil {
		return h, err
	}
	steady, err := p.Status("VmRSS")
	if err != nil {
		return h, err
	}
	live, err := p.Live()
	if err != nil {
		return h, err
	}
	if err := p.ForgetPeak(); err != nil {
		return h, err
	}
	watched, end := make(chan float64, 1), make(chan struct{})
	go func() { watched <- p.mostLive(live, end) }()
	err = change()
	close(end) // to ask for metrics is work, too
	most := <-watched
	if err == nil {
		err = p.Quiet(seconds)
	}
	peak, statusErr := p.Status("VmHWM")
	return Held{float64(steady) / 1024, float64(peak) / 1024, live / (1 << 20), most / (1 << 20)},
		errors.Join(err, statusErr)
}

// mostLive is the most that was in use, from time to time.
func (p *Process) mostLive(most float64, end <-chan struct{}) float64 {
	for {
		select {
		case <-end:
			return most
		case <-time.After(50 * time.Millisecond):
			if now, err := p.Live(); err == nil {
				most = max(most, now)
			}
		}
	}
}
