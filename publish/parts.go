package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// Parts are the files of a history as a reader has them: in memory, in a folder, or fetched from the store when
// somebody asks. Whatever is used was checked against its hash. It is safe for concurrent use.
type Parts struct {
	From bucket.Reader
	Dir  string // where files are kept; of this process alone
	Most int64  // bytes of files that are kept there: those that were used last
	Log  *slog.Logger

	flight singleflight.Group // by hash

	mu      sync.Mutex
	clock   int64 // counts uses
	open    map[string]*openPart
	inUse   int64 // bytes of what is open
	kept    map[string]*keptPart
	bytes   int64 // of what is kept
	fetched int64
	failed  error // of the last fetch, unless that went well
	again   time.Time
}

// openPart is a file in memory; keptPart is one in the folder.
type openPart struct {
	file      *pricefile.File
	size, use int64
}

type keptPart struct{ size, use int64 }

// Limits of files of prices.
const (
	mostOpen    = 32 << 20 // bytes in memory
	mostPart    = 1 << 30  // bytes of one
	fetchWithin = 20 * time.Second
	fetchAtOnce = 8
	// againAfter is how long a store that has failed is not asked again, so that not everybody waits for it.
	againAfter = 2 * time.Second
)

// prepare looks what is in the folder.
func (p *Parts) prepare() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.kept = map[string]*openPart{}, map[string]*keptPart{}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(p.Dir)
	for _, f := range files {
		sum := historyOf(historyDir+f.Name(), partSuffix)
		info, gone := f.Info()
		switch {
		case isSum.MatchString(historyOf(historyDir+f.Name(), listSuffix)):
		case !isSum.MatchString(sum) || gone != nil: // half a file
			err = errors.Join(err, os.Remove(filepath.Join(p.Dir, f.Name())))
		default:
			p.kept[sum] = &keptPart{size: info.Size()}
			p.bytes += info.Size()
		}
	}
	return err
}

func (p *Parts) path(sum string) string { return filepath.Join(p.Dir, sum+partSuffix) }

// Open implements [pricefile.Opens]. Its error is a [pricefile.AwayError] while the store has to be asked and
// gives no right answer.
func (p *Parts) Open(ctx context.Context, part *pricefile.Part) (*pricefile.File, error) {
	if f := p.opened(part.SHA256); f != nil {
		return f, nil
	}
	done := p.flight.DoChan(part.SHA256, func() (any, error) {
		// Others may wait for it when ctx has ended.
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), fetchWithin, errSlow)
		defer cancel()
		data, err := p.data(ctx, part)
		if err != nil {
			return nil, err
		}
		f, err := pricefile.Open(data)
		if err == nil && f.Prices() != part.Prices {
			err = fmt.Errorf("a file of prices has %d, want %d", f.Prices(), part.Prices)
		}
		if err != nil {
			return nil, pricefile.AwayError{Err: err}
		}
		p.keepOpen(part, f)
		return f, nil
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*pricefile.File), nil
	}
}

func (p *Parts) opened(sum string) *pricefile.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	if k := p.kept[sum]; k != nil {
		k.use = p.clock
	}
	o := p.open[sum]
	if o == nil {
		return nil
	}
	o.use = p.clock
	return o.file
}

// keepOpen keeps a file in memory, in place of those that were not used for the longest time.
func (p *Parts) keepOpen(part *pricefile.Part, f *pricefile.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	p.open[part.SHA256] = &openPart{f, part.Size, p.clock}
	p.inUse += part.Size
	for p.inUse > mostOpen && len(p.open) > 1 {
		sum := oldest(p.open, func(o *openPart) int64 { return o.use })
		p.inUse -= p.open[sum].size
		delete(p.open, sum)
	}
}

func oldest[T any](all map[string]T, use func(T) int64) (sum string) {
	for s, v := range all {
		if sum == "" || use(v) < use(all[sum]) {
			sum = s
		}
	}
	return sum
}

// data is a file as a whole, from the folder or from the store.
func (p *Parts) data(ctx context.Context, part *pricefile.Part) ([]byte, error) {
	if part.Size > mostPart {
		return nil, pricefile.AwayError{Err: fmt.Errorf("a file of prices has %d bytes, more than %d", part.Size,
			int64(mostPart))}
	}
	if data, err := os.ReadFile(p.path(part.SHA256)); err == nil {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) == part.SHA256 {
			return data, nil
		}
		p.Log.Warn("a file of prices is damaged and is fetched again", "file", p.path(part.SHA256))
		p.forget(part.SHA256)
	}
	data, err := p.fetch(ctx, part)
	if err != nil {
		return nil, pricefile.AwayError{Err: fmt.Errorf("%s: %w", partKey(part.SHA256), err)}
	}
	if err := p.keep(part.SHA256, data); err != nil {
		p.Log.Warn("a file of prices cannot be kept", "folder", p.Dir, "error", err)
	}
	return data, nil
}

