package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// Where the history of prices is, for other programs: Parquet files, and lists of them.
const (
	historyDir = "history/"
	partSuffix = ".parquet"
	listSuffix = ".json"
)

// mostList bounds the list of a history, in bytes.
const mostList = 64 << 20

// A HistoryRef names the list of the files that hold the prices of a snapshot.
type HistoryRef struct {
	SHA256 string `json:"sha256"` // of the list, in hex
	Size   int64  `json:"size"`   // of the list, in bytes
	Parts  int    `json:"parts"`
	Prices int    `json:"prices"`
}

// Key is where the list is.
func (r *HistoryRef) Key() string { return historyDir + r.SHA256 + listSuffix }

func partKey(sha256 string) string { return historyDir + sha256 + partSuffix }

func (r *HistoryRef) check() error {
	switch {
	case r == nil:
		return nil
	case !isSum.MatchString(r.SHA256):
		return errors.New("history.sha256 is no hash, want 64 hexadecimal digits")
	case r.Size < 1 || r.Size > mostList:
		return fmt.Errorf("history.size is %d, want 1 to %d", r.Size, mostList)
	}
	return nil
}

func sameHistory(a, b *HistoryRef) bool {
	return a == nil && b == nil || a != nil && b != nil && a.SHA256 == b.SHA256
}

func (p *Publisher) put(ctx context.Context, key string, put bucket.Put) error {
	ctx, cancel := context.WithTimeoutCause(ctx, transferWithin(put.Size), errSlow)
	defer cancel()
	return because(ctx, p.Bucket.Put(ctx, key, put))
}

// history is what is made of the prices of a snapshot.
type history struct {
	dir  string
	list *pricefile.History
	text []byte
	ref  *HistoryRef
	old  map[string]bool // hashes of files that are there
}

// makeHistory writes the files of the database at db that there does not have yet into dir.
func (p *Publisher) makeHistory(ctx context.Context, db, dir string, there *Manifest) (*history, error) {
	h := &history{dir: filepath.Join(dir, "history"), old: map[string]bool{}}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		return nil, err
	}
	known := map[string]pricefile.Part{}
	if there.History != nil {
		before, err := readHistory(ctx, p.Bucket, there.History)
		if err != nil {
			p.Log.Warn("the list of the published prices cannot be read; all are written again", "error", err)
			before = &pricefile.History{}
		}
		sizes, err := p.historySizes(ctx)
		if err != nil {
			return nil, err
		}
		for _, part := range before.Parts {
			if sizes[partKey(part.SHA256)] == part.Size {
				known[part.MadeOf] = part
				h.old[part.SHA256] = true
			}
		}
	}
	var err error
	h.list, err = p.History(ctx, db, h.dir, func(madeOf string) (pricefile.Part, bool) {
		part, ok := known[madeOf]
		return part, ok
	})
	if err != nil {
		return nil, err
	}
	if len(h.list.Parts) == 0 {
		return h, nil // nothing to name
	}
	h.text = h.list.Encode()
	sum := sha256.Sum256(h.text)
	h.ref = &HistoryRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(h.text)), Parts: len(h.list.Parts),
		Prices: h.list.Prices()}
	return h, nil
}

// readHistory reads a list, and checks its hash.
func readHistory(ctx context.Context, b bucket.Reader, ref *HistoryRef) (*pricefile.History, error) {
	text, err := historyText(ctx, b, ref)
	if err != nil {
		return nil, err
	}
	h, err := pricefile.Parse(text)
	return &h, err
}

func historyText(ctx context.Context, b bucket.Reader, ref *HistoryRef) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, transferWithin(ref.Size), errSlow)
	defer cancel()
	o, err := b.Get(ctx, ref.Key(), "")
	if err != nil {
		return nil, because(ctx, err)
	}
	defer o.Close()
	text, err := io.ReadAll(io.LimitReader(o, ref.Size+1))
	if err != nil {
		return nil, because(ctx, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != ref.SHA256 {
		return nil, fmt.Errorf("%s does not have the hash of its name", ref.Key())
	}
	return text, nil
}

// upload writes the files that are new, then their list.
func (h *history) upload(ctx context.Context, p *Publisher) error {
	if h == nil || h.ref == nil {
		return nil
	}
	for i := range h.list.Parts {
		part := &h.list.Parts[i]
		if h.old[part.SHA256] {
			continue
		}
		f, err := os.Open(filepath.Join(h.dir, part.SHA256))
		if err != nil {
			return err
		}
		// One that is there already may be one that nobody names any more: written again it is as new.
		err = p.put(ctx, partKey(part.SHA256), bucket.Put{Body: f, Size: part.Size, SHA256: part.SHA256})
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return p.put(ctx, h.ref.Key(), bucket.Put{Body: bytes.NewReader(h.text), Size: h.ref.Size, SHA256: h.ref.SHA256})
}

// historySizes are the sizes of the objects of the history by key: somebody may have deleted one that is named, or cut
// it off.
func (p *Publisher) historySizes(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pruneWithin, errSlow)
	defer cancel()
	list, err := p.Bucket.List(ctx, historyDir)
	if err != nil {
		return nil, because(ctx, err)
	}
	out := make(map[string]int64, len(list))
	for _, e := range list {
		out[e.Key] = e.Size
	}
	return out, nil
}

// pruneHistory deletes files that no list names any more that is kept, and old lists.
func (p *Publisher) pruneHistory(ctx context.Context, m *Manifest) error {
	all, err := p.Bucket.List(ctx, historyDir)
	if err != nil || m.History == nil {
		return err
	}
	var lists, parts []bucket.Entry
	for _, e := range all {
		switch {
		case isSum.MatchString(historyOf(e.Key, listSuffix)):
			lists = append(lists, e)
		case isSum.MatchString(historyOf(e.Key, partSuffix)):
			parts = append(parts, e)
		}
	}
	keepFor, now := max(p.KeepFor, Grace), time.Now()
	gone := map[string]bool{}
	for _, key := range outdatedOf(lists, replacing{
		hash: func(key string) string { return historyOf(key, listSuffix) }, current: m.History.SHA256,
		before: m.PreviousHistory, since: m.Published,
	}, p.Keep, keepFor, now) {
		gone[key] = true
	}
	named := map[string]bool{}
	for _, e := range lists {
		if gone[e.Key] {
			continue
		}
		h, err := readHistory(ctx, p.Bucket, &HistoryRef{SHA256: historyOf(e.Key, listSuffix), Size: e.Size})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // another writer was quicker
		case err != nil:
			return err // what it names is not known: nothing is deleted
		}
		for i := range h.Parts {
			named[h.Parts[i].SHA256] = true
		}
	}
	for _, e := range parts {
		if !named[historyOf(e.Key, partSuffix)] && now.Sub(e.Modified) > keepFor {
			gone[e.Key] = true
		}
	}
	for key := range gone {
		if err := p.Bucket.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// historyOf is the hash in a key of the history.
func historyOf(key, suffix string) string {
	name, dir := strings.CutPrefix(key, historyDir)
	sum, ends := strings.CutSuffix(name, suffix)
	if !dir || !ends {
		return ""
	}
	return sum
}
