package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// months are the prices of a database: texts that stand for those of a month.
type months map[string]string

// history writes a file for each month.
func (m months) history(
	_ context.Context, db, dir string, known func(string) (pricefile.Part, bool),
) (*pricefile.History, error) {
	if _, err := os.Stat(db); err != nil { // it is made of what is published
		return nil, err
	}
	h := &pricefile.History{Format: pricefile.Format, Sources: map[string]map[string]pricefile.Source{}}
	for _, month := range slices.Sorted(maps.Keys(m)) {
		text := m[month]
		part, ok := known("of " + text)
		if !ok {
			sum := sha256.Sum256([]byte(text))
			part = pricefile.Part{Dataset: "d", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text)), Prices: 1,
				MadeOf: "of " + text}
			if err := os.WriteFile(filepath.Join(dir, part.SHA256), []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		h.Parts = append(h.Parts, part)
	}
	return h, nil
}

// texts are what the files hold that the current list names.
func texts(t *testing.T, m *memory) (out []string) {
	t.Helper()
	current := m.current(t)
	h, err := readHistory(t.Context(), m, current.History)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range h.Parts {
		out = append(out, string(m.objects[partKey(p.SHA256)]))
	}
	return out
}

// files lists the objects of the history by what they end with.
func files(m *memory, suffix string) (n int) {
	for key := range m.objects {
		if strings.HasPrefix(key, historyDir) && strings.HasSuffix(key, suffix) {
			n++
		}
	}
	return n
}

func TestFilesOfPricesAreThereBeforeTheyAreNamed(t *testing.T) {
	m, d := newMemory(), &database{revision: 1}
	prices := months{"2026-01": "january", "2026-02": "february"}
	p := newPublisher(t, m, d, io.Discard)
	p.History = prices.history
	var order []string
	m.put = func(key string, _ bucket.Put) (bool, error) { order = append(order, key); return false, nil }
	published(t, p)
	if got := texts(t, m); !slices.Equal(got, []string{"january", "february"}) {
		t.Errorf("got %q", got)
	}
	list := m.current(t).History
	if list.Parts != 2 || list.Prices != 2 || order[3] != list.Key() || order[4] != currentKey || len(order) != 6 {
		t.Errorf("got %+v, written in the order %q", list, order)
	}
	if r := published(t, p); r.Changed || len(order) != 6 {
		t.Errorf("the same is written again: %q", order[6:])
	}

	prices["2026-02"] = "february and more"
	d.moveTo(2)
	order = nil
	if r := published(t, p); r.PreviousHistory != list.SHA256 {
		t.Errorf("the list before is %q, want %q", r.PreviousHistory, list.SHA256)
	}
	if got := texts(t, m); !slices.Equal(got, []string{"january", "february and more"}) || len(order) != 4 {
		t.Errorf("got %q, written %q: want one snapshot, one file, one list and what names them", got, order)
	}
	if left, err := os.ReadDir(p.Temp); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v left behind", left, err)
	}

	old := newPublisher(t, m, d, io.Discard) // of a program that writes none
	if r := published(t, old); r.Changed {
		t.Error("without files the same snapshot is published again")
	}
	d.moveTo(3)
	published(t, old)
	if got := m.current(t); got.History != nil {
		t.Errorf("files of other prices are named: %+v", got.History)
	}
	if r := published(t, p); !r.Changed || r.Previous == r.SHA256 {
		t.Errorf("files are not added to a snapshot that has none: %+v", r.Manifest)
	}
	if got := texts(t, m); !slices.Equal(got, []string{"january", "february and more"}) {
		t.Errorf("got %q", got)
	}
}

func TestListThatCannotBeReadIsMadeAgain(t *testing.T) {
	for name, damage := range map[string]func(m *memory, key string){
		"gone":    func(m *memory, key string) { delete(m.objects, key) },
		"another": func(m *memory, key string) { m.objects[key] = []byte(`{"format": 1, "parts": []}`) },
	} {
		m, d := newMemory(), &database{revision: 1}
		p := newPublisher(t, m, d, new(output))
		p.History = months{"2026-01": "january"}.history
		published(t, p)
		damage(m, m.current(t).History.Key())
		d.moveTo(2)
		published(t, p)
		if got := texts(t, m); !slices.Equal(got, []string{"january"}) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestFilesThatNobodyNamesAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, d := newMemory(), &database{}
		prices := months{"2026-01": "january"}
		p := newPublisher(t, m, d, io.Discard)
		p.History = prices.history
		m.objects["history/readme.txt"] = []byte("not ours")
		for i, text := range []string{"a", "b", "c", "d", "e", "f"} {
			prices["2026-02"] = text
			d.moveTo(int64(i + 1))
			published(t, p)
			time.Sleep(10 * time.Second)
		}
		if lists, parts := files(m, listSuffix), files(m, partSuffix); lists != 6 || parts != 7 {
			t.Errorf("%d lists and %d files within a minute, want 6 and 7: readers may be fetching any", lists, parts)
		}
		time.Sleep(3 * time.Hour)
		prices["2026-02"] = "g"
		d.moveTo(7)
		published(t, p)
		var left []string
		for key, text := range m.objects {
			if strings.HasSuffix(key, partSuffix) {
				left = append(left, string(text))
			}
		}
		slices.Sort(left) // the current one, the one before, and one more of --keep 2
		if diff := cmp.Diff([]string{"e", "f", "g", "january"}, left); diff != "" || files(m, listSuffix) != 3 {
			t.Errorf("%d lists; files (-want +got):\n%s", files(m, listSuffix), diff)
		}
		if m.objects["history/readme.txt"] == nil {
			t.Error("what is not ours is deleted")
		}

		m.get = func(key string) (*bucket.Object, error) { // the store is away while it is looked at what is named
			if strings.HasPrefix(key, historyDir) {
				return nil, context.DeadlineExceeded
			}
			return nil, nil
		}
		time.Sleep(3 * time.Hour)
		prices["2026-02"] = "h"
		d.moveTo(8)
		published(t, p)
		if n := files(m, partSuffix); n != 5 {
			t.Errorf("%d files are left, want all 5: what is named is not known", n)
		}
	})
}
