package account

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
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
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterz": false, "": false} {
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
	if params, _, _, err := argon2id.DecodeHash(dummy); err != nil || params.Memory != cheap.Memory || params.Iterations != cheap.Iterations {
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
	if fits, outdated, err := newHasher(dearer).Check(t.Context(), "correct horse battery", old); !fits || !outdated || err != nil {
		t.Errorf("got %v, %v, %v, want a password that fits a hash of less work", fits, outdated, err)
	}
}

func TestAHundredAtOnceTakeLittleMemory(t *testing.T) {
	h := NewHasher()
	if _, err := h.dummy(); err != nil {
		t.Fatal(err)
	}
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			select {
			case <-stop:
				peak <- most
				return
			default:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
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
	most := <-peak
	t.Logf("%d of 100 refused, heap at most %d MiB", refused, most>>20)
	if most > 200<<20 {
		t.Errorf("got %d MiB of heap, want less than 200", most>>20)
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
	if _, err := h.Hash(ctx, "correct horse battery"); !errors.Is(err, context.DeadlineExceeded) || h.Computed() != before {
		t.Errorf("got %v after %d hashes, want the end of the context and none", err, h.Computed()-before)
	}
}