// fetch gets a file from the store, and checks it.
func (p *Parts) fetch(ctx context.Context, part *pricefile.Part) ([]byte, error) {
	p.mu.Lock()
	failed, again := p.failed, p.again
	p.mu.Unlock()
	if failed != nil && time.Now().Before(again) {
		return nil, failed
	}
	data, err := fetchObject(ctx, p.From, partKey(part.SHA256), part.Size, part.SHA256)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fetched += int64(len(data))
	if p.failed = err; err != nil {
		p.again = time.Now().Add(againAfter)
	}
	return data, err
}

// fetchObject reads an object into memory that has to have a size and a hash.
func fetchObject(ctx context.Context, from bucket.Reader, key string, size int64, sum string) ([]byte, error) {
	o, err := from.Get(ctx, key, "")
	if err != nil {
		return nil, because(ctx, err)
	}
	defer o.Close()
	if o.Size >= 0 && o.Size != size {
		return nil, fmt.Errorf("it has %d bytes, want %d", o.Size, size)
	}
	alive, done := whileAlive(ctx, o)
	defer done()
	data, err := io.ReadAll(io.LimitReader(alive, size+1))
	if err != nil {
		return nil, because(alive.ctx, err)
	}
	got := sha256.Sum256(data)
	if int64(len(data)) != size {
		return nil, fmt.Errorf("it has %d bytes, want %d", len(data), size)
	}
	if hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("it has the hash %x, want that of its name", got)
	}
	return data, nil
}

// keep writes a file into the folder, in place of those that were not used for the longest time.
func (p *Parts) keep(sum string, data []byte) error {
	size := int64(len(data))
	if size > p.Most {
		return nil
	}
	path := p.path(sum)
	err := os.WriteFile(path+half, data, 0o644)
	if err == nil {
		err = os.Rename(path+half, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+half))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.kept[sum]; old != nil {
		p.bytes -= old.size
	}
	p.clock++
	p.kept[sum] = &keptPart{size, p.clock}
	for p.bytes += size; p.bytes > p.Most; {
		if err := p.drop(oldest(p.kept, func(k *keptPart) int64 { return k.use })); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes a file; p.mu is held.
func (p *Parts) drop(sum string) error {
	k := p.kept[sum]
	if k == nil {
		return nil
	}
	p.bytes -= k.size
	delete(p.kept, sum)
	if err := os.Remove(p.path(sum)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (p *Parts) forget(sum string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.drop(sum); err != nil {
		p.Log.Warn("a file of prices cannot be deleted", "error", err)
	}
}

// fits reports whether all files of a history can be kept.
func (p *Parts) fits(h *pricefile.History) bool {
	total := int64(0)
	for i := range h.Parts {
		total += h.Parts[i].Size
	}
	return total <= p.Most
}

// have fetches the files that are missing, some at a time.
func (p *Parts) have(ctx context.Context, h *pricefile.History) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(fetchAtOnce)
	for i := range h.Parts {
		part := &h.Parts[i]
		p.mu.Lock()
		k := p.kept[part.SHA256]
		p.mu.Unlock()
		if k != nil && k.size == part.Size {
			continue // its hash is checked when it is used
		}
		g.Go(func() error {
			ctx, cancel := context.WithTimeoutCause(ctx, transferWithin(part.Size), errSlow)
			defer cancel()
			data, err := fetchObject(ctx, p.From, partKey(part.SHA256), part.Size, part.SHA256)
			if err != nil {
				return fmt.Errorf("%s: %w", partKey(part.SHA256), err)
			}
			p.mu.Lock()
			p.fetched += int64(len(data))
			p.mu.Unlock()
			return p.keep(part.SHA256, data)
		})
	}
	return g.Wait()
}

// only deletes the files that none of some histories names.
func (p *Parts) only(histories ...*pricefile.History) error {
	named := map[string]bool{}
	for _, h := range histories {
		if h != nil {
			for i := range h.Parts {
				named[h.Parts[i].SHA256] = true
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for sum := range p.kept {
		if !named[sum] {
			err = errors.Join(err, p.drop(sum))
		}
	}
	for sum, o := range p.open {
		if !named[sum] {
			p.inUse -= o.size
			delete(p.open, sum)
		}
	}
	return err
}

// PartsStatus says what a reader has of a history, for those who watch.
type PartsStatus struct {
	Files          int
	Bytes, Fetched int64
	Err            error // of the last file that somebody asked for; nil: it came
}

// Status returns what there is.
func (p *Parts) Status() PartsStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PartsStatus{len(p.kept), p.bytes, p.fetched, p.failed}
}
