package account

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"tianti/test/slow"
)

// cheap is for tests in which the cost is not the point.
var cheap = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

func TestHashesAreArgon2idAtTheCostOfOWASP(t *testing.T) {
	h := NewHasher()
	a, err := h.Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := h.Hash(t.Context(), "correct horse battery")
	if !strings.HasPrefix(a, "$argon2id$v=19$m=19456,t=2,p=1$") || a == b {
		t.Errorf("got %s and %s, want Argon2id with 19 MiB, 2 passes, 1 lane and different salts", a, b)
	}
	for password, want := range map[string]bool{"correct horse battery": true,
		"correct horse batterz": false, "": false} {
		if got, outdated, err := h.Check(t.Context(), password, a); got != want || outdated || err != nil {
			t.Errorf("%q: got %v, %v, %v, want %v", password, got, outdated, err, want)
		}
	}
}

func TestPasswordsAreHashedInOneForm(t *testing.T) {
	h := newHasher(cheap)
	hash, err := h.Hash(t.Context(), "jo\u0308rg und müller")
	if err != nil {
		t.Fatal(err)
	}
	if fits, _, err := h.Check(t.Context(), "jörg und mu\u0308ller", hash); !fits || err != nil {
		t.Errorf("got %v, %v, want the same letters, composed otherwise, to fit", fits, err)
	}
}

func TestNobodysPasswordIsAsMuchWork(t *testing.T) {
	h := newHasher(cheap)
	before := h.Computed()
	// Not even the password of the stand-in lets anybody in.
	if fits, _, err := h.Check(t.Context(), "nobody has this password", ""); fits || err != nil {
		t.Errorf("got %v, %v, want no", fits, err)
	}
	if got := h.Computed() - before; got != 1 {
		t.Errorf("got %d hashes for an account that does not exist, want 1", got)
	}
	dummy, _ := h.dummy()
	if params, _, _, err := argon2id.DecodeHash(dummy); err != nil || params.Memory != cheap.Memory ||
		params.Iterations != cheap.Iterations {
		t.Errorf("the stand-in costs %+v, %v, want what a password costs", params, err)
	}
}

func TestOldHashesAreOutdated(t *testing.T) {
	old, err := newHasher(cheap).Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	dearer := cheap
	dearer.Iterations = 2
	if fits, outdated, err := newHasher(dearer).Check(t.Context(), "correct horse battery", old); !fits ||
		!outdated || err != nil {
		t.Errorf("got %v, %v, %v, want a password that fits a hash of less work", fits, outdated, err)
	}
}

func TestAHundredAtOnceTakeLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // make test collects seldom
	p := cost
	p.Memory, p.Iterations = 4*1024, 1
	aHundredAtOnce(t, p)
}

func TestFullAHundredAtOnceTakeLittleMemory(t *testing.T) {
	slow.Only(t)
	aHundredAtOnce(t, cost)
}

// aHundredAtOnce checks a hundred passwords at once. That takes memory for a few of them.
func aHundredAtOnce(t *testing.T, p argon2id.Params) {
	h := newHasher(p)
	if _, err := h.dummy(); err != nil {
		t.Fatal(err)
	}
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	runtime.GC()
	before := inUse()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for {
			select {
			case <-stop:
				peak <- most
				return
			default:
				most = max(most, inUse())
			}
		}
	}()
	var busy, done sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	busy.Add(100)
	for range 100 {
		done.Go(func() {
			busy.Done()
			busy.Wait()
			if _, _, err := h.Check(context.Background(), "wrong", ""); errors.Is(err, ErrBusy) {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	done.Wait()
	close(stop)
	used := (<-peak - before) >> 10
	t.Logf("%d of 100 refused, %d kB of heap at most", refused, used)
	// What some take that are done is still there: the garbage collector has not been around.
	if most := uint64(10*p.Memory + 8<<10); used > most {
		t.Errorf("got %d kB of heap, want at most %d: what ten take, and a little", used, most)
	}
	if refused > 100-hashesAtOnce-mostWaiting {
		t.Errorf("got %d refused, want those that wait to be served", refused)
	}
}

func TestWhoeverLeavesTheQueueIsNotHashed(t *testing.T) {
	h := newHasher(cheap)
	for range hashesAtOnce {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	before := h.Computed()
	if _, err := h.Hash(ctx, "correct horse battery"); !errors.Is(err, context.DeadlineExceeded) ||
		h.Computed() != before {
		t.Errorf("got %v after %d hashes, want the end of the context and none", err, h.Computed()-before)
	}
}
